/** One admitted request as its work: what is to be done, what the store says of it afterwards, and the rule of unknown fate. */
import { newId } from "@countersign/domain/ids"
import type { OperationDefinition } from "@countersign/domain/services"
import { type Actor, actorLine, hubActor } from "../audit/service.ts"
import type { CatalogOperation, CatalogService } from "../catalog/compiled.ts"
import type { Settle } from "./tick-entries.ts"

/** What is to be done for one admitted request. */
export interface Work {
  readonly id: string
  readonly org: string
  readonly agent: string
  readonly agentName: string
  readonly mode: string
  readonly service: CatalogService
  readonly operation: CatalogOperation
  readonly payload: unknown
  readonly ceilingCents: number
  readonly script: string | null
}

/** What the store says of a request after a settle; `stands` when it is another's. */
export type Settled =
  | {
    readonly kind: "final"
    readonly status: "executed" | "failed" | "blocked"
    readonly costCents: number
    readonly at: number
    readonly result: string | null
    readonly reason: string | null
  }
  | { readonly kind: "running"; readonly at: number }
  | { readonly kind: "stands" }

/** Why a `running` request runs on. */
export type RunningBecause = "async" | "unknown_fate" | "scripted"

/** Both ways of a crash or a cut: what the rule of unknown fate makes of a request that was maybe sent. */
export const fateOf = (operation: OperationDefinition, sentAgain: boolean): "send_again" | "hold" | "fail" =>
  operation.idempotent === true && !sentAgain
    ? "send_again"
    : operation.unknown === "hold" || ("async" in operation && operation.async !== undefined)
    ? "hold"
    : "fail"

export const failedResult = (code: string, detail: string): string => JSON.stringify({ code, detail })

/** The agent as the one who acts. */
export const agentActor = (work: Work): Actor => ({ type: "agent", id: work.agent, name: work.agentName })

/** What the audit log keeps beside a settlement, as JSON. */
export const dataOf = (work: Work, more: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
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
    readonly mode: string
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
  data: JSON.stringify({ service: request.service, operation: request.operation, mode: request.mode, ...more })
})
