/** A stored request, joined from three tables: the request, its hold while it is open, and its settlement. */
import type { Mode } from "@countersign/domain/auth"
import type { RequestFacts } from "@countersign/domain/dispatch-outcomes"
import type { AgentId, ApprovalId, ServiceRequestId } from "@countersign/domain/ids"
import type { RequestStatus } from "@countersign/domain/service-requests"
import { approvalBlock } from "../decision/blocks.ts"
import { waitingText } from "./view.ts"

export interface RequestRow {
  readonly id: ServiceRequestId
  readonly agent_id: AgentId
  readonly mode: Mode
  readonly service: string
  readonly operation: string
  readonly payload: string
  readonly ceiling_cents: number
  readonly approval_id: ApprovalId | null
  readonly origin: string | null
  readonly test_outcome: string | null
  readonly created_at: Date
  readonly s_status: RequestStatus | null
  readonly s_cost: number | null
  readonly s_ceiling: number | null
  readonly s_reason: string | null
  readonly s_result: string | null
  readonly s_block: string | null
  readonly s_late: string | null
  readonly s_at: Date | null
  readonly h_phase: number | null
  readonly h_ceiling: number | null
  readonly a_comment: string | null
  readonly p_reported: number | null
  readonly h_because: string | null
  readonly h_deadline: Date | null
}

export interface StoredRequest extends RequestFacts {
  readonly payload: string
  readonly script: string | null
  /** A hub works on it now: reserved, not settled, and not running at a provider. */
  readonly in_flight: boolean
}

/**
 * A blocked request that was admitted before was refused by its provider: its settlement keeps the detail as a result,
 * which is read as its block. The detail is gone once bodies are removed.
 */
const refusalOf = ({ operation, s_block, s_result, s_status, service }: RequestRow): string | undefined => {
  if (s_status !== "blocked" || s_block !== null || s_result === null) return undefined
  const { detail } = JSON.parse(s_result) as { readonly detail?: string }
  return JSON.stringify({
    limit: "provider",
    scope: { type: "operation", id: `${service}.${operation}` },
    ...(detail === undefined ? {} : { detail }),
    next_action: { kind: "change_request" }
  })
}

export const toFacts = (row: RequestRow): StoredRequest => {
  const waiting = row.s_status === null && row.h_phase === null
  const refusal = refusalOf(row)
  return {
    id: row.id,
    agent_id: row.agent_id,
    mode: row.mode,
    service: row.service,
    operation: row.operation,
    payload: row.payload,
    script: row.test_outcome,
    in_flight: row.s_status === null && row.h_phase === 1,
    status: row.s_status ?? (row.h_phase === null ? "approval_required" : "running"),
    cost_cents: row.s_cost ?? 0,
    ceiling_cents: row.s_ceiling ?? row.h_ceiling ?? row.ceiling_cents,
    reported_cost_cents: row.s_status === "executed" ? row.p_reported : null,
    reason_code: waiting ? "approval_threshold" : row.s_reason,
    approval_id: row.approval_id,
    result: refusal === undefined ? row.s_result : null,
    block: refusal ?? row.s_block ?? approvalBlock(`${row.service}.${row.operation}`, row.s_reason, row.a_comment) ??
      null,
    waiting_for: row.s_status === null && row.h_phase !== null
      ? waitingText(row.h_phase === 1 ? null : row.h_because, row.h_deadline?.getTime() ?? null)
      : null,
    late_result: row.s_late,
    origin: row.origin,
    created_at: row.created_at.getTime(),
    completed_at: row.s_at === null ? null : row.s_at.getTime()
  }
}

/** What `RequestRow` selects; of the tables as `requestJoins` names them. */
export const requestColumns =
  `r.id, r.agent_id, r.mode, r.service, r.operation, r.payload, r.ceiling_cents, r.approval_id,
    r.origin,
  r.test_outcome, r.created_at, s.status as s_status, s.cost_cents as s_cost, s.ceiling_cents as s_ceiling,
    s.reason_code as s_reason,
  s.result as s_result, s.block as s_block, s.late_result as s_late, s.completed_at as s_at, h.phase::int as h_phase,
  h.ceiling_cents as h_ceiling, h.running_because as h_because, h.deadline_at as h_deadline,
  p.cost_cents as p_reported, a.comment as a_comment`

export const requestJoins = `left join settlements s on s.org_id = r.org_id and s.request_id = r.id
  left join holds h on h.request_id = r.id
  left join reported_costs p on p.org_id = r.org_id and p.request_id = r.id
  left join approvals a on a.org_id = r.org_id and a.id = r.approval_id`
