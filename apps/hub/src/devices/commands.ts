/**
 * Commands as their requesters use them: operators here, agents through the governed service `device`. Spec:
 * reference/devices.md "Commands".
 */
import type { UserPrincipal } from "@countersign/domain/auth"
import { inputProblems, type Tool } from "@countersign/domain/device-tools"
import {
  type Command,
  type CommandInput,
  type CommandStatus,
  queuedMax,
  queueSecondsDefault,
  timeoutSecondsDefault,
  timeoutSecondsMax
} from "@countersign/domain/devices"
import {
  type ApiError,
  BadRequest,
  conflict,
  type Detail,
  Forbidden,
  invalidRequest,
  notFound
} from "@countersign/domain/errors"
import { type AgentId, newId, type OrgId } from "@countersign/domain/ids"
import { canonicalize } from "@countersign/domain/json"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { Context, Effect, Layer } from "effect"
import { ownerFilter } from "../auth/own.ts"
import { fingerprintOf } from "../platform/audit-entry-data.ts"
import { type Actor, actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import type { DeviceCaller } from "./caller.ts"
import { DeviceClosing } from "./closing.ts"
import { DeviceCommandsRepository, type NewCommand } from "./commands-repository.ts"
import { DevicesRepository } from "./repository.ts"
import { isInside } from "./roots.ts"
import { type CommandRow, type DeviceRow, isFinal, reportOf, toCommand } from "./rows.ts"

const commandPattern = /^cmd_[0-9a-z]{26}$/

export interface Wanted extends Omit<CommandInput, "idempotency_key"> {
  readonly by: { readonly type: string; readonly id: string; readonly name: string }
  readonly actor: Actor
  readonly serviceRequest?: string
  readonly key?: string
}

export interface CommandQuery extends PageQuery {
  readonly status?: CommandStatus
}

const notGranted = (tool: Tool) =>
  new Forbidden({
    error: {
      code: "not_granted",
      message: `This device has no grant for ${tool}. An operator can grant it.`,
      data: { tool }
    }
  })

export class DeviceCommands extends Context.Service<DeviceCommands, {
  /**
   * 403 `not_granted`; 409 `session_ended`, `outside_root`, `idempotency_conflict`, `queue_full`; 400
   * `timeout_too_long`.
   */
  readonly queue: (user: UserPrincipal, session: string, input: CommandInput) => Effect.Effect<Command, ApiError>
  /** Queues within the caller's transaction; locks the device and its session. */
  readonly queueWithin: (
    org: OrgId,
    device: string,
    session: string | undefined,
    wanted: Wanted
  ) => Effect.Effect<CommandRow, ApiError>
  readonly list: (
    caller: DeviceCaller,
    session: string,
    query: CommandQuery
  ) => Effect.Effect<PageOf<Command>, ApiError>
  readonly get: (caller: DeviceCaller, id: string) => Effect.Effect<Command, ApiError>
  /**
   * Cancels a queued command at once. For a running one it sends the device a cancel request, and the device's report
   * decides. A repeat, or a cancel of an ended command, returns the command unchanged.
   */
  readonly cancel: (user: UserPrincipal, id: string) => Effect.Effect<Command, ApiError>
  readonly cancelWithin: (row: CommandRow, actor: Actor) => Effect.Effect<void>
}>()("@countersign/hub/devices/DeviceCommands") {
  static readonly layer = Layer.effect(
    DeviceCommands,
    Effect.gen(function*() {
      const devices = yield* DevicesRepository
      const commands = yield* DeviceCommandsRepository
      const closing = yield* DeviceClosing
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db

      const same = (row: CommandRow, wanted: Wanted): boolean =>
        row.tool === wanted.tool &&
        // A removed input cannot be compared; the command must not run again.
        (row.removed_after_days !== null || canonicalize(JSON.parse(row.input)) === canonicalize(wanted.input)) &&
        (wanted.working_directory === undefined || wanted.working_directory === row.working_directory)

      const problemsOf = (device: DeviceRow, wanted: Wanted): ReadonlyArray<Detail> => {
        const most = Math.max(timeoutSecondsMax, reportOf(device).timeout_seconds_max ?? 0)
        return (wanted.timeout_seconds ?? 0) > most
          ? [{ path: "timeout_seconds", message: `at most ${most}, by the rules of the device` }]
          : inputProblems(wanted.tool, wanted.input)
      }

      const queueWithin: DeviceCommands["Service"]["queueWithin"] = Effect.fnUntraced(function*(
        org,
        id,
        session,
        wanted
      ): Effect.fn.Return<CommandRow, ApiError> {
        const device = yield* devices.lock(org, id)
        if (device === undefined) return yield* Effect.fail(notFound("device"))
        const live = device.s_id
        const place = session ?? live
        if (wanted.key !== undefined && place !== null) {
          const before = yield* commands.byKey(place, wanted.by.id, wanted.key)
          if (before !== undefined) {
            return same(before, wanted)
              ? before
              : yield* Effect.fail(
                conflict("idempotency_conflict", "This idempotency_key was used with another command.", {
                  command_id: before.id
                })
              )
          }
        }
        // A device without an approved surface is refused before any other check.
        if (
          !device.granted.includes(wanted.tool) || device.state === "pending" || device.state === "revoked" ||
          device.stale
        ) {
          return yield* Effect.fail(notGranted(wanted.tool))
        }
        if (live === null || place !== live) {
          return yield* Effect.fail(
            conflict("session_ended", "The session has ended. The device starts a new one when it reconnects.", {
              session_id: live
            })
          )
        }
        const problems = problemsOf(device, wanted)
        if (problems.length > 0) {
          const tooLong = problems[0]?.path === "timeout_seconds"
          return yield* Effect.fail(
            tooLong ? timeoutTooLong(problems) : invalidRequest("The tool does not accept this input.", problems)
          )
        }
        const directory = wanted.working_directory ?? device.s_working_directory
        if (wanted.working_directory !== undefined && !isInside(wanted.working_directory, device.s_roots ?? [])) {
          return yield* Effect.fail(outsideRoot(device.s_roots ?? []))
        }
        if ((yield* commands.queued(live)) >= queuedMax) {
          return yield* Effect.fail(
            conflict("queue_full", `${queuedMax} commands are queued for this device; cancel some first.`)
          )
        }
        const command: NewCommand = {
          id: newId("cmd"),
          org,
          session: live,
          device: id,
          tool: wanted.tool,
          input: JSON.stringify(wanted.input),
          workingDirectory: directory,
          by: wanted.by,
          reason: wanted.reason ?? null,
          serviceRequest: wanted.serviceRequest ?? null,
          key: wanted.key ?? null,
          timeoutSeconds: wanted.timeout_seconds ?? timeoutSecondsDefault,
          queueSeconds: wanted.queue_seconds ?? queueSecondsDefault
        }
        yield* commands.insert(command)
        yield* audit.record(org, wanted.actor, {
          action: "device_command.queued",
          subject: { type: "device_command", id: command.id },
          ...(wanted.by.type === "agent" ? { agent_id: wanted.by.id as AgentId } : {}),
          data: {
            device_id: id,
            tool: wanted.tool,
            // A fingerprint only: inputs may hold secrets and file contents, and audit entries are kept forever.
            input: fingerprintOf(canonicalize(wanted.input)),
            ...(directory === null ? {} : { working_directory: directory }),
            ...(wanted.reason === undefined ? {} : { reason: wanted.reason }),
            ...(wanted.serviceRequest === undefined ? {} : { service_request_id: wanted.serviceRequest })
          }
        })
        yield* db.afterCommit(Effect.sync(() => signals.object(id)))
        return (yield* commands.find(org, command.id)) ?? (yield* Effect.die(`command ${command.id} is gone`))
      })

      const queue = Effect.fn("DeviceCommands.queue")(
        function*(user: UserPrincipal, id: string, input: CommandInput): Effect.fn.Return<Command, ApiError> {
          const session = yield* devices.session(user.org_id, id)
          const owner = ownerFilter(user)
          if (session === undefined || (owner !== undefined && session.owner_user_id !== owner)) {
            return yield* Effect.fail(notFound("session"))
          }
          const { idempotency_key: key, ...wanted } = input
          const actor = actorOf(user)
          const row = yield* queueWithin(user.org_id, session.device_id, id, {
            ...wanted,
            actor,
            by: { type: "user", id: user.user_id, name: actor.name },
            ...(key === undefined ? {} : { key })
          })
          return toCommand(row)
        },
        db.transaction
      )

      /** A command of a device that the caller may see; a device sees its own commands only. */
      const seen = Effect.fnUntraced(
        function*(caller: DeviceCaller, device: string): Effect.fn.Return<boolean, ApiError> {
          if (caller.kind === "device") return caller.device_id === device
          const owner = ownerFilter(caller)
          return owner === undefined || (yield* devices.find(caller.org_id, device))?.owner_user_id === owner
        }
      )

      const list = Effect.fn("DeviceCommands.list")(
        function*(caller: DeviceCaller, id: string, query: CommandQuery): Effect.fn.Return<
          PageOf<Command>,
          ApiError
        > {
          const as_of = yield* audit.asOf(caller.org_id)
          const [after] = (yield* decodeCursor(query.cursor, [commandPattern])) ?? []
          const session = yield* devices.session(caller.org_id, id)
          if (session === undefined || !(yield* seen(caller, session.device_id))) {
            return yield* Effect.fail(notFound("session"))
          }
          const rows = yield* commands.list(caller.org_id, {
            session: id,
            status: query.status,
            after,
            limit: (query.limit ?? pageLimitDefault) + 1
          })
          const page = toPage(rows, query.limit, (row) => [row.id])
          return { ...page, data: page.data.map(toCommand), as_of }
        }
      )

      const get = Effect.fn("DeviceCommands.get")(
        function*(caller: DeviceCaller, id: string): Effect.fn.Return<Command, ApiError> {
          const row = yield* commands.find(caller.org_id, id)
          return row === undefined || !(yield* seen(caller, row.device_id))
            ? yield* Effect.fail(notFound("command"))
            : toCommand(row)
        }
      )

      const cancelWithin: DeviceCommands["Service"]["cancelWithin"] = Effect.fnUntraced(function*(row, actor) {
        if (isFinal(row.status) || row.cancel_requested_at !== null) return
        yield* commands.requestCancel(row.id)
        if (row.status === "queued") {
          yield* closing.end(
            { ...row, cancel_requested_at: new Date() },
            { status: "cancelled", outcome: "cancelled" },
            actor
          )
          return
        }
        yield* audit.record(row.org_id, actor, {
          action: "device_command.cancel_requested",
          subject: { type: "device_command", id: row.id },
          data: { device_id: row.device_id, tool: row.tool }
        })
        yield* db.afterCommit(Effect.sync(() => signals.object(row.device_id)))
      })

      const cancel = Effect.fn("DeviceCommands.cancel")(
        function*(user: UserPrincipal, id: string): Effect.fn.Return<Command, ApiError> {
          const found = yield* commands.find(user.org_id, id)
          if (found === undefined || !(yield* seen(user, found.device_id))) {
            return yield* Effect.fail(notFound("command"))
          }
          yield* devices.lock(user.org_id, found.device_id)
          const row = (yield* commands.lock(user.org_id, id)) ?? found
          yield* cancelWithin(row, actorOf(user))
          return toCommand((yield* commands.find(user.org_id, id)) ?? row)
        },
        db.transaction
      )

      return DeviceCommands.of({ queue, queueWithin, list, get, cancel, cancelWithin })
    })
  )
}

const timeoutTooLong = (details: ReadonlyArray<Detail>) =>
  new BadRequest({
    error: { code: "timeout_too_long", message: "The device does not allow a timeout this long.", details }
  })

export const outsideRoot = (roots: ReadonlyArray<string>) =>
  conflict("outside_root", "The directory is outside the roots that the device's owner opened.", { roots })
