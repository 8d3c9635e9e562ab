/**
 * The npm package `countersign` as a newcomer has it: the time of its help against a bare Node, and of a first start and
 * later ones until they are ready, with the CPU time of all living processes, npx and PostgreSQL included. And the
 * import of the Python client against that of httpx.
 */
import { Effect } from "effect"
import { loadavg } from "node:os"
import { join } from "node:path"
import { ensurePython } from "../support/cached-tools.mjs"
import { spawnProgram } from "../support/hub-program.ts"
import { apiOf, expectStatus } from "../support/hub.ts"
import { must, packed } from "../support/packed.ts"
import { missingPython } from "../support/requirements.mjs"
import { below, type Figure, info } from "./figures.ts"
import { cpuSeconds } from "./machine.ts"
import { interleaved, median, ratio } from "./rounds.ts"
import { Stage } from "./stage.ts"

/** Of each command that ends by itself: one takes some hundredths of a second. */
const helpRounds = 11

const pythonPackages = join(import.meta.dirname, "..", "clients", "tools", "client-python.txt")
const pythonClient = join(import.meta.dirname, "..", "..", "packages", "client-python")

const seconds = (value: number): string => `${value.toFixed(2)} s`

export const packaged: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { rounds } = yield* Stage
  const { folder, install, machine, tarball } = yield* packed

  const run = (program: string, ...args: ReadonlyArray<string>) =>
    Effect.sync(() => {
      const began = performance.now()
      must(program, args, machine)
      return performance.now() - began
    })
  /** Starts it, waits until it is ready, and ends it. */
  const start = (command: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
    Effect.gen(function*() {
      const began = performance.now()
      const program = yield* spawnProgram(command, { HUB_PORT: "0", HUB_LOG_LEVEL: "warn", ...env }, { cwd: machine })
      const [, url = ""] = yield* program.line(/Countersign is ready on ([^\s"]+)/)
      expectStatus(yield* apiOf(url)("GET", "/ready"), 200)
      const ready = (performance.now() - began) / 1000
      const cpu = cpuSeconds(program.pid)
      yield* program.kill("SIGTERM", "group")
      yield* program.ended
      return { ready, cpu }
    }).pipe(Effect.scoped)

  const newcomer = yield* start(["npx", "--yes", `--package=${tarball}`, "--", "countersign", "start"], {
    npm_config_cache: join(folder, "cache"),
    XDG_DATA_HOME: join(folder, "newcomer")
  })

  install()
  const data = { XDG_DATA_HOME: join(folder, "data") }
  const installed = ["npx", "--no-install", "countersign", "start"]
  const first = yield* start(installed, data)
  // The second process writes the compiled code of what only a start on existing data loads.
  yield* start(installed, data)
  const bare: Array<number> = []
  const later: Array<{ readonly ready: number; readonly cpu: number }> = []
  for (let round = 0; round < rounds; round++) {
    bare.push(yield* run(process.execPath, "-e", "0"))
    later.push(yield* start(installed, data))
  }

  const launcher = join(machine, "node_modules", "countersign", "bin", "countersign.js")
  const helps = yield* interleaved(helpRounds, {
    bare: run(process.execPath, "-e", "0"),
    help: run(process.execPath, launcher, "--help")
  })
  const python = missingPython() === undefined ? ensurePython(pythonPackages) : undefined
  const modules = join(folder, "modules")
  const importing = (
    name: string
  ) => ["-c", `import sys; sys.path.insert(0, ${JSON.stringify(modules)}); import ${name}`]
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation"]
  if (python !== undefined) must(python, [...pip, "--target", modules, pythonClient], machine)
  const imports = python === undefined ? undefined : yield* interleaved(helpRounds, {
    httpx: run(python, ...importing("httpx")),
    client: run(python, ...importing("countersign_client"))
  })
  return [
    below(
      "npx countersign start on existing data to ready, seconds",
      2,
      median(later.map(({ ready }) => ready)),
      2,
      " s"
    ),
    info("the same, times `node -e 0`", ratio(later.map(({ ready }) => ready * 1_000), bare).toFixed(1)),
    info("its CPU until then", seconds(median(later.map(({ cpu }) => cpu)))),
    info(
      "first start of the installed package, on an empty directory",
      `${seconds(first.ready)}, CPU ${seconds(first.cpu)}`
    ),
    below("npx with an empty npm cache and an empty data directory to ready, seconds", 30, newcomer.ready, 1, " s"),
    info("its CPU until then", seconds(newcomer.cpu)),
    below("countersign --help, milliseconds", 200, median(helps.help), 0, " ms"),
    info("the same, times `node -e 0`", ratio(helps.help, helps.bare).toFixed(2)),
    ...imports === undefined ? [] : [
      below(
        "import countersign_client above import httpx, milliseconds",
        150,
        median(imports.client) - median(imports.httpx),
        0,
        " ms"
      ),
      info("the same, times `import httpx`", ratio(imports.client, imports.httpx).toFixed(2))
    ],
    info("load of the machine (1 minute)", (loadavg()[0] ?? Number.NaN).toFixed(1))
  ]
}).pipe(Effect.scoped)
