/** The hub as a separate process, for tests that signal, kill, or restart it. They wait for its output and its exit. */
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { type Api, apiOf, masterKey } from "./hub.ts"
import { urlOf } from "./pg.ts"
import { scratchFolder } from "./scratch.ts"

const main = join(import.meta.dirname, "..", "..", "apps", "hub", "src", "main.ts")

export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Program {
  readonly pid: number
  /** Every line of both outputs so far, in order of arrival. */
  readonly lines: ReadonlyArray<string>
  /** The first past or later line that matches; dies with the output if the program ends first. */
  readonly line: (pattern: RegExp) => Effect.Effect<RegExpExecArray>
  readonly send: (text: string) => Effect.Effect<void>
  /** Signals the process, or with `group` its whole group. No effect after it has ended. */
  readonly kill: (signal: NodeJS.Signals, to?: "process" | "group") => Effect.Effect<void>
  readonly ended: Effect.Effect<Ending>
}

/** Settings of this run's environment that must not reach the programs under test. */
const foreign = /^(HUB_|DATABASE_URL$|OTEL_|TEST_|VITEST|NODE_OPTIONS$)/
const cleanEnv = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)))

/** Time limit for the end of a program when its scope closes. */
const endSecondsMax = 10

/** Starts a program in a new process group; the scope ends it if it still runs. */
export const spawnProgram = (
  command: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  options: { readonly cwd?: string } = {}
): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync((): Program => {
      const [program = process.execPath, ...args] = command
      const child = spawn(program, args, {
        ...options,
        detached: process.platform !== "win32",
        stdio: ["pipe", "pipe", "pipe"],
        env: { ...cleanEnv(), ...env }
      })
      const lines: Array<string> = []
      const waiting = new Set<() => void>()
      const wake = () => {
        for (const look of Array.from(waiting)) look()
      }
      for (const input of [child.stdout, child.stderr]) {
        createInterface({ input }).on("line", (line) => {
          lines.push(line)
          wake()
        })
      }
      let end: Ending | undefined
      child.once("close", (code, signal) => {
        end = { code, signal }
        wake()
      })
      child.once("error", (error) => lines.push(String(error)))
      child.stdin.on("error", () => {})
      const when = <A>(look: () => A | undefined, lost: () => string): Effect.Effect<A> =>
        Effect.callback<A>((resume) => {
          const attempt = () => {
            const found = look()
            if (found === undefined && end === undefined) return
            waiting.delete(attempt)
            resume(found === undefined ? Effect.die(new Error(lost())) : Effect.succeed(found))
          }
          waiting.add(attempt)
          attempt()
          return Effect.sync(() => waiting.delete(attempt))
        })
      return {
        pid: child.pid ?? 0,
        lines,
        line: (pattern) =>
          when(() => {
            for (const line of lines) {
              const match = pattern.exec(line)
              if (match !== null) return match
            }
            return undefined
          }, () => `the program ended before a line fitted ${pattern}; it said:\n${lines.join("\n")}`),
        send: (text) => Effect.sync(() => void child.stdin.end(text)),
        kill: (signal, to = "process") =>
          Effect.sync(() => {
            if (end !== undefined || child.pid === undefined) return
            try {
              process.kill(to === "group" ? -child.pid : child.pid, signal)
            } catch {
              // it has ended in between
            }
          }),
        ended: when(() => end, () => "unreachable")
      }
    }),
    // SIGTERM first: after SIGKILL a hub's database would still be ending in a directory that the scope removes.
    (program) =>
      program.kill("SIGTERM").pipe(
        Effect.andThen(Effect.timeoutOption(program.ended, endSecondsMax * 1_000)),
        Effect.andThen(program.kill("SIGKILL", process.platform === "win32" ? "process" : "group")),
        Effect.andThen(program.ended)
      )
  )

/** A command of the hub: `spawnCommand(["migrate"], { HUB_DATA_DIR })`. */
export const spawnCommand = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  spawnProgram([process.execPath, main, ...args], env)

/** The contents of a file with a secret that the hub wrote instead of printing it. */
export const announcedFile = (program: Program, subject: RegExp): Effect.Effect<string> =>
  Effect.map(
    program.line(new RegExp(`${subject.source}.* is in `)),
    ({ input }) => readFileSync((JSON.parse(input) as { readonly file: string }).file, "utf8")
  )

export interface HubProgram extends Program {
  readonly url: string
  readonly api: Api
}

/** Hubs take over from an owner after 1 second without its lease; a freshly started database needs no wait. */
export const quickRecovery = { HUB_OWNER_LEASE_SECONDS: "1", HUB_OWNER_GRACE_SECONDS: "1" }

/**
 * Starts a hub and returns once it serves. It uses a test's database (`freshDatabase`), or an embedded one.
 */
export const spawnHub = Effect.fnUntraced(function*(
  { database, env }: {
    readonly database?: { readonly database: string }
    readonly env?: Readonly<Record<string, string>>
  } = {}
): Effect.fn.Return<HubProgram, never, Scope.Scope> {
  const dataDir = yield* Effect.acquireRelease(
    Effect.sync(() => scratchFolder("hub-data-")),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )
  const program = yield* spawnCommand(["start"], {
    HUB_DATA_DIR: dataDir,
    HUB_PORT: "0",
    HUB_LOG_LEVEL: "warn",
    HUB_RATE_LIMIT_AGENT: "off",
    HUB_RATE_LIMIT_USER: "off",
    HUB_RATE_LIMIT_LOGIN: "off",
    HUB_RATE_LIMIT_HOOK: "off",
    HUB_OPEN_CALLS: "off",
    ...quickRecovery,
    ...(database === undefined ? {} : { DATABASE_URL: urlOf(database.database), HUB_MASTER_KEY: masterKey }),
    ...env
  })
  const [, url = ""] = yield* program.line(/Countersign is ready on ([^\s"]+)/)
  return { ...program, url, api: apiOf(url) }
})
