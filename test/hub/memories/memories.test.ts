/** Memories of agents over HTTP. */
import { newId } from "@countersign/domain/ids"
import { memoryContentBytesMax, memoryLinksMax } from "@countersign/domain/memories"
import { AgentMemory } from "@countersign/hub/memories/recall"
import { MemorySweeper } from "@countersign/hub/memories/sweeper"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { diagnosesOf } from "../../support/health.ts"
import { type Answer, expectStatus, HubTest, makeAgent, startHub, TestHub } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"
import { chanceOf } from "../../support/random.ts"

const memoriesMax = 12

interface Memory {
  readonly id: string
  readonly content: string
  readonly links: ReadonlyArray<string>
  readonly score: number
  readonly matched_by: string
}

const statusOf = ({ body, status }: Answer) => status < 400 ? status : `${status} ${body.error.code}`
const contentsOf = (answer: Answer): ReadonlyArray<string> =>
  expectStatus(answer, 200).body.data.map(({ content }: Memory) => content)

layer(HubTest({ env: { HUB_MEMORY_MAX: String(memoriesMax) } }), { excludeTestServices: true })("memories", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api } = hub
    const org = yield* makeWorkspace(hub)
    const admin = yield* makeSignedIn(hub, org, "admin", "Ada")
    const viewer = yield* makeSignedIn(hub, org, "viewer", "Vera")
    const member = yield* makeSignedIn(hub, org, "member", "Mara")
    const scout = yield* makeAgent(hub, admin)
    const path = `/agents/${scout.id}/memories`
    const as = { key: scout.key }
    const add = (content: string, rest: object = {}, who: object = as) =>
      api("POST", path, { ...who, body: { content, kind: "fact", ...rest } })
    const added = (content: string, rest: object = {}) =>
      Effect.map(add(content, rest), (answer): Memory => expectStatus(answer, 201).body)
    return { hub, api, org, admin, viewer, member, scout, path, as, add, added }
  })
  const expire = (id: string) =>
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`update memories set expires_at = hub_time_or_last() - interval '1 second' where id = ${id}`
    )

  it.effect("are written by the agent and by people, listed newest first, changed, deleted, and audited", () =>
    Effect.gen(function*() {
      const { add, added, admin, api, as, path, scout, viewer } = yield* world
      const first = expectStatus(yield* add("The customer likes aisle seats.", { tags: ["travel"] }), 201)
      const { created_at, id, updated_at, ...rest } = first.body
      assert.deepStrictEqual(rest, {
        agent_id: scout.id,
        content: "The customer likes aisle seats.",
        kind: "fact",
        tags: ["travel"],
        importance: 0.5,
        links: []
      })
      assert.strictEqual(created_at, updated_at)
      assert.strictEqual(first.headers.get("location"), `/api/v1${path}/${id}`)
      const second = yield* added("Invoices leave on Friday.", { kind: "event", importance: 0.9, links: [id] })
      assert.deepStrictEqual(second.links, [id])
      const list = expectStatus(yield* api("GET", `${path}?limit=1`, admin), 200).body
      assert.deepStrictEqual(list.data.map(({ id }: Memory) => id), [second.id])
      const next = yield* api("GET", `${path}?limit=1&cursor=${list.next_cursor}`, as)
      assert.deepStrictEqual([next.body.data[0].id, next.body.next_cursor], [id, null])
      assert.deepStrictEqual(contentsOf(yield* api("GET", `${path}?kind=event`, as)), ["Invoices leave on Friday."])
      assert.deepStrictEqual(contentsOf(yield* api("GET", `${path}?tag=travel`, as)), [
        "The customer likes aisle seats."
      ])

      const changed = yield* api("PATCH", `${path}/${id}`, {
        ...admin,
        body: { content: "The customer likes window seats.", tags: [], importance: 1 }
      })
      assert.strictEqual(expectStatus(changed, 200).body.content, "The customer likes window seats.")
      assert.deepStrictEqual([changed.body.tags, changed.body.importance], [[], 1])
      assert.strictEqual(statusOf(yield* api("PATCH", `${path}/${id}`, { ...admin, body: {} })), 200)
      assert.strictEqual(statusOf(yield* add("By a viewer", {}, viewer)), "403 forbidden")
      expectStatus(yield* api("DELETE", `${path}/${id}`, as), 204)
      assert.strictEqual(statusOf(yield* api("DELETE", `${path}/${id}`, as)), "404 not_found")
      const left = expectStatus(yield* api("GET", path, as), 200).body.data
      assert.deepStrictEqual(left.map(({ links }: Memory) => links), [[]])

      const activity = yield* api("GET", `/agents/${scout.id}/activity?type=memory`, as)
      assert.deepStrictEqual(activity.body.data.map(({ action }: { readonly action: string }) => action), [
        "memory.deleted",
        "memory.updated",
        "memory.created",
        "memory.created"
      ])
      const audit = yield* api("GET", "/audit?limit=50", admin)
      assert.notInclude(audit.text, "window seats")
    }))

  it.effect("refuse values outside of the contract with the path of the field", () =>
    Effect.gen(function*() {
      const { add, added, api, as, path } = yield* world
      const { id } = yield* added("A fact.")
      const refused: ReadonlyArray<readonly [body: object, path: string]> = [
        [{ content: " " }, "content"],
        [{ content: "ß".repeat(memoryContentBytesMax / 2 + 1) }, "content"],
        [{ content: "\ud800" }, "content"],
        [{ kind: "secret" }, "kind"],
        [{ tags: ["a", "a"] }, "tags"],
        [{ importance: 1.1 }, "importance"],
        [{ importance: "1" }, "importance"],
        [{ expires_at: "2020-01-01T00:00:00Z" }, "expires_at"],
        [{ links: [newId("mem")] }, "links.0"],
        [{ links: Array.from({ length: memoryLinksMax + 1 }, () => newId("mem")) }, "links"],
        [{ source: { type: "run", id: "run_1" } }, "source"]
      ]
      for (const [body, at] of refused) {
        for (
          const answer of [yield* add("A fact.", body), yield* api("PATCH", `${path}/${id}`, { ...as, body })]
        ) {
          assert.strictEqual(statusOf(answer), "400 invalid_request", JSON.stringify(body).slice(0, 80))
          assert.include(answer.body.error.details[0].path, at)
        }
      }
      const self = yield* api("PATCH", `${path}/${id}`, { ...as, body: { links: [id] } })
      assert.strictEqual(self.body.error.details[0].path, "links.0")
      for (const query of ["q=%20", "kind=secret", "limit=0", "q=a&cursor=abc", "text=a"]) {
        assert.strictEqual(statusOf(yield* api("GET", `${path}?${query}`, as)), "400 invalid_request", query)
      }
      expectStatus(yield* add("ß".repeat(memoryContentBytesMax / 2)), 201)
    }))

  it.effect("are found by meaning, best first, with their scores, and only by readers of the agent", () =>
    Effect.gen(function*() {
      const { added, admin, api, as, member, path, hub } = yield* world
      yield* added("The customer likes aisle seats")
      yield* added("Invoices leave every Friday", { kind: "event" })
      yield* added("The customer pays by card", { tags: ["billing"] })
      const found = yield* api("GET", `${path}?q=${encodeURIComponent("Which seats does the customer like?")}`, as)
      assert.strictEqual(contentsOf(found)[0], "The customer likes aisle seats")
      const hits: ReadonlyArray<Memory> = found.body.data
      assert.strictEqual(found.body.next_cursor, null)
      assert.isTrue(hits.every(({ matched_by }) => matched_by === "meaning"))
      assert.deepStrictEqual(hits.map(({ score }) => score), hits.map(({ score }) => score).toSorted((a, b) => b - a))
      const same = yield* api("GET", `${path}?q=The%20customer%20pays%20by%20card&limit=1`, admin)
      assert.strictEqual(same.body.data[0].score, 1)
      assert.deepStrictEqual(contentsOf(yield* api("GET", `${path}?q=customer&tag=billing`, as)), [
        "The customer pays by card"
      ])
      const stranger = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner")
      for (const who of [member, stranger]) {
        assert.strictEqual(statusOf(yield* api("GET", `${path}?q=customer`, who)), "404 not_found")
        assert.strictEqual(statusOf(yield* api("GET", `${path}/graph`, who)), "404 not_found")
      }
    }))

  it.effect("make a graph of links, common tags, and similar meaning", () =>
    Effect.gen(function*() {
      const { added, api, as, path } = yield* world
      const seats = yield* added("The customer likes aisle seats", { tags: ["travel"], importance: 1 })
      const window = yield* added("The customer likes window seats", { tags: ["travel", "window"] })
      const invoice = yield* added("Invoices leave every Friday", { links: [seats.id] })
      const { edges, nodes, total } = expectStatus(yield* api("GET", `${path}/graph`, as), 200).body
      assert.strictEqual(total, 3)
      assert.deepStrictEqual(nodes.map(({ id }: Memory) => id), [seats.id, invoice.id, window.id])
      assert.deepInclude(edges, { source: invoice.id, target: seats.id, weight: 1, relation: "explicit" })
      assert.deepInclude(edges, { source: seats.id, target: window.id, weight: 0.5, relation: "tag" })
      const similar = edges.filter(({ relation }: { readonly relation: string }) => relation === "similar")
      assert.deepStrictEqual(
        similar.map(({ source, target }: { source: string; target: string }) => [source, target]),
        [
          [seats.id, window.id]
        ]
      )
    }))

  it.effect("never exceed the quota, with writers on two hubs, and keep links among living memories", () =>
    Effect.gen(function*() {
      const { add, added, admin, api, as, hub, path, scout } = yield* world
      const second = yield* startHub({ database: hub.target, env: { HUB_MEMORY_MAX: String(memoriesMax) } })
      const other = (content: string) => second.api("POST", path, { ...as, body: { content, kind: "fact" } })
      const answers = yield* Effect.all(
        Array.from({ length: memoriesMax + 6 }, (_, n) => n % 2 === 0 ? add(`Fact ${n}`) : other(`Fact ${n}`)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 201).length, memoriesMax)
      assert.strictEqual(
        answers.filter((answer) => statusOf(answer) === "409 memory_quota_exceeded").length,
        6
      )
      const chance = chanceOf(20_261_124)
      const all: Array<string> = (yield* api("GET", path, as)).body.data.map(({ id }: Memory) => id)
      for (let step = 0; step < 40; step++) {
        const id = chance.one(all)
        const links = all.filter((each) => each !== id && chance.int(3) === 0)
        if (chance.int(4) === 0) {
          expectStatus(yield* api("DELETE", `${path}/${id}`, as), 204)
          all.splice(all.indexOf(id), 1)
        } else if (all.length < memoriesMax && chance.int(2) === 0) {
          all.push((yield* added(`Fact of step ${step}`, { links })).id)
        } else {
          expectStatus(yield* api("PATCH", `${path}/${id}`, { ...admin, body: { links } }), 200)
        }
      }
      const left: ReadonlyArray<Memory> = (yield* api("GET", path, as)).body.data
      assert.sameMembers(left.map(({ id }) => id), all)
      assert.isTrue(left.every(({ id, links }) => links.every((link) => link !== id && all.includes(link))))
      yield* hub.run(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<{ counted: number; stored: number }>`select t.memories as counted,
          (select count(*)::int from memories m where m.agent_id = t.agent_id) as stored
        from memory_totals t where t.agent_id = ${scout.id}`
        assert.deepStrictEqual(row, { counted: all.length, stored: all.length })
      }))
    }))

  it.effect("disappear at their expiry, give their place free, and are deleted with their links", () =>
    Effect.gen(function*() {
      const { add, added, api, as, hub, path } = yield* world
      const soon = yield* added("Expires", { expires_at: new Date(Date.now() + 3_600_000).toISOString() })
      const linked = yield* added("Links to it", { links: [soon.id] })
      yield* hub.run(expire(soon.id))
      assert.deepStrictEqual(contentsOf(yield* api("GET", path, as)), ["Links to it"])
      assert.deepStrictEqual((yield* api("GET", path, as)).body.data[0].links, [])
      assert.strictEqual(statusOf(yield* api("PATCH", `${path}/${soon.id}`, { ...as, body: {} })), "404 not_found")
      assert.strictEqual(statusOf(yield* add("x", { links: [soon.id] })), "400 invalid_request")
      yield* Effect.all(Array.from({ length: memoriesMax - 1 }, (_, n) => added(`Fact ${n}`)), { concurrency: 4 })
      assert.strictEqual(statusOf(yield* add("One too many")), "409 memory_quota_exceeded")
      yield* hub.run(expire(linked.id))
      yield* hub.run(Effect.flatMap(MemorySweeper, ({ round }) => round))
      const rows = yield* hub.run(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`select id from memories where id in (${soon.id}, ${linked.id})`
        )
      )
      assert.deepStrictEqual(rows, [])
      expectStatus(yield* add("Fits again"), 201)
    }))

  it.effect("are deleted by hundreds in one round, and copied by hundreds with the links between them", () =>
    Effect.gen(function*() {
      const { admin, api, hub, org, scout } = yield* world
      const ids = Array.from({ length: 1_100 }, () => newId("mem"))
      const large = yield* startHub({ database: hub.target })
      yield* hub.run(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into memories (id, org_id, agent_id, kind, content, tags, importance, created_at, updated_at, embed_at)
        select id, ${org}, ${scout.id}, 'fact', 'A fact', '{}', 0.5, now(), now(), now() + interval '1 day'
        from unnest(${ids}::text[]) id`
        yield* sql`insert into memory_totals (agent_id, org_id, memories) values (${scout.id}, ${org}, ${ids.length})`
        // Each links to the one before it, also from one batch to another.
        yield* sql`insert into memory_links (source_id, target_id, org_id, position)
        select source, target, ${org}, 1 from unnest(${ids.slice(1)}::text[], ${
          ids.slice(0, -1)
        }::text[]) l(source, target)`
      }))
      const clone = { ...admin, body: { include_memories: true } }
      assert.strictEqual(
        statusOf(yield* api("POST", `/agents/${scout.id}/clone`, clone)),
        "409 memory_quota_exceeded"
      )
      const copy = expectStatus(yield* large.api("POST", `/agents/${scout.id}/clone`, clone), 201).body
      const counts = (agent: string) =>
        hub.run(
          Effect.flatMap(SqlClient.SqlClient, (sql) =>
            sql<{ stored: number; counted: number; links: number }>`select
            (select count(*)::int from memories where agent_id = ${agent}) as stored,
            (select memories from memory_totals where agent_id = ${agent}) as counted,
            (select count(*)::int from memory_links l join memories s on s.id = l.source_id
              join memories t on t.id = l.target_id where s.agent_id = ${agent} and t.agent_id = ${agent}) as links`)
        )
      assert.deepStrictEqual(yield* counts(copy.id), [{ stored: 1_100, counted: 1_100, links: 1_099 }])
      yield* hub.run(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) =>
            sql`update memories set expires_at = hub_time_or_last() - interval '1 second' where agent_id = ${scout.id}`
        )
      )
      yield* hub.run(Effect.flatMap(MemorySweeper, ({ round }) => round))
      assert.deepStrictEqual(yield* counts(scout.id), [{ stored: 0, counted: 0, links: 0 }])
      const found = Effect.map(
        diagnosesOf(hub.target),
        (all) => all.find(({ check }) => check === "memory_counts")?.bad
      )
      assert.strictEqual(yield* found, 0)
      const setTotal = (memories: number) =>
        hub.run(
          Effect.flatMap(SqlClient.SqlClient, (sql) =>
            sql`update memory_totals set memories = ${memories} where agent_id = ${copy.id}`)
        )
      yield* setTotal(7)
      assert.strictEqual(yield* found, 1)
      yield* setTotal(1_100)
    }))

  it.effect("are copied to a clone with their links, and deleted with their agent", () =>
    Effect.gen(function*() {
      const { added, admin, api, as, hub, path, scout } = yield* world
      const first = yield* added("The customer likes aisle seats", { tags: ["travel"], importance: 0.8 })
      yield* added("Invoices leave every Friday", { links: [first.id], expires_at: "2099-01-01T00:00:00Z" })
      const clone = (body: object) => api("POST", `/agents/${scout.id}/clone`, { ...admin, body })
      const plain = expectStatus(yield* clone({}), 201).body
      assert.deepStrictEqual(contentsOf(yield* api("GET", `/agents/${plain.id}/memories`, admin)), [])
      const copy = expectStatus(yield* clone({ include_memories: true }), 201).body
      const copied: ReadonlyArray<Memory> = (yield* api("GET", `/agents/${copy.id}/memories`, admin)).body.data
      const original: ReadonlyArray<Memory> = (yield* api("GET", path, as)).body.data
      assert.deepStrictEqual(copied.map(({ content }) => content), original.map(({ content }) => content))
      assert.deepStrictEqual(copied[0]?.links, [copied[1]!.id])
      assert.notStrictEqual(copied[1]?.id, first.id)
      const found = yield* api("GET", `/agents/${copy.id}/memories?q=aisle%20seats`, { key: copy.api_key })
      assert.deepStrictEqual([found.body.data[0].content, found.body.data[0].matched_by], [
        "The customer likes aisle seats",
        "meaning"
      ])
      const foreign = yield* api("PATCH", `${path}/${first.id}`, { ...as, body: { links: [copied[0]?.id] } })
      assert.strictEqual(statusOf(foreign), "400 invalid_request")

      expectStatus(yield* api("DELETE", `/agents/${scout.id}`, admin), 204)
      assert.strictEqual(statusOf(yield* api("GET", path, admin)), "404 not_found")
      yield* hub.run(Effect.flatMap(MemorySweeper, ({ round }) => round))
      const rows = yield* hub.run(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select id from memories where agent_id = ${scout.id}`)
      )
      assert.deepStrictEqual(rows, [])
      assert.strictEqual((yield* api("GET", `/agents/${copy.id}/memories`, admin)).body.data.length, 2)
    }))

  it.effect("are stored and recalled inside of the hub with the source that learned them", () =>
    Effect.gen(function*() {
      const { api, as, hub, org, path, scout } = yield* world
      const actor = { type: "agent", id: scout.id, name: "Scout" } as const
      const source = { type: "run", id: newId("req") }
      const stored = yield* hub.run(
        Effect.flatMap(
          AgentMemory,
          (memory) =>
            memory.store(org, scout.id, actor, { content: "Invoices leave every Friday", kind: "event", source })
        )
      )
      assert.deepStrictEqual((yield* api("GET", path, as)).body.data[0].source, source)
      const recalled = yield* hub.run(
        Effect.flatMap(
          AgentMemory,
          (memory) => memory.recall(org, scout.id, { q: "When do invoices leave?", limit: 1 })
        )
      )
      assert.deepStrictEqual(recalled.map(({ id }) => id), [stored.id])
      const unknown = yield* Effect.flip(
        hub.run(
          Effect.flatMap(
            AgentMemory,
            (memory) => memory.store(org, newId("agt"), actor, { content: "Lost", kind: "fact" })
          )
        )
      )
      assert.strictEqual(unknown.error.code, "not_found")
    }))
})
