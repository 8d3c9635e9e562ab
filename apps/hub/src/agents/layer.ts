/** Agents: keys, owners, status, and the rows of their bindings. */
import { Layer } from "effect"
import { Assistant } from "./assistant.ts"
import { BindingsRepository } from "./bindings-repository.ts"
import { AgentsHttp } from "./http.ts"
import { AgentsRepository } from "./repository.ts"
import { Agents } from "./service.ts"

export const repositories = Layer.mergeAll(AgentsRepository.layer, BindingsRepository.layer)

/** For work of the hub in an agent's name. */
export const assistant = Assistant.layer

export const services = Agents.layer

export const handlers = AgentsHttp
