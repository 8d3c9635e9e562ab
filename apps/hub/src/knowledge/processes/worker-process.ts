/**
 * A child process at the lowest priority for work that would block this one: started with the first job, ended after
 * idle time, started again after its death. It has no environment of the hub, so no secret. One job at a time.
 */
import { Effect, type Scope } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"

export interface WorkerProcessOptions {
  /** A module that calls `serveJobs`. */
  readonly entry: URL
  readonly heapMebibytes: number
  readonly idleMillis: number
}

/** `exhausted`: it needed more memory than its heap may have. */
export type JobEnd<A> =
  | { readonly kind: "answered"; readonly answer: A }
  | { readonly kind: "timed_out" | "exhausted" | "died" }

export interface WorkerProcess<Job, Answer> {
  /** Ends the process when the job takes longer than `millisMax`, and when it is interrupted. */
  readonly run: (job: Job, millisMax: number) => Effect.Effect<JobEnd<Answer>>
  /** Of the running process; undefined while there is none. */
  readonly pid: () => number | undefined
}

/** Variables that Node and the operating system need. */
const keptVariables = ["LANG", "LC_ALL", "PATH", "SystemRoot", "TEMP", "TMPDIR", "TZ"]

const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    keptVariables.flatMap((name) => process.env[name] === undefined ? [] : [[name, process.env[name]]])
  )

/** V8 aborts when the heap is full; the operating system, or a watch inside of the process, kills it. */
const isExhausted = (code: number | null, signal: NodeJS.Signals | null): boolean =>
  signal === "SIGABRT" || signal === "SIGKILL" || code === 134

export const workerProcess = <Job, Answer>(
  { entry, heapMebibytes, idleMillis }: WorkerProcessOptions
): Effect.Effect<WorkerProcess<Job, Answer>, never, Scope.Scope> =>
  Effect.gen(function*() {
    let child: ChildProcess | undefined
    let idle: NodeJS.Timeout | undefined

    const start = (): ChildProcess => {
      const started = fork(fileURLToPath(entry), [], {
        // It reads its modules, and otherwise computes: it may not write, start processes, or load native code.
        execArgv: [`--max-old-space-size=${heapMebibytes}`, "--permission", "--allow-fs-read=*", "--allow-worker"],
        env: environment(),
        serialization: "advanced",
        // What V8 prints when it aborts is no part of the hub's log.
        stdio: ["ignore", "ignore", "ignore", "ipc"]
      })
      started.once("exit", () => {
        if (child === started) child = undefined
      })
      return started
    }

    const end = (): void => {
      clearTimeout(idle)
      child?.kill("SIGKILL")
      child = undefined
    }
    yield* Effect.addFinalizer(() => Effect.sync(end))

    const run = (job: Job, millisMax: number) =>
      Effect.callback<JobEnd<Answer>>((resume) => {
        clearTimeout(idle)
        const worker = child ??= start()
        const done = (result: JobEnd<Answer>): void => {
          clearTimeout(limit)
          worker.off("message", onMessage).off("exit", onExit).off("error", onError)
          if (child === worker) idle = setTimeout(end, idleMillis).unref()
          resume(Effect.succeed(result))
        }
        const onMessage = (answer: unknown) => done({ kind: "answered", answer: answer as Answer })
        const onExit = (code: number | null, signal: NodeJS.Signals | null) =>
          done({ kind: isExhausted(code, signal) ? "exhausted" : "died" })
        const onError = () => {
          end()
          done({ kind: "died" })
        }
        const limit = setTimeout(() => {
          end()
          done({ kind: "timed_out" })
        }, millisMax)
        worker.on("message", onMessage).on("exit", onExit).on("error", onError)
        worker.send(job as object, (error) => {
          // A process that is already gone reports its exit.
          if (error !== null && worker.exitCode === null && worker.signalCode === null) onError()
        })
        return Effect.sync(() => {
          clearTimeout(limit)
          worker.off("message", onMessage).off("exit", onExit).off("error", onError)
          end()
        })
      })
    return { run, pid: () => child?.pid }
  })
