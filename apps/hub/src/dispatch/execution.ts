/**
 * From an admitted request to its settlement: the provider is called outside of any transaction, then what came of it is settled, and
 * what stands in the store is what the caller hears. Spec: contract 2 "Unknown fate".
 */
import { newId } from "@countersign/domain/ids"
import { actualOf } from "@countersign/domain/price"
import { deadlineMillisDefault, type OperationDefinition, pollMillisDefault, timeoutMillisDefault } from "@countersign/domain/services"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { setTimeout } from "node:timers/promises"
import { type Actor, actorLine, AuditLog, hubActor } from "../audit/service.ts"
import { Settings } from "../config.ts"
import { Db } from "../platform/db.ts"
import { lateAnswers, counting } from "../platform/telemetry.ts"
import type { AdapterCall, AdapterOutcome, AsyncOutcome } from "../providers/adapter.ts"
import type { CatalogOperation, CatalogService } from "../catalog/compiled.ts"
import { Secrets } from "../secrets/service.ts"
import { Adapters } from "./adapters.ts"
import { MoneyCore } from "./money-core.ts"
import { Owner } from "../platform/owner.ts"
import { RequestsRepository } from "./repository.ts"
import type { Settle } from "./tick-entries.ts"

/** What is to be done for one admitted request. */
export interface Work {
  readonly id: string
  readonly org: string
  readonly agent: string
  readonly agentName: string
  readonly mode: string
  readonly service: CatalogService
  readonly operation: CatalogOperation
  readonly payload: unknown
  readonly ceilingCents: number
  readonly script: string | null
}

/** What the store says of a request after a settle; `stands` when it is another's. */
export type Settled =
  | { readonly kind: "final"; readonly status: "executed" | "failed" | "blocked"; readonly costCents: number; readonly at: number; readonly result: string | null; readonly reason: string | null }
  | { readonly kind: "running"; readonly at: number }
  | { readonly kind: "stands" }

/** An answer that came after the verdict; `result` is JSON text. */
export interface Late {
  readonly status: "executed" | "failed" | "blocked"
  readonly costCents?: number
  readonly result: string | null
}

/** A request that may not be sent just now waits so long for the lock and the lease to be sure again; less than others wait for them. */
const aliveMillisMax = 5_000
/** A write beside the ticker is tried so long while the database is away. */
const writeMillisMax = 60_000

export const failedResult = (code: string, detail: string): string => JSON.stringify({ code, detail })

/** As JSON; a result stays as it was written. */
const lateText = ({ costCents, result, status }: Late): string =>
  `{"status":"${status}"${costCents === undefined ? "" : `,"cost_cents":${costCents}`},"result":${result ?? "null"}}`

/** Why a `running` request runs on. */
export type RunningBecause = "async" | "unknown_fate" | "scripted"

/** Both ways of a crash or a cut: what the rule of unknown fate makes of a request that was maybe sent. */
export const fateOf = (operation: OperationDefinition, sentAgain: boolean): "send_again" | "hold" | "fail" =>
  operation.idempotent === true && !sentAgain ? "send_again" : operation.unknown === "hold" || ("async" in operation && operation.async !== undefined) ? "hold" : "fail"

export class Execution extends Context.Service<Execution, {
  /** Calls the provider and settles, as the owner of the hold. Whatever happens becomes a settlement. */
  readonly execute: (work: Work, owner: number) => Promise<Settled>
  /** After a crash: the rule of unknown fate, for a request that may have been sent `sends + 1` times. */
  readonly resume: (work: Work, sends: number) => Promise<Settled>
  /** Settles what a poll, a callback or a person says. `started` is the hold's. */
  readonly conclude: (work: Work, outcome: AsyncOutcome, actor: Actor, started: string | null, data?: Readonly<Record<string, unknown>>) => Promise<Settled>
  readonly settleAs: (work: Work, status: "executed" | "failed" | "blocked", options: {
    readonly cents: number; readonly micro?: number; readonly result: string | null; readonly reason?: string; readonly actor: Actor; readonly data?: Readonly<Record<string, unknown>>
    /** False: a person's word that comes too late is refused, and nothing is kept of it. */
    readonly keepLate?: boolean
  }) => Promise<Settled>
  /** Ends an open request as failed whose service is not in the catalog any more. */
  readonly settleOrphan: (hold: { readonly request_id: string; readonly org_id: string; readonly service: string; readonly operation: string; readonly mode: string }, result: string) => Promise<void>
  /** Keeps a true answer that came after the verdict, and tells people. */
  readonly keepLate: (request: { readonly id: string; readonly org: string; readonly agent: string; readonly service: string }, late: Late) => Effect.Effect<void>
  readonly callOf: (work: Work) => AdapterCall
  /** Says that this process is at a request: from before it begins until it is settled, parked or given up. */
  readonly atWork: <A>(id: string, work: () => Promise<A>) => Promise<A>
  /** The requests that this process is at. A hold of its own for any other was left by an accident. */
  readonly active: () => ReadonlyArray<string>
  /** Called with the id of every request that this hub moved. */
  readonly onMoved: (listener: (id: string) => void) => void
  /** Called when a request began to run under a provider's name. */
  readonly onParked: (listener: (org: string, service: string, ref: string) => void) => void
}>()("@countersign/hub/dispatch/Execution") {
  static readonly layer = Layer.effect(Execution, Effect.gen(function*() {
    const { ticker } = yield* MoneyCore
    const owner = yield* Owner
    const adapters = yield* Adapters
    const secrets = yield* Secrets
    const settings = yield* Settings
    const repository = yield* RequestsRepository
    const audit = yield* AuditLog
    const db = yield* Db
    const context = yield* Effect.context<never>()
    const run = Effect.runPromiseWith(context)
    const countLate = counting(lateAnswers, context)
    const listeners: Array<(id: string) => void> = []
    const parkedListeners: Array<(org: string, service: string, ref: string) => void> = []
    const active = new Map<string, number>()

    const callOf = (work: Work): AdapterCall => ({
      requestId: work.id, orgId: work.org, service: work.service.definition.name, operation: work.operation.definition.name, payload: work.payload,
      callbackUrl: `${settings.publicUrl.origin}/api/v1/webhooks/${work.service.definition.name}/reconcile?org=${work.org}`,
      secretOf: (name) => Effect.map(secrets.valueOf(work.org, name), (value) => Option.getOrUndefined(Option.map(value, Redacted.value))),
      timeoutMs: work.operation.definition.timeout_ms ?? timeoutMillisDefault,
      ceilingCents: work.ceilingCents
    })

    const agentActor = (work: Work): Actor => ({ type: "agent", id: work.agent, name: work.agentName })
    const dataOf = (work: Work, more: Readonly<Record<string, unknown>> = {}) =>
      JSON.stringify({ service: work.service.definition.name, operation: work.operation.definition.name, mode: work.mode, ...more })

    /** The database may be away just now: what must be known or kept is asked again for a while. */
    const patiently = async <A>(what: string, effect: Effect.Effect<A>): Promise<A> => {
      const until = performance.now() + writeMillisMax
      for (let pause = 50;; pause = Math.min(pause * 2, 1_000)) {
        try {
          return await run(effect)
        } catch (error) {
          if (performance.now() > until) throw error
          await run(Effect.logWarning(`${what} could not be written; trying again`, error))
          await setTimeout(pause)
        }
      }
    }

    const settle = async (work: Work, settle: Omit<Settle, "id" | "org" | "audit" | "move">, late = true): Promise<Settled> => {
      const answer = await ticker.settle({ id: work.id, org: work.org, audit: newId("aud"), move: newId("led"), ...settle })
      for (const listener of listeners) listener(work.id)
      if (answer.kind === "settled") {
        if (settle.status === "executed" && late) {
          const request = { id: work.id, org: work.org, agent: work.agent, service: work.service.definition.name }
          await patiently("a late result", keepLate(request, { status: settle.status, costCents: settle.cents, result: settle.result }))
        }
        return { kind: "stands" }
      }
      if (settle.status === "running" && settle.ref !== null) {
        for (const listener of parkedListeners) listener(work.org, work.service.definition.name, settle.ref)
      }
      return settle.status === "running"
        ? { kind: "running", at: answer.at }
        : { kind: "final", status: settle.status, costCents: answer.costCents, at: answer.at, result: settle.result, reason: settle.reason }
    }

    /** True, but too late: it changes neither status nor money, and a person must see it. */
    const keepLate: Execution["Service"]["keepLate"] = Effect.fnUntraced(function*({ agent, id, org, service }, late) {
      const standing = yield* repository.find(org, id)
      // The same answer again, or still running: nothing new.
      if (Option.isNone(standing) || standing.value.status === "running" || (standing.value.status === late.status && standing.value.result === late.result)) return
      const kept = yield* repository.keepLate(org, id, lateText(late))
      if (!kept) return
      countLate({ service })
      yield* audit.record(org, hubActor, {
        action: "service_request.late_result", subject: { type: "service_request", id }, agent_id: agent,
        data: { status: late.status, ...(late.costCents === undefined ? {} : { cost_cents: late.costCents }), stands: standing.value.status }
      })
    }, db.transaction)

    const settleAs: Execution["Service"]["settleAs"] = (work, status, options) =>
      settle(work, {
        status, cents: Math.min(options.cents, work.ceilingCents), micro: options.cents >= work.ceilingCents ? 0 : options.micro ?? 0, result: options.result,
        reason: options.reason ?? null, ref: null, dueMillis: null, deadlineMillis: null, actor: actorLine(options.actor), data: dataOf(work, options.data)
      }, options.keepLate)

    const park = (work: Work, because: RunningBecause, ref: string | null, started: string | null, dueMillis: number | null, deadlineMillis: number | null) =>
      settle(work, {
        status: "running", cents: 0, micro: 0, reason: because, result: started, ref, dueMillis, deadlineMillis, actor: actorLine(agentActor(work)), data: dataOf(work, { because })
      })

    /** An executed outcome's cost: what the adapter read, else the whole ceiling. */
    const executed = (work: Work, outcome: { readonly result: unknown; readonly actual?: unknown; readonly actualFound?: boolean }, actor: Actor, data: Readonly<Record<string, unknown>> = {}) => {
      const cost = outcome.actualFound === undefined ? { cents: work.ceilingCents, micros: 0, readable: true } : actualOf(outcome.actualFound ? outcome.actual : undefined, work.ceilingCents)
      return settleAs(work, "executed", {
        cents: cost.cents, micro: cost.micros, result: JSON.stringify(outcome.result ?? null), actor, data: cost.readable ? data : { ...data, price_unreadable: true }
      })
    }

    const unknown = async (work: Work, detail: string, sentAgain: boolean, crashed: boolean): Promise<Settled> => {
      const definition = work.operation.definition
      let fate = fateOf(definition, sentAgain)
      if (fate === "send_again") {
        const mark = await patiently("a second send", repository.markSecondSend(work.id, owner.num()))
        // Another hub took it over meanwhile, or it is settled: what comes of it is there.
        if (mark === "gone") return { kind: "stands" }
        if (mark === "marked" && await mayStart(owner.num())) return await send(work, true)
        fate = fateOf(definition, true)
      }
      if (fate === "hold") {
        const async = "async" in definition ? definition.async : undefined
        const held = async === undefined || definition.unknown === "hold"
        return await park(work, "unknown_fate", null, null, null, held ? null : async.deadline_ms ?? deadlineMillisDefault)
      }
      return await settleAs(work, "failed", {
        cents: 0, result: failedResult(crashed ? "interrupted" : "adapter_error", `Its fate is unknown: ${detail}`), actor: crashed ? hubActor : agentActor(work), data: { fate: "unknown" }
      })
    }

    /** A hub that may have been declared dead sends nothing: another may be at it. A cut lock or a late renewal is over in a moment. */
    const mayStart = async (num: number): Promise<boolean> => {
      for (const until = performance.now() + aliveMillisMax; owner.num() === num;) {
        if (owner.alive()) return true
        if (performance.now() > until) return false
        await setTimeout(25)
      }
      return false
    }

    const send = async (work: Work, again: boolean): Promise<Settled> => {
      const outcome: AdapterOutcome = await run(Effect.catchCause(
        adapters.of(work.service.definition, work.mode).execute(work.service.definition, callOf(work)),
        (cause) => Effect.as(Effect.logError("an adapter died", cause), { kind: "unknown", detail: "The adapter broke." } as const)
      ))
      const async = "async" in work.operation.definition ? work.operation.definition.async : undefined
      switch (outcome.kind) {
        case "executed": return await executed(work, outcome, agentActor(work))
        case "failed":
          return await settleAs(work, "failed", { cents: 0, result: failedResult("adapter_error", outcome.detail), actor: agentActor(work), ...(outcome.status === undefined ? {} : { data: { provider_status: outcome.status } }) })
        case "running": {
          const started = outcome.actualFound === true ? JSON.stringify({ actual: outcome.actual }) : null
          const deadline = async?.deadline_ms ?? deadlineMillisDefault
          return await park(work, "async", outcome.ref, started, async?.mode === "poll" ? async.interval_ms ?? pollMillisDefault : deadline, deadline)
        }
        case "unknown": return await unknown(work, outcome.detail, again, false)
      }
    }

    const interrupted = (work: Work, detail: string) =>
      settleAs(work, "failed", { cents: 0, result: failedResult("interrupted", detail), actor: hubActor })

    return Execution.of({
      execute: async (work, num) =>
        work.script === "running"
          ? await park(work, "scripted", null, null, null, null)
          : await mayStart(num) ? await send(work, false) : await interrupted(work, "The hub lost its lease before the request was sent. Nothing was done."),
      resume: (work, sends) =>
        work.script === "running"
          ? park(work, "scripted", null, null, null, null)
          : work.mode === "test" ? send(work, true) : unknown(work, "the hub that was at it ended before the answer came.", sends > 0, true),
      conclude: (work, outcome, actor, started, data) => {
        switch (outcome.kind) {
          case "running": return Promise.resolve({ kind: "stands" })
          case "failed": return settleAs(work, "failed", { cents: 0, result: failedResult("adapter_error", outcome.detail), actor, ...(data === undefined ? {} : { data }) })
          case "executed": {
            const first = started === null ? undefined : (JSON.parse(started) as { readonly actual: unknown }).actual
            const last = outcome.actualFound === true
            return executed(work, {
              result: outcome.result,
              ...(last ? { actual: outcome.actual, actualFound: true } : started !== null ? { actual: first, actualFound: true } : outcome.actualFound === undefined ? {} : { actualFound: false })
            }, actor, data)
          }
        }
      },
      settleAs, keepLate,
      atWork: async (id, work) => {
        // Two people may grant one approval at a time, so it is counted.
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
      settleOrphan: async (hold, result) => {
        await ticker.settle({
          id: hold.request_id, org: hold.org_id, status: "failed", cents: 0, micro: 0, reason: null, result, ref: null, dueMillis: null, deadlineMillis: null,
          audit: newId("aud"), move: newId("led"), actor: actorLine(hubActor), data: JSON.stringify({ service: hold.service, operation: hold.operation, mode: hold.mode, fate: "unknown" })
        })
        for (const listener of listeners) listener(hold.request_id)
      },
      callOf,
      onMoved: (listener) => void listeners.push(listener),
      onParked: (listener) => void parkedListeners.push(listener)
    })
  }))
}
