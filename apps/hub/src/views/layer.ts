/** Saved views of the console. */
import { ViewsHttp } from "./http.ts"
import { ViewsRepository } from "./repository.ts"
import { Views } from "./service.ts"

export const repositories = ViewsRepository.layer

export const services = Views.layer

export const handlers = ViewsHttp
