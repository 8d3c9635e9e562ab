/** The firings of a claimed schedule. Pure, but for new ids. Spec: reference/schedules.md "Firing", "Overlap". */
import { newId, type ServiceRequestId } from "@countersign/domain/ids"
import { overlapOf } from "@countersign/domain/schedule-rules"
import type { FiringAction } from "@countersign/domain/scheduled-tasks"
import { requestOf } from "../firings/action.ts"
import type { NewFiring, UnsentFiring } from "../firings/repository.ts"
import type { ClaimedRow, DueSchedule } from "./claims-repository.ts"

interface When {
  readonly due: Date
  readonly now: Date
  readonly manual: boolean
}

const without = (schedule: ClaimedRow, { due, manual, now }: When) => ({
  id: newId("srn"),
  org_id: schedule.org_id,
  agent_id: schedule.agent_id,
  schedule_id: schedule.id,
  trigger_id: null,
  due_at: due,
  manual,
  delivery_id: null,
  digest: null,
  missed: null,
  request_id: null,
  submits: null,
  owner: null,
  created_at: now
})

export const actionOf = (schedule: Pick<ClaimedRow, "action">): FiringAction =>
  JSON.parse(schedule.action) as FiringAction

/** The firing at a due time: with the id of its request, queued, or skipped. `owner` submits it. */
export const firingAt = (schedule: DueSchedule, when: When, owner: number): NewFiring => {
  const decided = overlapOf(schedule.overlap, schedule)
  if (decided !== "fire") return { ...without(schedule, when), status: decided === "queue" ? "queued" : "skipped" }
  return {
    ...without(schedule, when),
    status: "fired",
    request_id: newId("req"),
    submits: requestOf(actionOf(schedule)),
    owner
  }
}

/** The row of due times that do not fire, from `when.due` on. */
export const missedAt = (schedule: DueSchedule, when: When, count: number): NewFiring => ({
  ...without(schedule, when),
  status: "missed",
  missed: count
})

/** What a stored firing submits; undefined unless it has fired. */
export const unsentOf = (schedule: ClaimedRow, firing: NewFiring): UnsentFiring | undefined =>
  firing.status !== "fired" || firing.submits === null ? undefined : {
    ...firing.submits,
    id: firing.id,
    org_id: firing.org_id,
    agent_id: firing.agent_id,
    schedule_id: schedule.id,
    trigger_id: schedule.trigger_id,
    request_id: firing.request_id as ServiceRequestId
  }
