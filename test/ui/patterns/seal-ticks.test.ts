import { sealText, sealTicks } from "@countersign/ui/patterns/seal-ticks.ts"
import { describe, expect, it } from "vitest"

const heights = (digest: string) => sealTicks(digest).map(({ height }) => height)

describe("a seal", () => {
  it("has eight ticks of 3 to 12 px, 3 px apart, by the first eight nibbles", () => {
    expect(heights("0f".repeat(32))).toEqual([3, 12, 3, 12, 3, 12, 3, 12])
    expect(sealTicks("0".repeat(64)).map(({ x }) => x)).toEqual([0, 3, 6, 9, 12, 15, 18, 21])
  })
  it("tells apart what differs in a nibble by some pixels", () =>
    expect(heights("0".repeat(8))).not.toEqual(heights("00000008")))
  it("of what is no digest is flat", () => expect(heights("not a digest")).toEqual([3, 3, 3, 3, 3, 3, 3, 3]))
  it("is told by its first eight characters", () => expect(sealText("3fa92c1b7d0e45a8")).toBe("3fa92c1b"))
})
