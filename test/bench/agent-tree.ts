/** Pages of 10,000 agents in a tree against pages of 100: two databases of one server, measured in turn. */
import { idFloor } from "@countersign/domain/ids"
import { singleConnection } from "@countersign/hub/platform/db"
import { Effect } from "effect"
import { expectStatus } from "../support/hub.ts"
import { below, type Figure } from "./figures.ts"
import { interleaved, median, quantile, ratio, timed } from "./rounds.ts"
import { type BenchDatabase, database, makeWorkspace, Stage, startHub, type Workspace } from "./stage.ts"

const agentsOfLargeTree = 10_000
const agentsOfSmallTree = 100
const pageMax = 1.2
const pageAgents = 50
/** Of the past day, spread over the agents of a tree; fleet health counts them. */
const settlements = 10_000

/** A tree of this many agents by SQL: each has ten children, and a cap that is committed on its parent. */
const growTree = Effect.fnUntraced(
  function*(target: BenchDatabase, { org }: Workspace, count: number) {
    const sql = yield* singleConnection(target, "bench-rows", { synchronous_commit: "off" })
    const past = Date.now() - 3_600_000
    const prefix = (kind: "agt" | "key" | "req") => `'${idFloor(kind, past).slice(0, -6)}'`
    const agent = (n: string) => `${prefix("agt")} || lpad((${n})::text, 6, '0')`
    const series = `generate_series(0, ${count - 1}) n`
    yield* sql.unsafe(
      `insert into agents (org_id, id, name, parent_agent_id, depth, owner_user_id)
    select '${org}', ${agent("n")}, 'Agent ' || n, case when n > 0 then ${agent("(n - 1) / 10")} end,
      case when n = 0 then 0 when n <= 10 then 1 when n <= 110 then 2 else 3 end,
      (select user_id from memberships where org_id = '${org}' limit 1) from ${series}`
    )
    yield* sql.unsafe(
      `insert into limits (org_id, kind, mode, agent_id, cap)
    select '${org}', 2, mode, ${agent("n")}, 1000000 from ${series}, unnest(array['live', 'test']) mode`
    )
    yield* sql.unsafe(
      `insert into commitments (org_id, child_limit, parent_limit, cents)
    select l.org_id, l.id, p.id, 10 from limits l join agents a on a.id = l.agent_id
      join limits p on p.agent_id = a.parent_agent_id and p.kind = 2 and p.mode = l.mode where l.org_id = '${org}' and l.kind = 2`
    )
    yield* sql.unsafe(
      `update limits l set committed = c.cents from (select parent_limit, sum(cents) as cents from commitments
      where org_id = '${org}' group by parent_limit) c where l.id = c.parent_limit`
    )
    yield* sql.unsafe(
      `insert into agent_keys (id, org_id, agent_id, mode, key_hash, hint)
    select ${prefix("key")} || lpad(n::text, 6, '0'), '${org}', ${
        agent("n")
      }, 'live', sha256(int4send(n)), 'abcd' from ${series}`
    )
    yield* sql.unsafe(
      `insert into agent_sightings (agent_id, org_id, last_seen_at) select ${
        agent("n")
      }, '${org}', hub_time_or_last() from ${series}`
    )
    yield* sql.unsafe(
      `insert into settlements (org_id, request_id, agent_id, mode, service, operation, status, ceiling_cents, cost_cents, completed_at)
    select '${org}', ${prefix("req")} || lpad(n::text, 6, '0'), ${agent(`n % ${count}`)}, 'live', 'echo', 'say',
      case when n % 20 = 0 then 'failed' else 'executed' end, 1, 0, hub_time_or_last() from generate_series(1, ${settlements}) n`
    )
    const tables = ["agents", "limits", "commitments", "agent_keys", "agent_sightings", "settlements"]
    for (const table of tables) yield* sql.unsafe(`vacuum (analyze) ${table}`)
    return `${prefix("agt").slice(1, -1)}000000`
  },
  Effect.scoped,
  Effect.orDie
)

/** A hub with a tree, and the pages of it. */
const tree = Effect.fnUntraced(function*(count: number) {
  const target = yield* database
  const { api } = yield* startHub(target)
  const workspace = yield* makeWorkspace({ api })
  const root = yield* growTree(target, workspace, count)
  const page = (path: string, expected: number) =>
    Effect.map(api("GET", path, { cookie: workspace.cookie }), (answer) => {
      const found = expectStatus(answer, 200).body.data.length
      if (found !== expected) throw new Error(`${path} has ${found} agents`)
    })
  const second = expectStatus(yield* api("GET", `/agents?limit=${pageAgents}`, { cookie: workspace.cookie }), 200)
  const cursor = second.body.next_cursor as string
  return {
    newest: page(`/agents?limit=${pageAgents}`, pageAgents),
    second: page(`/agents?limit=${pageAgents}&cursor=${cursor}`, pageAgents),
    roots: page("/agents?parent_agent_id=none", 2),
    children: page(`/agents?parent_agent_id=${root}`, 10),
    health: page(`/agents/fleet-health?limit=${pageAgents}`, pageAgents)
  }
})

export const agentTree: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { rounds, seconds } = yield* Stage
  const [small, large] = [yield* tree(agentsOfSmallTree), yield* tree(agentsOfLargeTree)]
  const of = (once: Effect.Effect<unknown>) =>
    Effect.map(timed(once, { millis: seconds * 200 }), (took) => quantile(took, 0.5))
  const names = {
    newest: "newest page of agents",
    second: "second page of agents",
    roots: "roots of the tree",
    children: "children of an agent",
    health: "page of fleet health"
  } as const
  const keys = Object.keys(names) as ReadonlyArray<keyof typeof names>
  // A first round reads and compiles, and is not compared.
  for (const side of [small, large]) for (const key of keys) yield* of(side[key])
  const found = yield* interleaved(
    rounds,
    Object.fromEntries(keys.flatMap((key) => [
      [`${key} small`, of(small[key])],
      [`${key} large`, of(large[key])]
    ])) as Readonly<Record<string, Effect.Effect<number>>>
  )
  return keys.map((key): Figure => {
    const [over, under] = [found[`${key} large`] ?? [], found[`${key} small`] ?? []]
    const name = `${names[key]}, ${agentsOfLargeTree.toLocaleString("en")} agents over ${agentsOfSmallTree}`
    const figure = below(name, pageMax, ratio(over, under))
    return {
      ...figure,
      measured: `${figure.measured} (p50 ${median(over).toFixed(2)} ms, ${median(under).toFixed(2)} ms)`
    }
  })
}).pipe(Effect.scoped)
