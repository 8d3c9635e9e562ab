/**
 * Which changes of policy rules weaken the approvals that they require. Pure. Spec: reference/policies.md "Changes that
 * weaken approvals".
 */
import type { Deciders, Policy } from "@countersign/domain/policies"

export type RequiringRule = Pick<Policy, "id" | "enabled" | "when" | "then" | "required_approvals" | "deciders">

/**
 * The number of approvals that a rule requires for the requests it decides; a blocked request cannot be approved at
 * all.
 */
const strictness = ({ required_approvals, then }: RequiringRule): number =>
  then === "block" ? Number.POSITIVE_INFINITY : then === "require_approval" ? required_approvals ?? 1 : 0

/**
 * The number of approvals to keep: a rule that blocks keeps the number it required before, so that it cannot be used to
 * bypass them.
 */
const approvalsToKeep = ({ required_approvals, then }: RequiringRule): number =>
  then === "require_approval" ? required_approvals ?? 1 : then === "block" ? required_approvals ?? 0 : 0

/** Whether a rule's setting requires fewer approvals, regardless of its current effect. */
const isLowered = (now: RequiringRule | undefined, { required_approvals = 1 }: RequiringRule): boolean =>
  now !== undefined && (now.required_approvals ?? 1) < required_approvals

const within = <A>(now: ReadonlyArray<A> = [], before: ReadonlyArray<A> = []): boolean =>
  now.every((one) => before.includes(one))

/** Whether every current decider could already decide before. */
const decidersWithin = (now: Deciders | undefined, before: Deciders | undefined): boolean =>
  before === undefined ||
  (now !== undefined && within(now.roles, before.roles) && within(now.user_ids, before.user_ids))

/** Whether `now` requires at least as much for a request as `before`. */
const isAsStrict = (now: RequiringRule, before: RequiringRule): boolean =>
  strictness(now) >= approvalsToKeep(before) && (now.then === "block" || decidersWithin(now.deciders, before.deciders))

/**
 * Whether, after a change, some request that needed approvals may need fewer, or other deciders. Rules are in order of
 * position. Conditions are compared as text, so a changed condition of such a rule counts as weaker; a rule before it
 * must be as strict, or must already have been before it with the same condition.
 */
export const weakensApprovals = (
  before: ReadonlyArray<RequiringRule>,
  after: ReadonlyArray<RequiringRule>
): boolean => {
  if (before.some((rule) => isLowered(after.find(({ id }) => id === rule.id), rule))) return true
  const then = before.filter(({ enabled }) => enabled)
  const now = after.filter(({ enabled }) => enabled)
  return then.some((rule, place) => {
    if (approvalsToKeep(rule) === 0) return false
    const conditionsBefore = new Set(then.slice(0, place).map(({ when }) => when))
    // An earlier rule has the same condition, so this one never decided anything.
    if (conditionsBefore.has(rule.when)) return false
    const kept = now.findIndex((other) => other.when === rule.when && isAsStrict(other, rule))
    return kept < 0 || now.slice(0, kept).some((other) => !isAsStrict(other, rule) && !conditionsBefore.has(other.when))
  })
}
