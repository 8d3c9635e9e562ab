/**
 * The agent against a real hub over an unreliable connection: wherever it is cut, a command runs once and its result is
 * reported.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { atWork, paired, until } from "../../support/device-agent.ts"
import { frameProxy, type Side } from "../../support/frame-proxy.ts"
import { HubTest, TestHub } from "../../support/hub.ts"
import { allow, operatorOf } from "./world.ts"

layer(HubTest(), { excludeTestServices: true })("the device agent on an unreliable connection", (it) => {
  /**
   * Cuts the agent's first socket as specified. The command prints several chunks on one stream and one on the other.
   */
  const world = Effect.fnUntraced(function*(cut?: { readonly side: Side; readonly after: number }) {
    const hub = yield* TestHub
    const proxy = yield* frameProxy(hub)
    proxy.arm(cut)
    const place = yield* paired({ api: hub.api, url: proxy.url }, hub.owner)
    const ran = join(place.root, "ran")
    const script = place.script(
      "count",
      `echo "$1" >> ${ran}; head -c 40000 /dev/zero | tr '\\0' x; echo "end of $1"; echo warning >&2`
    )
    place.rules([allow(script), ...Array.from({ length: 60 }, (_, at) => allow(script, String(at)))])
    const operator = operatorOf(hub, hub.owner)
    const { session } = yield* atWork(hub, hub.owner, place)
    /** Queues a command and waits until it succeeds. */
    const runThrough = (name: string) =>
      Effect.gen(function*() {
        const id = yield* operator.queue(session, [script, name])
        const ended = yield* operator.end(id)
        assert.deepInclude(ended, { status: "done", outcome: "succeeded", exit_code: 0 }, name)
        assert.strictEqual(yield* operator.text(id), `${"x".repeat(40_000)}end of ${name}\n`, name)
        assert.strictEqual(yield* operator.text(id, "stderr"), "warning\n", name)
        return id
      })
    const timesRun = (name: string) => readFileSync(ran, "utf8").split("\n").filter((line) => line === name).length
    return { ...hub, hub, proxy, place, session, script, operator, runThrough, timesRun }
  })

  // Each case waits for its next socket attempt, so all run in parallel.
  it.effect(
    "D19: cut after any frame of a command, it runs exactly once and its result is reported",
    () =>
      Effect.gen(function*() {
        const { proxy, runThrough } = yield* world()
        yield* runThrough("0")
        yield* until(Effect.sync(() => proxy.passed("hub")), (frames) => frames >= 7)
        const life = { device: proxy.passed("device"), hub: proxy.passed("hub") }
        // Hello, ack, state, chunks, done; welcome, command, two acked, chunks acknowledged, done.
        assert.isAtLeast(life.device, 6)
        const cases = (["device", "hub"] as ReadonlyArray<Side>).flatMap((side) =>
          Array.from({ length: life[side] }, (_, at) => ({ side, after: at + 1 }))
        )
        const cuts = yield* Effect.forEach(cases, (cut) =>
          Effect.scoped(Effect.gen(function*() {
            const { proxy, runThrough, timesRun } = yield* world(cut)
            yield* runThrough("1")
            assert.strictEqual(timesRun("1"), 1, `cut behind frame ${cut.after} of the ${cut.side}`)
            return proxy.cuts()
          })), { concurrency: "unbounded" })
        // Acknowledgements and output are joined by what arrives together, so a busy run exchanges fewer frames than the
        // first one and its last cases are not cut. The frames that every command needs are.
        assert.isAtLeast(cuts.filter((count) => count === 1).length, Math.ceil(cases.length * 2 / 3))
      }),
    300_000
  )

  it.effect("a hub that does not notice a cut sends nothing to the dead socket: queued commands arrive over the new one, once", () =>
    Effect.gen(function*() {
      const { operator, proxy, runThrough, session, script, timesRun } = yield* world()
      yield* runThrough("0")
      proxy.halfOpen = true
      proxy.arm()
      yield* until(Effect.sync(() => proxy.passed("hub")), (frames) => frames >= 1)
      // Commands are queued before and after the reconnect: for the hub the old socket is still open.
      const ids: Array<string> = []
      for (const name of ["1", "2", "3"]) ids.push(yield* operator.queue(session, [script, name]))
      for (const id of ids) {
        assert.deepInclude(yield* operator.end(id), { outcome: "succeeded" })
      }
      assert.deepStrictEqual(["1", "2", "3"].map(timesRun), [1, 1, 1])
    }))
})
