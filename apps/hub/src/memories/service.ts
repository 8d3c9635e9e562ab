/** Memories of agents for people and for the agents themselves. Spec: reference/memories.md "Endpoints". */
import type { Principal } from "@countersign/domain/auth"
import { type ApiError, invalidField, notFound } from "@countersign/domain/errors"
import { type AgentId, idPattern, type OrgId } from "@countersign/domain/ids"
import {
  type CreateMemoryInput,
  graphNodesMax,
  type Memory,
  type MemoryEdge,
  type MemoryGraph,
  type MemoryKind,
  type UpdateMemoryInput
} from "@countersign/domain/memories"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { momentMillis } from "@countersign/domain/time"
import { Context, Effect, Layer, Option } from "effect"
import { ownAgentIn } from "../agents/own-agent.ts"
import { AgentsRepository } from "../agents/repository.ts"
import { decodeHalves } from "../knowledge/vectors.ts"
import { callerLock } from "../members/caller-lock.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { MemoryEmbedding } from "./embedding.ts"
import { AgentMemory, toMemory } from "./recall.ts"
import { MemoriesRepository, type MemoryChange } from "./repository.ts"
import { edgesOf, expiryProblem } from "./rules.ts"

export interface MemoryQuery extends PageQuery {
  readonly q?: string
  readonly kind?: MemoryKind
  readonly tag?: string
}

export class Memories extends Context.Service<Memories, {
  /** Newest first; with `q` a search by meaning. */
  readonly list: (principal: Principal, agent: AgentId, query: MemoryQuery) => Effect.Effect<PageOf<Memory>, ApiError>
  readonly get: (principal: Principal, agent: AgentId, id: string) => Effect.Effect<Memory, ApiError>
  /** Of concurrent writes those that fit the quota succeed; every other is 409 `memory_quota_exceeded`. */
  readonly create: (principal: Principal, agent: AgentId, input: CreateMemoryInput) => Effect.Effect<Memory, ApiError>
  readonly update: (
    principal: Principal,
    agent: AgentId,
    id: string,
    input: UpdateMemoryInput
  ) => Effect.Effect<Memory, ApiError>
  /** Also removes the links to it. */
  readonly remove: (principal: Principal, agent: AgentId, id: string) => Effect.Effect<void, ApiError>
  readonly graph: (principal: Principal, agent: AgentId) => Effect.Effect<MemoryGraph, ApiError>
}>()("@countersign/hub/memories/Memories") {
  static readonly layer = Layer.effect(
    Memories,
    Effect.gen(function*() {
      const repository = yield* MemoriesRepository
      const memory = yield* AgentMemory
      const embedding = yield* MemoryEmbedding
      const ownAgent = ownAgentIn(yield* AgentsRepository)
      const lock = yield* callerLock
      const audit = yield* AuditLog
      const db = yield* Db

      const found = Effect.fnUntraced(function*(org: OrgId, agent: AgentId, id: string) {
        const row = yield* repository.find(org, agent, id)
        return Option.isSome(row) ? row.value : yield* Effect.fail(notFound("memory"))
      })

      const createPrepared = Effect.fnUntraced(function*(
        principal: Principal,
        agent: AgentId,
        prepared: Effect.Success<ReturnType<typeof memory.prepare>>
      ) {
        const at = yield* lock(principal)
        yield* ownAgent(principal, agent, "agents:write")
        return yield* memory.insert(principal.org_id, agent, actorOf(principal), prepared, at)
      }, db.transaction)

      const create = Effect.fn("Memories.create")(
        function*(principal: Principal, agent: AgentId, input: CreateMemoryInput) {
          yield* ownAgent(principal, agent, "agents:write")
          return yield* createPrepared(principal, agent, yield* memory.prepare(input))
        }
      )

      const write = Effect.fnUntraced(function*(
        principal: Principal,
        agent: AgentId,
        id: string,
        { content, expires_at: expires, links, ...fields }: UpdateMemoryInput,
        vector: NonNullable<MemoryChange["text"]>["vector"]
      ) {
        const org = principal.org_id
        const at = yield* lock(principal)
        yield* ownAgent(principal, agent, "agents:write")
        const before = yield* found(org, agent, id)
        const problem = typeof expires === "string" ? expiryProblem(expires, at) : undefined
        if (problem !== undefined) return yield* Effect.fail(invalidField("expires_at", problem))
        if (links?.includes(before.id) === true) {
          return yield* Effect.fail(
            invalidField(`links.${links.indexOf(before.id)}`, "a memory cannot have a link to itself")
          )
        }
        yield* memory.checkLinks(org, agent, links ?? [], at)
        const changed = [
          ...content === undefined ? [] : ["content"],
          ...expires === undefined ? [] : ["expires_at"],
          ...links === undefined ? [] : ["links"],
          ...Object.keys(fields)
        ]
        if (changed.length === 0) return toMemory(before)
        yield* repository.update(org, id, {
          ...fields,
          ...content === undefined || content === before.content ? {} : { text: { content, vector } },
          ...expires === undefined
            ? {}
            : { expires_at: expires === null ? null : new Date(momentMillis(expires)) }
        }, at)
        if (links !== undefined) yield* repository.link(org, id, links)
        const after = yield* found(org, agent, id)
        yield* audit.record(org, actorOf(principal), {
          action: "memory.updated",
          subject: { type: "memory", id },
          agent_id: agent,
          data: { fields: changed }
        })
        return toMemory(after)
      }, db.transaction)

      const update = Effect.fn("Memories.update")(
        function*(principal: Principal, agent: AgentId, id: string, input: UpdateMemoryInput) {
          yield* ownAgent(principal, agent, "agents:write")
          const { content } = yield* found(principal.org_id, agent, id)
          const vector = input.content === undefined || input.content === content
            ? Option.none()
            : yield* embedding.embed(input.content, "document")
          return yield* write(principal, agent, id, input, Option.getOrNull(vector))
        }
      )

      const remove = Effect.fn("Memories.remove")(function*(principal: Principal, agent: AgentId, id: string) {
        const org = principal.org_id
        yield* lock(principal)
        yield* ownAgent(principal, agent, "agents:write")
        const { kind } = yield* found(org, agent, id)
        yield* repository.remove(org, agent, [id])
        yield* audit.record(org, actorOf(principal), {
          action: "memory.deleted",
          subject: { type: "memory", id },
          agent_id: agent,
          data: { kind }
        })
      }, db.transaction)

      const graph = Effect.fn("Memories.graph")(function*(principal: Principal, agent: AgentId) {
        const org = principal.org_id
        yield* ownAgent(principal, agent)
        const rows = yield* repository.graph(org, agent, embedding.model, graphNodesMax)
        const links = yield* repository.linksAmong(org, rows.map(({ id }) => id))
        const total = rows.length < graphNodesMax ? rows.length : yield* repository.countLiving(org, agent)
        const explicit = links.map(({ source_id, target_id }): MemoryEdge => ({
          source: source_id,
          target: target_id,
          weight: 1,
          relation: "explicit"
        }))
        const derived = edgesOf(rows.map(({ emb, id, tags }) => ({
          id,
          tags,
          vector: emb === null ? null : decodeHalves(emb)
        })))
        return {
          nodes: rows.map(({ created_at, emb: _, ...node }) => ({ ...node, created_at: created_at.toISOString() })),
          edges: [...explicit, ...derived],
          total
        }
      })

      return Memories.of({
        create,
        update,
        remove,
        graph,
        get: Effect.fn("Memories.get")(function*(principal, agent, id) {
          yield* ownAgent(principal, agent)
          return toMemory(yield* found(principal.org_id, agent, id))
        }),
        list: Effect.fn("Memories.list")(function*(principal, agent, { cursor, kind, limit, q, tag }) {
          const [before] = (yield* decodeCursor(cursor, [idPattern("mem")])) ?? []
          if (q !== undefined && before !== undefined) {
            return yield* Effect.fail(invalidField("cursor", "a search has one page; leave the cursor out"))
          }
          const org = principal.org_id
          const as_of = yield* audit.asOf(org)
          yield* ownAgent(principal, agent)
          const count = limit ?? pageLimitDefault
          if (q !== undefined) {
            return { data: yield* memory.recall(org, agent, { q, kind, tag, limit: count }), next_cursor: null, as_of }
          }
          const rows = yield* repository.list(org, agent, { kind, tag, before, limit: count })
          const { data, next_cursor } = toPage(rows, limit, ({ id }) => [id])
          return { data: data.map(toMemory), next_cursor, as_of }
        })
      })
    })
  )
}
