/** The effect that one rule would have had on a past request, given the current rules. */
import type { PolicyAction } from "@countersign/domain/policies"
import { type CompiledRule, decidePolicy, type PolicyFacts } from "@countersign/domain/policy-rules"
import { Result } from "effect"
import { contextOf, filingOf } from "../platform/filing.ts"
import type { PastRequest } from "./repository.ts"

export interface ReplayedRule {
  /** Enabled rules in earlier positions. */
  readonly earlier: ReadonlyArray<CompiledRule>
  readonly rule: CompiledRule
}

export type Verdict =
  /** Another rule decides, or it does not match. */
  | { readonly kind: "silent" }
  | { readonly kind: "decides"; readonly erred: boolean; readonly would?: "allowed" | "blocked" | "approval_required" }

const factsOf = (request: PastRequest): PolicyFacts => ({
  agent: { id: request.agent_id, name: request.agent_name, team_id: request.team_id ?? "" },
  service: request.service,
  operation: request.operation,
  payload: JSON.parse(request.payload) as unknown,
  ceiling_cents: request.ceiling_cents,
  time: request.created_at,
  context: contextOf(filingOf(request.origin))
})

/** `would` is absent if the outcome of the request would have been the same. */
export const replay = ({ earlier, rule }: ReplayedRule, request: PastRequest): Verdict => {
  const facts = factsOf(request)
  const matched = rule.matches(facts)
  if (Result.isSuccess(matched) && !matched.success) return { kind: "silent" }
  if (decidePolicy(earlier, facts).action !== "none") return { kind: "silent" }
  const erred = Result.isFailure(matched)
  const would = difference(erred ? "block" : rule.rule.then, rule.rule.id, request)
  return { kind: "decides", erred, ...(would === undefined ? {} : { would }) }
}

const difference = (action: PolicyAction, ruleId: string, request: PastRequest) => {
  // Ended before rules are evaluated.
  if (request.status === "failed" && request.reason_code === "agent_disabled") return undefined
  const stoppedBy = request.status === "blocked" && request.reason_code === "policy_violation"
    ? policyOf(request.block)
    : undefined
  switch (action) {
    case "block":
      return request.status === "blocked" ? undefined : "blocked"
    case "require_approval":
      return request.status === "blocked" || request.approval_id !== null ? undefined : "approval_required"
    case "allow":
      return stoppedBy === undefined || stoppedBy === ruleId ? undefined : "allowed"
  }
}

/** The rule that blocked it; none when the agent lacked a binding. */
const policyOf = (block: string | null): string | undefined => {
  const policy = block === null ? undefined : (JSON.parse(block) as { readonly policy_id?: unknown }).policy_id
  return typeof policy === "string" ? policy : undefined
}
