/** The books of a money tree as the database has them, and the rules that they must meet. Shares no code with the doctor. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export interface Node {
  readonly id: string
  readonly parent: string | null
  readonly mode: string
  readonly is_living: boolean
  readonly cap: number | null
  readonly used: number
  readonly held: number
  readonly committed: number
  readonly tasks: number
}
export interface Wallet {
  readonly name: string
  readonly balance: number
  readonly used: number
  readonly held: number
  readonly moved: number
  readonly paid: number
  readonly is_open: boolean
}

/** The agents of a workspace, in both modes. */
export const nodesOf = (org: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return yield* sql<Node>`with now as (
      select month_of(greatest(hub_time_or_last(), last_at)) as month from org_heads where org_id = ${org})
    select a.id, a.parent_agent_id as parent, x.mode, a.deleted_at is null as is_living,
      x.cap - case when x.once_month < now.month then x.once_cents else 0 end as cap,
      case when x.period = now.month then x.used else 0 end as used,
      case when x.period = now.month then x.held else 0 end as held, x.committed,
      coalesce((select sum(t.budget_cents) from delegated_tasks t
        where t.from_agent_id = a.id and t.mode = x.mode and t.ended_at is null), 0)::int8 as tasks
    from agents a cross join now join limits x on x.org_id = a.org_id and x.agent_id = a.id and x.kind = 2
    where a.org_id = ${org}`
  })

/** Its wallets, with what the ledger says of them. */
export const walletsOf = (org: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return yield* sql<Wallet>`select coalesce(x.operation, 'org') as name, x.cap - x.used as balance, x.used, x.held,
      coalesce((select sum(case when m.credit_id = x.id then m.amount_cents else -m.amount_cents end) from movements m
        where m.org_id = x.org_id and x.id in (m.credit_id, m.debit_id)), 0)::int8 as moved,
      coalesce((select sum(m.amount_cents) from movements m
        where m.org_id = x.org_id and m.debit_id = x.id and m.cause_type = 'service_request'), 0)::int8 as paid,
      w.limit_id is null or w.ended_at is null as is_open
    from limits x left join team_wallets w on w.limit_id = x.id where x.org_id = ${org} and x.kind = 1`
  })

export interface Before {
  /** Agents whose cap was changed since the last check. */
  readonly recapped: ReadonlySet<string>
  /** What agents took of their caps then, by id and mode. */
  readonly taken: ReadonlyMap<string, number>
}

/** What every agent has committed is the sum of its living children and open tasks, and no cap is passed. */
export const expectNodes = (all: ReadonlyArray<Node>, { recapped, taken }: Before): void => {
  const living = all.filter(({ is_living }) => is_living)
  for (const node of all) {
    const about = `agent ${node.id} (${node.mode}): ${JSON.stringify(node)}`
    if (!node.is_living) {
      assert.strictEqual(node.committed, 0, about)
      if (node.parent !== null) assert.strictEqual(node.used + node.held, 0, about)
      continue
    }
    const own = living.filter(({ mode, parent }) => mode === node.mode && parent === node.id)
    const expected = own.reduce(
      (sum, { cap, committed, held, used }) => sum + (cap === null ? 0 : Math.max(cap, used + held + committed)),
      node.tasks
    )
    assert.strictEqual(node.committed, expected, about)
    if (node.cap !== null) assert.isTrue(own.every(({ cap }) => cap !== null), about)
    // Only a person who lowers a cap puts an agent over it, and then it takes no more.
    const takes = node.used + node.held + node.committed
    if (node.cap !== null && takes > node.cap && !recapped.has(node.id)) {
      assert.isAtMost(takes, taken.get(`${node.id} ${node.mode}`) ?? node.cap, about)
    }
  }
}

/** Every wallet is the sum of its transfers, and no pool or allocation is overdrawn. */
export const expectWallets = (wallets: ReadonlyArray<Wallet>): void => {
  for (const { balance, held: holds, is_open, moved, name, paid: spent, used } of wallets) {
    assert.deepStrictEqual([balance, used], [moved, spent], `wallet ${name}`)
    assert.isAtLeast(holds, 0)
    if (name !== "org") assert.isAtLeast(balance - holds, 0, `wallet ${name}`)
    if (!is_open) assert.strictEqual(balance + holds, 0, `wallet ${name}`)
  }
}
