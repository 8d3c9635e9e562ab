/** The search over a workspace of 100,000 requests, compared with a page of the plain list. */
import { idFloor } from "@countersign/domain/ids"
import { singleConnection } from "@countersign/hub/platform/db"
import { Effect } from "effect"
import { expectStatus } from "../support/hub.ts"
import { below, type Figure, info } from "./figures.ts"
import { interleaved, median, quantile, ratio, timed } from "./rounds.ts"
import { type BenchDatabase, database, makeWorkspace, Stage, startHub, type Workspace } from "./stage.ts"

const requests = 100_000
/** One request in this many contains the rare word. */
const rareEvery = 1_000
const searchMillisMax = 50

/** Requests of the past hour, indexed as the search worker does it. */
const grow = Effect.fnUntraced(
  function*(target: BenchDatabase, { agent, org }: Workspace) {
    const sql = yield* singleConnection(target, "bench-rows", {
      synchronous_commit: "off",
      maintenance_work_mem: "256MB"
    })
    const prefix = idFloor("req", Date.now() - 3_600_000).slice(0, -6)
    const id = `'${prefix}' || lpad(n::text, 6, '0')`
    const words =
      `'passenger ' || md5(n::text) || ' to berlin on flight cs ' || n || case when n % ${rareEvery} = 0 then ' quetzal' else '' end`
    const series = `generate_series(1, ${requests}) n`
    yield* sql.unsafe(
      `insert into requests (org_id, id, agent_id, mode, service, operation, payload, ceiling_cents, created_at)
    select '${org}', ${id}, '${agent}', 'live', 'echo', 'say', json_build_object('text', ${words})::text, 1, hub_time_or_last() from ${series}`
    )
    yield* sql.unsafe(
      `insert into settlements (org_id, request_id, agent_id, mode, service, operation, status, ceiling_cents, cost_cents, completed_at)
    select '${org}', ${id}, '${agent}', 'live', 'echo', 'say', 'blocked', 1, 0, hub_time_or_last() from ${series}`
    )
    yield* sql.unsafe(
      `insert into request_texts (org_id, request_id, text) select '${org}', ${id}, ${id} || ' echo.say ' || ${words} from ${series}`
    )
    for (const table of ["requests", "settlements", "request_texts"]) yield* sql.unsafe(`vacuum (analyze) ${table}`)
    return `${prefix}${String(requests / 2).padStart(6, "0")}`
  },
  Effect.scoped,
  Effect.orDie
)

export const search: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { rounds, seconds } = yield* Stage
  const target = yield* database
  const { api } = yield* startHub(target)
  const workspace = yield* makeWorkspace({ api })
  const middle = yield* grow(target, workspace)
  const list = Effect.map(
    api("GET", "/service-requests?limit=20", { cookie: workspace.cookie }),
    (answer) => expectStatus(answer, 200)
  )
  const find = (q: string, expected: (count: number) => boolean) =>
    Effect.map(api("GET", `/search?q=${encodeURIComponent(q)}&limit=20`, { cookie: workspace.cookie }), (answer) => {
      const count = expectStatus(answer, 200).body.data.length
      if (!expected(count)) throw new Error(`a search for ${q} found ${count}`)
    })
  const kinds = {
    "a rare word": find("quetzal", (count) => count === 20),
    "a word of every request": find("passenger berlin", (count) => count === 20),
    "two words of one request": find("berlin 98765", (count) => count >= 1),
    "an id": find(middle, (count) => count >= 1),
    "no such word": find("xylophone", (count) => count === 0)
  }
  const of = (once: Effect.Effect<unknown>) =>
    Effect.map(timed(once, { millis: seconds * 300 }), (took) => quantile(took, 0.5))
  for (const once of [list, ...Object.values(kinds)]) yield* of(once)
  const found = yield* interleaved(rounds, {
    list: of(list),
    ...Object.fromEntries(Object.entries(kinds).map(([name, once]) => [name, of(once)]))
  } as Readonly<Record<string, Effect.Effect<number>>>)
  const plain = found["list"] ?? []
  return [
    ...Object.keys(kinds).map((name) => {
      const took = found[name] ?? []
      const figure = below(
        `search for ${name}, ${requests.toLocaleString("en")} requests`,
        searchMillisMax,
        median(took),
        2,
        " ms"
      )
      return { ...figure, measured: `${figure.measured} (${ratio(took, plain).toFixed(1)} times a page of the list)` }
    }),
    info("page of the plain list", `${median(plain).toFixed(2)} ms`)
  ]
}).pipe(Effect.scoped)
