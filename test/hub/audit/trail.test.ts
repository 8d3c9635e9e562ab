import type { AuditEntry } from "@countersign/domain/audit"
import { genesisHash, verifyAuditLines } from "@countersign/domain/audit-chain"
import { newId } from "@countersign/domain/ids"
import { csvRow } from "@countersign/hub/audit/http"
import { AuditRepository } from "@countersign/hub/audit/repository"
import { AuditTrail } from "@countersign/hub/audit/trail"
import { AuditLog, hubActor } from "@countersign/hub/platform/audit-log"
import { csvLines } from "@countersign/hub/platform/download"
import { Signals } from "@countersign/hub/platform/signals"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { PgTest } from "../../support/pg.ts"
import { closeApproval, execute, makeAgent, makeWorkspace, tick } from "../../support/tick.ts"

const Live = Layer.mergeAll(AuditTrail.layer.pipe(Layer.provide(AuditRepository.layer)), AuditLog.layer).pipe(
  Layer.provideMerge(Signals.layer),
  Layer.provideMerge(PgTest)
)

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest()
const offline = (entries: ReadonlyArray<AuditEntry>) =>
  Effect.promise(() => verifyAuditLines(entries.map((entry) => JSON.stringify(entry)), sha256))

/** Entries of every writer: ticks, records of the hub, and names and data that need escaping. */
const busy = Effect.gen(function*() {
  const workspace = yield* makeWorkspace({ funds: 10_000 })
  const audit = yield* AuditLog
  for (let count = 0; count < 5; count++) yield* execute(workspace, 3)
  yield* tick(workspace, [{ verdict: 2, ceiling: 50 }, { verdict: 3 }, { verdict: 4, reason: "agent_disabled" }])
  yield* audit.record(workspace.org, { type: "user", id: workspace.owner, name: "Ada \u001f Ünïcødé 🦊", ip: "::1" }, {
    action: "agent.updated",
    subject: { type: "agent", id: workspace.agent.id },
    agent_id: workspace.agent.id,
    data: { note: "=1+1\n\"quoted\", \u0000 and \\", 7: 1e21, __proto__: 1, list: [null, -0.5] }
  })
  yield* audit.record(workspace.org, hubActor, { action: "workspace.updated", cost_cents: 5_000_000_000 })
  return workspace
})

layer(Live, { excludeTestServices: true })("the audit trail", (it) => {
  it.effect("lists newest first, page by page, every entry once", () =>
    Effect.gen(function*() {
      const trail = yield* AuditTrail
      const { org } = yield* busy
      const seen: Array<number> = []
      let cursor: string | undefined
      do {
        const page = yield* trail.list(org, { limit: 4, ...cursor === undefined ? {} : { cursor } })
        assert.isAtMost(page.data.length, 4)
        seen.push(...page.data.map((entry) => entry.seq))
        cursor = page.next_cursor ?? undefined
      } while (cursor !== undefined)
      assert.deepStrictEqual(seen, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
    }))

  it.effect("a page continues past removed entries", () =>
    Effect.gen(function*() {
      const trail = yield* AuditTrail
      const sql = yield* SqlClient.SqlClient
      const { org } = yield* busy
      yield* sql`delete from audit where org_id = ${org} and seq between 4 and 8`
      const first = yield* trail.list(org, { limit: 3 })
      const second = yield* trail.list(org, { limit: 3, cursor: first.next_cursor! })
      assert.deepStrictEqual([first, second].map(({ data }) => data.map((entry) => entry.seq)), [[10, 9, 3], [2, 1]])
      assert.isNull(second.next_cursor)
    }))

  it.effect("a cursor stays valid while entries are added, and a foreign one is rejected", () =>
    Effect.gen(function*() {
      const trail = yield* AuditTrail
      const workspace = yield* busy
      const first = yield* trail.list(workspace.org, { limit: 3 })
      yield* execute(workspace, 1)
      const second = yield* trail.list(workspace.org, { limit: 3, cursor: first.next_cursor! })
      assert.deepStrictEqual([...first.data, ...second.data].map((entry) => entry.seq), [10, 9, 8, 7, 6, 5])
      for (const cursor of ["x", "", "WzFd", "WyJhIiwiYiJd", "WzEsMiwzXQ"]) {
        const error = yield* Effect.flip(trail.list(workspace.org, { cursor }))
        assert.strictEqual(error.error.details?.[0]?.path, "cursor")
      }
    }))

  it.effect("filters, alone and combined, never return entries of another workspace", () =>
    Effect.gen(function*() {
      const trail = yield* AuditTrail
      const workspace = yield* busy
      const other = yield* busy
      const seqs = (query: Parameters<typeof trail.list>[1]) =>
        Effect.map(trail.list(workspace.org, query), (page) => page.data.map((entry) => entry.seq))
      assert.deepStrictEqual(yield* seqs({ action: "service_request.executed" }), [5, 4, 3, 2, 1])
      assert.deepStrictEqual(yield* seqs({ action: "service_request.*", q: "policy_VIOLATION" }), [7])
      assert.deepStrictEqual(yield* seqs({ actor_id: workspace.owner }), [9])
      assert.deepStrictEqual(yield* seqs({ actor_id: other.owner }), [])
      assert.deepStrictEqual(yield* seqs({ agent_id: workspace.agent.id, action: "agent.updated" }), [9])
      assert.deepStrictEqual(yield* seqs({ agent_id: other.agent.id }), [])
      assert.deepStrictEqual(yield* seqs({ subject_id: workspace.agent.id }), [9])
      assert.deepStrictEqual(yield* seqs({ q: "100%" }), [])
      assert.deepStrictEqual(yield* seqs({ q: "Ünïcødé" }), [9])
      assert.deepStrictEqual(yield* seqs({ q: "service_request.executed", limit: 2 }), [5, 4])
    }))

  it.effect("from is inclusive and to is exclusive, for any length of the log", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const trail = yield* AuditTrail
      const { org } = yield* makeWorkspace()
      // One entry each hour over 50 hours, without a valid chain.
      yield* sql`insert into audit (org_id, seq, id, action, actor_type, actor_id, actor_name, created_at, prev_hash, hash)
      select ${org}, n, 'aud_' || n, 'x.y', 'hub', 'hub', 'Hub', timestamptz '2026-01-01T00:00:00Z' + n * interval '1 hour', sha256('a'), sha256('b') from generate_series(1, 50) n`
      yield* sql`update org_heads set seq = 50 where org_id = ${org}`
      const seqs = (query: Parameters<typeof trail.list>[1]) =>
        Effect.map(trail.list(org, { limit: 200, ...query }), (page) => page.data.map((entry) => entry.seq))
      assert.deepStrictEqual(yield* seqs({ from: "2026-01-03" }), [50, 49, 48])
      assert.deepStrictEqual(yield* seqs({ from: "2026-01-01T03:30:00Z", to: "2026-01-01T06:00:00.000Z" }), [5, 4])
      assert.deepStrictEqual(yield* seqs({ from: "2026-01-01T04:00:00+00:00", to: "2026-01-01T06:00:00.001Z" }), [
        6,
        5,
        4
      ])
      assert.deepStrictEqual(yield* seqs({ to: "2026-01-01" }), [])
      assert.deepStrictEqual(yield* seqs({ from: "2027-01-01" }), [])
      assert.deepStrictEqual(yield* seqs({ from: "2026-01-02", to: "2026-01-01" }), [])
    }))

  it.effect("a search with few matches reads a bounded part of the log and continues by cursor", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const trail = yield* AuditTrail
      const { org } = yield* makeWorkspace()
      const count = 205_000
      yield* sql`insert into audit (org_id, seq, id, action, actor_type, actor_id, actor_name, created_at, prev_hash, hash)
      select ${org}, n, 'aud_' || n, case when n in (1, 150000) then 'needle.found' else 'x.y' end, 'hub', 'hub', 'Hub', timestamptz '2026-01-01T00:00:00Z' + n * interval '1 second', sha256('a'), sha256('b')
      from generate_series(1, ${count}::int) n`
      yield* sql`update org_heads set seq = ${BigInt(count)}::int8 where org_id = ${org}`
      const first = yield* trail.list(org, { action: "needle.found" })
      assert.deepStrictEqual(first.data.map((entry) => entry.seq), [150_000])
      assert.isNotNull(first.next_cursor)
      const second = yield* trail.list(org, { action: "needle.found", cursor: first.next_cursor! })
      assert.deepStrictEqual([second.data.map((entry) => entry.seq), second.next_cursor], [[1], null])
      const exported = yield* Stream.runCollect(trail.entries(org, { q: "needle" }))
      assert.deepStrictEqual(exported.map((entry) => entry.seq), [1, 150_000])
      assert.strictEqual(yield* Stream.runCount(trail.entries(org, {})), count)
    }))

  it.effect("the chain verifies in the database and offline, and entries have the contract's fields", () =>
    Effect.gen(function*() {
      const trail = yield* AuditTrail
      const { org, owner, agent } = yield* busy
      assert.deepStrictEqual(yield* trail.verify(org), { ok: true, checked: 10 })
      const entries = yield* Stream.runCollect(trail.entries(org, {}))
      assert.deepStrictEqual(entries.map((entry) => entry.seq), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      const verified = yield* offline(entries)
      assert.deepStrictEqual(verified, { ok: true, checked: 10, head: { seq: 10, hash: entries[9]!.hash } })
      const [executed, edited, bare] = [entries[4]!, entries[8]!, entries[9]!]
      assert.strictEqual(entries[0]!.prev_hash, genesisHash)
      assert.deepInclude(executed, {
        action: "service_request.executed",
        agent_id: agent.id,
        outcome: "executed",
        cost_cents: 3,
        data: {}
      })
      assert.match(executed.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.deepStrictEqual(edited.actor, { type: "user", id: owner, name: "Ada   Ünïcødé 🦊" })
      assert.strictEqual(edited.ip, "::1")
      assert.strictEqual(edited.data["note"], "=1+1\n\"quoted\", \u0000 and \\")
      assert.deepStrictEqual(Object.keys(bare).sort(), [
        "action",
        "actor",
        "cost_cents",
        "created_at",
        "data",
        "hash",
        "id",
        "prev_hash",
        "seq"
      ])
    }))

  it.effect("entries written by SQL verify offline as well", () =>
    Effect.gen(function*() {
      const trail = yield* AuditTrail
      const workspace = yield* makeWorkspace({ funds: 100 })
      const approval = newId("apr")
      yield* tick(workspace, [{ verdict: 2, ceiling: 50, approval }])
      yield* closeApproval(workspace, approval)
      const entries = yield* Stream.runCollect(trail.entries(workspace.org, {}))
      assert.deepStrictEqual(entries.map((entry) => entry.action), [
        "service_request.approval_required",
        "approval.rejected",
        "service_request.blocked"
      ])
      assert.strictEqual(entries[0]!.data["approval_id"], approval)
      assert.deepInclude(yield* offline(entries), { ok: true, checked: 3 })
      assert.deepStrictEqual(yield* trail.verify(workspace.org), { ok: true, checked: 3 })
    }))

  it.effect("a workspace without entries verifies", () =>
    Effect.gen(function*() {
      const trail = yield* AuditTrail
      const { org } = yield* makeWorkspace()
      assert.deepStrictEqual(yield* trail.verify(org), { ok: true, checked: 0 })
      assert.deepStrictEqual((yield* trail.list(org, {})).data, [])
    }))

  it.effect("an altered field, a gap, a relinked tail, a cut tail, and an entry after the head are located", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const trail = yield* AuditTrail
      const damaged = (damage: (org: string) => Effect.Effect<unknown, unknown>, firstBad: number) =>
        Effect.gen(function*() {
          const { org } = yield* busy
          yield* damage(org)
          assert.deepStrictEqual(yield* trail.verify(org), {
            ok: false,
            checked: firstBad - 1,
            first_bad_seq: firstBad
          })
          return org
        })
      const stepOn = sql`created_at = created_at + interval '1 millisecond'`
      yield* damaged((org) => sql`update audit set cost_cents = 2 where org_id = ${org} and seq = 4`, 4)
      yield* damaged((org) => sql`update audit set data = '{"a":1}' where org_id = ${org} and seq = 1`, 1)
      yield* damaged((org) => sql`update audit set ${stepOn} where org_id = ${org} and seq = 10`, 10)
      yield* damaged((org) => sql`update audit set actor_name = 'Eve' where org_id = ${org} and seq = 9`, 9)
      const gap = yield* damaged((org) => sql`delete from audit where org_id = ${org} and seq = 6`, 6)
      yield* damaged((org) => sql`delete from audit where org_id = ${org} and seq = 10`, 10)
      yield* damaged((org) => sql`delete from audit where org_id = ${org} and seq = 1`, 1)
      yield* damaged((org) => sql`update org_heads set head = sha256('x') where org_id = ${org}`, 10)
      yield* damaged(
        (org) =>
          sql`insert into audit select org_id, 11, 'aud_x', action, actor_type, actor_id, actor_name, subject_type, subject_id, agent_id, outcome, reason_code, cost_cents, ip, data, created_at, hash,
      sha256(hash || audit_leaf(11, wire_time(created_at), 'aud_x', action, actor_type, actor_id, actor_name, subject_type, subject_id, agent_id, outcome, reason_code, cost_cents, ip, data))
      from audit where org_id = ${org} and seq = 10`,
        11
      )
      // If an altered entry's own hash is recomputed, verification fails at the next link.
      yield* damaged(
        (org) =>
          sql`update audit set cost_cents = 1, hash = sha256(prev_hash || audit_leaf(seq, wire_time(created_at), id, action, actor_type, actor_id, actor_name,
      subject_type, subject_id, agent_id, outcome, reason_code, 1, ip, data)) where org_id = ${org} and seq = 3`,
        4
      )
      assert.deepInclude(yield* offline(yield* Stream.runCollect(trail.entries(gap, {}))), {
        ok: false,
        checked: 5,
        first_bad_seq: 6,
        problem: "gap"
      })
    }))

  it.effect("a CSV has a header, one line for each entry, and no cell that is a formula", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const trail = yield* AuditTrail
      const { org } = yield* busy
      yield* sql`update audit set actor_name = '=HYPERLINK("http://x.test","a,b")', ip = '+1' where org_id = ${org} and seq = 2`
      const columns = ["seq", "actor_name", "subject_id", "cost_cents", "ip"] as const
      const bytes = yield* Stream.runCollect(
        csvLines(columns, Stream.map(trail.entries(org, { to: "2999-01-01" }), csvRow))
      )
      const lines = Buffer.concat(bytes).toString().split("\r\n")
      assert.strictEqual(lines[0], "seq,actor_name,subject_id,cost_cents,ip")
      assert.strictEqual(lines.length, 12)
      assert.match(lines[2]!, /^2,"'=HYPERLINK\(""http:\/\/x\.test"",""a,b""\)",req_\w+,3,'\+1$/)
      assert.strictEqual(lines[10], "10,Countersign,,5000000000,")
    }))

  it.effect("two agents' entries can be distinguished", () =>
    Effect.gen(function*() {
      const trail = yield* AuditTrail
      const workspace = yield* makeWorkspace({ funds: 100 })
      const second = yield* makeAgent(workspace.org)
      yield* execute(workspace, 1)
      const id = yield* execute(workspace, 1, { agent: second })
      const page = yield* trail.list(workspace.org, { agent_id: second.id })
      assert.deepStrictEqual(page.data.map((entry) => entry.subject?.id), [id])
    }))
})
