/** The rules for every call, whatever its endpoint. Spec: reference/conventions.md "Conventions". */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "node:net"
import {
  type Answer,
  expectStatus,
  HubTest,
  makeAgent,
  makeToken,
  startHub,
  TestHub,
  topUp
} from "../../support/hub.ts"
import { makePerson, makeWorkspace } from "../../support/people.ts"

const code = ({ body, status }: Answer) => [status, body?.error?.code]

/** Writes a request's head and then all of its body without reading the response; returns the response. */
const writeAll = (url: string, head: string, megabytes: number): Effect.Effect<string> =>
  Effect.promise(() =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname)
      const megabyte = Buffer.alloc(1 << 20, "a")
      let left = megabytes
      let response = ""
      const write = () => {
        while (left > 0) {
          left--
          if (!socket.write(megabyte)) return socket.once("drain", write)
        }
        socket.resume()
        return socket
      }
      socket.on("data", (chunk) => {
        response += chunk.toString("latin1")
        if (left === 0 && /\r\n\r\n.*"request_id":"[^"]+"}}/s.test(response)) socket.destroy()
      })
      socket.pause()
      socket.on("close", () => resolve(response))
      socket.on("error", reject)
      socket.write(head)
      write()
    })
  )

const from = (origin: string) => ({ origin })

layer(HubTest({ env: { HUB_CORS_ORIGINS: "https://console.example, app://hub/", HUB_RATE_LIMIT_USER: "1000:1000" } }), {
  excludeTestServices: true
})("every call", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    return { ...hub, hub, as: { cookie: hub.owner.cookie } }
  })

  it.effect("from a listed origin may read every answer, including refusals and dispatch; from another it may not", () =>
    Effect.gen(function*() {
      const { api, as, hub, owner } = yield* world
      const { key } = yield* makeAgent(hub, owner)
      const say = { key, body: { service: "echo", operation: "say", payload: {} } }
      for (const origin of ["https://console.example", "app://hub"]) {
        const answers = [
          yield* api("GET", "/agents", { ...as, headers: { origin } }),
          yield* api("GET", "/agents", { headers: { origin } }),
          yield* api("GET", "/nowhere", { headers: { origin } }),
          yield* api("PUT", "/agents", { headers: { origin } }),
          yield* api("POST", "/service-requests", { ...say, headers: { origin } }),
          yield* api("GET", "/health", { headers: { origin } })
        ]
        assert.deepStrictEqual(answers.map(({ status }) => status), [200, 401, 404, 405, 200, 200])
        for (const { headers } of answers) {
          assert.deepStrictEqual([
            headers.get("access-control-allow-origin"),
            headers.get("access-control-allow-credentials")
          ], [
            origin,
            "true"
          ])
          assert.match(headers.get("vary") ?? "", /\bOrigin\b/)
          for (const exposed of ["x-request-id", "retry-after", "idempotent-replayed", "location", "etag"]) {
            assert.include(headers.get("access-control-expose-headers"), exposed)
          }
        }
      }
      for (
        const origin of [
          "https://evil.example",
          "null",
          "https://console.example.evil.example",
          "http://console.example"
        ]
      ) {
        for (
          const answer of [
            yield* api("GET", "/agents", { ...as, headers: { origin } }),
            yield* api("POST", "/service-requests", { ...say, headers: { origin } })
          ]
        ) {
          assert.deepStrictEqual([
            answer.status,
            answer.headers.get("access-control-allow-origin"),
            answer.headers.get("vary")
          ], [
            200,
            null,
            "Origin"
          ])
        }
      }
      assert.strictEqual((yield* api("GET", "/health")).headers.get("access-control-allow-origin"), null)
    }))

  it.effect("in a preflight is allowed for listed origins only, with the methods of its address", () =>
    Effect.gen(function*() {
      const { api } = yield* world
      const ask = (path: string, origin: string) =>
        api("OPTIONS", path, {
          headers: {
            origin,
            "access-control-request-method": "POST",
            "access-control-request-headers": "authorization, content-type, idempotency-key"
          }
        })
      const allowed = yield* ask("/service-requests", "https://console.example")
      assert.deepStrictEqual([allowed.status, allowed.text, allowed.headers.get("access-control-allow-methods")], [
        204,
        "",
        "GET, HEAD, OPTIONS, POST"
      ])
      for (const header of ["authorization", "content-type", "idempotency-key", "svc-workspace", "last-event-id"]) {
        assert.include(allowed.headers.get("access-control-allow-headers"), header)
      }
      for (
        const refused of [
          yield* ask("/service-requests", "https://evil.example"),
          yield* ask("/nowhere", "https://console.example")
        ]
      ) assert.isNull(refused.headers.get("access-control-allow-methods"))
    }))

  it.effect("with a cookie that changes something must come from the hub's own pages, or from a program", () =>
    Effect.gen(function*() {
      const { api, as, hub, owner, url } = yield* world
      const body = { name: "x" }
      const pat = yield* makeToken(hub, owner, ["agents:write"])
      for (const origin of ["https://evil.example", "null", "https://console.example"]) {
        const refused = yield* api("POST", "/agents", { ...as, body, headers: from(origin) })
        assert.deepStrictEqual(code(refused), [403, "forbidden"])
        assert.strictEqual((yield* api("GET", "/agents", { ...as, headers: from(origin) })).status, 200)
        // Browsers do not send a bearer on their own.
        assert.strictEqual((yield* api("POST", "/agents", { pat, body, headers: from(origin) })).status, 201)
      }
      for (const headers of [{}, from(url)]) {
        assert.strictEqual((yield* api("POST", "/agents", { ...as, body, headers })).status, 201)
      }
    }))

  it.effect("that carries a credential is not cached", () =>
    Effect.gen(function*() {
      const { api, as } = yield* world
      const made = yield* api("POST", "/agents", { ...as, body: { name: "x" } })
      const rotated = yield* api("PATCH", `/agents/${made.body.id}/key`, as)
      const minted = yield* api("POST", "/tokens", { ...as, body: { name: "x", scopes: ["agents:read"] } })
      assert.deepStrictEqual(
        [made, rotated, minted].map(({ headers, status }) => [status, headers.get("cache-control")]),
        [
          [201, "no-store"],
          [200, "no-store"],
          [201, "no-store"]
        ]
      )
      assert.isString(rotated.body.api_key)
    }))

  it.effect("names its workspace; another's is not found, whatever the credential", () =>
    Effect.gen(function*() {
      const { api, as, hub, owner } = yield* world
      const second = expectStatus(yield* api("POST", "/workspaces", { ...as, body: { name: "Second" } }), 201)
      const foreign = yield* makeWorkspace(hub)
      const named = (workspace: string) => ({ headers: { "svc-workspace": workspace } })
      yield* api("POST", "/agents", { ...as, ...named(second.body.id), body: { name: "There" } })
      assert.deepStrictEqual(
        (yield* api("GET", "/agents", { ...as, ...named(second.body.id) })).body.data.map((
          { name }: { name: string }
        ) => name),
        ["There"]
      )
      const pat = yield* makeToken(hub, owner, ["agents:read", "catalog:read"])
      const { key } = yield* makeAgent(hub, owner)
      const say = { body: { service: "echo", operation: "say", payload: {} } }
      for (const workspace of [second.body.id, foreign, "org_x", ""]) {
        const answers = [
          ...workspace === second.body.id ? [] : [yield* api("GET", "/agents", { ...as, ...named(workspace) })],
          yield* api("GET", "/agents", { pat, ...named(workspace) }),
          yield* api("GET", "/services", { key, ...named(workspace) }),
          yield* api("POST", "/service-requests", { key, ...say, ...named(workspace) })
        ]
        assert.deepStrictEqual(answers.map(code), answers.map(() => [404, "not_found"]), workspace)
      }
      for (const who of [as, { pat }]) {
        assert.strictEqual((yield* api("GET", "/agents", { ...who, ...named(owner.org) })).status, 200)
      }
      assert.strictEqual((yield* api("POST", "/service-requests", { key, ...say, ...named(owner.org) })).status, 200)
    }))

  it.effect("keeps its own id when that is safe to show", () =>
    Effect.gen(function*() {
      const { api } = yield* world
      const idsFor = (id: string) =>
        Effect.map(
          api("GET", "/nowhere", { headers: { "x-request-id": id } }),
          ({ body, headers }) => [headers.get("x-request-id"), body.error.request_id]
        )
      for (const kept of ["a", "Req-1.2_3~4:5/6+7=8@9", "x".repeat(128)]) {
        assert.deepStrictEqual(yield* idsFor(kept), [kept, kept])
      }
      for (const odd of ["x".repeat(129), "a b", "<script>"]) {
        const [header, body] = yield* idsFor(odd)
        assert.strictEqual(header, body)
        assert.notStrictEqual(header, odd)
      }
    }))

  it.effect("that is too large gets the error even if it writes everything before it reads", () =>
    Effect.gen(function*() {
      const { hub, owner, url } = yield* world
      const { key } = yield* makeAgent(hub, owner)
      const heads = [
        `POST /api/v1/balance/top-up HTTP/1.1\r\nhost: hub\r\ncookie: ${owner.cookie}\r\n`,
        `POST /api/v1/service-requests HTTP/1.1\r\nhost: hub\r\nauthorization: Bearer ${key}\r\n`,
        `POST /api/v1/webhooks/echo/reconcile?org=${owner.org} HTTP/1.1\r\nhost: hub\r\n`
      ]
      for (const head of heads) {
        for (const megabytes of [2, 24, 48]) {
          const response = yield* writeAll(
            url,
            `${head}content-type: application/json\r\ncontent-length: ${megabytes << 20}\r\n\r\n`,
            megabytes
          )
          assert.match(response, /^HTTP\/1\.1 413 [^]*"code":"payload_too_large"/, `${head} ${megabytes}`)
        }
      }
    }))

  it.effect("that is not HTTP is refused with the same envelope", () =>
    Effect.gen(function*() {
      const { api, url } = yield* world
      const refusals = [
        ["NONSENSE\r\n\r\n", 400],
        [`GET /api/v1/health HTTP/1.1\r\nhost: hub\r\nx: ${"a".repeat(40_000)}\r\n\r\n`, 431]
      ] as const
      for (const [head, status] of refusals) {
        const response = yield* writeAll(url, head, 0)
        const { error } = JSON.parse(response.slice(response.indexOf("{")))
        assert.include(response, `HTTP/1.1 ${status} `)
        assert.include(response, `x-request-id: ${error.request_id}\r\n`)
        assert.strictEqual(error.code, "invalid_request")
      }
      assert.strictEqual((yield* api("GET", "/health")).status, 200)
    }))

  it.effect("stops the start on an invalid setting of origins and names the setting", () =>
    Effect.gen(function*() {
      for (
        const value of ["console.example", "https://a.example/path", "https://*.example", "https://user@a.example"]
      ) {
        const failed = yield* Effect.exit(Effect.scoped(startHub({ env: { HUB_CORS_ORIGINS: value } })))
        assert.include(String(failed), "HUB_CORS_ORIGINS", value)
      }
    }))
})

layer(HubTest({ env: { HUB_RATE_LIMIT_AGENT: "1:3", HUB_RATE_LIMIT_USER: "1:2000", HUB_RATE_LIMIT_HOOK: "1:2" } }), {
  excludeTestServices: true
})("rate limits", (it) => {
  it.effect("are reported with every answer, per credential", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      yield* topUp(hub, owner, 100)
      const { key } = yield* makeAgent(hub, owner)
      const another = yield* makeAgent(hub, owner)
      const say = (key: string, operation = "say") =>
        api("POST", "/service-requests", {
          key,
          body: { service: "echo", operation, payload: operation === "bad" ? [] : {} }
        })
      const limitsOf = (
        { headers, status }: Answer
      ) => [status, headers.get("ratelimit-policy"), headers.get("ratelimit")?.replace(/t=\d+/, "t=")]
      const policy = "\"agent\";q=3;w=3"
      assert.deepStrictEqual(limitsOf(yield* say(key)), [200, policy, "\"agent\";r=2;t="])
      assert.deepStrictEqual(limitsOf(yield* say(key, "bad")), [400, policy, "\"agent\";r=1;t="])
      assert.deepStrictEqual(limitsOf(yield* api("GET", `/service-requests/req_${"0".repeat(26)}`, { key })), [
        404,
        policy,
        "\"agent\";r=0;t="
      ])
      for (const refused of [yield* say(key), yield* api("GET", "/services", { key })]) {
        assert.deepStrictEqual([...limitsOf(refused), refused.body.error.code], [
          429,
          policy,
          "\"agent\";r=0;t=",
          "rate_limited"
        ])
        assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
      }
      assert.strictEqual((yield* say(another.key)).status, 200)
      const person = yield* makePerson(hub, owner.org, "viewer")
      for (const path of ["/agents", "/agents/x", "/tokens/x"]) {
        assert.match(
          (yield* api("GET", path, { cookie: person.cookie })).headers.get("ratelimit") ?? "",
          /^"user";r=\d+;t=\d+$/
        )
      }
      assert.isNull((yield* api("GET", "/health")).headers.get("ratelimit"))
      const hooks = [
        yield* api("POST", `/webhooks/echo/reconcile?org=${owner.org}`, { body: {} }),
        yield* api("POST", `/webhooks/echo/reconcile?org=${owner.org}`, { body: {} }),
        yield* api("POST", `/webhooks/echo/reconcile?org=${owner.org}`, { body: {} })
      ]
      assert.deepStrictEqual(
        hooks.map(({ status }) => status),
        [401, 401, 429]
      )
    }))
})
