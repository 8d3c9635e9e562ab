/**
 * Writes notices from the logs of workspaces. Each part of a log is read by one hub: the notices and the position after
 * them are stored in one transaction, under a lock on the position. Spec: reference/notices.md "Delivery".
 */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { Outbox } from "../mail/outbox.ts"
import { Db } from "../platform/db.ts"
import { Readiness } from "../platform/readiness.ts"
import { isOfLogs, makeWakeUps, repeatLongRounds } from "../platform/rounds.ts"
import { Signals } from "../platform/signals.ts"
import { RecipientsRepository } from "./recipients-repository.ts"
import { type NewNotice, NoticesRepository } from "./repository.ts"
import { mailDelaySeconds, noticedActions, noticedOf } from "./rules.ts"
import { Subjects } from "./subjects.ts"

/** Entries of one transaction. */
const stretchMax = 2_000
const workspacesMax = 200
/** Pause between two rounds, so that a busy log is read in a few large parts. */
const restMillis = 500
/** How often the heads of all logs are compared without a signal. */
const pollMillis = 5_000

export class NoticeReader extends Context.Service<NoticeReader, {
  /** Reads the logs that are ahead; returns the number of new notices. */
  readonly round: Effect.Effect<number>
}>()("@countersign/hub/notices/NoticeReader") {
  static readonly layer = Layer.effect(
    NoticeReader,
    Effect.gen(function*() {
      const repository = yield* NoticesRepository
      const recipients = yield* RecipientsRepository
      const subjects = yield* Subjects
      const outbox = yield* Outbox
      const signals = yield* Signals
      const readiness = yield* Readiness
      const db = yield* Db

      const read = Effect.fnUntraced(function*(org: OrgId) {
        const after = yield* repository.position(org)
        if (after === undefined) return { count: 0, isDone: true }
        const { entries, last } = yield* repository.stretch(org, after, noticedActions, stretchMax)
        if (last === after) return { count: 0, isDone: true }
        const people = entries.length === 0 ? [] : yield* recipients.all(org)
        const notices: Array<NewNotice> = []
        for (const entry of entries) {
          const noticed = noticedOf(entry)
          const subject = noticed === undefined ? undefined : yield* subjects.find(org, noticed)
          if (noticed === undefined || subject === undefined) continue
          for (const person of people.filter(subject.concerns)) {
            const { browser, email } = person.places[noticed.event]
            const of = { noticed, audit: entry.id, user: person.id }
            if (email && outbox.isConfigured) {
              notices.push({ ...of, medium: "email", delaySeconds: mailDelaySeconds(noticed.event) })
            }
            if (browser && person.hasBrowser) notices.push({ ...of, medium: "browser", delaySeconds: 0 })
          }
        }
        if (notices.length > 0) yield* repository.insert(org, notices)
        yield* repository.advance(org, last)
        return { count: notices.length, isDone: last < after + stretchMax }
      }, db.transaction)

      const readAll = Effect.fnUntraced(function*(org: OrgId) {
        let total = 0
        for (;;) {
          const { count, isDone } = yield* read(org)
          total += count
          if (isDone) return total
        }
      })

      const round = Effect.gen(function*() {
        if (readiness.phase() === "draining") return 0
        let total = 0
        for (const org of yield* repository.behind(workspacesMax)) {
          // The failure of one workspace must not stop the round for the others.
          total += yield* Effect.catchCause(readAll(org), (cause) =>
            Effect.as(
              Effect.logWarning(`the notices of ${org} could not be written; the hub will retry`, cause),
              0
            ))
        }
        return total
      })

      const wakeUps = yield* makeWakeUps(signals, isOfLogs)
      yield* repeatLongRounds(
        readiness,
        "notices",
        restMillis,
        Effect.andThen(Effect.timeoutOption(wakeUps.wait, pollMillis), round)
      )
      return NoticeReader.of({ round })
    })
  )
}
