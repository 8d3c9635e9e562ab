/** The governed service `memory` of agents: `recall` and `store`, for chats. Spec: reference/memories.md "The service memory". */
import { withPrefix } from "@countersign/domain/ids"
import { CreateMemoryInput, type MemoryKind } from "@countersign/domain/memories"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { type Adapter, type AdapterCall, type AdapterOutcome, failed } from "../providers/adapter.ts"
import { AgentMemory } from "./recall.ts"
import { MemoriesRepository } from "./repository.ts"

const recalledDefault = 10

interface RecallPayload {
  readonly query: string
  readonly kind?: MemoryKind
  readonly tag?: string
  readonly limit?: number
}

const decode = Schema.decodeUnknownEffect(CreateMemoryInput, { onExcessProperty: "error" })

export class MemoryWork extends Context.Service<MemoryWork, {
  readonly adapter: Adapter
}>()("@countersign/hub/memories/MemoryWork") {
  static readonly layer = Layer.effect(
    MemoryWork,
    Effect.gen(function*() {
      const memory = yield* AgentMemory
      const repository = yield* MemoriesRepository
      const heads = yield* OrgHeads
      const db = yield* Db

      const recall = Effect.fnUntraced(function*({ agent, orgId }: AdapterCall, payload: RecallPayload) {
        const { kind, limit = recalledDefault, query, tag } = payload
        const data = yield* memory.recall(orgId, agent.id, {
          q: query,
          limit,
          ...kind === undefined ? {} : { kind },
          ...tag === undefined ? {} : { tag }
        })
        return { kind: "executed", result: { data } } satisfies AdapterOutcome
      })

      /** The memory has the request's UUID: a request that is sent again stores nothing. */
      const store = Effect.fnUntraced(function*({ agent, orgId: org, payload, requestId }: AdapterCall) {
        const id = withPrefix("mem", requestId)
        const stored = { kind: "executed", result: { id } } satisfies AdapterOutcome
        if (Option.isSome(yield* repository.find(org, agent.id, id))) return stored
        const input = yield* Effect.mapError(
          decode({ kind: "fact", ...payload as object }),
          ({ message }) => ({ error: { message } })
        )
        const prepared = yield* memory.prepare(input)
        yield* db.transaction(Effect.gen(function*() {
          const at = yield* heads.lock(org)
          yield* memory.insert(org, agent.id, { type: "agent", id: agent.id, name: agent.name }, {
            ...prepared,
            id,
            source: { type: "service_request", id: requestId }
          }, at)
        }))
        return stored
      }, Effect.catch(({ error }) => Effect.succeed<AdapterOutcome>(failed(error.message))))

      return MemoryWork.of({
        adapter: {
          execute: (_definition, call) =>
            call.operation === "recall" ? recall(call, call.payload as RecallPayload) : store(call)
        }
      })
    })
  )
}
