/**
 * Agent keys to their agents. This stands on the path of every dispatch, so what was found is kept in memory: a hit costs a SHA-256 and
 * a map look-up. A key that was rotated away dies with the signal of its workspace; should the signal be lost, with the next reading,
 * seconds later; and dispatch decides on the agent's version under the lock in any case.
 */
import type { AgentPrincipal } from "@countersign/domain/auth"
import { parseCredential } from "@countersign/domain/credentials"
import { type Unauthorized, unauthorized } from "@countersign/domain/errors"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { onStale } from "../platform/cache.ts"
import { Signals } from "../platform/signals.ts"
import { makeCredentialsRepository } from "./credentials-repository.ts"
import { credentialHash, credentialKey } from "./hash.ts"

/** Keys held in memory; beyond it the one read first is dropped. */
const keysMax = 10_000
/** What is older is read again while it is used; what is older than the second, before it is used. */
const freshMillis = 5_000
const staleMillis = 15_000
/** How often an agent is noted as seen. */
const sightingMillis = 60_000
const sightingsFlush = "1 second"

interface Known {
  readonly principal: Omit<AgentPrincipal, "ip">
  /** By this process's monotonic clock, as every time here. */
  readonly endsAt: number
  freshUntil: number
  readonly staleAt: number
}

const mistyped = unauthorized(
  "The agent key is mistyped: its check characters do not fit the rest. Copy it again, whole."
)
const unknown = unauthorized(
  "The agent key is not known: it was rotated away, its agent was deleted, or it is another hub's. Use the agent's present key."
)
const ended = unauthorized(
  "The agent key has ended: it was rotated and its time of grace is over. Use the agent's present key."
)

export class AgentKeys extends Context.Service<AgentKeys, {
  /** 401 when it is mistyped (without a look-up), unknown, rotated away, ended, or its agent is gone. */
  readonly find: (token: string, ip: string) => Effect.Effect<AgentPrincipal, Unauthorized>
  /** What is in memory and fresh enough, without a wait. */
  readonly findKnown: (token: string, ip: string) => AgentPrincipal | undefined
}>()("@countersign/hub/auth/AgentKeys") {
  static readonly layer = Layer.effect(
    AgentKeys,
    Effect.gen(function*() {
      const repository = yield* makeCredentialsRepository
      const signals = yield* Signals
      const known = new Map<string, Known>()
      const seenUntil = new Map<string, number>()
      const sightings = new Map<string, string>()
      const run = Effect.runForkWith(yield* Effect.context<never>())
      // Raised by every change: a reading that began before one is used, and not kept.
      let changes = 0

      const stop = onStale(signals, (org) => {
        changes++
        if (org === undefined) return known.clear()
        for (const [key, { principal }] of known) {
          if (principal.org_id === org) known.delete(key)
        }
      })
      yield* Effect.addFinalizer(() => Effect.sync(stop))

      const flush = Effect.suspend(() => {
        if (sightings.size === 0) return Effect.void
        const rows = [...sightings].sort(([a], [b]) => a < b ? -1 : 1)
        sightings.clear()
        return repository.noteSightings(rows)
      }).pipe(Effect.catchCause((cause) => Effect.logWarning("agents seen could not be noted", cause)))
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(sightingsFlush), flush)))
      yield* Effect.addFinalizer(() => flush)

      const see = (agent: AgentId, org: OrgId, now: number) => {
        if ((seenUntil.get(agent) ?? 0) > now) return
        if (seenUntil.size >= keysMax) seenUntil.clear()
        seenUntil.set(agent, now + sightingMillis)
        sightings.set(agent, org)
      }

      const look = Effect.fnUntraced(function*(key: string, token: string) {
        const parsed = parseCredential(token)
        if (!parsed.ok || !parsed.kind.startsWith("agent_key_")) {
          return yield* Effect.fail(parsed.ok || parsed.reason === "unknown" ? unknown : mistyped)
        }
        const before = changes
        const row = yield* repository.agentKey(credentialHash(token))
        const now = performance.now()
        if (row === undefined || (row.left !== null && row.left <= 0)) {
          known.delete(key)
          return yield* Effect.fail(row === undefined ? unknown : ended)
        }
        const { left, ...principal } = row
        const entry: Known = {
          principal: { kind: "agent", ...principal },
          endsAt: left === null ? Number.POSITIVE_INFINITY : now + left,
          freshUntil: now + freshMillis,
          staleAt: now + staleMillis
        }
        if (before === changes) {
          if (known.size >= keysMax && !known.has(key)) known.delete(known.keys().next().value!)
          known.set(key, entry)
        }
        return entry.principal
      })

      const findKnown = (token: string, ip: string): AgentPrincipal | undefined => {
        const key = credentialKey(token)
        const now = performance.now()
        const entry = known.get(key)
        if (entry === undefined || now >= entry.endsAt || now >= entry.staleAt) return undefined
        if (now >= entry.freshUntil) {
          // One reader looks again while the others go on.
          entry.freshUntil = entry.staleAt
          run(Effect.ignoreCause(look(key, token)))
        }
        see(entry.principal.agent_id, entry.principal.org_id, now)
        return { ...entry.principal, ip }
      }

      return AgentKeys.of({
        findKnown,
        find: (token, ip) =>
          Effect.suspend(() => {
            const standing = findKnown(token, ip)
            if (standing !== undefined) return Effect.succeed(standing)
            const now = performance.now()
            return Effect.map(look(credentialKey(token), token), (principal): AgentPrincipal => {
              see(principal.agent_id, principal.org_id, now)
              return { ...principal, ip }
            })
          })
      })
    })
  )
}
