/**
 * The hub follows the device protocol for any order and any concurrency of a device, its copies, operators, and time:
 * no command starts twice, none is lost, and an ended command does not change. `DEVICE_SEED` runs one life again,
 * `DEVICE_STEPS` sets the number of steps.
 */
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { HubTest, TestHub } from "../../support/hub.ts"
import { shrunk } from "../../support/steps.ts"
import { liveBy } from "./protocol-life.ts"
import { type Step, stepsOf } from "./protocol-steps.ts"

/** Rounds of `stepsTotal` steps each: as many as it takes until each answer was received. */
const roundsMax = 14
const seed = Number(process.env["DEVICE_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
/** With a number of steps that is given, rare answers may be missing. */
const isWhole = process.env["DEVICE_STEPS"] === undefined
const stepsTotal = Number(process.env["DEVICE_STEPS"] ?? 1_500)
const stepsOfOneLife = 150
/** Concurrent devices. */
const atOnce = 3

/** Answers that at least one life must have: a run without one of them tests too little. */
const words = [
  "queue 201",
  "queue not_granted",
  "queue session_ended",
  "poll 200",
  "poll session_ended",
  "poll device_revoked",
  "heartbeat 200",
  "heartbeat superseded",
  "heartbeat session_ended",
  "heartbeat device_revoked",
  "ack 200",
  "ack lease_lost",
  "progress 200",
  "progress lease_lost",
  "progress already_running",
  "output 200",
  "output seq_gap",
  "output seq_conflict",
  "output lease_lost",
  "done 200",
  "done lease_lost",
  "done device_revoked",
  "cancel 200",
  "patch 200",
  "patch nothing_granted",
  "patch paused_by_device",
  "patch device_revoked",
  "end 200",
  "revoke 204",
  "time queue",
  "time offer",
  "time lease",
  "time cancel"
]

layer(HubTest(), { excludeTestServices: true, timeout: "5 minutes" })("the protocol of devices", (it) => {
  it.effect(
    `matches the model over ${stepsTotal} random steps (seed ${seed})`,
    () =>
      Effect.gen(function*() {
        const hub = yield* TestHub
        const answered = new Map<string, number>()
        const outcome = (steps: ReadonlyArray<Step>) => Effect.exit(liveBy(hub, steps, answered))
        const begun = (from: number) =>
          Array.from({ length: Math.ceil(stepsTotal / stepsOfOneLife) }, (_, life) => from + life)
        const missing = () => words.filter((word) => !answered.has(word))
        // Rare answers may be missed by chance: then more lives run.
        for (
          let from = seed, round = 0;
          round === 0 || (isWhole && missing().length > 0 && round < roundsMax);
          round++
        ) {
          const lives = begun(from)
          from += lives.length
          const failed = yield* Effect.forEach(lives, (life) =>
            Effect.map(outcome(stepsOf(life, stepsOfOneLife)), (exit) => ({ life, exit })), { concurrency: atOnce })
          for (const { exit, life } of failed) {
            if (Exit.isSuccess(exit)) {
              continue
            }
            const fails = (shorter: ReadonlyArray<Step>) =>
              Effect.map(outcome(shorter), Exit.isFailure)
            const short = yield* shrunk(stepsOf(life, stepsOfOneLife), fails)
            const last = yield* outcome(short)
            const failure = Cause.pretty(Exit.isFailure(last) ? last.cause : exit.cause)
            throw new Error(
              `DEVICE_SEED=${life} DEVICE_STEPS=${stepsOfOneLife}: ${failure}\nafter\n${
                short.map((step) => JSON.stringify(step)).join("\n")
              }`
            )
          }
        }
        assert.deepStrictEqual(isWhole ? missing() : [], [])
      }),
    300_000
  )
})
