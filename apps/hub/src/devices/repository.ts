/**
 * Devices, their keys, boots, and sessions. `now()` is the start of the transaction, so decisions use
 * `hub_time_or_last()`, which does not advance while the database's clock is in doubt.
 */
import { lateSeconds, offlineSeconds, sessionOfflineHours, unseenDaysMax } from "@countersign/domain/device-protocol"
import type { DeviceInput, DeviceState, Presence } from "@countersign/domain/devices"
import { type AgentId, newId, type OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { DeviceRow, SessionRow } from "./rows.ts"

export interface NewDevice extends DeviceInput {
  readonly id: string
  readonly org: OrgId
  readonly owner: string
  readonly keyHash: Uint8Array
  readonly keyHint: string
}

/** Changed columns; absent ones keep their value. */
export interface DeviceChange {
  readonly name?: string
  readonly granted?: ReadonlyArray<string>
  readonly agents?: ReadonlyArray<string> | null
  readonly labels?: ReadonlyArray<string>
  readonly state?: DeviceState
  readonly state_by?: "hub" | "device"
  readonly resuming?: boolean
  readonly capabilities?: ReadonlyArray<string>
  readonly app_version?: string
  readonly instance_id?: string
  readonly boot_id?: string | null
  readonly epoch?: number
  readonly report?: string
  readonly presence_told?: Presence
}

export interface DeviceFilter {
  readonly state: DeviceState | undefined
  readonly q: string | undefined
  /** Only devices that this agent may use. */
  readonly agent: AgentId | undefined
  readonly owner: string | undefined
  readonly after: string | undefined
  readonly limit: number
}

export interface SessionFilter {
  readonly device: string | undefined
  readonly status: "online" | "offline" | "ended" | undefined
  readonly owner: string | undefined
  readonly after: string | undefined
  readonly limit: number
}

export interface SessionChange {
  readonly roots?: ReadonlyArray<string>
  readonly working_directory?: string | null
}

/** The recurring report of a device at rest; `report` is JSON text, merged over the stored one. */
export interface RestHeartbeat {
  readonly boot: string
  readonly instance: string
  readonly appVersion: string
  readonly roots: ReadonlyArray<string>
  readonly report: string
}

/** A device's socket on this hub, with the epoch and state that it was last given. */
export interface HeldSocket {
  readonly id: string
  readonly device: string
  readonly epoch: number
  readonly state: DeviceState
}

export interface SocketFacts {
  readonly id: string
  /** null: the device does not exist. */
  readonly state: DeviceState | null
  readonly epoch: number
  /** This socket delivers: no other replaced it, and a message arrived in time. */
  readonly holds: boolean
}

/** Of a device `d`, whose presence is still recorded as online or late. */
const isGone = `d.presence_told in ('online', 'late') and d.state <> 'revoked'
            and d.heard_at <= hub_time_or_last() - interval '${offlineSeconds} seconds'`
export const goneDevices = `select from devices d where ${isGone}`

export class DevicesRepository extends Context.Service<DevicesRepository, {
  readonly insert: (device: NewDevice) => Effect.Effect<void>
  readonly count: (org: OrgId) => Effect.Effect<number>
  readonly find: (org: OrgId, id: string) => Effect.Effect<DeviceRow | undefined>
  /**
   * Locks the row until the transaction ends; each change of the device's commands takes this lock first. It must not
   * block foreign-key checks: a second change of a command in one transaction checks that its device exists, and so
   * does output, which is written under its command's lock alone.
   */
  readonly lock: (org: OrgId, id: string) => Effect.Effect<DeviceRow | undefined>
  readonly list: (org: OrgId, filter: DeviceFilter) => Effect.Effect<ReadonlyArray<DeviceRow>>
  readonly update: (org: OrgId, id: string, change: DeviceChange) => Effect.Effect<void>
  /** Records that an operator confirmed the device: it counts as seen from now on. */
  readonly confirm: (org: OrgId, id: string) => Effect.Effect<void>
  readonly recordContact: (org: OrgId, id: string) => Effect.Effect<void>
  /**
   * Records in one statement a heartbeat without changes, through the delivering socket. None when there is more to do:
   * commands that have not ended, another state, another copy.
   */
  readonly recordAtRest: (
    org: OrgId,
    id: string,
    heartbeat: RestHeartbeat,
    socket: string,
    seconds: number
  ) => Effect.Effect<{ readonly epoch: number; readonly session: string } | undefined>
  /** Finds a device by the hash of its key. */
  readonly byKey: (
    hash: Uint8Array
  ) => Effect.Effect<
    { readonly id: string; readonly org_id: OrgId; readonly name: string; readonly state: DeviceState } | undefined
  >
  /** Makes this socket the delivering one for so many seconds. */
  readonly holdSocket: (id: string, socket: string, seconds: number) => Effect.Effect<void>
  /** False when another socket replaced it. */
  readonly keepSocket: (id: string, socket: string, seconds: number) => Effect.Effect<boolean>
  readonly dropSocket: (id: string, socket: string) => Effect.Effect<void>
  readonly isSuperseded: (device: string, boot: string) => Effect.Effect<boolean>
  readonly supersede: (device: string, boot: string) => Effect.Effect<void>
  readonly liveSession: (org: OrgId, device: string) => Effect.Effect<SessionRow | undefined>
  readonly startSession: (org: OrgId, device: string) => Effect.Effect<string>
  readonly session: (org: OrgId, id: string) => Effect.Effect<SessionRow | undefined>
  readonly sessions: (org: OrgId, filter: SessionFilter) => Effect.Effect<ReadonlyArray<SessionRow>>
  readonly updateSession: (id: string, change: SessionChange) => Effect.Effect<void>
  readonly recordSessionContact: (id: string) => Effect.Effect<void>
  readonly endSession: (id: string, because: string) => Effect.Effect<void>
  /** Devices whose presence differs from the last reported one; the oldest first. */
  readonly changedPresence: (
    limit: number
  ) => Effect.Effect<ReadonlyArray<{ readonly id: string; readonly org_id: OrgId }>>
  readonly overdueSessions: (
    limit: number
  ) => Effect.Effect<ReadonlyArray<{ readonly id: string; readonly org_id: OrgId; readonly device_id: string }>>
  /** The subset of these agents that exist in the workspace. */
  readonly agentsOf: (org: OrgId, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>
  /** The subset of these sockets that need a check; with `work`, also those with commands or controls to deliver. */
  readonly changedSockets: (
    sockets: ReadonlyArray<HeldSocket>,
    work: boolean
  ) => Effect.Effect<ReadonlyArray<SocketFacts>>
}>()("@countersign/hub/devices/DevicesRepository") {
  static readonly layer = Layer.effect(
    DevicesRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const seconds = (count: number) => sql.literal(`interval '${count} seconds'`)
      const presence = sql`case when d.heard_at is null then 'never'
      when d.heard_at > hub_time_or_last() - ${seconds(lateSeconds)} then 'online'
      when d.heard_at > hub_time_or_last() - ${seconds(offlineSeconds)} then 'late' else 'offline' end`
      const status = (alias: string) =>
        sql`case when ${sql.literal(alias)}.ended_at is not null then 'ended'
      when ${sql.literal(alias)}.heard_at > hub_time_or_last() - ${
          seconds(offlineSeconds)
        } then 'online' else 'offline' end`
      const columns =
        sql`d.id, d.org_id, d.owner_user_id, d.name, d.platform, d.arch, d.app_version, d.capabilities, d.granted,
        d.agents, d.labels,
      d.public_key, d.state, d.state_by, d.resuming, d.instance_id, d.boot_id, d.epoch, d.heard_at,
      case when d.socket_until > hub_time_or_last() then d.socket end as socket, ${presence} as presence, d.presence_told,
      greatest(d.heard_at, d.confirmed_at) < hub_time_or_last() - ${
          sql.literal(`interval '${unseenDaysMax} days'`)
        } as stale,
        d.report, d.created_at,
      (select count(*)::int from device_commands c
        where c.device_id = d.id and c.status in ('leased', 'awaiting_consent', 'running')) as running,
      s.id as s_id, s.working_directory as s_working_directory, s.roots as s_roots, s.started_at as s_started_at,
        s.heard_at as s_heard_at,
      case when s.id is null then null else ${status("s")} end as s_status`
      const joins = sql`devices d left join device_sessions s on s.device_id = d.id and s.ended_at is null`
      const sessionColumns = sql`s.id, s.org_id, s.device_id, d.owner_user_id, s.working_directory, s.roots,
      ${status("s")} as status, s.started_at, s.heard_at`
      const sessionJoins = sql`device_sessions s join devices d on d.id = s.device_id`

      const one = <A extends object>(statement: Statement.Statement<A>): Effect.Effect<A | undefined> =>
        statement.pipe(Effect.map(([row]) => row), Effect.orDie)
      const many = <A extends object>(statement: Statement.Statement<A>): Effect.Effect<ReadonlyArray<A>> =>
        Effect.orDie(statement)
      const done = (statement: Statement.Statement<object>): Effect.Effect<void> =>
        statement.pipe(Effect.asVoid, Effect.orDie)

      const find = (org: OrgId, id: string) =>
        one(sql<DeviceRow>`select ${columns} from ${joins} where d.org_id = ${org} and d.id = ${id}`)

      const casts: Readonly<Record<keyof DeviceChange, string>> = {
        name: "text",
        granted: "text[]",
        agents: "text[]",
        labels: "text[]",
        state: "text",
        state_by: "text",
        resuming: "boolean",
        capabilities: "text[]",
        app_version: "text",
        instance_id: "text",
        boot_id: "text",
        epoch: "int",
        report: "text",
        presence_told: "text"
      }

      return DevicesRepository.of({
        insert: (device) =>
          done(
            sql`insert into devices (id, org_id, owner_user_id, name, platform, arch, app_version, capabilities, public_key,
              key_hash, key_hint)
          values (${device.id}, ${device.org}, ${device.owner}, ${device.name}, ${device.platform}, ${device.arch},
            ${device.app_version},
            ${device.capabilities}::text[], ${device.public_key ?? null}, ${device.keyHash}, ${device.keyHint})`
          ),
        count: (org) =>
          Effect.map(
            one(
              sql<{ n: number }>`select count(*)::int as n from devices where org_id = ${org} and state <> 'revoked'`
            ),
            (row) => row?.n ?? 0
          ),
        find,
        lock: (org, id) =>
          Effect.flatMap(
            one(sql<{ id: string }>`select id from devices where org_id = ${org} and id = ${id} for no key update`),
            (row) => row === undefined ? Effect.undefined : find(org, id)
          ),
        list: (org, filter) => {
          const conditions = [
            sql`d.org_id = ${org}`,
            filter.state === undefined ? sql`d.state <> 'revoked'` : sql`d.state = ${filter.state}`
          ]
          if (filter.after !== undefined) conditions.push(sql`d.id < ${filter.after}`)
          if (filter.agent !== undefined) conditions.push(sql`(d.agents is null or ${filter.agent} = any(d.agents))`)
          if (filter.owner !== undefined) conditions.push(sql`d.owner_user_id = ${filter.owner}`)
          if (filter.q !== undefined && filter.q !== "") {
            conditions.push(
              sql`(d.id = ${filter.q} or position(lower(${filter.q}) in lower(d.name)) > 0 or lower(${filter.q}) = any(d.labels))`
            )
          }
          return many(
            sql<DeviceRow>`select ${columns} from ${joins} where ${
              sql.and(conditions)
            } order by d.id desc limit ${filter.limit}`
          )
        },
        update: (org, id, change) => {
          const set = (Object.keys(change) as Array<keyof DeviceChange>)
            .filter((name) => change[name] !== undefined)
            .map((name) => sql`${sql(name)} = ${change[name] as string}::${sql.literal(casts[name])}`)
          return set.length === 0
            ? Effect.void
            : done(sql`update devices set ${sql.join(", ", false)(set)} where org_id = ${org} and id = ${id}`)
        },
        confirm: (org, id) =>
          done(sql`update devices set confirmed_at = hub_time_or_last() where org_id = ${org} and id = ${id}`),
        recordContact: (org, id) =>
          done(sql`update devices set heard_at = hub_time_or_last() where org_id = ${org} and id = ${id}`),
        recordAtRest: (org, id, heartbeat, socket, length) =>
          one(sql<{ epoch: number; session: string }>`with d as (
            update devices d set heard_at = hub_time_or_last(), report = (d.report::jsonb || ${heartbeat.report}::jsonb)::text,
              socket_until = hub_time_or_last() + ${length}::int * interval '1 second'
            where d.org_id = ${org} and d.id = ${id} and d.state = 'active' and not d.resuming and d.boot_id = ${heartbeat.boot}
              and d.instance_id = ${heartbeat.instance} and d.app_version = ${heartbeat.appVersion} and d.presence_told = 'online'
              and d.socket = ${socket}
              and greatest(d.heard_at, d.confirmed_at) >= hub_time_or_last() - ${
            sql.literal(`interval '${unseenDaysMax} days'`)
          }
              and not exists (select 1 from device_commands c
                where c.device_id = d.id and c.status in ('queued', 'leased', 'awaiting_consent', 'running'))
            returning d.id, d.epoch),
          s as (update device_sessions s set heard_at = hub_time_or_last() from d
            where s.device_id = d.id and s.ended_at is null and s.roots = ${heartbeat.roots}::text[] returning s.id)
          select d.epoch, s.id as session from d, s`),
        byKey: (hash) =>
          one(
            sql<
              { id: string; org_id: OrgId; name: string; state: DeviceState }
            >`select id, org_id, name, state from devices
          where key_hash = ${hash}`
          ),
        holdSocket: (id, socket, length) =>
          done(
            sql`update devices set socket = ${socket}, socket_until = hub_time_or_last() + ${length}::int * interval '1 second'
          where id = ${id}`
          ),
        keepSocket: (id, socket, length) =>
          Effect.map(
            one(sql`update devices set socket_until = hub_time_or_last() + ${length}::int * interval '1 second'
            where id = ${id} and socket = ${socket}
            returning 1`),
            (row) => row !== undefined
          ),
        dropSocket: (id, socket) =>
          done(sql`update devices set socket = null, socket_until = null where id = ${id} and socket = ${socket}`),
        isSuperseded: (device, boot) =>
          Effect.map(
            one(sql`select 1 from device_boots where device_id = ${device} and boot_id = ${boot}`),
            (row) => row !== undefined
          ),
        supersede: (device, boot) =>
          done(sql`insert into device_boots (device_id, boot_id) values (${device}, ${boot})
          on conflict (device_id, boot_id) do nothing`),
        liveSession: (org, device) =>
          one(sql<SessionRow>`select ${sessionColumns} from ${sessionJoins}
          where s.org_id = ${org} and s.device_id = ${device} and s.ended_at is null`),
        startSession: (org, device) => {
          const id = newId("dss")
          return Effect.as(
            done(sql`insert into device_sessions (id, org_id, device_id) values (${id}, ${org}, ${device})`),
            id
          )
        },
        session: (org, id) =>
          one(sql<SessionRow>`select ${sessionColumns} from ${sessionJoins} where s.org_id = ${org} and s.id = ${id}`),
        sessions: (org, filter) => {
          const conditions = [sql`s.org_id = ${org}`]
          if (filter.after !== undefined) conditions.push(sql`s.id < ${filter.after}`)
          if (filter.device !== undefined) conditions.push(sql`s.device_id = ${filter.device}`)
          if (filter.owner !== undefined) conditions.push(sql`d.owner_user_id = ${filter.owner}`)
          if (filter.status !== undefined) conditions.push(sql`${status("s")} = ${filter.status}`)
          return many(sql<SessionRow>`select ${sessionColumns} from ${sessionJoins}
          where ${sql.and(conditions)}
          order by s.id desc limit ${filter.limit}`)
        },
        updateSession: (id, { roots, working_directory }) => {
          const set = [
            ...roots === undefined ? [] : [sql`roots = ${roots}::text[]`],
            ...working_directory === undefined ? [] : [sql`working_directory = ${working_directory}::text`]
          ]
          return set.length === 0
            ? Effect.void
            : done(sql`update device_sessions set ${sql.join(", ", false)(set)} where id = ${id}`)
        },
        recordSessionContact: (id) =>
          done(sql`update device_sessions set heard_at = hub_time_or_last() where id = ${id}`),
        endSession: (id, because) =>
          done(sql`update device_sessions set ended_at = hub_time_or_last(), ended_because = ${because}
          where id = ${id} and ended_at is null`),
        changedPresence: (limit) =>
          many(sql<{ id: string; org_id: OrgId }>`select d.id, d.org_id from devices d
          where ${sql.literal(isGone)}
          order by d.heard_at limit ${limit}`),
        overdueSessions: (limit) =>
          many(sql<{ id: string; org_id: OrgId; device_id: string }>`select id, org_id, device_id from device_sessions
          where ended_at is null and heard_at < hub_time_or_last() - ${
            sql.literal(`interval '${sessionOfflineHours} hours'`)
          }
          order by heard_at limit ${limit}`),
        agentsOf: (org, ids) =>
          many(
            sql<
              { id: string }
            >`select id from agents where org_id = ${org} and id = any(${ids}::text[]) and deleted_at is null`
          )
            .pipe(
              Effect.map((rows) => new Set(rows.map(({ id }) => id)))
            ),
        changedSockets: (sockets, work) =>
          many(sql<SocketFacts>`select k.id, d.state, coalesce(d.epoch, 0) as epoch,
            coalesce(d.socket = k.id and d.socket_until > hub_time_or_last(), false) as holds
          from unnest(${sockets.map(({ id }) => id)}::text[], ${sockets.map(({ device }) => device)}::text[],
            ${sockets.map(({ epoch }) => epoch)}::int[], ${sockets.map(({ state }) => state)}::text[])
            as k (id, device, epoch, state)
          left join devices d on d.id = k.device
          where d.id is null or d.state <> k.state or d.epoch <> k.epoch or d.socket is distinct from k.id
            or d.socket_until <= hub_time_or_last()
            or (${work} and exists (select 1 from device_commands c
              where c.device_id = d.id and c.status in ('queued', 'leased', 'awaiting_consent', 'running')
                and (c.status in ('queued', 'awaiting_consent') or c.acked_at is null or c.cancel_requested_at is not null)))`)
      })
    })
  )
}
