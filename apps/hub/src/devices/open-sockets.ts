/**
 * The sockets of devices that this hub has open. Each is closed within a second once its device is revoked, started again elsewhere, or
 * served by another socket, whichever hub noticed it.
 */
import { closeCodes, offlineSeconds } from "@countersign/domain/device-protocol"
import type { DeviceState } from "@countersign/domain/devices"
import { Effect } from "effect"
import { Signals } from "../platform/signals.ts"
import { openSockets } from "../platform/telemetry.ts"
import { DevicesRepository } from "./repository.ts"

/** How often the keys and copies behind all sockets are read, in one query. */
const lookMillis = 1_000
/** Every so many times also whether commands are pending, unanswered, decided, or cancelled, in case every signal was lost. */
const looksToWork = 5

export interface OpenSocket {
  readonly id: string
  readonly device: string
  epoch: number
  state: DeviceState
  readonly nudge: () => void
  readonly close: (code: number, reason: string) => void
}

export const makeOpenSockets = Effect.gen(function*() {
  const devices = yield* DevicesRepository
  const signals = yield* Signals
  const context = yield* Effect.context<never>()
  const sockets = new Set<OpenSocket>()
  let ending = false

  const unsubscribe = signals.subscribe((signal) => {
    if (signal.kind !== "device" && signal.kind !== "resync") return
    for (const socket of sockets) if (signal.kind === "resync" || socket.device === signal.device) socket.nudge()
  })
  /** With 1012, so that devices connect to another hub, or to this one again. */
  const closeAll = Effect.sync(() => {
    ending = true
    for (const socket of sockets) socket.close(closeCodes.restart, "the hub restarts")
  })
  yield* Effect.addFinalizer(() => Effect.andThen(Effect.sync(unsubscribe), closeAll))

  let looks = 0
  const look = Effect.gen(function*() {
    yield* Effect.sleep(lookMillis)
    if (sockets.size === 0) return
    // As they are now: a socket that opens while the database answers is not among those that the answer is about.
    const held = new Map([...sockets].map((socket) => [socket.id, socket]))
    for (const now of yield* devices.changedSockets([...held.values()], ++looks % looksToWork === 0)) {
      const socket = held.get(now.id)
      if (socket === undefined) continue
      if (now.state === null || now.state === "revoked") socket.close(closeCodes.revoked, "revoked")
      else if (now.epoch > socket.epoch) socket.close(closeCodes.superseded, "another start took its place")
      else if (!now.holds) socket.close(closeCodes.replaced, "another socket of this device delivers, or it was silent")
      else {
        socket.state = now.state
        socket.nudge()
      }
    }
  }).pipe(
    Effect.catchCause((cause) => Effect.logWarning("the devices behind sockets are looked at again in a second", cause))
  )
  yield* Effect.forkScoped(Effect.forever(look))

  const change = (act: () => void) =>
    Effect.sync(() => {
      act()
      openSockets.updateUnsafe(sockets.size, context)
    })
  return {
    closeAll,
    /** Until the scope is closed. From then on this socket delivers to its device, and no other. False: the hub ends. */
    hold: Effect.fnUntraced(function*(socket: OpenSocket) {
      yield* devices.holdSocket(socket.device, socket.id, offlineSeconds)
      // A pending poll ends: it takes no more commands.
      signals.device(socket.device)
      yield* Effect.acquireRelease(
        change(() => sockets.add(socket)),
        () =>
          Effect.andThen(
            change(() => sockets.delete(socket)),
            Effect.ignoreCause(devices.dropSocket(socket.device, socket.id))
          )
      )
      return !ending
    })
  }
})
