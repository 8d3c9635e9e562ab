import type { HttpOperation, HttpService } from "@countersign/domain/services"
import type { AdapterCall, AdapterOutcome } from "@countersign/hub/providers/adapter"
import { makeEgress } from "@countersign/hub/providers/egress"
import { parseAllowList } from "@countersign/hub/providers/egress-rules"
import { httpAdapter } from "@countersign/hub/providers/http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ServerResponse } from "node:http"
import { closedPort, httpUpstream, type Received, tcpUpstream } from "../../support/upstream.ts"

const operation = {
  name: "do",
  method: "POST",
  path: "/do",
  payload_schema: { type: "object" },
  price: { type: "fixed", cents: 5 }
} satisfies HttpOperation

const serviceAt = (
  origin: string,
  over: Partial<HttpOperation> = {},
  service: Partial<HttpService> = {}
): HttpService => ({
  name: "shop",
  kind: "http",
  base_url: `${origin}/v1/`,
  operations: [{ ...operation, ...over }],
  ...service
})

const callOf = (payload: unknown, over: Partial<AdapterCall> = {}): AdapterCall => ({
  requestId: "req_1",
  orgId: "org_1",
  agent: { id: "agt_1", name: "Scout" },
  service: "shop",
  operation: "do",
  payload,
  callbackUrl: "https://hub.example/cb?org=org_1",
  timeoutMs: 20_000,
  ceilingCents: 5,
  secretOf: () => Effect.succeed(undefined),
  appOf: () => Effect.succeed({ kind: "missing", detail: "No app." }),
  ...over
})

const adapter = Effect.map(makeEgress({ allow: parseAllowList("127.0.0.1").entries }), httpAdapter)

const execute = (service: HttpService, payload: unknown = {}, over: Partial<AdapterCall> = {}) =>
  Effect.flatMap(adapter, (http) => http.execute(service, callOf(payload, over)))

const poll = (service: HttpService, ref: string, over: Partial<AdapterCall> = {}) =>
  Effect.flatMap(adapter, (http) => http.poll!(service, ref, callOf({}, over)))

const answering = (
  body: string | Uint8Array,
  status = 200,
  headers: Record<string, string> = { "content-type": "application/json" }
) => httpUpstream((_: Received, response: ServerResponse) => response.writeHead(status, headers).end(body))

const detailOf = (outcome: AdapterOutcome) => "detail" in outcome ? outcome.detail : ""

describe("the request of a declared operation", () => {
  it.live("is the payload as JSON where no body is declared, with the hub's idempotency key", () =>
    Effect.gen(function*() {
      const server = yield* answering("{}")
      yield* execute(serviceAt(server.origin), { a: ["ż", null], b: "${payload.a}" })
      const [request] = server.received
      assert.deepStrictEqual([request?.method, request?.url, request?.body], [
        "POST",
        "/v1/do",
        "{\"a\":[\"ż\",null],\"b\":\"${payload.a}\"}"
      ])
      assert.deepInclude(request?.headers, {
        "content-type": "application/json",
        "idempotency-key": "req_1",
        accept: "application/json"
      })
      for (const method of ["GET", "DELETE"] as const) {
        yield* execute(serviceAt(server.origin, { method }), { a: 1 })
        assert.strictEqual(server.received.at(-1)?.body, "")
        assert.isUndefined(server.received.at(-1)?.headers["content-type"])
      }
    }))

  it.live("fills path, query, headers and body from payload, request and callback URL", () =>
    Effect.gen(function*() {
      const server = yield* answering("{}")
      const service = serviceAt(server.origin, {
        path: "/users/${payload.user}/notes",
        query: { q: "${payload.q}", tag: "${payload.tags}", gone: "${payload.gone}", limit: 5 },
        headers: { "X-Trace": "t-${request.id}" },
        body: { note: "${payload.note}", text: "n=${payload.note}", back: "${callback_url}", gone: "${payload.gone}" }
      })
      yield* execute(service, { user: "a/../b c?", q: "x&y=z", tags: ["1", "2"], note: { n: 1 } })
      const [request] = server.received
      assert.strictEqual(request?.url, "/v1/users/a%2F..%2Fb%20c%3F/notes?q=x%26y%3Dz&tag=1&tag=2&limit=5")
      assert.strictEqual(request?.headers["x-trace"], "t-req_1")
      assert.deepStrictEqual(JSON.parse(request?.body ?? ""), {
        note: { n: 1 },
        text: "n={\"n\":1}",
        back: "https://hub.example/cb?org=org_1"
      })
    }))

  it.live("is not sent when it cannot be written", () =>
    Effect.gen(function*() {
      const server = yield* answering("{}")
      const service = serviceAt(server.origin, { path: "/u/${payload.id}", headers: { "x-a": "${payload.h}" } })
      for (
        const payload of [{}, { id: "", h: "x" }, { id: "..", h: "x" }, { id: ".", h: "x" }, {
          id: "a",
          h: "b\r\nc: d"
        }, {
          id: "a"
        }, { id: { a: 1 }, h: "x" }]
      ) {
        assert.strictEqual((yield* execute(service, payload)).kind, "failed", JSON.stringify(payload))
      }
      assert.strictEqual((yield* execute(serviceAt(server.origin), {}, { operation: "other" })).kind, "failed")
      assert.strictEqual(server.received.length, 0)
    }))

  const secretOf = (name: string) => Effect.succeed(name === "key" ? "us:s3cr/t+" : undefined)
  it.live("carries each kind of credential, over what the operation declares", () =>
    Effect.gen(function*() {
      const server = yield* answering("{}")
      const own = { headers: { authorization: "mine", "x-key": "mine" } }
      const send = (auth: HttpService["auth"]) =>
        execute(serviceAt(server.origin, own, auth === undefined ? {} : { auth }), {}, { secretOf })
      yield* send({ type: "bearer", secret: "key" })
      yield* send({ type: "basic", secret: "key" })
      yield* send({ type: "header", secret: "key", header: "X-Key" })
      yield* send({ type: "query", secret: "key", param: "api key" })
      yield* send({ type: "none" })
      yield* send(undefined)
      const [bearer, basic, header, query, none, absent] = server.received
      assert.strictEqual(bearer?.headers.authorization, "Bearer us:s3cr/t+")
      assert.strictEqual(basic?.headers.authorization, `Basic ${Buffer.from("us:s3cr/t+").toString("base64")}`)
      assert.strictEqual(header?.headers["x-key"], "us:s3cr/t+")
      assert.strictEqual(new URL(query?.url ?? "", server.origin).searchParams.get("api key"), "us:s3cr/t+")
      assert.deepStrictEqual([none?.headers.authorization, absent?.headers.authorization], ["mine", "mine"])
    }))

  it.live("is not sent without its secret", () =>
    Effect.gen(function*() {
      const server = yield* answering("{}")
      const outcome = yield* execute(
        serviceAt(server.origin, {}, { auth: { type: "bearer", secret: "missing" } }),
        {},
        {
          secretOf
        }
      )
      assert.strictEqual(outcome.kind, "failed")
      assert.include(detailOf(outcome), "\"missing\"")
      assert.strictEqual(server.received.length, 0)
    }))
})

describe("the answer of a declared operation", () => {
  const outcomes: ReadonlyArray<readonly [string, string | Uint8Array, Partial<HttpOperation>, object]> = [
    ["returns an object as the result", "{\"a\":1}", {}, { kind: "executed", result: { a: 1 } }],
    ["picks the result by a pointer", "{\"data\":{\"b\":2}}", { result: "/data" }, {
      kind: "executed",
      result: { b: 2 }
    }],
    ["returns null for a pointer to nothing", "{}", { result: "/data" }, { kind: "executed", result: { value: null } }],
    ["returns other JSON as a value", "1e2", {}, { kind: "executed", result: { value: 100 } }],
    ["returns text as text", "O.K.\u0000", {}, { kind: "executed", result: { text: "O.K.\u0000" } }],
    ["replaces bytes that are not UTF-8", Buffer.from([0xff, 0x41]), {}, {
      kind: "executed",
      result: { text: "\uFFFDA" }
    }],
    ["returns an empty object for an empty body", "", {}, { kind: "executed", result: {} }],
    ["passes an actual price on unchanged", "{\"c\":1e2}", {
      price: { type: "quoted", ceiling: "5", actual: "/c" }
    }, {
      actual: 100,
      actualFound: true
    }],
    ["passes an actual price on when it is not a number", "{\"c\":\"12\"}", {
      price: { type: "quoted", ceiling: "5", actual: "/c" }
    }, {
      actual: "12",
      actualFound: true
    }],
    ["reports a missing actual price", "{}", { price: { type: "quoted", ceiling: "5", actual: "/c" } }, {
      actualFound: false
    }]
  ]
  for (const [title, body, over, expected] of outcomes) {
    it.live(title, () =>
      Effect.gen(function*() {
        const server = yield* answering(body)
        assert.deepInclude(yield* execute(serviceAt(server.origin, over)), expected)
      }))
  }

  it.live("has no actual price where the price has no pointer", () =>
    Effect.gen(function*() {
      const server = yield* answering("{\"cost\":3}")
      assert.deepStrictEqual(yield* execute(serviceAt(server.origin)), { kind: "executed", result: { cost: 3 } })
    }))

  it.live("over 1 MiB is executed and truncated", () =>
    Effect.gen(function*() {
      const server = yield* answering(Buffer.alloc(20_000_000, 32))
      const price = { type: "quoted", ceiling: "5", actual: "/c" } as const
      assert.deepStrictEqual(yield* execute(serviceAt(server.origin, { price })), {
        kind: "executed",
        result: { truncated: true },
        actualFound: false
      })
    }))

  it.live("204 is executed", () =>
    Effect.gen(function*() {
      const server = yield* answering("", 204, {})
      assert.deepStrictEqual(yield* execute(serviceAt(server.origin)), { kind: "executed", result: {} })
    }))

  it.live("4xx and 5xx are failed, with status and at most 2 KiB of text", () =>
    Effect.gen(function*() {
      for (const status of [400, 401, 404, 422, 429, 500, 503]) {
        const server = yield* answering(`{"why":"${"ż".repeat(5000)}"}`, status)
        const outcome = yield* execute(serviceAt(server.origin))
        assert.deepInclude(outcome, { kind: "failed", status })
        assert.match(detailOf(outcome), new RegExp(`^The provider answered ${status}: \\{"why":"ż+$`))
        assert.isAtMost(Buffer.byteLength(detailOf(outcome)), 2048)
      }
      const mute = yield* answering("", 500)
      assert.strictEqual(detailOf(yield* execute(serviceAt(mute.origin))), "The provider answered 500.")
      const nul = yield* answering(Buffer.from([0x61, 0, 0xff]), 500)
      assert.strictEqual(detailOf(yield* execute(serviceAt(nul.origin))), "The provider answered 500: a \uFFFD")
    }))

  it.live("a redirect is failed and not followed, a GET's is followed within the guard", () =>
    Effect.gen(function*() {
      const server = yield* httpUpstream((request, response) => {
        if (request.url === "/end") return response.end("{\"end\":true}")
        response.writeHead(302, { location: request.method === "GET" ? "/end" : "http://169.254.169.254/" }).end()
      })
      const posted = yield* execute(serviceAt(server.origin))
      assert.deepInclude(posted, { kind: "failed", status: 302 })
      assert.deepInclude(yield* execute(serviceAt(server.origin, { method: "GET" })), {
        kind: "executed",
        result: { end: true }
      })
      const away = yield* httpUpstream((_, response) =>
        response.writeHead(302, { location: "http://169.254.169.254/latest" }).end()
      )
      const refused = yield* execute(serviceAt(away.origin, { method: "GET" }))
      assert.strictEqual(refused.kind, "failed")
      assert.include(detailOf(refused), "link-local")
    }))

  it.live("reports a GET's redirect that the hub does not follow as the provider's answer, not as a call that was not made", () =>
    Effect.gen(function*() {
      const port = yield* closedPort
      const cases = [
        [
          "http://169.254.169.254/latest",
          "169.254.169.254, which the hub does not follow. The hub does not call 169.254.169.254: its address is link-local"
        ],
        ["file:///etc/passwd", "a file: address, which the hub does not follow. The URL is not allowed: "],
        ["http://[", "an invalid URL, which the hub does not follow. "],
        [undefined, "SELF, which the hub does not follow. More than 3 redirects."],
        [`http://127.0.0.1:${port}/`, `127.0.0.1:${port}, which could not be reached: the connection was refused.`]
      ] as const
      for (const [location, words] of cases) {
        const server = yield* httpUpstream((request, response) =>
          response.writeHead(302, { location: location ?? request.url }).end()
        )
        const outcome = yield* execute(serviceAt(server.origin, { method: "GET" }))
        assert.deepInclude(outcome, { kind: "failed", status: 302 }, location ?? "itself")
        const text = `The provider answered with a redirect to ${words.replace("SELF", new URL(server.origin).host)}`
        assert.strictEqual(detailOf(outcome).slice(0, text.length), text)
        assert.lengthOf(server.received, location === undefined ? 4 : 1)
      }
    }))

  it.live("never shows a secret, in error, result or name", () =>
    Effect.gen(function*() {
      const secret = "us:s3cr/t+\"x"
      const secretOf = () => Effect.succeed(secret)
      const echo = (status: number) =>
        httpUpstream((request, response) =>
          response.writeHead(status).end(
            JSON.stringify({ sent: request.headers, url: request.url, [String(request.headers["x-key"])]: 1 })
          )
        )
      for (
        const auth of [{ type: "bearer", secret: "key" }, { type: "basic", secret: "key" }, {
          type: "header",
          secret: "key",
          header: "x-key"
        }, { type: "query", secret: "key", param: "k" }] as const
      ) {
        for (const status of [200, 400]) {
          const server = yield* echo(status)
          const outcome = yield* execute(serviceAt(server.origin, {}, { auth }), {}, { secretOf })
          const shown = JSON.stringify(outcome)
          for (const form of [secret, "s3cr/t", encodeURIComponent(secret), Buffer.from(secret).toString("base64")]) {
            assert.notInclude(shown, form)
          }
          assert.include(shown, "***")
        }
      }
    }))
})

describe("the outcome of a declared operation", () => {
  it.live("is failed where nothing was sent", () =>
    Effect.gen(function*() {
      const port = yield* closedPort
      assert.strictEqual((yield* execute(serviceAt(`http://127.0.0.1:${port}`))).kind, "failed")
      const inner = yield* execute(serviceAt("http://10.0.0.1"))
      assert.strictEqual(inner.kind, "failed")
      assert.include(detailOf(inner), "HUB_EGRESS_ALLOW")
    }))

  it.live("is unknown where it was sent and no full answer came", () =>
    Effect.gen(function*() {
      for (const part of ["", "HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"]) {
        const cut = yield* tcpUpstream((socket) => socket.once("data", () => socket.end(part)))
        const outcome = yield* execute(serviceAt(`http://127.0.0.1:${cut.port}`))
        assert.strictEqual(outcome.kind, "unknown")
        assert.include(detailOf(outcome), "no complete response arrived")
        const slow = yield* tcpUpstream((socket) => socket.once("data", () => socket.write(part)))
        assert.strictEqual(
          (yield* execute(serviceAt(`http://127.0.0.1:${slow.port}`), {}, { timeoutMs: 150 })).kind,
          "unknown"
        )
      }
    }))
})

describe("work that a provider finishes later", () => {
  const async = {
    mode: "poll",
    ref: "/job/id",
    path: "/jobs/${ref}",
    status: "/state",
    executed: ["done", 2],
    failed: ["error", false],
    result: "/out",
    cost_cents: "/cost",
    detail: "/why"
  } as const
  const price = { type: "quoted", ceiling: "9", actual: "/price" } as const

  it.live("runs under the reference and with the price of the first answer", () =>
    Effect.gen(function*() {
      const server = yield* answering("{\"job\":{\"id\":\"j/1\"},\"price\":0.25}", 202)
      assert.deepStrictEqual(yield* execute(serviceAt(server.origin, { async, price })), {
        kind: "running",
        ref: "j/1",
        actual: 0.25,
        actualFound: true
      })
      const numbered = yield* answering("{\"job\":{\"id\":12345678901234567890}}", 202)
      assert.deepStrictEqual(yield* execute(serviceAt(numbered.origin, { async })), {
        kind: "running",
        ref: "12345678901234567890"
      })
    }))

  it.live("is unknown when it was accepted without a reference, failed when it was refused", () =>
    Effect.gen(function*() {
      for (const body of ["{}", "{\"job\":{\"id\":\"\"}}", "{\"job\":{\"id\":{}}}", "text", ""]) {
        const server = yield* answering(body, 202)
        assert.strictEqual((yield* execute(serviceAt(server.origin, { async }))).kind, "unknown", body)
      }
      const server = yield* answering("{\"job\":{\"id\":\"j\"}}", 500)
      assert.strictEqual((yield* execute(serviceAt(server.origin, { async }))).kind, "failed")
    }))

  const polls: ReadonlyArray<readonly [string, object]> = [
    ["{\"state\":\"done\",\"out\":{\"a\":1},\"cost\":1.5}", {
      kind: "executed",
      result: { a: 1 },
      actual: 1.5,
      actualFound: true
    }],
    ["{\"state\":2}", { kind: "executed", result: { value: null }, actualFound: false }],
    ["{\"state\":\"error\",\"why\":\"no\\u0000 paper\"}", { kind: "failed", detail: "no  paper" }],
    ["{\"state\":false}", { kind: "failed", detail: "The provider reported \"false\"." }],
    ["{\"state\":\"2\"}", { kind: "running" }],
    ["{\"state\":\"queued\"}", { kind: "running" }],
    ["{}", { kind: "running" }],
    ["{\"state\":\"queued\",\"job\":{\"id\":\"j/1\"}}", { kind: "running" }],
    ["{\"state\":2,\"job\":{\"id\":\"j/2\"}}", {
      kind: "unreachable",
      detail: "The provider's response has another reference."
    }]
  ]
  for (const [body, expected] of polls) {
    it.live(`reads a poll's ${body} as ${JSON.stringify(expected)}`, () =>
      Effect.gen(function*() {
        const server = yield* answering(body)
        assert.deepStrictEqual(yield* poll(serviceAt(server.origin, { async }), "j/1"), expected as never)
        assert.deepStrictEqual([server.received[0]?.method, server.received[0]?.url], ["GET", "/v1/jobs/j%2F1"])
      }))
  }

  it.live("repeats a poll without a status: errors, text, silence, no secret", () =>
    Effect.gen(function*() {
      for (
        const [body, status] of [["{\"state\":\"done\"}", 404], ["{\"state\":\"done\"}", 500], ["done", 200], [
          "",
          200
        ]] as const
      ) {
        const server = yield* answering(body, status)
        assert.strictEqual(
          (yield* poll(serviceAt(server.origin, { async }), "j")).kind,
          "unreachable",
          `${body} ${status}`
        )
      }
      const silent = yield* tcpUpstream(() => {})
      assert.strictEqual(
        (yield* poll(serviceAt(`http://127.0.0.1:${silent.port}`, { async }), "j", { timeoutMs: 150 })).kind,
        "unreachable"
      )
      const locked = yield* answering("{\"state\":\"done\"}")
      assert.strictEqual(
        (yield* poll(serviceAt(locked.origin, { async }, { auth: { type: "bearer", secret: "k" } }), "j")).kind,
        "unreachable"
      )
      assert.strictEqual((yield* poll(serviceAt(locked.origin), "j")).kind, "unreachable")
    }))
})
