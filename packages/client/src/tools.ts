/**
 * The operations that an agent is bound to, as tools of a model: names, schemas, prices, and calls that never pay twice.
 * Spec: reference/clients.md "Adapters".
 */
import type { Countersign } from "./client.ts"
import type { CatalogOperation, OperationPrice } from "./generated/types.ts"
import type { Outcome } from "./outcome.ts"

export interface ToolOptions {
  /** A part of every idempotency key: the id of the agent's run. Default: a new one for each call of `tools`. */
  readonly runId?: string
  /** Waits for a person's decision in the call itself, at most five minutes. Default: the model calls `countersign_wait`. */
  readonly wait?: boolean
  /** Only the operations of these services. */
  readonly services?: ReadonlyArray<string>
}

export interface BoundTool {
  readonly name: string
  readonly description: string
  /** JSON Schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** `callId` is the framework's id of this call, so that a repeated call does not execute twice. */
  readonly call: (input: unknown, callId: string, signal?: AbortSignal) => Promise<ToolResult>
}

/** What the model reads: the outcome, and the next step where there is one. */
export interface ToolResult {
  readonly status: string
  readonly service_request_id: string
  readonly cost_cents: number
  readonly [field: string]: unknown
}

const nameLengthMax = 64
const waitSecondsDefault = 60
const waitSecondsMax = 300

const hashOf = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("").slice(0, 8)
}

/** `service__operation` with safe characters; a name that is too long or taken ends with a hash. */
const nameOf = async (service: string, operation: string, taken: ReadonlySet<string>): Promise<string> => {
  const name = `${service}__${operation}`.replaceAll(/[^A-Za-z0-9_-]/gu, "_")
  if (name.length <= nameLengthMax && !taken.has(name)) return name
  return `${name.slice(0, nameLengthMax - 9)}_${await hashOf(`${service}.${operation}`)}`
}

const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`

const priceOf = (price: OperationPrice): string => {
  if (price.type === "fixed") return price.cents === 0 ? "Free." : `Costs ${dollars(price.cents)}.`
  return price.type === "quoted" ? `Costs at most ${price.ceiling} cents (CEL over the payload).` : "Priced by tokens."
}

const descriptionOf = (service: string, { description, name, price, title }: CatalogOperation): string =>
  `${[title, description].filter((text) => text !== undefined && text !== "").join(". ") || `${service}.${name}`} ${
    priceOf(price)
  }`

export const resultOf = (outcome: Outcome): ToolResult => {
  const { cost_cents, id: service_request_id, status } = outcome
  const common = { status, service_request_id, cost_cents }
  switch (outcome.status) {
    case "executed":
      return { ...common, result: outcome.result }
    case "blocked":
      return {
        ...common,
        reason_code: outcome.reason_code,
        message: outcome.block?.message ?? "The hub refused the action. Nothing was paid.",
        ...outcome.block === undefined ? {} : { next_action: outcome.block.next_action }
      }
    case "approval_required":
      return {
        ...common,
        approval_id: outcome.approval_id,
        message: "A person must approve this. Call countersign_wait with the service_request_id; do not call again."
      }
    case "failed":
      return {
        ...common,
        code: outcome.code,
        message: outcome.detail,
        ...outcome.fate === undefined
          ? {}
          : { fate: outcome.fate, warning: "The action may have happened. Do not call again without checking." }
      }
    case "running":
      return { ...common, message: "Still running. Call countersign_wait with the service_request_id." }
  }
}

const waitTool = (client: Countersign): BoundTool => ({
  name: "countersign_wait",
  description: "Waits until a pending or running service request has an outcome, and returns it. Free.",
  inputSchema: {
    type: "object",
    properties: {
      service_request_id: { type: "string" },
      seconds: { type: "integer", minimum: 1, maximum: waitSecondsMax, default: waitSecondsDefault }
    },
    required: ["service_request_id"]
  },
  call: async (input, _, signal) => {
    // A model writes it: any field may be missing, or of another type.
    const { seconds, service_request_id: id } = Object(input) as Readonly<Record<string, unknown>>
    const waited = typeof seconds === "number" ? seconds : waitSecondsDefault
    const budget = Math.min(Math.max(1, waited), waitSecondsMax) * 1_000
    return resultOf(
      await client.poll(String(id), { budget, untilDecided: true, ...signal === undefined ? {} : { signal } })
    )
  }
})

/** One tool for each bound operation, and `countersign_wait`. */
export const boundTools = async (client: Countersign, options: ToolOptions = {}): Promise<ReadonlyArray<BoundTool>> => {
  const { runId = crypto.randomUUID(), services, wait = false } = options
  const tools: Array<BoundTool> = []
  const taken = new Set<string>()
  for await (const { name: service } of client.services.list()) {
    if (services !== undefined && !services.includes(service)) continue
    const { operations } = await client.services.get(service)
    for (const operation of operations) {
      const name = await nameOf(service, operation.name, taken)
      taken.add(name)
      tools.push({
        name,
        description: descriptionOf(service, operation),
        inputSchema: { ...operation.payload_schema as Readonly<Record<string, unknown>>, type: "object" },
        call: async (input, callId, signal) => {
          const outcome = await client.dispatch(
            { service, operation: operation.name, payload: (input ?? {}) as Readonly<Record<string, unknown>> },
            { idempotencyKey: `${runId}:${callId}`, ...signal === undefined ? {} : { signal } }
          )
          return resultOf(wait ? await client.poll(outcome.id, { untilDecided: true }) : outcome)
        }
      })
    }
  }
  return [...tools, waitTool(client)]
}
