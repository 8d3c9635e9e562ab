/** Budgets of agents, and alerts when little is left. */
import { Layer } from "effect"
import { AlertsRepository } from "./alerts-repository.ts"
import { BudgetAlerts } from "./alerts.ts"
import { BudgetsHttp } from "./http.ts"
import { BudgetIncreases } from "./increases.ts"
import { BudgetsRepository } from "./repository.ts"
import { Budgets } from "./service.ts"

export const repositories = Layer.mergeAll(AlertsRepository.layer, BudgetsRepository.layer)

export const services = Layer.mergeAll(BudgetAlerts.layer, BudgetIncreases.layer, Budgets.layer)

export const handlers = BudgetsHttp
