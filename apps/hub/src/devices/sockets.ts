/**
 * Devices on a WebSocket: the same messages and rules as over HTTP, with immediate delivery of commands. One socket
 * delivers to a device at a time, on any hub; a revoke or a takeover closes the others within a second. Spec:
 * reference/devices.md "WebSocket".
 */
import type { DevicePrincipal } from "@countersign/domain/auth"
import {
  chunkBytesMax,
  closeCodes,
  type Control,
  type DeviceFrame,
  frameBytesMax,
  heartbeatSeconds,
  leaseMillis,
  minAppVersion,
  offlineSeconds,
  protocolVersion,
  runningMax
} from "@countersign/domain/device-protocol"
import { type ApiError, invalidRequest, isApiError } from "@countersign/domain/errors"
import { Cause, Context, Effect, Exit, Layer, Option, Queue, Result, type Scope } from "effect"
import { Socket } from "effect/socket"
import { actorOf } from "../platform/audit-log.ts"
import { Delivery } from "./delivery.ts"
import { makeFramePace } from "./frame-pace.ts"
import { aboutFrame, aboutRefused, internalError, parseDeviceFrame } from "./frames.ts"
import { makeOpenSockets, type OpenSocket } from "./open-sockets.ts"
import { DeviceOutput } from "./output.ts"
import { DevicePresence, type HeartbeatResult } from "./presence.ts"
import { DevicesRepository } from "./repository.ts"

/** A socket without a hello is closed after this time. */
const helloMillis = 10_000

type Hello = Extract<DeviceFrame, { readonly type: "hello" }>

const keyOf = ({ command_id, type }: Control): string => `${type} ${command_id ?? ""}`

export class DeviceSockets extends Context.Service<DeviceSockets, {
  /** Runs until either side closes the socket. */
  readonly serve: (
    device: DevicePrincipal,
    socket: Socket.Socket
  ) => Effect.Effect<void, Socket.SocketError, Scope.Scope>
  /** Closes all sockets with 1012, so that devices connect to another hub, or to this one after its restart. */
  readonly endAll: Effect.Effect<void>
}>()("@countersign/hub/devices/DeviceSockets") {
  static readonly layer = Layer.effect(
    DeviceSockets,
    Effect.gen(function*() {
      const devices = yield* DevicesRepository
      const presence = yield* DevicePresence
      const delivery = yield* Delivery
      const output = yield* DeviceOutput
      const context = yield* Effect.context<never>()
      const sockets = yield* makeOpenSockets

      const serve: DeviceSockets["Service"]["serve"] = Effect.fnUntraced(function*(device, socket) {
        const { pull } = yield* socket.reader
        const writer = yield* socket.writer
        const id = crypto.randomUUID()
        const { device_id: deviceId, org_id: org } = device
        const close = (code: number, reason: string) => Effect.ignore(writer.write(new Socket.CloseEvent(code, reason)))
        const send = (frame: Readonly<Record<string, unknown>>) => writer.write(JSON.stringify(frame))
        const sendError = (error: ApiError, about: Readonly<Record<string, unknown>> = {}) =>
          send({ type: "error", ...about, error: error.error })
        const closeOf = (error: ApiError) =>
          error.error.code === "superseded"
            ? close(closeCodes.superseded, "a newer start of the device took over")
            : error.error.code === "device_revoked"
            ? close(closeCodes.revoked, "revoked")
            : Effect.andThen(sendError(error), close(closeCodes.protocol, error.error.code))

        const waiting: Array<string | Uint8Array> = []
        const pace = yield* makeFramePace
        const next = Effect.gen(function*() {
          yield* pace
          if (waiting.length === 0) waiting.push(...yield* pull)
          return waiting.shift()!
        })

        const first = yield* Effect.timeoutOption(next, helloMillis)
        const hello = Option.isNone(first) ? undefined : parseDeviceFrame(first.value)
        if (hello === undefined || Result.isFailure(hello) || hello.success.type !== "hello") {
          if (hello !== undefined && Result.isFailure(hello)) yield* sendError(hello.failure)
          return yield* close(closeCodes.protocol, "expected hello")
        }
        const { max_protocol, min_protocol } = hello.success
        if (min_protocol > protocolVersion || max_protocol < protocolVersion) {
          return yield* close(closeCodes.protocol, `this hub uses protocol ${protocolVersion}`)
        }
        const recorded = yield* Effect.result(
          presence.recordHeartbeat(org, deviceId, heartbeatOf(hello.success), actorOf(device))
        )
        if (Result.isFailure(recorded)) return yield* closeOf(recorded.failure)

        const nudges = yield* Queue.sliding<void>(1)
        const sentControls = new Set<string>()
        const run = Effect.runForkWith(context)
        const open: OpenSocket = {
          id,
          device: deviceId,
          epoch: recorded.success.epoch,
          state: recorded.success.state,
          nudge: () => Queue.offerUnsafe(nudges, undefined),
          close: (code, reason) => run(close(code, reason))
        }
        if (!(yield* sockets.hold(open))) return yield* close(closeCodes.restart, "the hub restarts")

        const control = Effect.fnUntraced(function*(controls: ReadonlyArray<Control>) {
          const now = new Set(controls.map(keyOf))
          for (const each of controls) {
            if (sentControls.has(keyOf(each))) continue
            if (each.type === "revoke") return yield* close(closeCodes.revoked, "revoked")
            yield* send(each.type === "cancel" ? each : { type: "control", control: each })
          }
          // A control that no longer applies may apply again later, and must then be sent again.
          for (const key of sentControls) if (!now.has(key)) sentControls.delete(key)
          for (const key of now) sentControls.add(key)
        })
        const sessionFacts = ({ controls, kept, lost, session }: HeartbeatResult) => ({
          session_id: session,
          interval_seconds: heartbeatSeconds,
          kept,
          lost,
          server_time: new Date().toISOString(),
          min_app_version: minAppVersion,
          controls
        })
        yield* send({
          type: "welcome",
          protocol: protocolVersion,
          ...sessionFacts(recorded.success),
          lease_ms: leaseMillis,
          limits: { frame_bytes: frameBytesMax, chunk_bytes: chunkBytesMax, running: runningMax }
        })
        for (const each of recorded.success.controls) sentControls.add(keyOf(each))

        const deliver = Effect.gen(function*() {
          const offered = yield* Effect.result(delivery.offer(org, deviceId, runningMax, { socket: id }))
          if (Result.isFailure(offered)) return yield* closeOf(offered.failure)
          for (const { lease, ...command } of offered.success.data) yield* send({ type: "command", command, lease })
          yield* control(offered.success.controls)
        })
        const delivering = Effect.forever(Effect.gen(function*() {
          yield* Queue.take(nudges)
          yield* deliver
        }))

        const answerHeartbeat = Effect.fnUntraced(
          function*(frame: Extract<DeviceFrame, { readonly type: "heartbeat" }>) {
            const { type: _, ...heartbeat } = frame
            const rest = yield* presence.recordAtRest(org, deviceId, heartbeat, id)
            if (rest !== undefined) {
              open.epoch = rest.epoch
              open.state = rest.state
              return yield* control([])
            }
            const again = yield* presence.recordHeartbeat(org, deviceId, heartbeat, actorOf(device))
            open.epoch = again.epoch
            open.state = again.state
            if (!(yield* devices.keepSocket(deviceId, id, offlineSeconds))) {
              return yield* close(closeCodes.replaced, "another socket of this device took over")
            }
            for (const command of again.lost) yield* send({ type: "cancel", command_id: command, lost: true })
            yield* control(again.controls)
            if (again.waiting.length > 0) open.nudge()
          }
        )

        const take = (frame: DeviceFrame): Effect.Effect<void, ApiError | Socket.SocketError> => {
          switch (frame.type) {
            case "hello":
              return sendError(invalidRequest("Send only one hello."))
            case "heartbeat":
              return answerHeartbeat(frame)
            case "ack":
              return Effect.flatMap(
                delivery.ack(device, frame.command_id, frame.lease),
                ({ lease, status }) => send({ type: "acked", command_id: frame.command_id, status, lease })
              )
            case "state": {
              const { command_id, type: _, ...report } = frame
              return Effect.flatMap(
                delivery.state(device, command_id, report),
                ({ lease, status }) => send({ type: "acked", command_id, status, lease })
              )
            }
            case "output": {
              const { command_id, type: _, ...report } = frame
              return Effect.flatMap(
                output.write(device, command_id, report),
                ({ next_seq }) => send({ type: "output_ack", command_id, next_seq })
              )
            }
            case "done": {
              const { command_id, type: _, ...report } = frame
              return Effect.flatMap(delivery.done(device, command_id, report), ({ outcome, status }) => {
                open.nudge()
                return send({ type: "done", command_id, status, ...(outcome === undefined ? {} : { outcome }) })
              })
            }
          }
        }

        const reading = Effect.forever(Effect.gen(function*() {
          const received = yield* next
          const parsed = parseDeviceFrame(received)
          if (Result.isFailure(parsed)) return yield* sendError(parsed.failure, aboutRefused(received))
          const frame = parsed.success
          yield* Effect.matchCauseEffect(take(frame), {
            onSuccess: () => Effect.void,
            onFailure: (cause) => {
              const error = Cause.squash(cause)
              if (isApiError(error)) {
                return error.error.code === "superseded" || error.error.code === "device_revoked"
                  ? closeOf(error)
                  : sendError(error, aboutFrame(frame))
              }
              return Cause.hasInterrupts(cause) || Socket.isSocketError(error)
                ? Effect.failCause(cause as Cause.Cause<Socket.SocketError>)
                : Effect.andThen(
                  Effect.logError("a frame of a device failed", cause),
                  send({ type: "error", ...aboutFrame(frame), error: internalError })
                )
            }
          })
        }))
        open.nudge()
        // Closing the socket ends the reader, and with it the delivery.
        yield* Effect.raceFirst(Effect.exit(reading), Effect.exit(delivering)).pipe(
          Effect.flatMap((exit) =>
            Exit.isFailure(exit) && !Socket.isSocketError(Cause.squash(exit.cause))
              ? Effect.failCause(exit.cause)
              : Effect.void
          )
        )
      })

      return DeviceSockets.of({ serve, endAll: sockets.closeAll })
    })
  )
}

/** The facts of a hello, in the form of a heartbeat. */
const heartbeatOf = (hello: Hello) => {
  const { max_protocol: _max, min_protocol: _min, tools, type: _type, ...heartbeat } = hello
  return tools === undefined ? heartbeat : { ...heartbeat, capabilities: tools }
}
