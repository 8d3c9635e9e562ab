/**
 * Devices as operators manage them: register, grant, pause, revoke. Spec: reference/devices.md "Device", "Device
 * states".
 */
import type { Principal, UserPrincipal } from "@countersign/domain/auth"
import { mintCredential } from "@countersign/domain/credentials"
import type { Tool } from "@countersign/domain/device-tools"
import {
  type Device,
  type DeviceAgents,
  type DeviceInput,
  type DevicePatch,
  devicesMax,
  type DeviceState,
  type RegisteredDevice
} from "@countersign/domain/devices"
import { type ApiError, conflict, invalidField, notFound } from "@countersign/domain/errors"
import { newId, type OrgId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { Context, Effect, Layer } from "effect"
import { credentialHash } from "../auth/hash.ts"
import { ownerFilter } from "../auth/own.ts"
import { needs } from "../edge/access.ts"
import { MembersRepository } from "../members/repository.ts"
import { type Actor, actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { DeviceClosing } from "./closing.ts"
import { DevicesRepository } from "./repository.ts"
import { type DeviceRow, toDevice } from "./rows.ts"

const devicePattern = /^dev_[0-9a-z]{26}$/

export interface DeviceQuery extends PageQuery {
  readonly state?: DeviceState
  readonly q?: string
}

/** The column's value: null for all agents. */
export const agentsColumn = (agents: DeviceAgents): ReadonlyArray<string> | null => agents === "*" ? null : agents

export class Devices extends Context.Service<Devices, {
  readonly register: (user: UserPrincipal, input: DeviceInput) => Effect.Effect<RegisteredDevice, ApiError>
  /** Creates a device within the caller's transaction; only the paired device gets the key. */
  readonly admit: (
    user: UserPrincipal,
    input: DeviceInput
  ) => Effect.Effect<{ readonly id: string; readonly key: string }, ApiError>
  readonly list: (principal: Principal, query: DeviceQuery) => Effect.Effect<PageOf<Device>, ApiError>
  readonly get: (principal: Principal, id: string) => Effect.Effect<Device, ApiError>
  /**
   * 409 `device_revoked`, `paused_by_device`, `nothing_granted`; a grant of `shell.run` needs `devices:grant_shell`.
   */
  readonly update: (user: UserPrincipal, id: string, patch: DevicePatch) => Effect.Effect<Device, ApiError>
  /** Revokes permanently: key, session, and commands end in one transaction. A repeat succeeds. */
  readonly revoke: (user: UserPrincipal, id: string) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/devices/Devices") {
  static readonly layer = Layer.effect(
    Devices,
    Effect.gen(function*() {
      const devices = yield* DevicesRepository
      const closing = yield* DeviceClosing
      const members = yield* MembersRepository
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db

      const seen = (user: UserPrincipal, row: DeviceRow | undefined) => {
        const owner = ownerFilter(user)
        return row === undefined || (owner !== undefined && row.owner_user_id !== owner)
          ? Effect.fail(notFound("device"))
          : Effect.succeed(row)
      }
      const shown = (org: OrgId, id: string) =>
        Effect.flatMap(
          devices.find(org, id),
          (row) => row === undefined ? Effect.fail(notFound("device")) : Effect.succeed(toDevice(row))
        )
      const record = (org: OrgId, actor: Actor, action: string, id: string, data: Readonly<Record<string, unknown>>) =>
        audit.record(org, actor, { action, subject: { type: "device", id }, data })
      const notify = (id: string) => db.afterCommit(Effect.sync(() => signals.object(id)))

      const admit = Effect.fnUntraced(function*(
        user: UserPrincipal,
        input: DeviceInput
      ): Effect.fn.Return<{ id: string; key: string }, ApiError> {
        yield* members.stays(user.org_id, user.user_id)
        if ((yield* devices.count(user.org_id)) >= devicesMax) {
          return yield* Effect.fail(
            conflict("limit_reached", `A workspace can have ${devicesMax} devices; revoke one first.`)
          )
        }
        const { hint, token } = mintCredential("svc_device_live")
        const id = newId("dev")
        yield* devices.insert({
          ...input,
          id,
          org: user.org_id,
          owner: user.user_id,
          keyHash: credentialHash(token),
          keyHint: hint
        })
        return { id, key: token }
      })

      const register = Effect.fn("Devices.register")(function*(user: UserPrincipal, input: DeviceInput) {
        const { id, key } = yield* admit(user, input)
        const { capabilities, name, platform } = input
        yield* record(user.org_id, actorOf(user), "device.registered", id, { name, platform, capabilities })
        return { ...yield* shown(user.org_id, id), device_key: key }
      }, db.transaction)

      /** The tools that may be granted among those that the device offers. */
      const grantable = Effect.fnUntraced(function*(user: UserPrincipal, row: DeviceRow, granted: ReadonlyArray<Tool>) {
        const beyond = granted.findIndex((tool) => !row.capabilities.includes(tool))
        if (beyond >= 0) {
          return yield* Effect.fail(invalidField(`granted.${beyond}`, "the device does not offer this tool"))
        }
        if (granted.includes("shell.run") && !row.granted.includes("shell.run")) {
          yield* needs(user, "devices:grant_shell")
        }
      })

      const agentsThere = Effect.fnUntraced(function*(org: OrgId, agents: DeviceAgents) {
        if (agents === "*") return
        const there = yield* devices.agentsOf(org, agents)
        const missing = agents.findIndex((agent) => !there.has(agent))
        if (missing >= 0) {
          return yield* Effect.fail(invalidField(`agents.${missing}`, "there is no such agent in this workspace"))
        }
      })

      /** The state that a patch leads to. */
      const stateAfter = (
        row: DeviceRow,
        { granted = row.granted, state }: DevicePatch
      ): Effect.Effect<DeviceState, ApiError> => {
        if (row.state === "paused" && row.state_by === "device" && state !== undefined) {
          return Effect.fail(
            conflict(
              "paused_by_device",
              "The owner paused this device on the device itself. It can be resumed only there.",
              {
                paused_by: "device"
              }
            )
          )
        }
        const wanted: DeviceState = state ?? row.state
        if (wanted === "active" || wanted === "pending") {
          if (granted.length > 0) return Effect.succeed("active")
          return state === "active"
            ? Effect.fail(conflict("nothing_granted", "Grant a tool first: a device without one cannot run commands."))
            : Effect.succeed("pending")
        }
        return row.state === "pending" && granted.length === 0
          ? Effect.fail(conflict("nothing_granted", "Grant a tool first: a pending device cannot be paused."))
          : Effect.succeed(wanted)
      }

      const update = Effect.fn("Devices.update")(
        function*(user: UserPrincipal, id: string, patch: DevicePatch): Effect.fn.Return<Device, ApiError> {
          const org = user.org_id
          const row = yield* seen(user, yield* devices.lock(org, id))
          if (row.state === "revoked") {
            return yield* Effect.fail(conflict("device_revoked", "This device was revoked permanently. Pair it again."))
          }
          if (patch.state === "revoked") {
            yield* closing.revoke(row, actorOf(user))
            return yield* shown(org, id)
          }
          if (patch.granted !== undefined) yield* grantable(user, row, patch.granted)
          if (patch.agents !== undefined) yield* agentsThere(org, patch.agents)
          const state = yield* stateAfter(row, patch)
          const { agents, granted, labels, name } = patch
          yield* devices.update(org, id, {
            ...(name === undefined ? {} : { name }),
            ...(granted === undefined ? {} : { granted }),
            ...(agents === undefined ? {} : { agents: agentsColumn(agents) }),
            ...(labels === undefined ? {} : { labels }),
            // A drain that an operator requests remains the operator's, even when the device had started one itself.
            ...(state === row.state && patch.state !== "draining"
              ? {}
              : { state, state_by: "hub", resuming: state === "active" && row.state !== "pending" })
          })
          if (granted !== undefined) yield* devices.confirm(org, id)
          const changes = { ...patch, ...(state === row.state ? {} : { state, before: row.state }) }
          if (Object.keys(changes).length > 0) yield* record(org, actorOf(user), "device.updated", id, changes)
          yield* notify(id)
          return yield* shown(org, id)
        },
        db.transaction
      )

      const revoke = Effect.fn("Devices.revoke")(
        function*(user: UserPrincipal, id: string): Effect.fn.Return<void, ApiError> {
          const row = yield* seen(user, yield* devices.lock(user.org_id, id))
          if (row.state !== "revoked") yield* closing.revoke(row, actorOf(user))
        },
        db.transaction
      )

      const list = Effect.fn("Devices.list")(function*(principal: Principal, query: DeviceQuery): Effect.fn.Return<
        PageOf<Device>,
        ApiError
      > {
        const as_of = yield* audit.asOf(principal.org_id)
        const [after] = (yield* decodeCursor(query.cursor, [devicePattern])) ?? []
        const rows = yield* devices.list(principal.org_id, {
          after,
          state: query.state,
          q: query.q,
          limit: (query.limit ?? pageLimitDefault) + 1,
          agent: principal.kind === "agent" ? principal.agent_id : undefined,
          owner: ownerFilter(principal)
        })
        const page = toPage(rows, query.limit, ({ id }) => [id])
        return { ...page, data: page.data.map(toDevice), as_of }
      })

      const get = Effect.fn("Devices.get")(
        function*(principal: Principal, id: string): Effect.fn.Return<Device, ApiError> {
          const row = yield* devices.find(principal.org_id, id)
          if (principal.kind === "user") return toDevice(yield* seen(principal, row))
          const named = row !== undefined && (row.agents === null || row.agents.includes(principal.agent_id))
          return named ? toDevice(row) : yield* Effect.fail(notFound("device"))
        }
      )

      return Devices.of({ register, admit, list, get, update, revoke })
    })
  )
}
