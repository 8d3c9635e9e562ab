/** Accounts in Slack and Discord with which people decide. */
import { MessengerLinksHttp } from "./http.ts"
import { MessengerLinksRepository } from "./repository.ts"
import { MessengerLinks } from "./service.ts"

export const repositories = MessengerLinksRepository.layer

export const services = MessengerLinks.layer

export const handlers = MessengerLinksHttp
