/** Triggers and their deliveries as answers show them. Pure. */
import { type DeliveryId, withPrefix } from "@countersign/domain/ids"
import type { FiringAction } from "@countersign/domain/scheduled-tasks"
import type { RequestStatus } from "@countersign/domain/service-requests"
import type { Trigger, TriggerDelivery } from "@countersign/domain/triggers"
import type { FiringRow } from "../firings/repository.ts"
import type { ScheduleRow } from "../schedules/repository.ts"
import { nextRunsOf } from "../schedules/rules.ts"
import { shownError } from "../schedules/view.ts"
import type { TriggerRow } from "./repository.ts"

export interface TriggerFacts {
  /** Of a cron trigger. */
  readonly schedule: ScheduleRow | undefined
  readonly lastFiredAt: Date | undefined
  readonly now: number
}

export const fireUrl = (publicUrl: URL, id: string): string => new URL(`/api/v1/triggers/${id}/fire`, publicUrl).href

export const toTrigger = (row: TriggerRow, { lastFiredAt, now, schedule }: TriggerFacts, publicUrl: URL): Trigger => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  agent_id: row.agent_id,
  action: JSON.parse(row.action) as FiringAction,
  ...(row.kind === "cron" ? {} : {
    ...(row.payload_template === null
      ? {}
      : { payload_template: JSON.parse(row.payload_template) as Record<string, unknown> }),
    require_timestamp: row.require_timestamp,
    fire_url: fireUrl(publicUrl, row.id)
  }),
  ...(schedule === undefined
    ? {}
    : { cron: schedule.cron, timezone: schedule.timezone, next_runs: nextRunsOf(schedule) }),
  status: row.status,
  ...(row.paused_by === null ? {} : { paused_by: row.paused_by }),
  ...(row.previous_until === null || row.previous_until.getTime() <= now
    ? {}
    : { previous_secret_until: row.previous_until.toISOString() }),
  ...(lastFiredAt === undefined ? {} : { last_fired_at: lastFiredAt.toISOString() }),
  version: row.version,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString()
})

export const toDelivery = (row: FiringRow, request: RequestStatus | undefined): TriggerDelivery => {
  const status = request ?? row.outcome
  return {
    id: withPrefix("dlv", row.id) satisfies DeliveryId,
    ...(row.delivery_id === null ? {} : { delivery_id: row.delivery_id }),
    status: row.status,
    ...(row.request_id === null ? {} : { service_request_id: row.request_id }),
    ...(status === null || status === undefined ? {} : { request_status: status }),
    ...(row.error === null ? {} : { error: shownError(row.error) }),
    ...(row.digest === null ? {} : { digest: Buffer.from(row.digest).toString("hex") }),
    created_at: row.created_at.toISOString()
  }
}
