/**
 * Approvals of kind `workflow_step`: a run waits for people. Each is bound to the digest of its run, step, version, and
 * text. Spec: reference/approvals.md "Approvals of workflow steps".
 */
import type { ApprovalStatus } from "@countersign/domain/approvals"
import type { Mode } from "@countersign/domain/auth"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { canonicalize } from "@countersign/domain/json"
import type { Deciders } from "@countersign/domain/policies"
import { Context, Effect, Layer, Option } from "effect"
import { createHash } from "node:crypto"
import { type Actor, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Signals } from "../platform/signals.ts"
import { type StepApprovalRow, StepApprovalsRepository, type StepVerdict } from "./steps-repository.ts"

export interface RequestedStepApproval {
  readonly id: string
  readonly org: OrgId
  readonly agent: AgentId
  readonly mode: Mode
  readonly run: string
  readonly step: string
  /** What people decide on. */
  readonly plan: { readonly title: string } & Readonly<Record<string, string>>
  /** The limit of what the run may still spend; absent: it has no budget. */
  readonly budget: number | undefined
  readonly required: number
  readonly deciders: Deciders | undefined
  readonly lifeSeconds: number
  readonly at: Date
}

export interface StepApproval {
  readonly status: ApprovalStatus
  readonly comment: string | null
  readonly decided_by: { readonly id: string; readonly name: string } | null
  readonly dueAt: number
}

export class StepApprovals extends Context.Service<StepApprovals, {
  /** Call it under the workspace's lock, last in a transaction. */
  readonly open: (requested: RequestedStepApproval, actor: Actor) => Effect.Effect<void>
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<StepApproval>>
  /** Records the decision of people. Call it under the workspace's lock; false when it is no longer pending. */
  readonly decide: (org: OrgId, id: string, verdict: StepVerdict, actor: Actor) => Effect.Effect<boolean>
  /** Ends it without a decision: as expired if it is due and `isLate`, otherwise as canceled. */
  readonly close: (org: OrgId, id: string, actor: Actor, isLate: boolean) => Effect.Effect<boolean>
}>()("@countersign/hub/approvals/StepApprovals") {
  static readonly layer = Layer.effect(
    StepApprovals,
    Effect.gen(function*() {
      const repository = yield* StepApprovalsRepository
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db

      const record = (
        action: string,
        { agent_id, id, mode, org_id, run_id, step_id }: Pick<
          StepApprovalRow,
          "agent_id" | "id" | "mode" | "org_id" | "run_id" | "step_id"
        >,
        actor: Actor
      ) =>
        audit.record(org_id, actor, {
          action: `approval.${action}`,
          subject: { type: "approval", id },
          agent_id,
          data: { kind: "workflow_step", run_id, step_id, mode }
        })

      const decide = Effect.fnUntraced(function*(org: OrgId, id: string, verdict: StepVerdict, actor: Actor) {
        const closed = yield* repository.close(org, id, verdict)
        if (Option.isNone(closed)) return false
        yield* record(verdict.status, closed.value, actor)
        yield* db.afterCommit(Effect.sync(() => signals.object(id)))
        return true
      })

      return StepApprovals.of({
        open: Effect.fnUntraced(function*(requested, actor) {
          const { agent, budget, deciders, id, mode, org, plan, run, step } = requested
          const text = canonicalize(plan)
          yield* repository.open({
            ...requested,
            plan: text,
            digest: createHash("sha256").update(text).digest("hex"),
            reason: plan.title,
            costCents: budget === undefined ? 0 : yield* repository.budgetLeft(org, budget),
            deciders: deciders === undefined ? null : JSON.stringify(deciders)
          })
          yield* record("created", { agent_id: agent, id, mode, org_id: org, run_id: run, step_id: step }, actor)
        }),
        find: (org, id) =>
          Effect.map(
            repository.find(org, id),
            Option.map(({ comment, decided_by, expires_at, status }) => ({
              status,
              comment,
              decided_by,
              dueAt: expires_at.getTime()
            }))
          ),
        decide,
        close: Effect.fnUntraced(function*(org, id, actor, isLate) {
          yield* heads.lock(org)
          if (isLate && (yield* decide(org, id, { status: "expired" }, actor))) return true
          return yield* decide(org, id, { status: "cancelled" }, actor)
        }, db.transaction)
      })
    })
  )
}
