/** Stored conversations of agents. */
import { ConversationsHttp } from "./http.ts"
import { ConversationsRepository } from "./repository.ts"
import { Conversations } from "./service.ts"

export const repositories = ConversationsRepository.layer

export const services = Conversations.layer

export const handlers = ConversationsHttp
