/**
 * `idempotency-key` on POSTs that move money, except dispatch, whose tick looks its keys up itself. The answer is
 * stored in the transaction of the transfer, so after a crash there are both or neither, and a key is never executed
 * twice by any number of hubs. Spec: reference/conventions.md "Idempotency".
 */
import type { Principal } from "@countersign/domain/auth"
import { type BadRequest, type Conflict, conflict } from "@countersign/domain/errors"
import { canonicalize } from "@countersign/domain/json"
import { Cause, Context, Deferred, Effect, Exit, Layer, Option, Schedule, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { Db, isPassing } from "./db.ts"
import { idempotencyKeyOf, sentHeaders } from "./idempotency-key.ts"

/** How long a second caller waits for the first, in milliseconds. */
export const waitMillis = 30_000
/** How often the progress of another hub is checked, in milliseconds. */
const pollMillis = 200
/** Keys that one pass of the cleaner deletes. */
const purgeBatch = 1_000

export interface Call<A> {
  readonly principal: Principal
  /** The parsed body; two calls are equal when their canonical JSON is. */
  readonly input: unknown
  readonly answer: Schema.Codec<A, unknown>
  readonly status: number
  /** `Location` of the created object. */
  readonly location?: (answer: A) => string
  /** The answer that is stored and replayed, without values that are shown only once; default: the answer itself. */
  readonly stored?: (answer: A) => A
}

interface StoredRow {
  readonly same: boolean
  readonly status: number
  readonly body: string
}

type Attempt<A> =
  /** Another hub works on the key. */
  | { readonly _tag: "Busy" }
  /** Another call of this hub worked on the key; it has ended, or the time is up. */
  | { readonly _tag: "Waited"; readonly ended: boolean }
  | { readonly _tag: "Other" }
  | { readonly _tag: "Known"; readonly body: string; readonly status: number }
  | { readonly _tag: "Done"; readonly body: string; readonly value: A }

const conflicting = conflict(
  "idempotency_conflict",
  "This idempotency key was used with another payload. Use a new key for a new request."
)
const inProgress = conflict(
  "idempotency_in_progress",
  "The first request with this idempotency key is still in progress. Retry shortly.",
  { retry_after_seconds: 1 }
)

/** The caller and the endpoint of a key: keys of different callers, modes, or addresses are separate. */
export const idempotencyScope = (principal: Principal, method: string, url: string): string => {
  const who = principal.kind === "agent" ? `agent ${principal.agent_id} ${principal.mode}` : `user ${principal.user_id}`
  // The scope leaves out the hub's own address: several hubs, and several names, share their keys.
  return `${who} ${method} ${URL.parse(url, "http://hub")?.pathname ?? url}`
}

export class Idempotency extends Context.Service<Idempotency, {
  /**
   * Runs `effect` in a transaction and returns its answer, or the first call's answer for the same key, with the same
   * bytes. A failed effect stores nothing, so the key is free again. Without a key, the effect always runs.
   */
  readonly once: <A, E, R>(
    call: Call<A>,
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    E | BadRequest | Conflict,
    R | HttpServerRequest.HttpServerRequest
  >
  /** Deletes expired keys; returns how many. */
  readonly purge: Effect.Effect<number>
}>()("@countersign/hub/platform/Idempotency") {
  static readonly layerOf = (options: { readonly waitMillis: number }) =>
    Layer.effect(Idempotency, make(options.waitMillis))
  /** Cleans up once an hour. */
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.tap(make(waitMillis), (idempotency) =>
      Effect.forkScoped(Effect.schedule(
        Effect.catchCause(idempotency.purge, (cause) =>
          Effect.logWarning("expired idempotency keys could not be deleted; the hub will retry in an hour", cause)),
        Schedule.spaced("1 hour")
      )))
  )
}

function make(patience: number) {
  return Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const db = yield* Db
    /** Keys in progress in this process. */
    const inFlight = new Map<string, Deferred.Deferred<void>>()

    const attempt = Effect.fnUntraced(
      function*<A, E, R>(key: string, scope: string, call: Call<A>, effect: Effect.Effect<A, E, R>) {
        const org = call.principal.org_id
        const hash = createHash("sha256").update(canonicalize(call.input)).digest()
        const [lock] = yield* Effect.orDie(
          sql<{ got: boolean }>`select pg_try_advisory_xact_lock(hashtextextended(${`${org} ${scope} ${key}`}, 0)) got`
        )
        if (lock?.got !== true) return { _tag: "Busy" } as Attempt<A>
        const [known] = yield* Effect.orDie(
          sql<StoredRow>`select hash = ${hash}::bytea same, status, body from idempotency_keys
          where org_id = ${org} and scope = ${scope} and key = ${key} and expires_at > hub_time_or_last()`
        )
        if (known !== undefined) {
          return (known.same
            ? { _tag: "Known", status: known.status, body: known.body }
            : { _tag: "Other" }) as Attempt<A>
        }
        const value = yield* effect
        const textOf = (answer: A) => JSON.stringify(Schema.encodeUnknownSync(call.answer)(answer))
        const body = textOf(value)
        const stored = call.stored === undefined ? body : textOf(call.stored(value))
        yield* Effect.orDie(
          sql`insert into idempotency_keys as k (org_id, scope, key, hash, status, body, created_at, expires_at)
          values (${org}, ${scope}, ${key}, ${hash}::bytea, ${call.status}, ${stored}, hub_time_or_last(), hub_time_or_last() + interval '24 hours')
          on conflict (org_id, scope, key) do update set hash = excluded.hash, status = excluded.status,
            body = excluded.body, created_at = excluded.created_at, expires_at = excluded.expires_at
          where k.expires_at <= hub_time_or_last()`
        )
        return { _tag: "Done", body, value } as Attempt<A>
      }
    )

    const respond = <A>(call: Call<A>, status: number, body: string, value: A, replayed: boolean) =>
      HttpServerResponse.text(body, {
        status,
        contentType: "application/json",
        headers: {
          ...call.location === undefined ? {} : { location: call.location(value) },
          ...replayed ? { "idempotent-replayed": "true" } : {}
        }
      })

    const keyed = Effect.fnUntraced(
      function*<A, E, R>(key: string, scope: string, call: Call<A>, effect: Effect.Effect<A, E, R>) {
        const id = `${call.principal.org_id} ${scope} ${key}`
        const deadline = performance.now() + patience
        for (;;) {
          const outcome = yield* Effect.acquireUseRelease(
            Effect.sync(() => {
              const other = inFlight.get(id)
              if (other !== undefined) return { other }
              const mine = Deferred.makeUnsafe<void>()
              inFlight.set(id, mine)
              return { mine }
            }),
            ({ other }): Effect.Effect<Attempt<A>, E, R> =>
              other === undefined
                ? db.transaction(attempt(key, scope, call, effect))
                : Deferred.await(other).pipe(
                  Effect.timeoutOption(Math.max(0, deadline - performance.now())),
                  Effect.map((waited) => ({ _tag: "Waited", ended: Option.isSome(waited) }))
                ),
            ({ mine }, exit) =>
              Effect.sync(() => {
                if (mine === undefined) return
                inFlight.delete(id)
                // The database is unavailable for the others as well: without this each would wait for it again, one
                // after the other.
                const isAway = Exit.isFailure(exit) && isPassing(Cause.squash(exit.cause))
                Deferred.doneUnsafe(mine, isAway ? Effect.die(Cause.squash(exit.cause)) : Effect.void)
              })
          )
          switch (outcome._tag) {
            case "Done":
              return respond(call, call.status, outcome.body, outcome.value, false)
            case "Known":
              return respond(
                call,
                outcome.status,
                outcome.body,
                Schema.decodeUnknownSync(call.answer)(JSON.parse(outcome.body)),
                true
              )
            case "Other":
              return yield* Effect.fail(conflicting)
            case "Waited":
              if (!outcome.ended) return yield* Effect.fail(inProgress)
              break
            case "Busy":
              if (performance.now() + pollMillis > deadline) return yield* Effect.fail(inProgress)
              yield* Effect.sleep(pollMillis)
          }
        }
      }
    )

    return Idempotency.of({
      once: <A, E, R>(call: Call<A>, effect: Effect.Effect<A, E, R>) =>
        Effect.gen(function*() {
          const request = yield* HttpServerRequest.HttpServerRequest
          const key = yield* idempotencyKeyOf(sentHeaders(request))
          if (key !== undefined) {
            return yield* keyed(
              key,
              idempotencyScope(call.principal, request.method, request.originalUrl),
              call,
              effect
            )
          }
          const value = yield* db.transaction(effect)
          return respond(call, call.status, JSON.stringify(Schema.encodeUnknownSync(call.answer)(value)), value, false)
        }),
      purge: Effect.gen(function*() {
        let purged = 0
        for (;;) {
          const rows = yield* sql`delete from idempotency_keys where (org_id, scope, key) in
            (select org_id, scope, key from idempotency_keys
              where expires_at < hub_time_or_last()
              order by expires_at limit ${purgeBatch}
              for update skip locked)
            returning 1`
          purged += rows.length
          if (rows.length < purgeBatch) return purged
        }
      }).pipe(Effect.orDie)
    })
  })
}
