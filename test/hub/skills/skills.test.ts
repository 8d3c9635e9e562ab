/** Skills and skill proposals over HTTP. */
import { newId } from "@countersign/domain/ids"
import { customSkillsMax, pendingProposalsMax } from "@countersign/domain/skills"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, expectStatus, HubTest, makeAgent, makeService, TestHub } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"

const statusOf = ({ body, status }: Answer) => status < 400 ? status : `${status} ${body.error.code}`
const idsOf = ({ body }: Answer): ReadonlyArray<string> => body.data.map(({ id }: { readonly id: string }) => id)

const weather = {
  name: "weather",
  kind: "http",
  base_url: "https://weather.example",
  operations: ["today", "tomorrow", "yesterday"].map((name) => ({
    name,
    title: `The weather of ${name}`,
    method: "GET",
    path: `/${name}`,
    payload_schema: { type: "object", properties: { city: { type: "string" } } },
    price: { type: "fixed", cents: 1 }
  }))
}

layer(HubTest(), { excludeTestServices: true })("skills", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api } = hub
    const org = yield* makeWorkspace(hub)
    const admin = yield* makeSignedIn(hub, org, "admin", "Ada")
    const operator = yield* makeSignedIn(hub, org, "operator", "Otto")
    const member = yield* makeSignedIn(hub, org, "member", "Mara")
    const scout = yield* makeAgent(hub, admin)
    const helper = yield* makeAgent(hub, member, { bindings: [] })
    const propose = (agent: { readonly id: string; readonly key: string }, body: object = {}) =>
      api("POST", `/agents/${agent.id}/skill-proposals`, {
        key: agent.key,
        body: { name: "Fare check", instructions: "Compare three fares.", ...body }
      })
    const proposed = (agent: { readonly id: string; readonly key: string }, body: object = {}) =>
      Effect.map(propose(agent, body), (answer) => expectStatus(answer, 201).body)
    const decide = (who: object, agent: { readonly id: string }, id: string, body: object) =>
      api("PATCH", `/agents/${agent.id}/skill-proposals/${id}`, { ...who, body })
    const skills = (who: object, agent: { readonly id: string }, query = "") =>
      Effect.map(api("GET", `/agents/${agent.id}/skills${query}`, who), (answer) => expectStatus(answer, 200).body)
    return { hub, api, org, admin, operator, member, scout, helper, propose, proposed, decide, skills }
  })

  it.effect("of a service follow its binding: its operations, enabled services, and the end of the binding", () =>
    Effect.gen(function*() {
      const { admin, api, hub, scout, skills } = yield* world
      yield* makeService(hub, admin, weather)
      expectStatus(
        yield* api("POST", `/agents/${scout.id}/services`, {
          ...admin,
          body: { service: "weather", operations: ["today", "tomorrow"] }
        }),
        201
      )
      const all = yield* skills({ key: scout.key }, scout)
      assert.deepStrictEqual(all.data.map(({ id }: { readonly id: string }) => id), [
        "echo.say",
        "weather.today",
        "weather.tomorrow"
      ])
      assert.deepStrictEqual(all.data[1], {
        id: "weather.today",
        agent_id: scout.id,
        kind: "service",
        name: "The weather of today",
        description: "",
        input_schema: weather.operations[0]?.payload_schema,
        call: { service: "weather", operation: "today" },
        source: "binding"
      })
      for (const id of ["weather.today", "echo.say"]) {
        assert.strictEqual(
          statusOf(yield* api("DELETE", `/agents/${scout.id}/skills/${id}`, admin)),
          "409 skill_derived"
        )
      }
      assert.strictEqual(
        statusOf(yield* api("DELETE", `/agents/${scout.id}/skills/weather.yesterday`, admin)),
        "404 not_found"
      )
      expectStatus(yield* api("DELETE", `/agents/${scout.id}/services/weather`, admin), 204)
      assert.deepStrictEqual((yield* skills(admin, scout)).data.map(({ id }: { readonly id: string }) => id), [
        "echo.say"
      ])
    }))

  it.effect("are proposed by an agent for itself, and accepted or rejected once by a person", () =>
    Effect.gen(function*() {
      const { admin, api, decide, helper, proposed, scout, skills } = yield* world
      const made = yield* proposed(scout, { operations: ["echo.say"], rationale: "I do it daily." })
      const { created_at: _, id, ...rest } = made
      assert.deepStrictEqual(rest, {
        agent_id: scout.id,
        name: "Fare check",
        description: "",
        instructions: "Compare three fares.",
        operations: ["echo.say"],
        rationale: "I do it daily.",
        status: "proposed"
      })
      assert.notInclude(JSON.stringify((yield* skills(admin, scout)).data), id)
      const foreign = yield* api("POST", `/agents/${helper.id}/skill-proposals`, {
        key: scout.key,
        body: { name: "s", instructions: "x" }
      })
      assert.strictEqual(statusOf(foreign), "404 not_found")
      const answers = yield* Effect.all(
        Array.from(
          { length: 6 },
          (_, n) => decide(admin, scout, id, { status: n % 2 === 0 ? "accepted" : "rejected", comment: `${n}` })
        ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409])
      const won = answers.find(({ status }) => status === 200)?.body
      assert.deepStrictEqual(won.decided_by, { id: admin.id, name: "Ada" })
      for (const lost of answers.filter(({ status }) => status === 409)) {
        assert.deepStrictEqual(
          [lost.body.error.code, lost.body.error.data.status],
          ["conflict", won.status]
        )
      }
      assert.deepStrictEqual(
        (yield* api("GET", `/agents/${scout.id}/skill-proposals/${id}`, { key: scout.key })).body,
        won
      )
    }))

  it.effect("that were accepted are listed after those of services, page by page, until they are deleted", () =>
    Effect.gen(function*() {
      const { admin, api, decide, proposed, scout, skills } = yield* world
      const accepted: Array<string> = []
      for (const name of ["First", "Second"]) {
        const { id } = yield* proposed(scout, { name })
        expectStatus(yield* decide(admin, scout, id, { status: "accepted" }), 200)
        accepted.unshift(id)
      }
      const rejected = yield* proposed(scout, { name: "Third" })
      expectStatus(yield* decide(admin, scout, rejected.id, { status: "rejected" }), 200)
      const [, custom] = (yield* skills(admin, scout)).data
      assert.deepStrictEqual(custom, {
        id: accepted[0],
        agent_id: scout.id,
        kind: "custom",
        name: "Second",
        description: "",
        call: { instructions: "Compare three fares." },
        source: "proposal"
      })
      const walked: Array<string> = []
      for (let query = "?limit=1";;) {
        const page = yield* skills(admin, scout, query)
        walked.push(...page.data.map(({ id }: { readonly id: string }) => id))
        if (page.next_cursor === null) break
        query = `?limit=1&cursor=${page.next_cursor}`
      }
      assert.deepStrictEqual(walked, ["echo.say", ...accepted])
      const again = yield* proposed(scout, { name: "first" })
      assert.strictEqual(statusOf(yield* decide(admin, scout, again.id, { status: "accepted" })), "409 conflict")
      const path = `/agents/${scout.id}/skills/${accepted[1]}`
      expectStatus(yield* api("DELETE", path, admin), 204)
      assert.strictEqual(statusOf(yield* api("DELETE", path, admin)), "404 not_found")
      expectStatus(yield* decide(admin, scout, again.id, { status: "accepted" }), 200)
      assert.strictEqual(
        statusOf(yield* api("DELETE", `/agents/${scout.id}/skills/${rejected.id}`, admin)),
        "404 not_found"
      )
      const proposals = yield* api("GET", `/agents/${scout.id}/skill-proposals?status=accepted`, admin)
      assert.deepStrictEqual(idsOf(proposals), [again.id, ...accepted])
    }))

  it.effect("belong to the agent's owner and to people with the whole workspace; only agents:write changes them", () =>
    Effect.gen(function*() {
      const { admin, api, decide, helper, member, operator, proposed, scout } = yield* world
      const mine = yield* proposed(helper)
      const theirs = yield* proposed(scout)
      const read = (who: object, agent: { readonly id: string }, id: string) =>
        Effect.map(api("GET", `/agents/${agent.id}/skill-proposals/${id}`, who), statusOf)
      assert.deepStrictEqual(
        [
          yield* read(member, helper, mine.id),
          yield* read(member, scout, theirs.id),
          yield* read(operator, scout, theirs.id)
        ],
        [200, "404 not_found", 200]
      )
      assert.strictEqual(yield* read(admin, helper, theirs.id), "404 not_found", "a proposal of another agent")
      const refused = yield* decide(operator, scout, theirs.id, { status: "accepted" })
      assert.deepStrictEqual([refused.status, refused.body.error.data], [403, { permission: "agents:write" }])
      assert.strictEqual(statusOf(yield* decide(member, scout, theirs.id, { status: "accepted" })), "404 not_found")
      expectStatus(yield* decide(member, helper, mine.id, { status: "accepted" }), 200)
    }))

  it.effect("of an agent in a team are read by the team, and decided by its lead", () =>
    Effect.gen(function*() {
      const { admin, api, decide, hub, org, proposed, scout } = yield* world
      const lead = yield* makeSignedIn(hub, org, "member", "Lena")
      const worker = yield* makeSignedIn(hub, org, "member", "Wim")
      const team = expectStatus(yield* api("POST", "/teams", { ...admin, body: { name: "Crew" } }), 201).body.id
      for (const [person, role] of [[lead, "lead"], [worker, "worker"]] as const) {
        const body = { user_id: person.id, role }
        expectStatus(yield* api("POST", `/teams/${team}/members`, { ...admin, body }), 201)
      }
      expectStatus(yield* api("POST", `/agents/${scout.id}/transfer`, { ...admin, body: { team_id: team } }), 200)
      const { id } = yield* proposed(scout)
      const read = yield* api("GET", `/agents/${scout.id}/skill-proposals/${id}`, worker)
      assert.strictEqual(read.status, 200)
      const refused = yield* decide(worker, scout, id, { status: "accepted" })
      assert.deepStrictEqual([refused.status, refused.body.error.data], [403, { permission: "agents:write" }])
      const talk = yield* api("POST", `/agents/${scout.id}/conversations`, { ...worker, body: {} })
      assert.strictEqual(talk.status, 403)
      expectStatus(yield* decide(lead, scout, id, { status: "accepted" }), 200)
    }))

  it.effect("are limited in number, proposed and accepted", () =>
    Effect.gen(function*() {
      const { admin, decide, hub, org, propose, proposed, scout } = yield* world
      const { id } = yield* proposed(scout)
      const fill = (count: number, accepted: boolean) =>
        Effect.orDie(hub.run(Effect.flatMap(SqlClient.SqlClient, (sql) =>
          sql`insert into skill_proposals (id, org_id, agent_id, name, description, instructions, operations, rationale, status,
            created_at, decided_at)
          select u, ${org}, ${scout.id}, u, '', 'x', '{}', '', ${accepted ? "accepted" : "proposed"}, now(),
            ${accepted ? new Date() : null}::timestamptz
          from unnest(${
            Array.from({ length: count }, () =>
              newId("skp"))
          }::text[]) u`)))
      yield* fill(pendingProposalsMax - 1, false)
      assert.strictEqual(statusOf(yield* propose(scout)), "409 limit_reached")
      yield* fill(customSkillsMax, true)
      assert.strictEqual(statusOf(yield* decide(admin, scout, id, { status: "accepted" })), "409 limit_reached")
      expectStatus(yield* decide(admin, scout, id, { status: "rejected" }), 200)
      expectStatus(yield* propose(scout), 201)
    }))
})
