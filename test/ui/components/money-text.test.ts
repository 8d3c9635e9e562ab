import { amountCentsMax as contractMax } from "@countersign/domain/money"
import {
  amountCentsMax,
  formatMoney,
  moneyParts,
  parseMoney,
  plainMoney
} from "@countersign/ui/components/money-text.ts"
import { describe, expect, it } from "vitest"

describe("cents as text", () => {
  it.each([
    [0, "$0.00"],
    [1, "$0.01"],
    [100, "$1.00"],
    [124000, "$1,240.00"],
    [-4205, "\u2212$42.05"],
    [amountCentsMax, "$1,000,000,000.00"]
  ])("%d reads %s", (cents, text) => expect(formatMoney(cents)).toBe(text))

  it("what is below a cent is told as less than a cent, and never as nothing", () => {
    expect(formatMoney(0.3)).toBe("< $0.01")
    expect(formatMoney(-0.3)).toBe("\u2212< $0.01")
  })

  it("a sign is put before a gain only where signs are asked for", () => {
    expect(formatMoney(500, true)).toBe("+$5.00")
    expect(formatMoney(0, true)).toBe("$0.00")
  })

  it("the parts put together are the text", () => {
    const { sign, symbol, digits } = moneyParts(-124000)
    expect(sign + symbol + digits).toBe(formatMoney(-124000))
  })
})

describe("text as cents", () => {
  it.each([
    ["25", 2500],
    ["25.5", 2550],
    ["25.", 2500],
    [".5", 50],
    ["$1,240.00", 124000],
    [" 0.01 ", 1],
    ["1.10", 110],
    ["1000000000", amountCentsMax]
  ])("%s is %d", (text, cents) => expect(parseMoney(text)).toBe(cents))

  it.each(["-5", "1.234", "1,24", "ten", ".", "1e3", "1000000000.01", "12,3456"])(
    "%s is no amount",
    (text) => expect(parseMoney(text)).toBe("invalid")
  )

  it("nothing is nothing, not zero", () => {
    expect(parseMoney("  ")).toBe("empty")
    expect(parseMoney("$")).toBe("empty")
  })

  it("what is written plainly reads as the same cents", () => {
    for (const cents of [0, 7, 99, 100, 1999, 123456789, amountCentsMax]) {
      expect(parseMoney(plainMoney(cents))).toBe(cents)
    }
  })

  it("the limit is the contract's", () => expect(amountCentsMax).toBe(contractMax))
})
