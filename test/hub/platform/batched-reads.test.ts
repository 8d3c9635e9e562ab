/** Reads by key: one at once, the others together. */
import { BatchedReads } from "@countersign/hub/platform/batched-reads"
import { assert, describe, it } from "@effect/vitest"

describe("batched reads", () => {
  it("read a single key at once, and those requested meanwhile together, at most 100", async () => {
    const sizes: Array<number> = []
    const reads = new BatchedReads(async (keys: ReadonlyArray<number>) => {
      sizes.push(keys.length)
      return keys.map((key) => key * 2)
    })
    const asked = Array.from({ length: 202 }, (_, key) => reads.get(key))
    assert.deepStrictEqual(await Promise.all(asked), Array.from({ length: 202 }, (_, key) => key * 2))
    assert.deepStrictEqual(sizes, [1, 100, 100, 1])
    assert.deepStrictEqual([await reads.get(7), sizes.at(-1)], [14, 1])
  })

  it("fail only the callers of a key that cannot be read", async () => {
    const reads = new BatchedReads(async (keys: ReadonlyArray<string>) => {
      if (keys.includes("bad")) throw new Error("not readable")
      return keys
    })
    const asked = await Promise.allSettled(["a", "b", "bad", "c"].map((key) => reads.get(key)))
    assert.deepStrictEqual(asked.map(({ status }) => status), ["fulfilled", "fulfilled", "rejected", "fulfilled"])
    assert.strictEqual(await reads.get("d"), "d")
  })
})
