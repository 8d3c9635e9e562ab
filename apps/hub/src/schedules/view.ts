/** Schedules and their runs as answers show them. Pure. */
import type { ScheduleRunId } from "@countersign/domain/ids"
import type { FiringAction, ScheduledTask, ScheduleRun } from "@countersign/domain/scheduled-tasks"
import type { RequestStatus } from "@countersign/domain/service-requests"
import type { FiringRow } from "../firings/repository.ts"
import type { ScheduleRow } from "./repository.ts"
import { nextRunsOf } from "./rules.ts"

/** The code and the message of a stored error. */
export const shownError = (text: string): NonNullable<ScheduleRun["error"]> => {
  const { code, message } = JSON.parse(text) as NonNullable<ScheduleRun["error"]>
  return { code, message }
}

/** A refused firing shows as `fired` with its error: the due time was used. */
export const toScheduleRun = (row: FiringRow, request: RequestStatus | undefined): ScheduleRun => {
  const status = request ?? row.outcome
  return {
    id: row.id as ScheduleRunId,
    due_at: (row.due_at ?? row.created_at).toISOString(),
    status: row.status === "refused" ? "fired" : row.status,
    ...(row.request_id === null ? {} : { service_request_id: row.request_id }),
    ...(status === null || status === undefined ? {} : { request_status: status }),
    ...(row.error === null ? {} : { error: shownError(row.error) }),
    ...(row.missed === null ? {} : { count: row.missed }),
    created_at: row.created_at.toISOString()
  }
}

export const toScheduledTask = (row: ScheduleRow, last: ScheduleRun | undefined): ScheduledTask => ({
  id: row.id,
  name: row.name,
  agent_id: row.agent_id,
  action: JSON.parse(row.action) as FiringAction,
  cron: row.cron,
  timezone: row.timezone,
  catch_up: row.catch_up,
  overlap: row.overlap,
  jitter_seconds: row.jitter_seconds,
  status: row.status,
  ...(row.paused_by === null ? {} : { paused_by: row.paused_by }),
  failures: row.failures,
  next_runs: nextRunsOf(row),
  ...(last === undefined ? {} : { last_run: last }),
  version: row.version,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString()
})
