/**
 * Sends due mails. A claimed mail is leased for the pause of its attempt: if the hub is killed before it records the
 * outcome, another sends the mail again with the same `Message-ID`. Spec: reference/notices.md "Delivery".
 */
import { Context, Effect, Layer } from "effect"
import { Readiness } from "../platform/readiness.ts"
import { inBatches, makeWakeUps, repeatLongRounds } from "../platform/rounds.ts"
import { Signals } from "../platform/signals.ts"
import { counting, mailsTotal } from "../platform/telemetry.ts"
import { Mailer } from "../providers/mail.ts"
import { type MailContent, mailSignal, Outbox } from "./outbox.ts"
import { attemptsMax, type MailRow, MailsRepository } from "./repository.ts"

const roundMillis = 2_000
const batchMax = 20
const sendsAtOnce = 4
/** Less than the first pause: an attempt is over before another hub may claim the mail. */
const timeoutMillis = 20_000
const cleanMillis = 600_000
/** How long ended mails and their notices are kept. */
export const keptDays = 30
const cleanMax = 1_000

/** The content of a mail about notices, as of now; undefined when none of them applies any more. */
export class NoticeMails extends Context.Service<NoticeMails, {
  readonly contentOf: (mail: MailRow & { readonly user_id: string }) => Effect.Effect<MailContent | undefined>
}>()("@countersign/hub/mail/NoticeMails") {}

export class MailSender extends Context.Service<MailSender, {
  /** One round; returns the number of claimed mails. */
  readonly round: Effect.Effect<number>
}>()("@countersign/hub/mail/MailSender") {
  static readonly layer = Layer.effect(
    MailSender,
    Effect.gen(function*() {
      const repository = yield* MailsRepository
      const outbox = yield* Outbox
      const notices = yield* NoticeMails
      const mailer = yield* Mailer
      const signals = yield* Signals
      const readiness = yield* Readiness
      const counted = counting(mailsTotal, yield* Effect.context<never>())

      const contentOf = (mail: MailRow): Effect.Effect<MailContent | undefined> =>
        mail.sealed !== null
          ? Effect.sync(() => outbox.opened(mail.id, mail.sealed!))
          : mail.user_id === null
          ? Effect.succeed(undefined)
          : notices.contentOf({ ...mail, user_id: mail.user_id })

      const send = Effect.fnUntraced(function*(mail: MailRow) {
        const { attempt, id, kind, org_id: org } = mail
        const content = yield* contentOf(mail)
        if (content === undefined) {
          counted({ kind, outcome: "cancelled" })
          return yield* repository.end(org, id, "cancelled")
        }
        const { html, subject, text, to } = content
        const sent = yield* Effect.result(
          mailer.send({ to: [to], subject, text, html, id, automatic: true }, timeoutMillis)
        )
        if (sent._tag === "Success") {
          counted({ kind, outcome: "sent" })
          return yield* repository.end(org, id, "sent")
        }
        const problem = sent.failure.message
        const isLast = attempt >= attemptsMax
        counted({ kind, outcome: isLast ? "failed" : "retried" })
        yield* Effect.logWarning(`${id} was not mailed: ${problem}`)
        yield* isLast ? repository.end(org, id, "failed", problem) : repository.failed(org, id, problem)
      })

      const batch = Effect.gen(function*() {
        const due = yield* repository.claim(batchMax)
        yield* Effect.forEach(due, (mail) =>
          Effect.catchCause(
            send(mail),
            (cause) => Effect.logWarning(`${mail.id} could not be sent; the hub will retry`, cause)
          ), { concurrency: sendsAtOnce, discard: true })
        return due.length
      })

      const round = Effect.gen(function*() {
        // A hub without a mail server leaves the mails to one with it.
        if (!outbox.isConfigured || readiness.phase() === "draining") return 0
        return yield* inBatches(batchMax, batch)
      })

      const wakeUps = yield* makeWakeUps(signals, (signal) => signal.kind === "object" && signal.id === mailSignal)
      // The rounds of the poll and of the signal claim different mails.
      yield* Effect.forkScoped(
        Effect.forever(Effect.andThen(
          wakeUps.wait,
          Effect.catchCause(round, (cause) => Effect.logWarning("mails: a round failed and will be repeated", cause))
        ))
      )
      yield* repeatLongRounds(readiness, "mails", roundMillis, round)
      yield* repeatLongRounds(readiness, "old mails", cleanMillis, repository.deleteEnded(keptDays, cleanMax))
      return MailSender.of({ round })
    })
  )
}
