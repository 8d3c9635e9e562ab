/** Steps of a device's random life as plain data, so that a list of them can be repeated and shortened. */
import type { Outcome, Tool } from "../../support/device-model.ts"
import { random, weighted } from "../../support/steps.ts"

/**
 * Numbers in `pick` select one of the existing objects, modulo their count. `lease` and `seq` are offsets from the
 * correct value.
 */
export type Act =
  | { readonly kind: "queue"; readonly tool: Tool; readonly old: boolean }
  | { readonly kind: "poll"; readonly max: number; readonly old: boolean }
  | {
    readonly kind: "heartbeat"
    /**
     * A reconnect of the same start, a newer start, another installation, an earlier start, or a heartbeat without
     * either id.
     */
    readonly who: "same" | "boot" | "instance" | "before" | "plain" | "instance_alone"
    readonly status: "online" | "draining" | "paused"
    readonly running: "all" | "one" | "wrong" | "none"
    readonly session: "none" | "live" | "old"
    readonly pick: number
  }
  | { readonly kind: "ack"; readonly pick: number; readonly lease: number }
  | {
    readonly kind: "progress"
    readonly pick: number
    readonly lease: number
    readonly state: "awaiting_consent" | "running"
  }
  | {
    readonly kind: "output"
    readonly pick: number
    readonly lease: number
    readonly seq: number
    readonly data: string
  }
  | { readonly kind: "done"; readonly pick: number; readonly lease: number; readonly outcome: Outcome }
  | { readonly kind: "cancel"; readonly pick: number }
  | { readonly kind: "patch"; readonly state: "active" | "draining" | "paused" }
  | { readonly kind: "grant"; readonly granted: ReadonlyArray<Tool> }
  | { readonly kind: "end" }
  | { readonly kind: "revoke" }

export type Step =
  | Act
  /** Both concurrently: the result equals one of the two sequential orders. */
  | { readonly kind: "both"; readonly acts: readonly [Act, Act] }
  /** Two weeks of silence; the end of a command's queue time, offer, lease or cancel; the start of a hub. */
  | { readonly kind: "unseen" }
  | { readonly kind: "time"; readonly what: "queue" | "offer" | "lease" | "cancel"; readonly pick: number }
  | { readonly kind: "start" }

const outcomes: ReadonlyArray<Outcome> = [
  "succeeded",
  "succeeded",
  "failed",
  "denied",
  "timed_out",
  "cancelled",
  "interrupted"
]

export const stepsOf = (seed: number, count: number): ReadonlyArray<Step> => {
  const dice = random(seed)
  const { below, chance, one } = dice
  const pick = () => below(1_000)
  // Usually the correct lease, sometimes an earlier one or one that was never issued.
  const lease = () => chance(0.85) ? 0 : chance(0.6) ? -1 : 1
  const act = (rare: number): Act =>
    weighted<Act>(dice, [
      [16, () => ({ kind: "queue", tool: chance(0.8) ? "shell.run" : "system.info", old: chance(0.03) })],
      [18, () => ({ kind: "poll", max: 1 + below(4), old: chance(0.03) })],
      [12, () => ({
        kind: "heartbeat",
        who: weighted(dice, [
          [10, () => "same" as const],
          [2, () => "boot" as const],
          [1, () => "instance" as const],
          [1, () => "before" as const],
          [1, () => "plain" as const],
          [0.5, () => "instance_alone" as const]
        ]),
        status: one(["online", "online", "online", "online", "draining", "paused"]),
        running: one(["all", "all", "one", "wrong", "none"]),
        session: chance(0.8) ? "none" : chance(0.7) ? "live" : "old",
        pick: pick()
      })],
      [22, () => ({ kind: "ack", pick: pick(), lease: lease() })],
      [
        10,
        () => ({
          kind: "progress",
          pick: pick(),
          lease: lease(),
          state: one(["awaiting_consent", "running", "running"])
        })
      ],
      [
        14,
        () => ({
          kind: "output",
          pick: pick(),
          lease: lease(),
          seq: one([0, 0, 0, -1, -1, 1]),
          data: one(["a", "b", "zażółć"])
        })
      ],
      [14, () => ({ kind: "done", pick: pick(), lease: lease(), outcome: one(outcomes) })],
      [6, () => ({ kind: "cancel", pick: pick() })],
      [3, () => ({ kind: "patch", state: one(["active", "active", "draining", "paused"]) })],
      [
        2,
        () => ({
          kind: "grant",
          granted: one<ReadonlyArray<Tool>>([["shell.run", "system.info"], ["shell.run", "system.info"], [
            "system.info"
          ], []])
        })
      ],
      [0.8, () => ({ kind: "end" })],
      [rare, () => ({ kind: "revoke" })]
    ])
  return Array.from({ length: count }, (_, at) =>
    weighted<Step>(dice, [
      // A revoke is permanent, so it comes near the end of a life.
      [100, () => act(at > count * 0.8 ? 1 : 0)],
      [35, () => ({ kind: "both", acts: [act(at > count * 0.8 ? 2 : 0), act(0)] })],
      [10, () => ({ kind: "time", what: one(["queue", "offer", "offer", "offer", "lease", "cancel"]), pick: pick() })],
      [0.6, () => ({ kind: "unseen" })],
      [1, () => ({ kind: "start" })]
    ]))
}
