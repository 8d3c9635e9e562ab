/**
 * The decisions of policy rules, as pure functions: the hub uses them, and the console runs a rule on a sample with
 * them. Spec: reference/policies.md "Order".
 */
import { Result } from "effect"
import type { ExpressionProblem } from "./expression-problem.ts"
import { compileExpression, type Expression, type Variables } from "./expression.ts"
import type { Door } from "./origin.ts"
import type { Policy, PolicyAction } from "./policies.ts"

/** The variables of a rule. */
export interface PolicyFacts {
  /** `team_id` is "" without a team. */
  readonly agent: { readonly id: string; readonly name: string; readonly team_id: string }
  readonly service: string
  readonly operation: string
  readonly payload: unknown
  readonly ceiling_cents: number
  readonly time: Date
  readonly context: PolicyContext
}

/** Where a request comes from. */
export interface PolicyContext {
  readonly door: Door
  /** The person whose chat or test sent it; "" when an agent, a schedule, or a trigger did. */
  readonly user_id: string
  /** `service.operation` of the results that the model of a chat has read. */
  readonly sources: ReadonlyArray<string>
}

/** The context of an agent's own call. */
export const directContext: PolicyContext = { door: "api", user_id: "", sources: [] }

const variables: Variables = {
  agent: { id: "string", name: "string", team_id: "string" },
  service: "string",
  operation: "string",
  payload: "dyn",
  ceiling_cents: "double",
  time: "timestamp",
  context: { door: "string", user_id: "string", sources: "list<string>" }
}

export const compileCondition = (when: string): Result.Result<Expression<boolean>, ExpressionProblem> =>
  compileExpression(when, { variables, result: "bool" })

type RuleSettings = Pick<
  Policy,
  "id" | "name" | "when" | "then" | "required_approvals" | "deciders" | "expires_in_seconds" | "reason" | "version"
>

export interface CompiledRule {
  readonly rule: RuleSettings
  readonly matches: (facts: PolicyFacts) => Result.Result<boolean, ExpressionProblem>
}

/** A rule whose expression no longer compiles fails on every request, and so blocks it. */
export const compileRule = (rule: RuleSettings): CompiledRule => {
  const condition = compileCondition(rule.when)
  return Result.isSuccess(condition)
    ? { rule, matches: (facts) => condition.success.evaluate(facts as unknown as Readonly<Record<string, unknown>>) }
    : { rule, matches: () => Result.fail(condition.failure) }
}

export interface PolicyDecision {
  readonly action: PolicyAction | "none"
  /** The deciding rule. */
  readonly rule?: RuleSettings
  /** Why its expression failed: such a rule blocks, regardless of its `then`. */
  readonly problem?: string
}

/** `rules` are the enabled ones in order of position. `none`: no rule matches. */
export const decidePolicy = (rules: ReadonlyArray<CompiledRule>, facts: PolicyFacts): PolicyDecision => {
  for (const { matches, rule } of rules) {
    const matched = matches(facts)
    if (Result.isFailure(matched)) return { action: "block", rule, problem: matched.failure.message }
    if (matched.success) return { action: rule.then, rule }
  }
  return { action: "none" }
}
