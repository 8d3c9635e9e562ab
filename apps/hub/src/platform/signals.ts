/**
 * Wake-ups between hubs and within one: a workspace's log has new entries, its configuration changed. A notification
 * may be lost with its connection; `resync` then makes every reader check for changes. Correctness never depends on a
 * notification: dispatch detects a stale configuration under the lock, readers poll, caches have a lifetime.
 */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Queue, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { Database, singleConnection } from "./db.ts"

const channel = "countersign"

/** Marks of one workspace within this time are sent as one. */
const coalesceMillis = 20
/** Marks that could not be sent are sent again after this long. */
const resendMillis = 500
/** A hub notifies itself this often, to detect a connection that died without an error. */
const pingMillis = 5_000
const silenceMillisMax = 15_000

export type Signal =
  /** The audit log of a workspace has new entries: new events, possibly changed states. */
  | { readonly kind: "log"; readonly org: OrgId }
  /** Agents, bindings, keys, services, rules or settings of a workspace changed. */
  | { readonly kind: "config"; readonly org: OrgId }
  /** An object changed that a call or a connection waits for: a device, a command, an agent request, the pairings. */
  | { readonly kind: "object"; readonly id: string }
  /** Signals of other hubs may have been lost: anything may have changed. */
  | { readonly kind: "resync" }
  /** This hub stops: waiting calls end. */
  | { readonly kind: "stop" }

type Shared = Extract<Signal, { readonly kind: "log" | "config" | "object" }>

const subjectOf = (signal: Shared): string => signal.kind === "object" ? signal.id : signal.org

export class Signals extends Context.Service<Signals, {
  /** Signals this process at once and the other hubs soon. */
  readonly log: (org: OrgId) => void
  readonly config: (org: OrgId) => void
  readonly object: (id: string) => void
  /** Signals this process that it stops. */
  readonly stop: () => void
  readonly stopped: () => boolean
  /** Calls back on every signal of any hub; returns the function that unsubscribes. */
  readonly subscribe: (listener: (signal: Signal) => void) => () => void
  /**
   * Calls back on every signal of this object or workspace, on `resync`, and on `stop`; returns the function that
   * unsubscribes. Costs other signals nothing, however many calls wait.
   */
  readonly subscribeTo: (subject: string, listener: () => void) => () => void
}>()("@countersign/hub/platform/Signals") {
  static readonly layer = Layer.effect(
    Signals,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { target } = yield* Database
      const listeners = new Set<(signal: Signal) => void>()
      const listenersOf = new Map<string, Set<() => void>>()
      const deliver = (signal: Signal) => {
        for (const listener of listeners) listener(signal)
        const concerned = signal.kind === "resync" || signal.kind === "stop"
          ? [...listenersOf.values()].flatMap((own) => [...own])
          : listenersOf.get(subjectOf(signal)) ?? []
        for (const listener of concerned) listener()
      }
      let stopped = false
      let closing = false
      const pending = new Set<string>()
      let timer: NodeJS.Timeout | undefined
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const me = crypto.randomUUID()
      const sendIn = (millis: number) => {
        if (!closing) timer ??= setTimeout(() => run(send), millis)
      }
      const send = Effect.suspend(() => {
        timer = undefined
        const marks = [...pending]
        pending.clear()
        if (marks.length === 0) return Effect.void
        return sql`select pg_notify(${channel}, ${me} || ' ' || m) from unnest(${marks}::text[]) m`.pipe(
          Effect.catchCause(() =>
            Effect.sync(() => {
              for (const mark of marks) pending.add(mark)
              sendIn(resendMillis)
            })
          )
        )
      })
      const mark = (text: string) => {
        pending.add(text)
        sendIn(coalesceMillis)
      }
      const share = (signal: Shared) => {
        deliver(signal)
        mark(`${signal.kind} ${subjectOf(signal)}`)
      }
      // Sends the last signals before the end: a command may run for less than the coalescing time.
      yield* Effect.addFinalizer(() =>
        Effect.suspend(() => {
          closing = true
          clearTimeout(timer)
          return send
        })
      )

      /** Receives on a separate connection until it fails or falls silent. */
      const receive = Effect.scoped(Effect.gen(function*() {
        const scope = yield* Scope.make()
        const close = Effect.addFinalizer((exit) => Scope.close(scope, exit))
        yield* close
        const client = yield* Scope.provide(singleConnection(target, "countersign-signals"), scope)
        const inbox = yield* client.listen(channel)
        // Closed before the driver unsubscribes: a lost peer would never confirm that.
        yield* close
        let receivedAt = performance.now()
        deliver({ kind: "resync" })
        const take = Effect.map(Queue.take(inbox), ({ payload }) => {
          const [from, kind, subject] = payload.split(" ")
          if (from === me) receivedAt = performance.now()
          else if (subject === undefined) return
          else if (kind === "log" || kind === "config") deliver({ kind, org: subject as OrgId })
          else if (kind === "object") deliver({ kind, id: subject })
        })
        const watch = Effect.gen(function*() {
          mark("ping")
          yield* Effect.sleep(pingMillis)
          if (performance.now() - receivedAt > silenceMillisMax) yield* Effect.fail("the connection is silent")
        })
        yield* Effect.raceFirst(Effect.forever(take), Effect.forever(watch))
      }))
      yield* receive.pipe(
        Effect.catchCause((cause) => Effect.logDebug("signals of other hubs are not received; reconnecting", cause)),
        Effect.repeat(Schedule.spaced("500 millis")),
        Effect.forkScoped
      )
      return Signals.of({
        log: (org) => share({ kind: "log", org }),
        config: (org) => share({ kind: "config", org }),
        object: (id) => share({ kind: "object", id }),
        stop: () => {
          stopped = true
          deliver({ kind: "stop" })
        },
        stopped: () => stopped,
        subscribe: (listener) => {
          listeners.add(listener)
          return () => void listeners.delete(listener)
        },
        subscribeTo: (subject, listener) => {
          const own = listenersOf.get(subject) ?? new Set()
          listenersOf.set(subject, own.add(listener))
          return () => {
            own.delete(listener)
            if (own.size === 0 && listenersOf.get(subject) === own) listenersOf.delete(subject)
          }
        }
      })
    })
  )
}
