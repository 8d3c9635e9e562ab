/** Policy rules of a workspace. */
import { PoliciesHttp } from "./http.ts"
import { PoliciesRepository } from "./repository.ts"
import { Policies } from "./service.ts"

export const repositories = PoliciesRepository.layer

export const services = Policies.layer

export const handlers = PoliciesHttp
