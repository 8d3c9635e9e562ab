/** The model catalog, favorite models, and prompts of pending calls. */
import { Layer } from "effect"
import { ModelCatalog } from "./catalog.ts"
import { ModelsHttp } from "./http.ts"
import { PromptSweeper } from "./prompt-sweeper.ts"
import { PromptsRepository } from "./prompts-repository.ts"
import { FavoritesRepository } from "./repository.ts"
import { ModelFavorites } from "./service.ts"

export const repositories = Layer.mergeAll(FavoritesRepository.layer, PromptsRepository.layer)

/** Prices of models: dispatch decides with them. */
export const catalog = ModelCatalog.layer

export const services = Layer.mergeAll(ModelFavorites.layer, PromptSweeper.layer)

export const handlers = ModelsHttp
