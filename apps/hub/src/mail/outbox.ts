/**
 * Mails as rows: written in the transaction of their cause, sent after it by any hub, and sent again after a failure.
 * Spec: reference/notices.md "Delivery".
 */
import { type MailId, newId, type OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Settings } from "../config.ts"
import { Db } from "../platform/db.ts"
import { MasterKey } from "../platform/master-key.ts"
import { open, seal } from "../platform/sealed.ts"
import { Signals } from "../platform/signals.ts"
import { type MailKind, MailsRepository } from "./repository.ts"

export interface MailContent {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The object of signals about new mails. */
export const mailSignal = "mails"

const place = (id: string): ReadonlyArray<string> => ["mail", id]

export class Outbox extends Context.Service<Outbox, {
  /** Whether the operator has set a mail server and a sender. */
  readonly isConfigured: boolean
  /** Adds a mail about an object. Call it in the transaction of its cause. */
  readonly add: (
    org: OrgId,
    kind: Exclude<MailKind, "notices">,
    subject: string,
    content: MailContent
  ) => Effect.Effect<void>
  /** Adds a mail that is composed from the notices of a person whenever it is sent. */
  readonly addNotices: (org: OrgId, user: string) => Effect.Effect<MailId>
  /** Cancels the pending mails about an object. */
  readonly cancelAbout: (org: OrgId, subject: string) => Effect.Effect<void>
  readonly opened: (id: string, sealed: Uint8Array) => MailContent
}>()("@countersign/hub/mail/Outbox") {
  static readonly layer = Layer.effect(
    Outbox,
    Effect.gen(function*() {
      const repository = yield* MailsRepository
      const signals = yield* Signals
      const key = Redacted.value((yield* MasterKey).key)
      const { mailFrom, smtpUrl } = yield* Settings
      const db = yield* Db
      const wake = db.afterCommit(Effect.sync(() => signals.object(mailSignal)))
      return Outbox.of({
        isConfigured: Option.isSome(smtpUrl) && Option.isSome(mailFrom),
        add: Effect.fnUntraced(function*(org, kind, subject, content) {
          const id = newId("mal")
          const sealed = seal(key, JSON.stringify(content), place(id))
          yield* repository.insert({ id, kind, org, subject, sealed })
          yield* wake
        }),
        addNotices: Effect.fnUntraced(function*(org, user) {
          const id = newId("mal")
          yield* repository.insert({ id, kind: "notices", org, user })
          yield* wake
          return id
        }),
        cancelAbout: repository.cancelAbout,
        opened: (id, sealed) => JSON.parse(open(key, sealed, place(id))) as MailContent
      })
    })
  )
}
