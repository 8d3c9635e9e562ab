/** The hub as an MCP server, with the official client. Spec: reference/mcp.md "Tools", "Results", "Calls". */
import { assert, layer } from "@effect/vitest"
import type { Client } from "@modelcontextprotocol/client"
import { Effect, Fiber } from "effect"
import type { ServerResponse } from "node:http"
import { request as rawRequest } from "undici"
import { expectStatus, HubTest, makeAgent, makeService, makeToken, TestHub, topUp } from "../../support/hub.ts"
import { generations, mcpClient, type McpClientOptions } from "../../support/mcp-client.ts"
import { httpUpstream } from "../../support/upstream.ts"

const env = { HUB_EGRESS_ALLOW: "127.0.0.1" }

layer(HubTest({ env }), { excludeTestServices: true })("the MCP server", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api, owner } = hub
    const connect = (options: McpClientOptions) => mcpClient(hub.url, options)
    const call = (client: Client, name: string, args: Record<string, unknown> = {}, meta?: Record<string, unknown>) =>
      Effect.promise(() =>
        client.callTool({ name, arguments: args, ...meta === undefined ? {} : { _meta: meta } })
      ) as Effect.Effect<{
        readonly structuredContent: Record<string, unknown> & {
          readonly status: string
          readonly service_request_id: string
        }
        readonly content: ReadonlyArray<{ readonly text: string }>
        readonly isError?: boolean
      }>
    const requests = (agent: string) =>
      Effect.map(
        api("GET", `/service-requests?agent_id=${agent}`, { cookie: owner.cookie }),
        ({ body }) => body.data as ReadonlyArray<{ readonly id: string; readonly status: string }>
      )
    const raw = (method: string, path: string, options: {
      readonly token?: string
      readonly body?: string
      readonly headers?: Record<string, string>
    } = {}) =>
      Effect.promise(async () => {
        const answer = await rawRequest(`${hub.url}${path}`, {
          method: method as "GET",
          headers: {
            accept: "application/json, text/event-stream",
            ...options.token === undefined ? {} : { authorization: `Bearer ${options.token}` },
            ...options.body === undefined ? {} : { "content-type": "application/json" },
            ...options.headers
          },
          ...options.body === undefined ? {} : { body: options.body }
        })
        return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
      })
    return { ...hub, connect, call, requests, raw, as: { cookie: owner.cookie } }
  })
  const approved = { service: "echo", operations: ["*"], approval_threshold_cents: 0 }

  for (const generation of generations) {
    it.effect(`lists bound operations with schema and price, and dispatches a call (${generation})`, () =>
      Effect.gen(function*() {
        const { call, connect } = yield* world
        const hub = yield* TestHub
        yield* topUp(hub, hub.owner, 100)
        const { id, key } = yield* makeAgent(hub, hub.owner)
        const client = yield* connect({ token: key, generation })
        assert.strictEqual(client.getNegotiatedProtocolVersion(), generation)
        const { tools } = yield* Effect.promise(() => client.listTools())
        assert.deepStrictEqual(tools.map(({ name }) => name), ["echo__say", "wait"])
        const [tool] = tools
        assert.match(tool?.description ?? "", /Price: \$0\.01 for each call\.$/u)
        assert.deepStrictEqual(tool?._meta?.["countersign/price"], { type: "fixed", cents: 1 })
        const { content, isError, structuredContent } = yield* call(client, "echo__say", { text: "hi" })
        assert.isUndefined(isError)
        const { service_request_id, ...rest } = structuredContent
        assert.deepStrictEqual(rest, { status: "executed", cost_cents: 1, result: { echo: { text: "hi" } } })
        assert.deepStrictEqual(JSON.parse(content[0]?.text ?? ""), structuredContent)
        const read = expectStatus(yield* hub.api("GET", `/service-requests/${service_request_id}`, { key }), 200)
        assert.strictEqual(read.body.agent_id, id)
      }))

    it.effect(`stops at a budget with a reason that a model can read (${generation})`, () =>
      Effect.gen(function*() {
        const { call, connect } = yield* world
        const hub = yield* TestHub
        const { key } = yield* makeAgent(hub, hub.owner, {
          bindings: [{ service: "echo", operations: ["*"], daily_request_limit: 0 }]
        })
        const client = yield* connect({ token: key, generation })
        const { isError, structuredContent } = yield* call(client, "echo__say", {})
        assert.isTrue(isError)
        assert.deepStrictEqual([structuredContent.status, structuredContent["reason_code"]], [
          "blocked",
          "daily_limit_exceeded"
        ])
        assert.isString((structuredContent["block"] as { readonly message: string }).message)
      }))

    it.effect(`answers a pending approval with its link, and the tool wait with the outcome (${generation})`, () =>
      Effect.gen(function*() {
        const { api, as, call, connect, owner } = yield* world
        const hub = yield* TestHub
        yield* topUp(hub, hub.owner, 100)
        const { key } = yield* makeAgent(hub, hub.owner, { bindings: [approved] })
        const client = yield* connect({ token: key, generation })
        const first = yield* call(client, "echo__say", { text: generation })
        const approval = first.structuredContent["approval"] as { readonly id: string; readonly url: string }
        assert.strictEqual(first.structuredContent.status, "approval_required")
        assert.isTrue(new URL(approval.url).pathname === `/w/${owner.org}/approvals/${approval.id}`)
        const request = { service_request_id: first.structuredContent.service_request_id }
        const still = yield* call(client, "wait", { ...request, seconds: 0 })
        assert.strictEqual(still.structuredContent.status, "approval_required")
        const waiting = yield* Effect.forkChild(call(client, "wait", request))
        expectStatus(yield* api("POST", `/approvals/${approval.id}/approve`, { ...as, body: {} }), 200)
        assert.strictEqual((yield* Fiber.join(waiting)).structuredContent.status, "executed")
      }))
  }

  it.effect("refuses a call without a credential before it looks at the method, and names what it wants", () =>
    Effect.gen(function*() {
      const { raw } = yield* world
      const hub = yield* TestHub
      const { key } = yield* makeAgent(hub, hub.owner)
      for (const method of ["GET", "POST", "DELETE"]) {
        const refused = yield* raw(method, "/mcp")
        assert.strictEqual(refused.status, 401, method)
        assert.match(String(refused.headers["www-authenticate"]), /^Bearer/u)
        assert.match(JSON.parse(refused.text).error.message, /agent key/u)
      }
      assert.strictEqual((yield* raw("GET", "/mcp", { token: key })).status, 405)
      assert.strictEqual((yield* raw("PUT", "/mcp", { token: key })).status, 405)
      assert.strictEqual((yield* raw("POST", "/mcp", { token: `${key}x` })).status, 401)
      assert.strictEqual((yield* raw("POST", "/mcp?agent=1", { token: key, body: "{}" })).status, 400)
      assert.strictEqual((yield* raw("POST", "/mcp", { token: key, body: "{" })).status, 400)
      assert.strictEqual((yield* raw("POST", "/mcp", { token: key, body: "x".repeat(1_100_000) })).status, 413)
      assert.strictEqual(
        (yield* raw("POST", "/mcp", { token: key, body: "{}", headers: { origin: "https://evil.example" } })).status,
        403
      )
    }))

  it.effect("lets a person's token speak for the agent that it names, and for no other", () =>
    Effect.gen(function*() {
      const { call, connect, raw } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, hub.owner, 100)
      const { id } = yield* makeAgent(hub, hub.owner)
      const token = yield* makeToken(hub, hub.owner, ["requests:write", "agents:read"])
      const client = yield* connect({ token, query: `?agent_id=${id}` })
      const { structuredContent } = yield* call(client, "echo__say", {})
      assert.strictEqual(structuredContent.status, "executed")
      const read = expectStatus(
        yield* hub.api("GET", `/service-requests/${structuredContent.service_request_id}`, {
          cookie: hub.owner.cookie
        }),
        200
      )
      assert.deepStrictEqual([read.body.agent_id, read.body.origin.user_id], [id, hub.owner.user])
      assert.strictEqual((yield* raw("POST", "/mcp", { token, body: "{}" })).status, 400)
      const unknown = "agt_01jzzzzzzzzzzzzzzzzzzzzzzz"
      assert.strictEqual((yield* raw("POST", `/mcp?agent_id=${unknown}`, { token, body: "{}" })).status, 404)
      const reader = yield* makeToken(hub, hub.owner, ["agents:read"])
      assert.strictEqual((yield* raw("POST", `/mcp?agent_id=${id}`, { token: reader, body: "{}" })).status, 403)
    }))

  it.effect("repeats no call with the same idempotency key, in the header or in _meta", () =>
    Effect.gen(function*() {
      const { call, connect, requests } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, hub.owner, 100)
      const { id, key } = yield* makeAgent(hub, hub.owner)
      const meta = { "countersign/idempotency-key": "one" }
      const client = yield* connect({ token: key })
      const first = yield* call(client, "echo__say", {}, meta)
      const again = yield* call(client, "echo__say", {}, meta)
      assert.deepStrictEqual(again.structuredContent, first.structuredContent)
      const byHeader = yield* connect({ token: key, headers: { "idempotency-key": "one" } })
      const third = yield* call(byHeader, "echo__say", {})
      assert.deepStrictEqual(third.structuredContent, first.structuredContent)
      const other = yield* call(client, "echo__say", { text: "other" }, meta)
      assert.isTrue(other.isError)
      assert.match(other.content[0]?.text ?? "", /idempotency_conflict/u)
      // Without a key, a call whose answer arrived is made again.
      yield* call(client, "echo__say", {})
      yield* call(client, "echo__say", {})
      assert.lengthOf(yield* requests(id), 3)
    }))

  it.effect("gives the identical call the answer that was left pending", () =>
    Effect.gen(function*() {
      const { api, as, call, connect, requests } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, hub.owner, 100)
      const { id, key } = yield* makeAgent(hub, hub.owner, { bindings: [approved] })
      const client = yield* connect({ token: key })
      const first = yield* call(client, "echo__say", { text: "once" })
      const second = yield* call(client, "echo__say", { text: "once" })
      assert.strictEqual(second.structuredContent.service_request_id, first.structuredContent.service_request_id)
      const approval = (first.structuredContent["approval"] as { readonly id: string }).id
      expectStatus(yield* api("POST", `/approvals/${approval}/approve`, { ...as, body: {} }), 200)
      const done = yield* call(client, "echo__say", { text: "once" })
      assert.deepStrictEqual(
        [done.structuredContent.status, done.structuredContent.service_request_id],
        ["executed", first.structuredContent.service_request_id]
      )
      assert.lengthOf(yield* requests(id), 1)
    }))

  it.effect("asks a client that can open links for the person once, and waits when the call is repeated", () =>
    Effect.gen(function*() {
      const { api, as, call, connect, requests } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, hub.owner, 100)
      const { id, key } = yield* makeAgent(hub, hub.owner, { bindings: [approved] })
      const client = yield* connect({ token: key, capabilities: { elicitation: { url: {} } } })
      const opened: Array<string> = []
      client.setRequestHandler("elicitation/create", async ({ params }) => {
        const url = "url" in params ? params.url : ""
        opened.push(url)
        const approval = url.split("/").at(-1) ?? ""
        await Effect.runPromise(api("POST", `/approvals/${approval}/approve`, { ...as, body: {} }))
        return { action: "accept" as const }
      })
      const { structuredContent } = yield* call(client, "echo__say", { text: "link" })
      assert.strictEqual(structuredContent.status, "executed")
      assert.lengthOf(opened, 1)
      assert.lengthOf(yield* requests(id), 1)
    }))

  it.effect("answers a client with tasks with a task that is the request", () =>
    Effect.gen(function*() {
      const { api, as, raw, requests } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, hub.owner, 100)
      const { id, key } = yield* makeAgent(hub, hub.owner, { bindings: [approved] })
      const send = (method: string, params: Record<string, unknown>) =>
        Effect.map(
          raw("POST", "/mcp", {
            token: key,
            headers: {
              "mcp-protocol-version": "2026-07-28",
              "mcp-method": method,
              "mcp-name": String(params["name"] ?? params["taskId"])
            },
            body: JSON.stringify({
              jsonrpc: "2.0",
              id: 1,
              method,
              params: {
                ...params,
                _meta: {
                  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
                  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } }
                }
              }
            })
          }),
          ({ text }) => JSON.parse(text)
        )
      const made = (yield* send("tools/call", { name: "echo__say", arguments: { text: "task" } })).result
      assert.deepStrictEqual([made.resultType, made.status], ["task", "working"])
      assert.match(made.statusMessage, /approvals\/apr_/u)
      const [request] = yield* requests(id)
      assert.strictEqual(request?.id, made.taskId)
      assert.strictEqual((yield* send("tasks/get", { taskId: made.taskId })).result.status, "working")
      assert.strictEqual(
        (yield* send("tasks/update", { taskId: made.taskId, inputResponses: {} })).result.resultType,
        "complete"
      )
      const approval = /apr_\w+/u.exec(made.statusMessage)?.[0]
      expectStatus(yield* api("POST", `/approvals/${approval}/approve`, { ...as, body: {} }), 200)
      const done = (yield* send("tasks/get", { taskId: made.taskId })).result
      assert.deepStrictEqual([done.status, done.result.structuredContent.status], ["completed", "executed"])
      const other = (yield* send("tools/call", { name: "echo__say", arguments: { text: "other" } })).result
      yield* send("tasks/cancel", { taskId: other.taskId })
      assert.strictEqual((yield* send("tasks/get", { taskId: other.taskId })).result.status, "cancelled")
      assert.isNumber((yield* send("tasks/get", { taskId: "req_none" })).error.code)
    }))

  it.effect("lets policy rules see that a call came through MCP", () =>
    Effect.gen(function*() {
      const { api, as, call, connect } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, hub.owner, 100)
      const { key } = yield* makeAgent(hub, hub.owner)
      const rule = expectStatus(
        yield* api("POST", "/policies", {
          ...as,
          body: { name: "No MCP", when: "context.door == 'mcp'", then: "block", reason: "Use the API." }
        }),
        201
      ).body
      const blocked = yield* call(yield* connect({ token: key }), "echo__say", {})
      assert.strictEqual(blocked.structuredContent["reason_code"], "policy_violation")
      const direct = yield* api("POST", "/service-requests", {
        key,
        body: { service: "echo", operation: "say", payload: {} }
      })
      assert.strictEqual(direct.body.status, "executed")
      expectStatus(yield* api("DELETE", `/policies/${rule.id}`, as), 204)
    }))

  it.effect("finds tools by words where a client lists only a few", () =>
    Effect.gen(function*() {
      const { call, connect } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, hub.owner, 100)
      const { key } = yield* makeAgent(hub, hub.owner, {
        bindings: [{ service: "echo", operations: ["*"] }, { service: "http", operations: ["*"] }]
      })
      const some = yield* connect({ token: key, query: "?services=echo" })
      assert.deepStrictEqual(
        (yield* Effect.promise(() => some.listTools())).tools.map(({ name }) => name),
        ["echo__say", "wait"]
      )
      const client = yield* connect({ token: key, query: "?tools=search" })
      assert.deepStrictEqual(
        (yield* Effect.promise(() => client.listTools())).tools.map(({ name }) => name),
        ["call_tool", "find_tools", "wait"]
      )
      const found = yield* call(client, "find_tools", { query: "echo" })
      assert.include(found.content[0]?.text ?? "", "echo__say")
      const { structuredContent } = yield* call(client, "call_tool", {
        name: "echo__say",
        arguments: { text: "found" }
      })
      assert.strictEqual(structuredContent.status, "executed")
    }))

  it.effect("notifies a listening client when the tools change", () =>
    Effect.gen(function*() {
      const { connect } = yield* world
      const hub = yield* TestHub
      const { id, key } = yield* makeAgent(hub, hub.owner)
      const client = yield* connect({ token: key })
      const changed = new Promise<void>((resolve) => {
        client.setNotificationHandler("notifications/tools/list_changed", () => resolve())
      })
      yield* Effect.promise(() => client.listen({ toolsListChanged: true }))
      yield* hub.api("POST", `/agents/${id}/services`, {
        cookie: hub.owner.cookie,
        body: { service: "http", operations: ["*"] }
      })
      yield* Effect.promise(() => changed)
    }))

  it.effect("finishes a begun call whose caller hangs up, and keeps the answer for the identical call", () =>
    Effect.gen(function*() {
      const { raw, requests } = yield* world
      const hub = yield* TestHub
      yield* topUp(hub, hub.owner, 100)
      const reached = Promise.withResolvers<ServerResponse>()
      const upstream = yield* httpUpstream((_, response) => reached.resolve(response))
      yield* makeService(hub, hub.owner, {
        name: "slow",
        kind: "http",
        base_url: upstream.origin,
        operations: [{
          name: "run",
          method: "POST",
          path: "/run",
          payload_schema: { type: "object" },
          price: { type: "fixed", cents: 2 }
        }]
      })
      const { id, key } = yield* makeAgent(hub, hub.owner, { bindings: [{ service: "slow", operations: ["*"] }] })
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "slow__run", arguments: {} }
      })
      const cut = yield* Effect.forkChild(Effect.promise(async (signal) => {
        await rawRequest(`${hub.url}/mcp`, {
          method: "POST",
          signal,
          headers: {
            accept: "application/json, text/event-stream",
            authorization: `Bearer ${key}`,
            "content-type": "application/json"
          },
          body
        }).then(({ body }) => body.text())
      }))
      const response = yield* Effect.promise(() => reached.promise)
      yield* Fiber.interrupt(cut)
      response.end(JSON.stringify({ done: true }))
      const [request] = yield* requests(id)
      expectStatus(yield* hub.api("GET", `/service-requests/${request?.id}?wait=30`, { key }), 200)
      const again = yield* raw("POST", "/mcp", { token: key, body })
      assert.include(again.text, request?.id ?? "none")
      assert.include(again.text, "executed")
      assert.lengthOf(yield* requests(id), 1)
    }))
})
