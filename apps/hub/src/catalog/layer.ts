/** Services, their operations and prices. */
import { CatalogHttp } from "./http.ts"
import { CatalogRepository } from "./repository.ts"
import { Catalog } from "./service.ts"

export const repositories = CatalogRepository.layer

export const services = Catalog.layer

export const handlers = CatalogHttp
