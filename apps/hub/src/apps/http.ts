import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { type ApiError, statusOf } from "@countersign/domain/errors"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { pageHeaders } from "../edge/page-headers.ts"
import { connectedPage, failedPage } from "./page.ts"
import { Apps } from "./service.ts"

export const AppsHttp = HttpApiBuilder.group(
  HubApi,
  "apps",
  Effect.fn(function*(handlers) {
    const apps = yield* Apps
    return handlers.handleAll({
      list: ({ query }) => CurrentUser.use((user) => apps.list(user, query)),
      providers: () => CurrentUser.use((user) => apps.providers(user)),
      putProvider: ({ params, payload }) => CurrentUser.use((user) => apps.putProvider(user, params.name, payload)),
      create: ({ payload }) =>
        CurrentUser.use((user) => apps.create(user, payload)).pipe(
          Effect.map((app) => created(`/apps/${app.id}`, app))
        ),
      get: ({ params }) => CurrentUser.use((user) => apps.get(user, params.id)),
      update: ({ params, payload }) => CurrentUser.use((user) => apps.update(user, params.id, payload)),
      remove: ({ params }) => CurrentUser.use((user) => apps.remove(user, params.id)),
      refresh: ({ params }) => CurrentUser.use((user) => apps.refresh(user, params.id)),
      reconnect: ({ params }) => CurrentUser.use((user) => apps.reconnect(user, params.id)),
      revoke: ({ params }) => CurrentUser.use((user) => apps.revoke(user, params.id))
    })
  })
)

const page = (html: string, status: number) =>
  HttpServerResponse.text(html, {
    status,
    contentType: "text/html; charset=utf-8",
    headers: { ...pageHeaders, "cache-control": "no-store" }
  })

/** Browsers get pages, also for errors; programs get errors as everywhere. */
const wantsPage = (accept: string | undefined): boolean => accept?.includes("text/html") === true

export const AppCallbackHttp = HttpApiBuilder.group(
  HubApi,
  "app_callback",
  Effect.fn(function*(handlers) {
    const apps = yield* Apps
    return handlers.handleAll({
      callback: Effect.fnUntraced(function*({ query }) {
        const user = yield* CurrentUser
        const request = yield* HttpServerRequest.HttpServerRequest
        const ended = apps.callback(user, query).pipe(
          Effect.map(({ app, connected, org }) => page(connectedPage({ org, app, connected }), 200))
        )
        return yield* wantsPage(request.headers["accept"])
          ? Effect.catch(
            ended,
            (error: ApiError) => Effect.succeed(page(failedPage(error.error.message), statusOf(error)))
          )
          : ended
      })
    })
  })
)
