/** Concurrent calls on a budget that covers few of them, and the same with a kill of the hub in between. */
import { singleConnection } from "@countersign/hub/platform/db"
import { Effect, Exit } from "effect"
import { makeAgent, topUp } from "../../support/hub.ts"
import { type BenchDatabase, type BenchHub, chat, database, makeWorkspace, startBare, startHub } from "../stage.ts"

export const racers = 200
export const fitting = 20
/** The exact cost of one call, and its ceiling. */
const costCents = 5

/**
 * At the price of an unknown model, 1,250 tokens of output cost 5 cents; max_tokens is 1,200, whose ceiling rounds up
 * to 5.
 */
const request = { service: "llm", operation: "chat", payload: { ...chat, model: "bench", max_tokens: 1_200 } }
const completion = {
  id: "chatcmpl-1",
  model: "bench",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 0, completion_tokens: 1_250 }
}

/** Sends all calls at once; `first` runs at each answer. A call that the end of the hub cut has no status. */
const race = ({ api }: BenchHub, key: string, first: Effect.Effect<void> = Effect.void) =>
  Effect.forEach(
    Array.from({ length: racers }, (_, at) => at),
    () =>
      Effect.map(
        Effect.exit(Effect.tap(api("POST", "/service-requests", { key, body: request }), () => first)),
        (exit) => Exit.isSuccess(exit) ? exit.value.body?.status as string | undefined : undefined
      ),
    { concurrency: "unbounded" }
  )

/** Executed requests of an agent and their cents, once no hold is open. */
const settled = Effect.fnUntraced(function*(target: BenchDatabase, agent: string) {
  const sql = yield* singleConnection(target, "bench")
  for (;;) {
    const [open] = yield* sql<{ count: number }>`select count(*) count from holds where agent_id = ${agent}`
    if (open?.count === 0) break
    yield* Effect.sleep("500 millis")
  }
  const [row] = yield* sql<
    { count: number; cents: number }
  >`select count(*) count, coalesce(sum(cost_cents), 0)::int8 cents
    from settlements where agent_id = ${agent} and status = 'executed'`
  return row ?? { count: 0, cents: 0 }
}, Effect.scoped)

/**
 * How many of the concurrent calls are executed: on one hub, and on one that is killed by `kill -9` at its first answer
 * and started again.
 */
export const budgetRace = Effect.gen(function*() {
  const target = yield* database
  const models = yield* startBare({ headers: { "content-type": "application/json" }, body: JSON.stringify(completion) })
  const env = { HUB_LLM_BASE_URL: `http://127.0.0.1:${models.port}/v1` }
  const hub = yield* startHub(target, { env })
  const { cookie } = yield* makeWorkspace(hub)
  yield* topUp(hub, { cookie }, racers * costCents)
  const agent = (name: string) =>
    makeAgent(hub, { cookie }, {
      name,
      bindings: [{ service: "llm", operations: ["chat"], monthly_cap_cents: fitting * costCents }]
    })
  const [calm, killed] = [yield* agent("Calm"), yield* agent("Killed")]
  const statuses = yield* race(hub, calm.key)
  const refused = statuses.filter((status) => status === "blocked").length
  const whole = yield* settled(target, calm.id)

  yield* race(hub, killed.key, hub.kill("SIGKILL"))
  const again = yield* startHub(target, { env })
  // Requests that the killed hub left open are settled before the second race.
  yield* settled(target, killed.id)
  yield* race(again, killed.key)
  const after = yield* settled(target, killed.id)
  return { whole, refused, after }
}).pipe(Effect.scoped)
