/**
 * Conditions of standing approvals: CEL over `payload`. Checked when one is saved or previewed; a condition that fails
 * on a payload does not cover it. Spec: reference/approvals.md "Standing conditions".
 */
import { Result } from "effect"
import type { ExpressionProblem } from "./expression-problem.ts"
import { type CelType, compileExpression, type Expression, type Variables } from "./expression.ts"
import { isJsonObject } from "./json.ts"

const untyped: Variables = { payload: "dyn" }

/** Levels of a schema that are read for types; deeper levels are not checked. */
const typedLevelsMax = 8

const typesOfText: Readonly<Record<string, CelType>> = {
  string: "string",
  number: "double",
  integer: "double",
  boolean: "bool"
}
const isName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/u.test(name)

/** The CEL type of a schema's values. Only an object without additional members can be typed by its members. */
const typeOf = (schema: unknown, level: number): CelType => {
  if (!isJsonObject(schema) || ["$ref", "allOf", "anyOf", "oneOf", "not", "if"].some((keyword) => keyword in schema)) {
    return "dyn"
  }
  const { additionalProperties, patternProperties, properties, type } = schema
  if (
    type === "object" && additionalProperties === false && patternProperties === undefined && isJsonObject(properties)
  ) {
    const members = Object.entries(properties)
    return level >= typedLevelsMax || members.length === 0 || members.some(([name]) => !isName(name))
      ? "dyn"
      : Object.fromEntries(members.map(([name, member]) => [name, typeOf(member, level + 1)]))
  }
  return typeof type === "string" ? typesOfText[type] ?? "dyn" : "dyn"
}

const typed = new WeakMap<object, Variables>()

const variablesOf = (schema: unknown): Variables => {
  if (!isJsonObject(schema)) return untyped
  const known = typed.get(schema)
  if (known !== undefined) return known
  const variables = { payload: typeOf(schema, 0) }
  typed.set(schema, variables)
  return variables
}

/** A compiled condition. Fails when it does not compile. */
export const compileStandingCondition = (when: string): Result.Result<Expression<boolean>, ExpressionProblem> =>
  compileExpression(when, { variables: untyped, result: "bool" })

/** Why a condition cannot be saved for an operation; `schema` is the schema of its payloads, if known. */
export const standingConditionProblem = (when: string, schema?: unknown): ExpressionProblem | undefined => {
  const compiled = compileStandingCondition(when)
  if (Result.isFailure(compiled)) return compiled.failure
  const checked = compileExpression(when, { variables: variablesOf(schema), result: "bool" })
  return Result.isFailure(checked) && isMistake(checked.failure) ? checked.failure : undefined
}

/**
 * The type check refuses some expressions that evaluation allows: an object of known members (`$payload`) as a whole,
 * such as `"to" in payload`, and a number in a list of integers.
 */
const isMistake = ({ message }: ExpressionProblem): boolean =>
  message.startsWith("No such key") ||
  (/^(?:no such|found no matching) overload/u.test(message) && !message.includes("$payload") &&
    !message.includes("double in list<int>"))

/** Whether the condition of a standing approval covers a payload. One that no longer compiles covers nothing. */
export const standingCovers = (when: string): (payload: unknown) => boolean => {
  const compiled = compileStandingCondition(when)
  return Result.isFailure(compiled) ? () => false : (payload) => covers(compiled.success, payload)
}

/** Whether a condition covers a payload. False where it fails: a person then decides. */
export const covers = (condition: Expression<boolean>, payload: unknown): boolean =>
  Result.getOrElse(condition.evaluate({ payload }), () => false)
