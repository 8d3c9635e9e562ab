import { webhookTypes } from "@countersign/domain/webhook-endpoints"
import { parseAllowList } from "@countersign/hub/providers/egress-rules"
import { makeLanes } from "@countersign/hub/webhook-endpoints/lanes"
import type { DueDelivery } from "@countersign/hub/webhook-endpoints/queue-repository"
import {
  addressProblem,
  attemptsMax,
  endpointAttemptsMax,
  endpointShare,
  hubAttemptsMax,
  isLost,
  pauseSeconds,
  readAhead,
  receives,
  retryAfterOf,
  storedTypes,
  tallyOf
} from "@countersign/hub/webhook-endpoints/rules"
import { assert, describe, it } from "@effect/vitest"

describe("the schedule of attempts", () => {
  it("has eight attempts over a day, each pause within 10 %", () => {
    const pauses = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]
    assert.strictEqual(attemptsMax, pauses.length)
    for (const [tries, pause] of pauses.entries()) {
      assert.closeTo(pauseSeconds(tries, undefined, 0) ?? -1, pause * 0.9, 0.001)
      assert.closeTo(pauseSeconds(tries, undefined, 0.5) ?? -1, pause, 0.001)
      assert.isBelow(pauseSeconds(tries, undefined, 0.999) ?? -1, pause * 1.1 + 0.001)
    }
    assert.isUndefined(pauseSeconds(attemptsMax, undefined, 0.5))
  })

  it("waits longer when the receiver asks for it, up to an hour, and never less", () => {
    assert.strictEqual(pauseSeconds(1, 60, 0.5), 60)
    assert.strictEqual(pauseSeconds(1, 1, 0.5), 5)
    assert.strictEqual(pauseSeconds(1, 86_400, 0.5), 3_600)
    assert.strictEqual(pauseSeconds(4, 60, 0.5), 7_200)
    assert.isUndefined(pauseSeconds(attemptsMax, 60, 0.5))
  })

  it("reads Retry-After as seconds or as a date, and ignores anything else", () => {
    const now = Date.parse("2026-11-28T08:00:00Z")
    assert.strictEqual(retryAfterOf("120", now), 120)
    assert.strictEqual(retryAfterOf(" 0 ", now), 0)
    assert.strictEqual(retryAfterOf("Sat, 28 Nov 2026 08:01:30 GMT", now), 90)
    assert.strictEqual(retryAfterOf("Sat, 28 Nov 2026 07:00:00 GMT", now), 0)
    for (const text of [undefined, "", "soon", "-1", "1.5", "1e3", "2026-11-28", "Sat, nonsense"]) {
      assert.isUndefined(retryAfterOf(text, now), text)
    }
  })
})

describe("the attempts in progress", () => {
  it("are four for an endpoint, and fewer on a hub that is half full", () => {
    assert.strictEqual(endpointShare(0), endpointAttemptsMax)
    assert.strictEqual(endpointShare(hubAttemptsMax / 2 - 1), endpointAttemptsMax)
    assert.strictEqual(endpointShare(hubAttemptsMax / 2), 2)
    assert.strictEqual(endpointShare(hubAttemptsMax - 1), 1)
  })
})

describe("the deliveries that a hub reads ahead", () => {
  const delivery = (id: string, endpoint_id = "whk_1"): DueDelivery => ({
    id,
    endpoint_id,
    org_id: "org_1",
    event_id: `evt_${id}`,
    type: "app.updated",
    subject_type: "app",
    subject_id: "app_1",
    version: 1,
    occurred_at: new Date(0),
    url: "https://hooks.example.com/",
    tries: 0,
    attempts: 0,
    due_at: new Date(0),
    is_failing: false,
    secret: new Uint8Array(),
    previous_secret: null,
    previous_until: null
  })

  it("are half a second of a fast receiver's work, and none of a slow, an unknown, and a failing one", () => {
    assert.strictEqual(readAhead(4, undefined), 4)
    assert.strictEqual(readAhead(4, 10_000), 4)
    assert.strictEqual(readAhead(4, 100), 20)
    assert.strictEqual(readAhead(4, 0.2), 64)
  })

  it("begin four at a time, are dropped after a failure, a change, or a lease that was not confirmed", () => {
    const lanes = makeLanes()
    const rooms = () => lanes.leased(["whk_1"], 0)
    const ids = (now: number) => lanes.begin(now).map(({ id }) => id)
    const read = (from: number, count: number) =>
      lanes.add(Array.from({ length: count }, (_, at) => delivery(`d${from + at}`)))
    assert.deepStrictEqual(rooms(), [{ endpoint_id: "whk_1", room: 4 }])
    read(1, 4)
    assert.deepStrictEqual([ids(0), lanes.full()], [["d1", "d2", "d3", "d4"], ["whk_1"]])
    lanes.end("whk_1", 5, true)
    assert.deepStrictEqual([rooms(), lanes.busy().length], [[{ endpoint_id: "whk_1", room: 60 }], 4])
    lanes.stored([{ id: "d1", endpoint_id: "whk_1" }])
    read(5, 10)
    assert.deepStrictEqual([ids(1), ids(1), lanes.inProgress()], [["d5"], [], 4])
    lanes.end("whk_1", 5, false)
    assert.deepStrictEqual(ids(2), [])
    read(20, 3)
    lanes.drop("whk_1")
    assert.deepStrictEqual(ids(3), [])
    read(30, 3)
    assert.deepStrictEqual(ids(60_000), [])
    assert.deepStrictEqual(lanes.idle(60_000), [])
    for (const id of ["d2", "d3", "d4", "d5"]) lanes.stored([{ id, endpoint_id: "whk_1" }])
    assert.deepStrictEqual(lanes.idle(60_000), ["whk_1"])
  })
})

describe("a failing endpoint", () => {
  it("is disabled after five days and ten failures, and not for one of them alone", () => {
    const now = new Date("2026-11-28T08:00:00Z")
    const days = (count: number) => new Date(now.getTime() - count * 86_400_000)
    assert.isTrue(isLost(10, days(5), now))
    assert.isFalse(isLost(9, days(30), now))
    assert.isFalse(isLost(1_000, days(4.99), now))
    assert.isFalse(isLost(0, null, now))
  })

  it("counts from its last delivery, in the order of the ends", () => {
    const ends = [["b", false], ["a", false], ["a", true], ["a", false], ["b", false]] as const
    assert.deepStrictEqual(tallyOf(ends.map(([endpoint_id, delivered]) => ({ endpoint_id, delivered }))), [
      { endpoint_id: "a", failed: 1, delivered: true },
      { endpoint_id: "b", failed: 2, delivered: false }
    ])
  })
})

describe("types", () => {
  it("are stored without repetitions, and all of them as one value that includes later types", () => {
    assert.isNull(storedTypes(undefined))
    assert.isNull(storedTypes(null))
    assert.isNull(storedTypes([...webhookTypes, ...webhookTypes]))
    assert.deepStrictEqual(storedTypes(["app.updated", "approval.created", "app.updated"]), [
      "approval.created",
      "app.updated"
    ])
    assert.isTrue(receives(null, "a later type"))
    assert.isFalse(receives(["app.updated"], "approval.created"))
  })
})

describe("addresses", () => {
  const problem = (url: string, allow = "") => addressProblem(url, { allow: parseAllowList(allow).entries })

  it("take https, and plain http only for addresses of the operator", () => {
    assert.isUndefined(problem("https://hooks.example.com/a?b=c"))
    assert.isUndefined(problem("http://127.0.0.1:8080/", "127.0.0.1"))
    assert.isUndefined(problem("http://hooks.internal/", "hooks.internal"))
    assert.isUndefined(problem("https://10.1.2.3/", "10.0.0.0/8"))
    for (
      const url of [
        "http://hooks.example.com/",
        "http://127.0.0.1/",
        "https://127.0.0.1/",
        "https://localhost/",
        "https://10.1.2.3/",
        "https://[::1]/",
        "https://[fd00::1]/",
        "https://169.254.169.254/latest",
        "https://0x7f000001/",
        "https://user:password@hooks.example.com/",
        "https://hooks.example.com/#part",
        "ftp://hooks.example.com/",
        "hooks.example.com",
        ""
      ]
    ) assert.isString(problem(url), url)
  })
})
