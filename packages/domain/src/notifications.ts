/**
 * What a person wants to be notified of in a workspace, where, and when; and the browsers that show notices. Spec:
 * reference/notices.md "Settings", "Browsers".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { SessionAccess, UserAccess, WorkspaceInQuery } from "./auth.ts"
import { Created } from "./created.ts"
import { OrgId, PushSubscriptionId } from "./ids.ts"
import { digestMinutesMax, noticeEvents, pushSubscriptionsMax } from "./notice-events.ts"
import { Page } from "./pagination.ts"
import { matching } from "./pattern.ts"

export const NoticeEvent = Schema.Literals(noticeEvents)

const DesktopPlace = Schema.Boolean.annotate({ description: "A notification of the desktop app" })
const BrowserPlace = Schema.Boolean.annotate({ description: "A notification in each subscribed browser of the person" })
const EmailPlace = Schema.Boolean.annotate({ description: "An email, if the hub has a mail server" })
const ChannelPlace = Schema.Boolean.annotate({
  description:
    "A mention of the person's linked account in the message of a notice channel, for approvals and agent requests"
})

const Places = Schema.Struct({
  desktop: DesktopPlace,
  browser: BrowserPlace,
  email: EmailPlace,
  channel: ChannelPlace
}).annotate({ identifier: "NoticePlaces" })

const PlacesChange = Schema.Struct({
  desktop: Schema.optionalKey(DesktopPlace),
  browser: Schema.optionalKey(BrowserPlace),
  email: Schema.optionalKey(EmailPlace),
  channel: Schema.optionalKey(ChannelPlace)
}).annotate({ identifier: "NoticePlacesChange" })

const ClockTime = Schema.String.check(matching(/^(?:[01]\d|2[0-3]):[0-5]\d$/u, "a time such as 22:00"))

export const QuietHours = Schema.Struct({ from: ClockTime, to: ClockTime }).check(
  Schema.makeFilter(({ from, to }) =>
    from === to ? { path: ["to"], issue: "expected another time than from" } : undefined
  )
).annotate({
  identifier: "QuietHours",
  description: "In the person's time zone (`PATCH /auth/me`; UTC if none is set); over midnight if `to` is earlier"
})
export type QuietHours = typeof QuietHours.Type

const DigestMinutes = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: digestMinutesMax })).annotate({
  description: "The least time between two mails about pending approvals and requests, in minutes"
})

export const NotificationSettings = Schema.Struct({
  "approval.created": Places,
  "agent_request.created": Places,
  "budget.alert": Places,
  "run.failed": Places,
  "app.needs_reauth": Places,
  "webhook_endpoint.disabled": Places,
  quiet_hours: Schema.optionalKey(QuietHours),
  email_digest_minutes: DigestMinutes
}).annotate({ identifier: "NotificationSettings" })
export type NotificationSettings = typeof NotificationSettings.Type

export const UpdateNotificationSettings = Schema.Struct({
  "approval.created": Schema.optionalKey(PlacesChange),
  "agent_request.created": Schema.optionalKey(PlacesChange),
  "budget.alert": Schema.optionalKey(PlacesChange),
  "run.failed": Schema.optionalKey(PlacesChange),
  "app.needs_reauth": Schema.optionalKey(PlacesChange),
  "webhook_endpoint.disabled": Schema.optionalKey(PlacesChange),
  /** Null: none. */
  quiet_hours: Schema.optionalKey(Schema.NullOr(QuietHours)),
  email_digest_minutes: Schema.optionalKey(DigestMinutes)
}).annotate({ identifier: "UpdateNotificationSettings" })
export type UpdateNotificationSettings = typeof UpdateNotificationSettings.Type

export const MailPreview = Schema.Struct({
  event: NoticeEvent,
  subject: Schema.String,
  text: Schema.String,
  html: Schema.String
}).annotate({ identifier: "MailPreview" })
export type MailPreview = typeof MailPreview.Type

export const PushKey = Schema.Struct({
  public_key: Schema.String.annotate({ description: "The `applicationServerKey` of a subscription (VAPID), base64url" })
}).annotate({ identifier: "PushKey" })
export type PushKey = typeof PushKey.Type

const base64url = /^[A-Za-z0-9_-]+={0,2}$/u

/** As browsers give it: `JSON.stringify(subscription)`. */
export const CreatePushSubscription = Schema.Struct({
  endpoint: Schema.String.check(Schema.isMaxLength(2_048)),
  expirationTime: Schema.optionalKey(Schema.NullOr(Schema.Number)),
  keys: Schema.Struct({
    p256dh: Schema.String.check(Schema.isMaxLength(128), matching(base64url, "base64url")),
    auth: Schema.String.check(Schema.isMaxLength(64), matching(base64url, "base64url"))
  })
}).annotate({ identifier: "CreatePushSubscription" })
export type CreatePushSubscription = typeof CreatePushSubscription.Type

export const PushSubscription = Schema.Struct({
  id: PushSubscriptionId,
  /** The browser, as it named itself. */
  user_agent: Schema.optionalKey(Schema.String),
  /** The origin of the browser's push service. */
  service: Schema.String,
  current: Schema.Boolean.annotate({ description: "Whether the session of this call made it" }),
  created_at: Schema.String,
  last_used_at: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "PushSubscription" })
export type PushSubscription = typeof PushSubscription.Type

const previewQuery = { event: Schema.optionalKey(NoticeEvent) }

export class NotificationsGroup extends HttpApiGroup.make("notifications").add(
  HttpApiEndpoint.get("settings", "/notification-settings", { success: NotificationSettings })
    .middleware(UserAccess).annotate(
      OpenApi.Description,
      "The caller's own settings in the workspace. Without a change they are the defaults."
    ),
  HttpApiEndpoint.patch("update", "/notification-settings", {
    payload: UpdateNotificationSettings,
    success: NotificationSettings
  }).middleware(UserAccess).annotate(
    OpenApi.Description,
    "Changes the places that the body names and leaves the others. `quiet_hours: null` removes the quiet hours."
  ),
  HttpApiEndpoint.get("preview", "/notification-settings/preview", { query: previewQuery, success: MailPreview })
    .middleware(UserAccess).annotate(
      OpenApi.Description,
      "The mail about an example of an event (default `approval.created`) in the caller's workspace. It sends nothing."
    ),
  HttpApiEndpoint.get("previewPage", "/notification-settings/preview.html", {
    query: { ...previewQuery, workspace: Schema.optionalKey(OrgId) },
    success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))
  }).middleware(UserAccess).annotate(WorkspaceInQuery, true).annotate(
    OpenApi.Description,
    "The HTML part of the same mail as a page without scripts, which the console shows in a frame."
  ),
  HttpApiEndpoint.get("pushKey", "/push/key", { success: PushKey })
    .middleware(SessionAccess).annotate(OpenApi.Description, "The same on every hub of a database."),
  HttpApiEndpoint.get("subscriptions", "/push/subscriptions", { success: Page(PushSubscription) })
    .middleware(SessionAccess).annotate(
      OpenApi.Description,
      "The caller's browsers, newest first, not paged. They show notices of all workspaces of the person."
    ),
  HttpApiEndpoint.post("subscribe", "/push/subscriptions", {
    payload: CreatePushSubscription,
    success: Created(PushSubscription)
  }).middleware(SessionAccess).annotate(
    OpenApi.Description,
    "Subscribes the browser of the session. The same endpoint again replaces its subscription, also another " +
      "person's: the browser belongs to its present session. The subscription ends with the session, when the push " +
      `service reports it as expired, and when the person has ${pushSubscriptionsMax} newer ones. The endpoint must be ` +
      "https, unless `HUB_EGRESS_ALLOW` lists its host."
  ),
  HttpApiEndpoint.delete("unsubscribe", "/push/subscriptions/:id", {
    params: { id: PushSubscriptionId },
    success: HttpApiSchema.NoContent
  }).middleware(SessionAccess).annotate(OpenApi.Description, "One of the caller's own; any other is 404.")
) {}
