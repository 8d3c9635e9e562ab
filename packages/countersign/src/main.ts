/** `node main.ts <command…>`: the program of the command line. Compiled code is cached for all runs. */
import { enableCompileCache } from "node:module"
import { resolve } from "node:path"

enableCompileCache(resolve(import.meta.dirname, "../../../node_modules/.cache/countersign"))
const { runCommand } = await import("./program.ts")
await runCommand(process.argv.slice(2))
