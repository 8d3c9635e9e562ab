/**
 * Forecasts the effect of a batch of approvals on the limits, before it is sent. Pure. Spec: reference/approvals.md
 * "Batches".
 */
import type { Approval } from "./approvals.ts"

/** The limits in the order of the hub's checks, named as in `block.limit`. */
export type BatchLimit = "operation_day_count" | "operation_month" | "agent_month" | "wallet"

export interface BatchBlock {
  readonly limit: BatchLimit
  /** The rest of the limit at the request's turn: cents, or requests for `operation_day_count`. */
  readonly left: number
}

export type BatchForecast =
  /** The request fits every limit. */
  | { readonly kind: "fits" }
  /** The request needs another person's approval first, and uses no limit yet. */
  | { readonly kind: "needs_more" }
  | { readonly kind: "blocked"; readonly block: BatchBlock }

type Item = Pick<
  Approval,
  | "agent"
  | "cost_cents"
  | "decisions"
  | "id"
  | "kind"
  | "limits"
  | "mode"
  | "operation"
  | "org_id"
  | "required_approvals"
  | "service"
>

interface Place {
  readonly limit: BatchLimit
  /** Equal for requests that share the limit. */
  readonly key: string
  readonly left: number
  readonly takes: number
}

const placesOf = ({ agent, cost_cents, limits, mode, operation, org_id, service }: Item): ReadonlyArray<Place> => {
  const { agent_month, operation_day, operation_month, wallet } = limits
  const ofAgent = [org_id, mode, agent.id].join(" ")
  const ofOperation = [ofAgent, service, operation].join(" ")
  const leftOf = ({ cap_cents, committed_cents = 0, held_cents, spent_cents }: NonNullable<typeof agent_month>) =>
    cap_cents - spent_cents - held_cents - committed_cents
  return [
    ...operation_day === undefined ? [] : [
      {
        limit: "operation_day_count",
        key: ofOperation,
        left: operation_day.limit_count - operation_day.used_count,
        takes: 1
      } as const
    ],
    // A money limit never blocks a request that costs nothing.
    ...cost_cents === 0 ? [] : [
      ...operation_month === undefined
        ? []
        : [{ limit: "operation_month", key: ofOperation, left: leftOf(operation_month), takes: cost_cents } as const],
      ...agent_month === undefined
        ? []
        : [{ limit: "agent_month", key: ofAgent, left: leftOf(agent_month), takes: cost_cents } as const],
      { limit: "wallet", key: org_id, left: wallet.balance_cents - wallet.held_cents, takes: cost_cents } as const
    ]
  ]
}

const countedVotes = ({ decisions }: Item): number =>
  decisions.filter(({ counts, decision }) => decision === "approve" && counts !== false).length

/**
 * For each approval, in the order of the batch, whether its request will fit the limits after the requests before it. A
 * blocked request uses nothing. `limits` should be read at one moment; where two rows disagree, the smaller rest
 * counts.
 */
export const forecastBatch = (items: ReadonlyArray<Item>): ReadonlyMap<string, BatchForecast> => {
  const left = new Map<string, number>()
  for (const place of items.flatMap(placesOf)) {
    const name = `${place.limit} ${place.key}`
    left.set(name, Math.min(left.get(name) ?? Number.POSITIVE_INFINITY, place.left))
  }
  return new Map(items.map((item): readonly [string, BatchForecast] => {
    if (countedVotes(item) + 1 < item.required_approvals) return [item.id, { kind: "needs_more" }]
    if (item.kind === "device_command") return [item.id, { kind: "fits" }]
    const places = placesOf(item).map((place) => ({ ...place, name: `${place.limit} ${place.key}` }))
    const tight = places.find(({ name, takes }) => takes > (left.get(name) ?? 0))
    if (tight !== undefined) {
      return [item.id, { kind: "blocked", block: { limit: tight.limit, left: Math.max(0, left.get(tight.name) ?? 0) } }]
    }
    for (const { limit, name, takes } of places) {
      // A test request takes no live money.
      if (limit !== "wallet" || item.mode === "live") left.set(name, (left.get(name) ?? 0) - takes)
    }
    return [item.id, { kind: "fits" }]
  }))
}
