/**
 * Applies deadlines to devices and their commands. Several hubs may run it at once: each acts under a device's lock on
 * the current rows.
 */
import type { CommandError } from "@countersign/domain/device-protocol"
import { Context, Effect, Layer } from "effect"
import { AuditLog, hubActor } from "../platform/audit-log.ts"
import { DueWork } from "../platform/due-work.ts"
import { Readiness } from "../platform/readiness.ts"
import { backgroundTransactions, repeatRounds } from "../platform/rounds.ts"
import { DeviceClosing } from "./closing.ts"
import { DeviceCommandsRepository, openCommands, type Overdue } from "./commands-repository.ts"
import { dueConsents } from "./consents-repository.ts"
import { DeviceConsents } from "./consents.ts"
import { PairingsRepository } from "./pairings-repository.ts"
import { DevicesRepository, goneDevices } from "./repository.ts"
import type { CommandRow } from "./rows.ts"

const roundMillis = 1_000
const batchMax = 100

const expired: Readonly<Record<"queue_timeout" | "not_acknowledged", CommandError>> = {
  queue_timeout: { code: "queue_timeout", message: "The device did not accept the command in time." },
  not_acknowledged: {
    code: "not_acknowledged",
    message: "The command was offered three times, and the device did not acknowledge it."
  }
}
const interrupted: Readonly<Record<"lost" | "timed_out" | "not_started", CommandError>> = {
  lost: { code: "lost", message: "The device did not report for five minutes after the lease expired." },
  timed_out: {
    code: "end_not_reported",
    message: "The device did not report the end within five minutes after the timeout."
  },
  not_started: {
    code: "start_not_reported",
    message: "The device acknowledged the command and did not report its start."
  }
}

export class DeviceSweeper extends Context.Service<DeviceSweeper, {
  /** Ends overdue commands; returns how many. */
  readonly commands: Effect.Effect<number>
  readonly presence: Effect.Effect<number>
  readonly sessions: Effect.Effect<number>
}>()("@countersign/hub/devices/DeviceSweeper") {
  static readonly layer = Layer.effect(
    DeviceSweeper,
    Effect.gen(function*() {
      const devices = yield* DevicesRepository
      const waiting = yield* DeviceCommandsRepository
      const pairings = yield* PairingsRepository
      const closing = yield* DeviceClosing
      const consents = yield* DeviceConsents
      const audit = yield* AuditLog
      const readiness = yield* Readiness
      const dueWork = yield* DueWork
      const { eachBriefly } = yield* backgroundTransactions

      const endOverdue = (row: CommandRow, because: Overdue): Effect.Effect<void> => {
        switch (because) {
          case "queue_timeout":
          case "not_acknowledged":
            return closing.end(row, { status: "expired", error: expired[because] }, hubActor)
          case "lost":
          case "timed_out":
          case "not_started":
            return closing.interrupt(row, interrupted[because], hubActor)
          case "cancel_unstarted":
            return closing.end(row, { status: "cancelled", outcome: "cancelled" }, hubActor)
          case "cancel":
            return closing.end(row, { status: "cancelled", outcome: "cancelled", unconfirmed: true }, hubActor)
        }
      }

      const commands = Effect.gen(function*() {
        const due = yield* waiting.due(batchMax)
        const byDevice = new Map(due.map((command) => [command.device_id, command]))
        yield* eachBriefly(
          "overdue commands",
          [...byDevice.values()],
          Effect.fnUntraced(function*({ device_id: device, org_id: org }) {
            yield* devices.lock(org, device)
            for (const { because, row } of yield* waiting.overdue(device)) yield* endOverdue(row, because)
          })
        )
        return due.length
      })

      const presence = Effect.gen(function*() {
        const gone = yield* devices.changedPresence(batchMax)
        yield* eachBriefly(
          "presence",
          gone,
          Effect.fnUntraced(function*({ id, org_id: org }) {
            const row = yield* devices.lock(org, id)
            if (row?.presence !== "offline" || row.presence_told === "offline") return
            yield* devices.update(org, id, { presence_told: "offline" })
            yield* audit.record(org, hubActor, {
              action: "device.unheard",
              subject: { type: "device", id },
              data: { presence: "offline", last_heard_at: row.heard_at?.toISOString() ?? null }
            })
          })
        )
        return gone.length
      })

      const sessions = Effect.gen(function*() {
        const over = yield* devices.overdueSessions(batchMax)
        yield* eachBriefly(
          "sessions",
          over,
          Effect.fnUntraced(function*({ device_id: device, id, org_id: org }) {
            yield* devices.lock(org, device)
            const live = yield* devices.liveSession(org, device)
            if (live?.id !== id) return
            yield* closing.endSession({ org, device, session: id, because: "session_ended" }, hubActor)
          })
        )
        return over.length
      })

      // Devices could not report while no hub was running.
      yield* waiting.extendLeases
      yield* repeatRounds(
        readiness,
        "devices",
        roundMillis,
        Effect.all([commands, presence, consents.expire(batchMax)], { discard: true, concurrency: 3 }),
        dueWork.wait(openCommands, goneDevices, dueConsents)
      )
      yield* repeatRounds(readiness, "device housekeeping", 60_000, Effect.andThen(sessions, pairings.forget))
      return DeviceSweeper.of({ commands, presence, sessions })
    })
  )
}
