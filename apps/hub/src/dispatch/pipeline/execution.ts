/**
 * Executes an admitted request: calls the provider outside of any transaction, settles the outcome, and answers the
 * caller from the stored result. Spec: reference/requests.md "Execution", "Unknown outcomes".
 */
import type { ServiceRequestId } from "@countersign/domain/ids"
import { deadlineMillisDefault, pollMillisDefault, timeoutMillisDefault } from "@countersign/domain/services"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { setTimeout } from "node:timers/promises"
import { AppTokens } from "../../apps/tokens.ts"
import { Catalog } from "../../catalog/service.ts"
import { Settings } from "../../config.ts"
import { type Actor, AuditLog, hubActor } from "../../platform/audit-log.ts"
import { Db } from "../../platform/db.ts"
import { Owner } from "../../platform/owner.ts"
import { DatabasePatience } from "../../platform/patience.ts"
import { counting, lateAnswers, providerDuration, timing } from "../../platform/telemetry.ts"
import type { AdapterCall, AsyncOutcome } from "../../providers/adapter.ts"
import { Secrets } from "../../secrets/service.ts"
import { MoneyCore } from "../money-core/service.ts"
import { type OpenHold, RequestsRepository } from "../requests/repository.ts"
import { Adapters } from "./adapters.ts"
import { ParkedRequests } from "./parked.ts"
import { type Late, type LateRequest, makeSettle, type Settlement } from "./settle.ts"
import type { Ended, Executing, Settling, Stages, Working } from "./states.ts"
import { RequestWaiters } from "./waiters.ts"
import {
  endedByHub,
  failedResult,
  fateOf,
  refusedByProvider,
  refusedResult,
  runningBecause,
  senderOf,
  type Settled,
  unknownResult,
  type Work
} from "./work.ts"

/**
 * How long a send waits for the owner's lock and lease to be confirmed; shorter than other hubs wait before they take
 * over.
 */
const aliveMillisMax = 5_000
export class Execution extends Context.Service<Execution, {
  /** Calls the provider and settles, as the owner of the hold. Every outcome becomes a settlement. */
  readonly execute: (work: Work, owner: number) => Promise<Settled>
  /** After a crash: applies the rule of unknown outcomes to a request that may have been sent `sends + 1` times. */
  readonly resume: (work: Work, sends: number) => Promise<Settled>
  /** Settles with the outcome from a poll, a callback, or a person. `started` is the hold's. */
  readonly conclude: (
    work: Work,
    outcome: AsyncOutcome,
    actor: Actor,
    started: string | null,
    data?: Readonly<Record<string, unknown>>
  ) => Promise<Settled>
  readonly settleAs: (work: Work, status: "executed" | "failed" | "blocked", options: Settlement) => Promise<Settled>
  /** Ends an open request as failed after its service was removed from the catalog. */
  readonly settleOrphan: (hold: OpenHold, result: string) => Promise<void>
  /** Keeps a provider's late outcome and raises it as an event. */
  readonly keepLate: (request: LateRequest, late: Late) => Effect.Effect<void>
  /** Retries a write for a while when the database is unavailable. */
  readonly patiently: <A>(what: string, effect: Effect.Effect<A>) => Promise<A>
  readonly callOf: (work: Work) => AdapterCall
  /** Registers that this process works on a request: from before the begin until it is settled, parked, or given up. */
  readonly track: <A>(id: ServiceRequestId, work: () => Promise<A>) => Promise<A>
  /** The requests that this process works on. Its hold for any other request is left from a failure. */
  readonly active: () => ReadonlyArray<ServiceRequestId>
  readonly isActive: (id: ServiceRequestId) => boolean
}>()("@countersign/hub/dispatch/pipeline/Execution") {
  static readonly layer = Layer.effect(
    Execution,
    Effect.gen(function*() {
      const { ticker } = yield* MoneyCore
      const owner = yield* Owner
      const adapters = yield* Adapters
      const secrets = yield* Secrets
      const apps = yield* AppTokens
      const settings = yield* Settings
      const repository = yield* RequestsRepository
      const context = yield* Effect.context<never>()
      const run = Effect.runPromiseWith(context)
      const { shipped } = yield* Catalog
      const countLate = counting(lateAnswers, context)
      const timeProvider = timing(providerDuration, context)
      // The name of a workspace's own service is private to the workspace: metrics count all of those as one.
      const labelOf = (service: string) => shipped.has(service) ? service : "custom"
      // An alert on an increase needs the value before the first one.
      for (const service of [...shipped.keys(), "custom"]) countLate({ service }, 0)
      const { executed, keepLate, park, patiently, settleAs, settleOther } = makeSettle({
        ticker,
        repository,
        audit: yield* AuditLog,
        db: yield* Db,
        countLate: ({ service }) => countLate({ service: labelOf(service) }),
        run,
        settleMillis: (yield* DatabasePatience).settleMillis,
        parked: yield* ParkedRequests,
        waiters: yield* RequestWaiters
      })
      const active = new Map<ServiceRequestId, number>()

      const callOf = (work: Work): AdapterCall => ({
        requestId: work.id,
        orgId: work.org,
        agent: { id: work.agent, name: work.agentName },
        service: work.service.definition.name,
        operation: work.operation.definition.name,
        payload: work.payload,
        callbackUrl:
          `${settings.publicUrl.origin}/api/v1/webhooks/${work.service.definition.name}/reconcile?org=${work.org}`,
        secretOf: (name) =>
          Effect.map(
            secrets.valueOf(work.org, name),
            (value) => Option.getOrUndefined(Option.map(value, Redacted.value))
          ),
        appOf: (reference) =>
          apps.access({ org: work.org, agent: work.agent, service: work.service.definition.name, reference }),
        timeoutMs: work.operation.definition.timeout_ms ?? timeoutMillisDefault,
        ceilingCents: work.ceilingCents,
        ...(work.model === undefined ? {} : { model: work.model }),
        ...(work.audio === undefined ? {} : { audio: work.audio })
      })

      /**
       * False when the owner may have been declared dead, because another hub may have taken its requests over. A cut
       * lock or a late renewal recovers within a moment, so this waits for it.
       */
      const mayStart = async (num: number): Promise<boolean> => {
        for (const until = performance.now() + aliveMillisMax; owner.num() === num;) {
          if (owner.alive()) return true
          if (performance.now() > until) return false
          await setTimeout(25)
        }
        return false
      }

      const ended = (settled: Settled): Ended => ({ stage: "ended", settled })

      /** The provider may have acted: sends it again once if it is idempotent, otherwise holds or fails it. */
      const settleUnknown = async (
        work: Work,
        { again, crashed }: Settling,
        detail: string
      ): Promise<Executing | Ended> => {
        const definition = work.operation.definition
        let fate = fateOf(definition, again)
        if (fate === "send_again") {
          const mark = await patiently("a second send", repository.markSecondSend(work.id, owner.num()), work.delayed)
          // Another hub took the request over, or it is settled: the stored outcome applies.
          if (mark === "gone") return ended({ kind: "superseded" })
          if (mark === "marked" && await mayStart(owner.num())) return { stage: "execute", again: true }
          fate = fateOf(definition, true)
        }
        if (fate === "hold") {
          const async = "async" in definition ? definition.async : undefined
          const held = async === undefined || definition.unknown === "hold"
          const deadline = held ? null : async.deadline_ms ?? deadlineMillisDefault
          // The poller ends it at its deadline.
          return ended(await park(work, "unknown_fate", null, null, deadline, deadline))
        }
        return ended(
          await settleAs(work, "failed", {
            cents: 0,
            result: unknownResult(crashed ? "interrupted" : "fate_unknown", detail),
            actor: crashed ? hubActor : senderOf(work),
            data: { fate: "unknown" }
          })
        )
      }

      const stages: Stages = {
        execute: async (work, { again }) => {
          const began = performance.now()
          const outcome = await run(Effect.catchCause(
            adapters.of(work.service.definition, work.mode).execute(work.service.definition, callOf(work)),
            (cause) =>
              Effect.as(
                Effect.logError("an adapter died", cause),
                { kind: "unknown", detail: "The adapter failed." } as const
              )
          ))
          if (work.mode === "live") {
            timeProvider(performance.now() - began, {
              service: labelOf(work.service.definition.name),
              outcome: outcome.kind
            })
          }
          return { stage: "settle", again, crashed: false, outcome }
        },
        settle: async (work, state) => {
          const { outcome } = state
          switch (outcome.kind) {
            case "executed":
              return ended(await executed(work, outcome, senderOf(work), outcome.audit))
            case "failed":
              return ended(
                await settleAs(work, "failed", {
                  cents: 0,
                  result: refusedResult(outcome),
                  actor: senderOf(work),
                  ...(outcome.status === undefined ? {} : { data: { provider_status: outcome.status } })
                })
              )
            case "running": {
              const async = "async" in work.operation.definition ? work.operation.definition.async : undefined
              const started = outcome.actualFound === true ? JSON.stringify({ actual: outcome.actual }) : null
              const deadline = async?.deadline_ms ?? deadlineMillisDefault
              const due = async?.mode === "poll" ? async.interval_ms ?? pollMillisDefault : deadline
              return ended(await park(work, runningBecause(work), outcome.ref, started, due, deadline))
            }
            case "unknown":
              return await settleUnknown(work, state, outcome.detail)
          }
        }
      }

      /** Drives admitted work to its end. */
      const drive = async (work: Work, from: Executing | Settling): Promise<Settled> => {
        let state: Working = from
        while (state.stage !== "ended") {
          state = state.stage === "execute" ? await stages.execute(work, state) : await stages.settle(work, state)
        }
        return state.settled
      }

      const interrupted = (work: Work, detail: string) =>
        settleAs(work, "failed", { cents: 0, result: failedResult("interrupted", detail), actor: hubActor })

      return Execution.of({
        execute: async (work, num) =>
          work.script === "running"
            ? await park(work, "scripted", null, null, null, null)
            : await mayStart(num)
            ? await drive(work, { stage: "execute", again: false })
            : await interrupted(work, "The hub lost its lease before the request was sent. Nothing was done."),
        resume: (work, sends) =>
          work.script === "running"
            ? park(work, "scripted", null, null, null, null)
            : work.mode === "test"
            ? drive(work, { stage: "execute", again: true })
            : drive(work, {
              stage: "settle",
              again: sends > 0,
              crashed: true,
              outcome: { kind: "unknown", detail: "the hub stopped before the answer came." }
            }),
        conclude: (work, outcome, actor, started, data) => {
          switch (outcome.kind) {
            case "running":
              return Promise.resolve({ kind: "superseded" })
            case "failed":
              return settleAs(work, "failed", {
                cents: 0,
                result: failedResult(outcome.code ?? "adapter_error", outcome.detail),
                actor,
                ...(data === undefined ? {} : { data })
              })
            case "blocked":
              return settleAs(work, "blocked", {
                ...refusedByProvider(outcome.detail),
                actor,
                data: { ...data, limit: "provider" }
              })
            case "executed": {
              const first = started === null ? undefined : (JSON.parse(started) as { readonly actual: unknown }).actual
              const last = outcome.actualFound === true
              return executed(
                work,
                {
                  result: outcome.result,
                  ...(last
                    ? { actual: outcome.actual, actualFound: true }
                    : started !== null
                    ? { actual: first, actualFound: true }
                    : outcome.actualFound === undefined
                    ? {}
                    : { actualFound: false })
                },
                actor,
                data
              )
            }
          }
        },
        settleAs,
        keepLate,
        patiently,
        track: async (id, work) => {
          // Two people may grant one approval at the same time, so uses are counted.
          active.set(id, (active.get(id) ?? 0) + 1)
          try {
            return await work()
          } finally {
            const others = (active.get(id) ?? 1) - 1
            if (others === 0) active.delete(id)
            else active.set(id, others)
          }
        },
        active: () => [...active.keys()],
        isActive: (id) => active.has(id),
        settleOrphan: (hold, result) =>
          settleOther(endedByHub({ ...hold, id: hold.request_id, org: hold.org_id }, result, { fate: "unknown" })),
        callOf
      })
    })
  )
}
