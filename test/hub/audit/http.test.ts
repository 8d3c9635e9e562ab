import { verifyAuditLines } from "@countersign/domain/audit-chain"
import { WorkspacesRepository } from "@countersign/hub/workspaces/repository"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { HubTest, makeAgent, makeToken, TestHub, topUp } from "../../support/hub.ts"
import { makePerson, makeWorkspace } from "../../support/people.ts"

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest()

layer(HubTest(), { excludeTestServices: true })("the audit log over HTTP", (it) => {
  it.effect("lists, filters, verifies, and exports the entries of a day", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { cookie } = hub.owner
      yield* topUp(hub, hub.owner, 500)
      const agent = yield* makeAgent(hub, hub.owner)
      for (let count = 0; count < 3; count++) {
        yield* hub.api("POST", "/service-requests", {
          key: agent.key,
          body: { service: "echo", operation: "say", payload: { n: count } }
        })
      }
      const approving = yield* makeAgent(hub, hub.owner, {
        bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
      })
      const asked = yield* hub.api("POST", "/service-requests", {
        key: approving.key,
        body: { service: "echo", operation: "say", payload: {} }
      })
      yield* hub.api("POST", `/approvals/${asked.body.approval_id}/reject`, { cookie, body: { comment: "no" } })

      const page = yield* hub.api("GET", "/audit-logs?limit=2", { cookie })
      assert.strictEqual(page.status, 200)
      assert.lengthOf(page.body.data, 2)
      assert.isString(page.body.as_of)
      const next = yield* hub.api("GET", `/audit-logs?limit=2&cursor=${page.body.next_cursor}`, { cookie })
      assert.strictEqual(next.body.data[0].seq, page.body.data[1].seq - 1)
      const executed = yield* hub.api("GET", `/audit-logs?action=service_request.executed&agent_id=${agent.id}`, {
        cookie
      })
      assert.lengthOf(executed.body.data, 3)
      assert.deepInclude(executed.body.data[0], { outcome: "executed", cost_cents: 1, agent_id: agent.id })

      const verified = yield* hub.api("GET", "/audit-logs/verify", { cookie })
      assert.deepStrictEqual(verified.body, { ok: true, checked: page.body.data[0].seq })
      const jsonl = yield* hub.api("GET", "/audit-logs/export", { cookie })
      assert.match(jsonl.headers.get("content-type") ?? "", /^application\/x-ndjson/)
      assert.match(jsonl.headers.get("content-disposition") ?? "", /^attachment; filename="audit-org_\w+\.jsonl"$/)
      assert.deepInclude(yield* Effect.promise(() => verifyAuditLines(jsonl.text.split("\n"), sha256)), {
        ok: true,
        checked: verified.body.checked
      })
      const csv = yield* hub.api("GET", `/audit-logs/export?format=csv&agent_id=${agent.id}`, { cookie })
      assert.match(csv.headers.get("content-type") ?? "", /^text\/csv/)
      assert.match(csv.text, /^seq,id,created_at,action,/)
      assert.include(csv.text, ",service_request.executed,")
      assert.notInclude(csv.text, approving.id)
    }))

  it.effect("finds one entry by its number or its id", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { cookie } = hub.owner
      yield* topUp(hub, hub.owner, 500)
      const { body: { data: [newest] } } = yield* hub.api("GET", "/audit-logs?limit=1", { cookie })
      const byNumber = yield* hub.api("GET", `/audit-logs?seq=${newest.seq}`, { cookie })
      assert.deepStrictEqual([byNumber.body.data, byNumber.body.next_cursor], [[newest], null])
      const byId = yield* hub.api("GET", `/audit-logs?q=${newest.id}`, { cookie })
      assert.deepStrictEqual(byId.body.data, [newest])
      assert.deepStrictEqual((yield* hub.api("GET", `/audit-logs?seq=${newest.seq + 1}`, { cookie })).body.data, [])
    }))

  it.effect("exports only the caller's workspace that the link names", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { cookie } = hub.owner
      const other = yield* makeWorkspace(hub)
      assert.strictEqual((yield* hub.api("GET", `/audit-logs/export?workspace=${other}`, { cookie })).status, 404)
      assert.strictEqual((yield* hub.api("GET", `/usage?format=csv&workspace=${other}`, { cookie })).status, 404)
      const person = yield* makePerson(hub, other, "owner")
      yield* hub.run(
        Effect.flatMap(WorkspacesRepository, (workspaces) => workspaces.addMember(hub.owner.org, person.id, "viewer"))
      )
      yield* hub.api("POST", "/workspaces/switch", { cookie: person.cookie, body: { workspace_id: hub.owner.org } })
      const there = yield* hub.api("GET", `/audit-logs/export?workspace=${other}`, { cookie: person.cookie })
      assert.strictEqual(there.status, 200)
      assert.include(there.headers.get("content-disposition") ?? "", other)
      const usage = yield* hub.api("GET", `/usage?format=csv&workspace=${other}`, { cookie: person.cookie })
      assert.include(usage.headers.get("content-disposition") ?? "", other)
      assert.strictEqual((yield* hub.api("GET", `/audit-logs?workspace=${other}`, { cookie })).status, 400)
    }))

  it.effect("rejects malformed parameters and callers without the permission", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { cookie } = hub.owner
      for (
        const [query, path] of [
          ["limit=0", "limit"],
          ["limit=201", "limit"],
          ["from=yesterday", "from"],
          ["to=2026-02-31", "to"],
          ["agent_id=x", "agent_id"],
          ["nonsense=1", "nonsense"],
          ["cursor=x", "cursor"],
          [`q=${"x".repeat(201)}`, "q"]
        ] as const
      ) {
        const refused = yield* hub.api("GET", `/audit-logs?${query}`, { cookie })
        assert.strictEqual(refused.status, 400, query)
        assert.strictEqual(refused.body.error.details[0].path, path, query)
      }
      assert.strictEqual((yield* hub.api("GET", "/audit-logs/export?format=xml", { cookie })).status, 400)
      const pat = yield* makeToken(hub, hub.owner, ["agents:read"])
      const forbidden = yield* hub.api("GET", "/audit-logs", { pat })
      assert.deepStrictEqual([forbidden.status, forbidden.body.error.data.permission], [403, "audit:read"])
      assert.strictEqual((yield* hub.api("GET", "/audit-logs/verify")).status, 401)
    }))
})
