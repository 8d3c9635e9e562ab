import { momentMillis } from "@countersign/domain/time"
import { assert, describe, it } from "vitest"

describe("a moment", () => {
  it("is a day, or a time with its offset", () => {
    for (
      const [text, iso] of [
        ["2026-11-21", "2026-11-21T00:00:00.000Z"],
        ["2024-02-29T23:59:59.123456Z", "2024-02-29T23:59:59.123Z"],
        ["2026-11-21T09:00+02:00", "2026-11-21T07:00:00.000Z"],
        ["2026-03-01t00:30:00+01:00", "2026-02-28T23:30:00.000Z"]
      ] as const
    ) {
      assert.strictEqual(new Date(momentMillis(text)).toISOString(), iso, text)
    }
  })

  it("is invalid on a day that does not exist, at any hour", () => {
    for (
      const day of ["2026-02-29", "2026-02-31", "2026-04-31", "2026-13-01", "2026-00-10", "2026-01-00", "2026-01-32"]
    ) {
      for (const text of [day, `${day}T00:00:00Z`, `${day} 12:30Z`, `${day}T23:59:59.999+14:00`]) {
        assert.isNaN(momentMillis(text), text)
      }
    }
  })

  it("is invalid without an offset, or in any other form", () => {
    for (
      const text of [
        "",
        "2026-11-21T09:00:00",
        "2026-11-21Z",
        "21.11.2026",
        "2026-11-21T25:00:00Z",
        "2026-11-21T09:00:00+9"
      ]
    ) {
      assert.isNaN(momentMillis(text), text)
    }
  })
})
