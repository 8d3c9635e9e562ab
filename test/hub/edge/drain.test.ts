/** The rest of a refused body, over real sockets. */
import { drain } from "@countersign/hub/edge/drain"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { Writable } from "node:stream"
import { request } from "undici"

const listener = createServer()

it.live("is read to its end, also while a parser blocks the body's pipe", () =>
  Effect.gen(function*() {
    const server = yield* HttpServer.HttpServer
    yield* server.serve(Effect.gen(function*() {
      const sent = yield* HttpServerRequest.HttpServerRequest
      const message = NodeHttpServerRequest.toIncomingMessage(sent) as IncomingMessage
      message.pipe(new Writable({ highWaterMark: 1, write: () => {} }))
      yield* drain(sent)
      return HttpServerResponse.text(String(message.complete))
    }))
    const { port } = listener.address() as AddressInfo
    const text = yield* Effect.promise(async () => {
      const { body } = await request(`http://127.0.0.1:${port}/`, { method: "POST", body: Buffer.alloc(4 << 20) })
      return body.text()
    })
    assert.strictEqual(text, "true")
  }).pipe(Effect.scoped, Effect.provide(NodeHttpServer.layer(() => listener, { port: 0, host: "127.0.0.1" }))))
