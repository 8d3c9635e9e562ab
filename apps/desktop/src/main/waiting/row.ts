/** One pending approval for tray, badge, and notifications: bounded, with text that is safe to show anywhere. */
import type { Approval } from "@countersign/domain/approvals"
import { makeMask } from "../../device/masker.ts"
import { dollars, plainLine } from "../plain-text.ts"

const summaryLengthMax = 160

export interface WaitingRow {
  readonly id: string
  readonly workspace: string
  /** "Scout wants to call voice.call". */
  readonly sentence: string
  readonly agent: string
  readonly costCents: number
  /** Milliseconds since 1970, by this computer's clock, even if that clock is wrong. */
  readonly requestedAt: number
  readonly expiresAt: number
  readonly digest: string
  /**
   * Whether this person may approve, possibly after signing in again. Approvals that only others may decide cause no
   * notification.
   */
  readonly mine: boolean
  /** The masked payload; only if the profile's owner enabled it. */
  readonly summary?: string
}

const mask = makeMask([])

const sentenceOf = ({ agent, device, kind, operation, requested_by, service }: Approval): string => {
  const who = plainLine(requested_by?.name ?? agent.name, 40)
  if (kind === "device_command") {
    return `${who} wants ${plainLine(device?.name ?? "a device", 40)} to run ${plainLine(operation ?? "a command", 40)}`
  }
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
const summaryOf = ({ payload, summary = [] }: Approval): string => {
  const text = summary.length > 0 ? summary.map(fieldText).join(" · ") : JSON.stringify(payload) ?? ""
  return plainLine(mask.text(text), summaryLengthMax)
}

export interface RowOptions {
  readonly withPayload: boolean
  /** How far the hub's clock is ahead of this computer's. */
  readonly aheadMillis?: number
}

export const rowOf = (approval: Approval, { aheadMillis = 0, withPayload }: RowOptions): WaitingRow => ({
  id: approval.id,
  workspace: approval.org_id,
  sentence: sentenceOf(approval),
  agent: plainLine(approval.agent.name, 40),
  costCents: approval.cost_cents,
  requestedAt: Date.parse(approval.requested_at) - aheadMillis,
  expiresAt: Date.parse(approval.expires_at) - aheadMillis,
  digest: approval.payload_digest,
  mine: isMine(approval),
  ...(withPayload && approval.payload !== undefined ? { summary: summaryOf(approval) } : {})
})
