/** Memories of agents: rows, vectors, search, and expiry. */
import { Layer } from "effect"
import { embedderLayer } from "../knowledge/embedder/layer.ts"
import { MemoryCopy } from "./copy.ts"
import { MemoryEmbedding } from "./embedding.ts"
import { MemoriesHttp } from "./http.ts"
import { AgentMemory } from "./recall.ts"
import { MemoriesRepository } from "./repository.ts"
import { Memories } from "./service.ts"
import { MemorySweeper } from "./sweeper.ts"

export const repositories = MemoriesRepository.layer

export const services = Layer.mergeAll(Memories.layer, MemorySweeper.layer, MemoryCopy.layer).pipe(
  Layer.provideMerge(AgentMemory.layer),
  Layer.provideMerge(MemoryEmbedding.layer),
  Layer.provide(embedderLayer)
)

export const handlers = MemoriesHttp
