import { plainCents, pricesWords, priceWords } from "@countersign/ui/catalog/price"
import { nameFrom } from "@countersign/ui/catalog/service-name"
import { catalogText } from "@countersign/ui/text/catalog"
import { describe, expect, test } from "vitest"

const words = catalogText.price

describe("price text", () => {
  test.each(
    [
      [{ type: "fixed", cents: 0 }, "Free"],
      [{ type: "fixed", cents: 12 }, "$0.12 a call"],
      [{ type: "quoted", ceiling: "5" }, "$0.05 a call"],
      [{ type: "quoted", ceiling: " 4.2 ", actual: "/cents" }, "Up to $0.05 a call"],
      [{ type: "quoted", ceiling: "payload.n * 3" }, "Quoted from the payload"]
    ] as const
  )("writes %j as %s", (price, text) => {
    expect(priceWords(words, price)).toBe(text)
  })

  test("shows a range for several fixed prices", () => {
    const fixed = (cents: number) => ({ price: { type: "fixed", cents } as const })
    expect(pricesWords(words, [fixed(1), fixed(1)])).toBe("$0.01 a call")
    expect(pricesWords(words, [fixed(20), fixed(1)])).toBe("$0.01 to $0.20 a call")
    expect(pricesWords(words, [fixed(20), { price: { type: "quoted", ceiling: "payload.n" } }])).toBe("Varies")
  })

  test.each([
    ["1e3", undefined],
    ["-1", undefined],
    ["", undefined],
    ["0.5", 1]
  ])("reads %s as %s cents", (text, cents) => {
    expect(plainCents(text)).toBe(cents)
  })
})

test.each([
  ["Pet Store API", "pet-store-api"],
  ["  3 Ünïts ", "u-ni-ts"],
  ["", ""],
  [undefined, ""]
])("derives the name of a service from the title %s: %s", (title, name) => {
  expect(nameFrom(title)).toBe(name)
})
