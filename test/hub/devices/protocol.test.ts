/**
 * Whatever a device, its copies, operators and time do in whatever order or at once, the hub does as contract 8a says: nothing is
 * started twice, nothing is lost, and what ended stays as it ended. `DEVICE_SEED` runs one life again, `DEVICE_STEPS` more of them.
 */
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { HubTest, TestHub } from "../../support/hub.ts"
import { shrunk } from "../../support/steps.ts"
import { liveBy } from "./protocol-life.ts"
import { type Step, stepsOf } from "./protocol-steps.ts"

/** Of `stepsTotal` each. */
const roundsMax = 4
const seed = Number(process.env["DEVICE_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
const stepsTotal = Number(process.env["DEVICE_STEPS"] ?? 5_000)
const stepsOfOneLife = 150
/** Devices side by side. */
const atOnce = 3

/** What must have happened in some life: a run in which it never did proves nothing. */
const words = [
  "queue 201",
  "queue not_granted",
  "queue session_ended",
  "poll 200",
  "poll session_ended",
  "poll device_revoked",
  "hear 200",
  "hear superseded",
  "hear session_ended",
  "hear device_revoked",
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
    `comes out as the model says, over ${stepsTotal} random steps (seed ${seed})`,
    () =>
      Effect.gen(function*() {
        const hub = yield* TestHub
        const heard = new Map<string, number>()
        const outcome = (steps: ReadonlyArray<Step>) => Effect.exit(liveBy(hub, steps, heard))
        const begun = (from: number) =>
          Array.from({ length: Math.ceil(stepsTotal / stepsOfOneLife) }, (_, life) => from + life)
        const unheard = () => words.filter((word) => !heard.has(word))
        // What is rare may be missed by chance: then more lives are lived.
        for (
          let from = seed, round = 0;
          round === 0 || (stepsTotal >= 5_000 && unheard().length > 0 && round < roundsMax);
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
            const fails = (shorter: ReadonlyArray<Step>) => Effect.map(outcome(shorter), Exit.isFailure)
            const short = yield* shrunk(stepsOf(life, stepsOfOneLife), fails)
            const last = yield* outcome(short)
            const told = Cause.pretty(Exit.isFailure(last) ? last.cause : exit.cause)
            throw new Error(`DEVICE_SEED=${life} DEVICE_STEPS=${stepsOfOneLife}: ${told}\nafter\n${
              short.map((step) => JSON.stringify(step)).join("\n")
            }`)
          }
        }
        assert.deepStrictEqual(stepsTotal < 5_000 ? [] : unheard(), [])
      }),
    300_000
  )
})
