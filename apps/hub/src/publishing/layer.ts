/** Publish requests, publications, and the marketplace. */
import { Layer } from "effect"
import { PublishingHttp } from "./http.ts"
import { PublishingRepository } from "./repository.ts"
import { Publishing } from "./service.ts"
import { PublishingSweeper } from "./sweeper.ts"

export const repositories = PublishingRepository.layer

export const services = Layer.mergeAll(Publishing.layer, PublishingSweeper.layer)

export const handlers = PublishingHttp
