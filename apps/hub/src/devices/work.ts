/**
 * The governed service `device` as dispatch uses it: an agent's request becomes a command, and the end of the command
 * becomes its outcome.
 */
import type { Tool } from "@countersign/domain/device-tools"
import type { Command } from "@countersign/domain/devices"
import type { ApiError } from "@countersign/domain/errors"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { Db } from "../platform/db.ts"
import type { CancelOutcome } from "../providers/adapter.ts"
import { DeviceCommandsRepository } from "./commands-repository.ts"
import { DeviceCommands } from "./commands.ts"
import { DevicesRepository } from "./repository.ts"
import { type CommandRow, isFinal, toCommand } from "./rows.ts"

/** The operation's payload. */
export interface DevicePayload {
  readonly device_id?: string
  readonly label?: string
  readonly input: Readonly<Record<string, unknown>>
  readonly working_directory?: string
  readonly reason?: string
  readonly timeout_seconds?: number
}

export interface RequestedWork {
  readonly org: OrgId
  readonly request: string
  readonly agent: { readonly id: AgentId; readonly name: string }
  readonly tool: string
  readonly payload: DevicePayload
}

export type Queued = { readonly kind: "queued"; readonly command: string } | {
  readonly kind: "refused"
  readonly detail: string
}

/** The outcome of a command. */
export type Ended =
  | { readonly kind: "open" }
  | { readonly kind: "succeeded"; readonly result: unknown }
  | { readonly kind: "failed"; readonly code: string; readonly detail: string }

export class DeviceWork extends Context.Service<DeviceWork, {
  /** Queues once for each request: a repeat returns the existing command. */
  readonly queue: (requested: RequestedWork) => Effect.Effect<Queued>
  readonly outcome: (org: OrgId, command: string) => Effect.Effect<Ended>
  /** `stopped` when the command had not started; `asked` when the device received a cancel request. */
  readonly cancel: (org: OrgId, command: string, agent: RequestedWork["agent"]) => Effect.Effect<CancelOutcome>
}>()("@countersign/hub/devices/DeviceWork") {
  static readonly layer = Layer.effect(
    DeviceWork,
    Effect.gen(function*() {
      const devices = yield* DevicesRepository
      const rows = yield* DeviceCommandsRepository
      const commands = yield* DeviceCommands
      const db = yield* Db

      /** Of several devices with the label, the one with the best presence and the fewest running commands. */
      const chosen = Effect.fnUntraced(function*({ agent, org, payload, tool }: RequestedWork) {
        if (payload.device_id !== undefined) {
          const row = yield* devices.find(org, payload.device_id)
          return row !== undefined && (row.agents === null || (row.agents as ReadonlyArray<string>).includes(agent.id))
            ? row
            : undefined
        }
        const named = yield* devices.list(org, {
          state: "active",
          q: undefined,
          agent: agent.id,
          owner: undefined,
          after: undefined,
          limit: 1_000
        })
        const fit = named.filter(({ granted, labels }) =>
          labels.includes(payload.label ?? "") && granted.includes(tool as Tool)
        )
        const rank = { online: 0, late: 1, offline: 2, never: 3 }
        return fit.toSorted((a, b) => rank[a.presence] - rank[b.presence] || a.running - b.running)[0]
      })

      const queueOne = Effect.fnUntraced(
        function*(requested: RequestedWork): Effect.fn.Return<CommandRow | undefined, ApiError> {
          const before = yield* rows.byServiceRequest(requested.request)
          if (before !== undefined) return before
          const device = yield* chosen(requested)
          if (device === undefined) return undefined
          const { input, reason, timeout_seconds, working_directory } = requested.payload
          return yield* commands.queueWithin(requested.org, device.id, undefined, {
            tool: requested.tool as Tool,
            input: input as NonNullable<Command["input"]>,
            serviceRequest: requested.request,
            by: { type: "agent", ...requested.agent },
            actor: { type: "agent", ...requested.agent },
            ...(reason === undefined ? {} : { reason }),
            ...(timeout_seconds === undefined ? {} : { timeout_seconds }),
            ...(working_directory === undefined ? {} : { working_directory })
          })
        },
        db.transaction
      )

      return DeviceWork.of({
        queue: (requested) =>
          queueOne(requested).pipe(
            Effect.map((row): Queued =>
              row === undefined
                ? { kind: "refused", detail: "This agent cannot use a device with this id or label." }
                : { kind: "queued", command: row.id }
            ),
            Effect.catch((error) =>
              Effect.succeed<Queued>({ kind: "refused", detail: `${error.error.code}: ${error.error.message}` })
            )
          ),
        outcome: Effect.fnUntraced(function*(org, id) {
          const row = yield* rows.find(org, id)
          return row === undefined
            ? { kind: "failed" as const, code: "device_lost", detail: "The command no longer exists." }
            : endedOf(row)
        }),
        cancel: Effect.fnUntraced(function*(org, id, agent) {
          const found = yield* rows.find(org, id)
          if (found === undefined) return "too_late"
          yield* devices.lock(org, found.device_id)
          const row = (yield* rows.lock(org, id)) ?? found
          yield* commands.cancelWithin(row, { type: "agent", ...agent })
          const { status } = (yield* rows.find(org, id)) ?? row
          return status === "cancelled" ? "stopped" : isFinal(status) ? "too_late" : "asked"
        }, db.transaction)
      })
    })
  )
}

const endedOf = (row: CommandRow): Ended => {
  if (!isFinal(row.status)) return { kind: "open" }
  const { dropped_bytes, exit_code, id, output_bytes, result } = toCommand(row)
  if (row.outcome === "succeeded") {
    return {
      kind: "succeeded",
      result: {
        command_id: id,
        ...(exit_code === undefined ? {} : { exit_code }),
        ...(result === undefined ? {} : { result }),
        output_bytes,
        dropped_bytes
      }
    }
  }
  const outcome = row.outcome ?? "expired"
  const error = row.error_code === null
    ? ""
    : `: ${row.error_code}${row.error_message === null || row.error_message === "" ? "" : `, ${row.error_message}`}`
  const code = exit_code === undefined ? "" : ` with exit code ${exit_code}`
  return { kind: "failed", code: `device_${outcome}`, detail: `The command ${id} ended ${outcome}${code}${error}` }
}
