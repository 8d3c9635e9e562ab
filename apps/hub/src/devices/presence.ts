/**
 * Handles a heartbeat over HTTP or the hello of a socket: session, running copy, running commands, and controls. Spec:
 * reference/devices.md "Reconnects", "Controls".
 */
import {
  type Control,
  type Heartbeat,
  type HeartbeatAnswer,
  heartbeatSeconds,
  minAppVersion,
  offlineSeconds,
  type Running
} from "@countersign/domain/device-protocol"
import type { DeviceState } from "@countersign/domain/devices"
import { type ApiError, conflict, notFound, Unauthorized } from "@countersign/domain/errors"
import type { DeviceCommandId, DeviceSessionId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { type Actor, actorOf, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { actsFor, type DeviceCaller } from "./caller.ts"
import { DeviceClosing } from "./closing.ts"
import { DeviceCommandsRepository } from "./commands-repository.ts"
import { type DeviceChange, DevicesRepository } from "./repository.ts"
import { type CommandRow, type DeviceRow, isFinal, reportOf } from "./rows.ts"

export interface HeartbeatResult {
  readonly session: string
  /** Raised each time another copy takes over; sockets of older copies are then closed. */
  readonly epoch: number
  readonly state: DeviceState
  readonly kept: ReadonlyArray<DeviceCommandId>
  readonly lost: ReadonlyArray<DeviceCommandId>
  readonly waiting: ReadonlyArray<DeviceCommandId>
  readonly controls: ReadonlyArray<Control>
}

/** The most commands listed in `waiting`. */
const waitingMax = 100

export const revoked = () =>
  new Unauthorized({
    error: {
      code: "device_revoked",
      message: "This device was revoked and its key is no longer valid. Pair the device again."
    }
  })

export const superseded = (row: DeviceRow) =>
  conflict("superseded", "A newer start of this device took over.", {
    instance_id: row.instance_id,
    last_heard_at: row.heard_at?.toISOString() ?? null
  })

export const sameTools = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((tool) => b.includes(tool))

type Status = NonNullable<Heartbeat["status"]>

/** The device's state after it reported a status. A device ends only a pause or drain that it started. */
const reportedState = (row: DeviceRow, status: Status): DeviceState => {
  // The device has not yet received the control to resume.
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

/** The hub's controls for the device; `status` is the device's latest report. */
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
  /** A heartbeat over HTTP. 404 for other callers; otherwise the errors of `recordHeartbeat`. */
  readonly heartbeat: (
    caller: DeviceCaller,
    device: string,
    sent: Heartbeat
  ) => Effect.Effect<HeartbeatAnswer, ApiError>
  /**
   * 401 `device_revoked`; 409 `superseded` after a newer boot took over, `session_ended` for a session that has ended.
   */
  readonly recordHeartbeat: (
    org: OrgId,
    device: string,
    heartbeat: Heartbeat,
    actor: Actor
  ) => Effect.Effect<HeartbeatResult, ApiError>
  /**
   * A cheaper version for a device without work: none when the device reports a change or has any work. Renews its
   * socket.
   */
  readonly recordAtRest: (
    org: OrgId,
    device: string,
    heartbeat: Heartbeat,
    socket: string
  ) => Effect.Effect<HeartbeatResult | undefined>
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

      /**
       * The newest boot wins: an older one gets `superseded` for every message, and its acknowledged commands are
       * interrupted.
       */
      const takeOver = Effect.fnUntraced(function*(
        row: DeviceRow,
        heartbeat: Heartbeat,
        actor: Actor
      ): Effect.fn.Return<DeviceChange, ApiError> {
        const { boot_id: boot, instance_id: instance } = heartbeat
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
          // Null for a copy without a boot id, so that the older boot cannot return under its id.
          boot_id: boot ?? null,
          ...(instance === undefined ? {} : { instance_id: instance })
        }
      })

      /**
       * The reported commands that continue. An acknowledged command that the device does not report ends by its lease.
       */
      const compareRunning = Effect.fnUntraced(
        function*(open: ReadonlyArray<CommandRow>, running: ReadonlyArray<Running>) {
          const kept: Array<DeviceCommandId> = []
          const lost: Array<DeviceCommandId> = []
          for (const { command_id, lease } of running) {
            const command = open.find(({ id }) => id === command_id)
            const goes = command !== undefined && command.status !== "queued" && command.lease_number === lease &&
              !isFinal(command.status)
            ;(goes ? kept : lost).push(command_id)
          }
          // In order of id, as all commands are locked.
          for (const id of kept.toSorted()) yield* commands.renew(id, true)
          return { kept, lost }
        }
      )

      const recordHeartbeat = Effect.fn("DevicePresence.recordHeartbeat")(
        function*(
          org: OrgId,
          device: string,
          heartbeat: Heartbeat,
          actor: Actor
        ): Effect.fn.Return<HeartbeatResult, ApiError> {
          const row = yield* devices.lock(org, device)
          if (row === undefined || row.state === "revoked") return yield* Effect.fail(revoked())
          const place = yield* takeOver(row, heartbeat, actor)
          const live = yield* devices.liveSession(org, device)
          if (heartbeat.session_id !== undefined && heartbeat.session_id !== live?.id) {
            return yield* Effect.fail(
              conflict(
                "session_ended",
                "That session has ended. Send a heartbeat without session_id to use the current one.",
                {
                  session_id: live?.id ?? null
                }
              )
            )
          }
          const session = live?.id ?? (yield* devices.startSession(org, device))
          yield* devices.updateSession(session, {
            ...(heartbeat.roots === undefined ? {} : { roots: heartbeat.roots }),
            ...(heartbeat.working_directory === undefined || live?.working_directory != null
              ? {}
              : { working_directory: heartbeat.working_directory })
          })
          const grown = heartbeat.capabilities !== undefined && !sameTools(heartbeat.capabilities, row.capabilities)
          const report = {
            ...reportOf(row),
            ...(heartbeat.load === undefined ? {} : { load: heartbeat.load }),
            ...(heartbeat.timeout_seconds_max === undefined
              ? {}
              : { timeout_seconds_max: heartbeat.timeout_seconds_max })
          }
          // After too long an absence the device is pending: an operator must grant again.
          const state = row.stale
            ? "pending"
            : heartbeat.status === undefined
            ? row.state
            : reportedState(row, heartbeat.status)
          yield* devices.update(org, device, {
            ...place,
            ...(heartbeat.app_version === undefined ? {} : { app_version: heartbeat.app_version }),
            ...(grown ? { capabilities: heartbeat.capabilities } : {}),
            ...(row.stale ? { granted: [] } : {}),
            ...(state === row.state ? {} : { state, state_by: "device" as const }),
            ...(row.resuming && heartbeat.status === "online" ? { resuming: false } : {}),
            ...(row.presence_told === "online" ? {} : { presence_told: "online" as const }),
            report: JSON.stringify(report)
          })
          yield* devices.recordContact(org, device)
          yield* devices.recordSessionContact(session)
          const { kept, lost } = yield* compareRunning(yield* commands.open(device), heartbeat.running ?? [])
          const after = (yield* devices.find(org, device)) ?? row
          const facts = {
            ...(row.presence_told === "online" ? {} : { presence: "online" }),
            ...(state === row.state ? {} : { state, before: row.state }),
            ...(grown ? { capabilities: heartbeat.capabilities } : {}),
            ...(live === undefined ? { session_id: session } : {}),
            ...(place.epoch === undefined || row.epoch === 0
              ? {}
              : { superseded: row.instance_id === heartbeat.instance_id ? "restarted" : "another_instance" })
          }
          // A new surface needs a new grant; the existing grants remain.
          if (Object.keys(facts).length > 0) {
            yield* audit.record(org, actor, {
              action: grown ? "device.offers_changed" : "device.heard",
              subject: { type: "device", id: device },
              data: facts
            })
          }
          if (place.epoch !== undefined || state !== row.state) {
            yield* db.afterCommit(Effect.sync(() => signals.object(device)))
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
            controls: controlsOf(after, heartbeat.status, open)
          }
        },
        db.transaction
      )

      const heartbeat = Effect.fn("DevicePresence.heartbeat")(
        function*(caller: DeviceCaller, id: string, sent: Heartbeat): Effect.fn.Return<HeartbeatAnswer, ApiError> {
          const device = yield* devices.find(caller.org_id, id)
          if (device === undefined || !actsFor(caller, device)) return yield* Effect.fail(notFound("device"))
          const { controls, kept, lost, session, waiting } = yield* recordHeartbeat(
            caller.org_id,
            id,
            { status: "online", ...sent },
            actorOf(caller)
          )
          return {
            session_id: session as DeviceSessionId,
            interval_seconds: heartbeatSeconds,
            waiting,
            controls,
            kept,
            lost,
            server_time: new Date().toISOString(),
            min_app_version: minAppVersion
          }
        }
      )

      const recordAtRest: DevicePresence["Service"]["recordAtRest"] = Effect.fnUntraced(
        function*(org, device, heartbeat, socket) {
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
          } = heartbeat
          const plain = status === "online" && running.length === 0 && Object.keys(more).length === 0
          if (
            !plain || appVersion === undefined || boot === undefined || instance === undefined || roots === undefined
          ) {
            return undefined
          }
          const report = JSON.stringify({ load, timeout_seconds_max })
          const recorded = yield* devices.recordAtRest(
            org,
            device,
            { boot, instance, appVersion, roots, report },
            socket,
            offlineSeconds
          )
          return recorded === undefined
            ? undefined
            : { ...recorded, state: "active", kept: [], lost: [], waiting: [], controls: [] }
        }
      )

      return DevicePresence.of({ heartbeat, recordHeartbeat, recordAtRest })
    })
  )
}
