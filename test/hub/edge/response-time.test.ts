/** Clients that do not read their answers. The clock is the test's own, and so is the moment of each check. */
import { endIdleConnections } from "@countersign/hub/edge/idle-connections"
import { limitResponseTime } from "@countersign/hub/edge/response-time"
import { eventStreamAnswer, followEvents } from "@countersign/hub/platform/event-stream"
import type { SubjectSignals } from "@countersign/hub/platform/waiting"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Stream } from "effect"
import { HttpServer } from "effect/http"
import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { setTimeout } from "node:timers/promises"
import { assert, it } from "vitest"

const minute = 60_000
/** An eighth of it is more than the buffers of both sides of a connection on loopback. */
const muchBytes = 128 * 1024 * 1024

it("ends the connection of a client that reads nothing of its answer for a minute, and of no other", async () => {
  let checkNow = () => {}
  let ahead = 0
  const server = limitResponseTime(createServer((_, response) => void response.end(Buffer.alloc(muchBytes))), {
    now: () => performance.now() + ahead,
    repeat: (check) => checkNow = check
  })
  endIdleConnections(server)
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  const open = async () => {
    const socket = connect(port, "127.0.0.1").on("error", () => {})
    const [[inside]] = await Promise.all([once(server, "connection"), once(socket, "connect")])
    const requested = once(server, "request")
    socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
    await requested
    return { socket, inside }
  }
  const check = (millis: number) => {
    ahead += millis
    checkNow()
  }
  /** More than the buffers hold, so that the server must have sent more. */
  const read = async (socket: Socket) => {
    let bytes = 0
    while (bytes < muchBytes / 8) {
      const chunk: Buffer | null = socket.read()
      if (chunk === null) await once(socket, "readable")
      else bytes += chunk.length
    }
  }
  const [stuck, slow] = [await open(), await open()]
  const silent = connect(port, "127.0.0.1").on("error", () => {})
  const [unused] = await once(server, "connection")
  await read(slow.socket)
  check(0)
  for (let times = 0; times < 4; times++) {
    assert.isFalse(times < 2 && stuck.inside.destroyed, `${times} half minutes`)
    await read(slow.socket)
    check(minute / 2)
  }
  assert.isTrue(stuck.inside.destroyed)
  assert.isFalse(unused.destroyed, "a connection without an answer")
  assert.isFalse(slow.inside.destroyed, "a client that reads slowly")
  for (const socket of [stuck.socket, slow.socket, silent]) socket.destroy()
  await new Promise((done) => server.close(done))
})

it("reads an event stream's events as fast as its client, and holds no more of them than its buffers", () =>
  Effect.gen(function*() {
    let reads = 0
    const text = `data: ${"x".repeat(64 * 1024)}\n\n`
    const signals: SubjectSignals = { subscribeTo: () => () => {}, stopped: () => false }
    const server = yield* HttpServer.HttpServer
    yield* server.serve(
      Effect.sync(() =>
        eventStreamAnswer(
          followEvents(signals, "subject", 0, (after) =>
            Effect.sync(() => {
              reads++
              return { texts: [text], position: after + 1, done: false }
            })).pipe(Stream.encodeText)
        )
      )
    )
    const { address } = server
    const client = connect(address._tag === "UnixPathAddress" ? 0 : address.port, "127.0.0.1").on("error", () => {})
    yield* Effect.promise(() => once(client, "connect"))
    client.pause()
    client.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
    const settled = async (): Promise<number> => {
      for (let last = -1; reads !== last || reads === 0;) {
        assert.isBelow(reads * text.length, muchBytes, "the stream does not wait for its client")
        last = reads
        await setTimeout(200)
      }
      return reads
    }
    const held = yield* Effect.promise(settled)
    client.resume()
    while (reads < held * 2) yield* Effect.sleep("5 millis")
    client.destroy()
  }).pipe(
    Effect.provide(Layer.fresh(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 }))),
    Effect.scoped,
    Effect.runPromise
  ))
