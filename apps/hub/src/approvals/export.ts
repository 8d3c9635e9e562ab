/** The export of approvals. */
import type { OrgId } from "@countersign/domain/ids"
import type { SummaryField } from "@countersign/domain/summary"
import { Effect, Option, Stream } from "effect"
import type { Place } from "../platform/keyset.ts"
import { shownKind, type StoredApproval } from "./approval-rows.ts"
import type { ApprovalList } from "./list.ts"
import type { ApprovalViews } from "./views.ts"

/** Approvals per statement. */
const exportPageApprovals = 200

type ListFilter = Parameters<ApprovalList["Service"]["page"]>[1]

/** In the order of the filter, read in short statements as the client consumes them. */
export const exported = (
  orgs: ReadonlyArray<OrgId>,
  filter: Omit<ListFilter, "after" | "limit">,
  { page }: ApprovalList["Service"],
  views: Pick<ApprovalViews["Service"], "summary">
) =>
  Stream.paginate(
    undefined as Place | undefined,
    Effect.fnUntraced(function*(after) {
      const { next, rows } = yield* page(orgs, { ...filter, after, limit: exportPageApprovals })
      const shown = yield* Effect.forEach(
        rows,
        (approval) => Effect.map(views.summary(approval), (summary) => csvRow(approval, summary))
      )
      return [shown, Option.fromUndefinedOr(next)] as const
    })
  )

export const csvColumns = [
  "id",
  "workspace_id",
  "status",
  "requested_at",
  "expires_at",
  "decided_at",
  "decided_by",
  "comment",
  "kind",
  "mode",
  "agent_id",
  "agent_name",
  "device_name",
  "service",
  "operation",
  "cost_cents",
  "threshold_cents",
  "reason",
  "policy_id",
  "service_request_id",
  "outcome",
  "reason_code",
  "payload_digest",
  "summary"
] as const

const csvRow = (approval: StoredApproval, summary: ReadonlyArray<SummaryField>) => ({
  id: approval.id,
  workspace_id: approval.org_id,
  status: approval.overdue ? "expired" : approval.status,
  requested_at: approval.requested_at.toISOString(),
  expires_at: approval.expires_at.toISOString(),
  decided_at: approval.decided_at?.toISOString(),
  decided_by: approval.decided_by?.email,
  comment: approval.comment ?? undefined,
  kind: shownKind(approval),
  mode: approval.mode,
  agent_id: approval.agent?.id,
  agent_name: approval.agent?.name,
  device_name: approval.kind === "device_command" ? approval.device.name : undefined,
  service: approval.service,
  operation: approval.operation,
  cost_cents: approval.cost_cents,
  threshold_cents: approval.threshold_cents,
  reason: approval.reason,
  policy_id: approval.policy_id ?? undefined,
  service_request_id: approval.kind === "service_request" ? approval.request_id : undefined,
  outcome: approval.kind === "service_request" ? approval.outcome?.status : undefined,
  reason_code: approval.kind === "service_request" ? approval.outcome?.reason_code : undefined,
  payload_digest: approval.payload_digest,
  summary: summary.map(({ label, value }) => `${label}: ${String(value)}`).join("; ")
})

export type ExportRow = ReturnType<typeof csvRow>
