import { HubApi } from "@countersign/domain/api"
import { payloadTooLarge } from "@countersign/domain/errors"
import { hookBodyBytesMax } from "@countersign/domain/webhooks"
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Settings } from "../../config.ts"
import { makeClientAddress } from "../../edge/client-address.ts"
import { bodyError } from "../../edge/request-body.ts"
import { Reconcile } from "./callbacks.ts"

export const WebhooksHttp = HttpApiBuilder.group(
  HubApi,
  "webhooks",
  Effect.fn(function*(handlers) {
    const reconcile = yield* Reconcile
    const { trustedProxies } = yield* Settings
    const addressOf = makeClientAddress(trustedProxies)
    return handlers.handleRaw(
      "reconcile",
      Effect.fnUntraced(function*({ params, query }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        if (Number(request.headers["content-length"] ?? 0) > hookBodyBytesMax) {
          return yield* Effect.fail(payloadTooLarge(`The body is larger than ${hookBodyBytesMax} bytes.`))
        }
        const answer = yield* reconcile.receive({
          provider: params.provider,
          org: query.org,
          address: addressOf(request),
          headers: request.headers,
          body: request.arrayBuffer.pipe(
            Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(hookBodyBytesMax)),
            Effect.mapBoth({
              onSuccess: (bytes) => new Uint8Array(bytes),
              onFailure: (error) => bodyError(error, hookBodyBytesMax)
            })
          )
        })
        return answer.kind === "kept"
          ? { accepted: true }
          : { service_request_id: answer.service_request_id, status: answer.status }
      })
    )
  })
)
