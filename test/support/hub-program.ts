/** The real program in a process of its own, for tests that signal, kill or restart a hub. They wait for its lines and end. */
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { type Api, apiOf, masterKey } from "./hub.ts"
import { urlOf } from "./pg.ts"

const main = join(import.meta.dirname, "..", "..", "apps", "hub", "src", "main.ts")

export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Program {
  readonly pid: number
  /** Every line of both outputs so far, in order of arrival. */
  readonly lines: ReadonlyArray<string>
  /** The first line, past or to come, that fits; a defect with the output when the program ends before. */
  readonly line: (pattern: RegExp) => Effect.Effect<RegExpExecArray>
  readonly send: (text: string) => Effect.Effect<void>
  /** To the process, or with `group` to all of its group. Nothing when it is gone. */
  readonly kill: (signal: NodeJS.Signals, to?: "process" | "group") => Effect.Effect<void>
  readonly ended: Effect.Effect<Ending>
}

/** What this run's environment says about hubs is not for the programs under test. */
const foreign = /^(HUB_|DATABASE_URL$|OTEL_|TEST_|VITEST|NODE_OPTIONS$)/
const cleanEnv = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)))

/** How long a program may take to end when its scope does. */
const endSecondsMax = 10

/** In a process group of its own; ended with the scope if it still runs. */
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
              // it ended by itself in between
            }
          }),
        ended: when(() => end, () => "unreachable")
      }
    }),
    // Asked first: a hub that is killed leaves its database to end by itself, in a directory that goes with the scope.
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

export interface HubProgram extends Program {
  readonly url: string
  readonly api: Api
}

/** Owners that are dead for a second are taken over; a freshly started database is not waited for. */
export const quickRecovery = { HUB_OWNER_LEASE_SECONDS: "1", HUB_OWNER_GRACE_SECONDS: "1" }

/** Serves, once this answers. On a test's database (`freshDatabase`), or with `HUB_DATA_DIR` in `env` on one of its own. */
export const spawnHub = Effect.fnUntraced(function*(
  { database, env }: {
    readonly database?: { readonly database: string }
    readonly env?: Readonly<Record<string, string>>
  } = {}
): Effect.fn.Return<HubProgram, never, Scope.Scope> {
  const program = yield* spawnCommand(["start"], {
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
  const [, url = ""] = yield* program.line(/^Countersign is ready on (\S+)/)
  return { ...program, url, api: apiOf(url) }
})
