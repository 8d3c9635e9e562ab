import { HubApi } from "@countersign/domain/api"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Discovery, type Document } from "./service.ts"

/** Whether `If-None-Match` names a version: `*`, or a list of tags, weak ones included (RFC 9110, 13.1.2). */
export const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined && (header.trim() === "*" || header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag))

const send = ({ body, etag }: Document) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
    const headers = { etag, "cache-control": "no-cache" }
    return matches(request.headers["if-none-match"], etag)
      ? HttpServerResponse.empty({ status: 304, headers })
      : HttpServerResponse.text(body, { contentType: "application/json", headers })
  })

export const answers = ({ health, metrics, ready }: Discovery["Service"]) => ({
  health: Effect.succeed(HttpServerResponse.jsonUnsafe(health, { headers: { "cache-control": "no-store" } })),
  ready: Effect.match(ready, {
    onSuccess: (told) => HttpServerResponse.jsonUnsafe(told, { headers: { "cache-control": "no-store" } }),
    onFailure: ({ error }) => HttpServerResponse.jsonUnsafe({ error }, { status: 503, headers: { "cache-control": "no-store" } })
  }),
  metrics: Effect.map(metrics, (text) => HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" }))
})

export const DiscoveryHttp = HttpApiBuilder.group(HubApi, "discovery", Effect.fn(function*(handlers) {
  const discovery = yield* Discovery
  const { health, metrics, ready } = answers(discovery)
  return handlers.handleAll({
    agentDocs: () => send(discovery.agentDocs),
    openapi: () => send(discovery.openApi),
    health: () => health,
    ready: () => ready,
    metrics: () => metrics
  })
}))
