/**
 * Calls that stay open: event streams, followed output, downloads, polls with `?wait=`, device sockets. Each caller and
 * each address may keep a bounded number of them, so that no caller uses up the hub's capacity. Counted by this
 * process.
 */
import { type RateLimited, tooManyOpen } from "@countersign/domain/errors"
import { Context, Effect, Layer, Option, type Scope } from "effect"
import { Settings } from "../config.ts"
import { addressKey } from "./rate-limit.ts"

/** Many people and devices may share an address, so it may keep this many times as many calls open as one caller. */
const callersPerAddress = 10

export class OpenCalls extends Context.Service<OpenCalls, {
  /**
   * Counts a call of a caller until the scope closes; 429 beyond the bound. The address counts only for people and for
   * unauthenticated callers: a fleet's agents and devices share one.
   */
  readonly hold: (caller: string, address?: string) => Effect.Effect<void, RateLimited, Scope.Scope>
}>()("@countersign/hub/edge/OpenCalls") {
  static readonly layer = Layer.effect(
    OpenCalls,
    Effect.map(Settings, ({ openCallsPerCaller }) => {
      const open = new Map<string, number>()
      const add = (key: string, by: 1 | -1) => {
        const count = (open.get(key) ?? 0) + by
        if (count === 0) open.delete(key)
        else open.set(key, count)
      }
      if (Option.isNone(openCallsPerCaller)) return OpenCalls.of({ hold: () => Effect.void })
      const perCaller = openCallsPerCaller.value
      return OpenCalls.of({
        hold: (caller, address) => {
          const held = [
            { key: `caller ${caller}`, max: perCaller },
            ...address === undefined
              ? []
              : [{ key: `address ${addressKey(address)}`, max: perCaller * callersPerAddress }]
          ]
          return Effect.acquireRelease(
            Effect.suspend(() => {
              const full = held.find(({ key, max }) => (open.get(key) ?? 0) >= max)
              if (full !== undefined) return Effect.fail(tooManyOpen(full.max))
              for (const { key } of held) add(key, 1)
              return Effect.void
            }),
            () =>
              Effect.sync(() => {
                for (const { key } of held) add(key, -1)
              })
          )
        }
      })
    })
  )
}
