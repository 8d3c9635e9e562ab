/**
 * Hubs that are killed amid turns of chat: every turn ends, each call is made once, the events have no gap, and the books
 * agree.
 */
import { assert } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { setTimeout } from "node:timers/promises"
import { type ChatFrame, chatOf, textsOf } from "../support/chat.ts"
import { expectHealthy, until } from "../support/health.ts"
import { quickRecovery, spawnHub } from "../support/hub-program.ts"
import { expectStatus, firstOwner, makeAgent, makeService, masterKey, startHub, topUp } from "../support/hub.ts"
import { urlOf } from "../support/pg.ts"
import { chanceOf } from "../support/random.ts"
import { httpUpstream } from "../support/upstream.ts"
import type { SoakOptions, SoakScenario } from "./scenario.ts"

const turnsEach = 5
const killsEach = 1
const rounds = 3
const callsEach = 3

/** Each round thinks, says something, and makes calls; the last one only says something. */
const scriptOf = (name: string): string =>
  [
    "#script",
    ...Array.from({ length: rounds }, (_, round) =>
      [
        `think ${name} thinks in round ${round}.`,
        `say ${name} says ${"ża".repeat(40)} in round ${round}.`,
        "wait 30",
        "usage 700 30 0",
        ...Array.from({ length: callsEach }, (_, call) => `call shop.buy {"what":"${name} ${round} ${call}"}`),
        "---"
      ].join("\n")),
    "usage 900 10 0",
    "say That is all."
  ].join("\n")

const run = ({ log, scale, seed }: SoakOptions) =>
  Effect.gen(function*() {
    const chance = chanceOf(seed)
    const keys = new Set<string>()
    const upstream = yield* httpUpstream((request, response) => {
      keys.add(String(request.headers["idempotency-key"]))
      void setTimeout(chance.int(60)).then(() => {
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ work: request.body }))
      })
    })
    const env = { HUB_EGRESS_ALLOW: "127.0.0.1", ...quickRecovery }
    const checker = yield* startHub({ env })
    const owner = yield* firstOwner(checker)
    yield* topUp(checker, owner, 1_000_000)
    yield* makeService(checker, owner, {
      name: "shop",
      kind: "http",
      base_url: upstream.origin,
      operations: [{
        name: "buy",
        method: "POST",
        path: "/buy",
        price: { type: "fixed", cents: 2 },
        idempotent: true,
        payload_schema: { type: "object", additionalProperties: true }
      }]
    })
    const agent = yield* makeAgent(checker, owner, {
      bindings: [{ service: "llm", operations: ["*"], approval_threshold_cents: 100_000 }, {
        service: "shop",
        operations: ["*"]
      }]
    })
    const mine = chatOf(checker, { key: agent.key })
    const start = Effect.gen(function*() {
      const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      return yield* Scope.provide(
        spawnHub({ env: { ...env, DATABASE_URL: urlOf(checker.target.database), HUB_MASTER_KEY: masterKey } }),
        scope
      )
    })
    let hub = yield* start
    const sessions: Array<string> = []
    for (let kill = 0; kill < killsEach * scale; kill++) {
      const chat = chatOf(hub, { key: agent.key })
      for (let at = 0; at < turnsEach; at++) {
        const session = yield* mine.session({ model: "offline/echo-priced" })
        sessions.push(session.id)
        yield* Effect.forkChild(
          Effect.ignoreCause(
            chat.turn({ session_id: session.id, message: scriptOf(`turn ${sessions.length}`), background: true })
          )
        )
      }
      yield* Effect.sleep(300 + chance.int(1_200))
      process.kill(hub.pid, "SIGKILL")
      yield* hub.ended
      hub = yield* start
    }

    const sessionOf = (id: string) =>
      Effect.map(checker.api("GET", `/chat/sessions/${id}`, { key: agent.key }), (answer) =>
        expectStatus(answer, 200).body)
    let interrupted = 0
    let begun = 0
    for (const [index, id] of sessions.entries()) {
      yield* until(
        `the end of session ${id}`,
        Effect.map(sessionOf(id), ({ turn }) =>
          turn === undefined),
        60
      )
      const session = yield* sessionOf(id)
      // The call came too late: the hub was killed before it answered.
      if (session.messages.data.length === 0) continue
      begun++
      const [message] = session.messages.data
      assert.strictEqual(message.role, "assistant", `session ${index} of seed ${seed}`)
      const { frames } = yield* mine.events(message.turn_id)
      assert.deepStrictEqual(frames.map(({ data }) => data.seq), frames.map((_, at) => at + 1))
      assert.deepStrictEqual(frames.at(-1)?.data, {
        turn_id: message.turn_id,
        seq: frames.length,
        reason: "end"
      })
      const texts = message.parts.filter(({ type }: { type: string }) => type === "text")
      assert.deepStrictEqual(textsOf(frames), texts.map(({ text }: { text: string }) => text))
      assert.strictEqual(texts.length, rounds + 1)
      const of = (event: string) => frames.filter((frame: ChatFrame) => frame.event === event).map(({ data }) => data)
      assert.strictEqual(of("tool_planned").length, rounds * callsEach)
      assert.deepStrictEqual(
        of("tool_done").map(({ call_id }) => call_id).sort(),
        of("tool_planned").map(({ call_id }) => call_id).sort()
      )
      const turn = expectStatus(yield* checker.api("GET", `/chat/turns/${message.turn_id}`, { key: agent.key }), 200)
        .body
      const executed = turn.steps.filter(({ status }: { status?: string }) => status === "executed")
      interrupted += turn.steps.length - executed.length
      // Every call was paid for once: two cents each, and the model by its tokens.
      const micros = rounds * callsEach * 2_000_000 + rounds * (700_000 + 30 * 4_000) + 900_000 + 10 * 4_000
      assert.strictEqual(turn.usage.accrued_micro_cents, micros)
      assert.strictEqual(session.cost_cents, turn.cost_cents)
    }
    assert.isAbove(begun, 0)
    const bought = new Set(upstream.received.map(({ body }) => body))
    assert.strictEqual(bought.size, begun * rounds * callsEach)
    assert.strictEqual(keys.size, bought.size, "no call was sent under two keys")
    yield* expectHealthy(checker.target)
    log(`${begun} turns over ${killsEach * scale} kills; ${interrupted} model calls were interrupted`)
  }).pipe(Effect.scoped, Effect.runPromise)

export const soak: SoakScenario = {
  name: "kill-chat",
  summary: "hubs killed amid turns of chat: all turns end, each call is made once, and no event is missing",
  run
}
