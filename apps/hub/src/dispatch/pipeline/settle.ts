/** The stage `settle` writes ends: every settlement goes through the tick, and a late outcome is kept beside it. */
import { type AgentId, newId, type OrgId, type ServiceRequestId } from "@countersign/domain/ids"
import { actualOf } from "@countersign/domain/price"
import { Effect, Option } from "effect"
import { setTimeout } from "node:timers/promises"
import { type Actor, actorLine, type AuditLog, hubActor } from "../../platform/audit-log.ts"
import type { Db } from "../../platform/db.ts"
import type { Settle } from "../money-core/entries.ts"
import type { Ticker } from "../money-core/ticker.ts"
import type { RequestsRepository } from "../requests/repository.ts"
import { waitingText } from "../requests/view.ts"
import type { ParkedRequests } from "./parked.ts"
import type { RequestWaiters } from "./waiters.ts"
import { dataOf, type RunningBecause, senderOf, type Settled, type Work } from "./work.ts"

/** How long a write outside the ticker is retried while the database is unavailable. */
const writeMillisMax = 60_000

/** An outcome that arrived after the settlement; `result` is JSON text. */
export interface Late {
  readonly status: "executed" | "failed" | "blocked"
  readonly costCents?: number
  readonly result: string | null
}

/** The request of a late outcome. */
export interface LateRequest {
  readonly id: ServiceRequestId
  readonly org: OrgId
  readonly agent: AgentId
  readonly service: string
}

export interface Settlement {
  readonly cents: number
  readonly micro?: number
  readonly result: string | null
  readonly reason?: string
  readonly actor: Actor
  readonly data?: Readonly<Record<string, unknown>>
  /** False: a person's late outcome is refused, and nothing of it is kept. */
  readonly keepLate?: boolean
}

/** As JSON; a result keeps its text. */
const lateText = ({ costCents, result, status }: Late): string =>
  `{"status":"${status}"${costCents === undefined ? "" : `,"cost_cents":${costCents}`},"result":${result ?? "null"}}`

export interface SettleOptions {
  readonly ticker: Ticker
  readonly repository: RequestsRepository["Service"]
  readonly audit: AuditLog["Service"]
  readonly db: Db["Service"]
  readonly countLate: (labels: { readonly service: string }) => void
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
  /** See `Patience`. */
  readonly settleMillis: number
  readonly parked: ParkedRequests["Service"]
  readonly waiters: RequestWaiters["Service"]
}

export const makeSettle = (options: SettleOptions) => {
  const { audit, countLate, db, parked, repository, run, settleMillis, ticker, waiters } = options

  /**
   * Retries a write for a while when the database is unavailable. `delayed` is called once a caller has waited too
   * long.
   */
  const patiently = async <A>(what: string, effect: Effect.Effect<A>, delayed?: () => void): Promise<A> => {
    const began = performance.now()
    const until = began + writeMillisMax
    for (let pause = 50;; pause = Math.min(pause * 2, 1_000)) {
      try {
        return await run(effect)
      } catch (error) {
        if (performance.now() > until) throw error
        if (performance.now() > began + settleMillis) delayed?.()
        await run(Effect.logWarning(`${what} could not be written; trying again`, error))
        await setTimeout(pause)
      }
    }
  }

  /** A late outcome does not change status or money, and a person must see it. */
  const keepLate = Effect.fnUntraced(function*({ agent, id, org, service }: LateRequest, late: Late) {
    const stored = yield* repository.find(org, id)
    // The same outcome again, or still running: nothing new.
    if (
      Option.isNone(stored) || stored.value.status === "running" ||
      (stored.value.status === late.status && stored.value.result === late.result)
    ) return
    const kept = yield* repository.keepLate(org, id, lateText(late))
    if (!kept) return
    yield* db.afterCommit(Effect.sync(() => countLate({ service })))
    yield* audit.record(org, hubActor, {
      action: "service_request.late_result",
      subject: { type: "service_request", id },
      agent_id: agent,
      data: {
        status: late.status,
        ...(late.costCents === undefined ? {} : { cost_cents: late.costCents }),
        stands: stored.value.status
      }
    })
  }, db.transaction)

  /** Keeps a price above the ceiling and raises it as an event, before the settlement that charges the ceiling. */
  const keepReported = Effect.fnUntraced(function*(work: Work, actor: Actor, cents: number) {
    if (!(yield* repository.keepReportedCost(work.org, work.id, cents))) return
    yield* audit.record(work.org, actor, {
      action: "service_request.price_over_ceiling",
      subject: { type: "service_request", id: work.id },
      agent_id: work.agent,
      data: {
        service: work.service.definition.name,
        operation: work.operation.definition.name,
        mode: work.mode,
        ceiling_cents: work.ceilingCents,
        reported_cost_cents: cents
      }
    })
  }, db.transaction)

  const settle = async (
    work: Work,
    settle: Omit<Settle, "id" | "org" | "audit" | "move">,
    late = true
  ): Promise<Settled> => {
    const answer = await ticker.settle({
      id: work.id,
      org: work.org,
      audit: newId("aud"),
      move: newId("led"),
      ...settle
    }, work.delayed)
    waiters.moved(work.id)
    if (answer.kind === "settled") {
      if (settle.status === "executed" && late) {
        const request = { id: work.id, org: work.org, agent: work.agent, service: work.service.definition.name }
        await patiently(
          "a late result",
          keepLate(request, { status: settle.status, costCents: settle.cents, result: settle.result })
        )
      }
      return { kind: "superseded" }
    }
    if (settle.status === "running") {
      parked.publish({ org: work.org, service: work.service.definition.name, id: work.id, ref: settle.ref })
    }
    return settle.status === "running"
      ? {
        kind: "running",
        at: answer.at,
        waitingFor: waitingText(
          settle.reason,
          settle.deadlineMillis === null ? null : answer.at + settle.deadlineMillis
        )
      }
      : {
        kind: "final",
        status: settle.status,
        costCents: answer.costCents,
        at: answer.at,
        result: settle.result,
        reason: settle.reason
      }
  }

  const settleAs = (work: Work, status: "executed" | "failed" | "blocked", options: Settlement): Promise<Settled> =>
    settle(work, {
      status,
      cents: Math.min(options.cents, work.ceilingCents),
      micro: options.cents >= work.ceilingCents ? 0 : options.micro ?? 0,
      result: options.result,
      reason: options.reason ?? null,
      ref: null,
      dueMillis: null,
      deadlineMillis: null,
      actor: actorLine(options.actor),
      data: dataOf(work, options.data)
    }, options.keepLate)

  const park = (
    work: Work,
    because: RunningBecause,
    ref: string | null,
    started: string | null,
    dueMillis: number | null,
    deadlineMillis: number | null
  ) =>
    settle(work, {
      status: "running",
      cents: 0,
      micro: 0,
      reason: because,
      result: started,
      ref,
      dueMillis,
      deadlineMillis,
      actor: actorLine(senderOf(work)),
      data: dataOf(work, { because })
    })

  /** The cost of an executed outcome: the price that the adapter read, otherwise the whole ceiling. */
  const executed = async (
    work: Work,
    outcome: { readonly result: unknown; readonly actual?: unknown; readonly actualFound?: boolean },
    actor: Actor,
    data: Readonly<Record<string, unknown>> = {}
  ) => {
    const cost = outcome.actualFound === undefined
      ? { cents: work.ceilingCents, micros: 0, readable: true }
      : actualOf(outcome.actualFound ? outcome.actual : undefined, work.ceilingCents)
    const { reportedCents } = "reportedCents" in cost ? cost : { reportedCents: undefined }
    if (reportedCents !== undefined) {
      await patiently("a price above the ceiling", keepReported(work, actor, reportedCents), work.delayed)
    }
    const settled = await settleAs(work, "executed", {
      cents: cost.cents,
      micro: cost.micros,
      result: JSON.stringify(outcome.result ?? null),
      actor,
      data: {
        ...data,
        ...(cost.readable ? {} : { price_unreadable: true }),
        ...(reportedCents === undefined ? {} : { price_over_ceiling: true, reported_cost_cents: reportedCents })
      }
    })
    return settled.kind === "final" && reportedCents !== undefined
      ? { ...settled, reportedCostCents: reportedCents }
      : settled
  }

  /** A settlement made elsewhere, of a request without work here. */
  const settleOther = async (settle: Settle): Promise<void> => {
    await ticker.settle(settle)
    waiters.moved(settle.id)
  }

  return {
    executed,
    keepLate,
    park,
    patiently,
    settleAs,
    settleOther
  }
}
