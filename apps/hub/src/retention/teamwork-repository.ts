/** Delegated tasks, budget requests, and invites that a workspace no longer keeps. Limits and ledger are not touched. */
import type { OrgId } from "@countersign/domain/ids"
import { removedText } from "@countersign/domain/retention"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

export interface RemovedTask {
  readonly days: number
  /** Replaces the goal, and the message of an error. */
  readonly text: string
}

export class TeamworkRetentionRepository extends Context.Service<TeamworkRetentionRepository, {
  /** Removes the texts of at most `limit` tasks that ended before a moment; returns their number. */
  readonly removeTaskTexts: (org: OrgId, before: Date, removed: RemovedTask, limit: number) => Effect.Effect<number>
  /** Deletes at most `limit` budget requests that were decided before a moment; returns their number. */
  readonly removeBudgetRequests: (org: OrgId, before: Date, limit: number) => Effect.Effect<number>
  /** Deletes at most `limit` invites that were accepted, revoked, or expired before a moment; returns their number. */
  readonly removeInvites: (org: OrgId, before: Date, limit: number) => Effect.Effect<number>
}>()("@countersign/hub/retention/TeamworkRetentionRepository") {
  static readonly layer = Layer.effect(
    TeamworkRetentionRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const count = Effect.map((rows: ReadonlyArray<unknown>) => rows.length)
      return TeamworkRetentionRepository.of({
        removeTaskTexts: (org, before, { days, text }, limit) =>
          sql`with due as (
            select id from delegated_tasks where org_id = ${org} and ended_at < ${before} and removed_after_days is null
            order by ended_at limit ${limit} for no key update skip locked)
          update delegated_tasks t set removed_after_days = ${days}, goal = ${text},
            input = case when t.input is not null then ${removedText} end,
            result = case when t.result is not null then ${removedText} end,
            error = case when t.error is not null
              then jsonb_build_object('code', t.error::jsonb ->> 'code', 'message', ${text}::text)::text end
          from due where t.org_id = ${org} and t.id = due.id returning t.id`.pipe(count, Effect.orDie),
        removeBudgetRequests: (org, before, limit) =>
          sql`delete from budget_requests where org_id = ${org} and id in (
            select id from budget_requests where org_id = ${org} and status <> 'pending' and decided_at < ${before}
            order by decided_at limit ${limit})
          returning id`.pipe(count, Effect.orDie),
        removeInvites: (org, before, limit) =>
          sql`delete from invites where org_id = ${org} and id in (
            select id from invites where org_id = ${org} and coalesce(accepted_at, revoked_at, expires_at) < ${before}
            order by coalesce(accepted_at, revoked_at, expires_at) limit ${limit})
          returning id`.pipe(count, Effect.orDie)
      })
    })
  )
}
