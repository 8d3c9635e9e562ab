import { HubApi } from "@countersign/domain/api"
import { CurrentDeviceCaller, CurrentPrincipal, CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Settings } from "../config.ts"
import { makeClientAddress } from "../edge/client-address.ts"
import { bearerOf } from "../edge/credentials.ts"
import { noStore } from "../edge/no-store.ts"
import { OpenCalls } from "../edge/open-calls.ts"
import { addressKey } from "../edge/rate-limit.ts"
import { eventStreamAnswer } from "../platform/event-stream.ts"
import { DeviceCommands } from "./commands.ts"
import { Delivery } from "./delivery.ts"
import { DeviceOutput } from "./output.ts"
import { DevicePairing } from "./pairing.ts"
import { DevicePresence } from "./presence.ts"
import { Devices } from "./service.ts"
import { DeviceSessions } from "./sessions.ts"

export const DevicesHttp = HttpApiBuilder.group(
  HubApi,
  "devices",
  Effect.fn(function*(handlers) {
    const devices = yield* Devices
    const presence = yield* DevicePresence
    return handlers.handleAll({
      register: Effect.fn(function*({ payload }) {
        yield* noStore
        const device = yield* devices.register(yield* CurrentUser, payload)
        return created(`/devices/${device.id}`, device)
      }),
      list: ({ query }) => Effect.flatMap(CurrentPrincipal, (principal) => devices.list(principal, query)),
      get: ({ params }) => Effect.flatMap(CurrentPrincipal, (principal) => devices.get(principal, params.id)),
      update: ({ params, payload }) => Effect.flatMap(CurrentUser, (user) => devices.update(user, params.id, payload)),
      remove: ({ params }) => Effect.flatMap(CurrentUser, (user) => devices.revoke(user, params.id)),
      heartbeat: ({ params, payload }) =>
        Effect.flatMap(CurrentDeviceCaller, (caller) => presence.heartbeat(caller, params.id, payload))
    })
  })
)

export const DevicePairingHttp = HttpApiBuilder.group(
  HubApi,
  "device_pairing",
  Effect.fn(function*(handlers) {
    const pairing = yield* DevicePairing
    const { trustedProxies } = yield* Settings
    const calls = yield* OpenCalls
    const addressOf = makeClientAddress(trustedProxies)
    return handlers.handleAll({
      start: Effect.fn(function*({ payload }) {
        yield* noStore
        return yield* pairing.start(addressOf(yield* HttpServerRequest.HttpServerRequest), payload)
      }),
      current: Effect.fn(function*({ query }) {
        yield* noStore
        const request = yield* HttpServerRequest.HttpServerRequest
        const address = addressOf(request)
        // The caller is unknown until its secret is found, so its address identifies it.
        yield* calls.hold(`pairing ${addressKey(address)}`)
        return yield* pairing.current(bearerOf(request.headers["authorization"]), (query.wait ?? 0) * 1_000)
      }),
      get: ({ params }) => Effect.flatMap(CurrentUser, (user) => pairing.get(user, params.code)),
      confirm: ({ params, payload }) =>
        Effect.flatMap(CurrentUser, (user) => pairing.confirm(user, params.code, payload)),
      reject: ({ params }) => Effect.flatMap(CurrentUser, (user) => pairing.reject(user, params.code))
    })
  })
)

export const DeviceSessionsHttp = HttpApiBuilder.group(
  HubApi,
  "device_sessions",
  Effect.fn(function*(handlers) {
    const sessions = yield* DeviceSessions
    const commands = yield* DeviceCommands
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentUser, (user) => sessions.list(user, query)),
      get: ({ params }) => Effect.flatMap(CurrentDeviceCaller, (caller) => sessions.get(caller, params.id)),
      update: ({ params, payload }) =>
        Effect.flatMap(CurrentDeviceCaller, (caller) => sessions.update(caller, params.id, payload)),
      queue: Effect.fn(function*({ params, payload }) {
        const command = yield* commands.queue(yield* CurrentUser, params.id, payload)
        return created(`/devices/commands/${command.id}`, command)
      }),
      commands: ({ params, query }) =>
        Effect.flatMap(CurrentDeviceCaller, (caller) => sessions.commands(caller, params.id, query))
    })
  })
)

export const DeviceCommandsHttp = HttpApiBuilder.group(
  HubApi,
  "device_commands",
  Effect.fn(function*(handlers) {
    const commands = yield* DeviceCommands
    const delivery = yield* Delivery
    const output = yield* DeviceOutput
    return handlers
      .handle("get", ({ params }) => Effect.flatMap(CurrentDeviceCaller, (caller) => commands.get(caller, params.id)))
      .handle(
        "ack",
        ({ params, payload }) =>
          Effect.flatMap(CurrentDeviceCaller, (caller) => delivery.ack(caller, params.id, payload.lease))
      )
      .handle(
        "state",
        ({ params, payload }) =>
          Effect.flatMap(CurrentDeviceCaller, (caller) => delivery.state(caller, params.id, payload))
      )
      .handle(
        "output",
        ({ params, payload }) =>
          Effect.flatMap(CurrentDeviceCaller, (caller) => output.write(caller, params.id, payload))
      )
      .handle(
        "done",
        ({ params, payload }) =>
          Effect.flatMap(CurrentDeviceCaller, (caller) => delivery.done(caller, params.id, payload))
      )
      .handle("cancel", ({ params }) => Effect.flatMap(CurrentUser, (user) => commands.cancel(user, params.id)))
      .handleRaw(
        "readOutput",
        Effect.fnUntraced(function*({ params, query, request }) {
          const caller = yield* CurrentDeviceCaller
          const wantsEvents = request.headers["accept"]?.includes("text/event-stream") === true
          if (!wantsEvents) return HttpServerResponse.jsonUnsafe(yield* output.read(caller, params.id, query))
          const header = Number.parseInt(request.headers["last-event-id"] ?? "", 10)
          const from = Number.isSafeInteger(header) ? header : query.after_seq ?? -1
          return eventStreamAnswer(Stream.encodeText(yield* output.follow(caller, params.id, from)))
        })
      )
  })
)
