/**
 * Polls providers for requests that run there. Due requests are leased by lane (an operation of a workspace), so that
 * every workspace gets its share of the slots. The loop starts polls and never waits for one. Each of several hubs
 * polls the requests that it leased; the leases of a killed hub expire. Spec: reference/requests.md "Asynchronous
 * operations".
 */
import type { OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { pollMillisDefault } from "@countersign/domain/services"
import { Context, Effect, Layer, Option, Queue } from "effect"
import { hubActor } from "../../platform/audit-log.ts"
import { DueWork } from "../../platform/due-work.ts"
import { Readiness } from "../../platform/readiness.ts"
import { repeatRounds } from "../../platform/rounds.ts"
import { Signals } from "../../platform/signals.ts"
import { pollsInFlight } from "../../platform/telemetry.ts"
import type { PollOutcome } from "../../providers/adapter.ts"
import { Adapters } from "../pipeline/adapters.ts"
import { Execution } from "../pipeline/execution.ts"
import { Dispatch } from "../pipeline/service.ts"
import { serviceGone, unknownResult, type Work } from "../pipeline/work.ts"
import { heldRequest, type OpenHold, RequestsRepository } from "../requests/repository.ts"
import { allot, laneKey, nextPollMillis, pollLimits, pollTimeoutMillisMax } from "./poll-rules.ts"
import { duePolls, firstLane, type LeasedPoll, PollsRepository } from "./polls-repository.ts"

/** Lanes per check; the next check continues after them. */
const lanesMax = 1_000
/** How long a lease lasts; longer than a poll and its settlement take. */
const leaseSeconds = 60
/** An adapter that does not end by its own timeout is abandoned after this much more time. */
const graceMillis = 5_000

/** A count per key; keys with a count of 0 are removed. */
const makeCounts = <K extends string>() => {
  const counts = new Map<K, number>()
  return {
    counts,
    add: (key: K, by: 1 | -1) => {
      const count = (counts.get(key) ?? 0) + by
      if (count === 0) counts.delete(key)
      else counts.set(key, count)
    }
  }
}

export class Poller extends Context.Service<Poller, {
  /** Starts polls for due requests, as many as there are free slots; returns how many. */
  readonly poll: Effect.Effect<number>
}>()("@countersign/hub/dispatch/recovery/Poller") {
  static readonly layer = Layer.effect(
    Poller,
    Effect.gen(function*() {
      const polls = yield* PollsRepository
      const dispatch = yield* Dispatch
      const execution = yield* Execution
      const requests = yield* RequestsRepository
      const adapters = yield* Adapters
      const signals = yield* Signals
      const readiness = yield* Readiness
      const dueWork = yield* DueWork
      const context = yield* Effect.context<never>()
      const scope = yield* Effect.scope

      const running = new Set<string>()
      /** Polls that this hub's shutdown interrupted. */
      const cut = new Set<string>()
      const orgs = makeCounts<OrgId>()
      const lanes = makeCounts<string>()
      let after = firstLane
      let lastOrg = ""
      /** Due requests were left behind because no slot was free. */
      let starved = false
      const wake = yield* Queue.sliding<void>(1)

      const count = ({ request_id, ...lane }: LeasedPoll, by: 1 | -1) => {
        if (by === 1) running.add(request_id)
        else running.delete(request_id)
        orgs.add(lane.org_id, by)
        lanes.add(laneKey(lane), by)
        pollsInFlight.updateUnsafe(running.size, context)
      }

      /** Settles with an unknown outcome once the deadline has passed. */
      const giveUp = (hold: OpenHold, work: Work) =>
        work.operation.definition.unknown === "hold"
          ? polls.leaveToPerson(hold.request_id)
          : Effect.promise(() =>
            execution.settleAs(work, "failed", {
              cents: 0,
              result: unknownResult("fate_unknown", "the provider reported no outcome before the deadline."),
              actor: hubActor,
              data: { fate: "unknown" }
            })
          )

      const ask = (work: Work, ref: string): Effect.Effect<PollOutcome> => {
        const call = execution.callOf(work)
        const timeoutMs = Math.min(call.timeoutMs, pollTimeoutMillisMax)
        const adapter = adapters.of(work.service.definition, work.mode)
        const unreachable: PollOutcome = { kind: "unreachable", detail: "The poll timed out." }
        return adapter.poll === undefined
          ? Effect.succeed(unreachable)
          : adapter.poll(work.service.definition, ref, { ...call, timeoutMs }).pipe(
            Effect.timeoutOrElse({ duration: timeoutMs + graceMillis, orElse: () => Effect.succeed(unreachable) })
          )
      }

      const pollOne = Effect.fnUntraced(function*(id: ServiceRequestId) {
        const found = yield* requests.openHold(id)
        if (Option.isNone(found) || found.value.phase !== 2) return
        const hold = found.value
        const work = yield* Effect.promise(() => dispatch.workOf(hold.org_id, heldRequest(hold, null)))
        if (work === undefined) return yield* Effect.promise(() => execution.settleOrphan(hold, serviceGone))
        const definition = work.operation.definition
        const async = "async" in definition ? definition.async : undefined
        const interval = async?.interval_ms ?? pollMillisDefault
        if (hold.provider_ref === null || async?.mode !== "poll") {
          return yield* hold.deadline_passed ? giveUp(hold, work) : polls.postpone(id, nextPollMillis(interval, 20), 0)
        }
        const outcome = yield* ask(work, hold.provider_ref)
        if (outcome.kind !== "running" && outcome.kind !== "unreachable") {
          const { name } = work.service.definition
          return yield* Effect.promise(() =>
            execution.conclude(work, outcome, { type: "provider", id: name, name }, hold.started)
          )
        }
        if (hold.deadline_passed) return yield* giveUp(hold, work)
        const failures = outcome.kind === "running" ? 0 : hold.poll_attempt + 1
        yield* polls.postpone(id, nextPollMillis(interval, failures), failures)
      })

      const start = (leased: LeasedPoll) =>
        Effect.sync(() => count(leased, 1)).pipe(
          Effect.andThen(pollOne(leased.request_id)),
          Effect.catchCause((cause) =>
            Effect.logWarning(`the poll of ${leased.request_id} failed and will be repeated`, cause)
          ),
          Effect.onInterrupt(() => Effect.sync(() => void cut.add(leased.request_id))),
          Effect.ensuring(Effect.sync(() => {
            count(leased, -1)
            if (starved) Queue.offerUnsafe(wake, undefined)
          })),
          Effect.forkIn(scope, { startImmediately: true })
        )

      const poll = Effect.gen(function*() {
        const free = pollLimits.total - running.size
        if (free <= 0 || signals.stopped()) return 0
        const page = yield* polls.lanes(after, lanesMax, pollLimits.lane)
        if (page.due.length > 0) readiness.used()
        const inFlight = { total: running.size, orgs: orgs.counts, lanes: lanes.counts }
        const { allotments, last } = allot(pollLimits, inFlight, page.due, lastOrg)
        const leased = allotments.length === 0 ? [] : yield* polls.lease(allotments, leaseSeconds)
        after = page.next ?? firstLane
        lastOrg = last
        const slots = allotments.reduce((sum, lane) => sum + lane.slots, 0)
        starved = page.due.reduce((sum, lane) => sum + lane.due, 0) > slots
        if (page.next !== undefined) Queue.offerUnsafe(wake, undefined)
        // A poll that outlived its lease still runs here.
        const fresh = leased.filter(({ request_id }) => !running.has(request_id))
        yield* Effect.forEach(fresh, start, { discard: true })
        return fresh.length
      })

      // Releases the leases on an orderly stop, so that another hub need not wait for them to expire.
      yield* Effect.addFinalizer(() =>
        Effect.suspend(() => cut.size === 0 ? Effect.void : Effect.ignoreCause(polls.release([...cut])))
      )
      yield* repeatRounds(readiness, "poller", 0, poll, Effect.raceFirst(Queue.take(wake), dueWork.wait(duePolls)))
      return Poller.of({ poll })
    })
  )
}
