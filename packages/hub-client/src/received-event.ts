/**
 * Reads the JSON of one event without a schema, by the same rule as the domain's `HubEvent`, except that a newer hub's
 * type is accepted. Spec: reference/audit-and-events.md "Event stream".
 */
import type { HubEvent } from "@countersign/domain/events"

/** An event of a type that this client may not have. */
export interface ReceivedEvent extends Omit<HubEvent, "type"> {
  readonly type: string
}

type Members = Readonly<Record<string, unknown>>

const membersOf = (value: unknown): Members =>
  typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Undefined if the text is not an event. */
export const readEvent = (text: string): ReceivedEvent | undefined => {
  const { id, subject, type, version, workspace } = membersOf(parsed(text))
  const { id: subjectId, type: subjectType } = membersOf(subject)
  if (typeof id !== "string" || typeof type !== "string") return undefined
  if (typeof subjectId !== "string" || typeof subjectType !== "string") return undefined
  if (typeof version !== "number" || !Number.isSafeInteger(version)) return undefined
  if (workspace !== undefined && typeof workspace !== "string") return undefined
  return {
    id,
    type,
    subject: { type: subjectType, id: subjectId },
    version,
    ...workspace === undefined ? {} : { workspace }
  }
}
