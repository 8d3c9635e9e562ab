/**
 * The events of a team's agents: what the lists show a person of the team, on any hub. Spec:
 * reference/audit-and-events.md "Event types".
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Frame, listenTo } from "../../support/event-stream.ts"
import { type Call, expectStatus, HubTest, makeAgent, makeToken, startHub, TestHub, topUp } from "../../support/hub.ts"
import { makeSignedIn, type PersonInTest } from "../../support/people.ts"

const lists = {
  "agent.updated": "/agents",
  "approval.created": "/approvals",
  "agent_request.created": "/agent-requests",
  "budget_request.updated": "/budget-requests",
  "service_request.updated": "/service-requests",
  "delegated_task.updated": "/delegated-tasks"
}
const bindings = [{ service: "echo", operations: ["*"] }]
const text = { service: "echo", operation: "say", payload: {} }

layer(HubTest(), { excludeTestServices: true })("events of a team's agents", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const second = yield* startHub({ database: hub.target })
    const { api, owner } = hub
    const as = { cookie: owner.cookie }
    yield* topUp(hub, owner, 1_000)
    const person = (name: string) => makeSignedIn(hub, owner.org, "member", name)
    const [lead, worker, outsider] = [yield* person("Lea"), yield* person("Will"), yield* person("Olga")]
    const made = (path: string, call: Call) =>
      Effect.map(api("POST", path, call), (answer) => {
        assert.include([200, 201], answer.status, `${path}: ${answer.text}`)
        return answer.body
      })
    const team: string = (yield* made("/teams", { ...as, body: { name: `Team of ${lead.id}` } })).id
    for (const [{ id }, role] of [[lead, "lead"], [worker, "worker"]] as const) {
      yield* made(`/teams/${team}/members`, { ...as, body: { user_id: id, role } })
    }
    /** Changes of each kind about one agent; the ids of their subjects. */
    const changes = Effect.fnUntraced(function*(input: { readonly team_id?: string }) {
      const agent = yield* makeAgent(hub, owner, { ...input, monthly_budget_cents: 100 })
      const { key } = agent
      const child = yield* made("/agents/spawn", {
        key,
        body: { name: "Child", services: bindings, monthly_budget_cents: 10 }
      })
      const task = yield* made(`/agents/${agent.id}/delegated-tasks`, {
        key,
        body: { to_agent_id: child.id, goal: "Count", budget_cents: 10, services: ["echo"] }
      })
      const budget = yield* made("/budget-requests", {
        key,
        body: { amount_cents: 5, period: "month", reason: "more" }
      })
      const question = yield* made("/agent-requests", { key, body: { kind: "question", title: "Which?" } })
      const executed = yield* made("/service-requests", { key, body: text })
      const body = { ...bindings[0], approval_threshold_cents: 0 }
      expectStatus(yield* api("POST", `/agents/${agent.id}/services`, { ...as, body }), 200)
      const pending = yield* made("/service-requests", { key, body: text })
      return {
        agent,
        ids: [agent, child, task, budget, question, executed, pending, { id: pending.approval_id }].map(
          ({ id }): string => id
        )
      }
    })
    const follow = (who: Call, after = "") =>
      Effect.gen(function*() {
        const headers: Record<string, string> = who.pat === undefined
          ? { cookie: who.cookie! }
          : { authorization: `Bearer ${who.pat}` }
        const stream = yield* listenTo(
          second.url,
          "/events",
          after === "" ? headers : { ...headers, "last-event-id": after }
        )
        assert.strictEqual(yield* stream.block, ": open")
        return stream
      })
    /** The frames up to a mark, which every person receives; it is the last of them. */
    const untilMark = Effect.fnUntraced(function*(frame: Effect.Effect<Frame>, mark: number) {
      const frames: Array<Frame> = []
      for (;;) {
        const next = yield* frame
        frames.push(next)
        if (next.data.version >= mark) return frames
      }
    })
    /** A change of the wallet; its version. */
    const mark = Effect.gen(function*() {
      yield* topUp(hub, owner, 1)
      return (yield* api("GET", "/audit-logs?action=balance.*&limit=1", as)).body.data[0].seq as number
    })
    const shownTo = Effect.fnUntraced(function*(who: Call, ids: ReadonlyArray<string>) {
      const shown: Array<string> = []
      for (const [type, path] of Object.entries(lists)) {
        const { body } = expectStatus(yield* second.api("GET", `${path}?limit=200`, who), 200)
        for (const { id } of body.data) if (ids.includes(id)) shown.push(`${type} ${id}`)
      }
      return shown.sort()
    })
    return { ...hub, hub, as, team, lead, worker, outsider, changes, follow, untilMark, mark, shownTo, made }
  })

  it.effect("reach everyone whom the lists show the object, and nobody else", () =>
    Effect.gen(function*() {
      const { changes, follow, hub, lead, mark, outsider, shownTo, team, untilMark, worker } = yield* world
      const scopes = ["agents:read", "approvals:read", "requests:read", "budgets:read"]
      const readers: ReadonlyArray<Call> = [
        lead,
        worker,
        outsider,
        { pat: yield* makeToken(hub, lead, scopes) },
        { cookie: hub.owner.cookie }
      ]
      const streams = yield* Effect.forEach(readers, (who) => follow(who))
      const inTeam = yield* changes({ team_id: team })
      const outside = yield* changes({})
      const marked = yield* mark
      const ids = [...inTeam.ids, ...outside.ids]
      const counts: Array<number> = []
      for (const [at, who] of readers.entries()) {
        const frames = yield* untilMark(streams[at]!.frame, marked)
        const received = new Set(
          frames.filter(({ data, event }) => event !== "balance.changed" && ids.includes(data.subject.id)).map((
            { data, event }
          ) => `${event} ${data.subject.id}`)
        )
        const shown = yield* shownTo(who, ids)
        assert.deepStrictEqual([...received].sort(), shown, `reader ${at}`)
        counts.push(shown.length)
      }
      // A worker, and a lead's token without the permission to decide, see agents and tasks only.
      assert.deepStrictEqual(counts, [8, 3, 0, 3, 16])
    }))

  it.effect("follow a change of the agent's team at once, and end the stream when the person's role changes", () =>
    Effect.gen(function*() {
      const { api, as, changes, follow, lead, made, mark, shownTo, team, untilMark } = yield* world
      const { agent } = yield* changes({ team_id: team })
      const ask = made("/service-requests", { key: agent.key, body: text })
      const subjects = (frames: ReadonlyArray<Frame>) => frames.map(({ data }) => data.subject.id)
      const transfer = (team_id: string | null) =>
        Effect.map(
          api("POST", `/agents/${agent.id}/transfer`, { ...as, body: { team_id } }),
          (answer) => expectStatus(answer, 200)
        )
      const stream = yield* follow(lead)
      yield* transfer(null)
      const hidden = yield* ask
      const without = subjects(yield* untilMark(stream.frame, yield* mark))
      assert.notInclude(without, hidden.id)
      assert.deepStrictEqual(yield* shownTo(lead, [hidden.id]), [])
      yield* transfer(team)
      const visible = yield* ask
      const frames = yield* untilMark(stream.frame, yield* mark)
      assert.include(subjects(frames), visible.id)
      const role = (person: PersonInTest, role: string) =>
        Effect.map(
          api("PATCH", `/teams/${team}/members/${person.id}`, { ...as, body: { role } }),
          (answer) => expectStatus(answer, 200)
        )
      yield* role(lead, "worker")
      yield* stream.ended
      const resumed = yield* follow(lead, frames.at(-1)!.id)
      const later = yield* ask
      const last = yield* mark
      assert.notInclude(subjects(yield* untilMark(resumed.frame, last)), later.id)
      yield* role(lead, "lead")
      yield* resumed.ended
      const again = yield* follow(lead, frames.at(-1)!.id)
      assert.include(subjects(yield* untilMark(again.frame, last)), later.id)
    }))
})
