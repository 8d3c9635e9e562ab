/** The mails of the hub. */
import { Outbox } from "./outbox.ts"
import { MailsRepository } from "./repository.ts"
import { MailSender } from "./sender.ts"

export const repositories = MailsRepository.layer

export const outbox = Outbox.layer

/** Needs the mailer, and the content of mails about notices. */
export const sender = MailSender.layer
