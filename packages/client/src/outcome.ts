/** Outcomes of a dispatch: values, never errors. Spec: reference/clients.md "Results and errors". */
import { AnswerError } from "./errors.ts"
import type { Block, ServiceRequest } from "./generated/types.ts"

interface Common extends Omit<ServiceRequest, "status" | "result" | "reason_code" | "approval_id" | "block"> {}

/** Executed: the provider's JSON, and the debited amount. */
export interface Executed extends Common {
  readonly status: "executed"
  readonly result: unknown
}
/** A policy, a limit, the wallet, a person, or the provider refused; nothing was debited. `block` has the figures. */
export interface Blocked extends Common {
  readonly status: "blocked"
  readonly reason_code: string
  readonly block?: Block
}
/** A person must decide first. Then the same request continues by itself: poll its `id`. */
export interface ApprovalRequired extends Common {
  readonly status: "approval_required"
  readonly approval_id: string
  readonly reason_code: string
}
/**
 * Nothing was debited. With `fate: "unknown"` the provider may have acted: a new idempotency key may pay for the action
 * twice.
 */
export interface Failed extends Common {
  readonly status: "failed"
  readonly code: string
  readonly detail: string
  readonly fate?: "unknown"
}
/** Not finished: poll its `id`. */
export interface Running extends Common {
  readonly status: "running"
}

/** Discriminated by `status`. */
export type Outcome = Executed | Blocked | ApprovalRequired | Failed | Running

const failureOf = (result: unknown): Partial<Pick<Failed, "code" | "detail" | "fate">> => {
  const { code, detail, fate } = typeof result === "object" && result !== null
    ? result as Readonly<Record<string, unknown>>
    : {}
  return {
    ...typeof code === "string" ? { code } : {},
    ...typeof detail === "string" ? { detail } : {},
    ...fate === "unknown" ? { fate } : {}
  }
}

const unexpected = (id: unknown, what: string): AnswerError =>
  new AnswerError(`The hub's answer about ${String(id)} ${what}. Update this client.`, { code: "unexpected_answer" })

export const outcomeOf = (request: ServiceRequest): Outcome => {
  const { approval_id, block, reason_code, result, status, ...common } = request
  switch (status) {
    case "executed":
      return { ...common, status, result }
    case "blocked":
      return { ...common, status, reason_code: reason_code ?? "unknown", ...block === undefined ? {} : { block } }
    case "approval_required":
      if (approval_id === undefined) throw unexpected(common.id, "names no approval")
      return { ...common, status, approval_id, reason_code: reason_code ?? "approval_threshold" }
    case "failed": {
      const { code = reason_code ?? "unknown", detail = "", ...fate } = failureOf(result)
      return { ...common, status, code, detail, ...fate }
    }
    case "running":
      return { ...common, status }
    default:
      throw unexpected(common.id, `has the status ${JSON.stringify(status satisfies never)}`)
  }
}
