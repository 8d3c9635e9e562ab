/** Families of agents: spawning, cloning, times to live, and what children have committed. */
import { Layer } from "effect"
import { FamiliesHttp } from "./http.ts"
import { FamiliesRepository } from "./repository.ts"
import { Families } from "./service.ts"
import { FamilySweeper } from "./sweeper.ts"

export const repositories = FamiliesRepository.layer

/** They use the service of agents. */
export const services = Layer.mergeAll(Families.layer, FamilySweeper.layer)

export const handlers = FamiliesHttp
