/** Delegated tasks: their life, their budgets, and their events. */
import { Layer } from "effect"
import { agentTasksLayer, TaskEnding } from "./ending.ts"
import { DelegatedTasksHttp } from "./http.ts"
import { DelegationsRepository } from "./repository.ts"
import { DelegatedTasks } from "./service.ts"
import { DelegationSweeper } from "./sweeper.ts"

export const repositories = DelegationsRepository.layer

/** The service of agents uses it. */
export const ending = agentTasksLayer.pipe(Layer.provideMerge(TaskEnding.layer))

export const services = Layer.mergeAll(DelegatedTasks.layer, DelegationSweeper.layer)

export const handlers = DelegatedTasksHttp
