/** Agents: keys, owners, status, and the rows of their bindings. */
import { Layer } from "effect"
import { BindingsRepository } from "./bindings-repository.ts"
import { AgentsHttp } from "./http.ts"
import { AgentsRepository } from "./repository.ts"
import { Agents } from "./service.ts"

export const repositories = Layer.mergeAll(AgentsRepository.layer, BindingsRepository.layer)

export const services = Agents.layer

export const handlers = AgentsHttp
