/**
 * Sends notices to browsers through their push services, encrypted for each, by the egress guard. A push is leased like
 * a mail; a browser shows two of one subject as one. Spec: reference/notices.md "Browsers", "Delivery".
 */
import { Context, Effect, Layer, Option } from "effect"
import { Settings } from "../config.ts"
import { plainLine } from "../mail/plain-line.ts"
import { DueWork } from "../platform/due-work.ts"
import { Readiness } from "../platform/readiness.ts"
import { inBatches, makeWakeUps, repeatLongRounds } from "../platform/rounds.ts"
import { Signals } from "../platform/signals.ts"
import { counting, pushesTotal } from "../platform/telemetry.ts"
import { Egress } from "../providers/egress.ts"
import { NoticeChecks } from "./gatherer.ts"
import { screenPath } from "./links.ts"
import { encrypted, messageBytesMax, vapidHeader } from "./push-crypto.ts"
import { duePushes, pushAttemptsMax, PushRepository, type PushRow, pushSignal } from "./push-repository.ts"
import { Push } from "./push.ts"
import { RecipientsRepository } from "./recipients-repository.ts"
import { NoticesRepository } from "./repository.ts"
import { digestOf } from "./rules.ts"
import { momentIn } from "./words.ts"

/** Wake-ups within this time are one round. */
const restMillis = 100
const batchMax = 50
const sendsAtOnce = 8
/** Less than the first pause: an attempt is over before another hub may claim the push. */
const timeoutMillis = 15_000
/** How long a push service keeps a notice for a browser that is off, at most. */
const keptSecondsMax = 86_400
const cleanMillis = 600_000

type Outcome = "sent" | "expired" | "failed" | "retried"

/** What the answer of a push service means (RFC 8030). */
export const outcomeOf = (status: number): Outcome =>
  status >= 200 && status < 300
    ? "sent"
    : status === 404 || status === 410
    ? "expired"
    : status === 429 || status >= 500
    ? "retried"
    : "failed"

const suffixOf = (id: string): string => id.slice(id.indexOf("_") + 1)

export class PushSender extends Context.Service<PushSender, {
  /** One round; returns the number of claimed pushes. */
  readonly round: Effect.Effect<number>
}>()("@countersign/hub/notices/PushSender") {
  static readonly layer = Layer.effect(
    PushSender,
    Effect.gen(function*() {
      const repository = yield* PushRepository
      const notices = yield* NoticesRepository
      const recipients = yield* RecipientsRepository
      const checks = yield* NoticeChecks
      const push = yield* Push
      const egress = yield* Egress
      const signals = yield* Signals
      const readiness = yield* Readiness
      const dueWork = yield* DueWork
      const { mailFrom, publicUrl } = yield* Settings
      const counted = counting(pushesTotal, yield* Effect.context<never>())
      const sender = /[^\s<>]+@[^\s<>]+/.exec(Option.getOrElse(mailFrom, () => ""))?.[0]
      const contact = sender === undefined ? `mailto:postmaster@${publicUrl.hostname}` : `mailto:${sender}`

      /** Undefined when the notice no longer applies. */
      const messageOf = Effect.fnUntraced(function*({ notice }: PushRow, now: Date) {
        const person = yield* recipients.one(notice.org_id, notice.user_id)
        const [valid] = yield* checks.valid(person, [notice], "browser")
        if (person === undefined || valid === undefined) return undefined
        const { expiresAt, words: { details, id, screen, title } } = valid.subject
        const left = expiresAt === undefined ? keptSecondsMax : Math.ceil((expiresAt.getTime() - now.getTime()) / 1_000)
        return {
          text: JSON.stringify({
            title,
            body: [
              ...details,
              ...expiresAt === undefined ? [] : [`expires ${momentIn(person.time_zone, expiresAt)}`],
              plainLine(person.org.name, 60)
            ].join(" · "),
            path: screenPath({ kind: screen, org: person.org.id, id: suffixOf(id) }),
            tag: notice.subject_id
          }),
          seconds: Math.max(1, Math.min(left, keptSecondsMax))
        }
      })

      const send = Effect.fnUntraced(function*(row: PushRow) {
        const { attempt, notice, sealed, subscription_id: subscription } = row
        const now = yield* notices.now
        const message = yield* messageOf(row, now)
        if (message === undefined) return yield* repository.end(notice.id, subscription, false)
        const { keys, url } = push.endpointOf(subscription, sealed)
        const text = Buffer.byteLength(message.text) > messageBytesMax ? "{}" : message.text
        const answer = yield* Effect.result(egress.request({
          url,
          method: "POST",
          headers: {
            authorization: vapidHeader(yield* push.vapid, new URL(url), contact, now.getTime()),
            "content-encoding": "aes128gcm",
            "content-type": "application/octet-stream",
            ttl: String(message.seconds),
            urgency: digestOf(notice.event) === "inbox" ? "high" : "normal",
            // At most 32 characters; a newer notice of the subject replaces one that the browser has not fetched yet.
            topic: suffixOf(notice.subject_id).slice(0, 32)
          },
          body: encrypted(text, keys),
          timeoutMs: timeoutMillis,
          maxBytes: 4_096,
          overflow: "cut"
        }))
        const outcome = answer._tag === "Success"
          ? outcomeOf(answer.success.status)
          : answer.failure._tag === "EgressRefused"
          ? "failed"
          : "retried"
        const isLast = outcome === "retried" && attempt >= pushAttemptsMax
        counted({ outcome: isLast ? "failed" : outcome })
        if (outcome === "expired") return yield* repository.remove(row.subscription_user, subscription)
        if (outcome === "retried" && !isLast) return
        if (outcome !== "sent") {
          yield* Effect.logWarning(
            `a browser was not notified: ${
              answer._tag === "Success" ? `the push service answered ${answer.success.status}` : answer.failure.message
            }`
          )
        }
        yield* repository.end(notice.id, subscription, outcome === "sent")
      })

      const batch = Effect.gen(function*() {
        const due = yield* repository.claim(batchMax)
        yield* Effect.forEach(due, (row) =>
          Effect.catchCause(
            send(row),
            (cause) => Effect.logWarning(`${row.notice.id} could not be pushed; the hub will retry`, cause)
          ), { concurrency: sendsAtOnce, discard: true })
        return due.length
      })

      const round = Effect.suspend(() =>
        readiness.phase() === "draining" ? Effect.succeed(0) : inBatches(batchMax, batch)
      )

      const wakeUps = yield* makeWakeUps(signals, (signal) => signal.kind === "object" && signal.id === pushSignal)
      yield* repeatLongRounds(
        readiness,
        "pushes",
        restMillis,
        round,
        Effect.raceFirst(wakeUps.wait, dueWork.wait(duePushes))
      )
      yield* repeatLongRounds(readiness, "ended browsers", cleanMillis, repository.deleteEnded)
      return PushSender.of({ round })
    })
  )
}
