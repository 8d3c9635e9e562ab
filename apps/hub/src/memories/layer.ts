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
import { MemoryWork } from "./work.ts"

export const repositories = MemoriesRepository.layer

/** What agents remember, and the service of agents; dispatch sends it. */
export const work = MemoryWork.layer.pipe(
  Layer.provideMerge(AgentMemory.layer),
  Layer.provideMerge(MemoryEmbedding.layer),
  Layer.provide(embedderLayer)
)

export const services = Layer.mergeAll(Memories.layer, MemorySweeper.layer, MemoryCopy.layer)

export const handlers = MemoriesHttp
