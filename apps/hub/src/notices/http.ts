import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { noStore } from "../edge/no-store.ts"
import { contentSecurityPolicy, fileHeaders } from "../edge/page-headers.ts"
import { linkSource } from "./gatherer.ts"
import { readLink, screenPath } from "./links.ts"
import { expiredPage } from "./page.ts"
import { Push } from "./push.ts"
import { NoticesRepository } from "./repository.ts"
import { NotificationPreferences } from "./settings.ts"

/** The page of a mail: its styles apply, nothing is loaded, nothing runs, and only this hub's pages may frame it. */
const previewHeaders = {
  ...fileHeaders,
  "cache-control": "no-store",
  "content-security-policy": contentSecurityPolicy({
    "default-src": "'none'",
    "style-src": "'unsafe-inline'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'self'"
  }) + "; sandbox",
  "referrer-policy": "no-referrer"
}

export const NotificationsHttp = HttpApiBuilder.group(
  HubApi,
  "notifications",
  Effect.fn(function*(handlers) {
    const preferences = yield* NotificationPreferences
    const push = yield* Push
    return handlers.handleRaw(
      "previewPage",
      Effect.fnUntraced(function*({ query }) {
        const { html } = yield* preferences.preview(yield* CurrentUser, query.event ?? "approval.created")
        return HttpServerResponse.text(html, { contentType: "text/html; charset=utf-8", headers: previewHeaders })
      })
    ).handleAll({
      settings: () => CurrentUser.use(preferences.get),
      update: ({ payload }) => CurrentUser.use((user) => preferences.update(user, payload)),
      preview: ({ query }) => CurrentUser.use((user) => preferences.preview(user, query.event ?? "approval.created")),
      pushKey: () => push.key,
      subscriptions: () => Effect.andThen(noStore, CurrentUser.use(push.list)),
      subscribe: Effect.fnUntraced(function*({ payload }) {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const subscription = yield* push.subscribe(yield* CurrentUser, payload, headers["user-agent"])
        return created(`/push/subscriptions/${subscription.id}`, subscription)
      }),
      unsubscribe: ({ params }) => CurrentUser.use((user) => push.unsubscribe(user, params.id))
    })
  })
)

const linkHeaders = { "cache-control": "no-store", "referrer-policy": "no-referrer" }

/** `/go/<token>`: links of mails. A request has no effect, because mail scanners open links. */
export const linksLayer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const { key } = yield* linkSource
  const notices = yield* NoticesRepository
  yield* router.add(
    "GET",
    "/go/:token",
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { token = "" } = yield* HttpRouter.params
      const link = readLink(key, token)
      if (link === undefined) {
        return yield* Effect.fail(
          new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) })
        )
      }
      if ((yield* notices.now).getTime() >= link.expires * 1_000) {
        return HttpServerResponse.text(expiredPage, {
          status: 410,
          contentType: "text/html; charset=utf-8",
          headers: linkHeaders
        })
      }
      return HttpServerResponse.empty({ status: 303, headers: { ...linkHeaders, location: screenPath(link) } })
    })
  )
}))
