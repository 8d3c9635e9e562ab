/** Agent requests over HTTP: two agents, people of every role, and two hubs over one database. */
import { openAgentRequestsMax } from "@countersign/domain/agent-requests"
import { newId } from "@countersign/domain/ids"
import { AgentRequestsRepository } from "@countersign/hub/agent-requests/repository"
import { AgentRequestSweeper } from "@countersign/hub/agent-requests/sweeper"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, expectStatus, HubTest, makeAgent, startHub, TestHub } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"

const statusOf = ({ body, status }: Answer) => status < 400 ? status : `${status} ${body.error.code}`
const idsOf = ({ body }: Answer) => body.data.map(({ id }: { readonly id: string }) => id)

layer(HubTest(), { excludeTestServices: true })("agent requests", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api } = hub
    const org = yield* makeWorkspace(hub)
    const operator = yield* makeSignedIn(hub, org, "operator", "Otto")
    const viewer = yield* makeSignedIn(hub, org, "viewer", "Vera")
    const admin = yield* makeSignedIn(hub, org, "admin", "Ada")
    const member = yield* makeSignedIn(hub, org, "member", "Mara")
    const scout = yield* makeAgent(hub, admin, { bindings: [] })
    const helper = yield* makeAgent(hub, member, { bindings: [] })
    const ask = (agent: { readonly key: string }, body: object = {}) =>
      api("POST", "/agent-requests", {
        key: agent.key,
        body: { kind: "question", title: "Which color?", ...body }
      })
    const asked = (agent: { readonly key: string }, body: object = {}) =>
      Effect.map(ask(agent, body), (answer) => expectStatus(answer, 201).body)
    const answer = (who: object, id: string, body: object) => api("PATCH", `/agent-requests/${id}`, { ...who, body })
    return { hub, api, org, operator, viewer, admin, member, scout, helper, ask, asked, answer }
  })

  it.effect("are created by an agent, read by the agent and by people, and answered once", () =>
    Effect.gen(function*() {
      const { answer, api, ask, operator, scout } = yield* world
      const expires = new Date(Date.now() + 3_600_000).toISOString()
      const made = yield* ask(scout, { body: "Red or blue", options: ["red", "blue"], expires_at: expires })
      const { body: request } = expectStatus(made, 201)
      assert.strictEqual(made.headers.get("location"), `/api/v1/agent-requests/${request.id}`)
      const { created_at: _, id, ...rest } = request
      assert.deepStrictEqual(rest, {
        agent_id: scout.id,
        kind: "question",
        title: "Which color?",
        body: "Red or blue",
        options: ["red", "blue"],
        status: "open",
        expires_at: expires
      })
      for (const who of [{ key: scout.key }, operator]) {
        assert.deepStrictEqual((yield* api("GET", `/agent-requests/${id}`, who)).body, request)
      }
      const other = yield* answer(operator, id, { status: "answered", answer: "green" })
      assert.deepStrictEqual([other.status, other.body.error.details[0].path], [400, "answer"])
      assert.strictEqual(statusOf(yield* answer(operator, id, { status: "answered" })), "400 invalid_request")
      const answered = expectStatus(
        yield* answer(operator, id, { status: "answered", answer: "blue", comment: "calmer" }),
        200
      ).body
      assert.deepStrictEqual(
        [answered.status, answered.answer, answered.comment, answered.answered_by],
        ["answered", "blue", "calmer", { id: operator.id, name: "Otto" }]
      )
      assert.deepStrictEqual((yield* api("GET", `/agent-requests/${id}`, { key: scout.key })).body, answered)
      const second = yield* answer(operator, id, { status: "dismissed" })
      assert.deepStrictEqual([statusOf(second), second.body.error.data], ["409 conflict", {
        status: "answered",
        answered_by: answered.answered_by,
        answered_at: answered.answered_at
      }])
    }))

  it.effect("take one of several racing decisions", () =>
    Effect.gen(function*() {
      const { admin, answer, api, asked, operator, scout } = yield* world
      const { id } = yield* asked(scout)
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, (_, n) =>
          n % 2 === 0
            ? answer(admin, id, { status: "answered", answer: `answer ${n}` })
            : answer(operator, id, { status: "dismissed", comment: `comment ${n}` })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 7 }, () => 409)])
      const winner = answers.find(({ status }) => status === 200)
      assert.deepStrictEqual((yield* api("GET", `/agent-requests/${id}`, admin)).body, winner?.body)
      const trail = yield* api("GET", `/audit-logs?subject_id=${id}`, admin)
      assert.deepStrictEqual(
        trail.body.data.map(({ action }: { readonly action: string }) => action),
        [`agent_request.${winner?.body.status}`, "agent_request.created"]
      )
    }))

  it.effect("are visible to their agent, to the agent's owner, and to people who see the whole workspace", () =>
    Effect.gen(function*() {
      const { admin, answer, api, asked, helper, hub, member, operator, scout, viewer } = yield* world
      const first = yield* asked(scout)
      const second = yield* asked(helper, { kind: "handoff", title: "Take over" })
      const stranger = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner")
      const list = (who: object, query = "") =>
        Effect.map(api("GET", `/agent-requests${query}`, who), (answer) => idsOf(expectStatus(answer, 200)))
      for (const who of [admin, operator, viewer]) assert.deepStrictEqual(yield* list(who), [second.id, first.id])
      assert.deepStrictEqual(yield* list(member), [second.id])
      assert.deepStrictEqual(yield* list({ key: scout.key }), [first.id])
      assert.deepStrictEqual(yield* list({ key: scout.key }, `?agent_id=${helper.id}`), [])
      assert.deepStrictEqual(yield* list(stranger), [])
      assert.deepStrictEqual(yield* list(admin, "?kind=handoff"), [second.id])
      assert.deepStrictEqual(yield* list(admin, `?agent_id=${scout.id}`), [first.id])
      const page = yield* api("GET", "/agent-requests?limit=1", admin)
      assert.deepStrictEqual(yield* list(admin, `?limit=1&cursor=${page.body.next_cursor}`), [first.id])
      for (const who of [member, { key: helper.key }, stranger]) {
        assert.strictEqual(statusOf(yield* api("GET", `/agent-requests/${first.id}`, who)), "404 not_found")
      }
      for (const who of [member, viewer]) {
        const refused = yield* answer(who, second.id, { status: "dismissed" })
        assert.deepStrictEqual([refused.status, refused.body.error.data], [403, { permission: "approvals:decide" }])
      }
      expectStatus(yield* answer(operator, second.id, { status: "answered" }), 200)
      assert.deepStrictEqual(yield* list(admin, "?status=open"), [first.id])
      assert.deepStrictEqual(yield* list(admin, "?status=answered"), [second.id])
    }))

  it.effect("are read and answered by the lead of the agent's team, in that team only", () =>
    Effect.gen(function*() {
      const { admin, answer, api, asked, helper, hub, org, scout } = yield* world
      const lead = yield* makeSignedIn(hub, org, "member", "Lena")
      const worker = yield* makeSignedIn(hub, org, "member", "Wim")
      const team = expectStatus(yield* api("POST", "/teams", { ...admin, body: { name: "Crew" } }), 201).body.id
      for (const [person, role] of [[lead, "lead"], [worker, "worker"]] as const) {
        const body = { user_id: person.id, role }
        expectStatus(yield* api("POST", `/teams/${team}/members`, { ...admin, body }), 201)
      }
      expectStatus(
        yield* api("POST", `/agents/${scout.id}/transfer`, { ...admin, body: { team_id: team } }),
        200
      )
      const inTeam = yield* asked(scout)
      const elsewhere = yield* asked(helper)
      assert.deepStrictEqual(idsOf(yield* api("GET", "/agent-requests", lead)), [inTeam.id])
      assert.deepStrictEqual(idsOf(yield* api("GET", "/agent-requests", worker)), [])
      assert.strictEqual((yield* api("GET", "/approvals/counts", lead)).body.agent_requests, 1)
      assert.strictEqual((yield* api("GET", "/approvals/counts", worker)).body.agent_requests, 0)
      const dismiss = { status: "dismissed" }
      assert.strictEqual(statusOf(yield* answer(worker, inTeam.id, dismiss)), "403 forbidden")
      assert.strictEqual(statusOf(yield* answer(lead, elsewhere.id, dismiss)), "404 not_found")
      const answered = expectStatus(yield* answer(lead, inTeam.id, dismiss), 200).body
      assert.strictEqual(answered.answered_by.id, lead.id)
    }))

  it.effect("are counted beside pending approvals and budget requests, by workspace and role", () =>
    Effect.gen(function*() {
      const { admin, answer, api, asked, helper, member, org, scout } = yield* world
      const { id } = yield* asked(scout)
      yield* asked(scout)
      yield* asked(helper)
      for (const { key } of [scout, helper]) {
        const body = { amount_cents: 1, period: "month", reason: "One more" }
        expectStatus(yield* api("POST", "/budget-requests", { key, body }), 201)
      }
      const counts = (who: object) =>
        Effect.map(api("GET", "/approvals/counts", who), (answer) => {
          const { as_of: _, ...rest } = expectStatus(answer, 200).body
          return rest
        })
      const all = { pending: 0, agent_requests: 3, budget_requests: 2 }
      assert.deepStrictEqual(yield* counts(admin), { ...all, data: [{ workspace: org, ...all }] })
      const own = { pending: 0, agent_requests: 1, budget_requests: 1 }
      assert.deepStrictEqual(yield* counts(member), { ...own, data: [{ workspace: org, ...own }] })
      expectStatus(yield* answer(admin, id, { status: "dismissed" }), 200)
      assert.strictEqual((yield* counts(admin)).agent_requests, 2)
    }))

  it.effect("name a person without a name by their address for people, and not at all for agents", () =>
    Effect.gen(function*() {
      const { answer, api, asked, hub, org, scout } = yield* world
      const nameless = yield* makeSignedIn(hub, org, "operator", "")
      const { id } = yield* asked(scout)
      const { body } = expectStatus(yield* answer(nameless, id, { status: "dismissed" }), 200)
      assert.deepStrictEqual(body.answered_by, { id: nameless.id, name: nameless.email })
      const read = yield* api("GET", `/agent-requests/${id}`, { key: scout.key })
      assert.deepStrictEqual(read.body.answered_by, { id: nameless.id, name: "" })
    }))

  it.effect("are answered to a waiting agent on another hub", () =>
    Effect.gen(function*() {
      const { answer, api, asked, hub, operator, scout } = yield* world
      const elsewhere = yield* startHub({ database: hub.target })
      const { id } = yield* asked(scout)
      const waiting = yield* Effect.forkChild(
        elsewhere.api("GET", `/agent-requests/${id}?wait=30`, { key: scout.key })
      )
      const here = yield* Effect.forkChild(api("GET", `/agent-requests/${id}?wait=30`, operator))
      const answered = expectStatus(yield* answer(operator, id, { status: "answered", answer: "red" }), 200)
      assert.deepStrictEqual((yield* Fiber.join(waiting)).body, answered.body)
      assert.deepStrictEqual((yield* Fiber.join(here)).body, answered.body)
      const now = yield* asked(scout)
      assert.strictEqual((yield* api("GET", `/agent-requests/${now.id}?wait=0`, operator)).body.status, "open")
    }).pipe(Effect.scoped))

  it.effect("expire by themselves, and are dismissed when their agent is deleted; a waiting person sees both", () =>
    Effect.gen(function*() {
      const { admin, answer, api, asked, helper, hub, member, scout } = yield* world
      const late = yield* asked(scout, { expires_at: new Date(Date.now() + 3_600_000).toISOString() })
      const orphan = yield* asked(helper)
      const waiting = yield* Effect.all(
        [late, orphan].map(({ id }) => Effect.forkChild(api("GET", `/agent-requests/${id}?wait=30`, admin)))
      )
      yield* Effect.orDie(
        hub.run(
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) =>
              sql`update agent_requests set expires_at = hub_time_or_last() - interval '1 second' where id = ${late.id}`
          )
        )
      )
      expectStatus(yield* api("DELETE", `/agents/${helper.id}`, member), 204)
      const [expired, dismissed] = yield* Effect.all(waiting.map((fiber) => Fiber.join(fiber)))
      assert.deepStrictEqual([expired?.body.status, dismissed?.body.status], ["expired", "dismissed"])
      for (const { id } of [late, orphan]) {
        assert.strictEqual(statusOf(yield* answer(admin, id, { status: "dismissed" })), "409 conflict")
      }
      // Rounds that race write one entry.
      yield* hub.run(Effect.flatMap(AgentRequestSweeper, ({ round }) =>
        Effect.all([round, round, round], {
          concurrency: 3
        })))
      const actions = Effect.fnUntraced(function*(id: string) {
        const { body } = yield* api("GET", `/audit-logs?subject_id=${id}`, admin)
        return body.data.map(({ action, actor }: { action: string; actor: { type: string } }) => [action, actor.type])
      })
      assert.deepStrictEqual(yield* actions(late.id), [["agent_request.expired", "hub"], [
        "agent_request.created",
        "agent"
      ]])
      assert.deepStrictEqual(yield* actions(orphan.id), [["agent_request.dismissed", "hub"], [
        "agent_request.created",
        "agent"
      ]])
      const due = yield* hub.run(Effect.flatMap(AgentRequestsRepository, (repository) => repository.due(10)))
      assert.deepStrictEqual(due, [])
    }))

  it.effect("are refused with an expiry in the past or too far ahead, and beyond the number of open ones", () =>
    Effect.gen(function*() {
      const { answer, ask, asked, helper, hub, operator, org, scout } = yield* world
      for (const expires_at of ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z", "soon", "2030-13-01T00:00:00Z"]) {
        const refused = yield* ask(scout, { expires_at })
        assert.deepStrictEqual([refused.status, refused.body.error.details[0].path], [400, "expires_at"], expires_at)
      }
      const { id } = yield* asked(scout)
      yield* Effect.orDie(
        hub.run(
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) =>
              sql`insert into agent_requests (id, org_id, agent_id, kind, title, body, created_at)
        select u, ${org}, ${scout.id}, 'question', 't', '', now()
        from unnest(${Array.from({ length: openAgentRequestsMax - 1 }, () => newId("arq"))}::text[]) u`
          )
        )
      )
      assert.strictEqual(statusOf(yield* ask(scout)), "409 limit_reached")
      expectStatus(yield* ask(helper), 201)
      expectStatus(yield* answer(operator, id, { status: "dismissed" }), 200)
      expectStatus(yield* ask(scout), 201)
    }))
})
