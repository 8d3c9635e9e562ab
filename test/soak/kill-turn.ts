/**
 * A hub that is killed before each write of a turn, and after it: the turn is continued by another hub, every call of the
 * model and of a tool is made once and charged once, the events have no gap, and no word is doubled or lost.
 */
import { assert } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { type ChatFrame, chatOf, textsOf } from "../support/chat.ts"
import { expectHealthy, until } from "../support/health.ts"
import { quickRecovery, spawnHub } from "../support/hub-program.ts"
import { expectStatus, firstOwner, makeAgent, makeService, masterKey, startHub, topUp } from "../support/hub.ts"
import { chanceOf } from "../support/random.ts"
import { httpUpstream } from "../support/upstream.ts"
import { writeProxy } from "../support/write-proxy.ts"
import type { SoakOptions, SoakScenario } from "./scenario.ts"

/** At this scale the hub is killed at every write; below, at a part of them, and once at least. */
const scaleOfAll = 40
const price = 2
/** Micro-cents of both answers of the model. */
const modelMicros = 700 * 1_000 + 30 * 4_000 + 900 * 1_000 + 10 * 4_000

interface Act {
  /** The calls of the first answer. */
  readonly calls: ReadonlyArray<"shop.buy" | "shop.order" | "desk.ask">
  readonly texts: readonly [string, string]
}

/** `buy` may be sent again with the same key, `order` and `ask` may not, and a person decides `ask`. */
const acts: Readonly<Record<string, Act>> = {
  "two calls": { calls: ["shop.buy", "shop.order"], texts: ["Zażółć gęślą 🦆 jaźń.", "That is all."] },
  "a decision": { calls: ["desk.ask"], texts: ["A person decides.", "Decided."] }
}

const scriptOf = ({ calls, texts }: Act, name: string): string =>
  [
    "#script",
    "think Let me see.",
    `say ${texts[0]}`,
    "usage 700 30 0",
    ...calls.map((call) => `call ${call} ${JSON.stringify({ what: `${name} ${call}` })}`),
    "---",
    "usage 900 10 0",
    `say ${texts[1]}`
  ].join("\n")

const operation = (name: string, more: object = {}) => ({
  name,
  method: "POST",
  path: `/${name}`,
  price: { type: "fixed", cents: price },
  payload_schema: { type: "object", additionalProperties: true },
  ...more
})

const run = ({ log, scale, seed }: SoakOptions) =>
  Effect.gen(function*() {
    const chance = chanceOf(seed)
    const upstream = yield* httpUpstream((request, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ work: request.body }))
    )
    const env = { HUB_EGRESS_ALLOW: "127.0.0.1", ...quickRecovery }
    const checker = yield* startHub({ env })
    const owner = yield* firstOwner(checker)
    const as = { cookie: owner.cookie }
    yield* topUp(checker, owner, 100_000)
    const declared = { kind: "http", base_url: upstream.origin }
    yield* makeService(checker, owner, {
      ...declared,
      name: "shop",
      operations: [operation("buy", { idempotent: true }), operation("order")]
    })
    yield* makeService(checker, owner, { ...declared, name: "desk", operations: [operation("ask")] })
    const proxy = yield* writeProxy(checker.target)
    const start = Effect.gen(function*() {
      const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      return yield* Scope.provide(
        spawnHub({ env: { ...env, DATABASE_URL: proxy.url, HUB_MASTER_KEY: masterKey } }),
        scope
      )
    })
    const stateOf = (turn: string) =>
      Effect.map(checker.api("GET", `/chat/turns/${turn}`, as), (answer) => expectStatus(answer, 200).body)
    const of = (frames: ReadonlyArray<ChatFrame>, event: string) =>
      frames.filter((frame) => frame.event === event).map(({ data }) => data)
    let made = 0

    /** A turn with a separate agent and session, ready to begin at any hub. */
    const prepare = Effect.fnUntraced(function*(act: Act) {
      const name = `turn ${++made}`
      const agent = yield* makeAgent(checker, owner, {
        bindings: [
          { service: "llm", operations: ["*"], approval_threshold_cents: 100_000 },
          { service: "shop", operations: ["*"] },
          { service: "desk", operations: ["*"], approval_threshold_cents: 0 }
        ]
      })
      const { id } = yield* chatOf(checker, as).session({ agent_id: agent.id, model: "offline/echo-priced" })
      const body = { session_id: id, message: scriptOf(act, name), background: true }
      /** To the end of its stream; the same key attaches to the same turn. */
      const begin = (hub: Pick<typeof checker, "url" | "api">) =>
        chatOf(hub, as).turn(body, { headers: { "idempotency-key": name } })
      const decide = (hub: Pick<typeof checker, "api">, approval: string) =>
        hub.api("POST", `/chat/approvals/${approval}`, { ...as, body: { decision: "approve" } })
      return { act, agent: agent.id, begin, decide, name, session: id as string }
    })
    type Prepared = Effect.Success<ReturnType<typeof prepare>>

    /** Carries a turn on at the hub that lives until it has ended; returns all its events. */
    const carryOn = Effect.fnUntraced(function*({ begin, decide }: Prepared) {
      const { frames } = yield* begin(checker)
      const turn = frames[0]?.data.turn_id as string
      for (const { approval_id } of of(frames, "tool_pending")) {
        const { status } = yield* decide(checker, approval_id)
        assert.include([200, 409], status)
      }
      yield* until("the end of the turn", Effect.map(stateOf(turn), ({ state }) => state === "done"), 120)
      return { turn, frames: (yield* chatOf(checker, as).events(turn)).frames }
    })

    const verify = Effect.fnUntraced(function*(prepared: Prepared, about: string) {
      const { act: { calls, texts }, agent, name, session } = prepared
      const { frames, turn } = yield* carryOn(prepared)
      // The end of the stream that waited for a decision is left out of a replay.
      const seqs = frames.map(({ data }) => data.seq as number)
      const gaps = seqs.filter((seq, at) => seq !== (seqs[at - 1] ?? 0) + 1).length
      assert.isAtMost(gaps, calls.includes("desk.ask") ? 1 : 0, about)
      assert.deepStrictEqual(seqs, seqs.toSorted((one, other) => one - other), about)
      assert.strictEqual(frames.at(-1)?.data.reason, "end", about)
      assert.deepStrictEqual(textsOf(frames).filter((text) => text !== ""), [...texts], about)
      const stored = expectStatus(yield* checker.api("GET", `/chat/sessions/${session}`, as), 200).body
      const [message, ...others] = stored.messages.data
      assert.strictEqual(others.length, 1, about)
      const parts = message.parts.filter(({ type }: { type: string }) => type === "text")
      assert.deepStrictEqual(parts.map(({ text }: { text: string }) => text), [...texts], about)

      const [planned, done] = [of(frames, "tool_planned"), of(frames, "tool_done")]
      assert.deepStrictEqual(planned.map(({ operation, service }) => `${service}.${operation}`), [...calls], about)
      assert.deepStrictEqual(
        done.map(({ call_id }) => call_id).toSorted(),
        planned.map(({ call_id }) => call_id).toSorted(),
        about
      )
      let executed = 0
      for (const { call_id, operation, service } of planned) {
        const call = `${service}.${operation}`
        const { cost_cents, status } = done.find((each) => each.call_id === call_id)
        const sent = upstream.received.filter(({ body }) => body.includes(`${name} ${call}"`))
        const keys = new Set(sent.map(({ headers }) => headers["idempotency-key"]))
        if (status === "executed") executed++
        assert.strictEqual(cost_cents, status === "executed" ? price : 0, about)
        if (call === "shop.buy") assert.deepStrictEqual([status, keys.size], ["executed", 1], about)
        else assert.isTrue(status === "executed" ? sent.length === 1 : sent.length <= 1, `${about}: ${call}`)
      }
      const { data: requests } = expectStatus(
        yield* checker.api("GET", `/service-requests?agent_id=${agent}`, as),
        200
      ).body
      const models = requests.filter(({ service }: { service: string }) => service === "llm")
      assert.strictEqual(requests.length - models.length, calls.length, about)
      assert.strictEqual(models.filter(({ status }: { status: string }) => status === "executed").length, 2, about)
      const micros = modelMicros + executed * price * 1_000_000
      const cents = Math.floor(micros / 1_000_000)
      const { cost_cents, usage } = yield* stateOf(turn)
      assert.deepStrictEqual([usage.accrued_micro_cents, cost_cents, stored.cost_cents], [micros, cents, cents], about)
      const budget = expectStatus(yield* checker.api("GET", `/agents/${agent}/budget`, as), 200).body
      assert.strictEqual(budget.spent_cents, cents, about)
    })

    /** Begins a turn at a hub behind the proxy, decides its approvals there, and waits for its end or the hub's. */
    const drive = (hub: Effect.Success<typeof start>, { begin, decide }: Prepared) =>
      Effect.gen(function*() {
        const { frames } = yield* begin(hub)
        for (const { approval_id } of of(frames, "tool_pending")) yield* decide(hub, approval_id)
        const turn = frames[0]?.data.turn_id as string
        yield* until("the end of the turn", Effect.map(stateOf(turn), ({ state }) => state === "done"), 120)
      }).pipe(Effect.exit, Effect.raceFirst(hub.ended))

    let hub = yield* start
    for (const [title, act] of Object.entries(acts)) {
      const whole = yield* prepare(act)
      proxy.arm({ subject: whole.session, at: Number.POSITIVE_INFINITY, lost: "write", reached: () => {} })
      yield* drive(hub, whole)
      const writes = proxy.disarm()
      yield* verify(whole, title)
      assert.isAtLeast(writes, 10, title)
      const places = Array.from({ length: writes * 2 }, (_, at) => at)
      while (places.length > Math.max(1, Math.floor(writes * 2 * scale / scaleOfAll))) {
        places.splice(chance.int(places.length), 1)
      }
      const killed: Array<string> = []
      for (const place of places) {
        const at = Math.floor(place / 2) + 1
        const lost = place % 2 === 0 ? "write" : "reply"
        const about = `${title}, ${lost} ${at} of ${writes}`
        const turn = yield* prepare(act)
        proxy.arm({
          subject: turn.session,
          at,
          lost,
          reached: () => {
            killed.push(`${lost} ${at}`)
            process.kill(hub.pid, "SIGKILL")
          }
        })
        const before = killed.length
        yield* drive(hub, turn)
        proxy.disarm()
        // Streamed text may take fewer writes than in the first turn.
        if (killed.length === before) yield* verify(turn, about)
        else {
          yield* hub.ended
          const next = yield* Effect.forkChild(start)
          yield* verify(turn, about)
          hub = yield* Fiber.join(next)
        }
      }
      assert.isAbove(killed.length, 0, title)
      log(`${title}: ${writes} writes, killed at ${killed.join(", ")}`)
    }
    yield* expectHealthy(checker.target)
  }).pipe(Effect.scoped, Effect.runPromise)

export const soak: SoakScenario = {
  name: "kill-turn",
  summary: "a hub killed at each write of a turn of chat: another hub continues it, and each call is made once",
  run
}
