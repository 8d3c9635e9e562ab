/** Random steps as plain data, so that a list of them can be run again and shortened. */
import type { Begin } from "@countersign/hub/dispatch/money-core/entries"
import { random } from "../../../support/steps.ts"

/** An entry that is sent alone, by the short path if possible, or as a batch of one. */
export interface Alone {
  readonly alone?: "short" | "batch"
}

/** Numbers in `pick` choose among the existing objects, modulo their number. */
export type Step =
  | Alone & {
    readonly kind: "begin"
    readonly org: number
    readonly agent: number
    readonly operation: number
    readonly test: boolean
    readonly ceiling: number
    readonly verdict: Begin["verdict"]
    readonly key: number | null
    readonly hash: number
    readonly stale: boolean
    readonly standing: number | null
    readonly twice: boolean
  }
  | Alone & {
    readonly kind: "settle"
    readonly org: number
    readonly pick: number
    readonly status: "executed" | "failed" | "blocked"
    readonly cents: number
    readonly micro: number
  }
  | { readonly kind: "park"; readonly org: number; readonly pick: number }
  /** A second answer for a settled request. */
  | Alone & { readonly kind: "late"; readonly org: number; readonly pick: number }
  | {
    readonly kind: "grant"
    readonly org: number
    readonly pick: number
    readonly cheaper: boolean
    readonly verdict: "admit" | "blocked" | "failed"
  }
  | {
    readonly kind: "close"
    readonly org: number
    readonly pick: number
    readonly status: "rejected" | "expired" | "cancelled"
  }
  | { readonly kind: "top_up"; readonly org: number; readonly cents: number }
  | { readonly kind: "cap"; readonly org: number; readonly pick: number; readonly cap: number | null }
  | {
    readonly kind: "standing"
    readonly org: number
    readonly agent: number
    readonly test: boolean
    readonly total: number | null
    readonly uses: number | null
    readonly minutes: number
  }
  | { readonly kind: "configure"; readonly org: number; readonly agent: number }
  | { readonly kind: "clock"; readonly org: number; readonly millis: number }
  /** The hub dies: another hub claims its holds. */
  | { readonly kind: "crash" }
  | { readonly kind: "fault"; readonly fault: "lost_reply" | "cut" }
  | { readonly kind: "send" }

/** `alone`: the share of begins and settles that are sent alone. */
export const stepsOf = (seed: number, count: number, alone = 0.12): ReadonlyArray<Step> => {
  const { below, chance, one } = random(seed)
  const org = () => below(2)
  const sent = (): Alone => (chance(alone) ? { alone: one(["short", "short", "batch"]) } : {})
  const weighted: ReadonlyArray<readonly [number, () => Step]> = [
    [
      40,
      () => ({
        kind: "begin",
        ...sent(),
        org: org(),
        agent: below(2),
        operation: below(2),
        test: chance(0.2),
        ceiling: chance(0.1) ? 0 : below(30),
        verdict: one(["admit", "admit", "admit", "admit", "admit", "admit", "wait", "blocked", "failed"]),
        key: chance(0.3) ? below(12) : null,
        hash: below(6) === 0 ? 1 : 0,
        stale: chance(0.03),
        standing: chance(0.2) ? below(8) : null,
        twice: chance(0.05)
      })
    ],
    [
      30,
      () => ({
        kind: "settle",
        ...sent(),
        org: org(),
        pick: below(1000),
        status: one(["executed", "executed", "executed", "failed", "blocked"]),
        cents: chance(0.4) ? 0 : below(34),
        micro: chance(0.6) ? (chance(0.5) ? 900_000 : 0) + below(100_000) : 0
      })
    ],
    [4, () => ({ kind: "park", org: org(), pick: below(1000) })],
    [3, () => ({ kind: "late", ...sent(), org: org(), pick: below(1000) })],
    [
      8,
      () => ({
        kind: "grant",
        org: org(),
        pick: below(1000),
        cheaper: chance(0.3),
        verdict: one(["admit", "admit", "admit", "admit", "blocked", "failed"])
      })
    ],
    [3, () => ({ kind: "close", org: org(), pick: below(1000), status: one(["rejected", "expired", "cancelled"]) })],
    [1.5, () => ({ kind: "top_up", org: org(), cents: 1 + below(90) })],
    [1.5, () => ({ kind: "cap", org: org(), pick: below(1000), cap: chance(0.2) ? null : below(150) })],
    [
      0.6,
      () => ({
        kind: "standing",
        org: org(),
        agent: below(2),
        test: chance(0.2),
        total: chance(0.5) ? below(80) : null,
        uses: chance(0.7) ? 1 + below(4) : null,
        minutes: 1 + below(90)
      })
    ],
    [0.6, () => ({ kind: "configure", org: org(), agent: below(2) })],
    [
      1.5,
      () => ({
        kind: "clock",
        org: org(),
        millis: one([1, 60_000, 3_600_000, 86_400_000, 5 * 86_400_000, 31 * 86_400_000])
      })
    ],
    [0.5, () => ({ kind: "crash" })],
    [0.8, () => ({ kind: "fault", fault: one(["lost_reply", "cut"]) })],
    [8, () => ({ kind: "send" })]
  ]
  const total = weighted.reduce((sum, [weight]) => sum + weight, 0)
  return Array.from({ length: count }, () => {
    let left = (below(1_000_000) / 1_000_000) * total
    for (const [weight, make] of weighted) if ((left -= weight) < 0) return make()
    return { kind: "send" } as const
  })
}
