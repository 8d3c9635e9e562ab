/** A condition in its form: rows that may be incomplete. Pure. */
import {
  type Condition,
  type ConditionField,
  type Operator,
  readCondition,
  type RequestField,
  requestFields,
  type Test,
  writeCondition,
  writePath
} from "@countersign/domain/condition-builder"
import { Result } from "effect"

export type ValueType = "text" | "number" | "boolean"

export interface Row {
  /** Unique among the rows. */
  readonly id: number
  readonly field: RequestField | "payload"
  /** The path of a payload field as typed: `customer.country`. */
  readonly path: string
  readonly optional: boolean
  readonly type: ValueType
  readonly operator: Operator
  /** As typed; a list has one value per line, a cost is in cents. */
  readonly value: string
}

export interface Draft {
  readonly join: Condition["join"]
  readonly rows: ReadonlyArray<Row>
}

/** A payload field that the form offers. */
export interface KnownField {
  readonly path: ReadonlyArray<string>
  readonly type: ValueType
  /** An example value. */
  readonly value?: string
}

const ofText: ReadonlyArray<Operator> = ["==", "!=", "contains", "startsWith", "endsWith", "in", "not in"]
const bySize: ReadonlyArray<Operator> = ["==", "!=", "<", "<=", ">", ">="]
const ofPresence: ReadonlyArray<Operator> = ["present", "absent"]

export const operatorsOf = ({ field, type }: Pick<Row, "field" | "type">): ReadonlyArray<Operator> => {
  if (field === "ceiling_cents") return ["<", "<=", ">", ">=", "==", "!="]
  const own = type === "text"
    ? ofText
    : type === "number"
    ? [...bySize, "in", "not in"] as const
    : (["==", "!="] as const)
  return field === "payload" ? [...own, ...ofPresence] : own
}

export const isList = (operator: Operator): operator is "in" | "not in" => operator === "in" || operator === "not in"
export const needsValue = (operator: Operator): boolean => !ofPresence.includes(operator)

const typeOfField = (field: RequestField): ValueType => requestFields[field] === "number" ? "number" : "text"

/** A path as a person types it: without the `payload.` prefix. */
export const pathText = (path: ReadonlyArray<string>): string => writePath(path).replace(/^payload\.?/u, "")

export const readPath = (text: string): ReadonlyArray<string> | undefined => {
  const trimmed = text.trim()
  if (trimmed === "") return undefined
  const read = readCondition(`payload${trimmed.startsWith("[") ? "" : "."}${trimmed} == true`)
  const test = Result.isSuccess(read) && read.success.tests.length === 1 ? read.success.tests[0] : undefined
  return test?.field.kind === "payload" && test.operator === "==" && test.value === true ? test.field.path : undefined
}

const readNumber = (text: string): number | undefined => {
  const trimmed = text.trim()
  return /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/u.test(trimmed) && Number.isFinite(Number(trimmed))
    ? Number(trimmed)
    : undefined
}

const linesOf = (text: string): ReadonlyArray<string> => text === "" ? [] : text.split("\n")

/** The value of typed text; `undefined` if it is not valid. */
const valueOf = (
  { field, operator, type, value }: Row
): Exclude<Test, { readonly operator: "present" | "absent" }>["value"] | undefined => {
  const isTime = field === "time.getHours()" || field === "time.getDayOfWeek()"
  const number = (text: string) => {
    const read = readNumber(text)
    return isTime && !Number.isSafeInteger(read) ? undefined : read
  }
  // Empty text is no value: a comparison with it would match no request, or every request.
  if (type !== "boolean" && value.trim() === "") return undefined
  if (isList(operator)) {
    if (type === "text") return linesOf(value)
    const numbers = linesOf(value.trim()).map(number)
    return numbers.every((one) => one !== undefined) ? numbers : undefined
  }
  return type === "number" ? number(value) : type === "boolean" ? value === "true" : value
}

export const hasValue = (row: Row): boolean => !needsValue(row.operator) || valueOf(row) !== undefined

/** `undefined` while the row is incomplete. */
const testOf = (row: Row): Test | undefined => {
  const path = row.field === "payload" ? readPath(row.path) : undefined
  if (row.field === "payload" && path === undefined) return undefined
  const isPresence = !needsValue(row.operator)
  const field: ConditionField = path === undefined
    ? { kind: "request", name: row.field as RequestField }
    : { kind: "payload", path, optional: isPresence ? row.optional && path.length > 1 : row.optional }
  if (isPresence) return { field, operator: row.operator } as Test
  const value = valueOf(row)
  return value === undefined ? undefined : { field, operator: row.operator, value } as Test
}

/** The CEL text of the rows; `undefined` while one is incomplete. */
export const textOf = ({ join, rows }: Draft): string | undefined => {
  const tests = rows.map(testOf)
  return tests.every((test) => test !== undefined) ? writeCondition({ join, tests }) : undefined
}

const typeOfValue = (value: unknown): ValueType =>
  typeof value === "number" ? "number" : typeof value === "boolean" ? "boolean" : "text"

const rowOf = (test: Test, id: number, known: ReadonlyArray<KnownField>): Row => {
  const { field, operator } = test
  const path = field.kind === "payload" ? pathText(field.path) : ""
  const value = "value" in test ? test.value : undefined
  const sample: unknown = typeof value === "object" ? value[0] : value
  const knownType = known.find((one) => pathText(one.path) === path)?.type
  return {
    id,
    field: field.kind === "payload" ? "payload" : field.name,
    path,
    optional: field.kind === "payload" ? field.optional || (!needsValue(operator) && field.path.length === 1) : false,
    type: field.kind === "request"
      ? typeOfField(field.name)
      : sample === undefined
      ? knownType ?? "text"
      : typeOfValue(sample),
    operator,
    value: value === undefined ? "" : typeof value === "object" ? value.join("\n") : String(value)
  }
}

/** Why the form cannot show a text: the message of `readCondition`, or a limit of the form. */
export type Unshown = { readonly kind: "grammar"; readonly message: string } | {
  readonly kind: "lists" | "amounts" | "empty"
}

export const draftOf = (text: string, known: ReadonlyArray<KnownField>): Result.Result<Draft, Unshown> => {
  if (text.trim() === "") return Result.succeed({ join: "all", rows: [] })
  const read = readCondition(text)
  if (Result.isFailure(read)) return Result.fail({ kind: "grammar", message: read.failure })
  const { join, tests } = read.success
  for (const test of tests) {
    const value = "value" in test ? test.value : undefined
    if (Array.isArray(value) && value.some((one) => String(one).includes("\n"))) return Result.fail({ kind: "lists" })
    if (needsValue(test.operator) && [value].flat().join("").trim() === "") return Result.fail({ kind: "empty" })
    if (
      test.field.kind === "request" && test.field.name === "ceiling_cents" &&
      (!Number.isSafeInteger(value) || Number(value) < 0)
    ) {
      return Result.fail({ kind: "amounts" })
    }
  }
  return Result.succeed({ join, rows: tests.map((test, at) => rowOf(test, at, known)) })
}

/** The row with another field, with the first comparison that the field supports. */
export const onField = (row: Row, next: RequestField | KnownField | undefined): Row => {
  const isKnown = typeof next === "object"
  const field = next === undefined || isKnown ? "payload" as const : next
  const type = next === undefined ? "text" : isKnown ? next.type : typeOfField(next)
  const operators = operatorsOf({ field, type })
  return {
    ...row,
    field,
    type,
    path: isKnown ? pathText(next.path) : "",
    optional: field === "payload",
    operator: operators.includes(row.operator) && row.type === type ? row.operator : operators[0] ?? "==",
    value: isKnown ? next.value ?? (type === "boolean" ? "true" : "") : ""
  }
}

export const newRow = (id: number, first: RequestField | KnownField | undefined): Row =>
  onField({ id, field: "payload", path: "", optional: true, type: "text", operator: "==", value: "" }, first)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const depthMax = 3
const knownMax = 60

/** The scalar fields of a payload, then those only in its schema. Masked fields are left out. */
export const knownFields = (payload: unknown, schema: unknown): ReadonlyArray<KnownField> => {
  const found = new Map<string, KnownField>()
  const add = (field: KnownField) => {
    const key = pathText(field.path)
    if (!found.has(key) && found.size < knownMax) found.set(key, field)
  }
  const ofPayload = (value: unknown, path: ReadonlyArray<string>): void => {
    if (["string", "number", "boolean"].includes(typeof value) && path.length > 0) {
      add({ path, type: typeOfValue(value), value: String(value) })
    } else if (isObject(value) && value["$masked"] !== true && path.length < depthMax) {
      for (const [name, member] of Object.entries(value)) ofPayload(member, [...path, name])
    }
  }
  const ofSchema = (value: unknown, path: ReadonlyArray<string>): void => {
    if (!isObject(value) || value["writeOnly"] === true) return
    const type = value["type"]
    if (path.length > 0 && typeof type === "string" && ["string", "number", "integer", "boolean"].includes(type)) {
      add({ path, type: type === "boolean" ? "boolean" : type === "string" ? "text" : "number" })
    } else if (isObject(value["properties"]) && path.length < depthMax) {
      for (const [name, member] of Object.entries(value["properties"])) ofSchema(member, [...path, name])
    }
  }
  ofPayload(payload, [])
  ofSchema(schema, [])
  return [...found.values()]
}
