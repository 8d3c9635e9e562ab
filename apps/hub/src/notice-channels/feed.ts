/**
 * Turns the audit log into messages. Each channel has a position in its workspace's log, which advances in the transaction
 * that writes the messages: an entry is lost by no crash, and counts once over any number of hubs. Spec:
 * reference/notice-channels.md "Delivery".
 */
import { eventsOf, type EventType, type HubEvent } from "@countersign/domain/events"
import { newId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { Db } from "../platform/db.ts"
import { NoticeMessagesRepository } from "./messages-repository.ts"
import { type SubjectType, subjectTypes } from "./notice.ts"
import { type BehindChannel, NoticeChannelsRepository } from "./repository.ts"
import { isShown } from "./rules.ts"
import { NoticeSubjects } from "./subjects.ts"

/** Channels of one transaction, and entries of one channel. */
const channelsMax = 10
const entriesMax = 200

/** Events by which a subject may become pending. */
const opening: ReadonlySet<EventType> = new Set(["approval.created", "agent_request.created", "budget_request.updated"])

const typeOf = (type: string): SubjectType | undefined => subjectTypes.find((known) => known === type)

export class NoticeFeed extends Context.Service<NoticeFeed, {
  /** Reads the entries that channels have not read; returns whether there may be more. */
  readonly read: Effect.Effect<boolean>
}>()("@countersign/hub/notice-channels/NoticeFeed") {
  static readonly layer = Layer.effect(
    NoticeFeed,
    Effect.gen(function*() {
      const channels = yield* NoticeChannelsRepository
      const messages = yield* NoticeMessagesRepository
      const subjects = yield* NoticeSubjects
      const db = yield* Db

      const open = Effect.fnUntraced(function*(channel: BehindChannel, event: HubEvent) {
        const type = typeOf(event.subject.type)
        if (type === undefined) return
        const subject = yield* subjects.find(channel.org_id, type, event.subject.id)
        if (subject === undefined || !subject.notice.isOpen || !isShown(channel, subject.facts)) return
        yield* messages.insert(channel.org_id, {
          id: newId("ntm"),
          channel: channel.id,
          type,
          subject: event.subject.id,
          request: subject.request,
          digest: subject.digest
        })
      })

      /** Returns whether entries of the range are left. */
      const advance = Effect.fnUntraced(function*(channel: BehindChannel) {
        const { head, id, org_id: org, seq } = channel
        // A restored backup has a shorter log.
        const entries = head < seq ? [] : yield* messages.entries(org, id, seq, head, entriesMax)
        const events = entries.flatMap((entry) => eventsOf(org, entry))
        const changed = new Set(events.map(({ subject }) => subject.id))
        if (changed.size > 0) yield* messages.changed(org, id, [...changed])
        for (const event of events) if (opening.has(event.type)) yield* open(channel, event)
        const isFull = entries.length === entriesMax
        yield* channels.moveTo(org, id, isFull ? entries.at(-1)!.seq : head)
        return isFull
      })

      return NoticeFeed.of({
        read: db.transaction(Effect.gen(function*() {
          const behind = yield* channels.behind(channelsMax)
          let more = behind.length === channelsMax
          for (const channel of behind) more = (yield* advance(channel)) || more
          return more
        }))
      })
    })
  )
}
