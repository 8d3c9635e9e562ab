import { objectKeyBytesMax, objectKeyProblem } from "@countersign/domain/storage"
import { assert, describe, it } from "@effect/vitest"

describe("the key of an object", () => {
  it("is refused by its length before it is normalized", () => {
    assert.strictEqual(
      objectKeyProblem(`a${"\u0315\u0300".repeat(500_000)}`),
      `expected at most ${objectKeyBytesMax} bytes in UTF-8`
    )
  })

  it("has no invisible characters and no direction marks, except in emoji and scripts that need them", () => {
    for (const key of ["a\u200bb", "invoice\u202efdp.exe", "a\u2066b"]) {
      assert.strictEqual(objectKeyProblem(key), "expected text without invisible characters or direction marks")
    }
    for (const key of ["reports/2026 Q3.pdf", "👩‍🚀.png", "می\u200cخواهم.txt"]) assert.isUndefined(objectKeyProblem(key))
  })
})
