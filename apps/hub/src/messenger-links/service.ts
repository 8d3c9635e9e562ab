/**
 * Linking an account in Slack or Discord to its person. It starts and ends in a session of the person: a code, its entry
 * in the messenger, and a confirmation that names the account. Spec: reference/notice-channels.md "Linked accounts".
 */
import { rolePermissions, type UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, conflict, gone, notFound } from "@countersign/domain/errors"
import { idPattern, newId, type OrgId } from "@countersign/domain/ids"
import {
  linkCodeSeconds,
  type MessengerLink,
  messengerLinksMax,
  type NewMessengerLink
} from "@countersign/domain/messenger-links"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { capitalized } from "@countersign/domain/text"
import { Context, Effect, Layer, Option } from "effect"
import { credentialHash } from "../auth/hash.ts"
import { SignInPolicy } from "../auth/sign-in-policy.ts"
import { Settings } from "../config.ts"
import { perMinute, takeFrom } from "../edge/rate-limit.ts"
import { needsStepUp } from "../edge/step-up.ts"
import { Outbox } from "../mail/outbox.ts"
import { plainLine } from "../mail/plain-line.ts"
import { htmlOf, type MailBody, textOf } from "../mail/template.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { ProviderEvents } from "../platform/provider-events.ts"
import { Readiness } from "../platform/readiness.ts"
import { repeatRounds } from "../platform/rounds.ts"
import { type Account, type LinkedPerson, type LinkRow, MessengerLinksRepository } from "./repository.ts"
import { linkCodeOf, newLinkCode } from "./rules.ts"

const wrongCodesPerMinute = 5
const forgetMillis = 3_600_000
const forgetBatch = 1_000

const toLink = (row: LinkRow): MessengerLink => ({
  id: row.id,
  provider: row.provider,
  team: row.team,
  ...(row.team_name === null ? {} : { team_name: row.team_name }),
  account: { id: row.account, name: row.account_name ?? row.account },
  status: row.confirmed_at === null ? "unconfirmed" : "linked",
  created_at: row.created_at.toISOString(),
  ...(row.confirmed_at === null
    ? { expires_at: row.expires_at.toISOString() }
    : { confirmed_at: row.confirmed_at.toISOString() }),
  ...(row.last_used_at === null ? {} : { last_used_at: row.last_used_at.toISOString() })
})

const mailOf = ({ account, account_name, provider, team, team_name }: LinkRow, hub: URL, org: OrgId): MailBody => {
  const title = `${capitalized(provider)} account ${plainLine(account_name ?? account)}`
  return {
    heading: `A ${capitalized(provider)} account was linked to your Countersign account`,
    lead:
      "Its holder can now decide approvals in your name. If you did not confirm this, remove the account and change " +
      "your password.",
    items: [{
      title,
      details: provider === "slack" ? [`workspace ${plainLine(team_name ?? team)}`] : [],
      link: { label: "Open linked accounts", href: new URL(`/w/${org}/settings/linked-accounts`, hub).href }
    }],
    reason: `You receive this because the account was linked to yours on ${hub.host}.`
  }
}

export type AccountRef = Pick<Account, "provider" | "team" | "account">

/** A signed call of a messenger, which counts once. */
export interface Click {
  readonly by: AccountRef
  readonly event: string
  readonly ip: string
}

export type Claim =
  | { readonly kind: "claimed"; readonly name: string }
  | { readonly kind: "wrong_code" | "too_many" | "repeated" }

export class MessengerLinks extends Context.Service<MessengerLinks, {
  readonly list: (user: UserPrincipal, query: PageQuery) => Effect.Effect<PageOf<MessengerLink>, ApiError>
  readonly create: (user: UserPrincipal) => Effect.Effect<NewMessengerLink, ApiError>
  readonly confirm: (user: UserPrincipal, id: string) => Effect.Effect<MessengerLink, ApiError>
  readonly remove: (user: UserPrincipal, id: string) => Effect.Effect<void, ApiError>
  /** A code that was entered in a messenger; `event` is the signed call, which counts once. */
  readonly claim: (typed: string, account: Account, event: string) => Effect.Effect<Claim>
  readonly linked: (account: AccountRef) => Effect.Effect<LinkedPerson | undefined>
  /** The principal of one click in a workspace; undefined when the person is not a member. */
  readonly principalIn: (org: OrgId, person: LinkedPerson, click: Click) => Effect.Effect<UserPrincipal | undefined>
}>()("@countersign/hub/messenger-links/MessengerLinks") {
  static readonly layer = Layer.effect(
    MessengerLinks,
    Effect.gen(function*() {
      const links = yield* MessengerLinksRepository
      const events = yield* ProviderEvents
      const readiness = yield* Readiness
      const audit = yield* AuditLog
      const outbox = yield* Outbox
      const db = yield* Db
      const { publicUrl } = yield* Settings
      const { issuer } = yield* SignInPolicy
      const wrongCodes = perMinute("link", wrongCodesPerMinute)

      const record = (user: UserPrincipal, action: string, { account, account_name, id, provider, team }: LinkRow) =>
        audit.record(user.org_id, actorOf(user), {
          action: `messenger_link.${action}`,
          subject: { type: "messenger_link", id },
          data: { provider, team, account, ...(account_name === null ? {} : { account_name }) }
        })

      const found = (user: UserPrincipal, id: string) =>
        Effect.flatMap(
          links.find(user.user_id, id),
          Option.match({ onNone: () => Effect.fail(notFound("messenger link")), onSome: Effect.succeed })
        )

      const create = Effect.fn("MessengerLinks.create")(function*(user: UserPrincipal) {
        yield* links.lockPerson(user.user_id)
        yield* links.dropCodes(user.user_id)
        if ((yield* links.count(user.user_id)) >= messengerLinksMax) {
          return yield* Effect.fail(
            conflict("limit_reached", `A person can have ${messengerLinksMax} accounts; remove one first.`)
          )
        }
        const id = newId("mac") as NewMessengerLink["id"]
        const code = newLinkCode()
        const expires = yield* links.insert(id, user.user_id, credentialHash(code), linkCodeSeconds)
        return { id, code, expires_at: expires.toISOString() }
      }, db.transaction)

      const confirm = Effect.fn("MessengerLinks.confirm")(function*(user: UserPrincipal, id: string) {
        const row = yield* links.hold(user.user_id, id)
        if (row === undefined) return yield* Effect.fail(notFound("messenger link"))
        yield* needsStepUp(user, "Linking an account")
        if (row.confirmed_at === null) {
          if (row.over) return yield* Effect.fail(gone("The code has expired. Create a new one."))
          if (row.account === null) {
            return yield* Effect.fail(
              conflict("conflict", "The code was not entered yet. Enter /countersign link with it in Slack or Discord.")
            )
          }
          const owner = yield* links.ownerOf(id)
          if (owner !== undefined && owner.user_id !== user.user_id) {
            return yield* Effect.fail(
              conflict("account_linked", "Another person has linked this account and must remove it first.")
            )
          }
          // Linked again by the same person: the new row replaces the old one.
          if (owner !== undefined) yield* links.remove(user.user_id, owner.id)
          yield* links.confirm(user.user_id, id)
          const linked = yield* found(user, id)
          yield* record(user, "confirmed", linked)
          if (outbox.isConfigured) {
            const body = mailOf(linked, publicUrl, user.org_id)
            yield* outbox.add(user.org_id, "account", id, {
              to: user.email,
              subject: body.heading,
              text: textOf(body),
              html: htmlOf(body)
            })
          }
          return toLink(linked)
        }
        return toLink(yield* found(user, id))
      }, db.transaction)

      const remove = Effect.fn("MessengerLinks.remove")(function*(user: UserPrincipal, id: string) {
        const row = yield* found(user, id)
        if (!(yield* links.remove(user.user_id, id))) return yield* Effect.fail(notFound("messenger link"))
        yield* record(user, "removed", row)
      }, db.transaction)

      yield* repeatRounds(readiness, "link codes", forgetMillis, links.forget(forgetBatch))

      return MessengerLinks.of({
        create,
        confirm,
        remove,
        list: Effect.fn("MessengerLinks.list")(function*(user, { cursor, limit }) {
          const [before] = (yield* decodeCursor(cursor, [idPattern("mac")])) ?? []
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* links.list(user.user_id, before, (limit ?? pageLimitDefault) + 1)
          const { data, next_cursor } = toPage(rows, limit, ({ id }) => [id])
          return { data: data.map(toLink), next_cursor, as_of }
        }),
        claim: Effect.fn("MessengerLinks.claim")(function*(typed, account, event): Effect.fn.Return<Claim> {
          // Each try takes a token, and a correct code returns it, so that parallel tries cannot exceed the limit.
          const place = `${account.provider} ${account.team} ${account.account}`
          if (!takeFrom(wrongCodes, place).allowed) return { kind: "too_many" }
          const code = linkCodeOf(typed)
          if (code === undefined) return { kind: "wrong_code" }
          const claimed = yield* db.transaction(Effect.gen(function*(): Effect.fn.Return<Claim> {
            if (!(yield* events.record(account.provider, { id: event, type: "link" }))) return { kind: "repeated" }
            const person = yield* links.claim(credentialHash(code), account)
            return person === undefined ? { kind: "wrong_code" } : { kind: "claimed", name: person.name }
          }))
          if (claimed.kind !== "wrong_code") wrongCodes?.giveBack(place)
          return claimed
        }),
        linked: ({ account, provider, team }) => links.linked(provider, team, account),
        principalIn: Effect.fn("MessengerLinks.principalIn")(function*(org, { email, link_id, name, user_id }, click) {
          const membership = yield* links.membership(org, user_id, issuer)
          if (membership === undefined) return undefined
          yield* links.used(link_id)
          const { account, provider } = click.by
          return {
            kind: "user",
            user_id,
            name,
            email,
            ...membership,
            permissions: rolePermissions[membership.role],
            via: { kind: "messenger", link_id, provider, account, event_id: click.event },
            ip: click.ip
          }
        })
      })
    })
  )
}
