/**
 * Prices of operations: fixed, or quoted by CEL over the payload, with the actual cost read from the provider's answer.
 * Spec: reference/requests.md "Price and ceiling". Limits are checked against the ceiling, and the ceiling is held; the
 * actual cost is debited.
 */
import { Result, Schema } from "effect"
import type { Detail } from "./errors.ts"
import { type ExpressionProblem, problemText } from "./expression-problem.ts"
import { compileExpression, type Expression, expressionLengthMax } from "./expression.ts"
import { dottedPath } from "./json.ts"
import { amountCentsMax, Cents } from "./money.ts"
import { matching } from "./pattern.ts"
import { parsePointer, pointerLengthMax } from "./pointer.ts"
import { ceilingCentsOf, picosOf, type TokenRates } from "./token-price.ts"

const Cel = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(expressionLengthMax)).annotate({
  description: "A CEL expression over `payload` that returns a number of cents, such as `payload.items.size() * 25`; " +
    "fractions are rounded up"
})

export const FixedPrice = Schema.Struct({
  type: Schema.Literal("fixed"),
  cents: Cents.annotate({ description: "Whole cents for each executed request" })
})

export const QuotedPrice = Schema.Struct({
  type: Schema.Literal("quoted"),
  ceiling: Cel,
  estimate: Schema.optionalKey(Cel),
  /** Points to a number of cents in the provider's first answer. Without it the ceiling is charged. */
  actual: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(pointerLengthMax)).annotate({
      description:
        "A JSON Pointer (RFC 6901) to a number of cents in the provider's response. Fractions of a cent, up to " +
        "six decimals, are carried over to the agent's later requests, without loss or rounding up. Without it, " +
        "the ceiling is charged."
    })
  )
})

export const Price = Schema.Union([FixedPrice, QuotedPrice]).annotate({ identifier: "Price" })
export type Price = typeof Price.Type

const UsdPerToken = Schema.String.check(
  matching(/^\d{1,4}(?:\.\d{1,12})?$/u, "USD per token as decimal text, such as 0.0000025")
).annotate({ description: "USD per token, as decimal text" })

/** Of shipped services only: the model catalog has the rates. */
export const TokensPrice = Schema.Struct({
  type: Schema.Literal("tokens"),
  default: Schema.optionalKey(
    Schema.Struct({ prompt: UsdPerToken, completion: UsdPerToken }).annotate({
      description: "The rates of a model that the catalog has no price for. Without them such a model is refused."
    })
  )
}).annotate({
  identifier: "TokensPrice",
  description:
    "By tokens, at the rates of the model catalog, exact to the micro-cent. The ceiling is one token for each byte of " +
    "the input, and `max_tokens` of the output."
})
export type TokensPrice = typeof TokensPrice.Type

export const OperationPrice = Schema.Union([FixedPrice, QuotedPrice, TokensPrice]).annotate({
  identifier: "OperationPrice"
})
export type OperationPrice = typeof OperationPrice.Type

/** The rates of a model without its own; `undefined` when such models are refused. */
export const defaultRatesOf = ({ default: rates }: TokensPrice): TokenRates | undefined => {
  const prompt = picosOf(rates?.prompt ?? "")
  const completion = picosOf(rates?.completion ?? "")
  return prompt === undefined || completion === undefined
    ? undefined
    : { prompt, completion, cacheRead: prompt, cacheWrite: prompt, tiers: [] }
}

/** The most tokens of a call, and its model. */
export interface TokenBounds {
  readonly model: string
  readonly inputMax: number
  readonly outputMax: number
}

/** The ceiling of a call by tokens, in whole cents. Fails where the model has no price. */
export const tokensCeiling = (
  price: TokensPrice,
  { inputMax, model, outputMax }: TokenBounds,
  ratesOf: (model: string) => TokenRates | undefined
): Result.Result<number, ExpressionProblem> => {
  const rates = ratesOf(model) ?? defaultRatesOf(price)
  if (rates === undefined) {
    return Result.fail({
      message: `The model ${
        JSON.stringify(model)
      } has no price. Choose one of GET /models, or ask the operator for a default price.`
    })
  }
  const cents = ceilingCentsOf(rates, inputMax, outputMax)
  return cents <= amountCentsMax
    ? Result.succeed(cents)
    : Result.fail({ message: `The price is not between 0 and ${amountCentsMax} cents for this payload.` })
}

const variables = { payload: "dyn" } as const

const expressions = new Map<string, Result.Result<Expression<number>, ExpressionProblem>>()
/** Cached compiled expressions; a compilation takes about 15 µs. */
const expressionsMax = 1_000

const expressionOf = (source: string): Result.Result<Expression<number>, ExpressionProblem> => {
  let expression = expressions.get(source)
  if (expression === undefined) {
    expression = compileExpression(source, { variables, result: "number" })
    if (expressions.size >= expressionsMax) expressions.clear()
    expressions.set(source, expression)
  }
  return expression
}

/** All problems that prevent a price from being saved, paths beginning with `at`; empty when it may be saved. */
export const checkPrice = (price: OperationPrice, at = "price"): ReadonlyArray<Detail> => {
  if (price.type !== "quoted") return []
  const problems: Array<Detail> = []
  for (const name of ["ceiling", "estimate"] as const) {
    const source = price[name]
    const expression = source === undefined ? undefined : expressionOf(source)
    if (expression !== undefined && Result.isFailure(expression)) {
      problems.push({ path: dottedPath(at, name), message: problemText(source ?? "", expression.failure) })
    }
  }
  const pointer = parsePointer(price.actual ?? "")
  if (Result.isFailure(pointer)) problems.push({ path: dottedPath(at, "actual"), message: pointer.failure })
  return problems
}

/**
 * For each expression that does not read the payload and always fails, the reason; paths begin with `at`. Such a price
 * can be saved.
 */
export const priceWarnings = (price: Price, at: string): ReadonlyArray<Detail> => {
  if (price.type === "fixed") return []
  return (["ceiling", "estimate"] as const).flatMap((name) => {
    const source = price[name]
    if (source === undefined || /\bpayload\b/u.test(source)) return []
    const quoted = quote(source, {})
    if (Result.isSuccess(quoted)) return []
    const effect = name === "ceiling" ? "every request is refused" : "the ceiling is shown instead"
    return [{
      path: dottedPath(at, name),
      message: `This can never be calculated, and ${effect}: ${quoted.failure.message}`
    }]
  })
}

/**
 * Removes the noise of binary fractions from a double: fifteen significant digits, six decimals. `0.1 * 30`, which is
 * 3.0000000000000004, is 3; a difference of less than a micro-cent is never intended.
 */
const settled = (number: number): number => Number(Number(number.toPrecision(15)).toFixed(6))

/** The message includes the place and the expression, because it goes to callers who cannot see the price. */
const quote = (source: string, payload: unknown): Result.Result<number, ExpressionProblem> => {
  const quoted = Result.flatMap(expressionOf(source), (expression) => expression.evaluate({ payload }))
  if (Result.isFailure(quoted)) return Result.fail({ message: problemText(source, quoted.failure) })
  const number = Number.isFinite(quoted.success) ? settled(quoted.success) : Number.NaN
  const cents = Math.ceil(number)
  return number >= 0 && cents <= amountCentsMax
    ? Result.succeed(cents + 0) // -0 becomes 0
    : Result.fail({ message: `The price is not between 0 and ${amountCentsMax} cents for this payload.` })
}

/**
 * Whole cents, fractions rounded up after binary noise is removed. Fails where the expression fails, or outside 0…1e11:
 * path `price`.
 */
export const ceilingOf = (price: Price, payload: unknown): Result.Result<number, ExpressionProblem> =>
  price.type === "fixed" ? Result.succeed(price.cents) : quote(price.ceiling, payload)

/** The probable cost: never above the ceiling, and the ceiling itself without a valid estimate. */
export const estimateOf = (price: Price, payload: unknown): Result.Result<number, ExpressionProblem> => {
  const ceiling = ceilingOf(price, payload)
  if (price.type === "fixed" || price.estimate === undefined || Result.isFailure(ceiling)) return ceiling
  const estimate = quote(price.estimate, payload)
  return Result.isSuccess(estimate) && estimate.success < ceiling.success ? estimate : ceiling
}

/**
 * An amount with its fraction: whole cents, and 0…999,999 millionths of one. Two numbers, because 1e11 cents in
 * micro-cents exceed 2^53; both are exact.
 */
export interface MicroCents {
  readonly cents: number
  readonly micros: number
}

export interface Actual extends MicroCents {
  /** False when the provider gave no number: the ceiling is charged, and `price_unreadable` is audited. */
  readonly readable: boolean
  /** The provider's amount, rounded up to whole cents, where it is above the ceiling. */
  readonly reportedCents?: number
}

/**
 * A provider's amount, to the nearest of six decimals, limited to 0…ceiling. Texts, null, NaN, and infinities are not
 * numbers.
 */
export const actualOf = (value: unknown, ceilingCents: number): Actual => {
  if (typeof value !== "number" || !Number.isFinite(value)) return { cents: ceilingCents, micros: 0, readable: false }
  if (value > ceilingCents) {
    return {
      cents: ceilingCents,
      micros: 0,
      readable: true,
      reportedCents: Math.min(Math.ceil(value), Number.MAX_SAFE_INTEGER)
    }
  }
  if (value === ceilingCents) return { cents: ceilingCents, micros: 0, readable: true }
  if (value <= 0) return { cents: 0, micros: 0, readable: true }
  // The text as written, if it has at most six decimals; a large double has no further digits.
  const written = /^\d+(?:\.\d{1,6})?$/.test(String(value)) ? String(value) : value.toFixed(6)
  const [cents = "0", decimals = ""] = written.split(".")
  return { cents: Number(cents), micros: Number(decimals.padEnd(6, "0")), readable: true }
}
