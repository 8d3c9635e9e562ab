/** Questions of agents to people. */
import { Layer } from "effect"
import { AgentRequestsHttp } from "./http.ts"
import { AgentRequestsRepository } from "./repository.ts"
import { AgentRequests } from "./service.ts"
import { AgentRequestSweeper } from "./sweeper.ts"

export const repositories = AgentRequestsRepository.layer

export const services = Layer.mergeAll(AgentRequests.layer, AgentRequestSweeper.layer)

export const handlers = AgentRequestsHttp
