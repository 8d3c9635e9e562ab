/** Knowledge: documents are parsed and embedded in the background; questions find their passages. */
import { Layer } from "effect"
import { CodeCache } from "./code-cache.ts"
import { embedderLayer } from "./embedder/layer.ts"
import { GovernedQueries } from "./governed-query.ts"
import { KnowledgeHttp } from "./http.ts"
import { IngestRepository } from "./ingest-repository.ts"
import { Ingest } from "./ingest.ts"
import { MeteredEmbedding } from "./metered-embedding.ts"
import { DocumentParser } from "./parsing/parser.ts"
import { KnowledgeQueries } from "./queries.ts"
import { KnowledgeRepository } from "./repository.ts"
import { KnowledgeSearchRepository } from "./search-repository.ts"
import { Knowledge } from "./service.ts"
import { KnowledgeSweeper } from "./sweeper.ts"
import { KnowledgeWork } from "./work.ts"

export const repositories = Layer.mergeAll(
  IngestRepository.layer,
  KnowledgeRepository.layer,
  KnowledgeSearchRepository.layer
)

/** Queries, and the service of agents; dispatch sends it. */
export const work = KnowledgeWork.layer.pipe(
  Layer.provideMerge(KnowledgeQueries.layer),
  Layer.provideMerge(Layer.mergeAll(CodeCache.layer, embedderLayer))
)

export const services = Layer.mergeAll(GovernedQueries.layer, Ingest.layer, Knowledge.layer).pipe(
  Layer.provideMerge(MeteredEmbedding.layer),
  Layer.provideMerge(KnowledgeSweeper.layer),
  Layer.provideMerge(DocumentParser.layer)
)

export const handlers = KnowledgeHttp
