/** One admitted request as work: its input, its stored result, and the rule of unknown outcomes. */
import type { Mode } from "@countersign/domain/auth"
import { type AgentId, newId, type OrgId, type ServiceRequestId } from "@countersign/domain/ids"
import type { OperationDefinition } from "@countersign/domain/services"
import type { CatalogOperation, CatalogService } from "../../catalog/compiled.ts"
import { type EntryData, entryDataText } from "../../platform/audit-entry-data.ts"
import { type Actor, actorLine, hubActor } from "../../platform/audit-log.ts"
import type { AdapterOutcome } from "../../providers/adapter.ts"
import type { ModelCall } from "../../providers/model-answer.ts"
import type { Settle } from "../money-core/entries.ts"

/** The work of one admitted request. */
export interface Work {
  readonly id: ServiceRequestId
  readonly org: OrgId
  readonly agent: AgentId
  readonly agentName: string
  /** The person who sent it as a test; absent when the agent sent it. */
  readonly sender?: Actor
  readonly mode: Mode
  readonly service: CatalogService
  readonly operation: CatalogOperation
  readonly payload: unknown
  readonly ceilingCents: number
  readonly script: string | null
  /** Of a model call whose caller reads along. */
  readonly model?: ModelCall
  /** Of a call whose caller waits for audio. */
  readonly audio?: (wav: Uint8Array) => void
  /**
   * Called when the outcome is known, or nearly, and the database does not accept it in time: the caller need not wait.
   */
  readonly delayed?: () => void
}

/** The stored state of a request after a settle; `superseded` when another settlement ended it. */
export type Settled =
  | {
    readonly kind: "final"
    readonly status: "executed" | "failed" | "blocked"
    readonly costCents: number
    readonly at: number
    readonly result: string | null
    readonly reason: string | null
    /** The provider's reported price, where it is above the ceiling. */
    readonly reportedCostCents?: number
  }
  /** `waitingFor` is JSON text, as `waitingText` writes it. */
  | { readonly kind: "running"; readonly at: number; readonly waitingFor: string }
  | { readonly kind: "superseded" }

/** The reason why a request is `running`; stored with its hold. Holds of earlier versions have `async`. */
export type RunningBecause = "poll" | "callback" | "device" | "provider" | "unknown_fate" | "scripted"

/** The event that ends a running request, once the provider accepted it. */
export const runningBecause = ({ operation, service }: Work): RunningBecause => {
  if (service.definition.kind === "builtin" && service.definition.adapter === "device") return "device"
  return ("async" in operation.definition ? operation.definition.async?.mode : undefined) ?? "provider"
}

/**
 * The rule for a request that may have been sent and got no full answer. Spec: reference/requests.md "Unknown
 * outcomes".
 */
export const fateOf = (operation: OperationDefinition, sentAgain: boolean): "send_again" | "hold" | "fail" =>
  operation.idempotent === true && !sentAgain
    ? "send_again"
    : operation.unknown === "hold" || ("async" in operation && operation.async !== undefined)
    ? "hold"
    : "fail"

export const failedResult = (code: string, detail: string): string => JSON.stringify({ code, detail })

/** The result of a request that its provider refused with an answer, or that could not be sent. */
export const refusedResult = (
  { code, detail, retryAfterSeconds, status }: Extract<AdapterOutcome, { readonly kind: "failed" }>
): string =>
  JSON.stringify({
    code: code ?? "adapter_error",
    detail,
    ...(status === undefined ? {} : { provider_status: status }),
    ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds })
  })

/** The result of a request whose provider may have acted. `why` is a sentence. */
export const unknownResult = (code: "fate_unknown" | "interrupted", why: string): string =>
  JSON.stringify({
    code,
    detail: `The outcome is unknown: ${why} The provider may have acted, and nothing was charged here. ` +
      "Do not send it again with a new idempotency-key before a person has checked with the provider, because it could be paid twice.",
    fate: "unknown"
  })

/**
 * The settlement of a request that its provider refuses by its own rules: `settleAs(work, "blocked", …)`. `toFacts`
 * makes its block.
 */
export const refusedByProvider = (detail: string) => ({
  cents: 0,
  result: JSON.stringify({ detail }),
  reason: "policy_violation"
})

/** The result of a request whose service was deleted before its outcome was known; its hold is released. */
export const serviceGone = unknownResult("interrupted", "its service is no longer in the catalog.")

/** The actor of the settlement: the person who sent a test, otherwise the agent. */
export const senderOf = (work: Work): Actor => work.sender ?? { type: "agent", id: work.agent, name: work.agentName }

/** The audit data of a settlement, as JSON. */
export const dataOf = (work: Work, more: Readonly<Record<string, unknown>> = {}): EntryData =>
  entryDataText({
    service: work.service.definition.name,
    operation: work.operation.definition.name,
    mode: work.mode,
    ...more
  })

/** The settlement of a request that the hub itself ends, at no cost. `result` is JSON. */
export const endedByHub = (
  request: Pick<Settle, "id" | "org"> & {
    readonly service: string
    readonly operation: string
    readonly mode: Mode
  },
  result: string,
  more: Readonly<Record<string, unknown>> = {}
): Settle => ({
  id: request.id,
  org: request.org,
  status: "failed",
  cents: 0,
  micro: 0,
  reason: null,
  result,
  ref: null,
  dueMillis: null,
  deadlineMillis: null,
  audit: newId("aud"),
  move: newId("led"),
  actor: actorLine(hubActor),
  data: entryDataText({ service: request.service, operation: request.operation, mode: request.mode, ...more })
})
