/**
 * Years of a busy workspace, inserted by SQL directly into the months' partitions: audit entries, and a tenth as many
 * requests with settlements and ledger entries. The hash chain of these audit entries is not valid; the benches do not
 * read it.
 */
import { idFloor } from "@countersign/domain/ids"
import { singleConnection } from "@countersign/hub/platform/db"
import { Effect } from "effect"
import type { BenchDatabase, Workspace } from "./stage.ts"

const batchRows = 500_000
const hourMillis = 3_600_000

/** Last month, and this month until an hour ago: the hub has partitions for these. */
const months = () => {
  const now = new Date()
  const start = (ahead: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1)
  const suffix = (millis: number) => new Date(millis).toISOString().slice(0, 7).replace("-", "_")
  const [before, current] = [start(-1), start(0)]
  return [
    { suffix: suffix(before), from: before, to: current },
    ...now.getTime() - current > 2 * hourMillis
      ? [{ suffix: suffix(current), from: current, to: now.getTime() - hourMillis }]
      : []
  ]
}

/** An id of the given time whose random part is a number in sixteen digits. */
const idSql = (prefix: "req" | "led" | "aud", millis: number, number: string) =>
  `'${idFloor(prefix, millis).slice(0, prefix.length + 11)}' || lpad(to_hex(${number}), 16, '0')`

export const growRows = Effect.fnUntraced(
  function*(target: BenchDatabase, { agent, org }: Workspace, rows: number) {
    const sql = yield* singleConnection(target, "bench-rows", {
      synchronous_commit: "off",
      maintenance_work_mem: "256MB"
    })
    const [head] = yield* sql<
      { seq: number; wallet: number; revenue: number }
    >`select seq, (select id from limits where org_id = ${org} and kind = 1) wallet,
    (select id from limits where org_id = ${org} and kind = 8) revenue from org_heads where org_id = ${org}`
    if (head === undefined) return yield* Effect.die(new Error("the workspace is gone"))
    const spread = months()
    const share = Math.ceil(rows / spread.length)
    for (const [at, { from, suffix, to }] of spread.entries()) {
      const low = at * share, high = Math.min(rows, low + share)
      for (let first = low; first < high; first += batchRows) {
        const last = Math.min(high, first + batchRows) - 1
        const time = `to_timestamp(${from / 1000} + (n - ${low}) * ${(to - from) / 1000 / share})`
        const subject = idSql("req", from, "n / 10")
        yield* sql.unsafe(
          `insert into audit_${suffix} (org_id, seq, id, action, actor_type, actor_id, actor_name, subject_type, subject_id, agent_id, outcome, cost_cents, data, created_at,
          prev_hash, hash)
        select '${org}', ${head.seq} + 1 + n, ${
            idSql("aud", from, "n")
          }, 'service_request.executed', 'agent', '${agent}', 'Agent', 'service_request', ${subject}, '${agent}', 'executed', 1,
          '{"service":"echo","operation":"say","mode":"live"}', ${time}, sha256(int8send(n)), sha256(int8send(n + 1)) from generate_series(${first}::int8, ${last}::int8) n`
        )
      }
      const [few, many] = [Math.ceil(low / 10), Math.ceil(high / 10) - 1]
      const time = `to_timestamp(${from / 1000} + (n * 10 - ${low}) * ${(to - from) / 1000 / share})`
      const series = `generate_series(${few}::int8, ${many}::int8) n`
      yield* sql.unsafe(
        `insert into requests_${suffix} (org_id, id, agent_id, mode, service, operation, payload, ceiling_cents, created_at)
      select '${org}', ${
          idSql("req", from, "n")
        }, '${agent}', 'live', 'echo', 'say', '{"text":"hello"}', 1, ${time} from ${series}`
      )
      yield* sql.unsafe(
        `insert into settlements_${suffix} (org_id, request_id, agent_id, mode, service, operation, status, ceiling_cents, cost_cents, result, completed_at)
      select '${org}', ${
          idSql("req", from, "n")
        }, '${agent}', 'live', 'echo', 'say', 'executed', 1, 1, '{"echo":{"text":"hello"}}', ${time} from ${series}`
      )
      yield* sql.unsafe(
        `insert into movements_${suffix} (org_id, id, debit_id, credit_id, amount_cents, debit_balance_after, credit_balance_after, cause_type, cause_id, created_at)
      select '${org}', ${idSql("led", from, "n")}, ${head.wallet}, ${head.revenue}, 1, 1, 1, 'service_request', ${
          idSql("req", from, "n")
        }, ${time} from ${series}`
      )
    }
    yield* sql`update org_heads set seq = seq + ${BigInt(rows)}::int8 where org_id = ${org}`
    for (const table of ["audit", "requests", "settlements", "movements"]) {
      yield* sql.unsafe(`vacuum (analyze) ${table}`)
    }
    yield* sql.unsafe("checkpoint")
    return { first: head.seq + 1, last: head.seq + rows }
  },
  Effect.scoped,
  Effect.orDie
)
