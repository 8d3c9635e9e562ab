/** Which step of the pipeline decided a request. Pure. Spec: reference/requests.md "Pipeline". */
import type { RequestStatus } from "@countersign/domain/service-requests"
import { type StepState, type TimelineStep, timelineSteps } from "@countersign/domain/timelines"

export interface TimelineRequest {
  readonly status: RequestStatus
  readonly reason_code: string | null
  /** `result.code` of a failed request. */
  readonly failure: string | undefined
  /** Its block names a rule. */
  readonly blockedByRule: boolean
  readonly blockedByProvider: boolean
  readonly created_at: number
  readonly completed_at: number | null
}

export interface TimelineApproval {
  readonly decided_at: number | undefined
  /** A person approved it: a check that was repeated afterwards may have stopped the request. */
  readonly approved: boolean
}

export interface StepTaken {
  readonly step: TimelineStep
  readonly state: StepState
  /** Milliseconds since 1970. */
  readonly at?: number
}

const byReason: Readonly<Record<string, TimelineStep>> = {
  spending_frozen: "freeze",
  daily_limit_exceeded: "daily_count",
  monthly_budget_exceeded: "operation_month",
  agent_budget_exceeded: "agent_month",
  task_budget_exceeded: "wallet",
  insufficient_balance: "wallet",
  approval_rejected: "approval",
  approval_expired: "approval",
  approval_cancelled: "approval",
  approval_stale: "approval"
}

const byFailure: Readonly<Record<string, TimelineStep>> = { agent_disabled: "agent", invalid_request: "payload" }

const deciderOf = (
  { blockedByProvider, blockedByRule, failure, reason_code, status }: TimelineRequest
): TimelineStep => {
  switch (status) {
    case "executed":
      return "settlement"
    case "running":
      return "execution"
    case "approval_required":
      return "approval"
    case "failed":
      return byFailure[failure ?? ""] ?? "execution"
    case "blocked":
      if (blockedByProvider) return "execution"
      if (reason_code === "policy_violation") return blockedByRule ? "policy" : "binding"
      return byReason[reason_code ?? ""] ?? "policy"
  }
}

/** A step with its time, if known. */
const taken = (step: TimelineStep, state: StepState, at: number | null | undefined): StepTaken =>
  at === null || at === undefined ? { step, state } : { step, state, at }

/** All steps in order. Steps before an approval ended when it was requested, and steps after it when it was decided. */
export const stepsOf = (request: TimelineRequest, approval: TimelineApproval | undefined): ReadonlyArray<StepTaken> => {
  const decider = deciderOf(request)
  const end = timelineSteps.indexOf(decider)
  const asked = timelineSteps.indexOf("approval")
  const open = request.status === "running" || request.status === "approval_required"
  /** Stopped by a check that passed at first, and failed when it was repeated after the approval. */
  const again = approval?.approved === true && end < asked
  return timelineSteps.map((step, index): StepTaken => {
    if (index === end) {
      const reached = index <= asked || approval?.decided_at === undefined ? request.created_at : approval.decided_at
      return open ? taken(step, "open", reached) : taken(step, "decided", request.completed_at)
    }
    if (step === "approval" && approval === undefined) {
      return taken(step, index < end ? "skipped" : "unreached", undefined)
    }
    if (step === "approval" && again) return taken(step, "passed", approval.decided_at)
    if (index > end) return taken(step, "unreached", undefined)
    if (step === "approval") return taken(step, "passed", approval?.decided_at)
    return taken(step, "passed", step === "execution" ? request.completed_at : request.created_at)
  })
}
