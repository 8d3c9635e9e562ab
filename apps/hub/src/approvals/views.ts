/** Approvals as their reader sees them: the request, the remaining limits, the deciders, and earlier decisions. */
import type { Approval } from "@countersign/domain/approvals"
import type { Principal } from "@countersign/domain/auth"
import { capsOf } from "@countersign/domain/bindings"
import type { OrgId } from "@countersign/domain/ids"
import { maskedValue } from "@countersign/domain/mask"
import { mask } from "@countersign/domain/masking"
import { removedText, removedValue } from "@countersign/domain/retention"
import type { SummaryField } from "@countersign/domain/summary"
import { Context, Effect, Layer, Option } from "effect"
import { Configuration } from "../dispatch/decision/configuration.ts"
import { payloadSchemaOf, summaryOf } from "../dispatch/decision/decision.ts"
import { LimitsRepository } from "../dispatch/decision/limits-repository.ts"
import { type Person, shownKind, type StoredApproval } from "./approval-rows.ts"
import { ApprovalsRepository, type Member, type Vote } from "./repository.ts"
import { counts, denialOf, mayApprove, type OrgRules } from "./rules.ts"

/** Maximum number of approvals of a list that are built concurrently. */
const viewConcurrency = 8

export class ApprovalViews extends Context.Service<ApprovalViews, {
  /** The reader may be a different one in each workspace. */
  readonly all: (
    approvals: ReadonlyArray<StoredApproval>,
    readerIn: (org: OrgId) => Principal
  ) => Effect.Effect<ReadonlyArray<Approval>>
  readonly one: (approval: StoredApproval, reader: Principal) => Effect.Effect<Approval>
  /** A payload as people may see it, and its summary fields. */
  readonly shown: (
    approval: StoredApproval
  ) => Effect.Effect<{ readonly payload: unknown; readonly summary: ReadonlyArray<SummaryField> }>
  /** The summary fields of a payload, without masked values. */
  readonly summary: (approval: StoredApproval) => Effect.Effect<ReadonlyArray<SummaryField>>
}>()("@countersign/hub/approvals/ApprovalViews") {
  static readonly layer = Layer.effect(
    ApprovalViews,
    Effect.gen(function*() {
      const repository = yield* ApprovalsRepository
      const configuration = yield* Configuration
      const limits = yield* LimitsRepository

      /**
       * A payload as people may see it, and its summary. The whole payload is hidden if the operation's schema no
       * longer exists. A plan and the text of a step hold no secret.
       */
      const showing = Effect.fnUntraced(function*(approval: StoredApproval) {
        if (approval.kind !== "service_request") {
          return { shown: (text: string): unknown => JSON.parse(text), summary: () => [] }
        }
        const org = yield* Effect.promise(() => configuration.org(approval.org_id))
        const schema = payloadSchemaOf(org, approval)
        return {
          shown: (text: string): unknown =>
            text === removedText ? removedValue : schema === undefined ? maskedValue : mask(schema, JSON.parse(text)),
          summary: (payload: unknown) => summaryOf(org, approval, payload)
        }
      })

      const figures = Effect.fnUntraced(
        function*({ agent, kind, mode, operation, org_id: org, service }: StoredApproval) {
          // A command that its device requires approval for costs nothing more: its request was already admitted. A step
          // of a run holds nothing.
          if (kind !== "service_request") return yield* limits.figures({ org, agent: "", mode, service, operation }, {})
          const found = yield* Effect.promise(() => configuration.load(org, agent.id))
          const binding = found?.agent.bindings.get(service)
          return yield* limits.figures(
            { org, agent: agent.id, mode, service, operation },
            binding === undefined ? {} : capsOf(binding, operation)
          )
        }
      )

      const peopleOf = (org: OrgId) =>
        Effect.all({ members: repository.members(org), rules: repository.orgSettings(org) }, { concurrency: 2 })

      const views = Effect.fnUntraced(
        function*(approvals: ReadonlyArray<StoredApproval>, readerIn: (org: OrgId) => Principal) {
          const ids = Map.groupBy(approvals, ({ org_id }) => org_id)
          const people = new Map(
            yield* Effect.forEach(ids, ([org, of]) =>
              Effect.map(
                Effect.all([
                  peopleOf(org),
                  repository.votes(org, of.map(({ id }) => id))
                ]),
                ([known, votes]) => [org, { ...known, votes }] as const
              ), { concurrency: 4 })
          )
          return yield* Effect.forEach(
            approvals,
            (approval) => viewAs(approval, readerIn(approval.org_id), people.get(approval.org_id)!),
            { concurrency: viewConcurrency }
          )
        }
      )

      const view = (approval: StoredApproval, reader: Principal) =>
        Effect.map(views([approval], () => reader), ([first]) => first!)

      const viewAs = Effect.fnUntraced(function*(approval: StoredApproval, reader: Principal, known: {
        readonly members: ReadonlyArray<Member>
        readonly rules: OrgRules
        readonly votes: ReadonlyMap<string, ReadonlyArray<Vote>>
      }) {
        const { members, rules: org } = known
        const votes = known.votes.get(approval.id) ?? []
        const [{ shown, summary }, { limits, remaining }, previous, recent, last] = yield* Effect.all([
          showing(approval),
          figures(approval),
          repository.previous(approval),
          repository.recent(approval),
          repository.lastDecisions(approval)
        ], { concurrency: "unbounded" })
        const payload = shown(approval.payload)
        /** An agent sees the names of the deciders, and no e-mail addresses. */
        const personOf = ({ email, id, name }: Person) => reader.kind === "agent" ? { id, name } : { id, name, email }
        const allowed = (decision: "approve" | "reject") => {
          const denial = reader.kind === "agent"
            ? { code: "forbidden", message: "An agent cannot decide approvals." } as const
            : denialOf(approval, reader, org, decision, votes)
          return denial === undefined
            ? { decision, allowed: true }
            : { decision, allowed: false, denied_because: denial.code }
        }
        return {
          id: approval.id,
          status: approval.overdue ? "expired" : approval.status,
          kind: shownKind(approval),
          ...subjectOf(approval),
          service: approval.service,
          operation: approval.operation,
          payload,
          summary: summary(payload),
          cost_cents: approval.cost_cents,
          threshold_cents: approval.threshold_cents,
          remaining,
          limits,
          reason: approval.reason,
          ...(approval.policy_id === null ? {} : { policy_id: approval.policy_id }),
          requested_at: approval.requested_at.toISOString(),
          expires_at: approval.expires_at.toISOString(),
          payload_digest: approval.payload_digest,
          allowed_decisions: [allowed("approve"), allowed("reject")],
          deciders: members.filter((member) =>
            approval.status !== "pending" || mayApprove(approval, member, { ...org, separation_of_duties: false })
          )
            .map((member) => ({
              user: personOf(member),
              can: mayApprove(approval, member, org)
            })),
          ...(Option.isNone(previous)
            ? {}
            : {
              previous: {
                approval_id: previous.value.approval_id,
                payload: shown(previous.value.payload),
                decided_at: previous.value.decided_at.toISOString()
              }
            }),
          recent: {
            ...recent,
            decisions: last.map((past) => ({
              approval_id: past.id as Approval["id"],
              decision: past.status,
              cost_cents: past.cost_cents,
              same_action: past.same_action,
              decided_at: past.decided_at.toISOString(),
              ...(past.by_id === null
                ? {}
                : { decided_by: personOf({ id: past.by_id, name: past.by_name ?? "", email: past.by_email ?? "" }) })
            }))
          },
          ...(approval.decided_at === null ? {} : { decided_at: approval.decided_at.toISOString() }),
          ...(approval.decided_by === undefined ? {} : { decided_by: personOf(approval.decided_by) }),
          ...(approval.comment === null ? {} : { comment: approval.comment }),
          required_approvals: approval.required_approvals,
          decisions: votes.map((vote) => ({
            user: personOf(vote.user),
            decision: vote.decision,
            ...(approval.status === "pending" && vote.decision === "approve"
              ? { counts: counts(approval, vote, org) }
              : {}),
            ...(vote.comment === null ? {} : { comment: vote.comment }),
            at: vote.at.toISOString()
          })),
          mode: approval.mode,
          org_id: approval.org_id,
          ...(approval.kind === "service_request" && approval.outcome !== undefined
            ? { outcome: approval.outcome }
            : {}),
          ...(approval.replaced_by === null ? {} : { replaced_by: approval.replaced_by })
        } as Approval
      })

      return ApprovalViews.of({
        all: views,
        one: view,
        shown: (approval) =>
          Effect.map(showing(approval), ({ shown, summary }) => {
            const payload = shown(approval.payload)
            return { payload, summary: summary(payload) }
          }),
        summary: (approval) => Effect.map(showing(approval), ({ shown, summary }) => summary(shown(approval.payload)))
      })
    })
  )
}

const subjectOf = (approval: StoredApproval) =>
  approval.kind === "service_request"
    ? {
      subject: { type: "service_request", id: approval.request_id },
      agent: approval.agent,
      service_request_id: approval.request_id
    }
    : approval.kind === "workflow_step"
    ? { subject: { type: "workflow_run", id: approval.run_id }, agent: approval.agent }
    : {
      subject: { type: "device_command", id: approval.command_id },
      agent: approval.agent ?? { id: approval.requester.id, name: approval.requester.name },
      requested_by: approval.requester,
      ...(approval.command_reason === null ? {} : { request_reason: approval.command_reason }),
      device: approval.device
    }
