import { isHubError } from "@countersign/hub-client/error"
import { makeFetchClient } from "@countersign/hub-client/fetch-client"
import { makeHubClock } from "@countersign/hub-client/hub-clock"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, test } from "vitest"

const servers: Array<Server> = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void
interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** A hub on loopback with the test's answers, and a client of it without pauses. */
const hubThat = async (answer: Answer) => {
  const seen: Array<Seen> = []
  const slept: Array<number> = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (piece) => (body += piece)).on("end", () => {
      seen.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body })
      answer(request, response, body)
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const client = makeFetchClient({
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    clock: makeHubClock(),
    random: () => 0.5,
    sleep: (millis) => {
      slept.push(millis)
      return Promise.resolve()
    }
  })
  return { client, seen, slept }
}

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers }).end(
    JSON.stringify(body)
  )
const envelope = (code: string, more: object = {}) => ({
  error: { code, message: "Do this next.", request_id: "r-1", ...more }
})
const failure = async (promise: Promise<unknown>) => {
  const error = await promise.then(() => undefined, (error: unknown) => error)
  if (!isHubError(error)) throw new Error(`no HubError but ${String(error)}`)
  return error
}

describe("a call", () => {
  test("puts parameters into the path and filters into the query, and names its workspace", async () => {
    const { client, seen } = await hubThat((_, response) =>
      json(response, 200, { data: [], next_cursor: null, as_of: "x" })
    )
    await client.call("service_requests.list", { query: { status: ["blocked", "failed"], q: "", limit: 20 } }, {
      workspace: "org_1"
    })
    await client.call("agents.get", { params: { id: "agt_1/../x" } })
    expect(seen[0]).toMatchObject({
      method: "GET",
      url: "/api/v1/service-requests?status=blocked&status=failed&limit=20",
      body: ""
    })
    expect(seen[0]?.headers["svc-workspace"]).toBe("org_1")
    expect(seen[1]?.url).toBe("/api/v1/agents/agt_1%2F..%2Fx")
    expect(seen[1]?.headers["svc-workspace"]).toBeUndefined()
  })

  test("is not sent without a required parameter", async () => {
    const { client, seen } = await hubThat((_, response) => json(response, 200, {}))
    await expect(client.call("agents.get", { params: { id: "" } })).rejects.toThrow("id is missing")
    await expect(client.call("agents.get", { params: { id: ".." } })).rejects.toThrow("id is missing")
    expect(seen).toEqual([])
  })

  test("rejects with the hub's code, request id, and data", async () => {
    const { client } = await hubThat((_, response) =>
      json(response, 403, envelope("forbidden", { data: { permission: "agents:write" } }))
    )
    const error = await failure(client.call("agents.create", { payload: { name: "Scout" } }))
    expect(error).toMatchObject({
      status: 403,
      code: "forbidden",
      message: "Do this next.",
      requestId: "r-1",
      permission: "agents:write"
    })
    expect(error.isUncertain).toBe(false)
  })

  test("rejects an answer from a proxy's page as unreadable", async () => {
    const { client } = await hubThat((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>")
    )
    expect((await failure(client.call("ledger.balance", {}))).code).toBe("unreadable_answer")
  })
})

describe("retries", () => {
  test("repeats reads twice at most, on 429, 502, 503, 504 and broken connections, after a growing pause", async () => {
    for (const status of [429, 502, 503, 504]) {
      const { client, seen, slept } = await hubThat((_, response) => json(response, status, envelope("unavailable")))
      expect((await failure(client.call("ledger.balance", {}))).status).toBe(status)
      expect(seen.length).toBe(3)
      expect(slept).toEqual([250, 500])
    }
    const { client, seen } = await hubThat((_, response) =>
      seen.length < 3 ? response.destroy() : json(response, 200, { balance_cents: 1 })
    )
    expect(await client.call("ledger.balance", {})).toEqual({ balance_cents: 1 })
    expect(seen.length).toBe(3)
  })

  test("does not repeat a permanent error", async () => {
    for (const status of [400, 401, 403, 404, 409, 500]) {
      const { client, seen } = await hubThat((_, response) => json(response, status, envelope("no")))
      await failure(client.call("ledger.balance", {}))
      expect(seen.length).toBe(1)
    }
  })

  test("does not repeat a POST without a key, whose outcome is unknown", async () => {
    const { client, seen } = await hubThat((_, response) => response.destroy())
    const error = await failure(client.call("approvals.approve", { params: { id: "apr_1" }, payload: {} }))
    expect(error).toMatchObject({ status: 0, code: "network_error", isUncertain: true })
    expect(seen.length).toBe(1)
  })

  test("repeats a POST with a key under the same key", async () => {
    const { client, seen } = await hubThat((_, response) =>
      seen.length < 2 ? response.destroy() : json(response, 201, { id: "led_1" })
    )
    await client.call("ledger.topUp", { payload: { amount_cents: 500 } }, { idempotencyKey: "k-1" })
    expect(seen.map(({ headers }) => headers["idempotency-key"])).toEqual(["k-1", "k-1"])
    expect(seen.map(({ body }) => body)).toEqual(["{\"amount_cents\":500}", "{\"amount_cents\":500}"])
  })

  test("waits for the hub's Retry-After, and rejects with one that is too long", async () => {
    const { client, slept } = await hubThat((_, response) =>
      json(response, 429, envelope("rate_limited"), { "retry-after": "3" })
    )
    await failure(client.call("ledger.balance", {}))
    expect(slept).toEqual([3_000, 3_000])
    const later = await hubThat((_, response) =>
      json(response, 429, envelope("rate_limited"), { "retry-after": "600" })
    )
    expect((await failure(later.client.call("ledger.balance", {}))).retryAfterMillis).toBe(600_000)
    expect(later.seen.length).toBe(1)
  })

  test("stops when the caller aborts", async () => {
    const gone = new AbortController()
    const { client, seen } = await hubThat((_, response) => {
      gone.abort(new Error("left the screen"))
      response.destroy()
    })
    await expect(client.call("ledger.balance", {}, { signal: gone.signal })).rejects.toThrow("left the screen")
    expect(seen.length).toBe(1)
  })
})

test("events arrive as text whatever the split of their bytes, from the reader's position", async () => {
  const { client, seen } = await hubThat((_, response) => {
    const bytes = Buffer.from(": öpen\n\n")
    response.writeHead(200, { "content-type": "text/event-stream" }).write(bytes.subarray(0, 3))
    setImmediate(() => response.end(bytes.subarray(3)))
  })
  const stream = await client.events({ lastEventId: "c-7", signal: new AbortController().signal })
  let text = ""
  for await (const piece of stream) text += piece
  expect(text).toBe(": öpen\n\n")
  expect(seen[0]?.url).toBe("/api/v1/events?workspace=all")
  expect(seen[0]?.headers["last-event-id"]).toBe("c-7")
})
