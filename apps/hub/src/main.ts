/** `node main.ts <command>`: the hub's program. What a command needs is loaded when it runs, and compiled once for all runs. */
import { enableCompileCache } from "node:module"
import { resolve } from "node:path"

enableCompileCache(resolve(import.meta.dirname, "../../../node_modules/.cache/countersign"))

const args = process.argv.slice(2)
if (args.length === 1 && args[0] === "start") {
  // A signal before there is anything to drain ends the start, as one during it does.
  const end = () => process.exit(0)
  const signals = ["SIGTERM", "SIGINT"] as const
  for (const signal of signals) process.on(signal, end)
  // The usual way goes around the parser of commands, which costs a quarter of a second.
  const { start } = await import("./start.ts")
  start()
  for (const signal of signals) process.off(signal, end)
} else {
  const { runCommand } = await import("./commands/program.ts")
  runCommand(args)
}
