/** Which subjects a channel shows, and when a message is tried again. Pure. Spec: reference/notice-channels.md "Channel". */
import type { AgentId } from "@countersign/domain/ids"
import type { NoticeEvent } from "@countersign/domain/notice-channels"
import type { SubjectType } from "./notice.ts"

export interface ChannelFilter {
  readonly events: ReadonlyArray<NoticeEvent>
  readonly min_cents: number | null
  readonly agent_ids: ReadonlyArray<string> | null
}

export interface SubjectFacts {
  readonly type: SubjectType
  /** Undefined for an agent request, which is about no amount. */
  readonly cents: number | undefined
  /** Undefined for a person's command on a device. */
  readonly agent: AgentId | undefined
}

const eventOf: Readonly<Record<SubjectType, NoticeEvent>> = {
  approval: "approval.created",
  agent_request: "agent_request.created",
  budget_request: "budget_request.updated"
}

export const isShown = (channel: ChannelFilter, { agent, cents, type }: SubjectFacts): boolean =>
  channel.events.includes(eventOf[type]) &&
  (channel.min_cents === null || cents === undefined || cents >= channel.min_cents) &&
  (channel.agent_ids === null || (agent !== undefined && channel.agent_ids.includes(agent)))

const pausesSeconds = [1, 3, 10, 30, 120, 600, 1_800]

/** After this many failed tries a message stays as it is. With the pauses above: about a day. */
export const attemptsMax = 50

/** The pause before the next try of a message that failed `attempts` times. */
export const pauseSeconds = (attempts: number): number =>
  pausesSeconds[Math.min(Math.max(attempts, 1), pausesSeconds.length) - 1]!
