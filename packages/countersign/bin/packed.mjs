#!/usr/bin/env node
/**
 * The program `countersign` of the npm package: finds Node 24 and runs a compiled program with it. Plain JavaScript for
 * the system's own Node (20 or later); `scripts/build.ts` makes one file of it.
 */
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"
import { fileURLToPath } from "node:url"
import { findNode, hubNodeArguments } from "../../../apps/hub/scripts/installation.mjs"
import { endLike, endWith, endWithParent, runToEnd } from "../../../apps/hub/scripts/process.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Where this system keeps the data of a person's programs. */
const dataFolder = () => {
  const given = process.platform === "win32" ? process.env.LOCALAPPDATA : process.env.XDG_DATA_HOME
  const usual = { darwin: ["Library", "Application Support"], win32: ["AppData", "Local"] }[process.platform]
  const base = given !== undefined && isAbsolute(given) ? given : join(homedir(), ...usual ?? [".local", "share"])
  return join(base, "countersign")
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
try {
  if (process.env.npm_command === "exec") endWithParent()
  const node = findNode(root)
  const flags = script === "hub" ? hubNodeArguments() : []
  endLike(
    await runToEnd(node, [...flags, join(root, "lib", `${script}.js`), ...args], { env: { ...process.env, ...env } })
  )
} catch (error) {
  endWith(error)
}
