/** Reads approvals: the columns, the tables, and the value of a row. */
import type { ApprovalStatus } from "@countersign/domain/approvals"
import type { Mode } from "@countersign/domain/auth"
import type { AgentId, ApprovalId, OrgId, ServiceRequestId } from "@countersign/domain/ids"
import type { Deciders } from "@countersign/domain/policies"
import type { RequestStatus } from "@countersign/domain/service-requests"

export interface Person {
  readonly id: string
  readonly name: string
  readonly email: string
}

interface Facts {
  readonly id: ApprovalId
  readonly org_id: OrgId
  readonly status: ApprovalStatus
  readonly mode: Mode
  readonly service: string
  readonly operation: string
  readonly cost_cents: number
  readonly threshold_cents: number
  readonly reason: string
  readonly policy_id: string | null
  readonly payload_digest: string
  readonly required_approvals: number
  readonly filed_by: string | null
  readonly requested_at: Date
  readonly expires_at: Date
  readonly decided_at: Date | null
  readonly comment: string | null
  readonly replaced_by: string | null
  /** The owner of the requesting agent. */
  readonly agent_owner: string | null
  /** The team of the requesting agent; null for a device's command. */
  readonly agent_team: string | null
  /** A member sees the approvals of their agents and devices. */
  readonly owner: string | null
  /** JSON text; for a device's command, its plan; for a step, its text. */
  readonly payload: string
  readonly overdue: boolean
}

export interface ApprovalRow extends Facts {
  readonly kind: "service_request" | "device_command" | "workflow_step"
  readonly request_id: ServiceRequestId | null
  readonly agent_id: AgentId | null
  readonly agent_name: string | null
  readonly command_id: string | null
  readonly command_reason: string | null
  readonly asker_type: string | null
  readonly asker_id: string | null
  readonly asker_name: string | null
  readonly device_id: string | null
  readonly device_name: string | null
  readonly run_id: string | null
  readonly step_id: string | null
  readonly deciders: string | null
  /** A turn of a chat filed the request. */
  readonly of_chat: boolean
  /** Of the request: its settlement, or otherwise whether it has a hold. */
  readonly settled_as: RequestStatus | null
  readonly settled_because: string | null
  readonly is_held: boolean
  readonly by_id: string | null
  readonly by_name: string | null
  readonly by_email: string | null
}

interface Kept extends Facts {
  readonly deciders: Deciders | undefined
  readonly decided_by: Person | undefined
}

export interface RequestApproval extends Kept {
  readonly kind: "service_request"
  /** A turn of a chat filed it. */
  readonly of_chat: boolean
  readonly request_id: ServiceRequestId
  readonly agent: { readonly id: AgentId; readonly name: string }
  /** Present after the approval. */
  readonly outcome: { readonly status: RequestStatus; readonly reason_code?: string } | undefined
}

export interface CommandApproval extends Kept {
  readonly kind: "device_command"
  readonly command_id: string
  readonly device: { readonly id: string; readonly name: string }
  /** The requester, and the reason. */
  readonly requester: { readonly type: string; readonly id: string; readonly name: string }
  readonly command_reason: string | null
  readonly agent: { readonly id: AgentId; readonly name: string } | undefined
}

/** A step of a run; the payload is its text. */
export interface StepApproval extends Kept {
  readonly kind: "workflow_step"
  readonly run_id: string
  readonly step_id: string
  readonly agent: { readonly id: AgentId; readonly name: string }
}

export type StoredApproval = RequestApproval | CommandApproval | StepApproval

/** Of a request: whether its origin names a call of a turn. */
export const ofChat = "coalesce(r.origin like '%\"call_id\":%', false)"

export const approvalColumns =
  `a.id, a.org_id, a.request_id, a.agent_id, a.kind, a.status, a.mode, a.service, a.operation,
  a.cost_cents, a.threshold_cents, a.reason, a.policy_id, a.payload_digest, a.required_approvals, a.deciders, a.filed_by,
  a.requested_at, a.expires_at, a.decided_at, a.comment, a.replaced_by, a.command_id, a.device_id, a.run_id, a.step_id,
  g.name as agent_name, g.owner_user_id as agent_owner,
  case when a.kind <> 'device_command' then g.team_id end as agent_team, coalesce(d.owner_user_id, g.owner_user_id) as owner,
  coalesce(r.payload, a.plan) as payload, d.name as device_name, c.reason as command_reason,
  c.requested_by_type as asker_type, c.requested_by_id as asker_id, c.requested_by_name as asker_name,
  ${ofChat} as of_chat,
  a.status = 'pending' and a.expires_at <= hub_time_or_last() as overdue,
  s.status as settled_as, s.reason_code as settled_because, h.request_id is not null as is_held,
  u.id as by_id, u.name as by_name, u.email as by_email`

export const approvalTables = `approvals a
  left join agents g on g.id = a.agent_id
  left join requests r on r.org_id = a.org_id and r.id = a.request_id
  left join settlements s on s.org_id = a.org_id and s.request_id = a.request_id and a.status = 'approved'
  left join holds h on h.request_id = a.request_id and a.status = 'approved'
  left join device_commands c on c.id = a.command_id
  left join devices d on d.id = a.device_id
  left join users u on u.id = a.decided_by`

export const toApproval = (row: ApprovalRow): StoredApproval => {
  const {
    agent_id,
    agent_name,
    asker_id,
    asker_name,
    asker_type,
    by_email,
    by_id,
    by_name,
    command_id,
    command_reason,
    deciders,
    device_id,
    device_name,
    is_held,
    kind,
    of_chat,
    request_id,
    run_id,
    settled_as,
    settled_because,
    step_id,
    ...facts
  } = row
  const kept: Kept = {
    ...facts,
    deciders: deciders === null ? undefined : JSON.parse(deciders) as Deciders,
    decided_by: by_id === null ? undefined : { id: by_id, name: by_name ?? "", email: by_email ?? "" }
  }
  const agent = agent_id === null ? undefined : { id: agent_id, name: agent_name ?? "" }
  const status = settled_as ?? (is_held ? "running" as const : undefined)
  const outcome = facts.status !== "approved" || status === undefined
    ? undefined
    : { status, ...(settled_because === null ? {} : { reason_code: settled_because }) }
  if (kind === "workflow_step") {
    return { ...kept, kind, run_id: run_id ?? "", step_id: step_id ?? "", agent: agent! }
  }
  return command_id === null
    ? {
      ...kept,
      kind: "service_request",
      of_chat,
      request_id: request_id!,
      agent: agent!,
      outcome
    }
    : {
      ...kept,
      kind: "device_command",
      command_id,
      command_reason,
      agent,
      device: { id: device_id ?? "", name: device_name ?? "" },
      requester: { type: asker_type ?? "", id: asker_id ?? "", name: asker_name ?? "" }
    }
}

/** The kind as the API shows it. */
export const shownKind = (approval: StoredApproval) =>
  approval.kind === "service_request" && approval.of_chat ? "chat_tool_call" as const : approval.kind
