/** Bindings: which service an agent may use, within which caps. */
import { BindingsHttp } from "./http.ts"
import { BindingsRepository } from "./repository.ts"
import { Bindings } from "./service.ts"

export const repositories = BindingsRepository.layer

export const services = Bindings.layer

export const handlers = BindingsHttp
