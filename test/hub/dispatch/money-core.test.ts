/**
 * Whatever happens in whatever order, the money core comes out as plain sequential code would. `MONEY_SEED` runs one seed again,
 * `MONEY_STEPS` more of them.
 */
import { AuditRepository } from "@countersign/hub/audit/repository"
import { AuditTrail } from "@countersign/hub/audit/trail"
import { Doctor } from "@countersign/hub/ledger/doctor"
import { DoctorRepository } from "@countersign/hub/ledger/doctor-repository"
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { PgTest } from "../../support/pg.ts"
import { shrunk } from "../../support/steps.ts"
import { makeTicker } from "../../support/ticker.ts"
import { runSteps } from "./money-scenario.ts"
import { type Step, stepsOf } from "./money-steps.ts"

const Live = Doctor.layer.pipe(
  Layer.provide(Layer.mergeAll(DoctorRepository.layer, AuditTrail.layer.pipe(Layer.provide(AuditRepository.layer)))),
  Layer.provideMerge(PgTest)
)

const seed = Number(process.env["MONEY_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
const stepsTotal = Number(process.env["MONEY_STEPS"] ?? 10_000)
const stepsOfOneLife = 1_000

const words = [
  "admitted",
  "waits",
  "failed",
  "known",
  "conflict",
  "not_pending",
  "stale",
  "done",
  "settled",
  "blocked policy_violation",
  "blocked approval_stale",
  "blocked insufficient_balance",
  "blocked agent_budget_exceeded",
  "blocked monthly_budget_exceeded",
  "blocked daily_limit_exceeded"
]

layer(Live, { excludeTestServices: true, timeout: "2 minutes" })("the money core", (it) => {
  it.effect(
    `comes out as the model says, over ${stepsTotal} random steps (seed ${seed})`,
    () =>
      Effect.gen(function*() {
        const heard = new Map<string, number>()
        const outcome = (steps: ReadonlyArray<Step>) =>
          Effect.scoped(Effect.flatMap(makeTicker, (ticked) => runSteps(ticked, steps, { doctorEvery: 60, heard })))
        for (let life = 0; life * stepsOfOneLife < stepsTotal; life++) {
          const steps = stepsOf(seed + life, stepsOfOneLife)
          const exit = yield* Effect.exit(outcome(steps))
          if (Exit.isSuccess(exit)) continue
          const fails = (shorter: ReadonlyArray<Step>) => Effect.map(Effect.exit(outcome(shorter)), Exit.isFailure)
          const short = yield* shrunk(steps, fails)
          const last = yield* Effect.exit(outcome(short))
          const told = Cause.pretty(Exit.isFailure(last) ? last.cause : exit.cause)
          const list = short.map((step) => JSON.stringify(step)).join("\n")
          throw new Error(`MONEY_SEED=${seed + life} MONEY_STEPS=${stepsOfOneLife}: ${told}\nafter\n${list}`)
        }
        // Every word that the core has was heard.
        const unheard = words.filter((word) => !heard.has(word))
        assert.deepStrictEqual(unheard, stepsTotal < 10_000 ? unheard : [])
      }),
    120_000
  )
})
