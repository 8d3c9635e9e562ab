/**
 * `node main.ts <command>`: the hub's program. A command's modules are loaded when it runs, and their compiled code is
 * cached for all runs.
 */
import { enableCompileCache } from "node:module"
import { resolve } from "node:path"

enableCompileCache(resolve(import.meta.dirname, "../../../node_modules/.cache/countersign"))

const args = process.argv.slice(2)
if (args.length === 1 && args[0] === "start") {
  // A signal before the start has anything to drain ends the process, as one during the start does.
  const end = () => process.exit(0)
  const signals = ["SIGTERM", "SIGINT"] as const
  for (const signal of signals) process.on(signal, end)
  // The usual command skips the command parser, which costs a quarter of a second.
  const { start } = await import("./start.ts")
  start()
  for (const signal of signals) process.off(signal, end)
} else {
  const { runCommand } = await import("./commands/program.ts")
  runCommand(args)
}
