/** Facts of an approval as text. */
import { formatMoney } from "../components/money-text.ts"
import { lineOf } from "../devices/command-line.ts"
import type { PayloadViewTexts } from "../patterns/payload-view.tsx"
import type { RevealTexts } from "../patterns/revealed-text.tsx"
import type { TimeLeft } from "../patterns/time-left.ts"
import type { approvalText } from "../text/approvals.ts"
import type { ApprovalRow } from "./inbox-rows.ts"

export type ApprovalText = typeof approvalText

/** A device command that requires approval. It has no cost, and the decision is on its plan. */
export const isCommand = ({ kind }: Pick<ApprovalRow, "kind">): boolean => kind === "device_command"

/** A step of a workflow's run. Its reason is its title, and it spends nothing. */
export const isStep = ({ kind }: Pick<ApprovalRow, "kind">): boolean => kind === "workflow_step"

/** A request of an agent, with an operation, a price, and limits. */
export const isCall = ({ kind }: Pick<ApprovalRow, "kind">): boolean =>
  kind === "service_request" || kind === "chat_tool_call"

export const operationOf = ({ kind, operation, reason, service }: ApprovalRow): string =>
  isCommand({ kind }) ? operation ?? "" : isStep({ kind }) ? reason : `${service}.${operation}`

/** People can create device commands too. */
export const askerOf = ({ requested_by }: ApprovalRow): "agent" | "person" =>
  requested_by === undefined || requested_by.type === "agent" ? "agent" : "person"

/** A device command in one line: `build-1: git pull`. */
export const commandText = ({ device, payload }: ApprovalRow, t: ApprovalText): string => {
  const { input, tool } = (payload ?? {}) as { readonly tool?: unknown; readonly input?: unknown }
  const isCall = typeof tool === "string" && typeof input === "object" && input !== null
  return t.command.line(
    device?.name ?? "",
    isCall ? lineOf({ tool, input: input as Readonly<Record<string, unknown>> }) : ""
  )
}

/** A person without a name is shown by their email address. */
export const nameOf = (
  person: { readonly name: string; readonly email?: string } | undefined,
  t: ApprovalText
): string => person === undefined ? t.someone : person.name === "" ? person.email ?? t.someone : person.name

/** The number of valid votes to approve: a vote stops counting when its voter loses the permission to approve. */
export const votesOf = ({ decisions }: Pick<ApprovalRow, "decisions">): number =>
  decisions.filter(({ counts, decision }) => decision === "approve" && counts !== false).length

/** A person in the data of an error. */
export const personOf = (value: unknown): { readonly name: string; readonly email: string } | undefined =>
  typeof value === "object" && value !== null && "name" in value && "email" in value
    ? { name: String(value.name), email: String(value.email) }
    : undefined

/** In a list: the reason for the approval; for a command its text. */
export const reasonOf = (row: ApprovalRow, t: ApprovalText): string =>
  isCommand(row) ? commandText(row, t) : isStep(row) ? stepText(row, t) : whyOf(row, t)

const stepText = ({ payload }: ApprovalRow, t: ApprovalText): string => {
  const { body, label } = (payload ?? {}) as { readonly body?: unknown; readonly label?: unknown }
  return typeof body === "string" && body !== "" ? body : t.step.why(String(label))
}

const whyOf = ({ policy_id, reason, threshold_cents }: ApprovalRow, t: ApprovalText): string =>
  policy_id === undefined ? t.reasons.threshold(formatMoney(threshold_cents)) : reason === "" ? t.reasons.rule : reason

export const leftText = (t: ApprovalText) => ({ count, unit }: TimeLeft): string =>
  unit === "over" ? t.left.over : t.left[unit](count)

export const statusText = (status: string, t: ApprovalText): string =>
  (t.status as Readonly<Record<string, string>>)[status] ?? t.status.unknown

export const revealTexts = (t: ApprovalText): RevealTexts => ({
  reason: (reason, like) => reason === "lookalike" ? t.hidden.lookalike(like ?? "") : t.hidden[reason]
})

export const payloadTexts = (t: ApprovalText): PayloadViewTexts => ({ ...t.payloadView, ...revealTexts(t) })

/** "Ada, Bob and Carol". */
export const listOf = (names: ReadonlyArray<string>, t: ApprovalText): string =>
  names.length < 2 ? names.join("") : t.empty.names(names.slice(0, -1).join(", "), names.at(-1) ?? "")

/** The reason for a block in words; the code itself if this console has no text for it. */
export const reasonText = (code: string | undefined, t: ApprovalText): string =>
  (t.outcome.reasons as Readonly<Record<string, string>>)[code ?? ""] ?? code ?? t.status.unknown

/** Approved, and then blocked or failed: nothing was executed. */
export const isUnexecuted = ({ outcome }: ApprovalRow): boolean =>
  outcome?.status === "blocked" || outcome?.status === "failed"

/** The status for the glyph: the request's status after an approval. */
export const shownStatus = (row: ApprovalRow): string =>
  isUnexecuted(row) || row.outcome?.status === "running" ? row.outcome!.status : row.status

/** The decision and its author for a row, in the past tense; or that the request was not executed. */
export const decidedText = (row: ApprovalRow, t: ApprovalText): string => {
  const name = nameOf(row.decided_by, t)
  const after = row.outcome?.status
  return after === "blocked"
    ? t.rowDecided.blocked(reasonText(row.outcome?.reason_code, t))
    : after === "failed"
    ? t.rowDecided.failed
    : after === "running"
    ? t.rowDecided.running(name)
    : row.status === "approved"
    ? t.rowDecided.approved(name)
    : row.status === "rejected"
    ? t.rowDecided.rejected(name)
    : row.status === "expired"
    ? t.rowDecided.expired
    : t.rowDecided.cancelled
}

type Decision = ApprovalRow["allowed_decisions"][number]
const found = (row: ApprovalRow, decision: "approve" | "reject"): Decision | undefined =>
  row.allowed_decisions.find((each) => each.decision === decision)

/** Whether the person may decide, ignoring the step-up. */
export const mayDecide = (row: ApprovalRow, decision: "approve" | "reject"): boolean => {
  const allowed = found(row, decision)
  return allowed?.allowed === true || allowed?.denied_because === "step_up_required"
}
export const denialOf = (row: ApprovalRow): string | undefined => found(row, "approve")?.denied_because
