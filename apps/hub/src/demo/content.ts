/**
 * The content of the workspace `Demo`, besides the services of `resources/demo`. Spec: reference/accounts.md "Demo
 * workspace".
 */
import type { BindingSettings } from "@countersign/domain/bindings"
import type { CreatePolicyInput } from "@countersign/domain/policies"

export const demoName = "Demo"
export const demoFundsCents = 25_000

export interface DemoAgent {
  readonly name: string
  readonly description: string
  readonly icon: string
  readonly category: string
  readonly monthlyBudgetCents: number
  readonly bindings: ReadonlyArray<BindingSettings>
}

/** Spends little, and within its caps: its key is the one to try. */
const scout: DemoAgent = {
  name: "Scout",
  description: "Searches and creates images. Its caps are low.",
  icon: "🔭",
  category: "Research",
  monthlyBudgetCents: 2_500,
  bindings: [
    { service: "echo", operations: ["*"], enabled: true, monthly_cap_cents: 100, daily_request_limit: 100 },
    { service: "images", operations: ["*"], enabled: true, monthly_cap_cents: 50 },
    { service: "flights", operations: ["search"], enabled: true, daily_request_limit: 20 }
  ]
}

/** Spends much: its requests require approval. */
const concierge: DemoAgent = {
  name: "Concierge",
  description: "Books flights and issues refunds. Expensive requests require approval.",
  icon: "🛎️",
  category: "Operations",
  monthlyBudgetCents: 100_000,
  bindings: [
    { service: "flights", operations: ["*"], enabled: true, approval_threshold_cents: 10_000 },
    { service: "refunds", operations: ["*"], enabled: true, approval_threshold_cents: 100_000 }
  ]
}

export const demoAgents = { scout, concierge } as const

export const demoPolicy: CreatePolicyInput = {
  name: "Refunds above $50 require approval",
  when: "service == \"refunds\" && payload.amount_cents > 5000",
  then: "require_approval",
  reason: "Refunds above $50 require a person's approval."
}

export interface DemoRequest {
  readonly agent: keyof typeof demoAgents
  readonly service: string
  readonly operation: string
  readonly payload: Readonly<Record<string, unknown>>
}

type Payload = DemoRequest["payload"]
const say = (text: string): DemoRequest => ({ agent: "scout", service: "echo", operation: "say", payload: { text } })
const image = (prompt: string): DemoRequest => ({
  agent: "scout",
  service: "images",
  operation: "render",
  payload: { prompt, size: "large" }
})
const flights = (agent: DemoRequest["agent"], operation: string, payload: Payload): DemoRequest => ({
  agent,
  service: "flights",
  operation,
  payload
})
const refund = (payload: Payload): DemoRequest => ({
  agent: "concierge",
  service: "refunds",
  operation: "issue",
  payload
})

/**
 * In order: some are executed, the last image is blocked by its cap, a booking by the binding, and two require
 * approval. `day` returns the date that many days ahead.
 */
export const demoRequests = (day: (ahead: number) => string): ReadonlyArray<DemoRequest> => [
  say("Is anybody there?"),
  flights("scout", "search", { from: "AMS", to: "LIS", date: day(21) }),
  image("A lighthouse at dusk, oil on canvas"),
  image("The same lighthouse in fog"),
  flights("concierge", "book", { flight: "CS 214", date: day(21), passenger: "Grace Hopper", fare_cents: 4_940 }),
  refund({
    order: "A-1042",
    customer: "ada@example.com",
    amount_cents: 2_350,
    reason: "Arrived broken",
    card_ending: "4242"
  }),
  image("A harbour map, ink, no labels"),
  image("A paper boat, studio light"),
  image("The lighthouse, from above"),
  flights("scout", "search", { from: "LIS", to: "AMS", date: day(28) }),
  flights("scout", "book", { flight: "CS 215", date: day(28), passenger: "Grace Hopper", fare_cents: 5_120 }),
  flights("concierge", "book", { flight: "CS 508", date: day(28), passenger: "Alan Turing", fare_cents: 10_480 }),
  refund({
    order: "A-1017",
    customer: "alan@example.com",
    amount_cents: 6_400,
    reason: "Never arrived",
    card_ending: "1881"
  }),
  say("Done for today.")
]
