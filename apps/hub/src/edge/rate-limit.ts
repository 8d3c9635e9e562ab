/**
 * Token buckets, one for each credential, counted by this process. Spec: contract 1 "Rate limits".
 * Own, because it stands on the path of every request: a take is synchronous and costs a map look-up.
 */
import { Context, Effect, Layer, Option } from "effect"
import { type Bucket, Settings } from "../config.ts"

/** Buckets kept at most; beyond it the fullest ones (idle the longest) are dropped, which only ever favours the caller. */
const bucketsMax = 100_000

export interface Taken {
  readonly allowed: boolean
  readonly remaining: number
  /** Whole seconds until a token is there again (refused), or until the bucket is full. */
  readonly resetSeconds: number
}

export interface RateLimiter {
  readonly policy: string
  readonly take: (key: string) => Taken
}

const unlimited: Taken = { allowed: true, remaining: Number.MAX_SAFE_INTEGER, resetSeconds: 0 }

export const makeRateLimiter = (
  name: string,
  setting: Option.Option<Bucket>,
  now: () => number = () => performance.now()
): RateLimiter | undefined => {
  if (Option.isNone(setting)) return undefined
  const { perSecond, burst } = setting.value
  const buckets = new Map<string, { tokens: number; at: number }>()
  return {
    policy: `"${name}";q=${burst};w=${Math.max(1, Math.round(burst / perSecond))}`,
    take: (key) => {
      const at = now()
      let bucket = buckets.get(key)
      if (bucket === undefined) {
        if (buckets.size >= bucketsMax) {
          const oldest = buckets.keys().next().value
          if (oldest !== undefined) buckets.delete(oldest)
        }
        bucket = { tokens: burst, at }
        buckets.set(key, bucket)
      } else {
        bucket.tokens = Math.min(burst, bucket.tokens + (at - bucket.at) / 1000 * perSecond)
        bucket.at = at
      }
      if (bucket.tokens < 1) {
        return { allowed: false, remaining: 0, resetSeconds: Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond)) }
      }
      bucket.tokens -= 1
      return { allowed: true, remaining: Math.floor(bucket.tokens), resetSeconds: Math.ceil((burst - bucket.tokens) / perSecond) }
    }
  }
}

export const takeFrom = (limiter: RateLimiter | undefined, key: string): Taken =>
  limiter === undefined ? unlimited : limiter.take(key)

/** The buckets of agents and of people: whoever lets a caller in takes from the same ones. */
export class RateLimits extends Context.Service<RateLimits, {
  readonly agent: RateLimiter | undefined
  readonly user: RateLimiter | undefined
}>()("@countersign/hub/edge/RateLimits") {
  static readonly layer = Layer.effect(RateLimits, Effect.map(Settings, ({ rateLimit }) =>
    RateLimits.of({ agent: makeRateLimiter("agent", rateLimit.agent), user: makeRateLimiter("user", rateLimit.user) })))
}
