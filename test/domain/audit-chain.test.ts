import type { AuditEntry } from "@countersign/domain/audit"
import { auditHash, genesisHash, type Sha256, verifyAuditLines } from "@countersign/domain/audit-chain"
import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"

const sha256: Sha256 = (bytes) => createHash("sha256").update(bytes).digest()

const chainOf = (count: number, from = 1, prev = genesisHash): ReadonlyArray<AuditEntry> => {
  const entries: Array<AuditEntry> = []
  for (let seq = from; seq < from + count; seq++) {
    const prev_hash = entries.at(-1)?.hash ?? prev
    const entry: AuditEntry = {
      id: "aud_01m7yqtbc2ea5srjtvm54vtyeq",
      seq,
      action: "agent.updated",
      actor: { type: "user", id: "usr_1", name: "Ada" },
      data: { seq, text: "ünïcødé" },
      created_at: "2026-11-21T09:00:00.000Z",
      prev_hash,
      hash: ""
    }
    entries.push({ ...entry, hash: auditHash(prev_hash, entry, sha256) })
  }
  return entries
}
const lines = (entries: ReadonlyArray<unknown>) => entries.map((entry) => JSON.stringify(entry))
const verify = (input: Iterable<string>) => verifyAuditLines(input, sha256)

describe("the offline verifier", () => {
  it("defines the hash", () => {
    const [entry] = chainOf(1)
    const leaf = [
      "1",
      "2026-11-21T09:00:00.000Z",
      entry!.id,
      "agent.updated",
      "user",
      "usr_1",
      "Ada",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "{\"seq\":1,\"text\":\"ünïcødé\"}"
    ].join("\u001f")
    const expected = createHash("sha256").update(Buffer.alloc(32)).update(createHash("sha256").update(leaf).digest())
      .digest("hex")
    assert.strictEqual(entry!.hash, expected)
  })

  it("accepts a whole log, including empty lines, and returns its head", async () => {
    const entries = chainOf(3)
    assert.deepStrictEqual(await verify([...lines(entries), ""]), {
      ok: true,
      checked: 3,
      head: { seq: 3, hash: entries[2]!.hash }
    })
    assert.deepStrictEqual(await verify([]), { ok: true, checked: 0 })
  })

  it("accepts a log that begins later, from its first line", async () => {
    const entries = chainOf(3, 40, "ab".repeat(32))
    assert.deepInclude(await verify(lines(entries)), { ok: true, checked: 3 })
    assert.deepInclude(await verify(lines(chainOf(3, 1, "ab".repeat(32)))), {
      ok: false,
      checked: 0,
      first_bad_seq: 1,
      problem: "prev_hash"
    })
  })

  it("accepts data_text that differs from the output of JSON.stringify, if it has the same value", async () => {
    const [one] = chainOf(1) as [AuditEntry]
    const spaced = { ...one, data: { a: 1 }, data_text: "{\"a\" : 1}" }
    const entry = { ...spaced, hash: auditHash(genesisHash, spaced, sha256) }
    assert.deepInclude(await verify(lines([entry])), { ok: true, checked: 1 })
    for (
      const forged of [{ ...entry, data: { a: 2 } }, { ...entry, data_text: "{\"a\" : 2}" }, {
        ...entry,
        data_text: "{"
      }]
    ) {
      assert.deepInclude(await verify(lines([forged])), { ok: false, checked: 0, problem: "hash" })
    }
  })

  it("stops at the first entry that is missing, altered, relinked or malformed", async () => {
    const [one, two, three] = chainOf(3) as [AuditEntry, AuditEntry, AuditEntry]
    assert.deepInclude(await verify(lines([one, three])), { ok: false, checked: 1, first_bad_seq: 2, problem: "gap" })
    assert.deepInclude(await verify(lines([one, { ...two, cost_cents: 1 }, three])), {
      ok: false,
      checked: 1,
      first_bad_seq: 2,
      problem: "hash"
    })
    const altered = { ...two, cost_cents: 1 }
    const relinked = { ...altered, hash: auditHash(one.hash, altered, sha256) }
    assert.deepInclude(await verify(lines([one, relinked, three])), {
      ok: false,
      checked: 2,
      first_bad_seq: 3,
      problem: "prev_hash"
    })
    assert.deepInclude(await verify([...lines([one]), "{\"seq\":2"]), {
      ok: false,
      checked: 1,
      first_bad_seq: 2,
      problem: "malformed"
    })
    assert.deepInclude(await verify(lines([one, { seq: 2 }])), {
      ok: false,
      checked: 1,
      first_bad_seq: 2,
      problem: "malformed"
    })
    assert.deepInclude(await verify(["[]"]), { ok: false, checked: 0, first_bad_seq: 1, problem: "malformed" })
  })
})
