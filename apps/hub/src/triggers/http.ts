import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { payloadTooLarge } from "@countersign/domain/errors"
import { fireBodyBytesMax } from "@countersign/domain/triggers"
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Settings } from "../config.ts"
import { makeClientAddress } from "../edge/client-address.ts"
import { bodyError } from "../edge/request-body.ts"
import { TriggerCalls } from "./fire.ts"
import { queryOf } from "./rules.ts"
import { Triggers } from "./service.ts"

export const TriggersHttp = HttpApiBuilder.group(
  HubApi,
  "triggers",
  Effect.fn(function*(handlers) {
    const triggers = yield* Triggers
    return handlers.handleAll({
      list: ({ query }) => CurrentUser.use((user) => triggers.list(user, query)),
      create: ({ payload }) =>
        CurrentUser.use((user) => triggers.create(user, payload)).pipe(
          Effect.map((trigger) => created(`/triggers/${trigger.id}`, trigger))
        ),
      get: ({ params }) => CurrentUser.use((user) => triggers.get(user, params.id)),
      update: ({ params, payload }) => CurrentUser.use((user) => triggers.update(user, params.id, payload)),
      remove: ({ params }) => CurrentUser.use((user) => triggers.remove(user, params.id)),
      rotateSecret: ({ params, payload }) =>
        CurrentUser.use((user) => triggers.rotateSecret(user, params.id, payload?.grace_seconds)),
      test: ({ params, payload }) => CurrentUser.use((user) => triggers.test(user, params.id, payload ?? {})),
      listDeliveries: ({ params, query }) => CurrentUser.use((user) => triggers.listDeliveries(user, params.id, query))
    })
  })
)

export const TriggerHooksHttp = HttpApiBuilder.group(
  HubApi,
  "trigger_hooks",
  Effect.fn(function*(handlers) {
    const calls = yield* TriggerCalls
    const { trustedProxies } = yield* Settings
    const addressOf = makeClientAddress(trustedProxies)
    const tooLarge = payloadTooLarge(`The body is larger than ${fireBodyBytesMax} bytes.`)
    return handlers.handleRaw(
      "fire",
      Effect.fnUntraced(function*({ params }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        if (Number(request.headers["content-length"] ?? 0) > fireBodyBytesMax) return yield* Effect.fail(tooLarge)
        return yield* calls.fire({
          trigger: params.id,
          address: addressOf(request),
          headers: request.headers,
          query: queryOf(request.originalUrl),
          body: request.arrayBuffer.pipe(
            Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(fireBodyBytesMax)),
            Effect.mapBoth({
              onSuccess: (bytes) => new Uint8Array(bytes),
              onFailure: (error) => bodyError(error, fireBodyBytesMax)
            })
          )
        })
      })
    )
  })
)
