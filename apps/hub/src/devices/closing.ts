/**
 * Ends commands of a device, whether the device, an operator, a newer copy of the device, or a deadline causes it.
 * Callers hold the device's lock.
 */
import type { CommandError, Done, Outcome } from "@countersign/domain/device-protocol"
import type { AgentId, OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { type Actor, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { DeviceCommandsRepository, type Ending } from "./commands-repository.ts"
import { DeviceConsents } from "./consents.ts"
import { DevicesRepository } from "./repository.ts"
import type { CommandRow, DeviceRow } from "./rows.ts"

/** A request of the governed service whose command has ended. */
export interface EndedWork {
  readonly org: OrgId
  readonly request: ServiceRequestId
  readonly command: string
}

/** A session of a device that ends, and the code of its reason. */
export interface EndedSession {
  readonly org: OrgId
  readonly device: string
  readonly session: string
  readonly because: "session_ended" | "device_revoked"
}

export class DeviceClosing extends Context.Service<DeviceClosing, {
  readonly end: (row: CommandRow, ending: Ending, actor: Actor) => Effect.Effect<void>
  /** Ends a command as `interrupted` with the given error. */
  readonly interrupt: (row: CommandRow, error: CommandError, actor: Actor) => Effect.Effect<void>
  readonly done: (row: CommandRow, report: Done, actor: Actor) => Effect.Effect<void>
  /**
   * Ends or requeues the open commands of a superseded copy: acknowledged ones are interrupted, the others return to
   * the queue.
   */
  readonly supersede: (row: DeviceRow, error: CommandError, actor: Actor) => Effect.Effect<void>
  readonly endSession: (ended: EndedSession, actor: Actor) => Effect.Effect<void>
  readonly revoke: (row: DeviceRow, actor: Actor) => Effect.Effect<void>
  /** Registers a listener that is called after the commit for each ended command of the governed service. */
  readonly onEnded: (listener: (work: EndedWork) => void) => void
}>()("@countersign/hub/devices/DeviceClosing") {
  static readonly layer = Layer.effect(
    DeviceClosing,
    Effect.gen(function*() {
      const devices = yield* DevicesRepository
      const commands = yield* DeviceCommandsRepository
      const consents = yield* DeviceConsents
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db
      const listeners: Array<(work: EndedWork) => void> = []

      const end: DeviceClosing["Service"]["end"] = Effect.fnUntraced(function*(row, ending, actor) {
        yield* commands.end(row.id, ending)
        yield* consents.drop(row, actor)
        const outcome: Outcome | "expired" | undefined = ending.status === "expired" ? "expired" : ending.outcome
        yield* audit.record(row.org_id, actor, {
          action: `device_command.${ending.status}`,
          subject: { type: "device_command", id: row.id },
          ...(row.requested_by_type === "agent" ? { agent_id: row.requested_by_id as AgentId } : {}),
          ...(outcome === undefined ? {} : { outcome }),
          data: {
            device_id: row.device_id,
            tool: row.tool,
            ...(ending.exitCode === undefined || ending.exitCode === null ? {} : { exit_code: ending.exitCode }),
            ...(ending.error === undefined ? {} : { code: ending.error.code }),
            ...(ending.unconfirmed === true ? { unconfirmed: true } : {}),
            ...(row.service_request_id === null ? {} : { service_request_id: row.service_request_id })
          }
        })
        const { id: command, org_id: org, service_request_id: request } = row
        yield* db.afterCommit(Effect.sync(() => {
          signals.object(row.device_id)
          signals.object(command)
          if (request !== null) { for (const listener of listeners) listener({ org, request, command }) }
        }))
      })

      const interrupt: DeviceClosing["Service"]["interrupt"] = (row, error, actor) =>
        end(row, { status: "done", outcome: "interrupted", error }, actor)

      const done: DeviceClosing["Service"]["done"] = (row, report, actor) =>
        end(row, {
          // Only a requested cancel makes the command cancelled; a success that won the race remains a success.
          status: report.outcome === "cancelled" && row.cancel_requested_at !== null ? "cancelled" : "done",
          outcome: report.outcome,
          ...(report.exit_code === undefined ? {} : { exitCode: report.exit_code }),
          ...(report.error === undefined ? {} : { error: report.error }),
          ...(report.result === undefined ? {} : { result: JSON.stringify(report.result) }),
          ...(report.artifacts === undefined ? {} : { artifacts: JSON.stringify(report.artifacts) })
        }, actor)

      const expire = (row: CommandRow, error: CommandError, actor: Actor) =>
        end(row, { status: "expired", error }, actor)

      const supersede: DeviceClosing["Service"]["supersede"] = Effect.fnUntraced(function*(row, error, actor) {
        for (const command of yield* commands.openHeld(row.id)) {
          if (command.acked_at !== null) yield* interrupt(command, error, actor)
          // In the queue, no device would receive its cancel request.
          else if (command.cancel_requested_at !== null) {
            yield* end(command, { status: "cancelled", outcome: "cancelled" }, actor)
          }
        }
        yield* commands.requeueOffers(row.id)
      })

      const endSession: DeviceClosing["Service"]["endSession"] = Effect.fnUntraced(
        function*({ because, device, org, session }, actor) {
          const open = (yield* commands.openHeld(device)).filter((command) => command.session_id === session)
          const why = because === "device_revoked" ? "The device was revoked." : "The session of the device ended."
          for (const command of open) {
            if (command.acked_at === null) yield* expire(command, { code: because, message: why }, actor)
            else yield* interrupt(command, { code: because, message: why }, actor)
          }
          yield* devices.endSession(session, because)
          yield* audit.record(org, actor, {
            action: "device.session_ended",
            subject: { type: "device", id: device },
            data: { session_id: session, because }
          })
          yield* db.afterCommit(Effect.sync(() => signals.object(device)))
        }
      )

      const revoke: DeviceClosing["Service"]["revoke"] = Effect.fnUntraced(function*(row, actor) {
        const session = yield* devices.liveSession(row.org_id, row.id)
        if (session !== undefined) {
          yield* endSession(
            { org: row.org_id, device: row.id, session: session.id, because: "device_revoked" },
            actor
          )
        }
        yield* devices.update(row.org_id, row.id, { state: "revoked", state_by: "hub", granted: [] })
        yield* audit.record(row.org_id, actor, {
          action: "device.revoked",
          subject: { type: "device", id: row.id },
          data: { name: row.name }
        })
        yield* db.afterCommit(Effect.sync(() => signals.object(row.id)))
      })

      return DeviceClosing.of({
        end,
        interrupt,
        done,
        supersede,
        endSession,
        revoke,
        onEnded: (listener) => void listeners.push(listener)
      })
    })
  )
}
