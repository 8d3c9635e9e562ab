/** Workflows over HTTP: definitions, versions, sharing, grants, review, exchange, and what they leave elsewhere. */
import { newId } from "@countersign/domain/ids"
import { workflowGrantsMax } from "@countersign/domain/workflows"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, expectStatus, HubTest, makeAgent, TestHub } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"

const statusOf = ({ body, status }: Answer) => status < 400 ? status : `${status} ${body.error.code}`
const idsOf = ({ body }: Answer): ReadonlyArray<string> => body.data.map(({ id }: { readonly id: string }) => id)

const say = (label: string, payload: unknown = { text: "${input.text}" }) => ({
  label,
  type: "service_call",
  config: { service: "echo", operation: "say", payload }
})
const definition = {
  steps: [say("First"), say("Second", { again: "${steps.First.output.echo.text}" })],
  edges: [{ from: "First", to: "Second", when: "output.echo.text != ''" }],
  input_schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  output: { said: "${steps.Second.output?}" }
}

layer(HubTest(), { excludeTestServices: true })("workflows", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api } = hub
    const org = yield* makeWorkspace(hub, "Harbor")
    const [owner, admin, operator, member, colleague, viewer] = yield* Effect.all(
      (["owner", "admin", "operator", "member", "member", "viewer"] as const).map((role) =>
        makeSignedIn(hub, org, role)
      )
    )
    const team = expectStatus(yield* api("POST", "/teams", { ...owner!, body: { name: newId("team") } }), 201).body.id
    for (const { id } of [member!, colleague!]) {
      expectStatus(
        yield* api("POST", `/teams/${team}/members`, { ...owner!, body: { user_id: id, role: "worker" } }),
        201
      )
    }
    const make = (who: object, body: object = {}) =>
      Effect.map(
        api("POST", "/workflows", { ...who, body: { name: "Greeting", ...body } }),
        (answer) => expectStatus(answer, 201).body
      )
    const makeVersion = (who: object, id: string, body: unknown = definition) =>
      Effect.map(
        api("POST", `/workflows/${id}/versions`, { ...who, body }),
        (answer) => expectStatus(answer, 201).body
      )
    const publish = (who: object, id: string, version: string, body: object = {}) =>
      api("POST", `/workflows/${id}/versions/${version}/publish`, { ...who, body })
    const decide = (who: object, id: string, status: string) =>
      api("PATCH", `/publish-requests/${id}`, { ...who, body: { status } })
    const get = (who: object, id: string) => api("GET", `/workflows/${id}`, who)
    return {
      hub,
      api,
      org,
      team,
      owner: owner!,
      admin: admin!,
      operator: operator!,
      member: member!,
      colleague: colleague!,
      viewer: viewer!,
      make,
      makeVersion,
      publish,
      decide,
      get
    }
  })

  it.effect("are created without versions, edited with an expected version, and audited", () =>
    Effect.gen(function*() {
      const { api, get, make, member, owner } = yield* world
      const workflow = yield* make(member, { description: "Says hello", max_cost_cents: 500 })
      const { created_at: _, id, updated_at: __, ...rest } = workflow
      assert.deepStrictEqual(rest, {
        name: "Greeting",
        description: "Says hello",
        visibility: "private",
        owner_user_id: member.id,
        max_cost_cents: 500,
        latest_version: 0,
        status: "draft",
        agents: [],
        version: 1
      })
      const patch = (body: object) => api("PATCH", `/workflows/${id}`, { ...member, body })
      const named = expectStatus(yield* patch({ name: "Hello", max_cost_cents: null, expected_version: 1 }), 200).body
      assert.deepStrictEqual([named.name, named.max_cost_cents, named.version], ["Hello", undefined, 2])
      const stale = yield* patch({ name: "Late", expected_version: 1 })
      assert.deepStrictEqual([statusOf(stale), stale.body.error.data.name], ["409 version_conflict", "Hello"])
      assert.strictEqual(statusOf(yield* patch({ visibility: "org" })), "400 invalid_request")
      assert.strictEqual(
        statusOf(yield* api("POST", "/workflows", { ...member, body: { name: " " } })),
        "400 invalid_request"
      )
      assert.strictEqual(statusOf(yield* api("DELETE", `/workflows/${id}`, member)), 204)
      assert.strictEqual(statusOf(yield* get(member, id)), "404 not_found")
      const log = yield* api("GET", `/audit-logs?subject_id=${id}`, owner)
      assert.deepStrictEqual(log.body.data.map(({ action }: { readonly action: string }) => action), [
        "workflow.deleted",
        "workflow.updated",
        "workflow.created"
      ])
    }))

  it.effect("are seen and changed by the one rule, in lists, single reads, and the search", () =>
    Effect.gen(function*() {
      const { admin, api, colleague, get, hub, make, member, operator, owner, team, viewer } = yield* world
      const stranger = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner")
      const word = newId("wfl").slice(-10)
      const name = `Zebra ${word}`
      const own = yield* make(member, { name })
      const ofTeam = yield* make(member, { name, visibility: "team", team_id: team })
      const ofOrg = yield* make(member, { name, visibility: "org" })
      const outsider = yield* makeSignedIn(hub, member.org, "member")
      const sees = {
        owner: [owner, [own, ofTeam, ofOrg]],
        admin: [admin, [own, ofTeam, ofOrg]],
        operator: [operator, [ofTeam, ofOrg]],
        viewer: [viewer, [ofTeam, ofOrg]],
        member: [member, [own, ofTeam, ofOrg]],
        colleague: [colleague, [ofTeam, ofOrg]],
        outsider: [outsider, [ofOrg]],
        stranger: [stranger, []]
      } as const
      for (const [role, [who, expected]] of Object.entries(sees)) {
        const ids = expected.map(({ id }) => id).sort()
        assert.deepStrictEqual([...idsOf(yield* api("GET", `/workflows?q=${word}`, who))].sort(), ids, role)
        const found = (yield* api("GET", `/search?q=${word}`, who)).body.data
        assert.deepStrictEqual(found.map(({ id }: { readonly id: string }) => id).sort(), ids, role)
        for (const { id } of [own, ofTeam, ofOrg]) {
          assert.strictEqual((yield* get(who, id)).status, ids.includes(id) ? 200 : 404, role)
        }
        const changes = (yield* api("PATCH", `/workflows/${ofOrg.id}`, { ...who, body: {} })).status
        const mayChange = role === "owner" || role === "admin" || role === "member"
        assert.strictEqual(changes, mayChange ? 200 : role === "stranger" ? 404 : 403, role)
      }
      const share = (who: object, body: object) => api("POST", `/workflows/${own.id}/share`, { ...who, body })
      assert.strictEqual(statusOf(yield* share(member, { visibility: "team" })), "400 invalid_request")
      assert.strictEqual(statusOf(yield* share(member, { visibility: "org", team_id: team })), "400 invalid_request")
      assert.strictEqual(
        statusOf(yield* share(member, { visibility: "team", team_id: newId("team") })),
        "400 invalid_request"
      )
      assert.strictEqual(statusOf(yield* share(colleague, { visibility: "org" })), "404 not_found")
      const shared = expectStatus(yield* share(member, { visibility: "team", team_id: team, expected_version: 1 }), 200)
      assert.deepStrictEqual([shared.body.visibility, shared.body.team_id, shared.body.version], ["team", team, 2])
      assert.strictEqual((yield* get(colleague, own.id)).status, 200)
      assert.strictEqual(
        statusOf(yield* share(member, { visibility: "private", expected_version: 1 })),
        "409 version_conflict"
      )
      // Pages of every order have each workflow once.
      for (const sort of ["created_at", "-created_at", "name", "-updated_at"]) {
        const pages: Array<string> = []
        let next = ""
        for (let page = 0; page < 3; page++) {
          const answer = yield* api("GET", `/workflows?q=${word}&limit=1&sort=${sort}${next}`, member)
          pages.push(...idsOf(answer))
          next = `&cursor=${answer.body.next_cursor}`
        }
        assert.deepStrictEqual(pages.sort(), [own.id, ofTeam.id, ofOrg.id].sort(), sort)
      }
    }))

  it.effect("refuse a definition with every fault and its path, save nothing on a dry run, and warn of what is missing", () =>
    Effect.gen(function*() {
      const { api, get, make, makeVersion, member, viewer } = yield* world
      const { id } = yield* make(member, { visibility: "org" })
      const version = (body: unknown, query = "", who: object = member) =>
        api("POST", `/workflows/${id}/versions${query}`, { ...who, body })
      const pathsOf = ({ body }: Answer) => body.error.details.map(({ path }: { readonly path: string }) => path)
      const faulty = {
        steps: [say("A", { x: "${steps.B.output}", y: "${nothing}" }), say("B"), say("A")],
        edges: [{ from: "A", to: "B" }, { from: "B", to: "A" }, { from: "B", to: "C", when: "1 +" }]
      }
      for (const query of ["", "?dry_run=true"]) {
        const answer = yield* version(faulty, query)
        assert.strictEqual(statusOf(answer), "400 invalid_request")
        assert.includeMembers(pathsOf(answer), [
          "steps.2.label",
          "edges.2.to",
          "edges.1",
          "steps.0.config.payload.y",
          "edges.2.when"
        ])
      }
      const shapes = yield* version({
        steps: [
          { label: "1x", type: "service_call", config: { service: "echo", operation: "say" } },
          { label: "B", type: "delay", config: {} },
          { label: "C", type: "teleport", config: {} },
          { label: "D", type: "webhook", config: { url: "https://x.test", color: "red" } }
        ],
        edges: [{ from: "B" }]
      })
      assert.includeMembers(pathsOf(shapes), ["steps.0.label", "steps.1.config", "steps.3.config.color", "edges.0.to"])
      assert.isTrue(pathsOf(shapes).some((path: string) => path.startsWith("steps.2")))
      assert.strictEqual(statusOf(yield* version(definition, "?dry_run=true", viewer)), "403 forbidden")
      assert.deepStrictEqual(expectStatus(yield* version(definition, "?dry_run=true"), 200).body, { valid: true })
      assert.strictEqual((yield* get(member, id)).body.latest_version, 0)

      const made = yield* makeVersion(member, id)
      assert.deepStrictEqual(
        [made.number, made.steps, made.edges, made.input_schema, made.output, made.created_by.id, made.warnings],
        [1, definition.steps, definition.edges, definition.input_schema, definition.output, member.id, undefined]
      )
      const missing = yield* makeVersion(member, id, {
        steps: [
          { label: "A", type: "service_call", config: { service: "ehco", operation: "say" } },
          { label: "B", type: "service_call", config: { service: "echo", operation: "sya" } },
          { label: "C", type: "run_workflow", config: { workflow_id: newId("wfl") } },
          {
            label: "D",
            type: "delegation",
            config: { to_agent_id: newId("agt"), goal: "g", budget_cents: 1, services: ["x"] }
          },
          { label: "E", type: "webhook", config: { url: "https://x.test", secret: "hook_key" } },
          { label: "F", type: "approval", config: { title: "t", deciders: { user_ids: [newId("usr")] } } },
          { label: "G", type: "service_call", config: { service: "storage", operation: "put", payload: { key: 5 } } },
          { label: "H", type: "service_call", config: { service: "storage", operation: "get", payload: "${input}" } }
        ],
        edges: []
      })
      assert.deepStrictEqual(missing.warnings.map(({ path }: { readonly path: string }) => path), [
        "steps.0.config.service",
        "steps.1.config.operation",
        "steps.3.config.services.0",
        "steps.6.config.payload.content_type",
        "steps.6.config.payload.content",
        "steps.6.config.payload.key",
        "steps.4.config.secret",
        "steps.3.config.to_agent_id",
        "steps.2.config.workflow_id",
        "steps.5.config.deciders.user_ids.0"
      ])
      const newest = (yield* get(member, id)).body
      assert.deepStrictEqual([newest.latest_version, newest.latest_version_id], [2, missing.id])
      const page = yield* api("GET", `/workflows/${id}/versions?limit=1`, viewer)
      assert.deepStrictEqual(idsOf(page), [missing.id])
      const rest = yield* api("GET", `/workflows/${id}/versions?cursor=${page.body.next_cursor}`, viewer)
      assert.deepStrictEqual([idsOf(rest), rest.body.next_cursor], [[made.id], null])
      assert.deepStrictEqual((yield* api("GET", `/workflows/${id}/versions/${made.id}`, viewer)).body, made)
      assert.strictEqual(
        statusOf(yield* api("GET", `/workflows/${id}/versions/${newId("wfv")}`, viewer)),
        "404 not_found"
      )
      // Concurrent versions get their own numbers.
      const numbers = yield* Effect.all(Array.from({ length: 6 }, () => makeVersion(member, id)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(numbers.map(({ number }) => number).sort(), [3, 4, 5, 6, 7, 8])
    }))

  it.effect("go live by a review, one version at a time, and stop by unpublish, revocation, and deletion", () =>
    Effect.gen(function*() {
      const { admin, api, decide, get, make, makeVersion, member, owner, publish, viewer } = yield* world
      const { id } = yield* make(member, { visibility: "org", description: "Says hello" })
      const one = yield* makeVersion(member, id)
      const two = yield* makeVersion(member, id)
      const live = Effect.map(get(member, id), ({ body }) => [body.status, body.live_version_id, body.live_version])
      assert.strictEqual(statusOf(yield* publish(viewer, id, one.id)), "403 forbidden")
      assert.strictEqual(statusOf(yield* publish(member, id, newId("wfv"))), "404 not_found")
      const request = expectStatus(yield* publish(member, id, one.id, { note: "Please" }), 201).body
      const { created_at: _, ...shown } = request
      assert.deepStrictEqual(shown, {
        id: request.id,
        subject: { type: "workflow", id },
        version_id: one.id,
        scope: "org",
        listed: false,
        name: "Greeting",
        description: "Says hello",
        icon: null,
        category: null,
        note: "Please",
        status: "pending",
        requested_by: { id: member.id, name: "member" }
      })
      assert.deepStrictEqual((yield* get(member, id)).body.publish_request, { id: request.id, version_id: one.id })
      const newer = expectStatus(yield* publish(member, id, two.id, { listed: true }), 201).body
      assert.strictEqual((yield* api("GET", `/publish-requests/${request.id}`, member)).body.status, "withdrawn")
      assert.strictEqual(statusOf(yield* decide(admin, request.id, "approved")), "409 conflict")
      assert.deepStrictEqual(yield* live, ["pending_review", undefined, undefined])
      // Of racing decisions one counts.
      const decided = yield* Effect.all(
        [admin, owner, admin, owner].map((who) => decide(who, newer.id, "approved")),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(decided.map(({ status }) => status).sort(), [200, 409, 409, 409])
      assert.deepStrictEqual(yield* live, ["published", two.id, 2])
      const listed = (yield* api("GET", "/marketplace/listings?q=Greeting", viewer)).body.data
      assert.deepStrictEqual(listed.map(({ kind }: { readonly kind: string }) => kind), ["workflow"])

      const third = expectStatus(yield* publish(member, id, one.id), 201).body
      assert.deepStrictEqual(yield* live, ["pending_review", two.id, 2], "the live version stays during a review")
      expectStatus(yield* decide(admin, third.id, "rejected"), 200)
      assert.deepStrictEqual(yield* live, ["published", two.id, 2])
      expectStatus(yield* decide(admin, expectStatus(yield* publish(member, id, one.id), 201).body.id, "approved"), 200)
      assert.deepStrictEqual(yield* live, ["published", one.id, 1])
      const active = yield* api("GET", "/publications?status=active", owner)
      assert.deepStrictEqual(active.body.data.map(({ version_id }: { readonly version_id: string }) => version_id), [
        one.id
      ])

      const ended = expectStatus(yield* api("POST", `/workflows/${id}/unpublish`, member), 200).body
      assert.deepStrictEqual([ended.status, ended.live_version_id], ["draft", undefined])
      assert.strictEqual(statusOf(yield* api("POST", `/workflows/${id}/unpublish`, member)), "409 conflict")
      const again = expectStatus(yield* publish(member, id, two.id), 201).body
      const { publication_id } = expectStatus(yield* decide(admin, again.id, "approved"), 200).body
      expectStatus(yield* api("POST", `/publications/${publication_id}/revoke`, admin), 200)
      assert.deepStrictEqual(yield* live, ["draft", undefined, undefined])
      const last = expectStatus(yield* publish(member, id, two.id), 201).body
      expectStatus(yield* api("DELETE", `/workflows/${id}`, member), 204)
      assert.strictEqual((yield* api("GET", `/publish-requests/${last.id}`, member)).body.status, "withdrawn")
      const log = yield* api("GET", `/audit-logs?subject_id=${id}&limit=200`, owner)
      const actions = new Set(log.body.data.map(({ action }: { readonly action: string }) => action))
      for (const action of ["workflow.version_created", "workflow.published", "workflow.unpublished"]) {
        assert.isTrue(actions.has(action), action)
      }
    }))

  it.effect("publish a team's workflow to the team, and hide the publication of a private one", () =>
    Effect.gen(function*() {
      const { admin, api, colleague, decide, make, makeVersion, member, publish, team } = yield* world
      const ofTeam = yield* make(member, { visibility: "team", team_id: team })
      const request = expectStatus(
        yield* publish(member, ofTeam.id, (yield* makeVersion(member, ofTeam.id)).id),
        201
      ).body
      assert.deepStrictEqual([request.scope, request.team_id], ["team", team])
      assert.strictEqual(
        statusOf(yield* publish(member, ofTeam.id, request.version_id, { scope: "team", team_id: team, listed: true })),
        "400 invalid_request"
      )
      const own = yield* make(member)
      const asked = expectStatus(yield* publish(member, own.id, (yield* makeVersion(member, own.id)).id), 201).body
      const { publication_id } = expectStatus(yield* decide(admin, asked.id, "approved"), 200).body
      assert.notInclude(idsOf(yield* api("GET", "/publications", colleague)), publication_id)
      assert.include(idsOf(yield* api("GET", "/publications", member)), publication_id)
    }))

  it.effect("are granted to agents by people with the right to change the agent, and are then skills of the agent", () =>
    Effect.gen(function*() {
      const { admin, api, colleague, decide, get, hub, make, makeVersion, member, publish, viewer } = yield* world
      const { id } = yield* make(member, { visibility: "org" })
      const mine = yield* makeAgent(hub, member, { name: "Mine", bindings: [] })
      const theirs = yield* makeAgent(hub, colleague, { name: "Theirs", bindings: [] })
      const grant = (who: object, agent: string) =>
        api("POST", `/workflows/${id}/agents`, { ...who, body: { agent_id: agent } })
      const revoke = (who: object, agent: string) => api("DELETE", `/workflows/${id}/agents?agent_id=${agent}`, who)
      const granted = expectStatus(yield* grant(member, mine.id), 201)
      assert.deepStrictEqual([granted.body.workflow_id, granted.body.agent_id, granted.body.agent_name], [
        id,
        mine.id,
        "Mine"
      ])
      assert.deepStrictEqual(expectStatus(yield* grant(member, mine.id), 200).body, granted.body)
      assert.strictEqual(statusOf(yield* grant(member, theirs.id)), "404 not_found")
      assert.strictEqual(statusOf(yield* grant(member, newId("agt"))), "404 not_found")
      assert.strictEqual(statusOf(yield* grant(viewer, mine.id)), "403 forbidden")
      expectStatus(yield* grant(colleague, theirs.id), 201)
      assert.deepStrictEqual((yield* get(member, id)).body.agents, [
        { id: mine.id, name: "Mine" },
        { id: theirs.id, name: "Theirs" }
      ])
      assert.deepStrictEqual((yield* get(colleague, id)).body.agents, [{ id: theirs.id, name: "Theirs" }])
      assert.deepStrictEqual(idsOf(yield* api("GET", `/workflows?agent_id=${mine.id}`, member)), [id])
      const clone = expectStatus(yield* api("POST", `/agents/${mine.id}/clone`, { ...member, body: {} }), 201).body
      assert.deepStrictEqual(idsOf(yield* api("GET", `/workflows?agent_id=${clone.id}`, member)), [id])
      expectStatus(yield* api("DELETE", `/agents/${clone.id}`, member), 204)

      const skills = Effect.map(api("GET", `/agents/${mine.id}/skills`, { key: mine.key }), ({ body }) => body.data)
      assert.deepStrictEqual(yield* skills, [], "without a live version")
      const version = yield* makeVersion(member, id)
      expectStatus(
        yield* decide(admin, expectStatus(yield* publish(member, id, version.id), 201).body.id, "approved"),
        200
      )
      assert.deepStrictEqual(yield* skills, [{
        id,
        agent_id: mine.id,
        kind: "workflow",
        name: "Greeting",
        description: "",
        input_schema: definition.input_schema,
        call: { workflow_id: id },
        source: "grant"
      }])
      assert.strictEqual(statusOf(yield* api("DELETE", `/agents/${mine.id}/skills/${id}`, member)), "409 skill_derived")
      const { workflows } = expectStatus(yield* api("GET", "/agent-docs", { key: mine.key }), 200).body
      assert.deepStrictEqual(workflows.data, [{ id, name: "Greeting", input_schema: definition.input_schema }])

      assert.strictEqual(statusOf(yield* revoke(colleague, mine.id)), "404 not_found")
      assert.strictEqual(statusOf(yield* api("DELETE", `/workflows/${id}/agents`, member)), "400 invalid_request")
      assert.strictEqual(statusOf(yield* revoke(member, theirs.id)), 204, "the workflow's owner ends every grant")
      assert.strictEqual(statusOf(yield* revoke(member, theirs.id)), "404 not_found")
      expectStatus(yield* api("DELETE", `/agents/${mine.id}`, member), 204)
      assert.deepStrictEqual((yield* get(member, id)).body.agents, [])
      const activity = yield* api("GET", `/agents/${theirs.id}/activity?limit=200`, colleague)
      assert.includeMembers(activity.body.data.map(({ action }: { readonly action: string }) => action), [
        "workflow.granted",
        "workflow.grant_revoked"
      ])
    }))

  it.effect("are not deleted while runs have not ended, unless forced, which cancels them", () =>
    Effect.gen(function*() {
      const { api, hub, make, makeVersion, member } = yield* world
      const { id } = yield* make(member)
      const version = yield* makeVersion(member, id, {
        steps: [{ label: "Wait", type: "delay", config: { seconds: 3_600 } }],
        edges: []
      })
      const agent = yield* makeAgent(hub, member, { bindings: [] })
      expectStatus(yield* api("POST", `/workflows/${id}/agents`, { ...member, body: { agent_id: agent.id } }), 201)
      const body = { input: {}, version_id: version.id, mode: "test" }
      const { run } = expectStatus(yield* api("POST", `/workflows/${id}/runs`, { ...member, body }), 202).body
      const refused = yield* api("DELETE", `/workflows/${id}`, member)
      assert.deepStrictEqual([statusOf(refused), refused.body.error.data], ["409 run_active", { runs: 1 }])
      expectStatus(yield* api("DELETE", `/workflows/${id}?force=true`, member), 204)
      const statusNow = Effect.map(api("GET", `/workflow-runs/${run.id}`, member), ({ body }) => body.status)
      while ((yield* statusNow) !== "cancelled") yield* Effect.sleep("20 millis")
    }))

  it.effect("stop at the limit of grants", () =>
    Effect.gen(function*() {
      const { api, hub, make, member } = yield* world
      const { id } = yield* make(member)
      const agent = yield* makeAgent(hub, member, { bindings: [] })
      yield* hub.run(
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          yield* sql`insert into agents (id, org_id, name, kind, description, owner_user_id, created_at, updated_at)
          select 'agt_' || lpad(n::text, 26, '0'), ${member.org}, 'a', 'standard', '', ${member.id}, now(), now()
          from generate_series(1, ${workflowGrantsMax}) n`
          yield* sql`insert into workflow_grants (workflow_id, agent_id, org_id, granted_by, created_at)
          select ${id}, 'agt_' || lpad(n::text, 26, '0'), ${member.org}, ${member.id}, now()
          from generate_series(1, ${workflowGrantsMax}) n`
        }).pipe(Effect.orDie)
      )
      const full = yield* api("POST", `/workflows/${id}/agents`, { ...member, body: { agent_id: agent.id } })
      assert.strictEqual(statusOf(full), "409 limit_reached")
    }))

  it.effect("are imported from an export unchanged, in another workspace too, and made from templates", () =>
    Effect.gen(function*() {
      const { api, decide, hub, make, makeVersion, member, owner, publish, viewer } = yield* world
      const { id } = yield* make(member, { visibility: "org", description: "Says hello", max_cost_cents: 9 })
      const path = `/workflows/${id}/export`
      const empty = expectStatus(yield* api("GET", path, viewer), 200).body
      assert.deepStrictEqual(empty, {
        format: "countersign-workflow/1",
        name: "Greeting",
        description: "Says hello",
        max_cost_cents: 9
      })
      const first = yield* makeVersion(member, id)
      yield* makeVersion(member, id, { steps: [say("Other")], edges: [] })
      expectStatus(
        yield* decide(owner, expectStatus(yield* publish(member, id, first.id), 201).body.id, "approved"),
        200
      )
      const exported = expectStatus(yield* api("GET", path, viewer), 200).body
      assert.deepStrictEqual(exported, { ...empty, definition }, "the live version")
      const other = expectStatus(
        yield* api(
          "GET",
          `${path}?version_id=${(yield* api("GET", `/workflows/${id}`, member)).body.latest_version_id}`,
          viewer
        ),
        200
      )
      assert.deepStrictEqual(other.body.definition.steps, [say("Other")])
      const stranger = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "member")
      for (const body of [empty, exported, other.body]) {
        const imported = expectStatus(yield* api("POST", "/workflows/import", { ...stranger, body }), 201).body
        assert.deepStrictEqual(
          [imported.visibility, imported.owner_user_id, imported.latest_version, imported.status],
          ["private", stranger.id, body.definition === undefined ? 0 : 1, "draft"]
        )
        assert.deepStrictEqual((yield* api("GET", `/workflows/${imported.id}/export`, stranger)).body, body)
      }
      const broken = { ...exported, definition: { ...definition, edges: [{ from: "First", to: "Third" }] } }
      const refused = yield* api("POST", "/workflows/import", { ...stranger, body: broken })
      assert.deepStrictEqual(refused.body.error.details?.map(({ path }: { readonly path: string }) => path), [
        "definition.edges.0.to",
        "definition.steps.1.config.payload.again"
      ])
      const templates = expectStatus(yield* api("GET", "/workflow-templates", viewer), 200).body
      assert.isAtLeast(templates.data.length, 10)
      assert.strictEqual(templates.next_cursor, null)
      const [template] = templates.data
      const from = (who: object, body: object) => api("POST", "/workflows/from-template", { ...who, body })
      const made = expectStatus(yield* from(member, { template_id: template.id, name: "Mine" }), 201).body
      assert.deepStrictEqual([made.name, made.description, made.latest_version], ["Mine", template.description, 1])
      assert.strictEqual(statusOf(yield* from(member, { template_id: newId("tpl") })), "400 invalid_request")
    }))

  it.effect("pass to the person who takes over from a removed member, or to nobody", () =>
    Effect.gen(function*() {
      const { api, get, make, member, owner, colleague } = yield* world
      const kept = yield* make(member)
      const holdings = expectStatus(yield* api("GET", `/members/${member.id}/holdings`, owner), 200).body
      assert.deepStrictEqual(holdings.workflows, { count: 1, data: [{ id: kept.id, name: "Greeting" }] })
      expectStatus(
        yield* api("DELETE", `/members/${member.id}`, { ...owner, body: { transfer_to: colleague.id } }),
        204
      )
      assert.strictEqual((yield* get(colleague, kept.id)).body.owner_user_id, colleague.id)
      expectStatus(yield* api("DELETE", `/members/${colleague.id}`, owner), 204)
      assert.strictEqual((yield* get(owner, kept.id)).body.owner_user_id, null)
    }))
})
