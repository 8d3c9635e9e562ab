/** Second factors of people. */
import { FactorsHttp } from "./http.ts"
import { FactorsRepository } from "./repository.ts"
import { Factors } from "./service.ts"
import { secondFactorsLayer } from "./use.ts"

export const repositories = FactorsRepository.layer

/** What sign-in and step-up need. */
export const ofAuth = secondFactorsLayer

export const services = Factors.layer

export const handlers = FactorsHttp
