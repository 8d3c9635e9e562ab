/**
 * A message about a subject that people decide, without the forms of a messenger. Pure. Spec:
 * reference/notice-channels.md "Messages".
 */
import { isMask } from "@countersign/domain/mask"
import { isRemoved } from "@countersign/domain/retention"
import type { SummaryField } from "@countersign/domain/summary"

/** Lines of the payload that a message shows. */
export const noticeLinesMax = 3
/** Characters of one value; a longer one is cut. */
export const noticeValueMax = 200
/** Characters of the digest that the message shows as the seal. */
const sealLength = 8

export const subjectTypes = ["approval", "agent_request", "budget_request"] as const
export type SubjectType = typeof subjectTypes[number]

export interface Line {
  readonly label: string
  readonly value: string
}

/** A button that decides. `form`: a dialog opens first, and its text is the comment or the answer. */
export interface DecisionButton {
  readonly value: string
  readonly label: string
  readonly style: "primary" | "danger" | "plain"
  /** The question before the decision; undefined: the click decides. */
  readonly confirm?: { readonly title: string; readonly text: string }
  readonly form?: FormFacts
}

export interface FormFacts {
  readonly title: string
  readonly submit: string
  readonly label: string
  readonly required: boolean
  readonly max: number
}

export interface Notice {
  readonly subject: { readonly type: SubjectType; readonly id: string }
  readonly title: string
  /** Such as "$42.00". */
  readonly amount: string | undefined
  readonly lines: ReadonlyArray<Line>
  readonly reason: string | undefined
  readonly seal: string | undefined
  readonly isTest: boolean
  readonly expiresAt: Date | undefined
  /** Decisions so far, and the final one. */
  readonly states: ReadonlyArray<string>
  readonly isOpen: boolean
  /** Ids of accounts that a new message mentions. */
  readonly mentions?: ReadonlyArray<string>
  /** Empty once it is decided, and where the decision needs a stepped-up session. */
  readonly buttons: ReadonlyArray<DecisionButton>
  /** The page of the console that shows the subject. */
  readonly url: string
}

export const dollars = (cents: number): string =>
  `$${Math.floor(cents / 100).toString().replace(/\B(?=(\d{3})+$)/g, ",")}.${String(cents % 100).padStart(2, "0")}`

/** One line without control characters, of at most `max` characters. */
export const oneLine = (text: string, max = noticeValueMax): string => {
  const clean = text.toWellFormed().replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, " ").trim()
  const letters = Array.from(clean.slice(0, max * 2))
  return letters.length <= max && clean.length <= max * 2 ? clean : `${letters.slice(0, max - 1).join("")}…`
}

export const sealOf = (digest: string): string => digest.slice(0, sealLength)

const valueText = (value: unknown): string =>
  isMask(value) ? "hidden" : isRemoved(value) ? "removed" : typeof value === "string" ? value : JSON.stringify(value)

const fieldText = ({ format, value }: SummaryField): string =>
  format === "cents" && typeof value === "number" && Number.isInteger(value) && value >= 0
    ? dollars(value)
    : String(value)

/** The summary fields of a payload; without any, its first fields. The payload is masked. */
export const linesOf = (summary: ReadonlyArray<SummaryField>, payload: unknown): ReadonlyArray<Line> => {
  const fields = summary.map((field) => ({ label: field.label, value: fieldText(field) }))
  const own = typeof payload === "object" && payload !== null && !Array.isArray(payload) && !isMask(payload) &&
      !isRemoved(payload)
    ? Object.entries(payload).map(([label, value]) => ({ label, value: valueText(value) }))
    : [{ label: "payload", value: valueText(payload) }]
  return (fields.length > 0 ? fields : own).slice(0, noticeLinesMax).map(({ label, value }) => ({
    label: oneLine(label, 40),
    value: oneLine(value)
  }))
}

/** `2026-11-27 22:15 UTC` */
export const timeText = (at: Date): string => `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`

const valuePattern = /^([a-z])([0-9]{0,2}):((?:apr|arq|brq)_[0-7][0-9a-hjkmnp-tv-z]{25}):([0-9a-f]{64})$/

export type Verb = "approve" | "reject" | "answer" | "dismiss" | "option"
const verbs: Readonly<Record<string, Verb>> = { a: "approve", r: "reject", q: "answer", d: "dismiss", o: "option" }
const letters: Readonly<Record<Verb, string>> = { approve: "a", reject: "r", answer: "q", dismiss: "d", option: "o" }

export interface ButtonValue {
  readonly verb: Verb
  /** Of `option`: the place of the chosen answer. */
  readonly option: number
  readonly subject: string
  readonly digest: string
}

/** At most 99 characters; Discord allows 100. */
export const buttonValue = (verb: Verb, subject: string, digest: string, option?: number): string =>
  `${letters[verb]}${option ?? ""}:${subject}:${digest}`

export const readButtonValue = (text: string): ButtonValue | undefined => {
  const [, letter = "", option = "", subject = "", digest = ""] = valuePattern.exec(text) ?? []
  const verb = verbs[letter]
  return verb === undefined || (verb === "option") === (option === "")
    ? undefined
    : { verb, option: Number(option), subject, digest }
}
