/**
 * Linked accounts: accounts in Slack or Discord with which a person decides. Spec: reference/notice-channels.md "Linked
 * accounts".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { SessionAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { MessengerLinkId } from "./ids.ts"
import { MessengerKind } from "./notice-channels.ts"
import { Page, PageQuery } from "./pagination.ts"

/** How long a code is valid, also for the confirmation, in seconds. */
export const linkCodeSeconds = 600
/** Linked and unconfirmed accounts of one person. */
export const messengerLinksMax = 20

export const MessengerLinkStatus = Schema.Literals(["unconfirmed", "linked"])
export type MessengerLinkStatus = typeof MessengerLinkStatus.Type

export const MessengerLink = Schema.Struct({
  id: MessengerLinkId,
  provider: MessengerKind,
  /** The workspace in Slack; `discord` for Discord, whose accounts belong to no workspace. */
  team: Schema.String,
  /** The name of that workspace, if the provider gives it. */
  team_name: Schema.optionalKey(Schema.String),
  account: Schema.Struct({ id: Schema.String, name: Schema.String }),
  /** An account decides nothing before the person confirms it. */
  status: MessengerLinkStatus,
  created_at: Schema.String,
  /** Of an unconfirmed account. */
  expires_at: Schema.optionalKey(Schema.String),
  confirmed_at: Schema.optionalKey(Schema.String),
  last_used_at: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "MessengerLink" })
export type MessengerLink = typeof MessengerLink.Type

export const NewMessengerLink = Schema.Struct({
  id: MessengerLinkId,
  code: Schema.String.annotate({ description: "Shown once, for `/countersign link CODE`" }),
  expires_at: Schema.String
}).annotate({ identifier: "NewMessengerLink" })
export type NewMessengerLink = typeof NewMessengerLink.Type

const params = { id: MessengerLinkId }

export class MessengerLinksGroup extends HttpApiGroup.make("messenger_links").add(
  HttpApiEndpoint.get("list", "/auth/messenger-links", { query: PageQuery, success: Page(MessengerLink) })
    .middleware(SessionAccess).annotate(
      OpenApi.Description,
      "The caller's own accounts, newest first: linked ones, and those that a code was entered with and that await the " +
        "confirmation."
    ),
  HttpApiEndpoint.post("create", "/auth/messenger-links", { success: Created(NewMessengerLink) }).middleware(
    SessionAccess
  ).annotate(
    OpenApi.Description,
    `A code that is valid for ${linkCodeSeconds / 60} minutes and ends the person's earlier unused ones. Enter ` +
      "`/countersign link CODE` in Slack or Discord, then confirm the account."
  ),
  HttpApiEndpoint.post("confirm", "/auth/messenger-links/:id/confirm", { params, success: MessengerLink })
    .middleware(SessionAccess).annotate(
      OpenApi.Description,
      "Links the account that entered the code. Needs a stepped-up session. Before the code was entered: 409 `conflict`; " +
        "after it expired: 410; an account that another person has linked: 409 `account_linked`."
    ),
  HttpApiEndpoint.delete("remove", "/auth/messenger-links/:id", { params, success: HttpApiSchema.NoContent })
    .middleware(SessionAccess).annotate(OpenApi.Description, "The account decides nothing from now on.")
) {}
