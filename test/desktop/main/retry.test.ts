import { pauseMillis } from "@countersign/desktop/main/platform/retry"
import { assert, describe, it } from "vitest"

const most = 1 - Number.EPSILON

describe("the pause before a hub is retried", () => {
  it("doubles from 0.5 s to 8 s with full jitter, without end", () => {
    assert.deepStrictEqual(
      [1, 2, 3, 4, 5, 6, 1_000_000].map((failures) =>
        Math.ceil(pauseMillis({ status: 0 }, failures, most) / 500) * 500
      ),
      [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]
    )
    assert.strictEqual(pauseMillis({ status: 503 }, 5, 0), 0)
  })

  it("is 30 s to 5 min after status 429, and not shorter than Retry-After", () => {
    for (const failures of [1, 2, 3, 10, 1_000]) {
      for (const random of [0, 0.5, most]) {
        const millis = pauseMillis({ status: 429 }, failures, random)
        assert.isTrue(millis >= 30_000 && millis <= 300_000, `${failures} ${random} ${millis}`)
        assert.isAtLeast(pauseMillis({ status: 429, retryAfterMillis: 120_000 }, failures, random), 120_000)
        assert.isAtMost(pauseMillis({ status: 429, retryAfterMillis: 9_000_000 }, failures, random), 300_000)
      }
    }
  })
})
