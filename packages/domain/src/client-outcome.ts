/** The outcome of a service request, as a value. Spec: reference/requests.md "Outcomes". */
import { Effect } from "effect"
import { AnswerError } from "./client-errors.ts"
import type { BlockReasonCode, FailureCodeName } from "./outcomes.ts"
import type { Block, ServiceRequest } from "./service-requests.ts"

/** Lists known codes for editors; any other string is allowed, since the hub's codes are an open set. */
type Open<Known extends string> = Known | (string & {})

export type BlockReason = Open<BlockReasonCode | "policy_block">
export type FailureCode = Open<FailureCodeName>

interface Common extends Omit<ServiceRequest, "status" | "result" | "reason_code" | "approval_id" | "block"> {}

/** Executed: the provider's JSON, and the debited amount. */
export interface Executed extends Common {
  readonly status: "executed"
  readonly result: unknown
}
/**
 * A policy, a limit, the wallet, a person, or the provider by its own rules (`block.limit` is `provider`) refused;
 * nothing was debited. `block` has the figures at that moment.
 */
export interface Blocked extends Common {
  readonly status: "blocked"
  readonly reason_code: BlockReason
  readonly block?: Block
}
/** A person must decide first. The same request then continues without another call: poll its `id`. */
export interface ApprovalRequired extends Common {
  readonly status: "approval_required"
  readonly approval_id: string
  readonly reason_code: Open<"approval_threshold">
}
/**
 * Nothing was debited. With `fate: "unknown"` the provider may have acted: do not retry with a new idempotency key,
 * because the action may then be paid for twice. Without it, the request was not executed: the provider refused or
 * could not be reached, or the agent may not act.
 */
export interface Failed extends Common {
  readonly status: "failed"
  readonly code: FailureCode
  readonly detail: string
  readonly fate?: "unknown"
}
/** Not finished: poll its `id`. `waiting_for` names the event that ends it, and the deadline. */
export interface Running extends Common {
  readonly status: "running"
}

/** Discriminated by `status`. */
export type Outcome = Executed | Blocked | ApprovalRequired | Failed | Running

/** Replaces a code that the hub omitted. */
const unknownCode = "unknown"

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

const unexpected = (request: ServiceRequest, what: string) =>
  new AnswerError({
    code: "unexpected_answer",
    message: `The hub's answer about ${request.id} ${what}. Update this client.`
  })

export const outcomeOf = (request: ServiceRequest): Effect.Effect<Outcome, AnswerError> => {
  const { status, result, reason_code, approval_id, block, ...common } = request
  switch (status) {
    case "executed":
      return Effect.succeed({ ...common, status, result })
    case "blocked":
      return Effect.succeed({
        ...common,
        status,
        reason_code: reason_code ?? unknownCode,
        ...block === undefined ? {} : { block }
      })
    case "approval_required":
      return approval_id === undefined
        ? Effect.fail(unexpected(request, "names no approval"))
        : Effect.succeed({ ...common, status, approval_id, reason_code: reason_code ?? "approval_threshold" })
    case "failed": {
      const { code = reason_code ?? unknownCode, detail = "", ...fate } = failureOf(result)
      return Effect.succeed({ ...common, status, code, detail, ...fate })
    }
    case "running":
      return Effect.succeed({ ...common, status })
    default:
      return Effect.fail(
        unexpected(request, `has the status ${JSON.stringify(status satisfies never)}, which is unknown here`)
      )
  }
}
