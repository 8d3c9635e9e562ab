import { HubApi } from "@countersign/domain/api"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { type HubConfig, Settings } from "../config.ts"
import { matches } from "../edge/etag.ts"
import { makeAgentReader } from "./agent-reader.ts"
import { makeAgentGuide } from "./agent-view.ts"
import { metricsRefusal } from "./metrics-access.ts"
import { Discovery, type Document } from "./service.ts"

const send = ({ body, etag }: Document, kept: "anybody" | "the caller" = "anybody") =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
    const headers = {
      etag,
      vary: "authorization",
      "cache-control": kept === "anybody" ? "no-cache" : "private, no-cache"
    }
    return matches(request.headers["if-none-match"], etag)
      ? HttpServerResponse.empty({ status: 304, headers })
      : HttpServerResponse.text(body, { contentType: "application/json", headers })
  })

export const answers = (
  { health, metrics, ready }: Discovery["Service"],
  settings: Pick<HubConfig, "metricsToken" | "publicUrl">
) => {
  const refusalOf = metricsRefusal(settings)
  return {
    health: Effect.succeed(HttpServerResponse.jsonUnsafe(health, { headers: { "cache-control": "no-store" } })),
    ready: Effect.match(ready, {
      onSuccess: (state) => HttpServerResponse.jsonUnsafe(state, { headers: { "cache-control": "no-store" } }),
      onFailure: ({ error }) =>
        HttpServerResponse.jsonUnsafe({ error }, { status: 503, headers: { "cache-control": "no-store" } })
    }),
    metrics: Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const refusal = refusalOf(request)
      return refusal === undefined
        ? Effect.map(metrics, (text) =>
          HttpServerResponse.text(text, {
            contentType: "text/plain; version=0.0.4; charset=utf-8",
            headers: { "cache-control": "no-store" }
          }))
        : Effect.succeed(refusal)
    })
  }
}

export const DiscoveryHttp = HttpApiBuilder.group(
  HubApi,
  "discovery",
  Effect.fn(function*(handlers) {
    const discovery = yield* Discovery
    const reader = yield* makeAgentReader
    const guide = yield* makeAgentGuide
    const settings = yield* Settings
    const { health, metrics, ready } = answers(discovery, settings)
    return handlers.handleAll({
      agentDocs: Effect.fnUntraced(function*({ query }) {
        const agent = yield* reader(yield* HttpServerRequest.HttpServerRequest)
        return agent === undefined || query.all === "true"
          ? yield* send(discovery.agentDocs())
          : yield* send(yield* guide(agent), "the caller")
      }),
      openapi: () => Effect.suspend(() => send(discovery.openApi())),
      health: () => health,
      ready: () => ready,
      metrics: () => metrics
    })
  })
)
