/**
 * A device that is heard: its session, which copy of it runs, what it is at, and what the hub wants of it. The same for a
 * heartbeat over HTTP and for the hello of a socket. Spec: contract 8a "Reconnect", "Controls".
 */
import { type Control, type Heartbeat, offlineSeconds, type Running } from "@countersign/domain/device-protocol"
import type { DeviceState } from "@countersign/domain/devices"
import { type ApiError, conflict, Unauthorized } from "@countersign/domain/errors"
import type { DeviceCommandId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { type Actor, AuditLog } from "../audit/service.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { DeviceClosing } from "./closing.ts"
import { DeviceCommandsRepository } from "./commands-repository.ts"
import { type DeviceChange, DevicesRepository } from "./repository.ts"
import { type CommandRow, type DeviceRow, isFinal, reportOf } from "./rows.ts"

export interface Heard {
  readonly session: string
  /** Raised whenever another copy takes over: a socket of an older one is closed. */
  readonly epoch: number
  readonly state: DeviceState
  readonly kept: ReadonlyArray<DeviceCommandId>
  readonly lost: ReadonlyArray<DeviceCommandId>
  readonly waiting: ReadonlyArray<DeviceCommandId>
  readonly controls: ReadonlyArray<Control>
}

/** Commands named at a time in `waiting`. */
const waitingMax = 100

export const revoked = () =>
  new Unauthorized({
    error: { code: "device_revoked", message: "This device was revoked. Its key will never work again; pair it anew." }
  })

export const superseded = (row: DeviceRow) =>
  conflict("superseded", "A newer start of this device took its place.", {
    instance_id: row.instance_id,
    last_heard_at: row.heard_at?.toISOString() ?? null
  })

export const sameTools = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((tool) => b.includes(tool))

type Status = NonNullable<Heartbeat["status"]>

/** The state after a device said how it is. Only what it began itself it also ends. */
const stateSaid = (row: DeviceRow, status: Status): DeviceState => {
  // It has not heard yet that it may go on.
  if (row.resuming && status !== "online") return row.state
  const ownAct = row.state_by === "device" && (row.state === "paused" || row.state === "draining")
  if (status === "paused") return row.state === "active" || row.state === "draining" ? "paused" : row.state
  if (status === "draining") {
    return row.state === "active" || (ownAct && row.state === "paused")
      ? "draining"
      : row.state
  }
  return ownAct ? row.granted.length > 0 ? "active" : "pending" : row.state
}

/** What the hub wants of it: `status` is what the device last said. */
export const controlsOf = (
  row: DeviceRow,
  status: Status | undefined,
  open: ReadonlyArray<CommandRow>
): ReadonlyArray<Control> => {
  const controls: Array<Control> = open
    .filter((command) => command.cancel_requested_at !== null && command.status !== "queued")
    .map((command) => ({ type: "cancel", command_id: command.id }))
  for (const { consent, id, plan_digest, status } of open) {
    if (status !== "awaiting_consent" || consent === null || consent === "pending" || plan_digest === null) continue
    controls.push({
      type: "consent",
      command_id: id,
      decision: consent === "approved" ? "approved" : "denied",
      plan_digest
    })
  }
  if (row.state === "revoked") controls.push({ type: "revoke" })
  else if (row.state === "paused" && row.state_by === "hub") controls.push({ type: "pause" })
  else if (row.state === "draining" && row.state_by === "hub") controls.push({ type: "drain" })
  else if (row.state === "active" && status !== undefined && status !== "online") controls.push({ type: "resume" })
  return controls
}

export class DevicePresence extends Context.Service<DevicePresence, {
  /**
   * 401 `device_revoked`; 409 `superseded` when a newer start took its place, `session_ended` when it names a session that is
   * over.
   */
  readonly hear: (org: string, device: string, said: Heartbeat, actor: Actor) => Effect.Effect<Heard, ApiError>
  /** The same at a fraction of the cost, for a device that waits; none when it says or has anything more. Keeps its socket. */
  readonly hearAtRest: (
    org: string,
    device: string,
    said: Heartbeat,
    socket: string
  ) => Effect.Effect<Heard | undefined>
}>()("@countersign/hub/devices/DevicePresence") {
  static readonly layer = Layer.effect(
    DevicePresence,
    Effect.gen(function*() {
      const devices = yield* DevicesRepository
      const commands = yield* DeviceCommandsRepository
      const closing = yield* DeviceClosing
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db

      /** The newest start wins: an older one is told so, whatever it sends, and what it acknowledged is interrupted. */
      const takePlace = Effect.fnUntraced(function*(
        row: DeviceRow,
        said: Heartbeat,
        actor: Actor
      ): Effect.fn.Return<DeviceChange, ApiError> {
        const { boot_id: boot, instance_id: instance } = said
        if (boot !== undefined && boot !== row.boot_id && (yield* devices.isSuperseded(row.id, boot))) {
          return yield* Effect.fail(superseded(row))
        }
        const another = (boot !== undefined && boot !== row.boot_id) ||
          (instance !== undefined && row.instance_id !== null && instance !== row.instance_id)
        if (!another) return instance === undefined || row.instance_id !== null ? {} : { instance_id: instance }
        if (row.boot_id !== null && row.boot_id !== boot) yield* devices.supersede(row.id, row.boot_id)
        yield* closing.supersede(
          row,
          { code: "superseded", message: "Another start of the device took over while it ran." },
          actor
        )
        return {
          epoch: row.epoch + 1,
          // A copy that says no boot has none: the older one does not come back under its own.
          boot_id: boot ?? null,
          ...(instance === undefined ? {} : { instance_id: instance })
        }
      })

      /** Which of what it says it runs goes on. A command that it acknowledged and does not name ends by its lease. */
      const goesOn = Effect.fnUntraced(function*(open: ReadonlyArray<CommandRow>, running: ReadonlyArray<Running>) {
        const kept: Array<DeviceCommandId> = []
        const lost: Array<DeviceCommandId> = []
        for (const { command_id, lease } of running) {
          const command = open.find(({ id }) => id === command_id)
          const goes = command !== undefined && command.status !== "queued" && command.lease_number === lease &&
            !isFinal(command.status)
          if (goes) yield* commands.renew(command_id, true)
          ;(goes ? kept : lost).push(command_id)
        }
        return { kept, lost }
      })

      const hear = Effect.fn("DevicePresence.hear")(
        function*(org: string, device: string, said: Heartbeat, actor: Actor): Effect.fn.Return<Heard, ApiError> {
          const row = yield* devices.lock(org, device)
          if (row === undefined || row.state === "revoked") return yield* Effect.fail(revoked())
          const place = yield* takePlace(row, said, actor)
          const live = yield* devices.liveSession(org, device)
          if (said.session_id !== undefined && said.session_id !== live?.id) {
            return yield* Effect.fail(
              conflict(
                "session_ended",
                "That session is over. Send a heartbeat without session_id for the present one.",
                {
                  session_id: live?.id ?? null
                }
              )
            )
          }
          const session = live?.id ?? (yield* devices.startSession(org, device))
          yield* devices.updateSession(session, {
            ...(said.roots === undefined ? {} : { roots: said.roots }),
            ...(said.working_directory === undefined || live?.working_directory != null
              ? {}
              : { working_directory: said.working_directory })
          })
          const grown = said.capabilities !== undefined && !sameTools(said.capabilities, row.capabilities)
          const report = {
            ...reportOf(row),
            ...(said.load === undefined ? {} : { load: said.load }),
            ...(said.timeout_seconds_max === undefined ? {} : { timeout_seconds_max: said.timeout_seconds_max })
          }
          // Unseen for too long, it is as new: an operator must grant again.
          const state = row.stale ? "pending" : said.status === undefined ? row.state : stateSaid(row, said.status)
          yield* devices.update(org, device, {
            ...place,
            ...(said.app_version === undefined ? {} : { app_version: said.app_version }),
            ...(grown ? { capabilities: said.capabilities } : {}),
            ...(row.stale ? { granted: [] } : {}),
            ...(state === row.state ? {} : { state, state_by: "device" as const }),
            ...(row.resuming && said.status === "online" ? { resuming: false } : {}),
            ...(row.presence_told === "online" ? {} : { presence_told: "online" as const }),
            report: JSON.stringify(report)
          })
          yield* devices.heard(org, device)
          yield* devices.sessionHeard(session)
          const { kept, lost } = yield* goesOn(yield* commands.open(device), said.running ?? [])
          const after = (yield* devices.find(org, device)) ?? row
          const facts = {
            ...(row.presence_told === "online" ? {} : { presence: "online" }),
            ...(state === row.state ? {} : { state, before: row.state }),
            ...(grown ? { capabilities: said.capabilities } : {}),
            ...(live === undefined ? { session_id: session } : {}),
            ...(place.epoch === undefined || row.epoch === 0
              ? {}
              : { superseded: row.instance_id === said.instance_id ? "restarted" : "another_instance" })
          }
          // A new surface is asked for again; what was granted stays.
          if (Object.keys(facts).length > 0) {
            yield* audit.record(org, actor, {
              action: grown ? "device.offers_changed" : "device.heard",
              subject: { type: "device", id: device },
              data: facts
            })
          }
          if (place.epoch !== undefined || state !== row.state) {
            yield* db.afterCommit(Effect.sync(() => signals.device(device)))
          }
          const open = yield* commands.open(device)
          const waiting = after.state === "active" ? yield* commands.offerable(session, waitingMax) : []
          return {
            session,
            epoch: after.epoch,
            state: after.state,
            kept,
            lost,
            waiting: waiting.map(({ id }) => id),
            controls: controlsOf(after, said.status, open)
          }
        },
        db.transaction
      )

      const hearAtRest: DevicePresence["Service"]["hearAtRest"] = Effect.fnUntraced(
        function*(org, device, said, socket) {
          const {
            app_version: appVersion,
            boot_id: boot,
            instance_id: instance,
            load,
            roots,
            running = [],
            status,
            timeout_seconds_max,
            ...more
          } = said
          const plain = status === "online" && running.length === 0 && Object.keys(more).length === 0
          if (
            !plain || appVersion === undefined || boot === undefined || instance === undefined || roots === undefined
          ) {
            return undefined
          }
          const report = JSON.stringify({ load, timeout_seconds_max })
          const heard = yield* devices.heardAtRest(
            org,
            device,
            { boot, instance, appVersion, roots, report },
            socket,
            offlineSeconds
          )
          return heard === undefined
            ? undefined
            : { ...heard, state: "active", kept: [], lost: [], waiting: [], controls: [] }
        }
      )

      return DevicePresence.of({ hear, hearAtRest })
    })
  )
}
