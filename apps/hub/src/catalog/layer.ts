/** Services, their operations and prices. */
import { Layer } from "effect"
import { CatalogHttp } from "./http.ts"
import { McpToolsHttp } from "./mcp-http.ts"
import { McpRepository } from "./mcp-repository.ts"
import { McpServices } from "./mcp-services.ts"
import { CatalogRepository } from "./repository.ts"
import { Catalog } from "./service.ts"

export const repositories = Layer.mergeAll(CatalogRepository.layer, McpRepository.layer)

export const services = Catalog.layer

/** They read tools with the credentials of secrets and connected apps. */
export const servers = McpServices.layer

export const handlers = Layer.mergeAll(CatalogHttp, McpToolsHttp)
