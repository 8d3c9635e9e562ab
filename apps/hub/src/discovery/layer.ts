/** The OpenAPI document, agent-docs, metrics and health. */
import { DiscoveryHttp } from "./http.ts"
import { Discovery } from "./service.ts"

export const services = Discovery.layer

export const handlers = DiscoveryHttp
