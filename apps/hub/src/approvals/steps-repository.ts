/** Stores approvals of kind `workflow_step` in the table of all approvals. */
import type { ApprovalStatus } from "@countersign/domain/approvals"
import type { Mode } from "@countersign/domain/auth"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

export interface NewStepApproval {
  readonly id: string
  readonly org: OrgId
  readonly agent: AgentId
  readonly mode: Mode
  readonly run: string
  readonly step: string
  /** JSON text. */
  readonly plan: string
  readonly digest: string
  readonly reason: string
  readonly costCents: number
  readonly required: number
  readonly deciders: string | null
  readonly lifeSeconds: number
  readonly at: Date
}

export interface StepApprovalRow {
  readonly id: string
  readonly org_id: OrgId
  readonly agent_id: AgentId
  readonly run_id: string
  readonly step_id: string
  readonly mode: Mode
  readonly status: ApprovalStatus
  readonly comment: string | null
  readonly decided_by: { readonly id: string; readonly name: string } | null
  readonly expires_at: Date
}

export interface StepVerdict {
  readonly status: "approved" | "rejected" | "expired" | "cancelled"
  readonly by?: string
  readonly comment?: string
}

export class StepApprovalsRepository extends Context.Service<StepApprovalsRepository, {
  readonly open: (approval: NewStepApproval) => Effect.Effect<void>
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<StepApprovalRow>>
  /**
   * The closed approval; none when it is no longer pending, when `expired` is not yet due, or when `approved` or
   * `rejected` comes after the expiry. Call it under the workspace's lock.
   */
  readonly close: (org: OrgId, id: string, verdict: StepVerdict) => Effect.Effect<Option.Option<StepApprovalRow>>
  /** The rest of a budget. */
  readonly budgetLeft: (org: OrgId, limit: number) => Effect.Effect<number>
}>()("@countersign/hub/approvals/StepApprovalsRepository") {
  static readonly layer = Layer.effect(
    StepApprovalsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const find = (org: OrgId, id: string) =>
        sql<StepApprovalRow>`select a.id, a.org_id, a.agent_id, a.run_id, a.step_id, a.mode, a.status, a.comment,
          a.expires_at, case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end as decided_by
        from approvals a left join users u on u.id = a.decided_by
        where a.org_id = ${org} and a.id = ${id} and a.kind = 'workflow_step'`.pipe(
          Effect.map(([row]) => Option.fromUndefinedOr(row)),
          Effect.orDie
        )
      return StepApprovalsRepository.of({
        open: (approval) =>
          sql`insert into approvals (id, org_id, kind, agent_id, run_id, step_id, plan, mode, service, operation,
            cost_cents, threshold_cents, reason, payload_digest, required_approvals, deciders, requested_at, expires_at)
          values (${approval.id}, ${approval.org}, 'workflow_step', ${approval.agent}, ${approval.run}, ${approval.step},
            ${approval.plan}, ${approval.mode}, 'workflow', 'approval', ${BigInt(approval.costCents)}::bigint, 0,
            ${approval.reason}, ${approval.digest}, ${approval.required}, ${approval.deciders}, ${approval.at},
            ${approval.at}::timestamptz + ${approval.lifeSeconds} * interval '1 second')`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        find,
        close: Effect.fnUntraced(function*(org, id, { by, comment, status }) {
          const inTime = status === "cancelled"
            ? sql`true`
            : status === "expired"
            ? sql`expires_at <= hub_time_or_last()`
            : sql`expires_at > hub_time_or_last()`
          const closed = yield* sql`update approvals set status = ${status}, decided_at = hub_time_or_last(),
            decided_by = ${by ?? null}::text, comment = ${comment ?? null}::text
          where org_id = ${org} and id = ${id} and kind = 'workflow_step' and status = 'pending' and ${inTime} returning id`
          if (closed.length === 0) return Option.none()
          if (by !== undefined) {
            yield* sql`insert into approval_decisions (org_id, approval_id, user_id, decision, comment, created_at)
            values (${org}, ${id}, ${by}, ${status === "approved" ? "approve" : "reject"}, ${comment ?? null}::text,
              hub_time_or_last())
            on conflict (approval_id, user_id) do update set decision = excluded.decision, comment = excluded.comment,
              created_at = excluded.created_at`
          }
          return yield* find(org, id)
        }, Effect.orDie),
        budgetLeft: (org, limit) =>
          sql<{ cents: number }>`select greatest(0, cap - used - held - committed) as cents from limits
          where org_id = ${org} and id = ${BigInt(limit)}::bigint`.pipe(
            Effect.map(([row]) => row?.cents ?? 0),
            Effect.orDie
          )
      })
    })
  )
}
