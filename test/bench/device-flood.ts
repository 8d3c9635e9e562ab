/** The agent's memory during 10 seconds of 100,000 lines of 80 bytes per second. */
import { Effect, Schedule } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { startDevice } from "./device-stage.ts"
import { type Figure, info } from "./figures.ts"
import { cpuSeconds, residentBytes } from "./machine.ts"
import { median } from "./rounds.ts"
import { database, makeWorkspace, Stage, startHub } from "./stage.ts"

const seconds = 10
const linesOfSecond = 100_000
const lineBytes = 80
const wanted = 60

/** Prints in steps of 10 ms; lines that the machine could not take in time are printed later and never dropped. */
const printer = (program: string) =>
  `#!${program}
const line = "x".repeat(${lineBytes - 1}) + "\\n"
const block = line.repeat(${linesOfSecond / 100})
const began = performance.now()
let printed = 0
const step = () => {
  while (printed < ${seconds * 100} && printed <= (performance.now() - began) / 10) {
    printed++
    if (!process.stdout.write(block)) return process.stdout.once("drain", step)
  }
  if (printed < ${seconds * 100}) setTimeout(step, 5)
}
step()
`

export const deviceFlood: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { rounds } = yield* Stage
  const target = yield* database
  const hub = yield* startHub(target)
  const workspace = yield* makeWorkspace(hub)
  const found: Array<{ readonly grown: number; readonly idle: number; readonly cpu: number; readonly took: number }> =
    []
  for (let round = 0; round < rounds; round++) {
    found.push(
      yield* Effect.scoped(Effect.gen(function*() {
        const device = yield* startDevice(hub, workspace, (root) => ({
          rules: [["true"], [join(root, "flood.mjs")]].map((argv) => ({ effect: "allow", tool: "shell.run", argv }))
        }))
        writeFileSync(join(device.root, "flood.mjs"), printer(process.execPath), { mode: 0o755 })
        for (let at = 0; at < 5; at++) yield* device.runThrough(["true"])
        const idle = residentBytes(device.pid)
        const before = cpuSeconds(device.pid)
        let most = idle
        const began = performance.now()
        const watch = Effect.repeat(
          Effect.sync(() => {
            most = Math.max(most, residentBytes(device.pid))
          }),
          Schedule.spaced("50 millis")
        )
        const ended = yield* Effect.raceFirst(
          device.runThrough([join(device.root, "flood.mjs")], 120),
          Effect.andThen(watch, Effect.never)
        )
        if (ended.output_bytes !== seconds * linesOfSecond * lineBytes) {
          return yield* Effect.die(new Error(`the hub counts ${ended.output_bytes} bytes`))
        }
        return {
          grown: (most - idle) / 2 ** 20,
          idle: idle / 2 ** 20,
          cpu: cpuSeconds(device.pid) - before,
          took: (performance.now() - began) / 1000
        }
      }))
    )
  }
  const grown = median(found.map(({ grown }) => grown))
  return [
    {
      name: "10 s of 100,000 lines of 80 bytes a second: the agent's memory over idle",
      wanted: `≤ ${wanted} MB`,
      measured: `${grown.toFixed(0)} MB`,
      met: grown <= wanted
    },
    info("the agent at rest", `${median(found.map(({ idle }) => idle)).toFixed(0)} MB`),
    info("from queueing to the end seen", `${median(found.map(({ took }) => took)).toFixed(1)} s`),
    info("processor of the agent in that time", `${median(found.map(({ cpu }) => cpu)).toFixed(1)} s`)
  ]
}).pipe(Effect.scoped)
