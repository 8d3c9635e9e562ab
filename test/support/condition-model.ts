/**
 * A second evaluation of conditions, by their structure; the tests compare it with the evaluation of their CEL text.
 */
import {
  type ComparisonTest,
  type Condition,
  isHas,
  isPresence,
  type RequestField,
  type Scalar,
  type Test
} from "@countersign/domain/condition-form"
import { isJsonObject } from "@countersign/domain/json"

/** Undefined where the condition fails. */
type Outcome = boolean | undefined

interface ConditionFacts {
  readonly agent?: { readonly id: string; readonly name: string; readonly team_id: string }
  readonly service?: string
  readonly operation?: string
  readonly ceiling_cents?: number
  readonly time?: Date
  readonly payload: unknown
}

const requestValue = (
  name: RequestField,
  { agent, ceiling_cents, operation, service, time }: ConditionFacts
): Scalar | undefined => {
  switch (name) {
    case "agent.id":
      return agent?.id
    case "agent.name":
      return agent?.name
    case "agent.team_id":
      return agent?.team_id
    case "service":
      return service
    case "operation":
      return operation
    case "ceiling_cents":
      return ceiling_cents
    case "time.getHours()":
      return time?.getUTCHours()
    case "time.getDayOfWeek()":
      return time?.getUTCDay()
  }
}

/** A member by its name; undefined if the value is not an object with this member. */
const memberOf = (value: unknown, name: string): { readonly value: unknown } | undefined =>
  isJsonObject(value) && Object.hasOwn(value, name) ? { value: value[name] } : undefined

/** The value at a path; undefined if a member is missing. */
const valueAt = (payload: unknown, path: ReadonlyArray<string>): { readonly value: unknown } | undefined =>
  path.reduce<{ readonly value: unknown } | undefined>(
    (at, name) => at === undefined ? undefined : memberOf(at.value, name),
    { value: payload }
  )

/**
 * Whether the last name of a path is present; undefined if its holder is missing or cannot have a member of that name.
 */
const presence = (payload: unknown, path: ReadonlyArray<string>): Outcome => {
  const holder = valueAt(payload, path.slice(0, -1))
  const name = path.at(-1) ?? ""
  if (holder === undefined) return undefined
  if (isJsonObject(holder.value)) return Object.hasOwn(holder.value, name)
  // `has` works for any value; `in` searches a list, and fails on everything else.
  return isHas(path) ? false : Array.isArray(holder.value) ? holder.value.includes(name) : undefined
}

const all = (outcomes: ReadonlyArray<Outcome>): Outcome =>
  outcomes.includes(false) ? false : outcomes.includes(undefined) ? undefined : true
const not = (outcome: Outcome): Outcome => outcome === undefined ? undefined : !outcome

const guarded = (payload: unknown, path: ReadonlyArray<string>): ReadonlyArray<Outcome> =>
  path.map((_, at) => presence(payload, path.slice(0, at + 1)))

const compare = (test: ComparisonTest, value: unknown): Outcome => {
  switch (test.operator) {
    case "==":
      return value === test.value
    case "!=":
      return value !== test.value
    case "in":
      return test.value.some((item) => item === value)
    case "not in":
      return !test.value.some((item) => item === value)
    case "<":
      return typeof value === "number" ? value < test.value : undefined
    case "<=":
      return typeof value === "number" ? value <= test.value : undefined
    case ">":
      return typeof value === "number" ? value > test.value : undefined
    case ">=":
      return typeof value === "number" ? value >= test.value : undefined
    case "contains":
      return typeof value === "string" ? value.includes(test.value) : undefined
    case "startsWith":
      return typeof value === "string" ? value.startsWith(test.value) : undefined
    case "endsWith":
      return typeof value === "string" ? value.endsWith(test.value) : undefined
  }
}

const testOutcome = (test: Test, facts: ConditionFacts): Outcome => {
  if (isPresence(test)) {
    const { optional, path } = test.field
    const present = optional ? all(guarded(facts.payload, path)) : presence(facts.payload, path)
    return test.operator === "present" ? present : not(present)
  }
  const { field } = test
  if (field.kind === "request") {
    const value = requestValue(field.name, facts)
    return value === undefined ? undefined : compare(test, value)
  }
  const at = valueAt(facts.payload, field.path)
  const compared = at === undefined ? undefined : compare(test, at.value)
  return field.optional ? all([...guarded(facts.payload, field.path), compared]) : compared
}

/** Evaluates the condition as CEL does its text: a failure counts only if no other test decides. */
export const conditionOutcome = ({ join, tests }: Condition, facts: ConditionFacts): Outcome => {
  const outcomes = tests.map((test) => testOutcome(test, facts))
  return join === "all" ? all(outcomes) : not(all(outcomes.map(not)))
}
