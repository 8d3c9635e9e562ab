/** Usage by agent, service and time. */
import { UsageHttp } from "./http.ts"
import { UsageRepository } from "./repository.ts"
import { Usage } from "./service.ts"

export const repositories = UsageRepository.layer

export const services = Usage.layer

export const handlers = UsageHttp
