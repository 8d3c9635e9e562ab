/**
 * Gathers due notices: into one mail a person and digest, and to the person's browsers. Every notice is checked again:
 * one that no longer applies, or that the person no longer wants or may see, is dropped. Spec: reference/notices.md
 * "Delivery", "Quiet hours".
 */
import { noticeEvents } from "@countersign/domain/notice-events"
import { Context, Effect, Layer, Redacted } from "effect"
import { Settings } from "../config.ts"
import { Outbox } from "../mail/outbox.ts"
import { keptDays, NoticeMails } from "../mail/sender.ts"
import { Db } from "../platform/db.ts"
import { DueWork } from "../platform/due-work.ts"
import { MasterKey } from "../platform/master-key.ts"
import { Readiness } from "../platform/readiness.ts"
import { repeatLongRounds } from "../platform/rounds.ts"
import { Signals } from "../platform/signals.ts"
import { composeMail, type LinkSource } from "./composer.ts"
import { linkKey } from "./links.ts"
import { PushRepository, pushSignal } from "./push-repository.ts"
import { type Recipient, RecipientsRepository } from "./recipients-repository.ts"
import { dueNotices, type DuePerson, type Medium, type NoticeRow, NoticesRepository } from "./repository.ts"
import { type Digest, digestOf, quietEnd } from "./rules.ts"
import { type Subject, Subjects } from "./subjects.ts"

const roundMillis = 1_000
const peopleMax = 100
/** Notices of one mail. */
const noticesMax = 200
const browserBatch = 50
const cleanMillis = 600_000
const cleanMax = 1_000

/** A notice with the object that it still applies to. */
export interface ValidNotice {
  readonly notice: NoticeRow
  readonly subject: Subject
}

/** Whether a notice may still be sent to a person by a medium. */
export class NoticeChecks extends Context.Service<NoticeChecks, {
  readonly valid: (
    person: Recipient | undefined,
    notices: ReadonlyArray<NoticeRow>,
    medium: Medium
  ) => Effect.Effect<ReadonlyArray<ValidNotice>>
}>()("@countersign/hub/notices/NoticeChecks") {
  static readonly layer = Layer.effect(
    NoticeChecks,
    Effect.map(Subjects, (subjects) =>
      NoticeChecks.of({
        valid: Effect.fnUntraced(function*(person, notices, medium) {
          if (person === undefined) return []
          const found: Array<ValidNotice> = []
          for (const notice of notices) {
            // A newer hub may have written an event that this one does not have.
            if ((person.places as Partial<typeof person.places>)[notice.event]?.[medium] !== true) continue
            const subject = yield* subjects.find(notice.org_id, notice)
            if (subject?.concerns(person) === true) found.push({ notice, subject })
          }
          return found
        })
      }))
  )
}

/** The links of this hub's mails. */
export const linkSource: Effect.Effect<LinkSource, never, MasterKey | Settings> = Effect.gen(function*() {
  return {
    origin: (yield* Settings).publicUrl.origin,
    key: linkKey(Redacted.value((yield* MasterKey).key))
  }
})

/** The content of a mail whenever it is sent. */
export const noticeMailsLayer = Layer.effect(
  NoticeMails,
  Effect.gen(function*() {
    const repository = yield* NoticesRepository
    const recipients = yield* RecipientsRepository
    const checks = yield* NoticeChecks
    const links = yield* linkSource
    return NoticeMails.of({
      contentOf: Effect.fnUntraced(function*({ id, org_id: org, user_id: user }) {
        const person = yield* recipients.one(org, user)
        const valid = yield* checks.valid(person, yield* repository.ofMail(org, id), "email")
        const [first] = valid
        if (person === undefined || first === undefined) return undefined
        const now = yield* repository.now
        return composeMail(links, person, digestOf(first.notice.event), valid.map(({ subject }) => subject), now)
      })
    })
  })
)

export class NoticeGatherer extends Context.Service<NoticeGatherer, {
  /** One round; returns the number of new mails and of notices sent on to browsers. */
  readonly round: Effect.Effect<number>
}>()("@countersign/hub/notices/NoticeGatherer") {
  static readonly layer = Layer.effect(
    NoticeGatherer,
    Effect.gen(function*() {
      const repository = yield* NoticesRepository
      const recipients = yield* RecipientsRepository
      const pushes = yield* PushRepository
      const checks = yield* NoticeChecks
      const outbox = yield* Outbox
      const signals = yield* Signals
      const readiness = yield* Readiness
      const dueWork = yield* DueWork
      const db = yield* Db
      const idsOf = (notices: ReadonlyArray<NoticeRow>) => notices.map(({ id }) => id)

      const gather = Effect.fnUntraced(function*(person: Recipient, digest: Digest) {
        const org = person.org.id
        // Another hub that gathers the same digest waits here, and then sees when it was mailed.
        const mailedAt = yield* repository.lockDigest(org, person.id, digest)
        const events = noticeEvents.filter((event) => digestOf(event) === digest)
        const pending = yield* repository.pending(org, person.id, events, noticesMax)
        const now = yield* repository.now
        const [first] = pending
        if (first === undefined || !pending.some(({ due_at }) => due_at <= now)) return 0
        const quiet = quietEnd(person.quiet, person.time_zone, now)
        const open = mailedAt === null
          ? now
          : new Date(mailedAt.getTime() + person.digestMinutes * 60_000)
        const later = quiet ?? (open > now ? open : undefined)
        if (later !== undefined) {
          yield* repository.postpone(idsOf(pending), later)
          return 0
        }
        const valid = (yield* checks.valid(person, pending, "email")).map(({ notice }) => notice)
        const dropped = pending.filter((notice) => !valid.includes(notice))
        if (dropped.length > 0) yield* repository.drop(idsOf(dropped))
        if (valid.length === 0) return 0
        yield* repository.attach(idsOf(valid), yield* outbox.addNotices(org, person.id))
        yield* repository.recordDigest(org, person.id, digest)
        return 1
      }, db.transaction)

      const gatherOf = Effect.fnUntraced(function*({ events, org_id: org, user_id: user }: DuePerson) {
        const person = yield* recipients.one(org, user)
        if (person === undefined) return yield* Effect.as(repository.dropOf(org, user), 0)
        let mails = 0
        for (const digest of new Set(events.map(digestOf))) mails += yield* gather(person, digest)
        return mails
      })

      const toBrowsers = Effect.gen(function*() {
        const due = yield* repository.dueForBrowsers(browserBatch)
        const now = yield* repository.now
        const people = new Map<string, Recipient | undefined>()
        for (const notice of due) {
          const key = `${notice.org_id} ${notice.user_id}`
          if (!people.has(key)) people.set(key, yield* recipients.one(notice.org_id, notice.user_id))
          const person = people.get(key)
          const quiet = person && quietEnd(person.quiet, person.time_zone, now)
          if (quiet !== undefined) yield* repository.postpone([notice.id], quiet)
          else if ((yield* checks.valid(person, [notice], "browser")).length === 0) yield* repository.drop([notice.id])
          else {
            yield* pushes.add(notice.id, notice.user_id)
            yield* repository.sentToBrowsers([notice.id])
          }
        }
        if (due.length > 0) yield* db.afterCommit(Effect.sync(() => signals.object(pushSignal)))
        return due.length
      }).pipe(db.transaction)

      const round = Effect.gen(function*() {
        if (readiness.phase() === "draining") return 0
        let total = 0
        if (outbox.isConfigured) {
          for (const due of yield* repository.duePeople(peopleMax)) {
            total += yield* Effect.catchCause(gatherOf(due), (cause) =>
              Effect.as(
                Effect.logWarning(`the notices of ${due.user_id} could not be gathered; the hub will retry`, cause),
                0
              ))
          }
        }
        for (;;) {
          const count = yield* toBrowsers
          total += count
          if (count < browserBatch) return total
        }
      })

      const media: ReadonlyArray<Medium> = outbox.isConfigured ? ["browser", "email"] : ["browser"]
      yield* repeatLongRounds(readiness, "notice mails", roundMillis, round, dueWork.wait(...media.map(dueNotices)))
      yield* repeatLongRounds(readiness, "old notices", cleanMillis, repository.deleteOld(keptDays, cleanMax))
      return NoticeGatherer.of({ round })
    })
  )
}
