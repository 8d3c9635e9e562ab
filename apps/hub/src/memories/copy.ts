/** Copies the memories of an agent to its clone, with their vectors and the links between them. Spec: reference/memories.md "Clones". */
import { type AgentId, type MemoryId, newId, type OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { Settings } from "../config.ts"
import { overQuota } from "./recall.ts"
import { MemoriesRepository } from "./repository.ts"

/** Memories of one statement. */
const batchMax = 500

export class MemoryCopy extends Context.Service<MemoryCopy, {
  /**
   * Returns the number of copies; 409 `memory_quota_exceeded` if there are more than an agent may have. Call it under
   * the workspace's lock.
   */
  readonly copy: (
    org: OrgId,
    from: AgentId,
    to: AgentId,
    at: Date
  ) => Effect.Effect<number, ReturnType<typeof overQuota>>
}>()("@countersign/hub/memories/MemoryCopy") {
  static readonly layer = Layer.effect(
    MemoryCopy,
    Effect.gen(function*() {
      const repository = yield* MemoriesRepository
      const { memoriesMax } = yield* Settings

      const copy = Effect.fn("MemoryCopy.copy")(function*(org: OrgId, from: AgentId, to: AgentId, at: Date) {
        const copies = new Map<MemoryId, MemoryId>()
        for (let after = "";;) {
          const ids = yield* repository.walk(org, from, after, at, batchMax)
          const pairs = ids.map((id) => [id, newId("mem") as MemoryId] as const)
          if (copies.size + pairs.length > memoriesMax) return yield* Effect.fail(overQuota(memoriesMax))
          if (pairs.length > 0) yield* repository.copy(org, to, pairs, at)
          for (const [id, copied] of pairs) copies.set(id, copied)
          if (ids.length < batchMax) break
          after = ids.at(-1) ?? after
        }
        const sources = [...copies.keys()]
        for (let start = 0; start < sources.length; start += batchMax) {
          const links = yield* repository.linksOf(org, sources.slice(start, start + batchMax))
          const copied = links.flatMap(({ position, source_id, target_id }) => {
            const [source, target] = [copies.get(source_id), copies.get(target_id)]
            return source === undefined || target === undefined
              ? []
              : [{ source_id: source, target_id: target, position }]
          })
          if (copied.length > 0) yield* repository.insertLinks(org, copied)
        }
        return copies.size
      })

      return MemoryCopy.of({ copy })
    })
  )
}
