/** Balance, top-ups, and the ledger for people. Spec: reference/budgets-and-ledger.md "Wallet", "Ledger". */
import type { UserPrincipal } from "@countersign/domain/auth"
import { type BadRequest, type NotFound, notFound } from "@countersign/domain/errors"
import { idSlackMillis, newId, type OrgId } from "@countersign/domain/ids"
import { type Balance, type LedgerEntry, otherEntryId, type TopUp, type TopUpInput } from "@countersign/domain/ledger"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { Context, Effect, Layer } from "effect"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, encodeCursor, type PageOf, type PageQuery } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { type BalanceRow, type LedgerAccount, LedgerRepository, type TransferRow } from "./repository.ts"

/** Transfers that one statement reads when no index matches the filter, and the number of statements for one page. */
const stretchTransfers = 20_000
const stretchesPerPage = 10

/** Sorts after every id of a transfer. */
const newest = "led_~"

export interface LedgerPageQuery extends PageQuery {
  /** A type of account, or the id of one. */
  readonly account?: string
}

export const toBalance = ({ cap, held, used }: BalanceRow): Balance => ({
  balance_cents: cap - used,
  held_cents: held,
  available_cents: cap - used - held,
  currency: "usd"
})

const entriesOf = (
  row: TransferRow,
  accounts: ReadonlyMap<number, LedgerAccount>
): readonly [debit: LedgerEntry, credit: LedgerEntry] => {
  const shared = {
    movement_id: row.id as LedgerEntry["movement_id"],
    cause: { type: row.cause_type, id: row.cause_id },
    ...row.note === null ? {} : { note: row.note },
    created_at: row.created_at.toISOString()
  }
  const account = (id: number) => accounts.get(id) ?? { type: "org" as const, id: "" }
  return [
    {
      id: shared.movement_id,
      ...shared,
      account: account(row.debit_id),
      amount_cents: -row.amount_cents,
      balance_after_cents: row.debit_balance_after
    },
    {
      id: otherEntryId(row.id) as LedgerEntry["id"],
      ...shared,
      account: account(row.credit_id),
      amount_cents: row.amount_cents,
      balance_after_cents: row.credit_balance_after
    }
  ]
}

export class Ledger extends Context.Service<Ledger, {
  /** The workspace's wallet, or a team's: 404 without such a team. */
  readonly balance: (org: OrgId, team: string | undefined) => Effect.Effect<Balance, NotFound>
  /** Credits the workspace's wallet, with its audit entry. Call it in a transaction. */
  readonly topUp: (user: UserPrincipal, input: TopUpInput) => Effect.Effect<TopUp>
  /** The two ledger entries of a request's debit at this time (milliseconds); none when it was not debited. */
  readonly postingsOf: (org: OrgId, request: string, at: number) => Effect.Effect<ReadonlyArray<LedgerEntry>>
  /**
   * Newest first; the debit of a transfer before its credit. With `account` a page may be short or empty and still have
   * a next page. With `teams`, no entries of other teams' wallets.
   */
  readonly list: (
    org: OrgId,
    query: LedgerPageQuery,
    teams?: ReadonlyArray<string>
  ) => Effect.Effect<PageOf<LedgerEntry>, BadRequest>
}>()("@countersign/hub/ledger/Ledger") {
  static readonly layer = Layer.effect(
    Ledger,
    Effect.gen(function*() {
      const repository = yield* LedgerRepository
      const audit = yield* AuditLog
      const db = yield* Db

      const topUp = Effect.fn("Ledger.topUp")(function*(user: UserPrincipal, input: TopUpInput) {
        const id = newId("led") as TopUp["id"]
        const note = input.note === undefined || input.note === "" ? null : input.note
        const at = yield* repository.credit(user.org_id, {
          id,
          cents: input.amount_cents,
          causeType: "top_up",
          causeId: user.user_id,
          note
        })
        const balance = toBalance(yield* repository.wallet(user.org_id))
        yield* audit.record(user.org_id, actorOf(user), {
          action: "balance.topped_up",
          subject: { type: "movement", id },
          data: {
            amount_cents: input.amount_cents,
            balance_cents: balance.balance_cents,
            ...note === null ? {} : { note }
          }
        })
        return {
          id,
          amount_cents: input.amount_cents,
          ...note === null ? {} : { note },
          balance,
          created_at: at.toISOString()
        } satisfies TopUp
      }, db.transaction)

      const list = Effect.fn("Ledger.list")(function*(
        org: OrgId,
        query: LedgerPageQuery,
        teams?: ReadonlyArray<string>
      ) {
        const cursor = yield* decodeCursor(query.cursor, [/^led_[0-9a-z~]{1,26}$/, /^[012]$/])
        const limit = query.limit ?? pageLimitDefault
        const as_of = yield* audit.asOf(org)
        const wanted = query.account === undefined && teams === undefined
          ? undefined
          : yield* repository.accountsNamed(org, query.account, teams)
        const entries: Array<LedgerEntry> = []
        if (wanted?.length === 0) return { data: entries, next_cursor: null, as_of }

        /**
         * The transfer at which the next statement begins, and the number of its entries that were already returned.
         */
        let from = cursor?.[0] ?? newest
        let returned = Number(cursor?.[1] ?? 0)
        let end = false
        const filter = wanted === undefined
          ? undefined
          : { accounts: wanted, within: query.account === "external" ? "transfers" as const : stretchTransfers }
        for (let count = 0; count < stretchesPerPage && !end && entries.length <= limit; count++) {
          const rows = yield* repository.transfers(org, from, filter, limit + 2 - entries.length)
          const accounts = yield* repository.accounts(org, [
            ...new Set(rows.flatMap((row) => [row.debit_id, row.credit_id]))
          ])
          for (const row of rows) {
            const sides = entriesOf(row, accounts)
            const given = sides.filter((_, side) =>
              wanted === undefined || wanted.includes(side === 0 ? row.debit_id : row.credit_id)
            )
            entries.push(...given.slice(row.id === from ? returned : 0))
          }
          if (entries.length > limit) break
          if (typeof filter?.within !== "number") end = true
          else {
            const below = yield* repository.below(org, from, stretchTransfers)
            if (below === undefined) end = true
            else [from, returned] = [below, 0]
          }
        }
        const data = entries.slice(0, limit)
        const last = data.at(-1)
        if (entries.length <= limit || last === undefined) {
          return { data, next_cursor: end ? null : encodeCursor([from, returned]), as_of }
        }
        const before = last.movement_id === cursor?.[0] ? Number(cursor[1]) : 0
        return {
          data,
          next_cursor: encodeCursor([
            last.movement_id,
            before + data.filter((entry) => entry.movement_id === last.movement_id).length
          ]),
          as_of
        }
      })

      const postingsOf = Effect.fnUntraced(function*(org: OrgId, request: string, at: number) {
        const near = yield* repository.transferOf(org, request, { from: at - idSlackMillis, to: at + idSlackMillis })
        const row = near ?? (yield* repository.transferOf(org, request, undefined))
        return row === undefined ? [] : entriesOf(row, yield* repository.accounts(org, [row.debit_id, row.credit_id]))
      })

      return Ledger.of({
        postingsOf,
        balance: Effect.fn("Ledger.balance")(function*(org, team) {
          const wallet = yield* team === undefined ? repository.wallet(org) : repository.pool(org, team)
          return wallet === undefined ? yield* Effect.fail(notFound("team")) : toBalance(wallet)
        }),
        topUp,
        list
      })
    })
  )
}
