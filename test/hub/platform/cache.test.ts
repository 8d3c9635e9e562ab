/** The cache: loaded once, dropped by a signal, never used beyond its lifetime. */
import { Cache } from "@countersign/hub/platform/cache"
import { assert, describe, it } from "@effect/vitest"

const makeWorld = (entriesMax = 10) => {
  let now = 0
  let confirmed: { readonly value: string; readonly at: number } | undefined
  const loads: Array<{ readonly key: string; readonly answer: PromiseWithResolvers<string> }> = []
  const cache = new Cache<string>({
    load: (key) => {
      const answer = Promise.withResolvers<string>()
      loads.push({ key, answer })
      return answer.promise
    },
    freshMillis: 10,
    staleMillis: 30,
    entriesMax,
    now: () => now,
    confirmedAt: (_, value) => value === confirmed?.value ? confirmed.at : undefined
  })
  /** Lets due promises run. */
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
  return {
    cache,
    loads,
    settled,
    at: (millis: number) => void (now = millis),
    confirm: (value: string, millis: number) => void (confirmed = { value, at: millis }),
    load: async (key: string, value: string) => {
      const got = cache.get(key)
      loads.at(-1)?.answer.resolve(value)
      assert.strictEqual(await got, value)
      await settled()
    }
  }
}

describe("a cache", () => {
  it("loads once for concurrent callers", async () => {
    const { cache, loads } = makeWorld()
    const asked = [cache.get("a"), cache.get("a")]
    loads[0]?.answer.resolve("1")
    assert.deepStrictEqual([await Promise.all(asked), loads.length], [["1", "1"], 1])
  })

  it("reads an entry that is no longer fresh in the background, and returns the old one meanwhile", async () => {
    const { at, cache, load, loads, settled } = makeWorld()
    await load("a", "1")
    at(9)
    assert.deepStrictEqual([cache.peek("a"), loads.length], ["1", 1])
    at(10)
    assert.deepStrictEqual([cache.peek("a"), cache.peek("a"), await cache.get("a"), loads.length], ["1", "1", "1", 2])
    loads[1]?.answer.resolve("2")
    await settled()
    assert.deepStrictEqual([cache.peek("a"), loads.length], ["2", 2])
    at(39)
    assert.strictEqual(cache.peek("a"), "2", "its lifetime counts from the second read")
  })

  it("keeps an entry without a read while another read confirms its value, and no longer", async () => {
    const { at, cache, confirm, load, loads } = makeWorld()
    await load("a", "1")
    for (const millis of [15, 24, 50]) {
      at(millis)
      confirm("1", millis - 5)
      assert.deepStrictEqual([cache.peek("a"), loads.length], ["1", 1])
    }
    // Another value was found since: the entry ends by its last confirmation.
    confirm("2", 60)
    at(74)
    assert.deepStrictEqual([cache.peek("a"), loads.length], ["1", 2])
    at(75)
    assert.strictEqual(cache.peek("a"), undefined)
  })

  it("never answers from a stale entry, also when the background read fails", async () => {
    const { at, cache, load, loads, settled } = makeWorld()
    await load("a", "1")
    at(20)
    assert.strictEqual(cache.peek("a"), "1")
    loads[1]?.answer.reject(new Error("away"))
    await settled()
    at(30)
    assert.strictEqual(cache.peek("a"), undefined)
    const asked = cache.get("a")
    loads[2]?.answer.resolve("3")
    assert.deepStrictEqual([await asked, loads.length], ["3", 3])
  })

  it("keeps no value that was read before an invalidation", async () => {
    const { at, cache, load, loads, settled } = makeWorld()
    for (const drop of [() => cache.drop("a"), () => cache.clear(), () => cache.dropWhere((key) => key === "a")]) {
      const asked = cache.get("a")
      drop()
      loads.at(-1)?.answer.resolve("old")
      assert.strictEqual(await asked, "old")
      await settled()
      assert.strictEqual(cache.peek("a"), undefined)
    }
    await load("a", "1")
    at(10)
    assert.strictEqual(cache.peek("a"), "1")
    cache.clear()
    loads.at(-1)?.answer.resolve("old")
    await settled()
    assert.strictEqual(cache.peek("a"), undefined, "a background read is overtaken too")
  })

  it("does not keep a failure, and drops the least recently read entry beyond its size", async () => {
    const { cache, load, loads } = makeWorld(2)
    const failing = cache.get("a")
    loads[0]?.answer.reject(new Error("away"))
    assert.strictEqual(await failing.then(() => "", (error: Error) => error.message), "away")
    for (const key of ["a", "b", "c"]) await load(key, key)
    assert.deepStrictEqual([cache.peek("a"), cache.peek("b"), cache.peek("c")], [undefined, "b", "c"])
  })
})
