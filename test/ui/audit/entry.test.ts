import type { AuditEntry } from "@countersign/domain/audit"
import { auditHash, genesisHash } from "@countersign/domain/audit-chain"
import { changeOf } from "@countersign/ui/audit/entry-changes"
import { checkEntry } from "@countersign/ui/audit/entry-hash"
import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"

describe("what an entry says of a change", () => {
  it("is its members told as from and to, or beside what they were, apart from all the rest", () => {
    assert.deepStrictEqual(
      changeOf({ fields: ["name"], name: { from: "Scout", to: "Ranger" }, role: "admin", previous_role: "viewer" }),
      {
        before: { name: "Scout", role: "viewer" },
        after: { name: "Ranger", role: "admin" },
        rest: { fields: ["name"] }
      }
    )
  })
  it("is nothing where data only looks like it", () => {
    const data = { route: { from: "a", to: "b", by: "c" }, previous_role: "viewer" }
    assert.deepStrictEqual(changeOf(data), { before: {}, after: {}, rest: data })
  })
})

describe("an entry's hash", () => {
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

  it("is computed as the offline verifier does", async () => {
    assert.strictEqual(await checkEntry(entry), "holds")
  })
  it("is not what altered fields give", async () => {
    assert.strictEqual(await checkEntry({ ...entry, cost_cents: 1 }), "broken")
    assert.strictEqual(await checkEntry({ ...entry, data: { name: "Eve" } }), "broken")
  })
})
