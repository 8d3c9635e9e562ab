/** Mails about notices: their subject, their lines, and their links. Pure but for the key of the links. */
import type { MailContent } from "../mail/outbox.ts"
import { plainLine } from "../mail/plain-line.ts"
import { htmlOf, type MailBody, textOf } from "../mail/template.ts"
import { linkPath, type ScreenKind } from "./links.ts"
import type { Recipient } from "./recipients-repository.ts"
import type { Digest } from "./rules.ts"
import type { Subject } from "./subjects.ts"
import { leadOf, momentIn, subjectOf } from "./words.ts"

/** Lines of one mail; the others are counted. */
export const linesMax = 20

export interface LinkSource {
  /** Of the hub's public address. */
  readonly origin: string
  readonly key: Uint8Array
}

const reasons: Readonly<Record<Digest, (workspace: string) => string>> = {
  inbox: (workspace) => `You receive this because you can decide approvals in ${workspace}.`,
  alerts: (workspace) => `You receive this because of your notification settings in ${workspace}.`
}

export const composeMail = (
  links: LinkSource,
  person: Pick<Recipient, "email" | "id" | "org" | "time_zone">,
  digest: Digest,
  subjects: ReadonlyArray<Pick<Subject, "expiresAt" | "words">>,
  now: Date
): MailContent => {
  const { org } = person
  const href = (kind: ScreenKind, id: string) => links.origin + linkPath(links.key, { kind, org: org.id, id }, now)
  const words = subjects.map((subject) => subject.words)
  const subject = subjectOf(digest, words, org.name)
  const left = subjects.length - linesMax
  const body: MailBody = {
    heading: subject,
    lead: leadOf(digest, subjects.length, org.name),
    items: subjects.slice(0, linesMax).map(({ expiresAt, words: { action, details, id, screen, title } }) => ({
      title,
      details: [
        ...details,
        ...expiresAt === undefined ? [] : [`expires ${momentIn(person.time_zone, expiresAt)}`]
      ],
      link: { label: action, href: href(screen, id) }
    })),
    ...left > 0 ? { more: `${left} more ${left === 1 ? "is" : "are"} not shown here.` } : {},
    reason: reasons[digest](plainLine(org.name, 60)),
    settings: { label: "Notification settings", href: href("settings", org.id) }
  }
  return { to: person.email, subject, text: textOf(body), html: htmlOf(body) }
}
