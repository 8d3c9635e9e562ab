/**
 * Wake-ups between hubs and within one: that a workspace's log moved, that its configuration changed. Nothing relies on one
 * arriving: readers look for themselves as well, dispatch finds a stale configuration under the lock.
 */
import { Context, Effect, Layer, Queue, Schedule } from "effect"
import { PgClient } from "@effect/sql-pg"

const channel = "countersign"

/** Marks of one workspace within this time go out as one. */
const coalesceMillis = 20

export type Signal =
  /** The audit log of a workspace has new entries: events to read, states to look at. */
  | { readonly kind: "log"; readonly org: string }
  /** Agents, bindings, keys, services, rules or settings of a workspace changed. */
  | { readonly kind: "config"; readonly org: string }
  /** Commands, state or key of a device changed. */
  | { readonly kind: "device"; readonly device: string }
  /** This hub stops: what waits waits no longer. */
  | { readonly kind: "stop" }

export class Signals extends Context.Service<Signals, {
  /** Tells this process at once, the others soon. */
  readonly log: (org: string) => void
  readonly config: (org: string) => void
  readonly device: (device: string) => void
  /** Tells this process that it stops. */
  readonly stop: () => void
  readonly stopped: () => boolean
  /** Calls back on every signal of any hub; answers how to stop. */
  readonly subscribe: (listener: (signal: Signal) => void) => () => void
}>()("@countersign/hub/platform/Signals") {
  static readonly layer = Layer.effect(Signals, Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    const listeners = new Set<(signal: Signal) => void>()
    const tell = (signal: Signal) => {
      for (const listener of listeners) listener(signal)
    }
    let stopped = false
    const pending = new Set<string>()
    let timer: NodeJS.Timeout | undefined
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const me = crypto.randomUUID()
    const send = Effect.suspend(() => {
      timer = undefined
      const marks = [...pending]
      pending.clear()
      return marks.length === 0
        ? Effect.void
        : Effect.ignore(sql`select pg_notify(${channel}, ${me} || ' ' || m) from unnest(${marks}::text[]) m`)
    })
    const mark = (signal: Exclude<Signal, { readonly kind: "stop" }>) => {
      tell(signal)
      pending.add(`${signal.kind} ${signal.kind === "device" ? signal.device : signal.org}`)
      timer ??= setTimeout(() => run(send), coalesceMillis)
    }
    // What was told last goes out before the end: a command lives for less than the time of coalescing.
    yield* Effect.addFinalizer(() => Effect.andThen(Effect.sync(() => clearTimeout(timer)), send))
    yield* Effect.scoped(Effect.gen(function*() {
      const inbox = yield* sql.listen(channel)
      yield* Effect.forever(Effect.map(Queue.take(inbox), ({ payload }) => {
        const [from, kind, subject] = payload.split(" ")
        if (from === me || subject === undefined) return
        if (kind === "log" || kind === "config") tell({ kind, org: subject })
        else if (kind === "device") tell({ kind, device: subject })
      }))
    })).pipe(
      Effect.retry(Schedule.spaced("500 millis")),
      Effect.forkScoped
    )
    return Signals.of({
      log: (org) => mark({ kind: "log", org }),
      config: (org) => mark({ kind: "config", org }),
      device: (device) => mark({ kind: "device", device }),
      stop: () => {
        stopped = true
        tell({ kind: "stop" })
      },
      stopped: () => stopped,
      subscribe: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      }
    })
  }))
}
