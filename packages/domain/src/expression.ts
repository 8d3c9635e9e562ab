/**
 * CEL (cel.dev) for prices, policy rules, and conditions: checked on save, bounded at run time. Spec:
 * reference/services.md "Expressions".
 *
 * JSON numbers are doubles in CEL. Here they also calculate and compare with integer literals (`payload.n * 3 == 6`),
 * which CEL itself refuses. `matches` runs on RE2; the library's own ran 17 s on 29 characters. Only the functions
 * listed below can be called.
 */
import { type ASTNode, Environment, parse } from "@marcbachmann/cel-js"
import { Result } from "effect"
import { isNode, meterTree, type Node, nodesBelow, spend, withinBudget } from "./expression-meter.ts"
import { type ExpressionProblem, noFunction, problemOf, withKnown } from "./expression-problem.ts"
import { isJsonObject } from "./json.ts"
import { compileRegex, type Regex } from "./regex.ts"

export const expressionLengthMax = 4_096
/** Macros inside macros: `all`, `exists`, `exists_one`, `map`, `filter`. */
export const macroNestingMax = 3
const nodesMax = 1_000
/** Levels of the syntax tree: `a || b || …` adds one for each operand. */
const treeDepthMax = 250
/** The library scans longer texts in quadratic time. */
const durationLengthMax = 64

/** `double` is the type of every JSON number. A record lists the members of an object: the check refuses any other. */
export type CelType =
  | "bool"
  | "bytes"
  | "double"
  | "dyn"
  | "int"
  | "list<string>"
  | "string"
  | "timestamp"
  | CelFields
export interface CelFields {
  readonly [name: string]: CelType
}

/**
 * The variables of an expression. Keep one constant for each use: its prepared environment lives as long as the
 * constant.
 */
export type Variables = CelFields

interface Results {
  readonly bool: boolean
  readonly number: number
  readonly dyn: unknown
}

export interface Expression<A> {
  readonly source: string
  /**
   * Never throws. Fails with one line: a missing member, a wrong type, or too many steps. `dyn` gives JSON: integers as
   * numbers, timestamps in RFC 3339, durations as seconds (`"90s"`), bytes in base64.
   */
  readonly evaluate: (values: { readonly [name: string]: unknown }) => Result.Result<A, ExpressionProblem>
}

const macros = new Set(["all", "exists", "exists_one", "map", "filter"])

/** Other functions of the library, such as `bytes.json()`, read external input without a bound. */
const functions = new Set([
  ...macros,
  "has",
  "bind",
  "size",
  "type",
  "dyn",
  "bool",
  "bytes",
  "double",
  "int",
  "string",
  "uint",
  "timestamp",
  "duration",
  "matches",
  "contains",
  "startsWith",
  "endsWith",
  "indexOf",
  "lastIndexOf",
  "substring",
  "split",
  "join",
  "trim",
  "lowerAscii",
  "upperAscii",
  "greatest",
  "least",
  "ceil",
  "floor",
  "round",
  "abs",
  "getFullYear",
  "getMonth",
  "getDate",
  "getDayOfMonth",
  "getDayOfWeek",
  "getDayOfYear",
  "getHours",
  "getMinutes",
  "getSeconds",
  "getMilliseconds"
])

/** Names of custom functions that replace built-in ones, which the library does not release. */
const replaced: ReadonlyMap<string, string> = new Map([["matches", "linearMatches"], ["duration", "boundedDuration"]])

/** Checks a source against its variables; fails with one line that names the place. */
export const compileExpression = <R extends keyof Results>(
  source: string,
  options: { readonly variables: Variables; readonly result: R }
): Result.Result<Expression<Results[R]>, ExpressionProblem> => {
  if (source.length > expressionLengthMax) {
    return Result.fail({ message: `An expression can have at most ${expressionLengthMax} characters.` })
  }
  try {
    const parsed = environmentOf(options.variables).parse(source)
    const root = parsed.ast as ASTNode & Node
    const refused = treeProblem(root, 0, 0)
    if (refused !== undefined) return Result.fail(refused)
    const checked = parsed.check()
    if (!checked.valid) return Result.fail(withKnown(problemOf(checked.error, source), Object.keys(options.variables)))
    if (!wanted[options.result](checked.type ?? "dyn")) {
      return Result.fail({
        message: `The expression gives a value of type ${checked.type}, not ${expected[options.result]}.`,
        range: { start: 0, end: source.length }
      })
    }
    meterTree(root)
    return Result.succeed({
      source,
      evaluate: (values) => {
        try {
          return withinBudget(() => read[options.result](parsed(prepared(values))))
        } catch (error) {
          return Result.fail(problemOf(error, source))
        }
      }
    })
  } catch (error) {
    return Result.fail(problemOf(error, source))
  }
}

const expected = { bool: "true or false", number: "a number", dyn: "a value" }

const wanted: Record<keyof Results, (type: string) => boolean> = {
  bool: (type) => type === "bool" || type.startsWith("dyn"),
  number: (type) => ["int", "double", "uint"].includes(type) || type.startsWith("dyn"),
  dyn: () => true
}

const read: { readonly [R in keyof Results]: (value: unknown) => Result.Result<Results[R], ExpressionProblem> } = {
  bool: (value) => typeof value === "boolean" ? Result.succeed(value) : wrongResult("bool"),
  number: (value) => {
    const number = toJson(value)
    return typeof number === "number" ? Result.succeed(number) : wrongResult("number")
  },
  dyn: (value) => Result.succeed(toJson(value))
}

const wrongResult = (result: keyof Results) =>
  Result.fail({ message: `The expression did not give ${expected[result]} for these values.` })

/** Checks the tree before the type check: names, nesting, literal patterns. Redirects calls of replaced functions. */
const treeProblem = (node: Node, depth: number, nesting: number): ExpressionProblem | undefined => {
  const at = (message: string, { end, start } = node): ExpressionProblem => ({ message, range: { start, end } })
  if (depth > treeDepthMax) return { message: "This expression is too complex. Split it." }
  const isCall = node.op === "call" || node.op === "rcall"
  const args = isCall ? node.args as Array<unknown> : []
  const name = String(args[0])
  const isMacro = node.op === "rcall" && macros.has(name)
  if (isCall) {
    if (!functions.has(name)) return at(noFunction(name, functions))
    if (isMacro && nesting === macroNestingMax) {
      return at(`Macros such as ${name} can be nested at most ${macroNestingMax} levels deep.`)
    }
    args[0] = replaced.get(name) ?? name
    const pattern = name === "matches" ? (args.at(-1) as ReadonlyArray<Node>).at(-1) : undefined
    if (pattern?.op === "value" && typeof pattern.args === "string") {
      const regex = compileRegex(pattern.args)
      if (Result.isFailure(regex)) return at(regex.failure, pattern)
    }
  }
  // A macro is checked in its written form, not in its expansion; its iterated list is not inside it.
  for (const below of isCall ? args.flat().filter(isNode) : nodesBelow(node)) {
    const problem = treeProblem(below, depth + 1, isMacro && below !== args[1] ? nesting + 1 : nesting)
    if (problem !== undefined) return problem
  }
  return undefined
}

const regexes = new Map<string, Regex>()
const regexesMax = 200
/** Steps of a linear match that count as one step of the evaluation. */
const matchStepsPerStep = 64

const linearMatches = (text: string, pattern: string): boolean => {
  let regex = regexes.get(pattern)
  if (regex === undefined) {
    spend(1_000)
    const compiled = compileRegex(pattern)
    if (Result.isFailure(compiled)) throw new Error(compiled.failure)
    if (regexes.size >= regexesMax) regexes.clear()
    regexes.set(pattern, regex = compiled.success)
  }
  spend(regex.cost(text.length) / matchStepsPerStep)
  return regex.test(text)
}

const durationOf = parse("duration(text)")

/** The class of `math`, so that its functions are methods as in CEL's own extension. */
class MathNamespace {
  readonly name = "math"
}

/** CEL's two kinds of numbers at run time. */
type Num = number | bigint
const real = (calculate: (left: number, right: number) => number) => (left: Num, right: Num) =>
  calculate(Number(left), Number(right))

const base = ((): Environment => {
  const environment = new Environment({
    homogeneousAggregateLiterals: false,
    limits: { maxAstNodes: nodesMax, maxDepth: 64, maxListElements: 500, maxMapEntries: 200, maxCallArguments: 8 }
  })
  const arithmetic: ReadonlyArray<readonly [string, (left: Num, right: Num) => number]> = [
    ["+", real((left, right) => left + right)],
    ["-", real((left, right) => left - right)],
    ["*", real((left, right) => left * right)],
    ["/", real((left, right) => left / right)],
    ["%", real((left, right) => left % right)]
  ]
  for (const [operator, calculate] of arithmetic) {
    environment.registerOperator(`double ${operator} int: double`, calculate)
    environment.registerOperator(`int ${operator} double: double`, calculate)
  }
  environment.registerOperator("double % double: double", real((left, right) => left % right))
  // `!=`, and both with the operands swapped, are derived from it.
  environment.registerOperator("double == int: bool", (left: Num, right: Num) => left == right)

  const sync = { async: false }
  environment.registerFunction("string.linearMatches(string): bool", linearMatches, sync)
  environment.registerFunction("linearMatches(string, string): bool", linearMatches, sync)
  environment.registerFunction("boundedDuration(string): google.protobuf.Duration", (text: string) => {
    if (text.length > durationLengthMax) throw new Error(`A duration can have at most ${durationLengthMax} characters.`)
    return durationOf({ text }) as unknown
  }, sync)

  environment.registerType("Math", MathNamespace)
  environment.registerConstant("math", "Math", new MathNamespace())
  const ofTwo: ReadonlyArray<readonly [string, (one: Num, other: Num) => Num]> = [
    ["greatest", (one, other) => one >= other ? one : other],
    ["least", (one, other) => one <= other ? one : other]
  ]
  for (const [name, choose] of ofTwo) {
    const handler = (_: unknown, one: unknown, other: unknown) => choose(number(one), number(other))
    environment.registerFunction(`Math.${name}(dyn, dyn): dyn`, handler, sync)
  }
  const ofOne = [["ceil", Math.ceil], ["floor", Math.floor], ["round", Math.round], ["abs", Math.abs]] as const
  for (const [name, calculate] of ofOne) {
    const handler = (_: unknown, one: unknown) => calculate(Number(number(one)))
    environment.registerFunction(`Math.${name}(dyn): double`, handler, sync)
  }
  return environment
})()

const number = (value: unknown): Num => {
  if (typeof value === "number" || typeof value === "bigint") return value
  throw new Error("A function of math takes numbers.")
}

const environments = new WeakMap<Variables, Environment>()

const environmentOf = (variables: Variables): Environment => {
  const known = environments.get(variables)
  if (known !== undefined) return known
  const environment = base.clone()
  for (const [name, type] of Object.entries(variables)) {
    if (typeof type === "string") environment.registerVariable(name, celName(type))
    else environment.registerVariable(name, { schema: fields(type) })
  }
  environments.set(variables, environment)
  return environment
}

const celName = (type: string): string => type === "timestamp" ? "google.protobuf.Timestamp" : type

type Fields = { [name: string]: string | Fields }
const fields = (types: CelFields): Fields =>
  Object.fromEntries(
    Object.entries(types).map(([name, type]) => [name, typeof type === "string" ? celName(type) : fields(type)])
  )

const withConstructor = new WeakMap<object, unknown>()

/**
 * The library treats an object with a member called `constructor` as a class instance; a Map is treated as an object.
 */
const prepared = (values: { readonly [name: string]: unknown }): Record<string, unknown> => {
  const context: Record<string, unknown> = Object.create(null)
  for (const name of Object.keys(values)) {
    const value = values[name]
    if (typeof value !== "object" || value === null) context[name] = value
    else {
      if (!withConstructor.has(value)) withConstructor.set(value, namesConstructor(value) ? asMaps(value) : value)
      context[name] = withConstructor.get(value)
    }
  }
  return context
}

const namesConstructor = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(namesConstructor)
  if (!isJsonObject(value)) return false
  if (Object.hasOwn(value, "constructor")) return true
  for (const name in value) if (namesConstructor(value[name])) return true
  return false
}

const asMaps = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(asMaps)
    : isJsonObject(value) && !(value instanceof Date)
    ? new Map(Object.keys(value).map((name) => [name, asMaps(value[name])]))
    : value

/** A CEL value as JSON. */
const toJson = (value: unknown): unknown => {
  spend(1)
  if (typeof value === "bigint") return Number(value)
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(toJson)
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return base64(value)
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([name, member]) => [String(name), toJson(member)]))
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toJson(member)]))
  }
  const plain: unknown = value.valueOf()
  return typeof plain === "bigint" ? Number(plain) : String(value)
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const base64 = (bytes: Uint8Array): string => {
  let text = ""
  for (let at = 0; at < bytes.length; at += 3) {
    const bits = bytes[at]! << 16 | (bytes[at + 1] ?? 0) << 8 | (bytes[at + 2] ?? 0)
    for (let part = 0; part < 4; part++) text += at + part > bytes.length ? "=" : alphabet[bits >> 18 - 6 * part & 63]!
  }
  return text
}
