/** Notices to people by e-mail and browser push, and their settings. */
import { Layer } from "effect"
import { NoticeChecks, NoticeGatherer, noticeMailsLayer } from "./gatherer.ts"
import { linksLayer, NotificationsHttp } from "./http.ts"
import { PushRepository } from "./push-repository.ts"
import { PushSender } from "./push-sender.ts"
import { Push } from "./push.ts"
import { NoticeReader } from "./reader.ts"
import { RecipientsRepository } from "./recipients-repository.ts"
import { NoticesRepository } from "./repository.ts"
import { NotificationSettingsRepository } from "./settings-repository.ts"
import { NotificationPreferences } from "./settings.ts"
import { SubjectsRepository } from "./subjects-repository.ts"
import { Subjects } from "./subjects.ts"

export const repositories = Layer.mergeAll(
  NoticesRepository.layer,
  NotificationSettingsRepository.layer,
  PushRepository.layer,
  RecipientsRepository.layer,
  SubjectsRepository.layer
)

/** The sender of mails needs it. */
export const mails = noticeMailsLayer.pipe(Layer.provideMerge(NoticeChecks.layer), Layer.provideMerge(Subjects.layer))

export const services = Layer.mergeAll(
  NoticeGatherer.layer,
  NoticeReader.layer,
  NotificationPreferences.layer,
  PushSender.layer
).pipe(Layer.provideMerge(Push.layer))

export const handlers = NotificationsHttp

export const routes = linksLayer
