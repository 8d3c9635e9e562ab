import { HubApi } from "@countersign/domain/api"
import { CurrentDeviceCaller, CurrentPrincipal, CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { heartbeatSeconds, minAppVersion } from "@countersign/domain/device-protocol"
import { notFound } from "@countersign/domain/errors"
import { Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Liveness } from "../auth/liveness.ts"
import { Settings } from "../config.ts"
import { makeClientAddress } from "../edge/client-address.ts"
import { bearerOf } from "../edge/credentials.ts"
import { noStore } from "../edge/no-store.ts"
import { OpenCalls } from "../edge/open-calls.ts"
import { addressKey } from "../edge/rate-limit.ts"
import { actorOf } from "../platform/audit-log.ts"
import { eventStreamAnswer } from "../platform/event-stream.ts"
import { Signals } from "../platform/signals.ts"
import { awaitSignal } from "../platform/waiting.ts"
import { DeviceCommands } from "./commands.ts"
import { actsFor, Delivery } from "./delivery.ts"
import { followOutput } from "./follow.ts"
import { DeviceOutput } from "./output.ts"
import { DevicePairing } from "./pairing.ts"
import { DevicePresence } from "./presence.ts"
import { DevicesRepository } from "./repository.ts"
import { Devices } from "./service.ts"
import { DeviceSessions } from "./sessions.ts"

/** The interval of a socket's checks; each check takes the device's lock. */
const pollCheckMillis = 5_000

export const DevicesHttp = HttpApiBuilder.group(
  HubApi,
  "devices",
  Effect.fn(function*(handlers) {
    const devices = yield* Devices
    const presence = yield* DevicePresence
    const repository = yield* DevicesRepository
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
      heartbeat: Effect.fn(function*({ params, payload }) {
        const caller = yield* CurrentDeviceCaller
        const device = yield* repository.find(caller.org_id, params.id)
        if (device === undefined || !actsFor(caller, device)) return yield* Effect.fail(notFound("device"))
        const { controls, kept, lost, session, waiting } = yield* presence.recordHeartbeat(caller.org_id, params.id, {
          status: "online",
          ...payload
        }, actorOf(caller))
        return {
          session_id: session as typeof payload.session_id & string,
          interval_seconds: heartbeatSeconds,
          waiting,
          controls,
          kept,
          lost,
          server_time: new Date().toISOString(),
          min_app_version: minAppVersion
        }
      })
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
    const delivery = yield* Delivery
    const signals = yield* Signals
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentUser, (user) => sessions.list(user, query)),
      get: ({ params }) => Effect.flatMap(CurrentDeviceCaller, (caller) => sessions.get(caller, params.id)),
      update: ({ params, payload }) =>
        Effect.flatMap(CurrentDeviceCaller, (caller) => sessions.update(caller, params.id, payload)),
      queue: Effect.fn(function*({ params, payload }) {
        const command = yield* commands.queue(yield* CurrentUser, params.id, payload)
        return created(`/devices/commands/${command.id}`, command)
      }),
      commands: Effect.fn(function*({ params, query }) {
        const caller = yield* CurrentDeviceCaller
        const { boot_id: boot, max = 1, wait = 0, ...rest } = query
        if (caller.kind === "user") return yield* commands.list(caller, params.id, rest)
        const session = yield* sessions.get(caller, params.id)
        return yield* awaitSignal(
          signals,
          caller.device_id,
          wait * 1_000,
          delivery.offer(caller.org_id, caller.device_id, max, { session: session.id, boot }),
          ({ controls, data }) => data.length > 0 || controls.length > 0,
          pollCheckMillis
        )
      })
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
    const liveness = yield* Liveness
    const signals = yield* Signals
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
          yield* output.read(caller, params.id, { after_seq: from, limit: 1 })
          return eventStreamAnswer(
            followOutput(
              signals,
              params.id,
              from,
              (after_seq, limit) => output.read(caller, params.id, { after_seq, limit })
            ).pipe(
              Stream.interruptWhen(liveness.ended(caller)),
              Stream.encodeText
            )
          )
        })
      )
  })
)
