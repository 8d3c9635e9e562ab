/** Turns of a hub that stops in order: one in the background is continued by another hub, any other one pauses. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { type ChatFrame, chatOf, textsOf } from "../../support/chat.ts"
import { until } from "../../support/health.ts"
import { quickRecovery, spawnHub } from "../../support/hub-program.ts"
import { expectStatus, firstOwner, makeAgent, masterKey, startHub, topUp } from "../../support/hub.ts"
import { urlOf } from "../../support/pg.ts"

layer(Layer.empty, { excludeTestServices: true })("a hub that stops", (it) => {
  it.effect("finishes the model's answer, pauses turns with a reader, and leaves those in the background to others", () =>
    Effect.gen(function*() {
      const other = yield* startHub({ env: quickRecovery })
      const owner = yield* firstOwner(other)
      yield* topUp(other, owner, 1_000)
      const agent = yield* makeAgent(other, owner, {
        bindings: [{ service: "llm", operations: ["*"] }, { service: "echo", operations: ["*"] }]
      })
      const hub = yield* spawnHub({
        env: { ...quickRecovery, DATABASE_URL: urlOf(other.target.database), HUB_MASTER_KEY: masterKey }
      })
      const [there, here] = [chatOf(hub, { key: agent.key }), chatOf(other, { key: agent.key })]
      const message = "#script\nsay Begun\nwait 2000\nsay and ended.\ncall echo.say {}\n---\nsay After."
      const begun = (background: boolean) =>
        Effect.gen(function*() {
          const { id } = yield* here.session()
          const { frames } = yield* there.turn({ session_id: id, message, background }, {
            until: ({ event }: ChatFrame) => event === "message_delta"
          })
          return { session: id, turn: frames[0]?.data.turn_id as string }
        })
      const [read, background] = [yield* begun(false), yield* begun(true)]
      yield* hub.kill("SIGTERM")
      assert.strictEqual((yield* hub.ended).code, 0)
      const stateOf = (turn: string) =>
        Effect.map(here.call("GET", `/chat/turns/${turn}`), (answer) => expectStatus(answer, 200).body)
      assert.deepInclude(yield* stateOf(read.turn), { state: "paused", pause_reason: "drain" })
      yield* until(
        "the end of the turn in the background",
        Effect.map(stateOf(background.turn), ({ state }) => state === "done")
      )
      const rest = yield* here.turn({ session_id: read.session, continue_from: read.turn })
      for (const { frames } of [rest, yield* here.events(background.turn)]) {
        assert.deepStrictEqual(textsOf(frames), ["Begun\nand ended.", "After."])
        assert.strictEqual(frames.filter(({ event }) => event === "tool_done").length, 1)
      }
      const requests = expectStatus(yield* here.call("GET", "/service-requests"), 200).body.data
      assert.strictEqual(requests.length, 6)
    }).pipe(Effect.scoped))
})
