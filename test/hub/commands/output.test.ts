import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { statSync } from "node:fs"
import { until } from "../../support/health.ts"
import { announcedFile, spawnCommand, spawnHub } from "../../support/hub-program.ts"

const parsed = (line: string): Record<string, unknown> => JSON.parse(line) as Record<string, unknown>

describe("the output of a hub without a terminal", () => {
  it.live(
    "is one JSON object a line, with a line for each request and secrets in files of mode 0600",
    () =>
      Effect.gen(function*() {
        const hub = yield* spawnHub({ env: { HUB_LOG_LEVEL: "debug" } })
        for (const { file } of hub.lines.map(parsed)) {
          if (typeof file === "string") assert.strictEqual(statSync(file).mode & 0o777, 0o600, file)
        }
        const link = yield* announcedFile(hub, /The setup link/)
        const demo = yield* announcedFile(hub, /Demo is ready/)
        const [, token = ""] = /\/setup#token=(\S+)/.exec(link) ?? []
        const [, key = ""] = /Bearer (agent_key_live_\w+)/.exec(demo) ?? []
        const done = yield* hub.api("POST", "/service-requests", {
          key,
          headers: { "x-request-id": "caller-1" },
          body: { service: "echo", operation: "say", payload: { text: "hello" } }
        })
        assert.strictEqual(done.body.status, "executed")
        yield* hub.api("GET", `/service-requests/${done.body.id}`, { key, headers: { "x-request-id": "caller-2" } })
        const refused = yield* hub.api("GET", "/agents/agt_1")
        assert.strictEqual(refused.status, 401)
        const logged = (id: string) =>
          until(`a line of ${id}`, Effect.sync(() => hub.lines.some((line) => line.includes(id)))).pipe(
            Effect.map(() => {
              const { at: _, level, message, milliseconds, ...fields } = parsed(
                hub.lines.find((line) => line.includes(`"request_id":"${id}"`)) ?? "{}"
              )
              assert.isTrue(Number.isInteger(milliseconds))
              const line: Record<string, unknown> = { level, message, ...fields }
              return line
            })
          )
        assert.deepStrictEqual(yield* logged("caller-1"), {
          level: "debug",
          message: "POST /api/v1/service-requests 200",
          request_id: "caller-1",
          service_request_id: done.body.id,
          method: "POST",
          route: "/api/v1/service-requests",
          status: 200,
          outcome: "executed"
        })
        assert.deepInclude(yield* logged("caller-2"), {
          route: "/api/v1/service-requests/:id",
          service_request_id: done.body.id,
          outcome: "executed"
        })
        assert.deepInclude(yield* logged(refused.headers.get("x-request-id") ?? ""), {
          level: "info",
          message: "GET /api/v1/agents/:id 401",
          outcome: "unauthorized"
        })
        yield* hub.kill("SIGTERM")
        assert.strictEqual((yield* hub.ended).code, 0)
        for (const line of hub.lines) assert.isString(parsed(line)["message"], line)
        const text = hub.lines.join("\n")
        assert.notInclude(text, token)
        assert.notInclude(text, key)
      })
  )

  it.live("names a wrong setting in one JSON line", () =>
    Effect.gen(function*() {
      const program = yield* spawnCommand(["start"], { HUB_PORT: "http" })
      assert.strictEqual((yield* program.ended).code, 78)
      assert.lengthOf(program.lines, 1)
      assert.deepInclude(parsed(program.lines[0]!), {
        level: "error",
        message: "Countersign cannot start: HUB_PORT must be a whole number from 0 to 65535"
      })
    }))
})
