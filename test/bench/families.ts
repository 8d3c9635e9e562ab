/** Teams, families, and 1,000 agents: dispatch with them against dispatch without, three hubs in turn. */
import { Effect } from "effect"
import { expectStatus, makeAgent } from "../support/hub.ts"
import { atLeast, type Figure, info } from "./figures.ts"
import { interleaved, median, ratio } from "./rounds.ts"
import { type BenchHub, database, load, makeWorkspace, sayLoad, Stage, startHub, type Workspace } from "./stage.ts"

const agents = 1_000
const teams = 10
/** A root, three children, and two grandchildren of each. */
const familySize = 10
const keptPart = 0.95
/** Of each agent. */
const warmCalls = 3
const warmMillisMax = 120_000
const echo = { service: "echo", operations: ["*"] }

interface Crowd {
  readonly hub: BenchHub
  readonly workspace: Workspace
  readonly keys: ReadonlyArray<string>
}

const hubOf = Effect.gen(function*() {
  const hub = yield* startHub(yield* database)
  return { hub, workspace: yield* makeWorkspace(hub) }
})

/** One agent, paid by the workspace's wallet. */
const single = Effect.map(hubOf, ({ hub, workspace }): Crowd => ({ hub, workspace, keys: [workspace.key] }))

/** As many agents as the families have, without a team, a cap, or a parent. */
const crowd = Effect.gen(function*() {
  const { hub, workspace } = yield* hubOf
  const keys = yield* Effect.forEach(
    Array.from({ length: agents }),
    () => Effect.map(makeAgent(hub, workspace), ({ key }) => key),
    { concurrency: 8 }
  )
  return { hub, workspace, keys } satisfies Crowd
})

/**
 * Half of the families are paid by their team's pool, the other half by the allocation of their owner. Every agent has
 * a cap, which is committed on its parent.
 */
const inFamilies = Effect.gen(function*() {
  const { hub, workspace } = yield* hubOf
  const { api } = hub
  const as = { cookie: workspace.cookie }
  const me = expectStatus(yield* api("GET", "/auth/me", as), 200).body.user.id as string
  const spawn = Effect.fnUntraced(function*(key: string, cents: number) {
    const body = { name: "Child", services: [echo], monthly_budget_cents: cents }
    return expectStatus(yield* api("POST", "/agents/spawn", { key, body }), 201).body.api_key as string
  })
  const family = Effect.fnUntraced(function*(team: string) {
    const { key: root } = yield* makeAgent(hub, workspace, { team_id: team, monthly_budget_cents: 100_000_000 })
    const keys = [root]
    for (let child = 0; child < 3; child++) {
      const key = yield* spawn(root, 30_000_000)
      keys.push(key, yield* spawn(key, 10_000_000), yield* spawn(key, 10_000_000))
    }
    return keys
  })
  const ofTeam = Effect.fnUntraced(function*(_: unknown, at: number) {
    const team = expectStatus(yield* api("POST", "/teams", { ...as, body: { name: `Team ${at}` } }), 201).body.id
    const give = { amount_cents: 200_000_000, direction: "allocate" }
    expectStatus(yield* api("POST", `/teams/${team}/budget`, { ...as, body: give }), 200)
    if (at % 2 === 0) {
      expectStatus(yield* api("POST", `/teams/${team}/members`, { ...as, body: { user_id: me, role: "worker" } }), 201)
      const allocate = { ...as, body: { ...give, amount_cents: 100_000_000 } }
      expectStatus(yield* api("POST", `/teams/${team}/workers/${me}/budget/allocate`, allocate), 200)
    }
    const count = agents / teams / familySize
    return (yield* Effect.forEach(Array.from({ length: count }), () => family(team), { concurrency: 4 })).flat()
  })
  const keys = (yield* Effect.forEach(Array.from({ length: teams }), ofTeam)).flat()
  return { hub, workspace, keys } satisfies Crowd
})

export const families: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { callers, rounds, seconds } = yield* Stage
  const sides = { single: yield* single, crowd: yield* crowd, families: yield* inFamilies }
  const options = ({ hub, keys, workspace }: Crowd) => ({
    ...sayLoad(workspace, [hub.port], { callers, seconds }),
    headers: {},
    bearers: keys
  })
  const busy = (side: Crowd) => load(options(side))
  // Every agent is known to its hub before anything is measured, on a slow machine too.
  for (const side of Object.values(sides)) {
    yield* load({ ...options(side), millis: warmMillisMax, requestsMax: warmCalls * side.keys.length })
  }
  const found = yield* interleaved(rounds, {
    single: busy(sides.single),
    crowd: busy(sides.crowd),
    families: busy(sides.families)
  })
  const rate = (name: keyof typeof found) => found[name].map(({ perSecond }) => perSecond)
  const p50 = (name: keyof typeof found) => found[name].map((each) => each.p50)
  const compared = (name: keyof typeof found, words: string): ReadonlyArray<Figure> => [
    atLeast(`dispatches per second, families and teams over ${words}`, keptPart, ratio(rate("families"), rate(name))),
    atLeast(`p50 of a dispatch, ${words} over families and teams`, keptPart, ratio(p50(name), p50("families")))
  ]
  return [
    ...compared("crowd", `${agents.toLocaleString("en")} agents without them`),
    ...compared("single", "one agent"),
    ...(["single", "crowd", "families"] as const).map((name) =>
      info(name, `${median(rate(name)).toFixed(0)}/s, p50 ${median(p50(name)).toFixed(1)} ms`)
    )
  ]
}).pipe(Effect.scoped)
