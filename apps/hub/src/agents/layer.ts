/** Agents: keys, owners, status. */
import { AgentsHttp } from "./http.ts"
import { AgentsRepository } from "./repository.ts"
import { Agents } from "./service.ts"

export const repositories = AgentsRepository.layer

export const services = Agents.layer

export const handlers = AgentsHttp
