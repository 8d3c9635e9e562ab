/** Workspaces of the random runs: rows in plain SQL, and the same in the model. */
import { type AgentId, newId, type OrgId } from "@countersign/domain/ids"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { kinds, MoneyModel } from "../../../support/money-model.ts"

export interface AgentInModel {
  readonly id: AgentId
  readonly rows: Readonly<
    Record<
      "live" | "test",
      { readonly month: number; readonly operations: ReadonlyArray<{ readonly day: number; readonly month: number }> }
    >
  >
}

export interface OrgInModel {
  readonly id: OrgId
  readonly model: MoneyModel
  readonly agents: ReadonlyArray<AgentInModel>
  readonly external: number
  /** Limits whose caps people change. */
  readonly capped: Array<number>
  readonly standing: Array<
    { readonly agent: string; readonly mode: string; readonly limits: readonly [number, number] }
  >
  funded: number
}

export const operations = ["say", "shout"]
/** Far enough in the future that the machine's clock never matters: only steps move the time. */
const firstMoment = Date.UTC(2031, 0, 31, 23, 59, 0)

/** Audits that a person set caps: the doctor then accepts that one was lowered. */
export const auditCaps = (org: string, agent: string, action: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`select append_audit(${org},
        ${newId("aud")}, ${action}, 'user', 'usr', 'Ada', 'agent', ${agent}, ${agent}, null, null, null,
          null, '{"service":"echo"}')`
  )

export const makeOrg = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const id = newId("org"),
    owner = newId("usr")
  yield* sql`insert into orgs (id, name) values (${id}, 'Model')`
  yield* sql`insert into org_heads (org_id, last_at) values (${id}, ${new Date(firstMoment)})`
  yield* sql`insert into users (id, email, name, password_hash) values (${owner}, ${`${owner}@countersign.test`}, 'Ada', '-')`
  const limit = (
    kind: number,
    cap: number | null,
    mode = "live",
    agent: string | null = null,
    operation: string | null = null
  ) =>
    sql<{
      id: number
    }>`insert into limits (org_id, kind, mode, agent_id, service, operation, cap)
      values (${id}, ${kind}::int2, ${mode}, ${agent}, ${operation === null ? null : "echo"}, ${operation},
      ${cap === null ? null : BigInt(cap)}::int8) returning id`.pipe(Effect.map(([row]) => row!.id))
  const wallet = yield* limit(kinds.wallet, 0)
  const revenue = yield* limit(kinds.revenue, null)
  const external = yield* limit(kinds.external, null)
  const model = new MoneyModel(firstMoment, wallet, revenue)
  const add = (id: number, kind: number, cap: number | null) => {
    model.limits.set(id, { id, kind, validUntil: undefined, cap, period: 0, used: 0, held: 0, lowered: false })
    return id
  }
  add(wallet, kinds.wallet, 0)
  add(revenue, kinds.revenue, null)
  add(external, kinds.external, null)
  const capped: Array<number> = []
  const made = Effect.fnUntraced(function*(
    kind: number,
    cap: number | null,
    mode: string,
    agent: string,
    operation: string | null = null
  ) {
    const row = add(yield* limit(kind, cap, mode, agent, operation), kind, cap)
    capped.push(row)
    return row
  })
  const agents: Array<AgentInModel> = []
  for (let n = 0; n < 2; n++) {
    const agent = newId("agt")
    yield* sql`insert into agents (id, org_id, name, owner_user_id) values (${agent}, ${id}, 'Agent', ${owner})`
    model.versions.set(agent, 1)
    yield* auditCaps(id, agent, "binding.put")
    model.entries++
    const rowsOf = Effect.fnUntraced(function*(mode: string) {
      const month = yield* made(kinds.agentMonth, n === 0 ? 200 : null, mode, agent)
      const rows: Array<{ readonly day: number; readonly month: number }> = []
      for (const operation of operations) {
        rows.push({
          day: yield* made(kinds.operationDay, operation === "say" ? 6 : null, mode, agent, operation),
          month: yield* made(kinds.operationMonth, 120, mode, agent, operation)
        })
      }
      return { month, operations: rows }
    })
    agents.push({ id: agent, rows: { live: yield* rowsOf("live"), test: yield* rowsOf("test") } })
  }
  return { id, model, agents, external, capped, standing: [], funded: 0 } as OrgInModel
})
