/** Promo codes of the hub. */
import { PromoHttp } from "./http.ts"
import { PromoRepository } from "./repository.ts"
import { Promo } from "./service.ts"

export const repositories = PromoRepository.layer

export const services = Promo.layer

export const handlers = PromoHttp
