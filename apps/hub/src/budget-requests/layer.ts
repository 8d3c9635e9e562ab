/** Requests for higher caps. */
import { BudgetRequestsHttp } from "./http.ts"
import { BudgetRequestsRepository } from "./repository.ts"
import { BudgetRequests } from "./service.ts"

export const repositories = BudgetRequestsRepository.layer

/** Needs the services of bindings and budgets. */
export const services = BudgetRequests.layer

export const handlers = BudgetRequestsHttp
