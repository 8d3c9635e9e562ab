import { middleTruncated } from "@countersign/ui/components/id-text.ts"
import { describe, expect, it } from "vitest"

describe("an id told by its ends", () => {
  it("loses its middle", () => expect(middleTruncated("apr_01jd8x4k2m9q7r5t3v1w", 8, 4)).toBe("apr_01jd…3v1w"))
  it("stays whole where the cut would save nothing", () =>
    expect(middleTruncated("apr_01jd8x4k2", 8, 4)).toBe("apr_01jd8x4k2"))
  it("keeps no end where none is asked for", () => expect(middleTruncated("sha256:abcdef0123", 7, 0)).toBe("sha256:…"))
  it("cuts between characters, not within one", () => expect(middleTruncated("🖋🖋🖋🖋🖋", 1, 1)).toBe("🖋…🖋"))
})
