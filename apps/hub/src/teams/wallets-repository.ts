/** The wallets of teams: pools and allocations. Call every method under the workspace's lock, except `budget`. */
import type { OrgId } from "@countersign/domain/ids"
import type { TeamBudget } from "@countersign/domain/teams"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { limitKinds } from "../platform/sql-names.ts"

export interface WalletRow {
  /** The row of `limits`. */
  readonly id: number
  readonly user_id: string | null
  readonly balance: number
  readonly held: number
  /** Paid in this month. */
  readonly spent: number
}

export interface Transfer {
  readonly id: string
  readonly from: number
  readonly to: number
  readonly cents: number
  readonly causeType: "team_budget" | "worker_budget"
  readonly causeId: string
}

export class WalletsRepository extends Context.Service<WalletsRepository, {
  /** The workspace's own wallet. */
  readonly ofOrg: (org: OrgId) => Effect.Effect<WalletRow>
  /** The pool of a team (`user` null), or the allocation of a person in it; undefined when there is none. */
  readonly find: (org: OrgId, team: string, user: string | null) => Effect.Effect<WalletRow | undefined>
  /** The pool and the allocations of a team. */
  readonly ofTeam: (org: OrgId, team: string) => Effect.Effect<ReadonlyArray<WalletRow>>
  /**
   * Opens a pool or an allocation, with nothing in it; one that ended before has its old row again. Begins that dispatch
   * decided for its agents become stale.
   */
  readonly open: (org: OrgId, team: string, user: string | null, at: Date) => Effect.Effect<WalletRow>
  /** Ends an empty pool or allocation. Begins that dispatch decided for its agents become stale. */
  readonly end: (org: OrgId, team: string, user: string | null, at: Date) => Effect.Effect<void>
  /** False when the source has less available. */
  readonly move: (org: OrgId, transfer: Transfer) => Effect.Effect<boolean>
  readonly budget: (org: OrgId, team: string) => Effect.Effect<TeamBudget>
}>()("@countersign/hub/teams/WalletsRepository") {
  static readonly layer = Layer.effect(
    WalletsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const spent = sql`case when c.period = month_of(hub_time_or_last()) then c.used else 0 end`
      const wallets = (org: OrgId, team: string) =>
        sql`select w.id, x.user_id, w.cap - w.used as balance, w.held, ${spent} as spent
        from team_wallets x
        join limits w on w.id = x.limit_id
        join limits c on c.id = x.month_limit_id
        where x.org_id = ${org} and x.team_id = ${team} and x.ended_at is null`
      const find = (org: OrgId, team: string, user: string | null) =>
        sql<WalletRow>`${wallets(org, team)} and x.user_id is not distinct from ${user}::text`.pipe(
          Effect.map(([row]) => row),
          Effect.orDie
        )
      const account = (team: string, user: string | null) =>
        user === null ? { service: "team", operation: team } : { service: "worker", operation: `${team} ${user}` }
      /** The agents that a pool or an allocation pays for, and those that work on their tasks. */
      const touchAgents = (org: OrgId, team: string, user: string | null) =>
        sql`with paid as (select id from agents
          where org_id = ${org} and team_id = ${team} and (${user}::text is null or owner_user_id = ${user}::text)
            and deleted_at is null)
        update agents set version = version + 1 where org_id = ${org} and (id in (select id from paid) or id in (
          select t.to_agent_id from delegated_tasks t join paid p on p.id = t.from_agent_id
          where t.org_id = ${org} and t.ended_at is null))`
      return WalletsRepository.of({
        ofOrg: (org) =>
          sql<WalletRow>`select id, null::text as user_id, cap - used as balance, held, 0 as spent from limits
          where org_id = ${org} and kind = ${limitKinds.wallet}::int2 and mode = 'live' and agent_id is null
            and service is null`.pipe(
            Effect.flatMap(([row]) =>
              row === undefined ? Effect.die(`workspace ${org} has no wallet`) : Effect.succeed(row)
            ),
            Effect.orDie
          ),
        find,
        ofTeam: (org, team) => Effect.orDie(sql<WalletRow>`${wallets(org, team)} order by w.id`),
        open: Effect.fnUntraced(function*(org, team, user, at) {
          const { operation, service } = account(team, user)
          yield* sql`insert into limits (org_id, kind, service, operation, cap)
          values (${org}, ${limitKinds.wallet}::int2, ${service}, ${operation}, 0),
            (${org}, ${limitKinds.wallet_month}::int2, ${service}, ${operation}, null)
          on conflict do nothing`
          yield* sql`insert into team_wallets (limit_id, month_limit_id, org_id, team_id, user_id, created_at)
          select w.id, c.id, w.org_id, ${team}, ${user}::text, ${at} from limits w
          join limits c on c.org_id = w.org_id and c.kind = ${limitKinds.wallet_month}::int2 and c.mode = 'live'
            and c.agent_id is null and c.service = w.service and c.operation = w.operation
          where w.org_id = ${org} and w.kind = ${limitKinds.wallet}::int2 and w.mode = 'live' and w.agent_id is null
            and w.service = ${service} and w.operation = ${operation}
          on conflict (team_id, user_id) do update set created_at = excluded.created_at, ended_at = null`
          yield* touchAgents(org, team, user)
          return (yield* find(org, team, user))!
        }, Effect.orDie),
        end: Effect.fnUntraced(function*(org, team, user, at) {
          yield* sql`update team_wallets set ended_at = ${at}
          where org_id = ${org} and team_id = ${team} and user_id is not distinct from ${user}::text`
          yield* touchAgents(org, team, user)
        }, Effect.orDie),
        move: (org, { causeId, causeType, cents, from, id, to }) =>
          sql<{ moved: boolean }>`select move_money(${org}, ${id}, ${BigInt(from)}::int8, ${BigInt(to)}::int8,
            ${BigInt(cents)}::int8, ${causeType}, ${causeId}, null) as moved`.pipe(
            Effect.map(([row]) => row?.moved === true),
            Effect.orDie
          ),
        budget: (org, team) =>
          sql<
            { opened: boolean; balance: number; held: number; allocated: number; spent: number }
          >`select coalesce(bool_or(x.user_id is null and x.ended_at is null), false) as opened,
            coalesce(sum(w.cap - w.used) filter (where x.user_id is null), 0)::int8 as balance,
            coalesce(sum(w.held) filter (where x.user_id is null), 0)::int8 as held,
            coalesce(sum(w.cap - w.used) filter (where x.user_id is not null), 0)::int8 as allocated,
            coalesce(sum(${spent}), 0)::int8 as spent
          from team_wallets x
          join limits w on w.id = x.limit_id
          join limits c on c.id = x.month_limit_id
          where x.org_id = ${org} and x.team_id = ${team}`.pipe(
            Effect.map(([row]) => {
              const none = { opened: false, balance: 0, held: 0, allocated: 0, spent: 0 }
              const { allocated, balance, held, opened, spent } = row ?? none
              return {
                opened,
                balance_cents: balance,
                held_cents: held,
                available_cents: balance - held,
                allocated_cents: allocated,
                spent_this_month_cents: spent
              }
            }),
            Effect.orDie
          )
      })
    })
  )
}
