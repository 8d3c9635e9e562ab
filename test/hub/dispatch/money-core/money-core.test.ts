/**
 * The money core gives the same result as plain sequential code, for random steps in random order. `MONEY_SEED` runs
 * one seed again, `MONEY_STEPS` more steps.
 */
import { AuditRepository } from "@countersign/hub/audit/repository"
import { AuditTrail } from "@countersign/hub/audit/trail"
import { Doctor } from "@countersign/hub/ledger/doctor"
import { DoctorRepository } from "@countersign/hub/ledger/doctor-repository"
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { PgTest } from "../../../support/pg.ts"
import { shrunk } from "../../../support/steps.ts"
import { makeTicker } from "../../../support/ticker.ts"
import { runSteps } from "./money-scenario.ts"
import { type Step, stepsOf } from "./money-steps.ts"

const Live = Doctor.layer.pipe(
  Layer.provide(Layer.mergeAll(DoctorRepository.layer, AuditTrail.layer.pipe(Layer.provide(AuditRepository.layer)))),
  Layer.provideMerge(PgTest)
)

const seed = Number(process.env["MONEY_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
const stepsTotal = Number(process.env["MONEY_STEPS"] ?? 10_000)
const stepsPerRun = 1_000

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

/** Both statements of the short path decide entries, and leave entries to the batch. */
const shortCalls = ["begin_one decided", "begin_one left", "settle_one decided", "settle_one left"]

layer(Live, { excludeTestServices: true })("the money core", (it) => {
  it.effect(
    `matches the model over ${stepsTotal} random steps (seed ${seed})`,
    () =>
      Effect.gen(function*() {
        const seen = new Map<string, number>()
        const outcome = (steps: ReadonlyArray<Step>) =>
          Effect.scoped(
            Effect.gen(function*() {
              const ticked = yield* makeTicker
              yield* runSteps(ticked, steps, { doctorEvery: 90, seen })
              for (const [name, count] of ticked.shortCalls) seen.set(name, (seen.get(name) ?? 0) + count)
            })
          )
        for (let index = 0; index * stepsPerRun < stepsTotal; index++) {
          const steps = stepsOf(seed + index, stepsPerRun)
          const exit = yield* Effect.exit(outcome(steps))
          if (Exit.isSuccess(exit)) continue
          const fails = (shorter: ReadonlyArray<Step>) => Effect.map(Effect.exit(outcome(shorter)), Exit.isFailure)
          const short = yield* shrunk(steps, fails)
          const last = yield* Effect.exit(outcome(short))
          const failure = Cause.pretty(Exit.isFailure(last) ? last.cause : exit.cause)
          const list = short.map((step) => JSON.stringify(step)).join("\n")
          throw new Error(`MONEY_SEED=${seed + index} MONEY_STEPS=${stepsPerRun}: ${failure}\nafter\n${list}`)
        }
        // Every possible outcome occurred.
        const missing = [...words, ...shortCalls].filter((word) => !seen.has(word))
        assert.deepStrictEqual(missing, stepsTotal < 10_000 ? missing : [])
      })
  )
})
