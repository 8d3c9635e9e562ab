import { makeAddressOf } from "@countersign/hub/edge/client-address"
import { addressKey, makeRateLimiter } from "@countersign/hub/edge/rate-limit"
import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"

describe("the rate limiter", () => {
  const limiterAt = (bucketsMax: number) => {
    const clock = { millis: 0 }
    const limiter = makeRateLimiter("test", Option.some({ perSecond: 1, burst: 3 }), {
      now: () => clock.millis,
      bucketsMax
    })!
    const allowed = (key: string) => limiter.take(key).allowed
    const drain = (key: string) => {
      while (allowed(key)) { /* until it is empty */ }
    }
    return { clock, allowed, drain, limiter }
  }

  it("refills a bucket over time, up to its burst", () => {
    const { allowed, clock, drain } = limiterAt(10)
    drain("a")
    clock.millis = 999
    assert.isFalse(allowed("a"))
    clock.millis = 2_000
    assert.deepStrictEqual([allowed("a"), allowed("a"), allowed("a")], [true, true, false])
    clock.millis = 60_000
    assert.deepStrictEqual([1, 2, 3, 4].map(() => allowed("a")), [true, true, true, false])
  })

  it("drops the least recently used buckets, not the oldest ones", () => {
    const { allowed, drain, limiter } = limiterAt(3)
    drain("busy")
    for (let at = 0; at < 50; at++) {
      allowed(`other-${at}`)
      assert.isFalse(allowed("busy"), `after ${at + 1} others`)
    }
    assert.strictEqual(limiter.size(), 3)
  })

  it("keeps an empty bucket while fuller ones can be dropped, so that a flood of other keys does not reset it", () => {
    const { allowed, clock, drain } = limiterAt(100)
    drain("greedy key")
    for (let at = 0; at < 10_000; at++) allowed(`other-${at}`)
    assert.isFalse(allowed("greedy key"))
    clock.millis = 1_000
    assert.isTrue(allowed("greedy key"))
  })
})

describe("the key of an address", () => {
  it("is the /64 of an IPv6 address, in one spelling", () => {
    const key = addressKey("2001:db8:1:2:3:4:5:6")
    for (const same of ["2001:db8:1:2::", "2001:0DB8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::1%eth0"]) {
      assert.strictEqual(addressKey(same), key, same)
    }
    for (const other of ["2001:db8:1:3::1", "2001:db8::1", "::1"]) assert.notStrictEqual(addressKey(other), key, other)
  })

  it("is the IPv4 address itself, mapped into IPv6 or not", () => {
    for (const same of ["192.0.2.7", "::ffff:192.0.2.7", "::FFFF:c000:207"]) {
      assert.strictEqual(addressKey(same), "192.0.2.7", same)
    }
    assert.notStrictEqual(addressKey("192.0.2.8"), "192.0.2.7")
  })

  it("is the text itself for any other value", () => {
    assert.strictEqual(addressKey("unknown"), "unknown")
  })
})

describe("the address of a client", () => {
  it("is IPv4 when it is mapped into IPv6, from the peer and from a trusted proxy's header", () => {
    const addressOf = makeAddressOf(["10.0.0.0/8"])
    assert.strictEqual(addressOf("::ffff:192.0.2.7", undefined), "192.0.2.7")
    assert.strictEqual(addressOf("::FFFF:c000:207", undefined), "192.0.2.7")
    assert.strictEqual(addressOf("10.0.0.1", "::ffff:192.0.2.7"), "192.0.2.7")
    assert.strictEqual(addressOf("::ffff:10.0.0.1", "2001:db8::1"), "2001:db8::1")
  })
})
