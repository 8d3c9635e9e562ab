/**
 * One pending approval or request for tray, badge, and notifications: bounded, with text that is safe to show anywhere.
 */
import type { Approval } from "@countersign/domain/approvals"
import { makeMask } from "../../device/results/masker.ts"
import { dollars, plainLine } from "../platform/plain-text.ts"

const summaryLengthMax = 160

export interface WaitingRow {
  /** Requests are built in `request-row.ts`. */
  readonly kind: "approval" | "agent_request" | "budget_request"
  readonly id: string
  readonly workspace: string
  /** "Scout wants to call voice.call". */
  readonly sentence: string
  readonly agent: string
  /** The maximum cost of an approval, or the increase that a budget request asks for; an agent request has none. */
  readonly cents?: number
  /** Milliseconds since 1970, by this computer's clock, even if that clock is wrong. */
  readonly requestedAt: number
  /** Absent: it does not expire. */
  readonly expiresAt?: number
  /**
   * Whether this person may decide, possibly after signing in again. Rows that only others may decide are not counted
   * and cause no notification.
   */
  readonly mine: boolean
  /** The masked payload, or the masked text of a request; only if the profile's owner enabled it. */
  readonly summary?: string
}

const mask = makeMask([])

/** Text of a requester as a short line; parts that look like a token are masked. */
export const maskedLine = (text: string): string => plainLine(mask.text(text), summaryLengthMax)

/** `$3.00`, or `$3.00 more` for a budget; empty without an amount. */
export const amountWords = ({ cents, kind }: Pick<WaitingRow, "cents" | "kind">): ReadonlyArray<string> =>
  cents === undefined ? [] : [kind === "budget_request" ? `${dollars(cents)} more` : dollars(cents)]

const sentenceOf = ({ agent, device, kind, operation, reason, requested_by, service }: Approval): string => {
  const who = plainLine(requested_by?.name ?? agent.name, 40)
  if (kind === "device_command") {
    return `${who} wants ${plainLine(device?.name ?? "a device", 40)} to run ${plainLine(operation ?? "a command", 40)}`
  }
  if (kind === "workflow_step") return `A workflow run of ${who} asks: ${maskedLine(reason)}`
  if (service === undefined) return `${who} requests a decision`
  return `${who} wants to call ${plainLine(operation === undefined ? service : `${service}.${operation}`, 60)}`
}

const isMine = ({ allowed_decisions }: Approval): boolean =>
  allowed_decisions.some(({ allowed, decision, denied_because }) =>
    decision === "approve" && (allowed || denied_because === "step_up_required")
  )

const fieldText = ({ format, label, value }: NonNullable<Approval["summary"]>[number]): string =>
  format === "cents" && typeof value === "number"
    ? dollars(value)
    : typeof value === "string"
    ? value
    : `${label} ${String(value)}`

/**
 * The operation's summary fields, or else the payload. The hub masks fields by its schemas; text that looks like a
 * token is masked here as well.
 */
const summaryOf = ({ kind, payload, summary = [] }: Approval): string => {
  if (kind === "workflow_step") {
    const { body } = (payload ?? {}) as { readonly body?: unknown }
    return typeof body === "string" ? maskedLine(body) : ""
  }
  const text = summary.length > 0 ? summary.map(fieldText).join(" · ") : JSON.stringify(payload) ?? ""
  return maskedLine(text)
}

export interface RowOptions {
  readonly withPayload: boolean
  /** How far the hub's clock is ahead of this computer's. */
  readonly aheadMillis?: number
}

export const rowOf = (approval: Approval, { aheadMillis = 0, withPayload }: RowOptions): WaitingRow => ({
  kind: "approval",
  id: approval.id,
  workspace: approval.org_id,
  sentence: sentenceOf(approval),
  agent: plainLine(approval.agent.name, 40),
  // A step of a run debits nothing.
  ...approval.kind === "workflow_step" ? {} : { cents: approval.cost_cents },
  requestedAt: Date.parse(approval.requested_at) - aheadMillis,
  expiresAt: Date.parse(approval.expires_at) - aheadMillis,
  mine: isMine(approval),
  ...(withPayload && approval.payload !== undefined ? { summary: summaryOf(approval) } : {})
})
