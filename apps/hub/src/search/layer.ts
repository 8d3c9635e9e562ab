/** Search of approvals and requests by text, and search of everything by a term. */
import { Layer } from "effect"
import { FindRepository } from "./find-repository.ts"
import { Find } from "./find.ts"
import { SearchHttp } from "./http.ts"
import { SearchRepository } from "./repository.ts"
import { SearchIndex } from "./service.ts"

export const repositories = Layer.mergeAll(FindRepository.layer, SearchRepository.layer)

export const services = Layer.mergeAll(Find.layer, SearchIndex.layer)

export const handlers = SearchHttp
