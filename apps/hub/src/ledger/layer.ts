/** Balances and transfers. */
import { LedgerHttp } from "./http.ts"
import { LedgerRepository } from "./repository.ts"
import { Ledger } from "./service.ts"

export const repositories = LedgerRepository.layer

export const services = Ledger.layer

export const handlers = LedgerHttp
