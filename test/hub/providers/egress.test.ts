import { type EgressRequest, makeEgress } from "@countersign/hub/providers/egress"
import type { EgressOptions } from "@countersign/hub/providers/egress-connector"
import type { EgressError } from "@countersign/hub/providers/egress-errors"
import { parseAllowList } from "@countersign/hub/providers/egress-rules"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { once } from "node:events"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import tls from "node:tls"
import { certificate, key } from "../../support/tls.ts"
import { closedPort, flood, httpUpstream, tcpUpstream } from "../../support/upstream.ts"

const open = { allow: parseAllowList("127.0.0.1, ::1").entries }
const timeoutMs = 20_000

const call = (options: EgressOptions, request: Partial<EgressRequest> & { readonly url: string }) =>
  Effect.flatMap(makeEgress(options), (egress) => egress.request({ method: "GET", timeoutMs, ...request }))

const sentOf = (error: EgressError) =>
  error._tag === "UpstreamUnreachable" || error._tag === "UpstreamTimeout" ? error.sent : undefined

/** Returns the requested name, by TLS and by HTTP. */
const httpsUpstream = Effect.acquireRelease(
  Effect.promise(async () => {
    let requests = 0
    const server = createServer({ key, cert: certificate }, (request, response) => {
      requests++
      response.end(
        `${(request.socket as tls.TLSSocket & { readonly servername?: string }).servername} ${request.headers.host}`
      )
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    return { server, port: (server.address() as AddressInfo).port, requests: () => requests }
  }),
  ({ server }) =>
    Effect.promise(() =>
      new Promise<void>((done) => {
        server.close(() => done())
        server.closeAllConnections()
      })
    )
)

describe("the outbound guard", () => {
  const forms = (port: number) => [
    `http://127.0.0.1:${port}/`,
    `http://2130706433:${port}/`,
    `http://0x7f000001:${port}/`,
    `http://0177.0.0.1:${port}/`,
    `http://127.1:${port}/`,
    `http://[::1]:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://[::ffff:7f00:1]:${port}/`,
    `http://0.0.0.0:${port}/`,
    `http://[::]:${port}/`,
    `http://localhost:${port}/`,
    `http://localhost.:${port}/`,
    "http://169.254.169.254/latest/meta-data/",
    "http://[64:ff9b::7f00:1]/",
    "http://100.64.0.1/",
    "http://198.18.0.1/",
    "http://10.0.0.1/",
    "http://192.168.0.1/",
    "http://172.16.0.1/",
    "http://[fd00::1]/",
    "http://[fe80::1]/",
    "http://224.0.0.1/"
  ]

  it.live("refuses every form of an inner address, and opens no connection", () =>
    Effect.gen(function*() {
      const server = yield* tcpUpstream((socket) => socket.end())
      for (const url of forms(server.port)) {
        const error = yield* Effect.flip(call({ allow: [] }, { url }))
        assert.strictEqual(error._tag, "EgressRefused", url)
      }
      assert.strictEqual(server.connections(), 0)
    }))

  it.live("refuses a name if any of its addresses is inner", () =>
    Effect.gen(function*() {
      const server = yield* tcpUpstream((socket) => socket.end())
      const inner: ReadonlyArray<ReadonlyArray<string>> = [
        ["127.0.0.1"],
        ["::1"],
        ["10.1.2.3"],
        ["93.184.216.34", "127.0.0.1"],
        ["::ffff:192.168.0.1"],
        ["169.254.169.254"]
      ]
      for (const addresses of inner) {
        const error = yield* Effect.flip(
          call({ allow: [], resolve: async () => addresses }, { url: `http://innocent.example:${server.port}/` })
        )
        assert.strictEqual(error._tag, "EgressRefused", addresses.join())
        assert.include(error.message, "innocent.example")
        assert.include(error.message, "HUB_EGRESS_ALLOW")
      }
      assert.strictEqual(server.connections(), 0)
    }))

  it.live("resolves once per connection: a name that changes its address is not reached", () =>
    Effect.gen(function*() {
      const server = yield* httpUpstream((_, response) => response.end("{}"))
      const answers = [["127.0.0.1"], ["10.0.0.1"]]
      let asked = 0
      const options = { ...open, resolve: async () => answers[asked++] ?? [] }
      const answer = yield* call(options, { url: `http://rebind.example:${server.port}/` })
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(asked, 1)
      assert.strictEqual(
        (yield* Effect.flip(call(options, { url: `http://rebind.example:${server.port}/` })))._tag,
        "EgressRefused"
      )
    }))

  it.live("reaches an inner name that the operator allows, on that port only", () =>
    Effect.gen(function*() {
      const server = yield* httpUpstream((_, response) => response.end("hello"))
      const resolve = async () => ["127.0.0.1"]
      const allow = parseAllowList(`inner.example:${server.port}`).entries
      const answer = yield* call({ allow, resolve }, { url: `http://inner.example:${server.port}/x?y=1#z` })
      assert.strictEqual(Buffer.from(answer.body).toString(), "hello")
      assert.strictEqual(server.received[0]?.url, "/x?y=1")
      assert.strictEqual(server.received[0]?.headers.host, `inner.example:${server.port}`)
      const other = parseAllowList("inner.example:1").entries
      assert.strictEqual(
        (yield* Effect.flip(call({ allow: other, resolve }, { url: `http://inner.example:${server.port}/` })))._tag,
        "EgressRefused"
      )
    }))

  it.live("calls only the listed address of a name that has others", () =>
    Effect.gen(function*() {
      const server = yield* httpUpstream((_, response) => response.end("listed"))
      const allow = parseAllowList("127.0.0.1").entries
      const resolve = async () => ["::1", "10.0.0.1", "93.184.216.34", "127.0.0.1"]
      const answer = yield* call({ allow, resolve }, { url: `http://mixed.example:${server.port}/` })
      assert.strictEqual(Buffer.from(answer.body).toString(), "listed")
    }))

  it.live("tries the next address when the first does not listen", () =>
    Effect.gen(function*() {
      const server = yield* httpUpstream((_, response) => response.end("second"))
      const answer = yield* call({ ...open, resolve: async () => ["::1", "127.0.0.1"] }, {
        url: `http://two.example:${server.port}/`
      })
      assert.strictEqual(Buffer.from(answer.body).toString(), "second")
    }))

  it.live("refuses headers that frame the message, and values that would split it, without quoting them", () =>
    Effect.gen(function*() {
      for (
        const headers of [
          { Host: "x" },
          { "content-length": "1" },
          { "Transfer-Encoding": "chunked" },
          { "x y": "1" },
          { "x-a": "b\r\nx-c: secret" },
          { "x-a": "\u0000secret" },
          { "x-a": "ż-secret" }
        ]
      ) {
        const error = yield* Effect.flip(call(open, { url: "http://127.0.0.1:1/", headers }))
        assert.strictEqual(error._tag, "EgressRefused")
        assert.notInclude(error.message, "secret")
      }
    }))
})

describe("redirects", () => {
  const redirecting = (to: string, status = 302) =>
    httpUpstream((request, response) => {
      if (request.url === "/end") return response.end("end")
      response.writeHead(status, { location: request.url === "/loop" ? "/loop" : to }).end()
    })

  it.live("are followed for GET within reach", () =>
    Effect.gen(function*() {
      const server = yield* redirecting("/end")
      const answer = yield* call(open, { url: `${server.origin}/start`, headers: { authorization: "Bearer s" } })
      assert.strictEqual(Buffer.from(answer.body).toString(), "end")
      assert.strictEqual(answer.url, `${server.origin}/end`)
      assert.strictEqual(server.received[1]?.headers.authorization, "Bearer s")
    }))

  it.live("to an inner address are refused", () =>
    Effect.gen(function*() {
      for (
        const to of [
          "http://127.0.0.2:9/",
          "http://[::1]/",
          "//10.0.0.1/",
          "http://metadata.example/",
          "file:///etc/passwd",
          "http://u:p@127.0.0.1/"
        ]
      ) {
        const server = yield* redirecting(to)
        const options = { allow: parseAllowList("127.0.0.1").entries, resolve: async () => ["169.254.169.254"] }
        const error = yield* Effect.flip(call(options, { url: `${server.origin}/start` }))
        assert.strictEqual(error._tag, "EgressRefused", to)
        assert.strictEqual(server.received.length, 1)
      }
    }))

  it.live("to another origin drop the credentials", () =>
    Effect.gen(function*() {
      const other = yield* httpUpstream((_, response) => response.end("other"))
      const server = yield* redirecting(`${other.origin}/end`, 307)
      yield* call(open, {
        url: `${server.origin}/start`,
        headers: {
          authorization: "Bearer s",
          cookie: "a=b",
          "x-api-key": "s",
          accept: "text/plain",
          "idempotency-key": "req_1"
        }
      })
      const headers = other.received[0]?.headers ?? {}
      assert.deepStrictEqual([headers.authorization, headers.cookie, headers["x-api-key"]], [
        undefined,
        undefined,
        undefined
      ])
      assert.strictEqual(headers.accept, "text/plain")
      assert.strictEqual(headers["idempotency-key"], "req_1")
    }))

  it.live("stop after three", () =>
    Effect.gen(function*() {
      const server = yield* redirecting("/loop")
      const error = yield* Effect.flip(call(open, { url: `${server.origin}/loop` }))
      assert.strictEqual(error._tag, "EgressRefused")
      assert.strictEqual(server.received.length, 4)
    }))

  it.live("of a POST are returned as its answer", () =>
    Effect.gen(function*() {
      const server = yield* redirecting("/end", 307)
      const answer = yield* call(open, { url: `${server.origin}/start`, method: "POST", body: "x" })
      assert.strictEqual(answer.status, 307)
      assert.strictEqual(server.received.length, 1)
    }))
})

describe("whether bytes were sent", () => {
  it.live("no: the connection was refused", () =>
    Effect.gen(function*() {
      const port = yield* closedPort
      const error = yield* Effect.flip(call(open, { url: `http://127.0.0.1:${port}/`, method: "POST", body: "x" }))
      assert.strictEqual(error._tag, "UpstreamUnreachable")
      assert.strictEqual(sentOf(error), false)
    }))

  it.live("no: the name does not resolve", () =>
    Effect.gen(function*() {
      const resolve = async () => {
        throw Object.assign(new Error("x"), { code: "ENOTFOUND" })
      }
      const error = yield* Effect.flip(
        call({ allow: [], resolve }, { url: "http://nowhere.example/", method: "POST", body: "x" })
      )
      assert.strictEqual(sentOf(error), false)
      assert.include(error.message, "does not resolve")
    }))

  it.live("no: TLS failed", () =>
    Effect.gen(function*() {
      const server = yield* tcpUpstream((socket) => socket.on("data", () => socket.end("HTTP/1.1 400 no\r\n\r\n")))
      const error = yield* Effect.flip(
        call(open, { url: `https://127.0.0.1:${server.port}/`, method: "POST", body: "x" })
      )
      assert.strictEqual(error._tag, "UpstreamUnreachable")
      assert.strictEqual(sentOf(error), false)
      assert.strictEqual(server.connections(), 1)
    }))

  it.live("no: the certificate is for another name; with the right name the call arrives", () =>
    Effect.gen(function*() {
      const server = yield* httpsUpstream
      tls.setDefaultCACertificates([certificate])
      const options = { ...open, resolve: async () => ["127.0.0.1"] }
      const answer = yield* call(options, { url: `https://tls.example:${server.port}/`, method: "POST", body: "x" })
      assert.strictEqual(Buffer.from(answer.body).toString(), `tls.example tls.example:${server.port}`)
      const error = yield* Effect.flip(
        call(options, { url: `https://other.example:${server.port}/`, method: "POST", body: "x" })
      )
      assert.strictEqual(sentOf(error), false)
      assert.include(error.message, "TLS")
      const literal = yield* Effect.flip(
        call(options, { url: `https://127.0.0.1:${server.port}/`, method: "POST", body: "x" })
      )
      assert.strictEqual(sentOf(literal), false)
      assert.strictEqual(server.requests(), 1)
    }))

  it.live("no: the time ran out while connecting, and nothing is sent afterwards", () =>
    Effect.gen(function*() {
      const server = yield* httpUpstream((_, response) => response.end())
      const resolved = Promise.withResolvers<ReadonlyArray<string>>()
      const egress = yield* makeEgress({ ...open, resolve: () => resolved.promise })
      const url = `http://slow.example:${server.port}/`
      const error = yield* Effect.flip(egress.request({ url, method: "POST", body: "late", timeoutMs: 50 }))
      assert.strictEqual(error._tag, "UpstreamTimeout")
      assert.strictEqual(sentOf(error), false)
      resolved.resolve(["127.0.0.1"])
      yield* egress.request({ url, method: "POST", body: "second", timeoutMs })
      assert.deepStrictEqual(server.received.map(({ body }) => body), ["second"])
    }))

  it.live("yes: the connection was cut before, within and after the headers", () =>
    Effect.gen(function*() {
      for (const part of ["", "HTTP/1.1 200 O", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"half\":"]) {
        const server = yield* tcpUpstream((socket) => socket.once("data", () => socket.end(part)))
        const error = yield* Effect.flip(
          call(open, { url: `http://127.0.0.1:${server.port}/`, method: "POST", body: "x" })
        )
        assert.strictEqual(error._tag, "UpstreamUnreachable", part)
        assert.strictEqual(sentOf(error), true, part)
      }
    }))

  it.live("yes: a reset, and an answer that is not HTTP", () =>
    Effect.gen(function*() {
      const reset = yield* tcpUpstream((socket) => socket.once("data", () => socket.resetAndDestroy()))
      assert.strictEqual(
        sentOf(yield* Effect.flip(call(open, { url: `http://127.0.0.1:${reset.port}/`, method: "POST", body: "x" }))),
        true
      )
      const garbage = yield* tcpUpstream((socket) =>
        socket.once("data", () => socket.end("\u0000\u0001garbage\r\n\r\n"))
      )
      const error = yield* Effect.flip(
        call(open, { url: `http://127.0.0.1:${garbage.port}/`, method: "POST", body: "x" })
      )
      assert.strictEqual(sentOf(error), true)
      assert.include(error.message, "not HTTP")
    }))

  it.live("yes: no answer in time, an incomplete answer in time", () =>
    Effect.gen(function*() {
      for (const part of ["", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"]) {
        const server = yield* tcpUpstream((socket) => socket.once("data", () => socket.write(part)))
        const error = yield* Effect.flip(
          call(open, { url: `http://127.0.0.1:${server.port}/`, method: "POST", body: "x", timeoutMs: 100 })
        )
        assert.strictEqual(error._tag, "UpstreamTimeout")
        assert.strictEqual(sentOf(error), true)
      }
    }))

  it.live("yes: a reused connection was closed during the request", () =>
    Effect.gen(function*() {
      let requests = 0
      const server = yield* tcpUpstream((socket) =>
        socket.on("data", (chunk) => {
          if (!chunk.toString().endsWith("x")) return
          if (requests++ === 0) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
          else socket.destroy()
        })
      )
      const egress = yield* makeEgress(open)
      const request = { url: `http://127.0.0.1:${server.port}/`, method: "POST", body: "x", timeoutMs }
      assert.strictEqual((yield* egress.request(request)).status, 200)
      // undici reuses a connection one turn of the event loop after its answer.
      yield* Effect.promise(() => new Promise((turn) => setImmediate(() => setImmediate(turn))))
      const error = yield* Effect.flip(egress.request(request))
      assert.strictEqual(sentOf(error), true)
      assert.strictEqual(server.connections(), 1)
      assert.strictEqual(requests, 2)
    }))

  it.live("an interrupt aborts the call", () =>
    Effect.gen(function*() {
      const arrived = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const server = yield* tcpUpstream((socket) => {
        socket.once("data", () => Effect.runFork(Deferred.succeed(arrived, undefined)))
        socket.once("close", () => Effect.runFork(Deferred.succeed(closed, undefined)))
      })
      const egress = yield* makeEgress(open)
      const fiber = yield* Effect.forkChild(
        egress.request({ url: `http://127.0.0.1:${server.port}/`, method: "POST", body: "x", timeoutMs })
      )
      yield* Deferred.await(arrived)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(closed)
    }))
})

describe("answers", () => {
  it.live("keep their bytes unchanged, and the status of an empty one", () =>
    Effect.gen(function*() {
      const server = yield* httpUpstream((request, response) => {
        if (request.url === "/204") return response.writeHead(204).end()
        response.writeHead(200, { "x-a": ["1", "2"], "Content-Type": "text/plain" }).end(Buffer.from([0, 255, 254, 10]))
      })
      const egress = yield* makeEgress(open)
      const answer = yield* egress.request({ url: `${server.origin}/`, method: "GET", timeoutMs })
      assert.deepStrictEqual([...answer.body], [0, 255, 254, 10])
      assert.strictEqual(answer.headers["x-a"], "1, 2")
      assert.strictEqual(answer.headers["content-type"], "text/plain")
      const empty = yield* egress.request({ url: `${server.origin}/204`, method: "GET", timeoutMs })
      assert.deepStrictEqual([empty.status, empty.body.length, empty.truncated], [204, 0, false])
    }))

  it.live("over the limit are cut and marked, both at 20 MB and without end", () =>
    Effect.gen(function*() {
      const server = yield* httpUpstream((request, response) =>
        flood(response, request.url === "/endless" ? Infinity : 20_000_000)
      )
      const egress = yield* makeEgress(open)
      for (const path of ["/20mb", "/endless"]) {
        const answer = yield* egress.request({ url: server.origin + path, method: "GET", timeoutMs })
        assert.deepStrictEqual([answer.status, answer.truncated, answer.body.length], [200, true, 1024 * 1024], path)
      }
      const error = yield* Effect.flip(
        egress.request({ url: `${server.origin}/20mb`, method: "GET", timeoutMs, overflow: "fail", maxBytes: 1000 })
      )
      assert.strictEqual(error._tag, "ResponseTooLarge")
    }))

  it.live("over the limit end with their connection where nobody waits for the rest", () =>
    Effect.gen(function*() {
      const isWhole = yield* Deferred.make<boolean>()
      const server = yield* httpUpstream((_, response) => {
        response.once("close", () => Deferred.doneUnsafe(isWhole, Effect.succeed(response.writableFinished)))
        flood(response, 20_000_000)
      })
      const answer = yield* call(open, { url: server.origin, maxBytes: 1000, overflow: "cut" })
      assert.deepStrictEqual([answer.status, answer.truncated, answer.body.length], [200, true, 1000])
      assert.isFalse(yield* Deferred.await(isWhole))
    }))

  it.live("of exactly the limit are complete", () =>
    Effect.gen(function*() {
      const server = yield* httpUpstream((_, response) => response.end(Buffer.alloc(1000, 98)))
      const answer = yield* call(open, { url: server.origin, maxBytes: 1000 })
      assert.deepStrictEqual([answer.truncated, answer.body.length], [false, 1000])
    }))
})
