/**
 * The open device sockets of this hub. It closes a socket within a second after any hub revokes the device, accepts a
 * newer boot of it, or serves it by another socket.
 */
import { closeCodes, offlineSeconds } from "@countersign/domain/device-protocol"
import type { DeviceState } from "@countersign/domain/devices"
import { Effect } from "effect"
import { Signals } from "../platform/signals.ts"
import { openSockets } from "../platform/telemetry.ts"
import { DevicesRepository } from "./repository.ts"

/** How often the states and epochs of all sockets are read, in one query. */
const checkMillis = 1_000
/**
 * Every so many checks, also look for commands that are pending, unanswered, decided, or canceled, in case every signal
 * was lost.
 */
const checksToWork = 5

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
    if (signal.kind !== "object" && signal.kind !== "resync") return
    for (const socket of sockets) if (signal.kind === "resync" || socket.device === signal.id) socket.nudge()
  })
  /** Closes with 1012, so that devices connect to another hub, or to this one after its restart. */
  const closeAll = Effect.sync(() => {
    ending = true
    for (const socket of sockets) socket.close(closeCodes.restart, "the hub restarts")
  })
  yield* Effect.addFinalizer(() => Effect.andThen(Effect.sync(unsubscribe), closeAll))

  let checks = 0
  const check = Effect.gen(function*() {
    yield* Effect.sleep(checkMillis)
    if (sockets.size === 0) return
    // A snapshot: the answer does not cover a socket that opens while the query runs.
    const snapshot = new Map([...sockets].map((socket) => [socket.id, socket]))
    for (const now of yield* devices.changedSockets([...snapshot.values()], ++checks % checksToWork === 0)) {
      const socket = snapshot.get(now.id)
      if (socket === undefined) continue
      if (now.state === null || now.state === "revoked") socket.close(closeCodes.revoked, "revoked")
      else if (now.epoch > socket.epoch) socket.close(closeCodes.superseded, "a newer start of the device took over")
      else if (!now.holds) {
        socket.close(closeCodes.replaced, "another socket of this device took over, or this one was silent")
      } else {
        socket.state = now.state
        socket.nudge()
      }
    }
  }).pipe(
    Effect.catchCause((cause) =>
      Effect.logWarning("the devices of open sockets could not be checked; the hub will retry", cause)
    )
  )
  yield* Effect.forkScoped(Effect.forever(check))

  const change = (act: () => void) =>
    Effect.sync(() => {
      act()
      openSockets.updateUnsafe(sockets.size, context)
    })
  return {
    closeAll,
    /**
     * Makes this socket the only one that delivers to its device, until the scope is closed. False: the hub is
     * stopping.
     */
    hold: Effect.fnUntraced(function*(socket: OpenSocket) {
      yield* devices.holdSocket(socket.device, socket.id, offlineSeconds)
      // Ends a pending poll: it may take no more commands.
      signals.object(socket.device)
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
