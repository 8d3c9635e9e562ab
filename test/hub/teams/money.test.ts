/**
 * The money of teams under random operations and under races over two hubs: nothing is overdrawn, and the books agree.
 * Spec: reference/teams.md "Pools and allocations".
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { expectHealthy } from "../../support/health.ts"
import { type Answer, type Api, expectStatus, firstOwner, makeAgent, startHub, topUp } from "../../support/hub.ts"
import { makeSignedIn } from "../../support/people.ts"
import { chanceOf } from "../../support/random.ts"

const world = Effect.gen(function*() {
  const first = yield* startHub()
  const second = yield* startHub({ database: first.target })
  const owner = yield* firstOwner(first)
  const as = { cookie: owner.cookie }
  const move = (api: Api, team: string, cents: number, direction: string) =>
    api("POST", `/teams/${team}/budget`, { ...as, body: { amount_cents: cents, direction } })
  const allocate = (api: Api, team: string, worker: string, cents: number, direction: string) =>
    api("POST", `/teams/${team}/workers/${worker}/budget/allocate`, {
      ...as,
      body: { amount_cents: cents, direction }
    })
  const makeTeam = Effect.fnUntraced(function*(name: string, people: ReadonlyArray<{ readonly id: string }>) {
    const team = expectStatus(yield* first.api("POST", "/teams", { ...as, body: { name } }), 201).body.id as string
    for (const { id } of people) {
      const body = { user_id: id, role: "worker" }
      expectStatus(yield* first.api("POST", `/teams/${team}/members`, { ...as, body }), 201)
    }
    return team
  })
  const say = (api: Api, key: string) =>
    api("POST", "/service-requests", { key, body: { service: "echo", operation: "say", payload: {} } })
  const available = (query = "") =>
    Effect.map(first.api("GET", `/balance${query}`, as), ({ body }) => body.available_cents as number)
  return { first, second, owner, as, move, allocate, makeTeam, say, available }
})

layer(Layer.empty, { excludeTestServices: true })("the money of teams", (it) => {
  it.effect(
    "is never overdrawn when transfers, ends, and requests race over two hubs, and each request is paid once",
    () =>
      Effect.gen(function*() {
        const { allocate, as, available, first, makeTeam, move, owner, say, second } = yield* world
        const funds = 60
        yield* topUp(first, owner, funds)
        const worker = yield* makeSignedIn(first, owner.org, "member")
        const agents = yield* Effect.forEach([0, 1], () => makeAgent(first, worker))
        let spent = 0
        for (let round = 0; round < 6; round++) {
          const team = yield* makeTeam(`Race ${round}`, [worker])
          for (const { id } of agents) {
            expectStatus(yield* first.api("POST", `/agents/${id}/transfer`, { ...as, body: { team_id: team } }), 200)
          }
          const calls: Array<Effect.Effect<readonly [kind: string, answer: Answer]>> = []
          const add = (kind: string, call: Effect.Effect<Answer>) =>
            calls.push(Effect.map(call, (a) => [kind, a] as const))
          for (const [at, { api }] of [first, second, first, second].entries()) {
            add("money", move(api, team, 7, "allocate"))
            add("money", allocate(api, team, worker.id, 5, "allocate"))
            add("money", allocate(api, team, worker.id, 3, "return"))
            add("money", move(api, team, 4, "return"))
            for (let n = 0; n < 6; n++) add("request", say(api, agents[(at + n) % 2]!.key))
          }
          add("end", first.api("DELETE", `/teams/${team}/workers/${worker.id}/budget`, as))
          add("end", second.api("DELETE", `/teams/${team}/workers/${worker.id}/budget`, as))
          const answers = yield* Effect.all(calls, { concurrency: "unbounded" })
          for (const [kind, { body, status, text }] of answers) {
            const code: string = body?.error?.code ?? body?.reason_code ?? ""
            const outcome = `${status} ${code}`.trim()
            const allowed = kind === "money"
              ? ["200", "409 insufficient_balance"]
              : kind === "end"
              ? ["204", "404 not_found", "409 holds_open"]
              : ["200", "200 insufficient_balance"]
            assert.include(allowed, outcome, `${kind}: ${text}`)
            if (kind === "request" && body.status === "executed") spent++
          }
          const pool = yield* available(`?teamId=${team}`)
          const members = (yield* first.api("GET", `/teams/${team}/members`, as)).body.data
          const allocation: number = members[0].allocation?.balance_cents ?? 0
          const left = yield* available()
          assert.isTrue(pool >= 0 && allocation >= 0 && left >= 0)
          assert.strictEqual(left + pool + allocation, funds - spent)
          expectStatus(yield* second.api("DELETE", `/teams/${team}`, as), 204)
          assert.strictEqual(yield* available(), funds - spent)
        }
        assert.isAbove(spent, 0)
        yield* expectHealthy(first.target)
      })
  )

  it.effect(
    "agrees with a model after random transfers, requests, departures, and deletions, with the books in order",
    () =>
      Effect.gen(function*() {
        const { allocate, as, available, first, makeTeam, move, owner, say } = yield* world
        const chance = chanceOf(20_261_123)
        const pick = chance.one
        yield* topUp(first, owner, 300)
        const workers = yield* Effect.forEach(["Ann", "Bob"], (name) => makeSignedIn(first, owner.org, "member", name))
        const agents = yield* Effect.forEach(workers, (worker) => makeAgent(first, worker))
        /** Cents by wallet: of the workspace, of pools by team, of allocations by team and person. */
        const wallets = new Map<string, number>([["org", 300]])
        const members = new Set<string>()
        const teamOf = new Map<string, string>()
        let teams: Array<string> = []
        let made = 0
        const shift = (from: string, to: string, cents: number) => {
          wallets.set(from, wallets.get(from)! - cents)
          wallets.set(to, (wallets.get(to) ?? 0) + cents)
        }
        const empty = (from: string, to: string) => {
          if (wallets.has(from)) shift(from, to, wallets.get(from)!)
          wallets.delete(from)
        }
        const payer = (at: number) => {
          const team = teamOf.get(agents[at]!.id) ?? ""
          return [`${team} ${workers[at]!.id}`, team].find((name) => wallets.has(name)) ?? "org"
        }
        const steps: Readonly<Record<string, () => Effect.Effect<void>>> = {
          create: Effect.fnUntraced(function*() {
            if (teams.length >= 3) return
            const team = yield* makeTeam(`Team ${made++}`, workers)
            teams.push(team)
            for (const { id } of workers) members.add(`${team} ${id}`)
          }),
          pool: Effect.fnUntraced(function*() {
            const team = pick(teams)
            const [cents, direction] = [1 + chance.int(60), pick(["allocate", "return"])]
            const [from, to] = direction === "allocate" ? ["org", team] : [team, "org"]
            const fits = (wallets.get(from) ?? 0) >= cents
            expectStatus(yield* move(first.api, team, cents, direction), fits ? 200 : 409)
            if (fits) shift(from, to, cents)
          }),
          allocate: Effect.fnUntraced(function*() {
            const team = pick(teams)
            const worker = pick(workers).id
            const own = `${team} ${worker}`
            const [cents, direction] = [1 + chance.int(20), pick(["allocate", "allocate", "return"])]
            const [from, to] = direction === "allocate" ? [team, own] : [own, team]
            const fits = (wallets.get(from) ?? 0) >= cents
            const status = !members.has(own) ? 404 : fits ? 200 : 409
            expectStatus(yield* allocate(first.api, team, worker, cents, direction), status)
            if (status === 200) shift(from, to, cents)
          }),
          end: Effect.fnUntraced(function*() {
            const team = pick(teams)
            const own = `${team} ${pick(workers).id}`
            const path = `/teams/${own.replace(" ", "/workers/")}/budget`
            expectStatus(yield* first.api("DELETE", path, as), wallets.has(own) ? 204 : 404)
            empty(own, team)
          }),
          leave: Effect.fnUntraced(function*() {
            const team = pick(teams)
            const own = `${team} ${pick(workers).id}`
            const path = `/teams/${own.replace(" ", "/members/")}`
            expectStatus(yield* first.api("DELETE", path, as), members.has(own) ? 204 : 404)
            members.delete(own)
            empty(own, team)
          }),
          transfer: Effect.fnUntraced(function*() {
            const { id } = pick(agents)
            const team = pick([...teams, null])
            expectStatus(yield* first.api("POST", `/agents/${id}/transfer`, { ...as, body: { team_id: team } }), 200)
            teamOf.set(id, team ?? "")
          }),
          request: Effect.fnUntraced(function*() {
            const at = pick([0, 1])
            const from = payer(at)
            const fits = wallets.get(from)! >= 1
            const { body } = expectStatus(yield* say(first.api, agents[at]!.key), 200)
            assert.strictEqual(body.status, fits ? "executed" : "blocked")
            if (fits) wallets.set(from, wallets.get(from)! - 1)
          }),
          remove: Effect.fnUntraced(function*() {
            const team = pick(teams)
            expectStatus(yield* first.api("DELETE", `/teams/${team}`, as), 204)
            for (const { id } of workers) {
              empty(`${team} ${id}`, "org")
              members.delete(`${team} ${id}`)
            }
            empty(team, "org")
            for (const [agent, of] of teamOf) if (of === team) teamOf.set(agent, "")
            teams = teams.filter((each) => each !== team)
          })
        }
        const usual = [
          "pool",
          "allocate",
          "allocate",
          "end",
          "leave",
          "transfer",
          "request",
          "request",
          "request",
          "request"
        ]
        for (let step = 0; step < 120; step++) {
          const name = teams.length === 0 ? "create" : pick([...usual, ...step % 5 === 0 ? ["create", "remove"] : []])
          yield* steps[name]!()
          assert.strictEqual(yield* available(), wallets.get("org"), `after ${name} in step ${step}`)
          for (const team of teams) {
            const budget = (yield* first.api("GET", `/teams/${team}/budget`, as)).body
            const allocated = workers.reduce((sum, { id }) => sum + (wallets.get(`${team} ${id}`) ?? 0), 0)
            assert.deepStrictEqual(
              [budget.balance_cents, budget.allocated_cents],
              [wallets.get(team) ?? 0, allocated],
              `after ${name} in step ${step}`
            )
          }
          if (step % 20 === 19) yield* expectHealthy(first.target)
        }
      })
  )
})
