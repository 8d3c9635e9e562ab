/**
 * Conditions as a form: comparisons joined by all or any, and the same as CEL text. `writeCondition` and
 * `readCondition` are inverses: written text reads back as the same condition. Text that a form cannot show is refused
 * with one sentence. Used for policy rules and for standing approvals.
 *
 * A comparison of an `optional` payload field is true only where the field is present; without `optional`, a missing
 * field makes the condition fail.
 */
import { Result } from "effect"
import {
  type ComparisonTest,
  type Condition,
  type ConditionField,
  isHas,
  isPlainName,
  isPresence,
  type Scalar,
  type Test
} from "./condition-form.ts"
import { ConditionRefusal, parseCondition } from "./condition-parser.ts"

export {
  type Condition,
  type ConditionField,
  isPresence,
  type Operator,
  type RequestField,
  requestFields,
  type Scalar,
  type Test
} from "./condition-form.ts"

const shortEscapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\"": "\\\"",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t"
}

/** A text literal. Invisible characters and characters that change the direction of text are escaped. */
const writeText = (text: string): string =>
  `"${
    text.replace(/["\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
      shortEscapes[character] ?? [...character].map((one) => {
        const code = one.codePointAt(0) ?? 0
        return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`
      }).join(""))
  }"`

/** An integer that a double cannot hold exactly is written as that double. */
const writeNumber = (number: number): string =>
  Number.isInteger(number) && !Number.isSafeInteger(number)
    ? number.toExponential()
    : String(Object.is(number, -0) ? 0 : number)

const writeValue = (value: Scalar): string =>
  typeof value === "string" ? writeText(value) : typeof value === "number" ? writeNumber(value) : String(value)

/** The path as a CEL expression: `payload.a["b c"]`. */
export const writePath = (path: ReadonlyArray<string>): string =>
  path.reduce((text, name) => isPlainName(name) ? `${text}.${name}` : `${text}[${writeText(name)}]`, "payload")

const writePresence = (path: ReadonlyArray<string>): string =>
  isHas(path) ? `has(${writePath(path)})` : `${writeText(path.at(-1) ?? "")} in ${writePath(path.slice(0, -1))}`

/** Checks that each object on the path has the next member. */
const writeGuards = (path: ReadonlyArray<string>): ReadonlyArray<string> =>
  path.map((_, at) => writePresence(path.slice(0, at + 1)))

const writeField = (field: ConditionField): string => field.kind === "request" ? field.name : writePath(field.path)

const writeComparison = (test: ComparisonTest): string => {
  const field = writeField(test.field)
  switch (test.operator) {
    case "contains":
    case "startsWith":
    case "endsWith":
      return `${field}.${test.operator}(${writeText(test.value)})`
    case "in":
      return `${field} in [${test.value.map(writeValue).join(", ")}]`
    case "not in":
      return `!(${field} in [${test.value.map(writeValue).join(", ")}])`
    default:
      return `${field} ${test.operator} ${writeValue(test.value)}`
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
  return field.kind === "payload" && field.optional
    ? `(${[...writeGuards(field.path), comparison].join(" && ")})`
    : comparison
}

export const writeCondition = ({ join, tests }: Condition): string =>
  tests.length === 0 ? String(join === "all") : tests.map(writeTest).join(join === "all" ? " && " : " || ")

/** The condition of a text, or one sentence that explains why a form cannot show it. */
export const readCondition = (text: string): Result.Result<Condition, string> => {
  try {
    return Result.succeed(parseCondition(text))
  } catch (error) {
    if (error instanceof ConditionRefusal) return Result.fail(error.message)
    throw error
  }
}
