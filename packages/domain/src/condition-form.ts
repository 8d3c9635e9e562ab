/** The form of a condition, written by `condition-builder.ts` and read by `condition-parser.ts`. */

/** Fields of a request outside its payload, each with the type of its values. */
export const requestFields = {
  "agent.id": "string",
  "agent.name": "string",
  "agent.team_id": "string",
  service: "string",
  operation: "string",
  ceiling_cents: "number",
  "time.getHours()": "number",
  "time.getDayOfWeek()": "number"
} as const
export type RequestField = keyof typeof requestFields

/** A field of the payload by its path of names, or a field of the request. */
export type ConditionField =
  | { readonly kind: "payload"; readonly path: ReadonlyArray<string>; readonly optional: boolean }
  | { readonly kind: "request"; readonly name: RequestField }

export type Scalar = string | number | boolean

export const comparisons = ["==", "!=", "<", "<=", ">", ">="] as const
export const textTests = ["contains", "startsWith", "endsWith"] as const

/** On a path of one name, `optional` has no effect and is false. */
export interface PresenceTest {
  readonly field: ConditionField & { readonly kind: "payload" }
  readonly operator: "present" | "absent"
}
export type ComparisonTest =
  | { readonly field: ConditionField; readonly operator: "==" | "!="; readonly value: Scalar }
  | { readonly field: ConditionField; readonly operator: "<" | "<=" | ">" | ">="; readonly value: number }
  | { readonly field: ConditionField; readonly operator: (typeof textTests)[number]; readonly value: string }
  | {
    readonly field: ConditionField
    readonly operator: "in" | "not in"
    readonly value: ReadonlyArray<string> | ReadonlyArray<number>
  }
export type Test = PresenceTest | ComparisonTest
export type Operator = Test["operator"]

export interface Condition {
  readonly join: "all" | "any"
  /** Without tests, `all` is always true and `any` never. */
  readonly tests: ReadonlyArray<Test>
}

export const isPresence = (test: Test): test is PresenceTest =>
  test.operator === "present" || test.operator === "absent"

/** Reserved words of CEL, which cannot name a member after a dot. */
const reserved = new Set([
  "in",
  "true",
  "false",
  "null",
  "as",
  "break",
  "const",
  "continue",
  "else",
  "for",
  "function",
  "if",
  "import",
  "let",
  "loop",
  "package",
  "namespace",
  "return",
  "var",
  "void",
  "while"
])
export const isPlainName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/u.test(name) && !reserved.has(name)

/** `has` accepts only names after dots. */
export const isHas = (path: ReadonlyArray<string>): boolean => path.every(isPlainName)
