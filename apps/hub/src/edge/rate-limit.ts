/**
 * Token buckets by credential, person, or address, counted by this process. Spec: reference/conventions.md "Rate
 * limits". Hand-written because every request takes from one: a take is synchronous and costs a few map operations.
 */
import { Context, Effect, Layer, Option } from "effect"
import ipaddr from "ipaddr.js"
import { type Bucket, Settings } from "../config.ts"

/** The most buckets that each limiter keeps. */
const bucketsMaxDefault = 100_000
/** Buckets compared before one is dropped: the fullest of the least recently used. */
const candidates = 32

export interface Taken {
  readonly allowed: boolean
  readonly remaining: number
  /** Whole seconds until a token is available again (refused), or until the bucket is full. */
  readonly resetSeconds: number
}

export interface RateLimiter {
  readonly policy: string
  readonly take: (key: string) => Taken
  /** Returns a token that was taken. */
  readonly giveBack: (key: string) => void
  /** Buckets in memory. */
  readonly size: () => number
}

const unlimited: Taken = { allowed: true, remaining: Number.MAX_SAFE_INTEGER, resetSeconds: 0 }

/** The header `RateLimit-Policy`. */
export const policyOf = (name: string, { burst, perSecond }: Bucket): string =>
  `"${name}";q=${burst};w=${Math.max(1, Math.round(burst / perSecond))}`

export const makeRateLimiter = (
  name: string,
  setting: Option.Option<Bucket>,
  { bucketsMax = bucketsMaxDefault, now = () => performance.now() }: {
    readonly bucketsMax?: number
    readonly now?: () => number
  } = {}
): RateLimiter | undefined => {
  if (Option.isNone(setting)) return undefined
  const { perSecond, burst } = setting.value
  /** In order of last use. A plain map, because the fullest of the oldest is dropped, not the oldest. */
  const buckets = new Map<string, { tokens: number; at: number }>()
  const tokensAt = (bucket: { readonly tokens: number; readonly at: number }, at: number) =>
    Math.min(burst, bucket.tokens + (at - bucket.at) / 1000 * perSecond)

  /**
   * A full bucket equals a new one, so dropping it changes nothing. An empty one is kept as long as a fuller one is
   * among the candidates, so a flood of other keys does not reset it.
   */
  const dropOne = (at: number) => {
    let dropped: string | undefined
    let fullest = -1
    let compared = 0
    for (const [key, bucket] of buckets) {
      const tokens = tokensAt(bucket, at)
      if (tokens > fullest) {
        fullest = tokens
        dropped = key
      }
      if (tokens >= burst || ++compared >= candidates) break
    }
    if (dropped !== undefined) buckets.delete(dropped)
  }

  const taken = (tokens: number): Taken =>
    tokens < 1
      ? { allowed: false, remaining: 0, resetSeconds: Math.max(1, Math.ceil((1 - tokens) / perSecond)) }
      : { allowed: true, remaining: Math.floor(tokens - 1), resetSeconds: Math.ceil((burst - tokens + 1) / perSecond) }

  return {
    policy: policyOf(name, setting.value),
    size: () => buckets.size,
    giveBack: (key) => {
      const bucket = buckets.get(key)
      if (bucket !== undefined) bucket.tokens = Math.min(burst, bucket.tokens + 1)
    },
    take: (key) => {
      const at = now()
      let bucket = buckets.get(key)
      if (bucket === undefined) {
        if (buckets.size >= bucketsMax) dropOne(at)
        bucket = { tokens: burst, at }
      } else {
        buckets.delete(key)
        bucket.tokens = tokensAt(bucket, at)
        bucket.at = at
      }
      buckets.set(key, bucket)
      const answer = taken(bucket.tokens)
      if (answer.allowed) bucket.tokens -= 1
      return answer
    }
  }
}

/** A limiter of `count` calls a minute, which allows all of them at once. */
export const perMinute = (name: string, count: number) =>
  makeRateLimiter(name, Option.some({ perSecond: count / 60, burst: count }))

/**
 * The key of an address in a limiter: an IPv6 address counts by its /64, the usual allocation of one customer; an
 * IPv4-mapped one counts as IPv4.
 */
export const addressKey = (address: string): string => {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6
    ? `${parsed.parts.slice(0, 4).map((part) => part.toString(16)).join(":")}::/64`
    : parsed.toString()
}

export const takeFrom = (limiter: RateLimiter | undefined, key: string): Taken =>
  limiter === undefined ? unlimited : limiter.take(key)

/** The response headers with the limit and its remainder. */
export const rateLimitHeaders = (limiter: RateLimiter, name: string, taken: Taken): Record<string, string> => ({
  "ratelimit-policy": limiter.policy,
  "ratelimit": `"${name}";r=${taken.remaining};t=${taken.resetSeconds}`
})

/** The buckets of agents and of people, shared by every entry point. */
export class RateLimits extends Context.Service<RateLimits, {
  readonly agent: RateLimiter | undefined
  readonly user: RateLimiter | undefined
}>()("@countersign/hub/edge/RateLimits") {
  static readonly layer = Layer.effect(
    RateLimits,
    Effect.map(Settings, ({ rateLimit }) =>
      RateLimits.of({
        agent: makeRateLimiter("agent", rateLimit.agent),
        user: makeRateLimiter("user", rateLimit.user)
      }))
  )
}
