/**
 * Drives on what no call is at any more: holds whose hub died, work that runs at a provider, approvals past their life. Several hubs do
 * this side by side: each takes rows by compare-and-set, a killed hub's leases lapse. Spec: contract 2 "Hub killed at any instant".
 */
import { pollMillisDefault } from "@countersign/domain/services"
import { newId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { hubActor } from "../audit/service.ts"
import { Settings } from "../config.ts"
import { Readiness } from "../platform/readiness.ts"
import { Signals } from "../platform/signals.ts"
import { Adapters } from "./adapters.ts"
import { Dispatch } from "./service.ts"
import { Execution, failedResult } from "./execution.ts"
import { Owner, ownerLockClass } from "./owner.ts"
import { type OpenHold, RequestsRepository } from "./repository.ts"

/** Rows taken at a time. */
const batchMax = 100
/** Provider calls of this kind at a time. */
const concurrency = 8
/** A poll that learned nothing is tried again after at most so long. */
const pollBackoffMillisMax = 300_000
/** How long a claimed poll is this hub's. */
const pollLeaseSeconds = 660

export class Recovery extends Context.Service<Recovery, {
  /** Takes over the holds of dead owners and ends them by the rule of unknown fate; answers how many. */
  readonly sweep: Effect.Effect<number>
  /** Polls what is due; answers how many. */
  readonly poll: Effect.Effect<number>
  readonly expire: Effect.Effect<number>
}>()("@countersign/hub/dispatch/Recovery") {
  static readonly layer = Layer.effect(Recovery, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const owner = yield* Owner
    const dispatch = yield* Dispatch
    const execution = yield* Execution
    const repository = yield* RequestsRepository
    const adapters = yield* Adapters
    const signals = yield* Signals
    const { ownerGraceSeconds } = yield* Settings

    const workOf = (hold: OpenHold) =>
      Effect.promise(() => dispatch.workOf(hold.org_id, { id: hold.request_id, agent_id: hold.agent_id, mode: hold.mode, service: hold.service, operation: hold.operation, payload: hold.payload, ceiling_cents: hold.ceiling_cents, script: null }))

    /** The service is gone, so nobody can say what came of it: its money goes back, and a person reads why. */
    const abandon = (hold: OpenHold) =>
      Effect.promise(() => execution.settleOrphan(hold, failedResult("interrupted", "Its fate is unknown: the service is not in the catalog any more.")))

    const resume = Effect.fnUntraced(function*(id: string) {
      const hold = yield* repository.openHold(id)
      if (Option.isNone(hold) || hold.value.phase !== 1) return
      const work = yield* workOf(hold.value)
      const stored = yield* repository.find(hold.value.org_id, id)
      if (work === undefined || Option.isNone(stored)) return yield* abandon(hold.value)
      yield* Effect.promise(() => execution.resume({ ...work, script: stored.value.script }, hold.value.sends))
    })

    const sweep = Effect.gen(function*() {
      // Dead: the lock is free, the lease lapsed a while ago, and the server has been up as long. Ended owners may still have left some.
      const dead = yield* sql<{ num: number }>`update owners o set ended = true where o.num <> ${owner.num()} and not o.ended
        and o.alive_until < clock_timestamp() - ${ownerGraceSeconds} * interval '1 second'
        and pg_postmaster_start_time() < clock_timestamp() - ${ownerGraceSeconds} * interval '1 second'
        and not exists (select 1 from pg_locks l where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.classid = ${ownerLockClass}
          and l.objid = o.num::oid and l.database = (select oid from pg_database where datname = current_database())) returning o.num`
      if (dead.length > 0) yield* Effect.logWarning(`took over from ${dead.length} hub process(es) that ended without a goodbye`)
      const taken = yield* sql<{ request_id: string }>`update holds h set owner = ${owner.num()} where h.request_id in (
        select x.request_id from holds x join owners o on o.num = x.owner where x.phase = 1 and o.ended and o.num <> ${owner.num()}
        order by x.request_id limit ${batchMax} for update of x skip locked) returning h.request_id`
      yield* Effect.forEach(taken, (row) => resume(row.request_id), { concurrency, discard: true })
      return taken.length
    }).pipe(Effect.orDie)

    const pollOne = Effect.fnUntraced(function*(id: string) {
      const hold = yield* repository.openHold(id)
      if (Option.isNone(hold) || hold.value.phase !== 2) return
      const { deadline_passed, poll_attempt, provider_ref, started } = hold.value
      const work = yield* workOf(hold.value)
      if (work === undefined) return yield* abandon(hold.value)
      const definition = work.operation.definition
      const async = "async" in definition ? definition.async : undefined
      const later = (millis: number) =>
        sql`update holds set poll_attempt = poll_attempt + 1, leased_until = null, due_at = least(clock_timestamp() + ${Math.round(millis)} * interval '1 millisecond', coalesce(deadline_at, 'infinity'))
          where request_id = ${id} and phase = 2`
      const adapter = adapters.of(work.service.definition, work.mode)
      if (provider_ref !== null && async?.mode === "poll" && adapter.poll !== undefined) {
        const outcome = yield* adapter.poll(work.service.definition, provider_ref, execution.callOf(work))
        if (outcome.kind === "executed" || outcome.kind === "failed") {
          return yield* Effect.promise(() => execution.conclude(work, outcome, { type: "provider", id: work.service.definition.name, name: work.service.definition.name }, started))
        }
        if (!deadline_passed) {
          const interval = async.interval_ms ?? pollMillisDefault
          return yield* later(outcome.kind === "running" ? interval : Math.min(interval * 2 ** Math.min(poll_attempt, 10), pollBackoffMillisMax))
        }
      }
      if (!deadline_passed) return yield* later(pollBackoffMillisMax)
      // No news by the deadline: unknown fate.
      if (definition.unknown === "hold") return yield* sql`update holds set due_at = null, leased_until = null, running_because = 'unknown_fate' where request_id = ${id}`
      yield* Effect.promise(() => execution.settleAs(work, "failed", {
        cents: 0, result: failedResult("adapter_error", "Its fate is unknown: the provider did not say by the deadline."), actor: hubActor, data: { fate: "unknown" }
      }))
    })

    const poll = Effect.gen(function*() {
      const due = yield* sql<{ request_id: string }>`update holds h set leased_until = clock_timestamp() + ${pollLeaseSeconds} * interval '1 second' where h.request_id in (
        select x.request_id from holds x where x.phase = 2 and x.due_at <= clock_timestamp() and (x.leased_until is null or x.leased_until < clock_timestamp())
        order by x.due_at limit ${batchMax} for update skip locked) returning h.request_id`
      yield* Effect.forEach(due, (row) => pollOne(row.request_id), { concurrency, discard: true })
      return due.length
    }).pipe(Effect.orDie)

    const expire = Effect.gen(function*() {
      const due = yield* sql<{ id: string; org_id: string; request_id: string }>`select id, org_id, request_id from approvals where status = 'pending' and expires_at <= clock_timestamp() order by expires_at limit ${batchMax}`
      for (const approval of due) {
        yield* sql`select close_approval(${approval.org_id}, ${approval.id}, 'expired', 'approval_expired', null, null, null, ${newId("aud")}, ${newId("aud")}, ${hubActor.type}, ${hubActor.id}, ${hubActor.name}, null)`
        dispatch.moved(approval.request_id)
        signals.log(approval.org_id)
      }
      return due.length
    }).pipe(Effect.orDie)

    /** Keys whose time is over, in small steps. */
    const forget = sql`delete from idempotency_keys k using (select org_id, scope, key from idempotency_keys where expires_at < clock_timestamp() - interval '1 hour' limit 1000) old
      where k.org_id = old.org_id and k.scope = old.scope and k.key = old.key`.pipe(Effect.orDie)

    const readiness = yield* Readiness
    const every = (name: string, millis: number, work: Effect.Effect<unknown>) =>
      work.pipe(
        Effect.tap(() => Effect.sync(() => readiness.beat(name, millis * 10 + 30_000))),
        Effect.catchCause((cause) => Effect.logWarning(`${name} could not finish a round; it will try again`, cause)),
        Effect.repeat(Schedule.spaced(millis)),
        Effect.forkScoped
      )
    yield* every("sweeper", 1_000, sweep)
    yield* every("poller", 250, poll)
    yield* every("expiry", 500, expire)
    yield* every("housekeeping", 60_000, forget)
    return Recovery.of({ sweep, poll, expire })
  }))
}
