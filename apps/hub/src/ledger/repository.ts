/** Accounts, which are rows of `limits`, and the transfers between them. */
import { idFloor, type OrgId } from "@countersign/domain/ids"
import type { AccountType } from "@countersign/domain/ledger"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Kinds of `limits` that are accounts. A wallet's `service` and `operation` name its owner: a team, a person in a team,
 * or otherwise the workspace.
 */
export const accountKinds = { wallet: 1, revenue: 8, external: 9 } as const

export interface BalanceRow {
  readonly cap: number
  readonly used: number
  readonly held: number
}

interface AccountRow {
  readonly id: number
  readonly kind: number
  readonly service: string | null
  readonly owner: string | null
}

export interface LedgerAccount {
  readonly type: AccountType
  readonly id: string
}

export interface TransferRow {
  readonly id: string
  readonly debit_id: number
  readonly credit_id: number
  readonly amount_cents: number
  readonly debit_balance_after: number
  readonly credit_balance_after: number
  readonly cause_type: string
  readonly cause_id: string
  readonly note: string | null
  readonly created_at: Date
}

export interface TransferFilter {
  /** Only transfers with one of these accounts on either side. */
  readonly accounts: ReadonlyArray<number>
  /**
   * `transfers`: none of the accounts is debited by requests, so an index finds the few transfers. Otherwise the
   * maximum number of transfers to read.
   */
  readonly within: "transfers" | number
}

const accountOf = (org: OrgId, row: AccountRow): LedgerAccount =>
  row.kind === accountKinds.external
    ? { type: "external", id: "external" }
    : row.kind === accountKinds.revenue
    ? { type: "revenue", id: "revenue" }
    : row.service === "team" || row.service === "worker"
    ? { type: row.service, id: row.owner ?? "" }
    : { type: "org", id: org }

export class LedgerRepository extends Context.Service<LedgerRepository, {
  /** The pool of a team, empty if it has none; undefined without such a team. */
  readonly pool: (org: OrgId, team: string) => Effect.Effect<BalanceRow | undefined>
  readonly wallet: (org: OrgId) => Effect.Effect<BalanceRow>
  /**
   * Moves `cents` from the external account to the workspace's wallet, under the workspace's lock. Returns the time of
   * the transfer in the ledger.
   */
  readonly credit: (
    org: OrgId,
    transfer: {
      readonly id: string
      readonly cents: number
      readonly causeType: string
      readonly causeId: string
      readonly note: string | null
    }
  ) => Effect.Effect<Date>
  /**
   * Moves `cents` between the external account and the workspace's wallet, in or out, under the workspace's lock. Out
   * takes what the wallet does not have too: its balance may fall below 0.
   */
  readonly transfer: (
    org: OrgId,
    transfer: {
      readonly id: string
      readonly direction: "in" | "out"
      readonly cents: number
      readonly causeType: string
      readonly causeId: string
    }
  ) => Effect.Effect<void>
  /** The accounts of these rows of `limits`. */
  readonly accounts: (org: OrgId, ids: ReadonlyArray<number>) => Effect.Effect<ReadonlyMap<number, LedgerAccount>>
  /**
   * The rows of `limits` for the accounts of a type, for the one with an id, or for all; `teams`: of the wallets of teams
   * only theirs.
   */
  readonly accountsNamed: (
    org: OrgId,
    name: string | undefined,
    teams: ReadonlyArray<string> | undefined
  ) => Effect.Effect<ReadonlyArray<number>>
  /** Newest first, at or before `from`. */
  readonly transfers: (
    org: OrgId,
    from: string,
    filter: TransferFilter | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<TransferRow>>
  /** The transfer of a cause: among ids made between two moments (milliseconds), or, more slowly, among all. */
  readonly transferOf: (
    org: OrgId,
    cause: string,
    made: { readonly from: number; readonly to: number } | undefined
  ) => Effect.Effect<TransferRow | undefined>
  /** The id of the transfer `count` places below `from`, to bound the rows that one statement reads. */
  readonly below: (org: OrgId, from: string, count: number) => Effect.Effect<string | undefined>
}>()("@countersign/hub/ledger/LedgerRepository") {
  static readonly layer = Layer.effect(
    LedgerRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(
        "id, debit_id, credit_id, amount_cents, debit_balance_after, credit_balance_after, cause_type, cause_id, note, created_at"
      )
      const account = (org: OrgId, kind: number) =>
        sql`(select id from limits
        where org_id = ${org} and kind = ${kind}::int2 and mode = 'live' and agent_id is null and service is null)`

      return LedgerRepository.of({
        pool: (org, team) =>
          sql<BalanceRow>`select coalesce(w.cap, 0) as cap, coalesce(w.used, 0) as used, coalesce(w.held, 0) as held
          from teams t
          left join team_wallets x on x.team_id = t.id and x.user_id is null and x.ended_at is null
          left join limits w on w.id = x.limit_id
          where t.org_id = ${org} and t.id = ${team} and t.deleted_at is null`.pipe(
            Effect.map(([row]) => row),
            Effect.orDie
          ),
        wallet: (org) =>
          sql<BalanceRow>`select coalesce(cap, 0) cap, used, held from limits
          where org_id = ${org} and kind = ${accountKinds.wallet}::int2 and mode = 'live' and agent_id is null
            and service is null`.pipe(
            Effect.flatMap(([row]) =>
              row === undefined ? Effect.die(`workspace ${org} has no wallet`) : Effect.succeed(row)
            ),
            Effect.orDie
          ),
        credit: Effect.fn("LedgerRepository.credit")(function*(org, { causeId, causeType, cents, id, note }) {
          const [row] = yield* sql<{ moved: boolean }>`select move_money(${org}, ${id},
          ${account(org, accountKinds.external)}, ${account(org, accountKinds.wallet)},
          ${BigInt(cents)}::int8, ${causeType}, ${causeId}, ${note}) moved`
          if (row?.moved !== true) return yield* Effect.die(`workspace ${org} could not be credited`)
          const [transfer] = yield* sql<
            { created_at: Date }
          >`select created_at from movements where org_id = ${org} and id = ${id}`
          return transfer!.created_at
        }, Effect.orDie),
        transfer: Effect.fn("LedgerRepository.transfer")(
          function*(org, { causeId, causeType, cents, direction, id }) {
            const [wallet, external] = [account(org, accountKinds.wallet), account(org, accountKinds.external)]
            const [debit, credit] = direction === "in" ? [external, wallet] : [wallet, external]
            const [row] = yield* sql<{ moved: boolean }>`select move_money(${org}, ${id}, ${debit}, ${credit},
            ${BigInt(cents)}::int8, ${causeType}, ${causeId}, null, true) moved`
            if (row?.moved !== true) return yield* Effect.die(`no transfer of ${cents} cents for ${causeId}`)
          },
          Effect.orDie
        ),
        accounts: (org, ids) =>
          ids.length === 0
            ? Effect.succeed(new Map())
            : sql<AccountRow>`select id, kind::int kind, service, wallet_owner(limits) as owner from limits
            where org_id = ${org} and ${sql.in("id", ids.map(BigInt))}`.pipe(
              Effect.map((rows) => new Map(rows.map((row) => [row.id, accountOf(org, row)]))),
              Effect.orDie
            ),
        accountsNamed: (org, name, teams) => {
          const wallet = sql`kind = ${accountKinds.wallet}::int2`
          const named = name === undefined
            ? sql.in("kind", Object.values(accountKinds))
            : name === "external"
            ? sql`kind = ${accountKinds.external}::int2`
            : name === "revenue"
            ? sql`kind = ${accountKinds.revenue}::int2`
            : name === "org" || name === org
            ? sql`${wallet} and service is null`
            : name === "team" || name === "worker"
            ? sql`${wallet} and service = ${name}`
            : sql`${wallet} and wallet_owner(limits) = ${name}`
          const seen = teams === undefined ? sql`true` : sql`(service is null or exists (
            select from team_wallets w where w.limit_id = limits.id and w.org_id = ${org} and ${
            sql.in("w.team_id", teams)
          }))`
          return sql<{ id: number }>`select id from limits
          where org_id = ${org} and mode = 'live' and agent_id is null and ${named} and ${seen}`.pipe(
            Effect.map((rows) => rows.map((row) => row.id)),
            Effect.orDie
          )
        },
        transfers: (org, from, filter, limit) => {
          const all = sql`select ${columns} from movements where org_id = ${org} and id <= ${from}`
          if (filter === undefined) return Effect.orDie(sql<TransferRow>`${all} order by id desc limit ${limit}`)
          const accounts = filter.accounts.map(BigInt)
          const source = filter.within === "transfers"
            ? sql`${all} and cause_type <> 'service_request'`
            : sql`${all} order by id desc limit ${filter.within}`
          return Effect.orDie(sql<TransferRow>`select ${columns} from (${source}) m
          where ${sql.or([sql.in("debit_id", accounts), sql.in("credit_id", accounts)])}
          order by id desc limit ${limit}`)
        },
        transferOf: (org, cause, made) =>
          sql<TransferRow>`select ${columns} from movements where ${
            sql.and([
              sql`org_id = ${org}`,
              ...made === undefined
                ? []
                : [sql`id >= ${idFloor("led", made.from)}`, sql`id < ${idFloor("led", made.to)}`],
              sql`cause_id = ${cause}`
            ])
          } limit 1`.pipe(
            Effect.map(([row]) => row),
            Effect.orDie
          ),
        below: (org, from, count) =>
          sql<{ id: string }>`select id from movements
          where org_id = ${org} and id <= ${from}
          order by id desc offset ${count} limit 1`.pipe(
            Effect.map(([row]) => row?.id),
            Effect.orDie
          )
      })
    })
  )
}
