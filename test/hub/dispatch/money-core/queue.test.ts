import { type BeginEntry, tickLimits, TickQueue } from "@countersign/hub/dispatch/money-core/queue"
import { assert, describe, it } from "@effect/vitest"

const bounds = { beginsMax: 8, beginLengthMax: 800 }
const beginOf = (org: string, payload = "{}") =>
  ({
    kind: "begin",
    org,
    begin: { payload },
    since: 0,
    again: false,
    late: undefined,
    resolve: () => {},
    reject: () => {}
  }) as unknown as BeginEntry

describe("the queue of begins", () => {
  it("is full for a workspace with half of all entries, and not for the others", () => {
    const queue = new TickQueue(tickLimits)
    for (let n = 0; n < 4; n++) {
      assert.isFalse(queue.isFull("org_a", bounds))
      queue.push(beginOf("org_a"))
    }
    assert.deepStrictEqual([queue.isFull("org_a", bounds), queue.isFull("org_b", bounds)], [true, false])
    for (let n = 0; n < 4; n++) queue.push(beginOf(`org_${n}`))
    assert.isTrue(queue.isFull("org_b", bounds))
    assert.strictEqual(queue.take()?.entries.length, 8)
    assert.deepStrictEqual([queue.isFull("org_a", bounds), queue.isFull("org_b", bounds)], [false, false])
  })

  it("counts the characters of payloads the same way, and not those of dropped begins", () => {
    const queue = new TickQueue(tickLimits)
    queue.push(beginOf("org_a", "x".repeat(400)))
    assert.deepStrictEqual([queue.isFull("org_a", bounds), queue.isFull("org_b", bounds)], [true, false])
    assert.strictEqual(queue.dropOlder(1).length, 1)
    assert.isFalse(queue.isFull("org_a", bounds))
  })
})
