/** Firings of schedules and triggers: their requests, and the outcomes of those. */
import { Layer } from "effect"
import { FiringAgents } from "./agent.ts"
import { FiringsRepository } from "./repository.ts"
import { Firings } from "./service.ts"

export const repositories = FiringsRepository.layer

/** Needs dispatch, and the schedules that it reports to. */
export const services = Layer.mergeAll(FiringAgents.layer, Firings.layer)
