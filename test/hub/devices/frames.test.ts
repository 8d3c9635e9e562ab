/** Bounds of a device socket: the size of one frame, and frames per second. */
import { frameBytesMax } from "@countersign/domain/device-protocol"
import { frameBurst, framesPerSecond } from "@countersign/hub/devices/frame-pace"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connect, makeDevice } from "../../support/device.ts"
import { HubTest, TestHub } from "../../support/hub.ts"

const hello = {
  type: "hello",
  min_protocol: 1,
  max_protocol: 1,
  app_version: "0.2.0",
  roots: ["/srv/work"],
  instance_id: "i1",
  boot_id: "b1"
}
const padded = (frame: unknown, bytes: number) => JSON.stringify(frame).padEnd(bytes, " ")

layer(HubTest(), { excludeTestServices: true })("frames of a device socket", (it) => {
  const open = Effect.gen(function*() {
    const hub = yield* TestHub
    const device = yield* makeDevice(hub, hub.owner)
    const socket = yield* connect(hub, device)
    return { hub, device, socket }
  })

  it.effect("of up to 1 MiB are accepted; a larger one closes the socket with 1009, and the device can reconnect", () =>
    Effect.gen(function*() {
      const { device, hub, socket } = yield* open
      socket.send(padded(hello, frameBytesMax))
      assert.strictEqual((yield* socket.next("welcome")).limits.frame_bytes, frameBytesMax)
      socket.send(padded(hello, frameBytesMax + 1))
      assert.strictEqual((yield* socket.closed).code, 1009)
      const again = yield* connect(hub, device)
      again.send(hello)
      yield* again.next("welcome")
    }))

  it.effect("are answered, when refused, with their type, command and seq, so that the device can settle the command", () =>
    Effect.gen(function*() {
      const { socket } = yield* open
      socket.send(hello)
      yield* socket.next("welcome")
      const command_id = "cmd_00000000000000000000000000"
      const output = { type: "output", command_id, lease: 1, seq: 7, stream: "stdout", data: "a" }
      for (
        const [frame, about] of [
          [{ ...output, data: "NUL \0" }, { to: "output", command_id, seq: 7 }],
          [{ ...output, data: "half a pair \ud83d" }, { to: "output", command_id, seq: 7 }],
          [{ ...output, unknown: true }, { to: "output", command_id, seq: 7 }],
          [{ type: "done", command_id, lease: 1, outcome: "succeeded", result: { text: "\0" } }, {
            to: "done",
            command_id
          }],
          [{ type: "state", command_id, lease: 1, state: "awaiting_consent", plan: { version: 9 } }, {
            to: "state",
            command_id
          }],
          [{ type: "ack", command_id: "../etc/passwd", lease: 1 }, { to: "ack" }]
        ] as const
      ) {
        socket.send(frame)
        const { error, type, ...rest } = yield* socket.next("error")
        assert.deepStrictEqual([type, error.code], ["error", "invalid_request"])
        assert.deepStrictEqual(rest, about)
      }
      socket.send("{")
      assert.deepStrictEqual(Object.keys(yield* socket.next("error")), ["type", "error"])
    }))

  it.effect("beyond the rate are handled later, in order, while other devices are served", () =>
    Effect.gen(function*() {
      const { hub, socket } = yield* open
      socket.send(hello)
      yield* socket.next("welcome")
      const began = performance.now()
      const count = frameBurst + framesPerSecond
      for (let index = 0; index < count; index++) socket.send("{}")
      socket.send({ type: "ack", command_id: "cmd_00000000000000000000000000", lease: 1 })
      const other = yield* open
      other.socket.send(hello)
      yield* other.socket.next("welcome")
      for (let index = 0; index < count; index++) {
        assert.strictEqual((yield* socket.next("error")).error.code, "invalid_request")
        assert.isAtMost(index + 1, frameBurst + 1 + framesPerSecond * (performance.now() - began) / 1_000)
      }
      assert.strictEqual((yield* socket.next("error")).to, "ack", "the last frame is answered last, and none is lost")
      assert.strictEqual(other.hub.url, hub.url)
    }))
})
