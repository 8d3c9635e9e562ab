import { middleTruncated } from "@countersign/ui/components/id-text.ts"
import { describe, expect, it } from "vitest"

describe("a shortened id", () => {
  it("keeps its ends", () => expect(middleTruncated("apr_01jd8x4k2m9q7r5t3v1w", 8, 4)).toBe("apr_01jd…3v1w"))
  it("stays whole if the cut would not shorten it", () =>
    expect(middleTruncated("apr_01jd8x4k2", 8, 4)).toBe("apr_01jd8x4k2"))
  it("has no tail for a length of 0", () => expect(middleTruncated("sha256:abcdef0123", 7, 0)).toBe("sha256:…"))
  it("is cut between characters, not within one", () => expect(middleTruncated("🖋🖋🖋🖋🖋", 1, 1)).toBe("🖋…🖋"))
})
