import type { HttpOperation } from "@countersign/domain/services"
import { readCallback } from "@countersign/hub/providers/async"
import { assert, describe, it } from "vitest"

const operation = {
  name: "call",
  method: "POST",
  path: "/calls",
  payload_schema: {},
  price: { type: "fixed", cents: 5 },
  async: {
    mode: "callback",
    ref: "/data/id",
    status: "/data/status",
    executed: ["ok"],
    failed: ["bad"],
    result: "/data",
    cost_cents: "/data/cents"
  }
} satisfies HttpOperation

describe("the body of a callback", () => {
  it("is read by the operation's pointers", () => {
    assert.deepStrictEqual(readCallback(operation, { data: { id: "c1", status: "ok", cents: 2 } }), {
      subject: { ref: "c1" },
      outcome: { kind: "executed", result: { id: "c1", status: "ok", cents: 2 }, actual: 2, actualFound: true }
    })
    assert.deepStrictEqual(readCallback(operation, { data: { id: 7, status: "bad" } }), {
      subject: { ref: "7" },
      outcome: { kind: "failed", detail: "The provider reported \"bad\"." }
    })
    assert.deepStrictEqual(readCallback(operation, { data: { id: "c1", status: "ringing" } }), {
      subject: { ref: "c1" },
      outcome: { kind: "running" }
    })
  })

  it("is read in the hook's own form where it names a request or the work that way", () => {
    assert.deepStrictEqual(
      readCallback(operation, { service_request_id: "req_1", status: "executed", result: [1], cost_cents: 3 }),
      {
        subject: { requestId: "req_1" },
        outcome: { kind: "executed", result: { value: [1] }, actual: 3, actualFound: true }
      }
    )
    assert.deepStrictEqual(readCallback(undefined, { provider_ref: "c1", status: "executed" }), {
      subject: { ref: "c1" },
      outcome: { kind: "executed", result: {} }
    })
    assert.deepStrictEqual(readCallback(undefined, { provider_ref: "c1", status: "failed", detail: "busy" }), {
      subject: { ref: "c1" },
      outcome: { kind: "failed", detail: "busy" }
    })
    assert.deepStrictEqual(readCallback(undefined, { provider_ref: "c1", status: "running" }), {
      subject: { ref: "c1" },
      outcome: { kind: "running" }
    })
  })

  it("is refused where it names no work or no status", () => {
    for (
      const body of [
        null,
        [],
        "x",
        {},
        { data: {} },
        { data: { id: "" } },
        { data: { id: "x".repeat(513) } },
        { data: { id: "a\u0000" } },
        { service_request_id: 1, status: "failed" },
        { provider_ref: "", status: "failed" },
        { provider_ref: "c1" },
        { provider_ref: "c1", status: "done" }
      ]
    ) {
      assert.property(readCallback(operation, body), "problem", JSON.stringify(body))
    }
    assert.property(readCallback(undefined, { data: { id: "c1", status: "ok" } }), "problem")
  })
})
