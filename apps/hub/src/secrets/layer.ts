/** Secrets of services. */
import { SecretsHttp } from "./http.ts"
import { SecretsRepository } from "./repository.ts"
import { Secrets } from "./service.ts"

export const repositories = SecretsRepository.layer

export const services = Secrets.layer

export const handlers = SecretsHttp
