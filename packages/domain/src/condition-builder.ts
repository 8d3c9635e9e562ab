/**
 * Conditions as a form: comparisons joined by all or any, and the same as CEL text. `writeCondition` and `readCondition` are inverse to
 * each other: what is written reads back as the same condition. Text that a form cannot show is refused with one sentence. Used for
 * policy rules and for standing approvals.
 *
 * A comparison of a payload's field is true only where the field is present if it is `optional`; otherwise a missing field makes the
 * condition fail.
 */
import { Result } from "effect"
import {
  type ComparisonTest, type Condition, type ConditionField, isHas, isPlainName, isPresence, type RequestField, type Scalar, type Test
} from "./condition-form.ts"
import { ConditionRefusal, parseCondition } from "./condition-parser.ts"
import { isJsonObject } from "./json.ts"

export {
  type Condition, type ConditionField, isPresence, type Operator, type RequestField, requestFields, type Scalar, type Test
} from "./condition-form.ts"

const shortEscapes: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t" }

/** A text literal. Characters that a reader cannot see or that turn the direction of text are escaped. */
const writeText = (text: string): string =>
  `"${
    text.replace(/["\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
      shortEscapes[character] ?? [...character].map((one) => {
        const code = one.codePointAt(0) ?? 0
        return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`
      }).join(""))
  }"`

/** An integer that a double cannot hold exactly is written as the double it is. */
const writeNumber = (number: number): string =>
  Number.isInteger(number) && !Number.isSafeInteger(number) ? number.toExponential() : String(Object.is(number, -0) ? 0 : number)

const writeValue = (value: Scalar): string =>
  typeof value === "string" ? writeText(value) : typeof value === "number" ? writeNumber(value) : String(value)

/** As CEL reads it: `payload.a["b c"]`. */
export const writePath = (path: ReadonlyArray<string>): string =>
  path.reduce((text, name) => isPlainName(name) ? `${text}.${name}` : `${text}[${writeText(name)}]`, "payload")

const writePresence = (path: ReadonlyArray<string>): string =>
  isHas(path) ? `has(${writePath(path)})` : `${writeText(path.at(-1) ?? "")} in ${writePath(path.slice(0, -1))}`

/** That each object on the way has the next member. */
const writeGuards = (path: ReadonlyArray<string>): ReadonlyArray<string> =>
  path.map((_, at) => writePresence(path.slice(0, at + 1)))

const writeField = (field: ConditionField): string => field.kind === "request" ? field.name : writePath(field.path)

const writeComparison = (test: ComparisonTest): string => {
  const field = writeField(test.field)
  switch (test.operator) {
    case "contains": case "startsWith": case "endsWith": return `${field}.${test.operator}(${writeText(test.value)})`
    case "in": return `${field} in [${test.value.map(writeValue).join(", ")}]`
    case "not in": return `!(${field} in [${test.value.map(writeValue).join(", ")}])`
    default: return `${field} ${test.operator} ${writeValue(test.value)}`
  }
}

const writeTest = (test: Test): string => {
  if (isPresence(test)) {
    const guards = writeGuards(test.field.path)
    const all = test.field.optional ? guards.join(" && ") : guards.at(-1) ?? ""
    const isSeveral = test.field.optional && guards.length > 1
    return test.operator === "absent" ? `!(${all})` : isSeveral ? `(${all})` : all
  }
  const comparison = writeComparison(test)
  const { field } = test
  return field.kind === "payload" && field.optional ? `(${[...writeGuards(field.path), comparison].join(" && ")})` : comparison
}

export const writeCondition = ({ join, tests }: Condition): string =>
  tests.length === 0 ? String(join === "all") : tests.map(writeTest).join(join === "all" ? " && " : " || ")

/** The condition that a text says, or one sentence that says why a form cannot show it. */
export const readCondition = (text: string): Result.Result<Condition, string> => {
  try {
    return Result.succeed(parseCondition(text))
  } catch (error) {
    if (error instanceof ConditionRefusal) return Result.fail(error.message)
    throw error
  }
}

/** What a condition makes of a request: true, false, or nothing where it fails. */
export type Outcome = boolean | undefined

export interface ConditionFacts {
  readonly agent?: { readonly id: string; readonly name: string; readonly team_id: string }
  readonly service?: string
  readonly operation?: string
  readonly ceiling_cents?: number
  readonly time?: Date
  readonly payload: unknown
}

const requestValue = (name: RequestField, { agent, ceiling_cents, operation, service, time }: ConditionFacts): Scalar | undefined => {
  switch (name) {
    case "agent.id": return agent?.id
    case "agent.name": return agent?.name
    case "agent.team_id": return agent?.team_id
    case "service": return service
    case "operation": return operation
    case "ceiling_cents": return ceiling_cents
    case "time.getHours()": return time?.getUTCHours()
    case "time.getDayOfWeek()": return time?.getUTCDay()
  }
}

/** A member by its name; nothing where the value is no object that has it. */
const memberOf = (value: unknown, name: string): { readonly value: unknown } | undefined =>
  isJsonObject(value) && Object.hasOwn(value, name) ? { value: value[name] } : undefined

/** The value at a path; nothing where a member is missing. */
const valueAt = (payload: unknown, path: ReadonlyArray<string>): { readonly value: unknown } | undefined =>
  path.reduce<{ readonly value: unknown } | undefined>((at, name) => at === undefined ? undefined : memberOf(at.value, name), { value: payload })

/** Whether the last name of a path is present. Nothing: what should hold it is missing, or cannot have a member of that name. */
const presence = (payload: unknown, path: ReadonlyArray<string>): Outcome => {
  const holder = valueAt(payload, path.slice(0, -1))
  const name = path.at(-1) ?? ""
  if (holder === undefined) return undefined
  if (isJsonObject(holder.value)) return Object.hasOwn(holder.value, name)
  // `has` answers for any value; `in` searches a list, and fails on everything else.
  return isHas(path) ? false : Array.isArray(holder.value) ? holder.value.includes(name) : undefined
}

const all = (outcomes: ReadonlyArray<Outcome>): Outcome =>
  outcomes.includes(false) ? false : outcomes.includes(undefined) ? undefined : true
const not = (outcome: Outcome): Outcome => outcome === undefined ? undefined : !outcome

const guarded = (payload: unknown, path: ReadonlyArray<string>): ReadonlyArray<Outcome> =>
  path.map((_, at) => presence(payload, path.slice(0, at + 1)))

const compare = (test: ComparisonTest, value: unknown): Outcome => {
  switch (test.operator) {
    case "==": return value === test.value
    case "!=": return value !== test.value
    case "in": return test.value.some((item) => item === value)
    case "not in": return !test.value.some((item) => item === value)
    case "<": return typeof value === "number" ? value < test.value : undefined
    case "<=": return typeof value === "number" ? value <= test.value : undefined
    case ">": return typeof value === "number" ? value > test.value : undefined
    case ">=": return typeof value === "number" ? value >= test.value : undefined
    case "contains": return typeof value === "string" ? value.includes(test.value) : undefined
    case "startsWith": return typeof value === "string" ? value.startsWith(test.value) : undefined
    case "endsWith": return typeof value === "string" ? value.endsWith(test.value) : undefined
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

/** As the language evaluates the text of the condition: a failure counts only where no other test decides. */
export const conditionOutcome = ({ join, tests }: Condition, facts: ConditionFacts): Outcome => {
  const outcomes = tests.map((test) => testOutcome(test, facts))
  return join === "all" ? all(outcomes) : not(all(outcomes.map(not)))
}
