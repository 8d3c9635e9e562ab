/** Facts of an approval in words. */
import { formatMoney } from "../components/money-text.ts"
import type { PayloadViewTexts } from "../patterns/payload-view.tsx"
import type { RevealTexts } from "../patterns/revealed-text.tsx"
import type { TimeLeft } from "../patterns/time-left.ts"
import type { approvalText } from "../text/approvals.ts"
import type { ApprovalRow } from "./inbox-rows.ts"

export type ApprovalText = typeof approvalText

export const operationOf = ({ operation, service }: ApprovalRow): string => `${service}.${operation}`

/** A person of an answer may have no name: then their address says who it is. */
export const nameOf = (person: { readonly name: string; readonly email: string } | undefined, t: ApprovalText): string =>
  person === undefined ? t.someone : person.name === "" ? person.email : person.name

/** A person as an error's facts name one. */
export const personOf = (value: unknown): { readonly name: string; readonly email: string } | undefined =>
  typeof value === "object" && value !== null && "name" in value && "email" in value
    ? { name: String(value.name), email: String(value.email) }
    : undefined

export const reasonOf = ({ policy_id, reason, threshold_cents }: ApprovalRow, t: ApprovalText): string =>
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

/** Who ended it, in the past tense, for a row. */
export const decidedText = (row: ApprovalRow, t: ApprovalText): string => {
  const name = nameOf(row.decided_by, t)
  return row.status === "approved" ? t.rowDecided.approved(name)
    : row.status === "rejected" ? t.rowDecided.rejected(name)
    : row.status === "expired" ? t.rowDecided.expired
    : t.rowDecided.cancelled
}

type Decision = ApprovalRow["allowed_decisions"][number]
const found = (row: ApprovalRow, decision: "approve" | "reject"): Decision | undefined =>
  row.allowed_decisions.find((each) => each.decision === decision)

/** Whether the person may, the password apart. */
export const mayDecide = (row: ApprovalRow, decision: "approve" | "reject"): boolean => {
  const allowed = found(row, decision)
  return allowed?.allowed === true || allowed?.denied_because === "step_up_required"
}
export const denialOf = (row: ApprovalRow): string | undefined => found(row, "approve")?.denied_because
