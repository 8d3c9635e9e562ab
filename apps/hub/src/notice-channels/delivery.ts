/**
 * Sends and updates messages. A due message is a row; a channel is leased by one hub at a time, so its messages keep their
 * order and a slow messenger delays no other channel. The leases of a killed hub expire. Spec:
 * reference/notice-channels.md "Delivery".
 */
import { Context, Effect, Layer, Metric, Result } from "effect"
import { Db } from "../platform/db.ts"
import { DueWork } from "../platform/due-work.ts"
import { Readiness } from "../platform/readiness.ts"
import { isOfLogs, makeWakeUps, repeatRounds } from "../platform/rounds.ts"
import { Signals } from "../platform/signals.ts"
import { noticeMessages } from "../platform/telemetry.ts"
import { NoticeFeed } from "./feed.ts"
import { NoticeMentions } from "./mentions.ts"
import { type MessageRow, NoticeMessagesRepository } from "./messages-repository.ts"
import type { MessengerFailure, SentMessage } from "./messenger.ts"
import { type ClaimedChannel, dueChannels, NoticeChannelsRepository } from "./repository.ts"
import { attemptsMax, pauseSeconds } from "./rules.ts"
import { NoticeSender } from "./sender.ts"
import { NoticeSubjects } from "./subjects.ts"

/** Wake-ups within this time are one round. */
const restMillis = 50
/** Channels of this hub at a time, of those of one workspace, and messages of a lease. */
const channelsMax = 16
const channelsPerWorkspace = 4
const messagesMax = 2
/** Longer than the calls of a lease take. */
const leaseSeconds = 15
/** The pause of a channel whose provider refuses: a person must change something. */
const refusedSeconds = 60
const keptDays = 30
const forgetMillis = 3_600_000
const forgetBatch = 1_000

export class NoticeDelivery extends Context.Service<NoticeDelivery, {
  /** One round: reads the log and starts the channels that are due. */
  readonly round: Effect.Effect<void>
}>()("@countersign/hub/notice-channels/NoticeDelivery") {
  static readonly layer = Layer.effect(
    NoticeDelivery,
    Effect.gen(function*() {
      const channels = yield* NoticeChannelsRepository
      const messages = yield* NoticeMessagesRepository
      const subjects = yield* NoticeSubjects
      const sender = yield* NoticeSender
      const mentions = yield* NoticeMentions
      const feed = yield* NoticeFeed
      const signals = yield* Signals
      const readiness = yield* Readiness
      const dueWork = yield* DueWork
      const db = yield* Db
      const scope = yield* Effect.scope
      const wakeUps = yield* makeWakeUps(signals, isOfLogs)
      /** Channels in progress, by workspace. */
      const active: Array<string> = []

      const count = (provider: string, result: string) =>
        Metric.update(Metric.withAttributes(noticeMessages, { provider, result }), 1)

      const sentOf = ({ message, place }: MessageRow): SentMessage | undefined =>
        message === null || place === null ? undefined : { place, message }

      const send = Effect.fnUntraced(function*(
        channel: ClaimedChannel,
        row: MessageRow
      ): Effect.fn.Return<void, MessengerFailure> {
        const subject = yield* subjects.find(row.org_id, row.subject_type, row.subject_id)
        const sent = sentOf(row)
        // Decided before it was shown, or removed: there is nothing to show.
        if (subject === undefined || (sent === undefined && !subject.notice.isOpen)) {
          yield* messages.succeeded(row, { sent, closed: true })
          return
        }
        const now = sent === undefined
          ? yield* sender.post(
            channel,
            {
              ...subject.notice,
              mentions: yield* mentions.of(row.org_id, channel.kind, row.subject_type, row.subject_id)
            },
            row.id
          )
          : yield* Effect.as(sender.update(channel, sent, subject.notice), sent)
        yield* db.transaction(Effect.andThen(
          messages.succeeded(row, { sent: now, closed: !subject.notice.isOpen }),
          channels.note(channel.org_id, channel.id, null)
        ))
        if (sent === undefined) signals.object(row.subject_id)
        yield* count(channel.kind, sent === undefined ? "sent" : "updated")
      })

      /** Returns the seconds for which the channel rests; undefined: it continues. */
      const failed = Effect.fnUntraced(function*(channel: ClaimedChannel, row: MessageRow, failure: MessengerFailure) {
        yield* count(channel.kind, failure.kind)
        if (failure.kind === "limited") return failure.seconds
        if (failure.kind === "gone") {
          yield* messages.failed(row, undefined)
          return undefined
        }
        const isLast = row.attempts + 1 >= attemptsMax
        yield* messages.failed(row, isLast ? undefined : pauseSeconds(row.attempts + 1))
        yield* channels.note(channel.org_id, channel.id, failure.detail)
        return failure.kind === "refused" ? Math.min(refusedSeconds, pauseSeconds(row.attempts + 1)) : undefined
      })

      const deliver = Effect.fnUntraced(function*(channel: ClaimedChannel) {
        for (const row of yield* messages.due(channel.org_id, channel.id, messagesMax)) {
          const result = yield* Effect.result(send(channel, row))
          const rest = Result.isFailure(result) ? yield* failed(channel, row, result.failure) : undefined
          if (rest !== undefined) return yield* channels.release(channel, rest)
        }
        yield* channels.release(channel, 0)
      })

      const start = (channel: ClaimedChannel) =>
        Effect.sync(() => void active.push(channel.org_id)).pipe(
          Effect.andThen(deliver(channel)),
          Effect.catchCause((cause) =>
            Effect.logWarning(`messages of the channel ${channel.id} failed and will be repeated`, cause)
          ),
          Effect.ensuring(Effect.sync(() => {
            active.splice(active.indexOf(channel.org_id), 1)
            wakeUps.wake()
          })),
          Effect.forkIn(scope)
        )

      const round = Effect.gen(function*() {
        while (yield* feed.read) { /* the rest of the log */ }
        const free = channelsMax - active.length
        if (free <= 0 || signals.stopped()) return
        const busy = [...Map.groupBy(active, (org) => org)].filter(([, own]) => own.length >= channelsPerWorkspace)
        const claimed = yield* channels.claim({
          limit: free,
          perWorkspace: channelsPerWorkspace,
          without: busy.map(([org]) => org),
          seconds: leaseSeconds
        })
        yield* Effect.forEach(claimed, start, { discard: true })
      })

      yield* repeatRounds(
        readiness,
        "notice channels",
        restMillis,
        round,
        Effect.raceFirst(wakeUps.wait, dueWork.wait(...dueChannels))
      )
      yield* repeatRounds(readiness, "old notices", forgetMillis, messages.forget(keptDays, forgetBatch))
      return NoticeDelivery.of({ round })
    })
  )
}
