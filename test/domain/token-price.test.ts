import { filterModels, type Model, ratesOf } from "@countersign/domain/models"
import { actualOf } from "@countersign/domain/price"
import {
  ceilingCentsOf,
  centsOf,
  microCentsOf,
  microCentsOfUsd,
  noTokens,
  outputTokensFor,
  picosOf,
  type TokenRates
} from "@countersign/domain/token-price"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const whole = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
const Rate = Schema.Struct({
  prompt: whole(1_000_000_000),
  completion: whole(1_000_000_000),
  cacheRead: whole(1_000_000_000),
  cacheWrite: whole(1_000_000_000)
})
const Rates = Schema.Struct({ ...Rate.fields, high: Rate, above: whole(100_000) })
const Counts = Schema.Struct({
  input: whole(1_000_000),
  cached: whole(1_000_000),
  written: whole(1_000_000),
  output: whole(200_000)
})

const ratesFrom = ({ above, high, ...base }: typeof Rates.Type): TokenRates => ({
  ...base,
  tiers: [{ above, ...high }]
})

describe("prices of tokens", () => {
  it("reads decimal amounts in USD exactly, and refuses everything else", () => {
    assert.deepStrictEqual(
      ["0.0000025", "0", "1", "0.000000000001", "2.5e-6", "0.0000000000001", "-1", "", "1,5", ".5", "1e99", "abc"].map(
        picosOf
      ),
      [2_500_000, 0, 1e12, 1, 2_500_000, 1, undefined, undefined, undefined, undefined, undefined, undefined]
    )
  })

  it("has no rates for a price that depends on the call, and charges cached tokens without a rate in full", () => {
    assert.isUndefined(ratesOf({ pricing: { prompt: "-1", completion: "-1" } }))
    assert.deepStrictEqual(ratesOf({ pricing: { prompt: "0.000001", completion: "0" } }), {
      prompt: 1_000_000,
      completion: 0,
      cacheRead: 1_000_000,
      cacheWrite: 1_000_000,
      tiers: []
    })
  })

  it("charges each part of the input at its rate, an hour of cache at 160 %, and rounds once", () => {
    const rates: TokenRates = {
      prompt: 3_000_000,
      completion: 15_000_000,
      cacheRead: 300_000,
      cacheWrite: 3_750_000,
      tiers: [{ above: 200_000, prompt: 6_000_000, completion: 22_500_000, cacheRead: 600_000, cacheWrite: 7_500_000 }]
    }
    const counts = { input: 1_000, cached: 500, written: 300, writtenHour: 100, output: 10 }
    assert.strictEqual(
      microCentsOf(rates, counts),
      (200 * 3_000_000 + 500 * 300_000 + 200 * 3_750_000 + 100 * 6_000_000 + 10 * 15_000_000) / 10_000
    )
    assert.strictEqual(microCentsOf(rates, { ...noTokens, input: 200_000 }), 200_000 * 300)
    assert.strictEqual(microCentsOf(rates, { ...noTokens, input: 200_001 }), 200_001 * 600)
    assert.strictEqual(microCentsOf({ ...rates, prompt: 4_999 }, { ...noTokens, input: 1 }), 0)
    assert.strictEqual(microCentsOf({ ...rates, prompt: 5_000 }, { ...noTokens, input: 1 }), 1)
  })

  it.effect.prop(
    "never charges more than the ceiling, whatever part of the input is cached",
    [Rates, Counts],
    ([given, { cached, input, output, written }]) =>
      Effect.sync(() => {
        const rates = ratesFrom(given)
        const counts = { ...noTokens, input, cached, written, output }
        const micros = microCentsOf(rates, counts)
        const ceiling = ceilingCentsOf(rates, input, output)
        assert.isAtMost(micros, ceiling * 1_000_000)
        const { cents, micros: rest, readable } = actualOf(centsOf(micros), ceiling)
        assert.isTrue(readable)
        assert.strictEqual(cents * 1_000_000 + rest, micros)
      })
  )

  it.effect.prop(
    "finds the most output that an amount pays for",
    [Rates, whole(100_000), whole(10_000)],
    ([given, input, cents]) =>
      Effect.sync(() => {
        const rates = ratesFrom(given)
        const most = outputTokensFor(rates, input, cents)
        if (most < 0) return assert.isAbove(ceilingCentsOf(rates, input, 0), cents)
        if (most > 1e9) return
        assert.isAtMost(ceilingCentsOf(rates, input, most), cents)
        assert.isAbove(ceilingCentsOf(rates, input, most + 1), cents)
      })
  )

  it("reads a reported cost to the nearest micro-cent", () => {
    assert.deepStrictEqual(
      [0.00014, 0, 1.5, -1, Number.NaN, "1", undefined].map(microCentsOfUsd),
      [14_000, 0, 150_000_000, undefined, undefined, undefined, undefined]
    )
  })
})

describe("the filter of models", () => {
  const model = (id: string, prompt: string, inputs: ReadonlyArray<string>): Model => ({
    id,
    name: id,
    context_length: 1,
    pricing: { prompt, completion: "0" },
    architecture: { modality: "", input_modalities: inputs, output_modalities: ["text"] },
    top_provider: { context_length: 1, max_completion_tokens: 1 },
    supported_parameters: []
  })
  const models = [
    model("a/small", "0.000001", ["text"]),
    model("a/large", "0.00001", ["text", "image"]),
    model("b/router", "-1", ["text"])
  ]
  const ids = (filter: Parameters<typeof filterModels>[1]) => filterModels(models, filter).map(({ id }) => id)

  it("combines words, provider, modality, and the price of a million tokens", () => {
    assert.deepStrictEqual(ids({}), ["a/small", "a/large", "b/router"])
    assert.deepStrictEqual(ids({ q: "LARGE a/" }), ["a/large"])
    assert.deepStrictEqual(ids({ provider: "a", modality: "text" }), ["a/small", "a/large"])
    assert.deepStrictEqual(ids({ modality: "image" }), ["a/large"])
    assert.deepStrictEqual(ids({ max_price: "1" }), ["a/small"])
    assert.deepStrictEqual(ids({ max_price: "0.999999" }), [])
    assert.deepStrictEqual(ids({ max_price: "10" }), ["a/small", "a/large"])
  })
})
