/** The status of a command in words: one sentence, its cause, and its look in a list. */
import type { Tone } from "../components/badge.tsx"
import type { Command, Device } from "../hub/queries.ts"
import type { StatusLook } from "../patterns/status.ts"
import type { commandsText } from "../text/commands.ts"

type Texts = typeof commandsText

export const isFinal = ({ status }: Pick<Command, "status">): boolean =>
  status === "done" || status === "cancelled" || status === "expired"

export interface StateWords {
  readonly text: string
  readonly tone: Tone
  readonly look: StatusLook
}

export const stateOf = (
  t: Texts,
  command: Pick<Command, "status" | "outcome" | "lost" | "cancel_requested_at">
): StateWords => {
  const { cancel_requested_at, lost, outcome, status } = command
  if (status === "done" && outcome !== undefined) {
    const text = t.outcomes[outcome]
    if (outcome === "succeeded") return { text, tone: "ok", look: "executed" }
    if (outcome === "cancelled") return { text, tone: "neutral", look: "expired" }
    return { text, tone: "stop", look: outcome === "denied" ? "blocked" : "failed" }
  }
  if (isFinal(command)) return { text: t.statuses[status], tone: "neutral", look: "expired" }
  if (lost) return { text: t.lost, tone: "neutral", look: "waiting" }
  if (cancel_requested_at !== undefined) return { text: t.cancelling, tone: "info", look: "running" }
  if (status === "awaiting_consent") return { text: t.statuses[status], tone: "hold", look: "waiting" }
  return status === "running"
    ? { text: t.statuses[status], tone: "info", look: "running" }
    : { text: t.statuses[status], tone: "neutral", look: "waiting" }
}

/** The cause in our words, for the wire's codes that have a text. */
export const causeOf = (t: Texts, { error }: Pick<Command, "error">): string | undefined =>
  error !== undefined && Object.hasOwn(t.causes, error.code) ? t.causes[error.code as keyof Texts["causes"]] : undefined

export const sentenceOf = (
  t: Texts,
  command: Command,
  device: Pick<Device, "presence" | "state"> | undefined
): string => {
  const { head: sentences } = t
  const { cancel_requested_at, lost, outcome, started_at, status, timeout_seconds, unconfirmed } = command
  if (status === "expired") return sentences.expired
  if (unconfirmed === true) return sentences.unconfirmed
  if (status === "cancelled" || outcome === "cancelled") {
    return started_at === undefined ? sentences.cancelledUnstarted : sentences.cancelled
  }
  if (status === "done") {
    switch (outcome) {
      case "succeeded":
        return cancel_requested_at === undefined ? sentences.succeeded : sentences.succeededCancel
      case "timed_out":
        return sentences.timed_out(t.detail.seconds(timeout_seconds))
      case undefined:
        return sentences.interrupted
      default:
        return sentences[outcome]
    }
  }
  if (lost) return sentences.lost
  if (cancel_requested_at !== undefined) return sentences.cancelling
  if (status !== "queued" || device === undefined) return sentences[status]
  if (device.presence === "offline" || device.presence === "never") return sentences.queuedOffline
  return device.state === "active" ? sentences.queued : sentences.queuedPaused
}

/** From its start to its end, or to now; undefined if it never started. */
export const tookMillis = (
  { done_at, started_at }: Pick<Command, "started_at" | "done_at">,
  now: number
): number | undefined =>
  started_at === undefined ? undefined : (done_at === undefined ? now : Date.parse(done_at)) - Date.parse(started_at)
