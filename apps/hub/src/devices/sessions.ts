/**
 * Sessions of devices: each device has one live session, from its first heartbeat until it is ended or was silent for a
 * day.
 */
import type { UserPrincipal } from "@countersign/domain/auth"
import type { Command, DeviceSession, LeasedCommands, SessionPatch } from "@countersign/domain/devices"
import { type ApiError, conflict, notFound } from "@countersign/domain/errors"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { Context, Effect, Layer } from "effect"
import { ownerFilter } from "../auth/own.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { awaitSignal } from "../platform/waiting.ts"
import type { DeviceCaller } from "./caller.ts"
import { DeviceClosing } from "./closing.ts"
import { type CommandQuery, DeviceCommands, outsideRoot } from "./commands.ts"
import { Delivery } from "./delivery.ts"
import { DevicesRepository } from "./repository.ts"
import { isInside } from "./roots.ts"
import { type SessionRow, toSession } from "./rows.ts"

const sessionPattern = /^dss_[0-9a-z]{26}$/

export interface SessionQuery extends PageQuery {
  readonly device_id?: string
  readonly status?: "online" | "offline" | "ended"
}

/** A person's page of a session's commands, or a device's long poll. */
export interface SessionCommandsQuery extends CommandQuery {
  readonly max?: number
  readonly wait?: number
  readonly boot_id?: string
}

/** The interval of a poll's checks; each check takes the device's lock. */
const pollCheckMillis = 5_000

export class DeviceSessions extends Context.Service<DeviceSessions, {
  readonly list: (user: UserPrincipal, query: SessionQuery) => Effect.Effect<PageOf<DeviceSession>, ApiError>
  readonly get: (caller: DeviceCaller, id: string) => Effect.Effect<DeviceSession, ApiError>
  /** 409 `outside_root`, `session_ended`. At the end, queued commands expire and running ones are interrupted. */
  readonly update: (caller: DeviceCaller, id: string, patch: SessionPatch) => Effect.Effect<DeviceSession, ApiError>
  /** For a person, the commands of the session; for the device, at most `max` commands that it takes under a lease. */
  readonly commands: (
    caller: DeviceCaller,
    id: string,
    query: SessionCommandsQuery
  ) => Effect.Effect<PageOf<Command> | LeasedCommands, ApiError>
}>()("@countersign/hub/devices/DeviceSessions") {
  static readonly layer = Layer.effect(
    DeviceSessions,
    Effect.gen(function*() {
      const devices = yield* DevicesRepository
      const closing = yield* DeviceClosing
      const commands = yield* DeviceCommands
      const delivery = yield* Delivery
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db

      const seen = Effect.fnUntraced(
        function*(caller: DeviceCaller, id: string): Effect.fn.Return<SessionRow, ApiError> {
          const row = yield* devices.session(caller.org_id, id)
          const owner = caller.kind === "user" ? ownerFilter(caller) : undefined
          const own = row !== undefined &&
            (caller.kind === "device"
              ? row.device_id === caller.device_id
              : owner === undefined || row.owner_user_id === owner)
          return own ? row : yield* Effect.fail(notFound("session"))
        }
      )

      const update = Effect.fn("DeviceSessions.update")(
        function*(caller: DeviceCaller, id: string, patch: SessionPatch): Effect.fn.Return<DeviceSession, ApiError> {
          const { device_id: device } = yield* seen(caller, id)
          yield* devices.lock(caller.org_id, device)
          const row = yield* seen(caller, id)
          if (row.status === "ended") {
            return patch.working_directory === undefined
              ? toSession(row)
              : yield* Effect.fail(conflict("session_ended", "This session has ended.", {}))
          }
          if (patch.working_directory !== undefined) {
            if (!isInside(patch.working_directory, row.roots)) return yield* Effect.fail(outsideRoot(row.roots))
            yield* devices.updateSession(id, { working_directory: patch.working_directory })
            yield* audit.record(caller.org_id, actorOf(caller), {
              action: "device.working_directory_set",
              subject: { type: "device", id: device },
              data: { session_id: id, working_directory: patch.working_directory }
            })
            yield* db.afterCommit(Effect.sync(() => signals.object(device)))
          }
          if (patch.status === "ended") {
            yield* closing.endSession(
              { org: caller.org_id, device, session: id, because: "session_ended" },
              actorOf(caller)
            )
          }
          return toSession(yield* seen(caller, id))
        },
        db.transaction
      )

      return DeviceSessions.of({
        list: Effect.fn("DeviceSessions.list")(function*(user, query) {
          const as_of = yield* audit.asOf(user.org_id)
          const [after] = (yield* decodeCursor(query.cursor, [sessionPattern])) ?? []
          const rows = yield* devices.sessions(user.org_id, {
            after,
            device: query.device_id,
            status: query.status,
            owner: ownerFilter(user),
            limit: (query.limit ?? pageLimitDefault) + 1
          })
          const page = toPage(rows, query.limit, ({ id }) => [id])
          return { ...page, data: page.data.map(toSession), as_of }
        }),
        get: (caller, id) => Effect.map(seen(caller, id), toSession),
        update,
        commands: Effect.fn("DeviceSessions.commands")(
          function*(
            caller,
            id,
            { boot_id: boot, max = 1, wait = 0, ...query }
          ): Effect.fn.Return<PageOf<Command> | LeasedCommands, ApiError> {
            if (caller.kind === "user") return yield* commands.list(caller, id, query)
            const session = yield* seen(caller, id)
            return yield* awaitSignal(
              signals,
              caller.device_id,
              wait * 1_000,
              delivery.offer(caller.org_id, caller.device_id, max, { session: session.id, boot }),
              ({ controls, data }) => data.length > 0 || controls.length > 0,
              { intervalMillis: pollCheckMillis }
            )
          }
        )
      })
    })
  )
}
