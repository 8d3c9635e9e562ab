/**
 * Commands on their way: offered under a lease, acknowledged, moved on, ended. What a device says of a command counts while its
 * lease number is the newest one issued; lateness alone is not stale. Spec: contract 8a "Lease".
 */
import type { DevicePrincipal, UserPrincipal } from "@countersign/domain/auth"
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
import { Context, Effect, Layer } from "effect"
import { actorOf, AuditLog, hubActor } from "../audit/service.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { DeviceClosing } from "./closing.ts"
import { DeviceCommandsRepository } from "./commands-repository.ts"
import { DeviceConsents } from "./consents.ts"
import { controlsOf, revoked, superseded } from "./presence.ts"
import { DevicesRepository } from "./repository.ts"
import { type CommandRow, type DeviceRow, isFinal, leaseOf, toCommand, toLeased } from "./rows.ts"

/** A device, or the person who owns it. */
export type DeviceCaller = DevicePrincipal | UserPrincipal

export const speaksFor = (
  caller: DeviceCaller,
  device: { readonly id: string; readonly owner_user_id: string }
): boolean => caller.kind === "device" ? caller.device_id === device.id : caller.user_id === device.owner_user_id

const leaseLost = (row: CommandRow) =>
  conflict("lease_lost", "This lease is not the command's any more: stop it and let it go.", {
    status: row.status,
    lease: row.lease_number
  })

const notGranted: CommandError = { code: "not_granted", message: "The tool is not granted any more." }

/** A long poll, as it takes commands. */
export interface Poll {
  readonly session: string
  /** The start of the device that asks; simple clients do not say. */
  readonly boot: string | undefined
}

/** A poll, or a socket: the one that delivers says so in the device's row. */
export type Taker = Poll | { readonly socket: string }

interface Held {
  readonly device: DeviceRow
  readonly row: CommandRow
}

export class Delivery extends Context.Service<Delivery, {
  /**
   * Offers what waits in the device's live session, at most `max`; nothing while it is not active. To a poll: 409
   * `session_ended`, `socket_active`, `superseded`, judged under the same lock, so that of socket and poll, and of two starts,
   * one takes commands. To a socket whose place another took: nothing.
   */
  readonly offer: (org: string, device: string, max: number, taker: Taker) => Effect.Effect<LeasedCommands, ApiError>
  readonly ack: (caller: DeviceCaller, id: string, lease: number) => Effect.Effect<Acked, ApiError>
  readonly state: (caller: DeviceCaller, id: string, said: Progress) => Effect.Effect<Acked, ApiError>
  /** Of an ended command: what stands. What differs from it is kept as its late result. */
  readonly done: (caller: DeviceCaller, id: string, said: Done) => Effect.Effect<Ended, ApiError>
  readonly controls: (org: string, device: string) => Effect.Effect<ReadonlyArray<Control>>
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
            return yield* Effect.fail(conflict("session_ended", "This session is over.", { session_id: row.s_id }))
          }
          if (boot !== undefined && boot !== row.boot_id && (yield* devices.isSuperseded(row.id, boot))) {
            return yield* Effect.fail(superseded(row))
          }
          if (row.socket !== null) {
            return yield* Effect.fail(
              conflict("socket_active", "A socket of this device delivers; it takes no commands here.")
            )
          }
        }
      )

      const offer = Effect.fn("Delivery.offer")(
        function*(org: string, device: string, max: number, taker: Taker): Effect.fn.Return<LeasedCommands, ApiError> {
          const row = yield* devices.lock(org, device)
          if (row === undefined || row.state === "revoked") return yield* Effect.fail(revoked())
          if ("session" in taker) yield* mayPoll(row, taker)
          const open = yield* commands.open(device)
          const controls = controlsOf(row, undefined, open)
          if (row.state !== "active" || row.stale || row.s_id === null) return { data: [], controls }
          if ("socket" in taker && row.socket !== taker.socket) return { data: [], controls }
          // What is offered in time counts as well: nobody is to hold more than it may run.
          const busy = open.filter((command) => command.status !== "queued" && !command.unanswered).length
          const room = Math.min(max, runningMax - busy)
          const offerable = room <= 0 ? [] : yield* commands.offerable(row.s_id, room)
          // A tool that was taken back since is not delivered.
          const granted = offerable.filter(({ tool }) => row.granted.includes(tool))
          for (const command of offerable) {
            if (!granted.includes(command)) {
              yield* closing.end(command, { status: "expired", error: notGranted }, hubActor)
            }
          }
          const leased = granted.length === 0 ? [] : yield* commands.offer(
            granted.map(({ id }) => id),
            row.boot_id
          )
          return { data: [...leased].sort((a, b) => a.id < b.id ? -1 : 1).map(toLeased), controls }
        },
        db.transaction
      )

      /** Device and command under their locks, in this order. 404 for whom it is not. */
      const held = Effect.fnUntraced(function*(caller: DeviceCaller, id: string): Effect.fn.Return<Held, ApiError> {
        const found = yield* commands.find(caller.org_id, id)
        const device = found === undefined ? undefined : yield* devices.lock(caller.org_id, found.device_id)
        if (device === undefined || !speaksFor(caller, device)) return yield* Effect.fail(notFound("command"))
        if (device.state === "revoked" && caller.kind === "device") return yield* Effect.fail(revoked())
        const row = yield* commands.lock(caller.org_id, id)
        return row === undefined ? yield* Effect.fail(notFound("command")) : { device, row }
      })

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
          const { device, row } = yield* held(caller, id)
          yield* current(row, lease)
          yield* commands.renew(id, true)
          yield* db.afterCommit(Effect.sync(() => signals.device(id)))
          return yield* acked(device, id)
        },
        db.transaction
      )

      const ask = (caller: DeviceCaller, row: CommandRow, plan: DevicePlan, { plan_digest, state }: Progress) =>
        state !== "awaiting_consent"
          ? Effect.fail(invalidField("plan", "it comes with the state awaiting_consent"))
          : plan_digest === undefined
          ? Effect.fail(invalidField("plan_digest", "a plan comes with its digest"))
          : consents.ask(row, plan, plan_digest, actorOf(caller))

      const state = Effect.fn("Delivery.state")(
        function*(caller: DeviceCaller, id: string, said: Progress): Effect.fn.Return<Acked, ApiError> {
          const { device, row } = yield* held(caller, id)
          yield* current(row, said.lease)
          if (row.status === "running" && said.state === "awaiting_consent") {
            return yield* Effect.fail(
              conflict("already_running", "It runs already; consent comes before.", { status: row.status })
            )
          }
          yield* commands.renew(id, true)
          if (said.plan !== undefined) yield* ask(caller, row, said.plan, said)
          yield* commands.progress(id, said.state, said.plan_digest ?? null)
          if (said.state !== row.status) {
            yield* audit.record(row.org_id, actorOf(caller), {
              action: `device_command.${said.state}`,
              subject: { type: "device_command", id },
              data: { device_id: device.id, tool: row.tool }
            })
          }
          yield* db.afterCommit(Effect.sync(() => signals.device(id)))
          return yield* acked(device, id)
        },
        db.transaction
      )

      const done = Effect.fn("Delivery.done")(
        function*(caller: DeviceCaller, id: string, said: Done): Effect.fn.Return<Ended, ApiError> {
          const { device, row } = yield* held(caller, id)
          if (isFinal(row.status)) {
            const closedByHub = row.outcome === "interrupted" || row.unconfirmed || row.status === "expired"
            if (closedByHub && row.late_result === null && said.outcome !== "interrupted") {
              const { lease: _, ...late } = said
              yield* commands.keepLate(id, JSON.stringify(late))
              yield* db.afterCommit(Effect.sync(() => signals.device(row.device_id)))
            }
          } else {
            yield* current(row, said.lease)
            yield* closing.done(row, said, actorOf(caller))
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
