/** The bound on the data of audit entries, alone and for the largest inputs of actions. */
import { entryDataBytesMax } from "@countersign/domain/audit"
import { entryDataText, fingerprintOf } from "@countersign/hub/platform/audit-entry-data"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { makeDevice } from "../../support/device.ts"
import { expectStatus, HubTest, makeAgent, makeService, TestHub, topUp } from "../../support/hub.ts"
import { chanceOf } from "../../support/random.ts"

const sizeOf = (text: string) => Buffer.byteLength(text)

describe("the data of an audit entry", () => {
  it("is the JSON of the facts if it fits", () => {
    assert.strictEqual(entryDataText(), "{}")
    const facts = { service_request_id: "req_1", list: ["é", 1, null], none: undefined }
    assert.strictEqual(entryDataText(facts), JSON.stringify(facts))
    const exact = { text: "x".repeat(entryDataBytesMax - "{\"text\":\"\"}".length) }
    assert.strictEqual(entryDataText(exact), JSON.stringify(exact))
  })

  it("has its largest fields replaced by size and digest until it fits", () => {
    const [big, bigger] = ["é".repeat(9_000), ["x".repeat(20_000)]]
    const data = JSON.parse(entryDataText({ id: "req_1", big, bigger, cents: 5 })) as Record<string, unknown>
    assert.deepStrictEqual(data, {
      id: "req_1",
      big: { $omitted: fingerprintOf(JSON.stringify(big)) },
      bigger: { $omitted: fingerprintOf(JSON.stringify(bigger)) },
      cents: 5
    })
    assert.deepInclude(data["big"], { $omitted: { bytes: 18_002, sha256: fingerprintOf(JSON.stringify(big)).sha256 } })
    const one = JSON.parse(entryDataText({ id: "req_1", big: "x".repeat(10_000), small: "y".repeat(7_000) })) as Record<
      string,
      unknown
    >
    assert.deepStrictEqual([one["id"], one["small"]], ["req_1", "y".repeat(7_000)])
  })

  it("is replaced as a whole when it has too many fields", () => {
    const facts = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`name-${index}`, index]))
    assert.deepStrictEqual(JSON.parse(entryDataText(facts)), { $omitted: fingerprintOf(JSON.stringify(facts)) })
  })

  it("never exceeds the bound, for any facts", () => {
    const random = chanceOf(7)
    for (let round = 0; round < 60; round++) {
      const facts = Object.fromEntries(
        Array.from(
          { length: 1 + random.int(400) },
          (
            _,
            index
          ) => [
            `${index}`.repeat(1 + random.int(4)),
            random.one(["é\u0001\"", "x", "🙂"]).repeat(random.int(1 << random.int(13)))
          ]
        )
      )
      const text = entryDataText(facts)
      assert.isAtMost(sizeOf(text), entryDataBytesMax)
      if (sizeOf(JSON.stringify(facts)) <= entryDataBytesMax) assert.deepStrictEqual(JSON.parse(text), facts)
    }
  })
})

layer(HubTest(), { excludeTestServices: true })("audit entries of the largest changes", (it) => {
  it.effect("stay within the bound, for every writer, and the chain stays valid", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner, run } = hub
      const as = { cookie: owner.cookie }
      yield* topUp(hub, owner, 1_000)
      const operations = Array.from({ length: 200 }, (_, index) => ({
        name: `operation-${String(index).padEnd(54, "x")}`,
        method: "POST",
        path: "/",
        price: { type: "fixed", cents: 0 },
        payload_schema: { type: "object" }
      }))
      yield* makeService(hub, owner, { name: "wide", kind: "http", base_url: "https://wide.example", operations })
      const agent = yield* makeAgent(hub, owner, {
        bindings: [{ service: "echo", operations: ["*"] }, {
          service: "wide",
          operations: operations.map(({ name }) => name)
        }]
      })
      expectStatus(
        yield* api("POST", "/policies", {
          ...as,
          body: {
            name: "n".repeat(100),
            when: `payload.text == "${"é".repeat(2_000)}"`,
            then: "block",
            reason: "r".repeat(500)
          }
        }),
        201
      )
      expectStatus(
        yield* api("POST", "/service-requests", {
          key: agent.key,
          body: { service: "echo", operation: "say", payload: { text: "x".repeat(200_000) } }
        }),
        200
      )
      const device = yield* makeDevice(hub, owner)
      const { body: { session_id } } = expectStatus(yield* device.heartbeat(), 200)
      const queue = (tool: string, input: unknown) =>
        api("POST", `/devices/sessions/${session_id}/commands`, {
          ...as,
          body: { tool, input, reason: "r".repeat(2_000) }
        })
      expectStatus(yield* queue("fs.write", { path: "/srv/work/f", content: "x".repeat(500_000) }), 201)
      expectStatus(yield* queue("shell.run", { argv: Array.from({ length: 20 }, () => "x".repeat(30_000)) }), 201)
      const rows = yield* run(Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.orDie(
          sql<
            { action: string; bytes: number }
          >`select action, max(octet_length(data))::int as bytes from audit group by action`
        )))
      const largest = new Map(rows.map(({ action, bytes }) => [action, bytes]))
      for (
        const action of [
          "service.created",
          "policy.created",
          "binding.put",
          "device.updated",
          "device_command.queued",
          "service_request.executed"
        ]
      ) {
        assert.isTrue(largest.has(action), action)
      }
      for (const [action, bytes] of largest) assert.isAtMost(bytes, entryDataBytesMax, action)
      assert.isAbove(Math.max(...largest.values()), 10_000, "some change is large")
      assert.isTrue((yield* api("GET", "/audit-logs/verify", as)).body.ok)
    }))
})
