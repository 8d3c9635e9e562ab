/**
 * Random acts on the money of one workspace, at the same moment on two hubs: agents that spawn, end, and delegate, money
 * that moves between wallets, caps that change, payments and refunds, months that turn, and a hub that is killed. After
 * each batch the books agree at every node of the tree.
 */
import { assert } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { stripeCheckout } from "../support/checkout.ts"
import { type HubProgram, quickRecovery, spawnHub } from "../support/hub-program.ts"
import { startHub } from "../support/hub.ts"
import { makeMoneyTree } from "../support/money-tree.ts"
import { chanceOf } from "../support/random.ts"
import type { SoakOptions, SoakScenario } from "./scenario.ts"

const batches = 6
const actsPerBatch = 20
/** Acts of which some must have passed: in the short form, and in addition in a longer one. */
const always = ["spawn", "pool", "transfer", "cap", "freeze", "top-up", "promo", "checkout", "refund", "dispatch"]
const often = [
  "end",
  "delegate",
  "task",
  "task dispatch",
  "allocate",
  "ask",
  "approved",
  "settle",
  "approve",
  "end allocation"
]

const run = ({ log, scale, seed }: SoakOptions) =>
  Effect.gen(function*() {
    const chance = chanceOf(seed)
    const stripe = yield* stripeCheckout
    const env = { ...stripe.env, ...quickRecovery, HUB_EGRESS_ALLOW: "127.0.0.1" }
    const first = yield* startHub({ env })
    const start = Effect.gen(function*() {
      const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      return yield* Scope.provide(spawnHub({ database: first.target, env }), scope)
    })
    let second: HubProgram = yield* start
    const tree = yield* makeMoneyTree({ first, second: () => second.api, stripe, chance })
    tree.deliverTo(() => second.url)
    for (let batch = 0; batch < batches * scale; batch++) {
      yield* tree.thaw
      // Every act once in two batches, in random order, and others by chance.
      const planned = tree.names.filter((_, at) => at % 2 === batch % 2)
      while (planned.length < actsPerBatch) {
        planned.push(chance.one([...tree.names, "spawn", "dispatch", "taskDispatch"]))
      }
      const acts: Array<Effect.Effect<void>> = []
      while (planned.length > 0) acts.push(tree.act(planned.splice(chance.int(planned.length), 1)[0]!))
      const at = batch % batches
      const killed = at === 3
      if (at === 1 || at === 4) acts.splice(chance.int(acts.length), 0, tree.monthTurns)
      if (killed) acts.splice(8 + chance.int(8), 0, second.kill("SIGKILL"))
      yield* Effect.all(acts, { concurrency: 8, discard: true })
      if (killed) {
        yield* second.ended
        second = yield* start
      }
      yield* tree.examine
    }
    log([...tree.seen].map(([name, count]) => `${name} ${count}`).join(", "))
    for (const name of scale > 2 ? [...always, ...often] : always) assert.isAtLeast(tree.seen.get(name) ?? 0, 1, name)
  }).pipe(Effect.scoped, Effect.runPromise)

export const soak: SoakScenario = {
  name: "money-tree",
  summary: "random acts on families, tasks, teams, payments, and requests on two hubs; the books agree at every node",
  run
}
