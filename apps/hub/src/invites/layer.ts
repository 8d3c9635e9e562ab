/** Invites to workspaces. */
import { InvitesHttp } from "./http.ts"
import { InvitesRepository } from "./repository.ts"
import { Invites } from "./service.ts"

export const repositories = InvitesRepository.layer

export const services = Invites.layer

export const handlers = InvitesHttp
