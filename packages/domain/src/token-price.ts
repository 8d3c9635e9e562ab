/**
 * Prices of tokens, exact: whole picodollars (10^-12 USD) per token, summed as integers and rounded once, to
 * micro-cents (10^-8 USD). Spec: reference/models.md "Price of tokens".
 */

/** Picodollars of a micro-cent and of a cent. */
const picosInMicroCent = 10_000n
const picosInCent = 10_000_000_000n
const microCentsInCent = 1_000_000
/** A cache entry that lives an hour costs this much more than one of five minutes, in percent (Anthropic's rates). */
const hourWritePercent = 160n

export interface TokenRate {
  /** Of a token of input that no cache holds. */
  readonly prompt: number
  readonly completion: number
  /** Of a token that is read from the provider's cache, and of one that is written to it. */
  readonly cacheRead: number
  readonly cacheWrite: number
}

export interface TokenRates extends TokenRate {
  /** Rates of calls with more input than `above` tokens, by `above`. */
  readonly tiers: ReadonlyArray<TokenRate & { readonly above: number }>
}

/** `input` is all input: tokens from the cache and tokens written to it are parts of it. */
export interface TokenCounts {
  readonly input: number
  readonly cached: number
  readonly written: number
  /** The part of `written` that lives an hour. */
  readonly writtenHour: number
  /** With reasoning. */
  readonly output: number
}

export const noTokens: TokenCounts = { input: 0, cached: 0, written: 0, writtenHour: 0, output: 0 }

/** Whole picodollars of a decimal amount in USD, rounded up; `undefined` for a text that is no such amount. */
export const picosOf = (usd: string): number | undefined => {
  const [, whole = "", fraction = "", exponent = "0"] = /^(\d{1,7})(?:\.(\d{1,30}))?(?:[eE](-?\d{1,2}))?$/u.exec(usd) ??
    []
  if (whole === "") return undefined
  const shift = 12 + Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  const picos = shift >= 0
    ? digits * 10n ** BigInt(shift)
    : (digits + 10n ** BigInt(-shift) - 1n) / 10n ** BigInt(-shift)
  return picos <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(picos) : undefined
}

const tierOf = (rates: TokenRates, input: number): TokenRate =>
  rates.tiers.findLast(({ above }) => input > above) ?? rates

/** The cost of a call in micro-cents, to the nearest one; half a micro-cent is rounded up. */
export const microCentsOf = (rates: TokenRates, counts: TokenCounts): number => {
  const rate = tierOf(rates, counts.input)
  const cached = Math.min(counts.cached, counts.input)
  const written = Math.min(counts.written, counts.input - cached)
  const hour = Math.min(counts.writtenHour, written)
  const picos = BigInt(counts.input - cached - written) * BigInt(rate.prompt) +
    BigInt(cached) * BigInt(rate.cacheRead) +
    BigInt(written - hour) * BigInt(rate.cacheWrite) +
    (BigInt(hour) * BigInt(rate.cacheWrite) * hourWritePercent + 99n) / 100n +
    BigInt(counts.output) * BigInt(rate.completion)
  return Number((picos + picosInMicroCent / 2n) / picosInMicroCent)
}

/** A reported amount in USD as micro-cents; `undefined` for anything that is no amount. */
export const microCentsOfUsd = (usd: unknown): number | undefined => {
  if (typeof usd !== "number" || !Number.isFinite(usd) || usd < 0) return undefined
  const micros = Math.round(usd * 100 * microCentsInCent)
  return Number.isSafeInteger(micros) ? micros : undefined
}

/**
 * The most that a call can cost, in whole cents: all input at the dearest rate that it can have in any tier that it can
 * reach, all output at the highest rate of these tiers.
 */
export const ceilingCentsOf = (rates: TokenRates, inputMax: number, outputMax: number): number => {
  const reached = [rates, ...rates.tiers.filter(({ above }) => inputMax > above)]
  const dearest = (of: (rate: TokenRate) => number) => BigInt(Math.max(...reached.map(of)))
  const picos =
    BigInt(inputMax) * dearest(({ cacheRead, cacheWrite, prompt }) => Math.max(prompt, cacheRead, cacheWrite)) +
    BigInt(outputMax) * dearest(({ completion }) => completion)
  return Number((picos + picosInCent - 1n) / picosInCent)
}

/** The most tokens of output that `cents` can pay for beside the input; negative when the input alone costs more. */
export const outputTokensFor = (rates: TokenRates, inputMax: number, cents: number): number => {
  const reached = [rates, ...rates.tiers.filter(({ above }) => inputMax > above)]
  const input = BigInt(inputMax) *
    BigInt(Math.max(...reached.flatMap(({ cacheRead, cacheWrite, prompt }) => [prompt, cacheRead, cacheWrite])))
  const completion = BigInt(Math.max(...reached.map(({ completion }) => completion)))
  const left = BigInt(cents) * picosInCent - input
  if (completion === 0n) return left >= 0n ? Number.MAX_SAFE_INTEGER : -1
  return left < 0n ? -1 : Math.min(Number(left / completion), Number.MAX_SAFE_INTEGER)
}

/** Micro-cents as a decimal amount in USD, such as 0.00014. */
export const usdOf = (microCents: number): number => microCents / (100 * microCentsInCent)
/** Micro-cents as cents with six decimals, the form of an adapter's actual price. */
export const centsOf = (microCents: number): number => microCents / microCentsInCent
