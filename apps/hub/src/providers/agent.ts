/** Connection pools of undici, whose modules are read at the first outbound call: they take a twentieth of a start. */
import { Effect, type Scope } from "effect"
import type { Agent } from "undici"

export type Undici = typeof import("undici")

export interface LazyAgent {
  /** The pool, once it is open. */
  readonly opened: () => Agent | undefined
  readonly open: () => Promise<Agent>
}

/** A pool that its first call opens. The end of the scope destroys it. */
export const lazyAgent = (make: (undici: Undici) => Agent): Effect.Effect<LazyAgent, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      let agent: Agent | undefined
      let opening: Promise<Agent> | undefined
      const open = () => opening ??= import("undici").then((undici) => agent = make(undici))
      return { opened: () => agent, open, end: async () => (await opening)?.destroy() }
    }),
    ({ end }) => Effect.promise(async () => end())
  )
