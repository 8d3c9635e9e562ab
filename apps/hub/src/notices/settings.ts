/**
 * What a person is notified of in a workspace, and the mail that an event would send. Spec: reference/notices.md
 * "Settings", "Appearance".
 */
import type { UserPrincipal } from "@countersign/domain/auth"
import type { ApiError } from "@countersign/domain/errors"
import { digestMinutesDefault, type NoticeEvent, noticeEvents } from "@countersign/domain/notice-events"
import {
  type MailPreview,
  type NotificationSettings,
  type UpdateNotificationSettings
} from "@countersign/domain/notifications"
import { Context, Effect, Layer } from "effect"
import { MembersRepository } from "../members/repository.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { composeMail } from "./composer.ts"
import { examplesOf } from "./examples.ts"
import { linkSource } from "./gatherer.ts"
import { RecipientsRepository } from "./recipients-repository.ts"
import { NoticesRepository } from "./repository.ts"
import { digestOf, type PlaceChanges, placesOf, reducedChanges } from "./rules.ts"
import { NotificationSettingsRepository, type StoredSettings } from "./settings-repository.ts"

const defaults: StoredSettings = { places: {}, digestMinutes: digestMinutesDefault, quiet: undefined }

const shown = ({ digestMinutes, places, quiet }: StoredSettings): NotificationSettings => ({
  ...placesOf(places),
  ...quiet === undefined ? {} : { quiet_hours: quiet },
  email_digest_minutes: digestMinutes
})

const changed = (settings: StoredSettings, change: UpdateNotificationSettings): StoredSettings => {
  const places: PlaceChanges = Object.fromEntries(
    noticeEvents.map((event) => [event, { ...settings.places[event], ...change[event] }])
  )
  return {
    places: reducedChanges(places),
    digestMinutes: change.email_digest_minutes ?? settings.digestMinutes,
    quiet: change.quiet_hours === undefined ? settings.quiet : change.quiet_hours ?? undefined
  }
}

export class NotificationPreferences extends Context.Service<NotificationPreferences, {
  readonly get: (user: UserPrincipal) => Effect.Effect<NotificationSettings>
  readonly update: (
    user: UserPrincipal,
    change: UpdateNotificationSettings
  ) => Effect.Effect<NotificationSettings, ApiError>
  readonly preview: (user: UserPrincipal, event: NoticeEvent) => Effect.Effect<MailPreview>
}>()("@countersign/hub/notices/NotificationPreferences") {
  static readonly layer = Layer.effect(
    NotificationPreferences,
    Effect.gen(function*() {
      const repository = yield* NotificationSettingsRepository
      const recipients = yield* RecipientsRepository
      const notices = yield* NoticesRepository
      const members = yield* MembersRepository
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db
      const links = yield* linkSource

      const settingsOf = (user: UserPrincipal) =>
        Effect.map(repository.find(user.org_id, user.user_id), (found) => found ?? defaults)

      return NotificationPreferences.of({
        get: (user) => Effect.map(settingsOf(user), shown),
        update: Effect.fn("NotificationPreferences.update")(function*(user, change) {
          yield* members.stays(user.org_id, user.user_id)
          const at = yield* heads.lock(user.org_id)
          const before = yield* settingsOf(user)
          const after = changed(before, change)
          if (JSON.stringify(shown(before)) === JSON.stringify(shown(after))) return shown(before)
          yield* repository.put(user.org_id, user.user_id, after, at)
          yield* audit.record(user.org_id, actorOf(user), {
            action: "notification_settings.updated",
            subject: { type: "user", id: user.user_id },
            data: { ...change }
          })
          return shown(after)
        }, db.transaction),
        preview: Effect.fn("NotificationPreferences.preview")(function*(user, event) {
          const now = yield* notices.now
          const person = yield* recipients.one(user.org_id, user.user_id)
          const org = person?.org ?? { id: user.org_id, name: "" }
          const { html, subject, text } = composeMail(
            links,
            { id: user.user_id, email: user.email, time_zone: person?.time_zone ?? null, org },
            digestOf(event),
            examplesOf(event, org.id, now),
            now
          )
          return { event, subject, text, html }
        })
      })
    })
  )
}
