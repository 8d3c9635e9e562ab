import * as billing from "@countersign/domain/billing"
import { amountCentsMax as contractMax } from "@countersign/domain/money"
import {
  amountCentsMax,
  formatMoney,
  moneyParts,
  parseMoney,
  plainMoney
} from "@countersign/ui/components/money-text.ts"
import { checkoutCentsMax, checkoutCentsMin } from "@countersign/ui/money/checkout.ts"
import { describe, expect, it } from "vitest"

describe("formatting cents", () => {
  it.each([
    [0, "$0.00"],
    [1, "$0.01"],
    [100, "$1.00"],
    [124000, "$1,240.00"],
    [-4205, "\u2212$42.05"],
    [amountCentsMax, "$1,000,000,000.00"]
  ])("writes %d as %s", (cents, text) => expect(formatMoney(cents)).toBe(text))

  it("shows an amount below one cent as less than a cent, never as zero", () => {
    expect(formatMoney(0.3)).toBe("< $0.01")
    expect(formatMoney(-0.3)).toBe("\u2212< $0.01")
  })

  it("shows a plus sign only if signs are requested", () => {
    expect(formatMoney(500, true)).toBe("+$5.00")
    expect(formatMoney(0, true)).toBe("$0.00")
  })

  it("joins its parts to the same text", () => {
    const { sign, symbol, digits } = moneyParts(-124000)
    expect(sign + symbol + digits).toBe(formatMoney(-124000))
  })
})

describe("parsing amounts", () => {
  it.each([
    ["25", 2500],
    ["25.5", 2550],
    ["25.", 2500],
    [".5", 50],
    ["$1,240.00", 124000],
    [" 0.01 ", 1],
    ["1.10", 110],
    ["1000000000", amountCentsMax]
  ])("reads %s as %d", (text, cents) => expect(parseMoney(text)).toBe(cents))

  it.each(["-5", "1.234", "1,24", "ten", ".", "1e3", "1000000000.01", "12,3456"])(
    "rejects %s",
    (text) => expect(parseMoney(text)).toBe("invalid")
  )

  it("reads empty text as empty, not as zero", () => {
    expect(parseMoney("  ")).toBe("empty")
    expect(parseMoney("$")).toBe("empty")
  })

  it("reads plainly written amounts back as the same cents", () => {
    for (const cents of [0, 7, 99, 100, 1999, 123456789, amountCentsMax]) {
      expect(parseMoney(plainMoney(cents))).toBe(cents)
    }
  })

  it("has the contract's limits of a transfer and of a payment", () => {
    expect(amountCentsMax).toBe(contractMax)
    expect([checkoutCentsMin, checkoutCentsMax]).toEqual([billing.checkoutCentsMin, billing.checkoutCentsMax])
  })
})
