/** Schedules: scheduled tasks, and the due times of cron triggers. */
import { Layer } from "effect"
import { ClaimsRepository } from "./claims-repository.ts"
import { scheduleEndsLayer } from "./ends.ts"
import { ScheduledTasksHttp } from "./http.ts"
import { SchedulePauses } from "./pauses.ts"
import { SchedulesRepository } from "./repository.ts"
import { Scheduler } from "./scheduler.ts"
import { ScheduledTasks } from "./service.ts"

export const repositories = Layer.mergeAll(ClaimsRepository.layer, SchedulesRepository.layer)

/** Agents and members use it. */
export const pauses = SchedulePauses.layer

/** Firings report to it. */
export const ends = scheduleEndsLayer

export const services = Layer.mergeAll(Scheduler.layer, ScheduledTasks.layer)

export const handlers = ScheduledTasksHttp
