/** A workspace in bare SQL and the money core's `tick` as a function, as data for tests of its readers. */
import { type AgentId, newId, type OrgId, type ServiceRequestId } from "@countersign/domain/ids"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** An array in PostgreSQL's format: the driver cannot infer the type of one with only nulls. */
const array = (values: ReadonlyArray<string | number | bigint | null>): string =>
  `{${
    values.map((value) =>
      value === null ? "NULL" : typeof value === "string" ? `"${value.replace(/["\\]/g, "\\$&")}"` : String(value)
    ).join(",")
  }}`

export interface Agent {
  readonly id: AgentId
  readonly day: number
  readonly operationMonth: number
  readonly month: number
  readonly test: { readonly day: number; readonly operationMonth: number; readonly month: number }
}

export interface Workspace {
  readonly org: OrgId
  readonly owner: string
  readonly wallet: number
  readonly revenue: number
  readonly external: number
  readonly agent: Agent
  readonly hubOwner: number
}

const limitRow = Effect.fnUntraced(
  function*(org: string, kind: number, cap: number | null, agent?: string, operation?: string, mode = "live") {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ id: number }>`insert into limits (org_id, kind, mode, agent_id, service, operation, cap)
    values (${org}, ${kind}::int2, ${mode}, ${agent ?? null}, ${operation === undefined ? null : "echo"}, ${
      operation ?? null
    }, ${cap === null ? null : BigInt(cap)}::int8) returning id`
    return row!.id
  }
)

/** An agent with limits for `echo.say`, live and test. */
export const makeAgent = Effect.fnUntraced(
  function*(org: OrgId, caps: { readonly day?: number; readonly month?: number; readonly owner?: string } = {}) {
    const sql = yield* SqlClient.SqlClient
    const id = newId("agt")
    yield* sql`insert into agents (id, org_id, name, owner_user_id) values (${id}, ${org}, ${"Agent"}, ${
      caps.owner ?? null
    })`
    const set = Effect.fnUntraced(function*(mode: string) {
      return {
        day: yield* limitRow(org, 4, caps.day ?? null, id, "say", mode),
        operationMonth: yield* limitRow(org, 3, null, id, "say", mode),
        month: yield* limitRow(org, 2, caps.month ?? null, id, undefined, mode)
      }
    })
    return { id, ...yield* set("live"), test: yield* set("test") } satisfies Agent
  }
)

/** A workspace with an owner, accounts, one agent, and `funds` in its wallet. */
export const makeWorkspace = Effect.fnUntraced(function*(options: { readonly funds?: number } = {}) {
  const sql = yield* SqlClient.SqlClient
  const org = newId("org")
  const owner = newId("usr")
  yield* sql`insert into orgs (id, name) values (${org}, ${"Test"})`
  yield* sql`insert into org_heads (org_id) values (${org})`
  yield* sql`insert into users (id, email, name, password_hash) values (${owner}, ${`${owner}@countersign.test`}, ${"Ada"}, ${"-"})`
  yield* sql`insert into memberships (org_id, user_id, role) values (${org}, ${owner}, ${"owner"})`
  const wallet = yield* limitRow(org, 1, 0)
  const revenue = yield* limitRow(org, 8, null)
  const external = yield* limitRow(org, 9, null)
  const [hub] = yield* sql<
    { num: number }
  >`insert into owners (hub_id, alive_until) values (${"hub_test"}, now() + interval '1 hour') returning num`
  const agent = yield* makeAgent(org)
  const workspace: Workspace = { org, owner, wallet, revenue, external, agent, hubOwner: hub!.num }
  if ((options.funds ?? 0) > 0) yield* fund(workspace, options.funds!)
  return workspace
})

export const fund = (workspace: Workspace, cents: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`select move_money(${workspace.org}, ${
      newId("led")
    }, ${workspace.external}::int8, ${workspace.wallet}::int8, ${BigInt(cents)}::int8, ${"top_up"}, ${"test"}, ${null})`
  })

export interface Begin {
  readonly id?: ServiceRequestId
  readonly agent?: Agent
  readonly mode?: "live" | "test"
  readonly operation?: string
  readonly key?: string
  readonly hash?: string
  /** 1 admit, 2 requires approval, 3 blocked, 4 failed */
  readonly verdict?: 1 | 2 | 3 | 4
  readonly ceiling?: number
  readonly reason?: string
  readonly approval?: string
  readonly granted?: string
  readonly data?: unknown
}

export interface Settle {
  readonly id: string
  readonly status: "executed" | "failed" | "blocked" | "running"
  readonly cents?: number
  readonly micro?: number
  readonly reason?: string
}

export interface Ticked {
  readonly begins: ReadonlyArray<{ readonly id: ServiceRequestId; readonly state: number; readonly ref: string | null }>
  readonly settles: ReadonlyArray<{ readonly state: number; readonly cents: number | null }>
}

/** One tick of one workspace; waits for its lock. */
export const tick = Effect.fnUntraced(function*(
  workspace: Workspace,
  begins: ReadonlyArray<Begin>,
  settles: ReadonlyArray<Settle> = []
) {
  const sql = yield* SqlClient.SqlClient
  const b = begins.map((begin) => {
    const agent = begin.agent ?? workspace.agent
    const mode = begin.mode ?? "live"
    const set = mode === "live" ? agent : agent.test
    return {
      ...begin,
      id: begin.id ?? newId("req"),
      agent,
      mode,
      limits: [set.day, set.operationMonth, set.month, workspace.wallet]
    }
  })
  const org = workspace.org
  const text = (of: (begin: (typeof b)[number]) => string | null) => b.map(of)
  const ints = (of: (begin: (typeof b)[number]) => number) => b.map(of)
  const big = (of: (begin: (typeof b)[number]) => number | null) => b.map(of).map((n) => n === null ? null : BigInt(n))
  const actor = `agent ${workspace.agent.id} Agent`
  const wait = (begin: (typeof b)[number]) =>
    begin.verdict !== 2
      ? null
      : JSON.stringify({
        id: begin.approval ?? newId("apr"),
        threshold_cents: 0,
        reason: "approval_threshold",
        required: 1,
        life_seconds: 3600,
        digest: "0".repeat(64)
      })
  const waits = b.map(wait)
  const granted = (begin: (typeof b)[number]) =>
    begin.granted === undefined
      ? null
      : JSON.stringify({
        id: begin.granted,
        by: workspace.owner,
        audit: newId("aud"),
        actor: `user ${workspace.owner} Ada`,
        data: "{}"
      })
  const [row] = yield* sql<
    {
      begin_codes: Array<number>
      begin_refs: Array<string | null>
      settle_codes: Array<number>
      settle_costs: Array<number | null>
    }
  >`
    select * from tick(${workspace.hubOwner}::int4, true, false,
      ${array(b.map((x) => x.id))}::text[], ${array(b.map(() => org))}::text[], ${
    array(b.map((x) => x.agent.id))
  }::text[], ${array(ints(() => 1))}::int4[], ${array(ints(() => 1))}::int4[],
      ${array(b.map((x) => x.mode))}::text[], ${array(b.map(() => "echo"))}::text[], ${
    array(b.map((x) => x.operation ?? "say"))
  }::text[],
      ${array(text((x) => x.key === undefined ? null : `agent ${x.agent.id}`))}::text[], ${
    array(text((x) => x.key ?? null))
  }::text[],
      ${array(text((x) => x.key === undefined ? null : x.hash ?? "00"))}::text[], ${
    array(ints((x) => x.verdict ?? 1))
  }::int4[], ${array(big((x) => x.ceiling ?? 1))}::int8[],
      ${array(text((x) => `{${x.limits.join(",")}}`))}::text[], ${array(big(() => workspace.wallet))}::int8[], ${
    array(big((x) => x.mode === "test" ? workspace.wallet : null))
  }::int8[],
      ${array(text(() => "{\"text\":\"hi\"}"))}::text[], ${
    array(
      text((x) => x.reason ?? (x.verdict === 3 ? "policy_violation" : x.verdict === 2 ? "approval_threshold" : null))
    )
  }::text[],
      ${array(text(() => null))}::text[], ${array(text((x) => x.verdict === 3 ? "{}" : null))}::text[], ${
    array(waits)
  }::text[], ${array(text(() => null))}::text[], ${array(text(() => null))}::text[],
      ${array(text(granted))}::text[], ${array(text(() => newId("aud")))}::text[], ${
    array(text(() => actor))
  }::text[], ${array(text(() => "127.0.0.1"))}::text[],
      ${array(b.map((x) => JSON.stringify(x.data ?? { service: "echo" })))}::text[],
      ${array(settles.map((x) => x.id))}::text[], ${array(settles.map(() => org))}::text[], ${
    array(settles.map((x) => x.status))
  }::text[], ${array(settles.map((x) => BigInt(x.cents ?? 0)))}::int8[],
      ${array(settles.map((x) => x.micro ?? 0))}::int4[], ${array(settles.map((x) => x.reason ?? null))}::text[], ${
    array(settles.map(() => "{}"))
  }::text[], ${array(settles.map(() => null))}::text[],
      ${array(settles.map(() => null))}::int8[], ${array(settles.map(() => null))}::int8[], ${
    array(settles.map(() => newId("aud")))
  }::text[], ${array(settles.map(() => newId("led")))}::text[],
      ${array(settles.map(() => actor))}::text[], ${array(settles.map(() => "{}"))}::text[])`
  return {
    begins: b.map((x, at) => ({ id: x.id, state: row!.begin_codes[at]!, ref: row!.begin_refs[at]! })),
    settles: settles.map((_, at) => ({ state: row!.settle_codes[at]!, cents: row!.settle_costs[at]! }))
  } satisfies Ticked
})

/** Begins and executes one request at `cents`; returns its id. */
export const execute = Effect.fnUntraced(function*(workspace: Workspace, cents: number, begin: Begin = {}) {
  const { begins: [begun] } = yield* tick(workspace, [{ ceiling: cents, ...begin }])
  if (begun!.state !== 200) return yield* Effect.die(`not admitted: ${begun!.state}`)
  const { settles: [settled] } = yield* tick(workspace, [], [{ id: begun!.id, status: "executed", cents }])
  if (settled!.state !== 200) return yield* Effect.die(`not settled: ${settled!.state}`)
  return begun!.id
})

/** Moves the workspace's time to at least `at`; later ticks happen then, or later. */
export const moveClock = (workspace: Workspace, at: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update org_heads set last_at = ${at}::text::timestamptz where org_id = ${workspace.org}`
  )

/** Closes a pending approval as a person or the clock does. */
export const closeApproval = (workspace: Workspace, approval: string, status: "rejected" | "cancelled" = "rejected") =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`select close_approval(${workspace.org}, ${approval}, ${status}, ${`approval_${status}`}, ${workspace.owner}, ${null}, ${null}, ${
        newId("aud")
      }, ${newId("aud")}, 'user', ${workspace.owner}, 'Ada', ${null})`
  )
