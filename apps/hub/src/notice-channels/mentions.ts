/**
 * The accounts that a new message mentions: of people who turned `channel` on for its event, may decide its subject, have
 * linked an account of its provider, and are not in their quiet hours. Spec: reference/notices.md "Channels".
 */
import type { OrgId } from "@countersign/domain/ids"
import type { MessengerKind } from "@countersign/domain/notice-channels"
import type { NoticeEvent } from "@countersign/domain/notice-events"
import { isQuiet } from "@countersign/domain/quiet-hours"
import { Clock, Context, Effect, Layer } from "effect"
import { MessengerLinksRepository } from "../messenger-links/repository.ts"
import { RecipientsRepository } from "../notices/recipients-repository.ts"
import { Subjects } from "../notices/subjects.ts"
import type { SubjectType } from "./notice.ts"

/** A message with more mentions is about nobody in particular. */
const mentionsMax = 20

/** People have no setting for the others. */
const eventOf: Partial<Readonly<Record<SubjectType, NoticeEvent>>> = {
  approval: "approval.created",
  agent_request: "agent_request.created"
}

/** What an account's id may be, so that a mention is nothing else. */
const idOf: Readonly<Record<MessengerKind, RegExp>> = { slack: /^[UW][A-Z0-9]{1,30}$/, discord: /^[0-9]{1,24}$/ }

export class NoticeMentions extends Context.Service<NoticeMentions, {
  /** Ids of accounts. */
  readonly of: (
    org: OrgId,
    provider: MessengerKind,
    type: SubjectType,
    id: string
  ) => Effect.Effect<ReadonlyArray<string>>
}>()("@countersign/hub/notice-channels/NoticeMentions") {
  static readonly layer = Layer.effect(
    NoticeMentions,
    Effect.gen(function*() {
      const links = yield* MessengerLinksRepository
      const recipients = yield* RecipientsRepository
      const subjects = yield* Subjects
      return NoticeMentions.of({
        of: Effect.fn("NoticeMentions.of")(function*(org, provider, type, id) {
          const event = eventOf[type]
          const accounts = event === undefined ? [] : yield* links.accountsOf(org, provider)
          if (event === undefined || accounts.length === 0) return []
          const subject = yield* subjects.find(org, { event, subject_type: type, subject_id: id, facts: {} })
          if (subject === undefined) return []
          const now = yield* Clock.currentTimeMillis
          const wanted = new Set(
            (yield* recipients.all(org)).filter((person) =>
              person.places[event].channel && subject.concerns(person) &&
              (person.quiet === undefined || !isQuiet(person.quiet, person.time_zone ?? "UTC", now))
            ).map((person) => person.id)
          )
          return accounts.filter(({ account, user_id }) => wanted.has(user_id) && idOf[provider].test(account))
            .map(({ account }) => account).slice(0, mentionsMax)
        })
      })
    })
  )
}
