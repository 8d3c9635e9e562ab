/**
 * The database's clock jumps while agents spend: no cap is exceeded twice, nothing expires because of a jump, and the
 * hub serves again.
 */
import { Effect } from "effect"
import { expectHealthy, until } from "../support/health.ts"
import { expectStatus, firstOwner, makeAgent, startHub, topUp } from "../support/hub.ts"
import { chanceOf } from "../support/random.ts"
import { shiftedClock } from "../support/shifted-clock.ts"
import type { SoakScenario } from "./scenario.ts"

const minute = 60_000
const day = 1_440 * minute
const cap = 30
const callers = 4

/** Jumps in milliseconds: within a step, beyond it, by months and years, and back. */
const jumps = [2 * minute, -2 * minute, 6 * minute, -60 * minute, 35 * day, -35 * day, 730 * day]

export const soak: SoakScenario = {
  name: "clock-jumps",
  summary:
    "the database clock jumps by minutes to years while agents spend: caps hold, nothing expires, and the hub serves again",
  run: ({ log, scale, seed }) =>
    Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      const { int } = chanceOf(seed)
      const fail = (message: string) => Effect.die(new Error(message))
      const clock = yield* shiftedClock
      // Two hubs: if one accepted a wrong clock, the other would serve too.
      const start = startHub({ database: clock.database, env: { HUB_CLOCK_STEADY_SECONDS: "3600" } })
      const hub = yield* start
      const hubs = [hub, yield* start]
      const owner = yield* firstOwner(hub)
      const as = { cookie: owner.cookie }
      yield* topUp(hub, owner, 1_000_000)
      const waiting = yield* makeAgent(hub, owner, {
        bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
      })
      const send = (key: string, at: number) =>
        hubs[at % hubs.length]!.api("POST", "/service-requests", {
          key,
          body: { service: "echo", operation: "say", payload: {} }
        })
      const approvals: Array<string> = []
      let declined = 0

      for (let round = 1; round <= 3 * scale; round++) {
        const agent = yield* makeAgent(hub, owner, { monthly_budget_cents: cap })
        yield* until(
          "an approval is filed",
          Effect.map(
            send(waiting.key, round),
            ({ body, status }) => status === 200 && approvals.push(body.approval_id) > 0
          )
        )
        let executed = 0
        let running = true
        const spend = (caller: number) =>
          Effect.gen(function*() {
            while (running) {
              const { body, status } = yield* send(agent.key, caller)
              if (status === 503) declined++
              else if (status !== 200) return yield* fail(`round ${round}: a request was answered ${status}`)
              else if (body.status === "executed") executed++
              else if (body.status !== "blocked") return yield* fail(`round ${round}: a request is ${body.status}`)
              yield* Effect.sleep("5 millis")
            }
          })
        const jump = jumps[(round + int(jumps.length)) % jumps.length]!
        const change = Effect.gen(function*() {
          const seen = declined
          const isStep = Math.abs(jump) <= 5 * minute
          yield* (isStep ? clock.shiftMachine(jump) : clock.shift(jump))
          // The hub keeps serving after a step of the clock, and declines requests after a jump.
          if (isStep) {
            yield* until("the step is served", Effect.map(send(waiting.key, round), ({ status }) => status === 200))
          } else yield* until("requests are declined", Effect.sync(() => declined > seen + 2))
          yield* (isStep ? clock.shiftMachine(0) : clock.shift(0))
          yield* until(
            "both hubs serve again",
            Effect.map(
              Effect.all([send(waiting.key, 0), send(waiting.key, 1)], { concurrency: 2 }),
              (answers) => answers.every(({ status }) => status === 200)
            )
          )
          yield* until("the cap is used", Effect.sync(() => executed >= cap))
          running = false
        })
        yield* Effect.all([change, ...Array.from({ length: callers }, (_, caller) => spend(caller))], {
          concurrency: "unbounded",
          discard: true
        })
        if (executed !== cap) {
          return yield* fail(`round ${round}, jump ${jump} ms: ${executed} executed under a cap of ${cap}`)
        }
      }
      for (const id of approvals) {
        const { body } = expectStatus(yield* hub.api("GET", `/approvals/${id}`, as), 200)
        if (body.status !== "pending") return yield* fail(`approval ${id} is ${body.status}`)
      }
      const ready = yield* hub.api("GET", "/ready")
      if (ready.status !== 200) return yield* fail(`not ready: ${ready.text}`)
      yield* expectHealthy(hub.target)
      log(
        `${3 * scale} jumps, ${
          3 * scale * cap
        } requests executed, ${declined} declined, ${approvals.length} approvals pending`
      )
    })))
}
