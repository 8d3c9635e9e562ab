/** A rule tried on a sample, by the hub's own code. Loaded when a rule is written or tried: the language is large. */
import type { ExpressionProblem } from "@countersign/domain/expression-problem"
import {
  compileCondition,
  compileRule,
  decidePolicy,
  type PolicyDecision,
  type PolicyFacts
} from "@countersign/domain/policy-rules"
import { Result } from "effect"
import type { Policy } from "./queries.ts"

/** Why a condition cannot be read; nothing when it can. */
export const conditionProblem = (when: string): ExpressionProblem | undefined => {
  const compiled = compileCondition(when)
  return Result.isFailure(compiled) ? compiled.failure : undefined
}

export type Match = { readonly kind: "yes" } | { readonly kind: "no" } | {
  readonly kind: "unreadable"
  readonly message: string
}
export interface Trial {
  /** Of the rule that is tried, if one is. */
  readonly match: Match | undefined
  /** Of all rules together. */
  readonly decision: PolicyDecision
}

type Rule = Parameters<typeof compileRule>[0]

/** `rules` are those that stand, in their order; `tried` takes the place that it has, in place of the one with its id. */
export const tryOn = (
  facts: PolicyFacts,
  rules: ReadonlyArray<Policy>,
  tried: (Rule & { readonly position: number; readonly enabled: boolean }) | undefined
): Trial => {
  const others = rules.filter(({ enabled, id }) => enabled && id !== tried?.id)
  const before = tried === undefined ? others : others.filter(({ position }) => position < tried.position)
  const behind = tried === undefined ? [] : others.filter(({ position }) => position >= tried.position)
  const all: ReadonlyArray<Rule> = [...before, ...(tried === undefined || !tried.enabled ? [] : [tried]), ...behind]
  const matched = tried === undefined ? undefined : compileRule(tried).matches(facts)
  return {
    match: matched === undefined
      ? undefined
      : Result.isFailure(matched)
      ? { kind: "unreadable", message: matched.failure.message }
      : matched.success
      ? { kind: "yes" }
      : { kind: "no" },
    decision: decidePolicy(all.map(compileRule), facts)
  }
}
