/** The current state of a subject as a notice. Spec: reference/notice-channels.md "Messages". */
import { agentRequestAnswerMax, agentRequestCommentMax } from "@countersign/domain/agent-requests"
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { createHash } from "node:crypto"
import { type AgentRequestRow, AgentRequestsRepository } from "../agent-requests/repository.ts"
import { AgentsRepository } from "../agents/repository.ts"
import type { StoredApproval } from "../approvals/approval-rows.ts"
import { ApprovalsRepository, type Vote } from "../approvals/repository.ts"
import { counts, type OrgRules } from "../approvals/rules.ts"
import { ApprovalViews } from "../approvals/views.ts"
import { type BudgetRequestRow, BudgetRequestsRepository } from "../budget-requests/repository.ts"
import { Settings } from "../config.ts"
import {
  buttonValue,
  type DecisionButton,
  dollars,
  type FormFacts,
  type Line,
  linesOf,
  type Notice,
  oneLine,
  sealOf,
  type SubjectType,
  timeText
} from "./notice.ts"
import type { SubjectFacts } from "./rules.ts"

export interface Subject {
  readonly facts: SubjectFacts
  /** The digest that the buttons name. */
  readonly digest: string
  readonly request: string | undefined
  readonly notice: Notice
}

const reasonMax = 500
const optionLabelMax = 75
const commentMax = 1_000

const digestOf = (...parts: ReadonlyArray<unknown>): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex")

const personText = ({ email, name }: { readonly name: string; readonly email: string }): string =>
  oneLine(name === "" ? email : name, 80)

/** "Approved by Ada · 2026-11-27 22:15 UTC", then the comment. */
const endedStates = (
  word: string,
  by: string | undefined,
  at: Date | null,
  comment: string | null,
  outcome?: string
): ReadonlyArray<string> => [
  [
    by === undefined ? word : `${word} by ${by}`,
    ...(at === null ? [] : [timeText(at)]),
    ...(outcome === undefined ? [] : [outcome])
  ].join(" · "),
  ...(comment === null || comment === "" ? [] : [`Comment: ${oneLine(comment, reasonMax)}`])
]

const rejectForm: FormFacts = {
  title: "Reject",
  submit: "Reject",
  label: "Comment",
  required: false,
  max: commentMax
}

const openOnly = "Deciding about this amount requires signing in again. Open it in Countersign."

const approveAndReject = (
  { amount, digest, subject, title }: {
    readonly subject: string
    readonly digest: string
    readonly amount: string | undefined
    readonly title: string
  }
): ReadonlyArray<DecisionButton> => {
  const label = amount === undefined ? "Approve" : `Approve ${amount}`
  return [
    {
      value: buttonValue("approve", subject, digest),
      label,
      style: "primary",
      confirm: { title: `${label}?`, text: oneLine(title, 250) }
    },
    { value: buttonValue("reject", subject, digest), label: "Reject…", style: "danger", form: rejectForm }
  ]
}

const words: Readonly<Record<StoredApproval["status"], string>> = {
  pending: "Pending",
  approved: "Approved",
  rejected: "Rejected",
  expired: "Expired",
  cancelled: "Canceled"
}

const requesterOf = (approval: StoredApproval): string =>
  approval.agent?.name ?? (approval.kind === "device_command" ? approval.requester.name : "")

const outcomeText = (approval: StoredApproval): string | undefined =>
  approval.kind !== "service_request" || approval.outcome === undefined
    ? undefined
    : [approval.outcome.status, approval.outcome.reason_code].filter((part) => part !== undefined).join(" · ")

const approvalStates = (
  approval: StoredApproval,
  rules: OrgRules,
  votes: ReadonlyArray<Vote>,
  needsStepUp: boolean
): ReadonlyArray<string> => {
  if (approval.overdue) return endedStates("Expired", undefined, approval.expires_at, null)
  if (approval.status !== "pending") {
    const by = approval.decided_by === undefined ? undefined : personText(approval.decided_by)
    return endedStates(words[approval.status], by, approval.decided_at, approval.comment, outcomeText(approval))
  }
  const given = votes.filter((vote) => counts(approval, vote, rules))
  const names = given.map(({ user }) => personText(user)).join(", ")
  return [
    ...(approval.required_approvals === 1
      ? []
      : [`${given.length} of ${approval.required_approvals}${names === "" ? "" : `: ${names}`}`]),
    ...(needsStepUp ? [openOnly] : [])
  ]
}

export class NoticeSubjects extends Context.Service<NoticeSubjects, {
  /** Undefined when it does not exist, or no longer. */
  readonly find: (org: OrgId, type: SubjectType, id: string) => Effect.Effect<Subject | undefined>
}>()("@countersign/hub/notice-channels/NoticeSubjects") {
  static readonly layer = Layer.effect(
    NoticeSubjects,
    Effect.gen(function*() {
      const approvals = yield* ApprovalsRepository
      const views = yield* ApprovalViews
      const agentRequests = yield* AgentRequestsRepository
      const budgetRequests = yield* BudgetRequestsRepository
      const agents = yield* AgentsRepository
      const { publicUrl } = yield* Settings
      const pageOf = (org: OrgId, path: string) => `${publicUrl.origin}/w/${org}/${path}`
      const agentName = (org: OrgId, id: string) =>
        Effect.map(agents.find(org, id), Option.match({ onNone: () => "A deleted agent", onSome: ({ name }) => name }))

      const ofApproval = Effect.fnUntraced(function*(org: OrgId, id: string) {
        const approval = Option.getOrUndefined(yield* approvals.find(org, id))
        if (approval === undefined) return undefined
        const [{ payload, summary }, rules, votes] = yield* Effect.all([
          views.shown(approval),
          approvals.orgSettings(org),
          Effect.map(approvals.votes(org, [id]), (found) => found.get(id) ?? [])
        ])
        const { cost_cents, expires_at, mode, operation, payload_digest: digest, service } = approval
        const isOpen = approval.status === "pending" && !approval.overdue
        const needsStepUp = rules.step_up_cents !== null && cost_cents > rules.step_up_cents
        const amount = approval.kind === "service_request" || cost_cents > 0 ? dollars(cost_cents) : undefined
        const title = `${oneLine(requesterOf(approval), 100)} → ${service}.${operation}`
        const reason = oneLine(approval.reason, reasonMax)
        return {
          facts: { type: "approval", cents: cost_cents, agent: approval.agent?.id },
          digest,
          request: approval.kind === "service_request" ? approval.request_id : undefined,
          notice: {
            subject: { type: "approval", id },
            title,
            amount,
            lines: linesOf(summary, payload),
            reason: reason === "" ? undefined : reason,
            seal: sealOf(digest),
            isTest: mode === "test",
            expiresAt: expires_at,
            states: approvalStates(approval, rules, votes, needsStepUp),
            isOpen,
            buttons: isOpen && !needsStepUp ? approveAndReject({ subject: id, digest, amount, title }) : [],
            url: pageOf(org, `approvals/${id}`)
          }
        } satisfies Subject
      })

      const ofAgentRequest = Effect.fnUntraced(function*(org: OrgId, id: string) {
        const row = Option.getOrUndefined(yield* agentRequests.find(org, id))
        if (row === undefined) return undefined
        const digest = digestOf(row.id, row.kind, row.title, row.body, row.options)
        return {
          facts: { type: "agent_request", cents: undefined, agent: row.agent_id },
          digest,
          request: undefined,
          notice: {
            subject: { type: "agent_request", id },
            title: `${oneLine(yield* agentName(org, row.agent_id), 100)} requests an answer: ${row.title}`,
            amount: undefined,
            lines: row.body === "" ? [] : [{ label: row.kind, value: oneLine(row.body, reasonMax) }],
            reason: undefined,
            seal: undefined,
            isTest: false,
            expiresAt: row.expires_at ?? undefined,
            states: agentRequestStates(row),
            isOpen: row.status === "open",
            buttons: row.status === "open" ? answerButtons(row, digest) : [],
            url: pageOf(org, `inbox?open=${id}`)
          }
        } satisfies Subject
      })

      const ofBudgetRequest = Effect.fnUntraced(function*(org: OrgId, id: string) {
        const row = Option.getOrUndefined(yield* budgetRequests.find(org, id))
        if (row === undefined) return undefined
        const { step_up_cents } = yield* approvals.orgSettings(org)
        const digest = digestOf(row.id, row.agent_id, row.requested_cents, row.period, row.service, row.operation)
        const isOpen = row.status === "pending"
        const needsStepUp = step_up_cents !== null && row.amount_cents > step_up_cents
        const amount = dollars(row.amount_cents)
        const title = `${oneLine(yield* agentName(org, row.agent_id), 100)} requests a higher budget`
        return {
          facts: { type: "budget_request", cents: row.requested_cents, agent: row.agent_id },
          digest,
          request: undefined,
          notice: {
            subject: { type: "budget_request", id },
            title,
            amount,
            lines: budgetLines(row),
            reason: oneLine(row.reason, reasonMax),
            seal: undefined,
            isTest: false,
            expiresAt: undefined,
            states: isOpen
              ? needsStepUp ? [openOnly] : []
              : endedStates(
                row.status === "withdrawn" ? "Withdrawn" : row.status === "approved" ? "Approved" : "Rejected",
                row.decided_by === null
                  ? undefined
                  : personText({ name: row.decider_name ?? "", email: row.decider_email ?? "" }),
                row.decided_at,
                row.comment
              ),
            isOpen,
            buttons: isOpen && !needsStepUp ? approveAndReject({ subject: id, digest, amount, title }) : [],
            url: pageOf(org, `inbox?open=${id}`)
          }
        } satisfies Subject
      })

      return NoticeSubjects.of({
        find: Effect.fn("NoticeSubjects.find")(function*(org, type, id): Effect.fn.Return<Subject | undefined> {
          switch (type) {
            case "approval":
              return yield* ofApproval(org, id)
            case "agent_request":
              return yield* ofAgentRequest(org, id)
            case "budget_request":
              return yield* ofBudgetRequest(org, id)
          }
        })
      })
    })
  )
}

const agentRequestStates = (row: AgentRequestRow): ReadonlyArray<string> => {
  if (row.status === "open") return []
  const by = row.answered_by === null ? undefined : personText(row.answered_by)
  const word = row.status === "answered" ? "Answered" : row.status === "dismissed" ? "Dismissed" : "Expired"
  return [
    ...endedStates(word, by, row.ended_at ?? (row.status === "expired" ? row.expires_at : null), row.comment),
    ...(row.answer === null ? [] : [`Answer: ${oneLine(row.answer, reasonMax)}`])
  ]
}

const answerButtons = ({ id, kind, options }: AgentRequestRow, digest: string): ReadonlyArray<DecisionButton> => [
  ...(options ?? []).map((option, at): DecisionButton => ({
    value: buttonValue("option", id, digest, at),
    label: oneLine(option, optionLabelMax),
    style: "plain"
  })),
  ...(options === null
    ? [{
      value: buttonValue("answer", id, digest),
      label: "Answer…",
      style: "primary" as const,
      form: {
        title: "Answer",
        submit: "Answer",
        label: "Answer",
        required: kind !== "handoff",
        // Slack takes at most 3000 characters, Discord 4000.
        max: Math.min(agentRequestAnswerMax, 3_000)
      }
    }]
    : []),
  {
    value: buttonValue("dismiss", id, digest),
    label: "Dismiss…",
    style: "plain",
    form: { title: "Dismiss", submit: "Dismiss", label: "Comment", required: false, max: agentRequestCommentMax }
  }
]

const budgetLines = (row: BudgetRequestRow): ReadonlyArray<Line> => [
  { label: "Period", value: row.period === "once" ? "this month only" : "every month" },
  ...(row.service === null ? [] : [{ label: "Operation", value: `${row.service}.${row.operation ?? ""}` }])
]
