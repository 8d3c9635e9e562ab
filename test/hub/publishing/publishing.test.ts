/** Publishing over HTTP: requests, review, publications, and the marketplace of several workspaces. */
import { PublishingRepository } from "@countersign/hub/publishing/repository"
import { PublishingSweeper } from "@countersign/hub/publishing/sweeper"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, expectStatus, HubTest, makeAgent, makeToken, TestHub } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"

const statusOf = ({ body, status }: Answer) => status < 400 ? status : `${status} ${body.error.code}`
const idsOf = ({ body }: Answer): ReadonlyArray<string> => body.data.map(({ id }: { readonly id: string }) => id)

layer(HubTest(), { excludeTestServices: true })("publishing", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api } = hub
    const org = yield* makeWorkspace(hub, "Harbor")
    const admin = yield* makeSignedIn(hub, org, "admin", "Ada")
    const owner = yield* makeSignedIn(hub, org, "owner", "Olga")
    const member = yield* makeSignedIn(hub, org, "member", "Mara")
    const colleague = yield* makeSignedIn(hub, org, "member", "Milo")
    const viewer = yield* makeSignedIn(hub, org, "viewer", "Vera")
    const agent = yield* makeAgent(hub, member, { name: "Scout", bindings: [] })
    const publish = (who: object, id: string, body: object = { scope: "org" }) =>
      api("POST", `/agents/${id}/publish`, { ...who, body })
    const requested = (who: object, id: string, body: object = { scope: "org" }) =>
      Effect.map(publish(who, id, body), (answer) => expectStatus(answer, 201).body)
    const decide = (who: object, id: string, body: object) => api("PATCH", `/publish-requests/${id}`, { ...who, body })
    const published = Effect.fnUntraced(function*(who: object, id: string, body?: object) {
      const request = yield* requested(who, id, body)
      return expectStatus(yield* decide(admin, request.id, { status: "approved" }), 200).body.publication_id as string
    })
    return { hub, api, org, admin, owner, member, colleague, viewer, agent, publish, requested, decide, published }
  })

  it.effect("waits for a reviewer, who decides once; the publication names the request", () =>
    Effect.gen(function*() {
      const { admin, agent, api, decide, member, owner, publish } = yield* world
      const made = yield* publish(member, agent.id, { scope: "org", listed: true, note: "For everyone" })
      const { body: request } = expectStatus(made, 201)
      assert.strictEqual(made.headers.get("location"), `/api/v1/publish-requests/${request.id}`)
      const { created_at: _, id, ...rest } = request
      assert.deepStrictEqual(rest, {
        subject: { type: "agent", id: agent.id },
        scope: "org",
        listed: true,
        name: "Scout",
        description: "",
        icon: null,
        category: null,
        note: "For everyone",
        status: "pending",
        requested_by: { id: member.id, name: "Mara" }
      })
      assert.deepStrictEqual((yield* api("GET", "/publications", admin)).body.data, [])
      assert.strictEqual(statusOf(yield* publish(member, agent.id)), "409 conflict", "the same audience")
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, (_, n) =>
          decide(n % 2 === 0 ? admin : owner, id, { status: n < 4 ? "approved" : "rejected", comment: `${n}` })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        answers.map(({ status }) =>
          status
        ).sort(),
        [200, ...Array.from({ length: 7 }, () => 409)]
      )
      const won = answers.find(({ status }) => status === 200)?.body
      assert.deepStrictEqual((yield* api("GET", `/publish-requests/${id}`, member)).body, won)
      const lost = answers.find(({ status }) => status === 409)?.body.error
      assert.deepStrictEqual([lost.code, lost.data], ["conflict", {
        status: won.status,
        decided_by: won.decided_by,
        decided_at: won.decided_at
      }])
      const publications = (yield* api("GET", "/publications", member)).body.data
      assert.strictEqual(publications.length, won.status === "approved" ? 1 : 0)
      if (won.status === "approved") {
        assert.deepStrictEqual(
          [publications[0].id, publications[0].publish_request_id, publications[0].published_by.id],
          [won.publication_id, id, member.id]
        )
      }
    }))

  it.effect("is not approved by its requester while another reviewer exists, and not decided without publish:review", () =>
    Effect.gen(function*() {
      const { admin, agent, decide, hub, member, owner, requested, viewer } = yield* world
      const { id } = yield* requested(admin, agent.id)
      assert.strictEqual(statusOf(yield* decide(admin, id, { status: "approved" })), "403 separation_of_duties")
      const refused = yield* decide(viewer, id, { status: "rejected" })
      assert.deepStrictEqual([refused.status, refused.body.error.data], [403, { permission: "publish:review" }])
      assert.strictEqual(statusOf(yield* decide(member, id, { status: "rejected" })), "404 not_found")
      assert.strictEqual(statusOf(yield* decide(owner, id, { status: "withdrawn" })), "403 forbidden")
      expectStatus(yield* decide(owner, id, { status: "approved" }), 200)
      const alone = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner", "Solo")
      const own = yield* makeAgent(hub, alone, { bindings: [] })
      const request = yield* requested(alone, own.id)
      assert.strictEqual(
        expectStatus(yield* decide(alone, request.id, { status: "approved" }), 200).body.status,
        "approved"
      )
    }))

  it.effect("is withdrawn by its requester, and can then be requested again", () =>
    Effect.gen(function*() {
      const { agent, decide, member, requested } = yield* world
      const { id } = yield* requested(member, agent.id)
      const withdrawn = expectStatus(yield* decide(member, id, { status: "withdrawn", comment: "not yet" }), 200).body
      assert.deepStrictEqual([withdrawn.status, withdrawn.decided_by.id, withdrawn.comment], [
        "withdrawn",
        member.id,
        "not yet"
      ])
      assert.strictEqual(statusOf(yield* decide(member, id, { status: "withdrawn" })), "409 conflict")
      yield* requested(member, agent.id)
    }))

  it.effect("is ended by a token of its publisher only with the permission that publishes", () =>
    Effect.gen(function*() {
      const { agent, api, decide, hub, member, published, requested } = yield* world
      const reader = { pat: yield* makeToken(hub, member, ["catalog:read"]) }
      const writer = { pat: yield* makeToken(hub, member, ["agents:write"]) }
      const publication = yield* published(member, agent.id)
      const { id } = yield* requested(member, agent.id)
      const ends = (who: object) =>
        Effect.all([
          decide(who, id, { status: "withdrawn" }),
          api("POST", `/publications/${publication}/revoke`, who)
        ])
      for (const { body, status } of yield* ends(reader)) {
        assert.deepStrictEqual([status, body.error.data], [403, { permission: "agents:write" }])
      }
      assert.deepStrictEqual((yield* ends(writer)).map(({ body }) => body.status), ["withdrawn", "revoked"])
    }))

  it.effect("needs the agent to be one's own, and a complete audience", () =>
    Effect.gen(function*() {
      const { agent, colleague, hub, member, publish, viewer } = yield* world
      const stranger = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner")
      assert.strictEqual(statusOf(yield* publish(colleague, agent.id)), "404 not_found")
      assert.strictEqual(statusOf(yield* publish(stranger, agent.id)), "404 not_found")
      assert.strictEqual(statusOf(yield* publish(viewer, agent.id)), "403 forbidden")
      const incomplete = yield* publish(member, agent.id, { scope: "team" })
      assert.deepStrictEqual([incomplete.status, incomplete.body.error.details[0].path], [400, "team_id"])
      const unknown = yield* publish(member, agent.id, { scope: "team", team_id: "team_01jd0000000000000000000000" })
      assert.deepStrictEqual([unknown.status, unknown.body.error.details[0].path], [400, "team_id"])
    }))

  it.effect("shows requests and publications to those they concern", () =>
    Effect.gen(function*() {
      const { admin, agent, api, colleague, hub, member, published, requested, viewer } = yield* world
      const publication = yield* published(member, agent.id)
      const other = yield* makeAgent(hub, colleague, { bindings: [] })
      const pending = yield* requested(colleague, other.id)
      const requests = (who: object, query = "") => Effect.map(api("GET", `/publish-requests${query}`, who), idsOf)
      assert.deepStrictEqual(yield* requests(colleague), [pending.id])
      assert.strictEqual((yield* requests(admin)).length, 2)
      assert.deepStrictEqual(yield* requests(viewer, "?status=pending"), [pending.id])
      const page = yield* api("GET", "/publish-requests?limit=1", admin)
      assert.strictEqual((yield* requests(admin, `?limit=1&cursor=${page.body.next_cursor}`)).length, 1)
      for (const who of [admin, colleague, viewer]) {
        assert.deepStrictEqual(idsOf(yield* api("GET", "/publications", who)), [publication])
      }
      const stranger = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner")
      assert.deepStrictEqual(idsOf(yield* api("GET", "/publications", stranger)), [])
      assert.strictEqual(statusOf(yield* api("POST", `/publications/${publication}/revoke`, stranger)), "404 not_found")
    }))

  it.effect("lets members read the agent, and nothing more, until it is revoked", () =>
    Effect.gen(function*() {
      const { agent, api, colleague, member, published } = yield* world
      const path = `/agents/${agent.id}`
      const read = Effect.all([
        Effect.map(api("GET", path, colleague), ({ status }) => status),
        Effect.map(api("GET", "/agents", colleague), (answer) => idsOf(answer).includes(agent.id))
      ])
      assert.deepStrictEqual(yield* read, [404, false])
      const publication = yield* published(member, agent.id)
      assert.deepStrictEqual(yield* read, [200, true])
      for (
        const [method, address, body] of [
          ["PATCH", path, { name: "Mine" }],
          ["DELETE", path],
          ["PATCH", `${path}/key`, {}],
          ["POST", `${path}/services`, { service: "echo", operations: ["*"] }],
          ["POST", `${path}/publish`, { scope: "org" }],
          ["GET", `${path}/activity`],
          ["GET", `${path}/conversations`],
          ["GET", `${path}/skill-proposals`],
          ["GET", `${path}/budget`]
        ] as const
      ) {
        const answer = yield* api(method, address, { ...colleague, ...body === undefined ? {} : { body } })
        assert.strictEqual(statusOf(answer), "404 not_found", `${method} ${address}`)
      }
      expectStatus(yield* api("POST", `/publications/${publication}/revoke`, member), 200)
      assert.deepStrictEqual(yield* read, [404, false])
    }))

  it.effect("shares with the members of one team, until the team is deleted", () =>
    Effect.gen(function*() {
      const { admin, agent, api, colleague, hub, member, org, publish, published, requested } = yield* world
      const outsider = yield* makeSignedIn(hub, org, "member", "Otis")
      const team = expectStatus(yield* api("POST", "/teams", { ...admin, body: { name: "Crew" } }), 201).body.id
      const join = (user: string) =>
        api("POST", `/teams/${team}/members`, { ...admin, body: { user_id: user, role: "worker" } })
      expectStatus(yield* join(colleague.id), 201)
      const audience = { scope: "team", team_id: team }
      assert.strictEqual(statusOf(yield* publish(member, agent.id, audience)), "403 forbidden", "not in the team")
      expectStatus(yield* join(member.id), 201)
      const publication = yield* published(member, agent.id, audience)
      const path = `/agents/${agent.id}`
      const sees = (who: object) =>
        Effect.all([
          Effect.map(api("GET", path, who), ({ status }) => status),
          Effect.map(api("GET", "/agents", who), (answer) => idsOf(answer).includes(agent.id)),
          Effect.map(api("GET", "/publications?status=active", who), (answer) => idsOf(answer).includes(publication))
        ])
      assert.deepStrictEqual(yield* sees(colleague), [200, true, true])
      assert.deepStrictEqual(yield* sees(outsider), [404, false, false])
      assert.strictEqual(
        statusOf(yield* api("PATCH", path, { ...colleague, body: { name: "Mine" } })),
        "404 not_found"
      )
      yield* published(member, agent.id)
      assert.deepStrictEqual((yield* sees(outsider)).slice(0, 2), [200, true])
      const { id } = yield* requested(member, agent.id, audience)
      expectStatus(yield* api("DELETE", `/teams/${team}`, admin), 204)
      assert.deepStrictEqual((yield* sees(colleague))[2], false)
      assert.strictEqual((yield* api("GET", `/publish-requests/${id}`, member)).body.status, "withdrawn")
      yield* hub.run(Effect.flatMap(PublishingSweeper, ({ round }) => round))
      const { body } = yield* api("GET", `/audit-logs?subject_id=${publication}&action=publication.revoked`, admin)
      assert.deepStrictEqual(
        body.data.map(({ data }: { data: object }) => data),
        [{ reason: "team_deleted" }]
      )
    }))

  it.effect("is replaced by a later approval, and ended by its publisher or a reviewer, once", () =>
    Effect.gen(function*() {
      const { admin, agent, api, colleague, member, published } = yield* world
      const first = yield* published(member, agent.id)
      const second = yield* published(member, agent.id, { scope: "org", listed: true })
      const list = (query: string) => Effect.map(api("GET", `/publications${query}`, admin), idsOf)
      assert.deepStrictEqual([yield* list("?status=active"), yield* list("?status=revoked")], [[second], [first]])
      const revoke = (who: object) => api("POST", `/publications/${second}/revoke`, who)
      assert.strictEqual(statusOf(yield* revoke(colleague)), "403 forbidden")
      const answers = yield* Effect.all([revoke(member), revoke(admin), revoke(admin)], { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map(statusOf).sort(), [200, "409 conflict", "409 conflict"])
      const revoked = answers.find(({ status }) => status === 200)?.body
      assert.deepStrictEqual([revoked.id, revoked.status, typeof revoked.revoked_at], [second, "revoked", "string"])
      assert.strictEqual(statusOf(yield* revoke(colleague)), "404 not_found", "no longer shared")
      const trail = yield* api("GET", "/audit-logs?action=publication.revoked", admin)
      assert.deepStrictEqual(
        trail.body.data.map(({ subject }: { subject: { id: string } }) => subject.id),
        [second, first]
      )
    }))

  it.effect("lists in the marketplace what reviewers approved, for every workspace, and nothing private", () =>
    Effect.gen(function*() {
      const { admin, agent, api, decide, hub, member, published, requested } = yield* world
      const edit = (body: object) => api("PATCH", `/agents/${agent.id}`, { ...member, body })
      expectStatus(
        yield* edit({
          name: "Fare finder of Harbor",
          description: "Finds fares",
          category: "Travel",
          icon: "plane",
          personality: "secret instructions"
        }),
        200
      )
      const request = yield* requested(member, agent.id, { scope: "org", listed: true })
      expectStatus(yield* edit({ name: "Renamed after the request", description: "unseen by the reviewer" }), 200)
      const { body: { publication_id: id } } = yield* decide(admin, request.id, { status: "approved" })
      const unlisted = yield* makeAgent(hub, member, { name: "Fare finder, unlisted", bindings: [] })
      yield* published(member, unlisted.id)
      const stranger = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "member")
      const listings = (query: string) => api("GET", `/marketplace/listings${query}`, stranger)
      assert.deepStrictEqual((yield* listings("?q=fare%20FINDER")).body.data, [{
        id,
        kind: "agent",
        name: "Fare finder of Harbor",
        description: "Finds fares",
        icon: "plane",
        category: "Travel",
        publisher: "Harbor"
      }])
      assert.include(idsOf(yield* listings("?category=travel")), id)
      assert.notInclude(idsOf(yield* listings("?category=Tra")), id)
      assert.deepStrictEqual(idsOf(yield* listings("?q=fare_finder")), [], "no pattern")
      expectStatus(yield* api("POST", `/publications/${id}/revoke`, member), 200)
      assert.deepStrictEqual(idsOf(yield* listings("?q=Harbor")), [])
    }))

  it.effect("pages through the marketplace", () =>
    Effect.gen(function*() {
      const { admin, api, hub, member, published } = yield* world
      const ids: Array<string> = []
      for (const name of ["One of three", "Two of three", "Three of three"]) {
        const agent = yield* makeAgent(hub, member, { name, bindings: [] })
        ids.unshift(yield* published(member, agent.id, { scope: "org", listed: true }))
      }
      const walked: Array<string> = []
      for (let cursor: string | null = "";;) {
        const page: Answer = yield* api(
          "GET",
          `/marketplace/listings?q=of%20three&limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`,
          admin
        )
        walked.push(...idsOf(page))
        cursor = page.body.next_cursor
        if (cursor === null) break
      }
      assert.deepStrictEqual(walked, ids)
    }))

  it.effect("ends with its agent: pending requests and publications, in one entry each", () =>
    Effect.gen(function*() {
      const { admin, agent, api, hub, member, published, requested } = yield* world
      const publication = yield* published(member, agent.id, { scope: "org", listed: true })
      const { id } = yield* requested(member, agent.id)
      expectStatus(yield* api("DELETE", `/agents/${agent.id}`, member), 204)
      assert.strictEqual((yield* api("GET", `/publish-requests/${id}`, admin)).body.status, "withdrawn")
      assert.deepStrictEqual(idsOf(yield* api("GET", "/publications?status=active", admin)), [])
      assert.notInclude(idsOf(yield* api("GET", "/marketplace/listings", admin)), publication)
      yield* hub.run(Effect.flatMap(PublishingSweeper, ({ round }) =>
        Effect.all([round, round, round], {
          concurrency: 3
        })))
      assert.deepStrictEqual(
        yield* hub.run(Effect.flatMap(PublishingRepository, (repository) => repository.orphans(10))),
        []
      )
      for (const [subject, action] of [[publication, "publication.revoked"], [id, "publish_request.withdrawn"]]) {
        const { body } = yield* api("GET", `/audit-logs?subject_id=${subject}&action=${action}`, admin)
        assert.deepStrictEqual(
          body.data.map(({ actor, data }: { actor: { type: string }; data: object }) => [actor.type, data]),
          [["hub", { reason: "agent_deleted" }]]
        )
      }
    }))
})
