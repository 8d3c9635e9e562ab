/** Workspaces: settings, switching. */
import { WorkspacesHttp } from "./http.ts"
import { WorkspacesRepository } from "./repository.ts"
import { Workspaces } from "./service.ts"

export const repositories = WorkspacesRepository.layer

export const services = Workspaces.layer

export const handlers = WorkspacesHttp
