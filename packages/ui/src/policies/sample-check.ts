/**
 * Tests a policy on a sample with the hub's own code. Loaded when a person edits or tests a policy, since the
 * expression language is large.
 */
import type { ExpressionProblem } from "@countersign/domain/expression-problem"
import {
  compileCondition,
  compileRule,
  decidePolicy,
  directContext,
  type PolicyDecision,
  type PolicyFacts
} from "@countersign/domain/policy-rules"
import { Result } from "effect"
import type { Policy } from "../hub/queries.ts"

/** Why a condition is invalid; undefined if it is valid. */
export const conditionProblem = (when: string): ExpressionProblem | undefined => {
  const compiled = compileCondition(when)
  return Result.isFailure(compiled) ? compiled.failure : undefined
}

export type Match = { readonly kind: "yes" } | { readonly kind: "no" } | {
  readonly kind: "unreadable"
  readonly message: string
}
export interface Trial {
  /** The result of the tested policy, if there is one. */
  readonly match: Match | undefined
  /** The decision of all policies together. */
  readonly decision: PolicyDecision
}

type Rule = Parameters<typeof compileRule>[0]

/**
 * On an agent's own call. `rules` are the saved policies in their order; `tried` is evaluated at its own position and replaces the one with its
 * id.
 */
export const tryOn = (
  sample: Omit<PolicyFacts, "context">,
  rules: ReadonlyArray<Policy>,
  tried: (Rule & { readonly position: number; readonly enabled: boolean }) | undefined
): Trial => {
  const facts = { ...sample, context: directContext }
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
