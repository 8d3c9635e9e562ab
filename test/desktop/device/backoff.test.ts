/** Delays before reconnects. Spec: reference/devices.md "Agent reconnects". */
import { isFinal, nextTry, socketPause } from "@countersign/desktop/device/backoff"
import type { LinkEnd } from "@countersign/desktop/device/link"
import { watchWakes } from "@countersign/desktop/device/wake"
import { assert, describe, it } from "@effect/vitest"

const closed = (code: number): LinkEnd => ({ kind: "closed", code, reason: "" })
const refused = (status: number, code?: string, retryAfterSeconds?: number): LinkEnd => ({
  kind: "refused",
  status,
  code,
  retryAfterSeconds
})
const away: LinkEnd = { kind: "unreachable", why: "ECONNREFUSED" }
const almost = 1 - Number.EPSILON

describe("the next attempt", () => {
  it("comes after 1 s doubling to 30 s, with full jitter, without end", () => {
    for (const end of [away, closed(1006), refused(503), refused(502, "upstream_error"), refused(403)]) {
      assert.deepStrictEqual(
        [1, 2, 3, 4, 5, 6, 7, 1_000_000].map((failures) =>
          Math.round((nextTry(end, failures, almost) as { millis: number }).millis)
        ),
        [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]
      )
      assert.deepStrictEqual(nextTry(end, 9, 0), { kind: "again", millis: 0 })
    }
  })

  it("comes within 10 s of a hub's restart, whatever failed before", () => {
    for (const failures of [1, 20]) {
      assert.deepStrictEqual(nextTry(closed(1012), failures, 0.5), { kind: "again", millis: 5_000 })
    }
  })

  it("comes after 30 s to 5 min when the hub limits, and not before its retry-after", () => {
    const millis = (failures: number, random: number, after?: number) =>
      (nextTry(refused(429, "rate_limited", after), failures, random) as { millis: number }).millis
    assert.strictEqual(millis(1, 0), 30_000)
    assert.strictEqual(Math.round(millis(3, almost)), 120_000)
    assert.strictEqual(Math.round(millis(50, almost)), 300_000)
    assert.isAtLeast(millis(1, almost, 100), 99_000)
    assert.isAtMost(millis(1, almost, 100_000), 300_000)
  })

  it("never comes after a takeover, a revocation, another protocol, or a refused key", () => {
    const finals: ReadonlyArray<readonly [LinkEnd, string]> = [
      [closed(4001), "superseded"],
      [closed(4003), "revoked"],
      [closed(4406), "protocol"],
      [refused(409, "superseded"), "superseded"],
      [refused(401, "device_revoked"), "revoked"],
      [refused(426, "upgrade_required"), "protocol"],
      [refused(401, "unauthorized"), "refused"],
      [refused(404, "not_found"), "refused"]
    ]
    for (const [end, kind] of finals) {
      assert.deepStrictEqual(nextTry(end, 1, 0.5), { kind } as never)
      assert.isTrue(isFinal(end))
    }
  })

  it("ignores a status without the hub's error code, which may come from a proxy", () => {
    for (const status of [400, 401, 404, 405, 407, 426, 501]) assert.isFalse(isFinal(refused(status)), String(status))
  })

  it("of a socket during the long poll comes after 10 to 15 s", () => {
    assert.strictEqual(socketPause(0), 10_000)
    assert.isAbove(socketPause(almost), 12_000)
    assert.isAtMost(socketPause(almost), 15_000)
  })
})

describe("a wake", () => {
  it("ends a pause at once when the system clock ran ahead or the network changed", async () => {
    for (const why of ["slept", "network"] as const) {
      let ahead = 0
      let network = "10.0.0.1"
      const reasons: Array<string> = []
      const wakes = watchWakes({
        onWake: (why) => reasons.push(why),
        clock: () => Date.now() + ahead,
        network: () => network
      })
      const pause = wakes.pause(3_600_000, new AbortController().signal)
      if (why === "slept") ahead = 60_000
      else network = "10.0.0.2"
      await pause
      wakes.close()
      assert.deepStrictEqual(reasons, [why])
    }
  })

  it("is not required: a pause also ends after its time and by its signal", async () => {
    const wakes = watchWakes({ onWake: () => assert.fail("nothing woke it"), network: () => "" })
    const leaving = new AbortController()
    await wakes.pause(1, leaving.signal)
    const long = wakes.pause(3_600_000, leaving.signal)
    leaving.abort()
    await long
    await wakes.pause(3_600_000, leaving.signal)
    wakes.close()
  })
})
