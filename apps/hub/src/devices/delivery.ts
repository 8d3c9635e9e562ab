/**
 * Delivery of commands: offer under a lease, acknowledgement, progress, and end. A device's report counts while its
 * lease number is the newest one issued, even when it is late. Spec: reference/devices.md "Leases".
 */
import type { DevicePlan } from "@countersign/domain/device-plan"
import {
  type CommandError,
  type Control,
  type Done,
  type Progress,
  runningMax
} from "@countersign/domain/device-protocol"
import type { Acked, Ended, LeasedCommands } from "@countersign/domain/devices"
import { type ApiError, conflict, invalidField, notFound } from "@countersign/domain/errors"
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { actorOf, AuditLog, hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { actsFor, type DeviceCaller } from "./caller.ts"
import { DeviceClosing } from "./closing.ts"
import { DeviceCommandsRepository } from "./commands-repository.ts"
import { DeviceConsents } from "./consents.ts"
import { controlsOf, revoked, superseded } from "./presence.ts"
import { DevicesRepository } from "./repository.ts"
import { type CommandRow, type DeviceRow, isFinal, leaseOf, toCommand, toLeased } from "./rows.ts"

const leaseLost = (row: CommandRow) =>
  conflict("lease_lost", "This lease is no longer valid. Stop the command and release it.", {
    status: row.status,
    lease: row.lease_number
  })

const notGranted: CommandError = { code: "not_granted", message: "The tool is no longer granted." }

/** A long poll that takes commands. */
export interface Poll {
  readonly session: string
  /** The boot id of the polling device; simple clients omit it. */
  readonly boot: string | undefined
}

/** A poll, or the socket that delivers: its id is in the device's row. */
export type Taker = Poll | { readonly socket: string }

interface LockedCommand {
  readonly device: DeviceRow
  readonly row: CommandRow
}

export class Delivery extends Context.Service<Delivery, {
  /**
   * Offers at most `max` pending commands of the device's live session; none while the device is not active. A poll
   * gets 409 `session_ended`, `socket_active`, or `superseded`. The check holds the same lock, so only one of a socket
   * and a poll, or of two boots, takes commands. A replaced socket gets nothing.
   */
  readonly offer: (org: OrgId, device: string, max: number, taker: Taker) => Effect.Effect<LeasedCommands, ApiError>
  readonly ack: (caller: DeviceCaller, id: string, lease: number) => Effect.Effect<Acked, ApiError>
  readonly state: (caller: DeviceCaller, id: string, report: Progress) => Effect.Effect<Acked, ApiError>
  /** For an ended command: the final status. A different report is stored as its late result. */
  readonly done: (caller: DeviceCaller, id: string, report: Done) => Effect.Effect<Ended, ApiError>
  readonly controls: (org: OrgId, device: string) => Effect.Effect<ReadonlyArray<Control>>
}>()("@countersign/hub/devices/Delivery") {
  static readonly layer = Layer.effect(
    Delivery,
    Effect.gen(function*() {
      const devices = yield* DevicesRepository
      const commands = yield* DeviceCommandsRepository
      const closing = yield* DeviceClosing
      const consents = yield* DeviceConsents
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db

      const mayPoll = Effect.fnUntraced(
        function*(row: DeviceRow, { boot, session }: Poll): Effect.fn.Return<void, ApiError> {
          if (row.s_id !== session) {
            return yield* Effect.fail(conflict("session_ended", "This session has ended.", { session_id: row.s_id }))
          }
          if (boot !== undefined && boot !== row.boot_id && (yield* devices.isSuperseded(row.id, boot))) {
            return yield* Effect.fail(superseded(row))
          }
          if (row.socket !== null) {
            return yield* Effect.fail(
              conflict("socket_active", "A socket delivers the commands of this device; polling is refused.")
            )
          }
        }
      )

      const offer = Effect.fn("Delivery.offer")(
        function*(org: OrgId, device: string, max: number, taker: Taker): Effect.fn.Return<LeasedCommands, ApiError> {
          const row = yield* devices.lock(org, device)
          if (row === undefined || row.state === "revoked") return yield* Effect.fail(revoked())
          if ("session" in taker) yield* mayPoll(row, taker)
          const open = yield* commands.open(device)
          const controls = controlsOf(row, undefined, open)
          if (row.state !== "active" || row.stale || row.s_id === null) return { data: [], controls }
          if ("socket" in taker && row.socket !== taker.socket) return { data: [], controls }
          // Unexpired offers count too, so that a device never holds more commands than it may run.
          const busy = open.filter((command) => command.status !== "queued" && !command.unanswered).length
          const room = Math.min(max, runningMax - busy)
          const offerable = room <= 0 ? [] : yield* commands.offerable(row.s_id, room)
          // A tool whose grant was revoked is not delivered.
          const granted = offerable.filter(({ tool }) => row.granted.includes(tool))
          const leased = granted.length === 0 ? [] : yield* commands.offer(
            granted.map(({ id }) => id),
            row.boot_id
          )
          // Last, because the audit entry takes the workspace's lock.
          for (const command of offerable) {
            if (!granted.includes(command)) {
              yield* closing.end(command, { status: "expired", error: notGranted }, hubActor)
            }
          }
          return { data: [...leased].sort((a, b) => a.id < b.id ? -1 : 1).map(toLeased), controls }
        },
        db.transaction
      )

      /** Locks the device, then the command. 404 for other callers. */
      const lockCommand = Effect.fnUntraced(
        function*(caller: DeviceCaller, id: string): Effect.fn.Return<LockedCommand, ApiError> {
          const found = yield* commands.find(caller.org_id, id)
          const device = found === undefined ? undefined : yield* devices.lock(caller.org_id, found.device_id)
          if (device === undefined || !actsFor(caller, device)) return yield* Effect.fail(notFound("command"))
          if (device.state === "revoked" && caller.kind === "device") return yield* Effect.fail(revoked())
          const row = yield* commands.lock(caller.org_id, id)
          return row === undefined ? yield* Effect.fail(notFound("command")) : { device, row }
        }
      )

      const current = (row: CommandRow, lease: number): Effect.Effect<void, ApiError> =>
        isFinal(row.status) || row.status === "queued" || lease !== row.lease_number
          ? Effect.fail(leaseLost(row))
          : Effect.void

      const acked = Effect.fnUntraced(function*(device: DeviceRow, id: string): Effect.fn.Return<Acked, ApiError> {
        const row = yield* commands.find(device.org_id, id)
        if (row === undefined) return yield* Effect.fail(notFound("command"))
        return {
          status: row.status,
          lease: leaseOf(row),
          controls: controlsOf(device, undefined, yield* commands.open(device.id))
        }
      })

      const ack = Effect.fn("Delivery.ack")(
        function*(caller: DeviceCaller, id: string, lease: number): Effect.fn.Return<Acked, ApiError> {
          const { device, row } = yield* lockCommand(caller, id)
          yield* current(row, lease)
          yield* commands.renew(id, true)
          yield* db.afterCommit(Effect.sync(() => signals.object(id)))
          return yield* acked(device, id)
        },
        db.transaction
      )

      const requestConsent = (
        caller: DeviceCaller,
        row: CommandRow,
        plan: DevicePlan,
        { plan_digest, state }: Progress
      ) =>
        state !== "awaiting_consent"
          ? Effect.fail(invalidField("plan", "allowed only with the state awaiting_consent"))
          : plan_digest === undefined
          ? Effect.fail(invalidField("plan_digest", "required with a plan"))
          : consents.request(row, plan, plan_digest, actorOf(caller))

      const state = Effect.fn("Delivery.state")(
        function*(caller: DeviceCaller, id: string, report: Progress): Effect.fn.Return<Acked, ApiError> {
          const { device, row } = yield* lockCommand(caller, id)
          yield* current(row, report.lease)
          if (row.status === "running" && report.state === "awaiting_consent") {
            return yield* Effect.fail(
              conflict("already_running", "The command is already running; consent must be requested before.", {
                status: row.status
              })
            )
          }
          yield* commands.renew(id, true)
          if (report.plan !== undefined) yield* requestConsent(caller, row, report.plan, report)
          yield* commands.progress(id, report.state, report.plan_digest ?? null)
          if (report.state !== row.status) {
            yield* audit.record(row.org_id, actorOf(caller), {
              action: `device_command.${report.state}`,
              subject: { type: "device_command", id },
              data: { device_id: device.id, tool: row.tool }
            })
          }
          yield* db.afterCommit(Effect.sync(() => signals.object(id)))
          return yield* acked(device, id)
        },
        db.transaction
      )

      const done = Effect.fn("Delivery.done")(
        function*(caller: DeviceCaller, id: string, report: Done): Effect.fn.Return<Ended, ApiError> {
          const { device, row } = yield* lockCommand(caller, id)
          if (isFinal(row.status)) {
            const closedByHub = row.outcome === "interrupted" || row.unconfirmed || row.status === "expired"
            if (closedByHub && row.late_result === null && report.outcome !== "interrupted") {
              const { lease: _, ...late } = report
              yield* commands.keepLate(id, JSON.stringify(late))
              yield* db.afterCommit(Effect.sync(() => signals.object(row.device_id)))
            }
          } else {
            yield* current(row, report.lease)
            yield* closing.done(row, report, actorOf(caller))
          }
          const after = yield* commands.find(caller.org_id, id)
          if (after === undefined) return yield* Effect.fail(notFound("command"))
          return { ...toCommand(after), controls: controlsOf(device, undefined, yield* commands.open(device.id)) }
        },
        db.transaction
      )

      return Delivery.of({
        offer,
        ack,
        state,
        done,
        controls: Effect.fnUntraced(function*(org, device) {
          const row = yield* devices.find(org, device)
          return row === undefined
            ? [{ type: "revoke" as const }]
            : controlsOf(row, undefined, yield* commands.open(device))
        })
      })
    })
  )
}
