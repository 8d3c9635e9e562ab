import type { AuditEntry } from "@countersign/domain/audit"
import { auditHash, genesisHash } from "@countersign/domain/audit-chain"
import { changeOf } from "@countersign/ui/audit/entry-changes"
import { checkEntry } from "@countersign/ui/audit/entry-hash"
import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"

describe("changes in an audit entry", () => {
  it("separates members with from and to, or with a previous value, from the rest", () => {
    assert.deepStrictEqual(
      changeOf({ fields: ["name"], name: { from: "Scout", to: "Ranger" }, role: "admin", previous_role: "viewer" }),
      {
        before: { name: "Scout", role: "viewer" },
        after: { name: "Ranger", role: "admin" },
        rest: { fields: ["name"] }
      }
    )
  })
  it("is empty for data that only looks like a change", () => {
    const data = { route: { from: "a", to: "b", by: "c" }, previous_role: "viewer" }
    assert.deepStrictEqual(changeOf(data), { before: {}, after: {}, rest: data })
  })
})

describe("the hash of an audit entry", () => {
  const bare = {
    id: "aud_01m7yv35bpezt9xwsd437r9jg8",
    seq: 1,
    action: "agent.created",
    actor: { type: "user", id: "usr_1", name: "Ada · Łódź" },
    data: { name: "Scout" },
    created_at: "2026-11-21T10:40:36.215Z",
    prev_hash: genesisHash,
    hash: ""
  } as unknown as AuditEntry
  const entry = { ...bare, hash: auditHash(genesisHash, bare, (bytes) => createHash("sha256").update(bytes).digest()) }

  it("is computed like the offline verifier's", async () => {
    assert.strictEqual(await checkEntry(entry), "holds")
  })
  it("differs for altered fields", async () => {
    assert.strictEqual(await checkEntry({ ...entry, cost_cents: 1 }), "broken")
    assert.strictEqual(await checkEntry({ ...entry, data: { name: "Eve" } }), "broken")
  })
})
