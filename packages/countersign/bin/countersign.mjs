#!/usr/bin/env node
/**
 * `countersign <command…>` in a clone: finds Node 24 and runs the command with it. `start`, `hub`, and `device` are
 * separate programs. Plain JavaScript for the system's own Node (20 or later).
 */
import { join } from "node:path"
import { ensureInstalled, findNode, root } from "../../../apps/hub/scripts/installation.mjs"
import { endLike, endWith, runToEnd } from "../../../apps/hub/scripts/process.mjs"

const [first, ...rest] = process.argv.slice(2)
const hub = join(root, "apps", "hub", "scripts", "hub.mjs")
const programs = { start: [hub, "start"], hub: [hub], device: [join(root, "apps", "desktop", "scripts", "device.mjs")] }
const program = Object.hasOwn(programs, first ?? "") ? programs[first] : undefined
const own = join(root, "packages", "countersign", "src", "main.ts")
try {
  ensureInstalled({ development: false })
  endLike(await runToEnd(findNode(), program === undefined ? [own, ...process.argv.slice(2)] : [...program, ...rest]))
} catch (error) {
  endWith(error)
}
