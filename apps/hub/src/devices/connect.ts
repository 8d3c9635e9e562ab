/** `GET /devices/:id/connect`: upgrades to a WebSocket; accepts only the device's own key. */
import { notFound, rateLimited, statusOf, unauthorized } from "@countersign/domain/errors"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Settings } from "../config.ts"
import { makeClientAddress } from "../edge/client-address.ts"
import { bearerOf, Credentials } from "../edge/credentials.ts"
import { OpenCalls } from "../edge/open-calls.ts"
import { RateLimits, takeFrom } from "../edge/rate-limit.ts"
import { note } from "../edge/request-log.ts"
import { DeviceSockets } from "./sockets.ts"

const path = "/api/v1/devices/:id/connect"

export const deviceConnectLayer = Layer.unwrap(Effect.gen(function*() {
  const credentials = yield* Credentials
  const sockets = yield* DeviceSockets
  const { trustedProxies } = yield* Settings
  const addressOf = makeClientAddress(trustedProxies)
  const limiters = yield* RateLimits
  const calls = yield* OpenCalls

  const connect = Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* note({ route: path, staysOpen: true })
    const { id } = yield* HttpRouter.params
    const bearer = bearerOf(request.headers["authorization"])
    if (bearer?.startsWith("svc_device_") !== true) {
      return yield* Effect.fail(
        unauthorized("This endpoint requires a device key (Authorization: Bearer svc_device_live_…).", {
          wants: "device"
        })
      )
    }
    const device = yield* credentials.deviceKey(bearer, addressOf(request))
    if (device.device_id !== id) return yield* Effect.fail(notFound("device"))
    if (request.headers["upgrade"]?.toLowerCase() !== "websocket") {
      return HttpServerResponse.empty({ status: 426, headers: { upgrade: "websocket" } })
    }
    const taken = takeFrom(limiters.agent, device.device_id)
    if (!taken.allowed) return yield* Effect.fail(rateLimited(taken.resetSeconds))
    yield* calls.hold(device.device_id)
    const socket = yield* request.upgrade
    yield* Effect.ignore(sockets.serve(device, socket))
    return HttpServerResponse.empty()
  }).pipe(
    Effect.scoped,
    Effect.catch((error) =>
      Effect.succeed(
        "error" in error
          ? HttpServerResponse.jsonUnsafe({ error: error.error }, { status: statusOf(error) })
          : HttpServerResponse.empty({ status: 400 })
      )
    )
  )
  return HttpRouter.add("GET", path, connect)
}))
