/** Which entries of the log notify people, and when. Pure. Spec: reference/notices.md "Events", "Delivery". */
import type { AgentId } from "@countersign/domain/ids"
import {
  firstMailSeconds,
  noticeDefaults,
  type NoticeEvent,
  noticeEvents,
  type NoticePlaces
} from "@countersign/domain/notice-events"
import { type Hours, quietUntil } from "@countersign/domain/quiet-hours"

/** An entry of the log that may notify people. */
export interface NoticeEntry {
  readonly seq: number
  readonly id: string
  readonly action: string
  readonly actor_type: string
  readonly actor_id: string
  readonly subject_type: string | null
  readonly subject_id: string | null
  readonly agent_id: AgentId | null
  /** JSON. */
  readonly data: string
}

/** An event and its subject. */
export interface Noticed {
  readonly event: NoticeEvent
  readonly subject_type: string
  readonly subject_id: string
  /** Of the entry's data: what the object itself does not hold. Never a payload. */
  readonly facts: Readonly<Record<string, unknown>>
}

/** The actions of the entries that are read. */
export const noticedActions: ReadonlyArray<string> = [
  "service_request.approval_required",
  "approval.created",
  "agent_request.created",
  "budget.alert",
  "run.failed",
  "app.needs_reauth",
  "webhook_endpoint.disable"
]

const eventByAction: Readonly<Record<string, NoticeEvent>> = {
  "approval.created": "approval.created",
  "agent_request.created": "agent_request.created",
  "budget.alert": "budget.alert",
  "run.failed": "run.failed",
  "app.needs_reauth": "app.needs_reauth",
  "webhook_endpoint.disable": "webhook_endpoint.disabled"
}

/** The members of an entry's data that notices show. */
const shownFacts: Partial<Readonly<Record<NoticeEvent, ReadonlyArray<string>>>> = {
  "budget.alert": ["limit", "service", "operation", "level", "used_cents", "cap_cents", "used_count", "cap_count"],
  "run.failed": ["code"],
  "webhook_endpoint.disabled": ["url", "reason"]
}

/** What an entry notifies of; undefined for one that notifies nobody. */
export const noticedOf = (entry: NoticeEntry): Noticed | undefined => {
  const data = JSON.parse(entry.data) as Readonly<Record<string, unknown>>
  if (entry.action === "service_request.approval_required") {
    const approval = data["approval_id"]
    return typeof approval === "string"
      ? { event: "approval.created", subject_type: "approval", subject_id: approval, facts: {} }
      : undefined
  }
  const event = eventByAction[entry.action]
  if (event === undefined || entry.subject_type === null || entry.subject_id === null) return undefined
  // A person who disables an endpoint needs no notice.
  if (event === "webhook_endpoint.disabled" && entry.actor_type !== "hub") return undefined
  const shown = shownFacts[event] ?? []
  return {
    event,
    subject_type: entry.subject_type,
    subject_id: entry.subject_id,
    facts: Object.fromEntries(Object.entries(data).filter(([name]) => shown.includes(name)))
  }
}

/** Events that share a mail, and the time between two mails. */
export type Digest = "inbox" | "alerts"

export const digestOf = (event: NoticeEvent): Digest =>
  event === "approval.created" || event === "agent_request.created" ? "inbox" : "alerts"

/** How long a notice waits before it is mailed, in seconds. */
export const mailDelaySeconds = (event: NoticeEvent): number => digestOf(event) === "inbox" ? firstMailSeconds : 0

/** A person's changes of the defaults. */
export type PlaceChanges = Readonly<Partial<Record<NoticeEvent, Partial<NoticePlaces>>>>

export const placesOf = (changes: PlaceChanges): Readonly<Record<NoticeEvent, NoticePlaces>> =>
  Object.fromEntries(
    noticeEvents.map((event) => [event, { ...noticeDefaults[event], ...changes[event] }])
  ) as unknown as Readonly<Record<NoticeEvent, NoticePlaces>>

/** What remains of changes once those that equal the defaults are removed. */
export const reducedChanges = (changes: PlaceChanges): PlaceChanges =>
  Object.fromEntries(noticeEvents.flatMap((event) => {
    const differing = Object.entries(changes[event] ?? {}).filter(([place, on]) =>
      on !== noticeDefaults[event][place as keyof NoticePlaces]
    )
    return differing.length === 0 ? [] : [[event, Object.fromEntries(differing)]]
  }))

/** When a notice may be sent, at the earliest; undefined: now. */
export const quietEnd = (
  hours: Hours | undefined,
  zone: string | null,
  now: Date
): Date | undefined => {
  if (hours === undefined) return undefined
  const end = quietUntil(hours, zone ?? "UTC", now.getTime())
  return end === undefined ? undefined : new Date(end)
}
