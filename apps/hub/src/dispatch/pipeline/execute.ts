/**
 * From a begin to the facts of its outcome: a request that ended there already has them, an admitted one is executed and
 * settled.
 */
import type { RequestFacts } from "@countersign/domain/dispatch-outcomes"
import type { OrgId, ServiceRequestId } from "@countersign/domain/ids"
import type { RequestStatus } from "@countersign/domain/service-requests"
import { Effect } from "effect"
import type { LimitsRepository } from "../decision/limits-repository.ts"
import type { Begin } from "../money-core/entries.ts"
import type { StoredRequest } from "../requests/rows.ts"
import { waitingText } from "../requests/view.ts"
import type { Execution } from "./execution.ts"
import type { Begun } from "./states.ts"
import type { Submission } from "./submission.ts"
import type { Settled } from "./work.ts"

const factsOf = (begin: Begin, status: RequestStatus, at: number, more: Partial<RequestFacts> = {}): RequestFacts => ({
  id: begin.id,
  status,
  mode: begin.mode,
  service: begin.service,
  operation: begin.operation,
  cost_cents: 0,
  ceiling_cents: begin.ceilingCents,
  reported_cost_cents: null,
  reason_code: null,
  approval_id: begin.granted?.id ?? null,
  result: null,
  block: null,
  waiting_for: null,
  late_result: null,
  origin: begin.origin,
  agent_id: begin.agent,
  created_at: at,
  completed_at: null,
  ...more
})

/**
 * Receives the facts of a request that readers see as running: its caller waits only for the begin, or the database does
 * not accept its settlement in time.
 */
export type Early = (facts: RequestFacts) => void

export interface ExecuteOptions {
  readonly execution: Execution["Service"]
  readonly limits: LimitsRepository["Service"]
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
  readonly stored: (org: OrgId, id: ServiceRequestId) => Promise<StoredRequest>
}

export const makeExecute = ({ execution, limits, run, stored }: ExecuteOptions) => {
  const settledFacts = async (begin: Begin, at: number, settled: Settled): Promise<RequestFacts> => {
    switch (settled.kind) {
      case "final":
        return factsOf(begin, settled.status, at, {
          cost_cents: settled.costCents,
          result: settled.result,
          reason_code: settled.reason,
          reported_cost_cents: settled.reportedCostCents ?? null,
          completed_at: settled.at
        })
      case "running":
        return factsOf(begin, "running", at, { waiting_for: settled.waitingFor })
      case "superseded":
        return await stored(begin.org, begin.id)
    }
  }

  /** For final answers only: a decision that must be repeated is handled before. */
  return async (
    { answer, decision, found: { agent, org }, made }: Begun,
    asked: Submission,
    early: Early
  ): Promise<RequestFacts> => {
    switch (answer.kind) {
      case "waits":
        return factsOf(made, "approval_required", answer.at, {
          reason_code: "approval_threshold",
          approval_id: answer.approvalId
        })
      case "blocked":
        return factsOf(made, "blocked", answer.at, {
          reason_code: answer.reason,
          block: answer.block,
          completed_at: answer.at
        })
      case "failed":
        return factsOf(made, "failed", answer.at, { result: made.result, completed_at: answer.at })
      case "admitted": {
        const service = org.services.get(made.service)
        if (decision.kind !== "admit" || service === undefined) {
          throw new Error(`request ${made.id} was admitted without a decision to`)
        }
        const running = () => early(factsOf(made, "running", answer.at, { waiting_for: waitingText(null, null) }))
        if (asked.until === "begun") running()
        const { standing } = decision.plan
        // Runs beside the provider call; without it, only the time of last use is missing.
        const noted = standing === undefined
          ? undefined
          : run(Effect.catchCause(
            limits.standingUsed(org.id, standing.id, answer.at),
            (cause) => Effect.logWarning(`the last use of standing approval ${standing.id} could not be noted`, cause)
          ))
        const settled = await execution.execute({
          id: made.id,
          org: org.id,
          agent: agent.id,
          agentName: agent.name,
          ...(asked.actor.type === "agent" || asked.origin?.replaces !== undefined ? {} : { sender: asked.actor }),
          mode: made.mode,
          service,
          operation: decision.operation,
          payload: asked.payload,
          ceilingCents: made.ceilingCents,
          script: made.script,
          ...(asked.model === undefined ? {} : { model: asked.model }),
          ...(asked.audio === undefined ? {} : { audio: asked.audio }),
          delayed: running
        }, answer.owner)
        await noted
        return await settledFacts(made, answer.at, settled)
      }
      default:
        throw new Error(`a begin answered ${answer.kind}`)
    }
  }
}

export type Execute = ReturnType<typeof makeExecute>
