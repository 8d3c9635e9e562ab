/**
 * Commands of devices and their leases. A caller that changes a command holds its device's lock. Output and the
 * extension of all leases do not: they lock commands in order of id, and wait for nothing else until they commit.
 */
import {
  ackSeconds,
  cancelSeconds,
  type CommandError,
  leaseMillis,
  lostSeconds,
  offersMax,
  type Outcome,
  overdueSeconds,
  startGraceSeconds,
  startSecondsMax
} from "@countersign/domain/device-protocol"
import type { CommandStatus } from "@countersign/domain/devices"
import type { OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { CommandRow } from "./rows.ts"

export interface NewCommand {
  readonly id: string
  readonly org: OrgId
  readonly session: string
  readonly device: string
  readonly tool: string
  /** JSON text. */
  readonly input: string
  readonly workingDirectory: string | null
  readonly by: { readonly type: string; readonly id: string; readonly name: string }
  readonly reason: string | null
  readonly serviceRequest: string | null
  readonly key: string | null
  readonly timeoutSeconds: number
  readonly queueSeconds: number
}

export interface CommandFilter {
  readonly session: string
  readonly status: CommandStatus | undefined
  readonly after: string | undefined
  readonly limit: number
}

export interface Ending {
  readonly status: "done" | "cancelled" | "expired"
  readonly outcome?: Outcome
  readonly exitCode?: number | null
  readonly error?: CommandError
  /** JSON texts. */
  readonly result?: string
  readonly artifacts?: string
  readonly unconfirmed?: boolean
}

/**
 * Why the hub closes a command. `cancel_unstarted`: it was offered, never acknowledged, and then canceled.
 * `not_started`, `timed_out`: its device renews the lease and never reports the start or the end.
 */
export type Overdue =
  | "queue_timeout"
  | "not_acknowledged"
  | "not_started"
  | "timed_out"
  | "lost"
  | "cancel"
  | "cancel_unstarted"

/** A command with an expired deadline, and the device to lock before acting on it. */
export interface Due {
  readonly id: string
  readonly org_id: OrgId
  readonly device_id: string
}

export const openCommands =
  "select from device_commands where status in ('queued', 'leased', 'awaiting_consent', 'running')"

export class DeviceCommandsRepository extends Context.Service<DeviceCommandsRepository, {
  readonly insert: (command: NewCommand) => Effect.Effect<void>
  readonly find: (org: OrgId, id: string) => Effect.Effect<CommandRow | undefined>
  readonly lock: (org: OrgId, id: string) => Effect.Effect<CommandRow | undefined>
  readonly byKey: (session: string, requester: string, key: string) => Effect.Effect<CommandRow | undefined>
  readonly byServiceRequest: (request: string) => Effect.Effect<CommandRow | undefined>
  readonly list: (org: OrgId, filter: CommandFilter) => Effect.Effect<ReadonlyArray<CommandRow>>
  readonly queued: (session: string) => Effect.Effect<number>
  /** The device's commands that have not ended, in the order of their creation. */
  readonly open: (device: string) => Effect.Effect<ReadonlyArray<CommandRow>>
  /**
   * The same rows, locked until the transaction ends: output is written under its command's lock alone and may
   * acknowledge.
   */
  readonly openHeld: (device: string) => Effect.Effect<ReadonlyArray<CommandRow>>
  /**
   * Commands that may be offered now: queued and not expired, or offered, not acknowledged in time, and with offers
   * left.
   */
  readonly offerable: (session: string, limit: number) => Effect.Effect<ReadonlyArray<CommandRow>>
  readonly offer: (ids: ReadonlyArray<string>, boot: string | null) => Effect.Effect<ReadonlyArray<CommandRow>>
  /** Renews the lease; with `acknowledge`, also sets the acknowledgement if there is none. */
  readonly renew: (id: string, acknowledge: boolean) => Effect.Effect<void>
  readonly progress: (
    id: string,
    status: "awaiting_consent" | "running",
    planDigest: string | null
  ) => Effect.Effect<void>
  readonly requestCancel: (id: string) => Effect.Effect<void>
  readonly end: (id: string, ending: Ending) => Effect.Effect<void>
  readonly keepLate: (id: string, result: string) => Effect.Effect<void>
  /** Returns unacknowledged offers to the queue, except those with a cancel request (see `cancel_unstarted`). */
  readonly requeueOffers: (device: string) => Effect.Effect<void>
  /** Commands whose queue time, offer, lease, or cancel has run out. */
  readonly due: (limit: number) => Effect.Effect<ReadonlyArray<Due>>
  /** The same for one device, under its lock, each with the reason. */
  readonly overdue: (
    device: string
  ) => Effect.Effect<ReadonlyArray<{ readonly row: CommandRow; readonly because: Overdue }>>
  /** Extends all leases after the hub was down, since devices could not report to it. */
  readonly extendLeases: Effect.Effect<void>
  /** Ended commands of the governed service whose request is still running. */
  readonly unsettled: (
    limit: number
  ) => Effect.Effect<
    ReadonlyArray<{ readonly id: string; readonly org_id: OrgId; readonly request_id: ServiceRequestId }>
  >
}>()("@countersign/hub/devices/DeviceCommandsRepository") {
  static readonly layer = Layer.effect(
    DeviceCommandsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const seconds = (count: number) => sql.literal(`interval '${count} seconds'`)
      const lease = sql.literal(`interval '${leaseMillis} milliseconds'`)
      const leased = sql.literal("c.status in ('leased', 'awaiting_consent', 'running')")
      const unacknowledged = sql`(c.status = 'leased' and c.acked_at is null and c.offered_at <= hub_time_or_last() - ${
        seconds(ackSeconds)
      })`
      const columns =
        sql`c.id, c.org_id, c.session_id, c.device_id, c.tool, c.input, c.working_directory, c.requested_by_type,
        c.requested_by_id,
      c.requested_by_name, c.reason, c.service_request_id, c.status, c.outcome, c.exit_code, c.error_code, c.error_message,
        c.result, c.artifacts,
      c.late_result, c.unconfirmed, c.timeout_seconds, c.plan_digest, c.queued_at, c.queue_until, c.started_at, c.done_at,
        c.cancel_requested_at,
      c.lease_number, c.acked_at, c.lease_until, ${leased}
        and c.lease_until < hub_time_or_last() as lost, ${unacknowledged} as unanswered, c.next_seq, c.stdout_bytes,
      c.stderr_bytes, c.dropped_bytes, c.removed_after_days, (select a.id from approvals a where a.command_id = c.id) as approval_id,
      (select a.status from approvals a where a.command_id = c.id) as consent`
      const because = sql`case
      when c.status = 'queued' and c.queue_until <= hub_time_or_last() then 'queue_timeout'
      when ${unacknowledged} and c.cancel_requested_at is not null then 'cancel_unstarted'
      when ${unacknowledged}
        and (c.offers >= ${
        sql.literal(String(offersMax))
      } or c.queue_until <= hub_time_or_last()) then 'not_acknowledged'
      when c.acked_at is not null and c.cancel_requested_at is not null
        and greatest(c.cancel_requested_at, c.lease_until) <= hub_time_or_last() - ${
        seconds(cancelSeconds)
      } then 'cancel'
      when c.acked_at is not null and c.cancel_requested_at <= hub_time_or_last() - ${
        seconds(overdueSeconds)
      } then 'cancel'
      when c.acked_at is not null and c.lease_until <= hub_time_or_last() - ${seconds(lostSeconds)} then 'lost'
      when c.status = 'running'
        and c.started_at + c.timeout_seconds * interval '1 second' <= hub_time_or_last() - ${
        seconds(overdueSeconds)
      } then 'timed_out'
      when c.status in ('leased', 'awaiting_consent') and greatest(c.queue_until, c.acked_at + ${
        seconds(startSecondsMax)
      })
        <= hub_time_or_last() - ${seconds(overdueSeconds)} and c.acked_at is not null then 'not_started' end`

      const one = <A extends object>(statement: Statement.Statement<A>): Effect.Effect<A | undefined> =>
        statement.pipe(Effect.map(([row]) => row), Effect.orDie)
      const many = <A extends object>(statement: Statement.Statement<A>): Effect.Effect<ReadonlyArray<A>> =>
        Effect.orDie(statement)
      const done = (statement: Statement.Statement<object>): Effect.Effect<void> =>
        statement.pipe(Effect.asVoid, Effect.orDie)

      return DeviceCommandsRepository.of({
        insert: (command) =>
          done(sql`insert into device_commands (id, org_id, session_id, device_id, tool, input, working_directory,
              requested_by_type, requested_by_id,
            requested_by_name, reason, service_request_id, idempotency_key, timeout_seconds, queue_until)
          values (${command.id}, ${command.org}, ${command.session}, ${command.device}, ${command.tool}, ${command.input},
            ${command.workingDirectory},
            ${command.by.type}, ${command.by.id}, ${command.by.name}, ${command.reason}, ${command.serviceRequest},
              ${command.key}, ${command.timeoutSeconds},
            hub_time_or_last() + ${command.queueSeconds}::int * interval '1 second')`),
        find: (org, id) =>
          one(sql<CommandRow>`select ${columns} from device_commands c where c.org_id = ${org} and c.id = ${id}`),
        lock: (org, id) =>
          one(
            sql<
              CommandRow
            >`select ${columns} from device_commands c where c.org_id = ${org} and c.id = ${id} for no key update`
          ),
        byKey: (session, requester, key) =>
          one(sql<CommandRow>`select ${columns} from device_commands c
          where c.session_id = ${session} and c.requested_by_id = ${requester} and c.idempotency_key = ${key}`),
        byServiceRequest: (request) =>
          one(sql<CommandRow>`select ${columns} from device_commands c where c.service_request_id = ${request}`),
        list: (org, { after, limit, session, status }) =>
          many(
            sql<
              CommandRow
            >`select ${columns} from device_commands c where c.org_id = ${org} and c.session_id = ${session}
          and ${after === undefined ? sql`true` : sql`c.id < ${after}`}
            and ${status === undefined ? sql`true` : sql`c.status = ${status}`}
          order by c.id desc limit ${limit}`
          ),
        queued: (session) =>
          Effect.map(
            one(sql<{ n: number }>`select count(*)::int as n from device_commands
            where session_id = ${session} and status = 'queued'`),
            (row) => row?.n ?? 0
          ),
        open: (device) =>
          many(sql<CommandRow>`select ${columns} from device_commands c
          where c.device_id = ${device} and c.status in ('queued', 'leased', 'awaiting_consent', 'running') order by c.id`),
        openHeld: (device) =>
          many(sql<CommandRow>`select ${columns} from device_commands c
          where c.device_id = ${device} and c.status in ('queued', 'leased', 'awaiting_consent', 'running') order by c.id
          for no key update`),
        offerable: (session, limit) =>
          many(sql<CommandRow>`select ${columns} from device_commands c
          where c.session_id = ${session} and c.queue_until > hub_time_or_last()
          and c.cancel_requested_at is null
            and (c.status = 'queued' or (${unacknowledged} and c.offers < ${sql.literal(String(offersMax))}))
          order by c.id limit ${limit}`),
        offer: (ids, boot) =>
          many(
            sql<
              CommandRow
            >`update device_commands c set status = 'leased', lease_number = lease_number + 1, offers = offers + 1,
            offered_at = hub_time_or_last(), lease_until = hub_time_or_last() + ${lease}, lease_boot = ${boot}
          where c.id = any(${ids}::text[]) and c.status in ('queued', 'leased') and c.acked_at is null returning ${columns}`
          ),
        renew: (id, acknowledge) =>
          done(sql`update device_commands set lease_until = greatest(lease_until, hub_time_or_last() + ${lease}),
          acked_at = ${acknowledge ? sql`coalesce(acked_at, hub_time_or_last())` : sql`acked_at`} where id = ${id}`),
        progress: (id, status, planDigest) =>
          done(
            sql`update device_commands set status = ${status}, plan_digest = coalesce(${planDigest}::text, plan_digest),
            started_at = ${status === "running" ? sql`coalesce(started_at, hub_time_or_last())` : sql`started_at`}
          where id = ${id}`
          ),
        requestCancel: (id) =>
          done(
            sql`update device_commands set cancel_requested_at = coalesce(cancel_requested_at, hub_time_or_last()) where id = ${id}`
          ),
        end: (id, ending) =>
          done(sql`update device_commands
          set status = ${ending.status}, outcome = ${ending.outcome ?? null}::text, exit_code = ${
            ending.exitCode ?? null
          }::int,
            error_code = ${ending.error?.code ?? null}::text, error_message = ${ending.error?.message ?? null}::text,
            result = ${ending.result ?? null}::text,
            artifacts = ${ending.artifacts ?? null}::text, unconfirmed = ${ending.unconfirmed ?? false},
            done_at = hub_time_or_last()
          where id = ${id}`),
        keepLate: (id, result) =>
          done(
            sql`update device_commands set late_result = coalesce(late_result, ${result}) where id = ${id} and removed_after_days is null`
          ),
        requeueOffers: (device) =>
          done(sql`update device_commands set status = 'queued', offered_at = null, lease_until = null
          where device_id = ${device} and status = 'leased' and acked_at is null`),
        due: (limit) =>
          many(sql<Due>`select c.id, c.org_id, c.device_id from device_commands c
          where c.status in ('queued', 'leased', 'awaiting_consent', 'running') and ${because} is not null limit ${limit}`),
        overdue: (device) =>
          many(sql<CommandRow & { readonly because: Overdue }>`select ${columns}, ${because} as because
          from device_commands c
          where c.device_id = ${device} and c.status in ('queued', 'leased', 'awaiting_consent', 'running')
            and ${because} is not null
          order by c.id
          for no key update`).pipe(Effect.map((rows) => rows.map((row) => ({ row, because: row.because })))),
        extendLeases: done(sql`with held as (select c.id from device_commands c
          where c.acked_at is not null and ${leased} and c.lease_until > hub_time_or_last() - ${seconds(lostSeconds)}
          order by c.id for no key update)
        update device_commands c
        set lease_until = greatest(c.lease_until, hub_time_or_last() + ${seconds(startGraceSeconds)})
        from held where c.id = held.id`),
        unsettled: (limit) =>
          many(
            sql<
              { id: string; org_id: OrgId; request_id: ServiceRequestId }
            >`select c.id, c.org_id, c.service_request_id as request_id
          from holds h join device_commands c on c.service_request_id = h.request_id
          where h.phase = 2 and h.service = 'device' and c.status in ('done', 'cancelled', 'expired') limit ${limit}`
          )
      })
    })
  )
}
