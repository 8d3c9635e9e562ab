/** The agent against a hostile hub: whatever the hub sends or withholds, the agent runs the next valid command. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { connected, pairedWith, program, until } from "../../support/device-agent.ts"
import { commandOf, hostileHub, leaseOf, welcomeOf } from "../../support/hostile-hub.ts"

const eventually = (isSo: () => boolean) => until(Effect.sync(isSo), (so) => so)

const world = Effect.gen(function*() {
  const hub = yield* hostileHub
  const place = yield* pairedWith(hub.url)
  place.rules([{ effect: "allow", tool: "system.info" }])
  const next = Effect.suspend(() => hub.ended(hub.offer()))
  return { hub, place, next }
})

const command = (more: object, lease: unknown = leaseOf(1)) => ({
  type: "command",
  command: commandOf(more as never),
  lease
})

/** Frames that fit no schema. */
const malformed: ReadonlyArray<unknown> = [
  "",
  "null",
  "{",
  "[]",
  "\"text\"",
  "1",
  "{}",
  { type: "command" },
  { type: 1 },
  { data: null },
  { type: "cancel" },
  { type: "control" },
  { type: "cancel", command_id: {} },
  { type: "control", control: null },
  { type: "acked" },
  { type: "acked", command_id: commandOf().id, lease: null },
  { type: "output_ack", command_id: commandOf().id },
  { type: "error" },
  { type: "error", error: null },
  { type: "done", command_id: {} },
  { type: "error", command_id: commandOf().id, error: { code: {}, data: "x" } },
  { type: "later", command_id: {} },
  welcomeOf(),
  welcomeOf({ kept: null }),
  command({ id: {} }),
  command({ id: "../../escaped" }),
  command({ id: `cmd_${"0".repeat(27)}` }),
  command({ id: "cmd_../../../../../../x" }),
  command({ tool: "rm" }),
  command({ tool: null }),
  command({ input: null }),
  command({ input: "x" }),
  command({ requested_by: null }),
  command({ timeout_seconds: 1e15 }),
  command({ timeout_seconds: 0 }),
  command({ timeout_seconds: -1 }),
  command({ timeout_seconds: 0.5 }),
  command({ timeout_seconds: "30" }),
  command({ working_directory: 7 }),
  command({}, null),
  command({}, { number: 1e15 }),
  `{"type":"command","command":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
  `{"type":"cancel","type":"cancel","command_id":"x"}`,
  Object.fromEntries([["__proto__", { type: "cancel" }], ["type", "constructor"]])
]

describe("the agent and a hostile hub", () => {
  it.live("survives every malformed frame and runs the next command", () =>
    Effect.gen(function*() {
      const { hub, next, place } = yield* world
      const agent = yield* program(["run", "--data-dir", place.folder.path])
      yield* eventually(() => hub.connections() === 1)
      const before = readdirSync(join(place.root, ".."), { recursive: true }).length
      for (const frame of malformed) {
        hub.send(frame)
        assert.deepInclude(yield* next, { outcome: "succeeded" }, JSON.stringify(frame)?.slice(0, 200))
      }
      assert.deepStrictEqual([agent.child.exitCode, hub.connections()], [null, 1])
      // No malformed command was acknowledged, and no id became a path.
      assert.strictEqual(hub.received.filter(({ type }) => type === "ack").length, malformed.length)
      const written = readdirSync(join(place.root, ".."), { recursive: true }).map(String)
      assert.isAtMost(written.length - before, malformed.length + 8)
      assert.isEmpty(written.filter((name) => name.includes("escaped")))
      agent.child.kill("SIGTERM")
      assert.strictEqual((yield* agent.ended).code, 0)
    }))

  it.live("closes a connection with too many malformed frames, and reconnects", () =>
    Effect.gen(function*() {
      const { hub, next, place } = yield* world
      const { lines } = yield* connected(place)
      for (let at = 0; at < 200; at++) hub.send("null")
      yield* eventually(() => hub.connections() > 1)
      assert.deepInclude(yield* next, { outcome: "succeeded" })
      assert.isAtMost(lines.filter(({ event }) => event === "malformed_frame").length, 10)
    }))

  it.live("survives malformed answers to its long poll", () =>
    Effect.gen(function*() {
      const { hub, place } = yield* world
      hub.upgrade = (_request, socket) => socket.end("HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\n\r\n")
      const offered = commandOf()
      const bodies: Array<unknown> = [null, { data: null }, { data: [null] }, { data: [{ id: {} }], controls: 7 }, {
        data: [commandOf({ id: "../x" })],
        controls: [{ type: "cancel" }]
      }, []]
      let polls = 0
      let reports = 0
      const ended: Array<string> = []
      const reply = (response: ServerResponse, body: unknown) =>
        void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
      hub.http = (request, response) => {
        request.resume()
        const path = String(request.url)
        if (path.endsWith("/heartbeat")) {
          const { lease_ms: _, limits: _limits, protocol: _protocol, type: _type, ...answer } = welcomeOf()
          return reply(response, { ...answer, waiting: [] })
        }
        if (path.includes("/sessions/")) {
          polls++
          return reply(
            response,
            bodies.length > 0 ? bodies.shift() : { data: [{ ...offered, lease: leaseOf(1) }], controls: [] }
          )
        }
        if (path.endsWith("/done")) ended.push(path)
        // The first report of each kind gets a malformed answer.
        if (reports++ % 2 === 0) return reply(response, { status: 7, lease: [], next_seq: "x" })
        return reply(response, { status: "leased", lease: leaseOf(1), controls: [], next_seq: 1 })
      }
      yield* connected(place)
      yield* eventually(() => ended.some((path) => path.includes(offered.id)))
      assert.isAbove(polls, 6)
    }))

  it.live("shortens a timeout to the limit in its rules before it requests approval", () =>
    Effect.gen(function*() {
      const { hub, place } = yield* world
      place.rules([], { ask_via: "hub" })
      yield* connected(place)
      const id = hub.offer({ timeout_seconds: 21_600 })
      yield* eventually(() => hub.about(id).some(({ type }) => type === "state"))
      const [state] = hub.about(id).flatMap((frame) => frame.type === "state" ? [frame] : [])
      assert.strictEqual(state?.plan?.timeout_seconds, 600)
    }))

  it.live("does not read an endless answer to its end, to a call or to an upgrade", () =>
    Effect.gen(function*() {
      const { hub, next, place } = yield* world
      const cut: Array<number> = []
      const block = Buffer.alloc(256 * 1024, 0x20)
      const flood = (
        write: (bytes: Buffer) => boolean,
        stream: NodeJS.EventEmitter & { readonly destroyed: boolean }
      ) => {
        let bytes = 0
        const fill = () => {
          while (!stream.destroyed && write(block)) bytes += block.length
        }
        stream.on("drain", fill).on("error", () => {}).once("close", () => cut.push(bytes))
        fill()
      }
      hub.upgrade = (_request, socket) => {
        socket.write("HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n")
        flood((bytes) => socket.write(bytes), socket)
      }
      hub.http = (request, response) => {
        request.resume()
        response.writeHead(200, { "content-type": "application/json" })
        flood((bytes) => response.write(bytes), response)
      }
      const agent = yield* program(["run", "--data-dir", place.folder.path])
      yield* eventually(() => cut.length >= 2)
      // Includes the bytes in the buffers of both sockets.
      assert.isBelow(Math.max(...cut), 40 * 1024 * 1024)
      hub.upgrade = undefined
      yield* eventually(() => hub.connections() > 0)
      assert.deepInclude(yield* next, { outcome: "succeeded" })
      assert.isNull(agent.child.exitCode)
    }))

  it.live("follows no redirect of a call or an upgrade: its key goes to one origin", () =>
    Effect.gen(function*() {
      const { hub, next, place } = yield* world
      let visits = 0
      const elsewhere = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const server = createServer((_request, response) => {
            visits++
            response.writeHead(200).end("{}")
          }).on("upgrade", (_request, socket) => {
            visits++
            socket.destroy()
          }).listen(0, "127.0.0.1")
          await once(server, "listening")
          return server
        }),
        (server) => Effect.sync(() => void server.close())
      )
      const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`
      let redirects = 0
      hub.upgrade = (_request, socket) => {
        redirects++
        socket.end(`HTTP/1.1 307 Temporary Redirect\r\nlocation: ${location}\r\nconnection: close\r\n\r\n`)
      }
      hub.http = (request, response) => {
        request.resume()
        redirects++
        response.writeHead(307, { location }).end()
      }
      const running = connected(place)
      yield* Effect.forkScoped(running)
      yield* eventually(() => redirects >= 4)
      hub.upgrade = undefined
      yield* eventually(() => hub.connections() > 0)
      assert.deepInclude(yield* next, { outcome: "succeeded" })
      assert.strictEqual(visits, 0)
    }))

  it.live("holds a limited number of commands, and accepts the next one once the hub confirms results", () =>
    Effect.gen(function*() {
      const { hub, next, place } = yield* world
      const { confirm } = hub
      hub.confirm = (frame) => frame.type === "done" ? undefined : confirm(frame)
      const { lines } = yield* connected(place)
      for (let at = 0; at < 2_000; at++) hub.offer()
      yield* eventually(() => hub.received.filter(({ type }) => type === "done").length === 16)
      assert.strictEqual(hub.received.filter(({ type }) => type === "ack").length, 16)
      for (const frame of hub.received.slice()) if (frame.type === "done") hub.send(confirm(frame))
      hub.confirm = confirm
      assert.deepInclude(yield* next, { outcome: "succeeded" })
      assert.isAtMost(lines.filter(({ event }) => event === "too_many_commands").length, 61)
    }))

  it.live("keeps its log small, whatever the commands contain", () =>
    Effect.gen(function*() {
      const { hub, place } = yield* world
      yield* connected(place)
      const content = "x".repeat(400_000)
      for (let at = 0; at < 10; at++) {
        assert.deepInclude(yield* hub.ended(hub.offer({ tool: "fs.write", input: { path: "file", content } })), {
          outcome: "denied"
        })
      }
      const log = place.folder.file("device.log")
      assert.isBelow(statSync(log).size, 40_000)
      assert.match(readFileSync(log, "utf8"), /"bytes":4000\d\d,"sha256":"[0-9a-f]{64}"/)
    }))

  it.live("keeps the first MiB and the last 3 MiB of output complete for a hub that confirms slowly", () =>
    Effect.gen(function*() {
      const { hub, place } = yield* world
      const print = place.script("print", "seq 900000")
      place.rules([{ effect: "allow", tool: "shell.run", argv: [print] }], { sandbox: "off" })
      yield* connected(place)
      hub.delayMillis = 40
      const id = hub.offer({
        tool: "shell.run",
        input: { argv: [print] },
        timeout_seconds: 300,
        working_directory: place.root
      })
      assert.deepInclude(yield* hub.ended(id), { outcome: "succeeded" })
      const printed = Array.from({ length: 900_000 }, (_, at) => `${at + 1}\n`).join("")
      let at = 0
      for (const frame of hub.about(id)) {
        if (frame.type !== "output") continue
        const offset = frame.offset ?? -1
        if (offset > at) {
          assert.isTrue(
            at >= 1024 * 1024 && offset <= printed.length - 3 * 1024 * 1024,
            `a gap from ${at} to ${offset}`
          )
        }
        assert.isTrue(printed.startsWith(frame.data, offset))
        at = offset + frame.data.length
      }
      assert.strictEqual(at, printed.length)
    }))

  it.live(
    "a search whose pattern takes minutes ends by its timeout, while other commands run and a signal works",
    () =>
      Effect.gen(function*() {
        const { hub, next, place } = yield* world
        place.rules([{ effect: "allow", tool: "system.info" }, { effect: "allow", tool: "fs.search" }])
        writeFileSync(join(place.root, "long.txt"), `${"a".repeat(4_000)}\n`.repeat(1_000))
        const agent = yield* program(["run", "--data-dir", place.folder.path])
        yield* eventually(() => hub.connections() === 1)
        const search = (seconds: number) =>
          hub.offer({
            tool: "fs.search",
            input: { path: ".", pattern: "(?:a?){900}[bc]$" },
            timeout_seconds: seconds,
            working_directory: place.root
          })
        const id = search(3)
        yield* eventually(() => hub.about(id).some(({ type }) => type === "state"))
        assert.deepInclude(yield* next, { outcome: "succeeded" })
        assert.isFalse(hub.about(id).some(({ type }) => type === "done"))
        assert.deepInclude(yield* hub.ended(id), { outcome: "timed_out" })
        const last = search(300)
        yield* eventually(() => hub.about(last).some(({ type }) => type === "state"))
        agent.child.kill("SIGTERM")
        agent.child.kill("SIGINT")
        assert.strictEqual((yield* agent.ended).code, 0)
      })
  )
})
