import { otherEntryId } from "@countersign/domain/ledger"
import { amountCentsMax } from "@countersign/domain/money"
import { AuditRepository } from "@countersign/hub/audit/repository"
import { AuditTrail } from "@countersign/hub/audit/trail"
import { LedgerRepository } from "@countersign/hub/ledger/repository"
import { Ledger } from "@countersign/hub/ledger/service"
import { AuditLog } from "@countersign/hub/platform/audit-log"
import { Db } from "@countersign/hub/platform/db"
import { Signals } from "@countersign/hub/platform/signals"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { PgTest } from "../../support/pg.ts"
import { asUser } from "../../support/principals.ts"
import { execute, makeWorkspace, tick, type Workspace } from "../../support/tick.ts"

const Live = Ledger.layer.pipe(
  Layer.provide(LedgerRepository.layer),
  Layer.provideMerge(Layer.mergeAll(AuditLog.layer, AuditTrail.layer.pipe(Layer.provide(AuditRepository.layer)))),
  Layer.provideMerge(Signals.layer),
  Layer.provideMerge(PgTest)
)

const everything = (workspace: Workspace, account?: string, limit = 200) =>
  Effect.gen(function*() {
    const ledger = yield* Ledger
    const entries = []
    let cursor: string | null | undefined
    do {
      const page = yield* ledger.list(workspace.org, {
        limit,
        ...account === undefined ? {} : { account },
        ...cursor == null ? {} : { cursor }
      })
      assert.isAtMost(page.data.length, limit)
      entries.push(...page.data)
      cursor = page.next_cursor
    } while (cursor !== null)
    return entries
  })
const sum = (entries: ReadonlyArray<{ readonly amount_cents: number }>) =>
  entries.reduce((total, entry) => total + entry.amount_cents, 0)

layer(Live, { excludeTestServices: true })("the ledger", (it) => {
  it.effect("a top-up credits the wallet from outside and is audited", () =>
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const trail = yield* AuditTrail
      const workspace = yield* makeWorkspace()
      const user = asUser(workspace.org, workspace.owner)
      assert.deepStrictEqual(yield* ledger.balance(workspace.org, undefined), {
        balance_cents: 0,
        held_cents: 0,
        available_cents: 0,
        currency: "usd"
      })
      const made = yield* ledger.topUp(user, { amount_cents: 250, note: "first funds" })
      assert.deepInclude(made, { amount_cents: 250, note: "first funds" })
      assert.deepStrictEqual(made.balance, yield* ledger.balance(workspace.org, undefined))
      const entries = yield* everything(workspace)
      assert.deepStrictEqual(entries, [
        {
          id: made.id,
          movement_id: made.id,
          cause: { type: "top_up", id: workspace.owner },
          note: "first funds",
          created_at: made.created_at,
          account: { type: "external", id: "external" },
          amount_cents: -250,
          balance_after_cents: -250
        },
        {
          id: otherEntryId(made.id) as never,
          movement_id: made.id,
          cause: { type: "top_up", id: workspace.owner },
          note: "first funds",
          created_at: made.created_at,
          account: { type: "org", id: workspace.org },
          amount_cents: 250,
          balance_after_cents: 250
        }
      ])
      const [entry] = (yield* trail.list(workspace.org, {})).data
      assert.deepInclude(entry!, {
        action: "balance.topped_up",
        data: { amount_cents: 250, balance_cents: 250, note: "first funds" }
      })
    }))

  it.effect("sums exceed 32 bits", () =>
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const workspace = yield* makeWorkspace()
      const user = asUser(workspace.org, workspace.owner)
      for (let count = 0; count < 3; count++) yield* ledger.topUp(user, { amount_cents: amountCentsMax })
      assert.strictEqual((yield* ledger.balance(workspace.org, undefined)).balance_cents, 3 * amountCentsMax)
      const entries = yield* everything(workspace)
      assert.strictEqual(sum(entries), 0)
      assert.strictEqual(entries[0]!.balance_after_cents, -3 * amountCentsMax)
    }))

  it.effect("held amounts are separate from the available balance, and are not entries", () =>
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const workspace = yield* makeWorkspace({ funds: 100 })
      yield* execute(workspace, 10)
      yield* tick(workspace, [{ ceiling: 30 }])
      assert.deepStrictEqual(yield* ledger.balance(workspace.org, undefined), {
        balance_cents: 90,
        held_cents: 30,
        available_cents: 60,
        currency: "usd"
      })
      assert.lengthOf(yield* everything(workspace), 4)
    }))

  it.effect("a team that does not exist has no balance", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(
        (yield* Ledger).balance((yield* makeWorkspace()).org, "team_00000000000000000000000000")
      )
      assert.strictEqual(error.error.code, "not_found")
    }))

  it.effect("pages of every size return every entry once, newest first, and all sum to zero", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 1000 })
      const other = yield* makeWorkspace({ funds: 5 })
      for (let count = 1; count <= 5; count++) yield* execute(workspace, count)
      const whole = yield* everything(workspace)
      assert.lengthOf(whole, 12)
      assert.strictEqual(sum(whole), 0)
      assert.strictEqual(new Set(whole.map((entry) => entry.id)).size, 12)
      assert.deepStrictEqual(
        [...whole].map((entry) => entry.movement_id),
        [...whole].map((entry) => entry.movement_id).sort().reverse()
      )
      for (const limit of [1, 2, 3, 5, 11, 12, 13]) {
        assert.deepStrictEqual(yield* everything(workspace, undefined, limit), whole, `limit ${limit}`)
      }
      for (
        const transfer of new Set(whole.map((entry) => entry.movement_id))
      ) {
        assert.strictEqual(sum(whole.filter((entry) => entry.movement_id === transfer)), 0)
      }
      assert.lengthOf(yield* everything(other), 2)
    }))

  it.effect("an account's entries are listed alone, by type and by id, with a running balance", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 1000 })
      for (let count = 1; count <= 4; count++) yield* execute(workspace, count)
      for (const limit of [1, 2, 200]) {
        const org = yield* everything(workspace, "org", limit)
        assert.deepStrictEqual(org.map((entry) => [entry.amount_cents, entry.balance_after_cents]), [
          [-4, 990],
          [-3, 994],
          [-2, 997],
          [-1, 999],
          [1000, 1000]
        ])
        assert.deepStrictEqual(yield* everything(workspace, workspace.org, limit), org)
        assert.deepStrictEqual(
          (yield* everything(workspace, "revenue", limit)).map((entry) => entry.balance_after_cents),
          [
            10,
            6,
            3,
            1
          ]
        )
        assert.deepStrictEqual((yield* everything(workspace, "external", limit)).map((entry) => entry.amount_cents), [
          -1000
        ])
        assert.deepStrictEqual(yield* everything(workspace, "team", limit), [])
        assert.deepStrictEqual(yield* everything(workspace, (yield* makeWorkspace()).org, limit), [])
      }
    }))

  it.effect("entries of a rare account are found far down, with a bounded read per page", () =>
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace({ funds: 1000 })
      const [team] = yield* sql<{ id: number }>`insert into limits (org_id, kind, service, operation, cap)
      values (${workspace.org}, 1, 'team', 'team_1', 0)
      returning id`
      yield* sql`insert into movements (org_id, id, debit_id, credit_id, amount_cents, debit_balance_after, credit_balance_after,
          cause_type, cause_id, created_at)
      select ${workspace.org}, 'led_1' || lpad(n::text, 25, '0'),
        case when n = 1 then ${BigInt(team!.id)}::int8 else ${BigInt(workspace.wallet)}::int8 end,
        ${
        BigInt(workspace.revenue)
      }::int8, 1, 0, n, 'service_request', 'req_' || n, now() from generate_series(1, 210000) n`
      const page = yield* ledger.list(workspace.org, { account: "team" })
      assert.deepStrictEqual([page.data.length, page.next_cursor === null], [0, false])
      assert.deepStrictEqual((yield* everything(workspace, "team")).map((entry) => entry.account), [{
        type: "team",
        id: "team_1"
      }])
      assert.deepStrictEqual((yield* everything(workspace, "external")).map((entry) => entry.amount_cents), [-1000])
    }))

  it.effect("a top-up that is rolled back leaves nothing", () =>
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const db = yield* Db
      const workspace = yield* makeWorkspace()
      const exit = yield* Effect.exit(
        db.transaction(
          Effect.andThen(ledger.topUp(asUser(workspace.org, workspace.owner), { amount_cents: 5 }), Effect.fail("no"))
        )
      )
      assert.isTrue(Exit.isFailure(exit))
      assert.strictEqual((yield* ledger.balance(workspace.org, undefined)).balance_cents, 0)
      assert.deepStrictEqual(yield* everything(workspace), [])
    }))

  it.effect("a foreign cursor is rejected", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip((yield* Ledger).list((yield* makeWorkspace()).org, { cursor: "WzEsMl0" }))
      assert.strictEqual(error.error.details?.[0]?.path, "cursor")
    }))
})
