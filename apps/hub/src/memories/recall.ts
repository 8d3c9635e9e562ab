/**
 * What an agent remembers, without a check of rights: for the endpoints, and for chats and workflows that act for the
 * agent. Spec: reference/memories.md "Search", "Limits".
 */
import { type ApiError, conflict, invalidField, notFound } from "@countersign/domain/errors"
import { type AgentId, type MemoryId, newId, type OrgId } from "@countersign/domain/ids"
import {
  type CreateMemoryInput,
  type Memory,
  memoryImportanceDefault,
  type MemoryKind
} from "@countersign/domain/memories"
import { momentMillis } from "@countersign/domain/time"
import { Context, Effect, Layer, Option } from "effect"
import { AgentsRepository } from "../agents/repository.ts"
import { Settings } from "../config.ts"
import { cosine, decodeHalves } from "../knowledge/vectors.ts"
import { type Actor, AuditLog, hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { MemoryEmbedding } from "./embedding.ts"
import { MemoriesRepository, type MemoryFilter, type MemoryRow, type StoredVector } from "./repository.ts"
import { expiryProblem, wordScore, wordsOf } from "./rules.ts"

/** Codes find this many candidates at least; the vectors rank them. */
const candidatesMin = 200
/** Expired memories that a write deletes at once to make room. */
const expiredBatch = 100

export interface RecallQuery extends Partial<MemoryFilter> {
  readonly q: string
  readonly limit: number
}

/** A memory to store, with its vector. */
export interface PreparedMemory extends CreateMemoryInput {
  readonly vector: StoredVector | null
  readonly source?: Memory["source"]
  /** Default: a new one. */
  readonly id?: string
}

export class AgentMemory extends Context.Service<AgentMemory, {
  /** The memories nearest in meaning, best first; by words where a vector or the embedder is missing. */
  readonly recall: (org: OrgId, agent: AgentId, query: RecallQuery) => Effect.Effect<ReadonlyArray<Memory>>
  /** Embeds and stores a memory in a separate transaction. Do not call it in a transaction. */
  readonly store: (
    org: OrgId,
    agent: AgentId,
    actor: Actor,
    input: CreateMemoryInput & Pick<PreparedMemory, "source">
  ) => Effect.Effect<Memory, ApiError>
  /** Outside of a transaction: the vector of a memory to store. */
  readonly prepare: (input: CreateMemoryInput) => Effect.Effect<PreparedMemory>
  /** Stores a prepared memory of an agent that exists. Call it under the workspace's lock, last in a transaction. */
  readonly insert: (
    org: OrgId,
    agent: AgentId,
    actor: Actor,
    memory: PreparedMemory,
    at: Date
  ) => Effect.Effect<Memory, ApiError>
  /** Links only to other memories of the agent that exist. Call it under the workspace's lock. */
  readonly checkLinks: (
    org: OrgId,
    agent: AgentId,
    links: ReadonlyArray<string>,
    at: Date
  ) => Effect.Effect<void, ApiError>
  /** Deletes expired memories of an agent; returns their number. Call it under the workspace's lock. */
  readonly removeExpired: (org: OrgId, agent: AgentId, at: Date) => Effect.Effect<number>
}>()("@countersign/hub/memories/AgentMemory") {
  static readonly layer = Layer.effect(
    AgentMemory,
    Effect.gen(function*() {
      const repository = yield* MemoriesRepository
      const agents = yield* AgentsRepository
      const embedding = yield* MemoryEmbedding
      const { memoriesMax } = yield* Settings
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db

      const recall = Effect.fn("AgentMemory.recall")(function*(
        org: OrgId,
        agent: AgentId,
        { kind, limit, q, tag }: RecallQuery
      ) {
        const vector = Option.getOrUndefined(yield* embedding.embed(q, "query"))
        const filter = { kind, tag }
        const near = vector === undefined ? [] : yield* repository.near(org, agent, {
          ...filter,
          vector,
          limit: Math.max(candidatesMin, 2 * limit)
        })
        const byMeaning = near.map((row) => ({
          ...toMemory(row),
          score: vector === undefined ? 0 : cosine(vector.numbers, decodeHalves(row.emb)),
          matched_by: "meaning" as const
        }))
        const words = wordsOf(q)
        const found = words.length === 0
          ? []
          : yield* repository.byWords(org, agent, { ...filter, words, model: vector?.model, limit })
        const byWords = found.map((row) => ({
          ...toMemory(row),
          score: wordScore(row.found / words.length),
          matched_by: "words" as const
        }))
        return [...byMeaning, ...byWords]
          .sort((one, other) => other.score - one.score || (one.id < other.id ? 1 : -1))
          .slice(0, limit)
          .map((memory) => ({ ...memory, score: Math.round(memory.score * 10_000) / 10_000 }))
      })

      const checkLinks = Effect.fnUntraced(function*(
        org: OrgId,
        agent: AgentId,
        links: ReadonlyArray<string>,
        at: Date
      ) {
        if (links.length === 0) return
        const known = yield* repository.living(org, agent, links, at)
        const missing = links.findIndex((id) => !known.has(id))
        if (missing !== -1) return yield* Effect.fail(invalidField(`links.${missing}`, "the agent has no such memory"))
      })

      const removeExpired = Effect.fnUntraced(function*(org: OrgId, agent: AgentId, at: Date) {
        const removed = yield* repository.remove(org, agent, yield* repository.expired(org, agent, at, expiredBatch))
        if (removed.length > 0) {
          yield* audit.record(org, hubActor, {
            action: "memory.expired",
            subject: { type: "agent", id: agent },
            agent_id: agent,
            data: { memories: removed.length, memory_ids: removed }
          })
        }
        return removed.length
      })

      const makeRoom = Effect.fnUntraced(function*(org: OrgId, agent: AgentId, at: Date) {
        if ((yield* repository.totalOf(org, agent)) < memoriesMax) return
        yield* removeExpired(org, agent, at)
        if ((yield* repository.totalOf(org, agent)) >= memoriesMax) return yield* Effect.fail(overQuota(memoriesMax))
      })

      const insert = Effect.fnUntraced(function*(
        org: OrgId,
        agent: AgentId,
        actor: Actor,
        memory: PreparedMemory,
        at: Date
      ) {
        const { content, expires_at: expires, kind, links = [], source, tags = [], vector } = memory
        const problem = expires === undefined ? undefined : expiryProblem(expires, at)
        if (problem !== undefined) return yield* Effect.fail(invalidField("expires_at", problem))
        yield* checkLinks(org, agent, links, at)
        yield* makeRoom(org, agent, at)
        const id = memory.id ?? newId("mem")
        const importance = memory.importance ?? memoryImportanceDefault
        const row = {
          id: id as MemoryId,
          agent_id: agent as AgentId,
          kind,
          content,
          tags,
          importance,
          source_type: source?.type ?? null,
          source_id: source?.id ?? null,
          expires_at: expires === undefined ? null : new Date(momentMillis(expires)),
          created_at: at
        }
        yield* repository.insert(org, { ...row, vector })
        yield* repository.link(org, id, links)
        yield* audit.record(org, actor, {
          action: "memory.created",
          subject: { type: "memory", id },
          agent_id: agent,
          data: { kind, ...source === undefined ? {} : { source } }
        })
        return toMemory({ ...row, links: links as ReadonlyArray<MemoryId>, updated_at: at })
      })

      const prepare = <I extends CreateMemoryInput>(input: I) =>
        Effect.map(embedding.embed(input.content, "document"), (vector) => ({
          ...input,
          vector: Option.getOrNull(vector)
        }))

      const insertOf = Effect.fnUntraced(function*(org: OrgId, agent: AgentId, actor: Actor, memory: PreparedMemory) {
        const at = yield* heads.lock(org)
        if (Option.isNone(yield* agents.find(org, agent))) return yield* Effect.fail(notFound("agent"))
        return yield* insert(org, agent, actor, memory, at)
      }, db.transaction)

      return AgentMemory.of({
        recall,
        prepare,
        insert,
        checkLinks,
        removeExpired,
        store: Effect.fn("AgentMemory.store")(function*(org, agent, actor, input) {
          return yield* insertOf(org, agent, actor, yield* prepare(input))
        })
      })
    })
  )
}

export const overQuota = (max: number): ApiError =>
  conflict("memory_quota_exceeded", `An agent can have ${max} memories; delete one first.`, { max })

export const toMemory = (row: MemoryRow): Memory => ({
  id: row.id,
  agent_id: row.agent_id,
  content: row.content,
  kind: row.kind satisfies MemoryKind,
  tags: row.tags,
  importance: row.importance,
  links: row.links,
  ...row.source_type === null || row.source_id === null ? {} : { source: { type: row.source_type, id: row.source_id } },
  ...row.expires_at === null ? {} : { expires_at: row.expires_at.toISOString() },
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString()
})
