import { newId } from "@countersign/domain/ids"
import { AuditRepository } from "@countersign/hub/audit/repository"
import { AuditTrail } from "@countersign/hub/audit/trail"
import { Doctor, doctor } from "@countersign/hub/ledger/doctor"
import { DoctorRepository } from "@countersign/hub/ledger/doctor-repository"
import { Partitions } from "@countersign/hub/platform/partitions"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { PgTest } from "../../support/pg.ts"
import {
  closeApproval,
  execute,
  fund,
  makeAgent,
  makeWorkspace,
  moveClock,
  tick,
  type Workspace
} from "../../support/tick.ts"

const Live = Doctor.layer.pipe(
  Layer.provide(Layer.mergeAll(DoctorRepository.layer, AuditTrail.layer.pipe(Layer.provide(AuditRepository.layer)))),
  Layer.provideMerge(Partitions.layer),
  Layer.provideMerge(PgTest)
)

/** Checks with findings, with their numbers. */
const findings = Effect.map(
  doctor,
  (diagnoses) => Object.fromEntries(diagnoses.filter(({ bad }) => bad > 0).map(({ bad, check }) => [check, bad]))
)
const healthy = Effect.flatMap(
  doctor,
  (diagnoses) => Effect.sync(() => assert.deepStrictEqual(diagnoses.filter(({ bad }) => bad > 0), []))
)

/** Runs as if it were `hours` later, for the doctor's clock only. */
const later = (hours: number) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Clock.Clock, (clock) => {
    const millis = clock.currentTimeMillisUnsafe() + hours * 3_600_000
    return Effect.provideService(effect, Clock.Clock, {
      currentTimeMillisUnsafe: () => millis,
      currentTimeMillis: Effect.succeed(millis),
      currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
      currentTimeNanos: clock.currentTimeNanos,
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: clock.monotonicTimeNanos,
      sleep: (duration) => clock.sleep(duration)
    })
  })

/** Requests in every state, over two months. */
const history = Effect.gen(function*() {
  const workspace = yield* makeWorkspace({ funds: 100_000 })
  const second = yield* makeAgent(workspace.org, { month: 500, day: 50 })
  yield* execute(workspace, 7)
  yield* execute(workspace, 0)
  yield* execute(workspace, 40, { mode: "test" })
  yield* execute(workspace, 11, { agent: second })
  yield* tick(workspace, [{ verdict: 3 }, { verdict: 4, reason: "agent_disabled" }, { ceiling: 600, agent: second }])
  // Settled at less than held, failed, running, and fractions of a cent that add up.
  const { begins } = yield* tick(workspace, [{ ceiling: 90 }, { ceiling: 90 }, { ceiling: 90 }, { ceiling: 5 }, {
    ceiling: 5
  }, {
    ceiling: 5
  }])
  const [less, failed, running, ...fractions] = begins.map(({ id }) => id) as [string, string, string, ...Array<string>]
  yield* tick(workspace, [], [
    { id: less, status: "executed", cents: 30 },
    { id: failed, status: "failed" },
    { id: running, status: "running", reason: "async" },
    ...fractions.map((id) => ({ id, status: "executed" as const, cents: 1, micro: 400_000 }))
  ])
  // An approval that is granted in the next month, one that is rejected, one that is pending.
  const [granted, rejected, waiting] = [newId("apr"), newId("apr"), newId("apr")]
  const { begins: [asked] } = yield* tick(workspace, [{ verdict: 2, ceiling: 70, approval: granted }, {
    verdict: 2,
    ceiling: 70,
    approval: rejected
  }, { verdict: 2, ceiling: 70, approval: waiting }])
  yield* closeApproval(workspace, rejected)
  const [clock] = yield* Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql<{ next: string }>`select to_char((date_trunc('month',
          now() at time zone 'utc') + interval '1 month 3 days'),
      'YYYY-MM-DD"T"HH24:MI:SS"Z"') as next`
  )
  yield* Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update approvals set expires_at = expires_at + interval '60 days' where org_id = ${workspace.org}`
  )
  yield* moveClock(workspace, clock!.next)
  yield* tick(workspace, [{ id: asked!.id, ceiling: 70, granted }])
  yield* tick(workspace, [{ ceiling: 20, agent: second }], [{ id: asked!.id, status: "executed", cents: 65 }])
  yield* fund(workspace, 5_000_000_000)
  return { ...workspace, second, executed: less, running, asked: asked!.id, waiting }
})

/** Removes what an earlier test left, damage included. */
const emptied = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql`truncate orgs, org_heads, users, limits, requests, holds, settlements, movements, audit, usage_days, accruals,
      approvals, owners cascade`
)

const damaged = <R = never>(
  check: Record<string, number>,
  harm: (workspace: Effect.Success<typeof history>, sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown, R>
) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* emptied
    const workspace = yield* history
    yield* healthy
    yield* harm(workspace, sql)
    assert.deepStrictEqual(yield* findings, check)
  })

layer(Live, { excludeTestServices: true })("the doctor", (it) => {
  it.effect("finds nothing in a correct database, over months, modes, approvals, and fractions", () =>
    Effect.gen(function*() {
      yield* healthy
      yield* history
      yield* makeWorkspace()
      yield* makeWorkspace({ funds: 7 })
      yield* healthy
      const names = (yield* doctor).map(({ check }) => check)
      assert.lengthOf(names, 33)
    }))

  it.effect("a wallet that has more than its transfers add up to", () =>
    damaged(
      { wallet_balance: 1, double_entry: 1, balance_after: 1 },
      ({ wallet }, sql) => sql`update limits set cap = cap + 1 where id = ${BigInt(wallet)}::int8`
    ))
  it.effect("a workflow with a live version that no publication names", () =>
    damaged(
      { live_workflows: 1 },
      ({ org }, sql) =>
        sql`with maker as (select id from users limit 1),
          made as (insert into workflows (id, org_id, name, description, visibility, created_at, updated_at)
            values ('wfl_1', ${org}, 'w', '', 'private', now(), now()) returning id)
          insert into workflow_versions (id, org_id, workflow_id, number, definition, bytes, digest, created_by, created_at)
          select 'wfv_1', ${org}, made.id, 1, '{}', 2, '', maker.id, now() from made, maker`.pipe(
          Effect.andThen(
            sql`update workflows set latest_version = 1, latest_version_id = 'wfv_1', live_version_id = 'wfv_1'
            where id = 'wfl_1'`
          )
        )
    ))
  it.effect("a role of single sign-on without an identity, and a sign-in that was begun long ago", () =>
    damaged(
      { sign_in: 2 },
      ({ org }, sql) =>
        sql`with maker as (select id from users limit 1)
          insert into memberships (org_id, user_id, role, managed_by) select ${org}, maker.id, 'viewer', 'oidc' from maker
          on conflict (org_id, user_id) do update set managed_by = 'oidc'`.pipe(
          Effect.andThen(
            sql`insert into device_sign_ins (user_code, device_hash, client_name, scopes, address, expires_at, interval_seconds)
            values ('ABCDEFGH', '\\x00', 'cli', '{}', '', now() - interval '2 days', 2)`
          )
        )
    ))
  it.effect("a wallet that was charged more than was transferred from it", () =>
    damaged(
      { wallet_balance: 1, wallet_used: 1, double_entry: 1, balance_after: 1 },
      ({ wallet }, sql) => sql`update limits set used = used + 1 where id = ${BigInt(wallet)}::int8`
    ))
  it.effect("revenue without a payment", () =>
    damaged(
      { double_entry: 2, balance_after: 1 },
      ({ revenue }, sql) => sql`update limits set used = used + 5 where id = ${BigInt(revenue)}::int8`
    ))
  it.effect("a transfer whose balance does not continue the one before, and is not continued by the next one", () =>
    damaged(
      { balance_after: 2 },
      ({ executed, org }, sql) =>
        sql`update movements set debit_balance_after = debit_balance_after + 1 where org_id = ${org} and cause_id = ${executed}`
    ))
  it.effect("a charge without its transfer", () =>
    damaged(
      { charged_without_movement: 1, wallet_balance: 1, wallet_used: 1, double_entry: 1, balance_after: 2 },
      ({ executed, org }, sql) => sql`delete from movements where org_id = ${org} and cause_id = ${executed}`
    ))
  it.effect("a transfer that names another request", () =>
    damaged(
      { charged_without_movement: 1 },
      ({ executed, org, running }, sql) =>
        sql`update movements set cause_id = ${running} where org_id = ${org} and cause_id = ${executed}`
    ))
  it.effect("a charge of another amount than its transfer", () =>
    damaged(
      { charged_without_movement: 1, limit_used: 2, roll_ups: 1 },
      ({ asked, org }, sql) =>
        sql`update settlements set cost_cents = cost_cents - 1 where org_id = ${org} and request_id = ${asked}`
    ))
  it.effect("a promo code that was redeemed without its transfer, and more often than it counts", () =>
    damaged(
      { promo_credits: 2 },
      ({ org }, sql) =>
        Effect.andThen(
          sql`insert into promo_codes (id, code, code_key, amount_cents, created_at) values ('prm_1', 'A', 'A', 5, now())`,
          sql`insert into promo_redemptions (org_id, code_key, promo_id, movement_id, amount_cents, created_at)
            values (${org}, 'A', 'prm_1', 'led_1', 5, now())`
        )
    ))
  it.effect("a payment that is credited without its transfer, and a transfer of no payment", () =>
    damaged(
      { payment_credits: 2, wallet_balance: 1, double_entry: 1, balance_after: 2 },
      ({ external, org, wallet }, sql) =>
        Effect.andThen(
          sql`insert into payments (id, org_id, amount_cents, status, success_url, cancel_url, movement_id, created_at, poll_at)
            values ('pay_1', ${org}, 5, 'paid', '', '', 'led_1', now(), now())`,
          sql`insert into movements (org_id, id, debit_id, credit_id, amount_cents, debit_balance_after,
              credit_balance_after, cause_type, cause_id, created_at)
            values (${org}, ${newId("led")}, ${BigInt(external)}::int8, ${BigInt(wallet)}::int8, 5, 0, 0, 'payment',
              'pay_2', now())`
        )
    ))
  it.effect("money held without a request", () =>
    damaged(
      { held: 1 },
      ({ second }, sql) => sql`update limits set held = held + 1 where id = ${BigInt(second.month)}::int8`
    ))
  it.effect("an open hold that is missing in its limits", () =>
    damaged(
      { held: 1 },
      ({ running, wallet }, sql) =>
        sql`update holds set limits = array_remove(limits, ${BigInt(wallet)}::int8) where request_id = ${running}`
    ))
  it.effect("a month's figure that differs from its settlements", () =>
    damaged(
      { limit_used: 1 },
      ({ agent }, sql) => sql`update limits set used = used + 1 where id = ${BigInt(agent.month)}::int8`
    ))
  it.effect("a day's count that differs from its settlements", () =>
    damaged(
      { limit_used: 1 },
      ({ agent }, sql) => sql`update limits set used = used + 1 where id = ${BigInt(agent.day)}::int8`
    ))
  it.effect("a test key's figure beyond the maximum of its requests", () =>
    damaged(
      { limit_used: 1 },
      ({ agent }, sql) => sql`update limits set used = 41 where id = ${BigInt(agent.test.month)}::int8`
    ))
  it.effect("a wrong, a missing, and an unfounded roll-up", () =>
    Effect.gen(function*() {
      const days = (org: string) => `(select min(day) from usage_days where org_id = '${org}')`
      yield* damaged({ roll_ups: 1 }, ({ agent, org }, sql) =>
        sql`update usage_days set failed = failed + 1
          where org_id = ${org} and agent_id = ${agent.id} and mode = 'live' and day = ${sql.literal(days(org))}`)
      yield* damaged({ roll_ups: 1 }, ({ agent, org }, sql) =>
        sql`delete from usage_days
          where org_id = ${org} and agent_id = ${agent.id} and mode = 'live' and day = ${sql.literal(days(org))}`)
      yield* damaged({ roll_ups: 1 }, ({ agent, org }, sql) =>
        sql`insert into usage_days (org_id, day, agent_id, service, operation,
          mode, executed)
      values (${org}, '2020-01-01', ${agent.id}, 'echo', 'say', 'live', 1)`)
    }))
  it.effect("a limit over its cap, unless a person lowered the cap", () =>
    Effect.gen(function*() {
      yield* damaged(
        { over_cap: 1 },
        ({ second }, sql) => sql`update limits set cap = 10 where id = ${BigInt(second.month)}::int8`
      )
      yield* damaged({}, ({ org, owner, second }, sql) =>
        Effect.andThen(
          sql`update limits set cap = 10 where id = ${BigInt(second.month)}::int8`,
          sql`select append_audit(${org}, ${
            newId("aud")
          }, 'agent.budget_set', 'user', ${owner}, 'Ada', 'agent', ${second.id},
        ${second.id}, null, null, null, null, '{}')`
        ))
    }))
  it.effect("a settlement without its audit entry, which is also a gap", () =>
    damaged(
      { settlement_without_audit: 1, audit_chain: 1 },
      ({ executed, org }, sql) => sql`delete from audit where org_id = ${org} and subject_id = ${executed}`
    ))
  it.effect("an entry that was altered", () =>
    damaged(
      { audit_chain: 1 },
      ({ executed, org }, sql) =>
        sql`update audit set actor_name = 'Eve' where org_id = ${org} and subject_id = ${executed}`
    ))
  it.effect("a settlement without a request, an entry, and a roll-up", () =>
    Effect.gen(function*() {
      const id = newId("req")
      yield* damaged(
        { settlement_without_request: 1, settlement_without_audit: 1, roll_ups: 1 },
        ({ agent, org }, sql) =>
          sql`insert into settlements (org_id,
              request_id, agent_id, mode, service, operation, status, ceiling_cents, cost_cents, completed_at)
          select ${org}, ${id}, ${agent.id}, 'live', 'echo', 'say', 'failed', 1, 0, last_at from org_heads where org_id = ${org}`
      )
      const found = (yield* doctor).find(({ check }) => check === "settlement_without_audit")
      assert.include(found!.detail, id)
    }))
  it.effect("a request in no state, or in two", () =>
    Effect.gen(function*() {
      yield* damaged({ request_state: 1 }, ({ org, waiting }, sql) =>
        sql`delete from approvals where org_id = ${org} and id = ${waiting}`)
      yield* damaged({ request_state: 1, pending_approval: 1 }, ({ executed, org, waiting }, sql) =>
        sql`insert into approvals
          select ${newId("apr")}, org_id, ${executed}, agent_id, kind, status, mode, service, operation, cost_cents,
            threshold_cents,
            reason, policy_id,
          payload_digest, required_approvals, deciders, filed_by, requested_at, expires_at from approvals
          where org_id = ${org} and id = ${waiting}`)
    }))
  it.effect("a hold of a hub that has been gone for over a minute, not of a running or recently stopped one", () =>
    Effect.gen(function*() {
      const reserve = (workspace: Workspace, sql: SqlClient.SqlClient, age: string, alive: string) =>
        Effect.andThen(
          tick(workspace, [{ ceiling: 1 }]),
          Effect.andThen(
            sql`update holds set created_at = now() - ${age}::text::interval where org_id = ${workspace.org} and phase = 1`,
            sql`update owners set alive_until = now() + ${alive}::text::interval`
          )
        ).pipe(Effect.provideService(SqlClient.SqlClient, sql))
      // Two: this one, and the open one of the second agent.
      yield* damaged({ dead_holds: 2 }, (workspace, sql) => reserve(workspace, sql, "2 minutes", "-61 seconds"))
      yield* damaged({}, (workspace, sql) => reserve(workspace, sql, "2 minutes", "-59 seconds"))
      yield* damaged({}, (workspace, sql) => reserve(workspace, sql, "1 second", "-2 minutes"))
    }))

  it.effect("reads the last transfers of an idle workspace, also of one whose time is ahead of the clock", () =>
    Effect.gen(function*() {
      yield* damaged({}, (workspace, sql) =>
        Effect.gen(function*() {
          // The last change is a charge, then two at one time: the workspace of `history` is a month ahead.
          const idle = yield* makeWorkspace({ funds: 1_000 })
          yield* execute(idle, 7)
          yield* execute(workspace, 3)
          yield* execute(workspace, 3)
          const times = yield* sql<{ org_id: string; at_end: number }>`select h.org_id, count(m.id) as at_end
            from org_heads h join movements m on m.org_id = h.org_id and m.created_at >= h.last_at group by 1`
          const atEnd = Object.fromEntries(times.map((row) => [row.org_id, row.at_end]))
          assert.strictEqual(atEnd[idle.org], 1)
          assert.isAbove(atEnd[workspace.org]!, 1)
          for (const hours of [0, 5, 7, 24 * 60]) yield* later(hours)(healthy)
        }))
      // A missing transfer is still found there.
      yield* damaged(
        { wallet_balance: 1, wallet_used: 1, double_entry: 1, balance_after: 2, charged_without_movement: 1 },
        (workspace, sql) =>
          Effect.andThen(
            execute(workspace, 3),
            sql`delete from movements where org_id = ${workspace.org} and id =
              (select max(id) from movements where org_id = ${workspace.org})`
          )
      ).pipe(later(7))
    }))

  it.effect("is not misled by concurrent changes", () =>
    Effect.gen(function*() {
      yield* emptied
      const workspace = yield* makeWorkspace({ funds: 1_000_000 })
      const busy = yield* Effect.forkChild(Effect.forever(Effect.gen(function*() {
        const { begins } = yield* tick(
          workspace,
          Array.from({ length: 20 }, (_, at) => at % 7 === 0 ? { verdict: 3 as const } : { ceiling: 3 })
        )
        const open = begins.filter(({ state }) => state === 200)
        yield* tick(
          workspace,
          [{ ceiling: 2 }],
          open.slice(1).map(({ id }, at) => ({
            id,
            status: at % 5 === 0 ? "failed" as const : "executed" as const,
            cents: 2
          }))
        )
      })))
      for (let count = 0; count < 6; count++) yield* healthy
      yield* Fiber.interrupt(busy)
      yield* healthy
    }))
})
