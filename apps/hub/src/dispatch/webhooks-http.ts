import { HubApi } from "@countersign/domain/api"
import { payloadTooLarge } from "@countersign/domain/errors"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { bodyError, jsonBodyBytesMax } from "../edge/request-body.ts"
import { Reconcile } from "./reconcile.ts"

export const WebhooksHttp = HttpApiBuilder.group(HubApi, "webhooks", Effect.fn(function*(handlers) {
  const reconcile = yield* Reconcile
  return handlers.handleRaw("reconcile", Effect.fnUntraced(function*({ params, query }) {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (Number(request.headers["content-length"] ?? 0) > jsonBodyBytesMax) {
      return yield* Effect.fail(payloadTooLarge(`The body is larger than ${jsonBodyBytesMax} bytes.`))
    }
    const body = new Uint8Array(yield* Effect.mapError(request.arrayBuffer, bodyError))
    const answer = yield* reconcile.receive({ provider: params.provider, org: query.org, headers: request.headers, body })
    return answer.kind === "kept" ? { accepted: true } : { service_request_id: answer.service_request_id, status: answer.status }
  }))
}))
