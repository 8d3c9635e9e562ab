/** Counts the failures in a row of schedules when their firings end. */
import { Effect, Layer } from "effect"
import { ScheduleEnds } from "../firings/service.ts"
import { ClaimsRepository } from "./claims-repository.ts"
import { talliesOf } from "./rules.ts"

export const scheduleEndsLayer = Layer.effect(
  ScheduleEnds,
  Effect.map(ClaimsRepository, (claims) => ScheduleEnds.of({ ended: (ends) => claims.count(talliesOf(ends)) }))
)
