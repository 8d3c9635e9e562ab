/**
 * Finds the agent of a key. This runs in every dispatch, so results are cached in memory: a hit costs a SHA-256 and a
 * map look-up. A rotated key ends with the signal of its workspace; if the signal is lost, with the next read, seconds
 * later; and dispatch checks the agent's version under the lock in any case. A rotation changes that version, so the
 * begins of an agent's requests keep its keys fresh.
 */
import type { AgentPrincipal } from "@countersign/domain/auth"
import { parseCredential } from "@countersign/domain/credentials"
import { type Unauthorized, unauthorized } from "@countersign/domain/errors"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { BatchedReads } from "../platform/batched-reads.ts"
import { onStale, renew } from "../platform/cache.ts"
import { ConfirmedVersions } from "../platform/confirmed-versions.ts"
import { Signals } from "../platform/signals.ts"
import { makeCredentialsRepository } from "./credentials-repository.ts"
import { credentialHash, credentialKey } from "./hash.ts"

/** Maximum number of keys in memory; beyond it the least recently used one is dropped. */
const keysMax = 10_000
/**
 * Entries older than the first are refreshed while they are used; entries older than the second, before they are used.
 */
const freshMillis = 5_000
const staleMillis = 15_000
/** How often an agent's last-seen time is written. */
const lastSeenMillis = 60_000
const flushInterval = "1 second"

interface Known {
  readonly principal: Omit<AgentPrincipal, "ip">
  /** By this process's monotonic clock, like every time in this file. */
  readonly endsAt: number
  freshUntil: number
  staleAt: number
}

const mistyped = unauthorized(
  "The agent key is mistyped: its check characters do not match. Copy the whole value again."
)
const unknown = unauthorized(
  "The agent key is unknown: it was rotated, its agent was deleted, or it belongs to another hub. Use the agent's current key."
)
const ended = unauthorized(
  "The agent key has expired: it was rotated and its grace period is over. Use the agent's current key."
)

export class AgentKeys extends Context.Service<AgentKeys, {
  /** 401 when it is mistyped (without a look-up), unknown, rotated, expired, or its agent is deleted. */
  readonly find: (token: string, ip: string) => Effect.Effect<AgentPrincipal, Unauthorized>
  /** Returns a fresh entry from memory without waiting. */
  readonly findKnown: (token: string, ip: string) => AgentPrincipal | undefined
}>()("@countersign/hub/auth/AgentKeys") {
  static readonly layer = Layer.effect(
    AgentKeys,
    Effect.gen(function*() {
      const repository = yield* makeCredentialsRepository
      const signals = yield* Signals
      const versions = yield* ConfirmedVersions
      const known = new LRUCache<string, Known>({ max: keysMax })
      const seen = new LRUCache<AgentId, true>({ max: keysMax, ttl: lastSeenMillis, ttlResolution: 1_000 })
      const lastSeen = new Map<AgentId, OrgId>()
      const context = yield* Effect.context<never>()
      const run = Effect.runForkWith(context)
      const reads = new BatchedReads((hashes: ReadonlyArray<Uint8Array>) =>
        Effect.runPromiseWith(context)(repository.agentKeys(hashes))
      )
      // Raised by every change: the result of a read that began before a change is used, and not cached.
      let changes = 0

      const stop = onStale(signals, (org) => {
        changes++
        if (org === undefined) return known.clear()
        const entries = [...known]
        for (const [key, { principal }] of entries) {
          if (principal.org_id === org) known.delete(key)
        }
      })
      yield* Effect.addFinalizer(() => Effect.sync(stop))

      const flush = Effect.suspend(() => {
        if (lastSeen.size === 0) return Effect.void
        const rows = [...lastSeen].sort(([a], [b]) => a < b ? -1 : 1)
        lastSeen.clear()
        return repository.recordLastSeen(rows)
      }).pipe(
        Effect.catchCause((cause) => Effect.logWarning("the last-seen times of agents could not be stored", cause))
      )
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(flushInterval), flush)))
      yield* Effect.addFinalizer(() => flush)

      const markSeen = (agent: AgentId, org: OrgId) => {
        if (seen.has(agent)) return
        seen.set(agent, true)
        lastSeen.set(agent, org)
      }

      const read = Effect.fnUntraced(function*(key: string, token: string) {
        const parsed = parseCredential(token)
        if (!parsed.ok || !parsed.kind.startsWith("agent_key_")) {
          return yield* Effect.fail(parsed.ok || parsed.reason === "unknown" ? unknown : mistyped)
        }
        const before = changes
        const row = yield* Effect.promise(() => reads.get(credentialHash(token)))
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
        if (before === changes) known.set(key, entry)
        return entry.principal
      })

      /** Not a key with an end: its time is read again by the database's clock. */
      const confirm = (entry: Known) => {
        const { agent_id, agent_version } = entry.principal
        if (entry.endsAt !== Number.POSITIVE_INFINITY) return
        renew(entry, versions.confirmedAt(agent_id, agent_version), { freshMillis, staleMillis })
      }

      const findKnown = (token: string, ip: string): AgentPrincipal | undefined => {
        const key = credentialKey(token)
        const now = performance.now()
        const entry = known.get(key)
        if (entry !== undefined && now >= entry.freshUntil) confirm(entry)
        if (entry === undefined || now >= entry.endsAt || now >= entry.staleAt) return undefined
        if (now >= entry.freshUntil) {
          // One caller refreshes the entry while the others continue.
          entry.freshUntil = entry.staleAt
          run(Effect.ignoreCause(read(key, token)))
        }
        markSeen(entry.principal.agent_id, entry.principal.org_id)
        return { ...entry.principal, ip }
      }

      return AgentKeys.of({
        findKnown,
        find: (token, ip) =>
          Effect.suspend(() => {
            const standing = findKnown(token, ip)
            if (standing !== undefined) return Effect.succeed(standing)
            return Effect.map(read(credentialKey(token), token), (principal): AgentPrincipal => {
              markSeen(principal.agent_id, principal.org_id)
              return { ...principal, ip }
            })
          })
      })
    })
  )
}
