/** Stores approvals of kind `device_command` in the table of all approvals. */
import { consentSeconds } from "@countersign/domain/device-protocol"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { CommandRow } from "./rows.ts"

export interface Consent {
  readonly id: string
  readonly org_id: OrgId
  readonly device_id: string
  readonly command_id: string
  readonly plan_digest: string
  readonly operation: string
  readonly agent_id: AgentId | null
}

export interface Verdict {
  readonly status: "approved" | "rejected" | "expired" | "cancelled"
  readonly by?: string
  readonly comment?: string
}

/** Of an approval `a`. */
const isDue = "a.kind = 'device_command' and a.status = 'pending' and a.expires_at <= hub_time_or_last()"
export const dueConsents = `select from approvals a where ${isDue}`

export class ConsentsRepository extends Context.Service<ConsentsRepository, {
  readonly open: (
    id: string,
    row: CommandRow,
    plan: { readonly text: string; readonly digest: string }
  ) => Effect.Effect<Consent>
  readonly of: (command: string) => Effect.Effect<Consent | undefined>
  /**
   * False when it is no longer pending, when `expired` is not yet due, or when `approved` or `rejected` comes after the
   * expiry.
   */
  readonly close: (id: string, verdict: Verdict) => Effect.Effect<boolean>
  readonly due: (limit: number) => Effect.Effect<ReadonlyArray<Consent>>
}>()("@countersign/hub/devices/ConsentsRepository") {
  static readonly layer = Layer.effect(
    ConsentsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(
        "a.id, a.org_id, a.device_id, a.command_id, a.payload_digest as plan_digest, a.operation, a.agent_id"
      )
      return ConsentsRepository.of({
        open: (id, row, { digest, text }) => {
          const isAgent = row.requested_by_type === "agent"
          // Reads the time once, so that the inbox shows a lifetime of exactly `consentSeconds`.
          return sql<Consent>`with now as materialized (select hub_time_or_last() as at)
          insert into approvals as a (id, org_id, kind, agent_id, device_id, command_id, plan, mode, service, operation, cost_cents,
            threshold_cents, reason, payload_digest, filed_by, requested_at, expires_at)
          select ${id}, ${row.org_id}, 'device_command', ${
            isAgent ? row.requested_by_id : null
          }::text, ${row.device_id}, ${row.id},
            ${text}, 'live', 'device', ${row.tool}, 0, 0, 'device_rules', ${digest}, ${
            isAgent ? null : row.requested_by_id
          }::text,
            now.at, least(now.at + ${consentSeconds} * interval '1 second', ${row.queue_until}::timestamptz)
          from now
          returning ${columns}`.pipe(
            Effect.map(([opened]) => opened!),
            Effect.orDie
          )
        },
        of: (command) =>
          sql<Consent>`select ${columns} from approvals a where a.command_id = ${command}`.pipe(
            Effect.map(([row]) => row),
            Effect.orDie
          ),
        close: Effect.fnUntraced(function*(id, { by, comment, status }) {
          const inTime = status === "cancelled"
            ? sql`true`
            : status === "expired"
            ? sql`expires_at <= hub_time_or_last()`
            : sql`expires_at > hub_time_or_last()`
          const [row] = yield* sql<
            { org_id: OrgId }
          >`update approvals set status = ${status}, decided_at = hub_time_or_last(),
            decided_by = ${by ?? null}::text, comment = ${comment ?? null}::text
          where id = ${id} and status = 'pending' and ${inTime} returning org_id`
          if (row === undefined) return false
          if (by !== undefined) {
            yield* sql`insert into approval_decisions (org_id, approval_id, user_id, decision, comment, created_at)
            values (${row.org_id}, ${id}, ${by}, ${status === "approved" ? "approve" : "reject"}, ${
              comment ?? null
            }::text,
              hub_time_or_last())`
          }
          return true
        }, Effect.orDie),
        due: (limit) =>
          sql<Consent>`select ${columns} from approvals a
          where ${sql.literal(isDue)}
          order by a.expires_at limit ${limit}`.pipe(Effect.orDie)
      })
    })
  )
}
