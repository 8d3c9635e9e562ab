/**
 * The outcomes of a dispatch inside of the hub. `Executed` and `Running` are successes. Every other outcome is an error
 * with its own tag, so that a caller handles each by name and the compiler lists a forgotten one. On the wire every
 * outcome is an answer. Spec: reference/requests.md "Outcomes".
 */
import { Data, Effect } from "effect"
import type { Mode } from "./auth.ts"
import type { ApiError } from "./errors.ts"
import type { AgentId, ApprovalId, ServiceRequestId } from "./ids.ts"
import type { RequestStatus } from "./service-requests.ts"

/** A request as the hub stores it; amounts in cents, times in milliseconds. */
export interface RequestFacts {
  readonly id: ServiceRequestId
  readonly status: RequestStatus
  readonly mode: Mode
  readonly service: string
  readonly operation: string
  readonly cost_cents: number
  readonly ceiling_cents: number
  readonly reported_cost_cents: number | null
  readonly reason_code: string | null
  readonly approval_id: ApprovalId | null
  /** JSON texts. */
  readonly result: string | null
  readonly block: string | null
  readonly waiting_for: string | null
  readonly late_result: string | null
  readonly origin: string | null
  readonly agent_id: AgentId
  readonly created_at: number
  readonly completed_at: number | null
}

export interface Answer {
  readonly facts: RequestFacts
  /** The stored answer of an earlier request with the same idempotency key. */
  readonly replayed: boolean
}

/** Done and charged. */
export class Executed extends Data.TaggedClass("Executed")<Answer> {}
/** Sent, or about to be settled: `waiting_for` names the event that ends it. */
export class Running extends Data.TaggedClass("Running")<Answer> {}

/** Refused by a rule, a limit, the wallet, a person, or the provider's own rules: `reason_code` and `block` say why. */
export class Blocked extends Data.TaggedError("Blocked")<Answer> {}
/** A person must approve it first. */
export class ApprovalRequired extends Data.TaggedError("ApprovalRequired")<Answer> {}
/** Nothing was charged: `result` has the code and the detail. */
export class Failed extends Data.TaggedError("Failed")<Answer> {}

export type Accepted = Executed | Running
export type Refused = Blocked | ApprovalRequired | Failed

/** The outcome of an answer. */
export const outcomeOf = (answer: Answer): Effect.Effect<Accepted, Refused> => {
  switch (answer.facts.status) {
    case "executed":
      return Effect.succeed(new Executed(answer))
    case "running":
      return Effect.succeed(new Running(answer))
    case "blocked":
      return Effect.fail(new Blocked(answer))
    case "approval_required":
      return Effect.fail(new ApprovalRequired(answer))
    case "failed":
      return Effect.fail(new Failed(answer))
  }
}

/** Every outcome as an answer, for callers that return all of them alike. */
export const answered = (outcome: Effect.Effect<Accepted, Refused | ApiError>): Effect.Effect<Answer, ApiError> =>
  Effect.catchTags(outcome, {
    Blocked: (refused) => Effect.succeed(refused),
    ApprovalRequired: (refused) => Effect.succeed(refused),
    Failed: (refused) => Effect.succeed(refused)
  })
