#!/usr/bin/env node
/**
 * The program `countersign` of the npm package: finds Node 24 and runs a compiled program with it. Plain JavaScript for
 * the system's own Node (20 or later); `scripts/build.ts` makes one file of it.
 */
import { accessSync, constants, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { findNode, hubNodeArguments, NODE_MAJOR } from "../../../apps/hub/scripts/installation.mjs"
import { endLike, endWith, endWithParent, runToEnd } from "../../../apps/hub/scripts/process.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Where this system keeps the data of a person's programs. */
const dataFolder = () => {
  const given = process.platform === "win32" ? process.env.LOCALAPPDATA : process.env.XDG_DATA_HOME
  const usual = { darwin: ["Library", "Application Support"], win32: ["AppData", "Local"] }[process.platform]
  const base = given !== undefined && isAbsolute(given) ? given : join(homedir(), ...usual ?? [".local", "share"])
  return join(base, "countersign")
}

/** Compiled code is cached in the package, or where this person can write: a start without it takes twice as long. */
const codeCache = () => {
  if (process.env.NODE_COMPILE_CACHE) return {}
  try {
    accessSync(root, constants.W_OK)
    return {}
  } catch {
    const given = process.env.XDG_CACHE_HOME
    const base = given !== undefined && isAbsolute(given) ? given : join(homedir(), ".cache")
    return { NODE_COMPILE_CACHE: join(base, "countersign") }
  }
}

/** The help of the program, which the build wrote: no other process starts for it. */
const printHelp = () => {
  const { FORCE_COLOR, NO_COLOR } = process.env
  const isColored = !NO_COLOR && (FORCE_COLOR ? FORCE_COLOR !== "0" : process.stdout.isTTY)
  process.stdout.write(readFileSync(join(root, "lib", isColored ? "help-colored.txt" : "help.txt")))
}

const [first, ...rest] = process.argv.slice(2)
const programs = {
  start: { script: "hub", args: ["start", ...rest], env: { HUB_DATA_DIR: process.env.HUB_DATA_DIR || dataFolder() } },
  hub: { script: "hub", args: rest, env: { HUB_DATA_DIR: process.env.HUB_DATA_DIR || dataFolder() } },
  // Makes Node's HTTP clients honor HTTPS_PROXY and NO_PROXY.
  device: { script: "device", args: rest, env: { NODE_USE_ENV_PROXY: process.env.NODE_USE_ENV_PROXY || "1" } }
}
const command = { script: "command", args: process.argv.slice(2), env: {} }
const { args, env, script } = Object.hasOwn(programs, first ?? "") ? programs[first] : command
const runProgram = async () => {
  if (process.env.npm_command === "exec") endWithParent()
  const node = findNode(root)
  const flags = script === "hub" ? hubNodeArguments() : []
  const environment = { ...process.env, ...codeCache(), ...env }
  endLike(await runToEnd(node, [...flags, join(root, "lib", `${script}.js`), ...args], { env: environment }))
}

const isHelp = rest.length === 0 && (first === "--help" || first === "-h")
/** The command line runs in this process if its Node is new enough. */
const isHere = script === "command" && Number(process.versions.node.split(".")[0]) >= NODE_MAJOR
try {
  if (isHelp) printHelp()
  else if (isHere) await import(pathToFileURL(join(root, "lib", "command.js")).href)
  else await runProgram()
} catch (error) {
  endWith(error)
}
