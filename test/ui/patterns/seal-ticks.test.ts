import { sealText, sealTicks } from "@countersign/ui/patterns/seal-ticks.ts"
import { describe, expect, it } from "vitest"

const heights = (digest: string) => sealTicks(digest).map(({ height }) => height)

describe("seal", () => {
  it("has eight ticks of 3 to 12 px, 3 px apart, from the first eight nibbles", () => {
    expect(heights("0f".repeat(32))).toEqual([3, 12, 3, 12, 3, 12, 3, 12])
    expect(sealTicks("0".repeat(64)).map(({ x }) => x)).toEqual([0, 3, 6, 9, 12, 15, 18, 21])
  })
  it("differs by some pixels for digests that differ in one nibble", () =>
    expect(heights("0".repeat(8))).not.toEqual(heights("00000008")))
  it("is flat for an invalid digest", () => expect(heights("not a digest")).toEqual([3, 3, 3, 3, 3, 3, 3, 3]))
  it("is labeled with its first eight characters", () => expect(sealText("3fa92c1b7d0e45a8")).toBe("3fa92c1b"))
})
