/** Temporary data directories, clients, and other hub processes for the tests of the embedded server. */
import type { EmbeddedConnection, EmbeddedOptions } from "@countersign/hub/platform/postgres/embedded"
import { PgClient } from "@effect/sql-pg"
import { Effect, Schedule, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { scratchFolder } from "../../../support/scratch.ts"

/** Removed with the scope, after stopping everything that a failed test left running in it. */
export const temporaryDirectory: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => scratchFolder("cs-test-")),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
)

export const client = (connection: EmbeddedConnection) =>
  PgClient.make({ ...connection, maxConnections: 2, connectTimeout: "5 seconds" }).pipe(
    Effect.provide(Reactivity.layer)
  )

/** A process that has ended counts as gone before its parent has collected it. */
export const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return !existsSync("/proc/self") || !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
}

/** All processes that work in the cluster: the server and its workers. Linux only. */
export const processesIn = (cluster: string): ReadonlyArray<number> =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === cluster
    } catch {
      return false
    }
  })

/** Waits for a condition, not for a time; the test's own limit ends it. */
export const until = (condition: () => boolean): Effect.Effect<void> =>
  Effect.asVoid(Effect.repeat(Effect.sync(condition), { until: (met) => met, schedule: Schedule.spaced("20 millis") }))

export interface HubProcess {
  readonly process: ChildProcess
  readonly pid: number
  /** The next message with that event; fails when the process ends before it. */
  readonly next: (event: string) => Effect.Effect<Record<string, unknown>>
  readonly write: (line: string) => Effect.Effect<void>
  readonly exit: Effect.Effect<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
}

/** A hub in a separate process group; killed with the scope if it still runs. */
export const hubProcess = (
  dataDir: string,
  options: Partial<EmbeddedOptions> = {}
): Effect.Effect<HubProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const program = join(import.meta.dirname, "hub-process.ts")
      const child = spawn(process.execPath, [program, JSON.stringify({ ...options, dataDir })], {
        detached: true,
        stdio: ["pipe", "pipe", "inherit"]
      })
      const messages: Array<Record<string, unknown>> = []
      const waiting = new Set<() => void>()
      const wake = () => {
        for (const look of waiting) look()
      }
      createInterface({ input: child.stdout }).on("line", (line) => {
        messages.push(JSON.parse(line) as Record<string, unknown>)
        wake()
      })
      let end: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined
      child.once("close", (code, signal) => {
        end = { code, signal }
        wake()
      })
      child.stdin.on("error", () => {})
      const when = <A>(look: () => A | undefined, lost: string): Effect.Effect<A> =>
        Effect.callback<A>((resume) => {
          const attempt = () => {
            const found = look()
            if (found === undefined && end === undefined) return
            waiting.delete(attempt)
            resume(found === undefined ? Effect.die(new Error(lost)) : Effect.succeed(found))
          }
          waiting.add(attempt)
          attempt()
          return Effect.sync(() => waiting.delete(attempt))
        })
      return {
        process: child,
        pid: child.pid ?? 0,
        next: (event: string) =>
          when(() => {
            const index = messages.findIndex((message) => message["event"] === event)
            return index < 0 ? undefined : messages.splice(index, 1)[0]
          }, `the hub process ended before it said "${event}"; it said ${JSON.stringify(messages)}`),
        write: (line: string) => Effect.sync(() => void child.stdin.write(`${line}\n`)),
        exit: when(() => end, "unreachable")
      }
    }),
    (hub) =>
      Effect.suspend(() => {
        if (hub.process.exitCode !== null || hub.process.signalCode !== null) return Effect.void
        hub.process.kill("SIGKILL")
        return Effect.asVoid(hub.exit)
      })
  )
