/** Webhook endpoints and their deliveries as answers show them. Pure. */
import type { EventId } from "@countersign/domain/ids"
import {
  type WebhookAttempt,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookType,
  webhookTypes
} from "@countersign/domain/webhook-endpoints"
import type { AttemptRow, DeliveryRow } from "./deliveries-repository.ts"
import type { EndpointRow } from "./repository.ts"
import { messageOf } from "./rules.ts"

export const toEndpoint = (row: EndpointRow, now: number): WebhookEndpoint => ({
  id: row.id,
  url: row.url,
  description: row.description,
  types: row.types === null ? webhookTypes : row.types as ReadonlyArray<WebhookType>,
  status: row.status,
  ...(row.disabled_by === null ? {} : { disabled_by: row.disabled_by }),
  ...(row.disabled_at === null ? {} : { disabled_at: row.disabled_at.toISOString() }),
  ...(row.failing_since === null ? {} : { failing_since: row.failing_since.toISOString() }),
  ...(row.previous_until === null || row.previous_until.getTime() <= now
    ? {}
    : { previous_secret_until: row.previous_until.toISOString() }),
  version: row.version,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString()
})

const toAttempt = ({ at, error, millis, response, status }: AttemptRow): WebhookAttempt => ({
  at: at.toISOString(),
  ...(status === null ? {} : { status }),
  ms: millis,
  ...(error === null ? {} : { error }),
  ...(response === null ? {} : { response })
})

export const toDelivery = (
  row: DeliveryRow,
  attempts: ReadonlyArray<AttemptRow>,
  isEnabled: boolean
): WebhookDelivery => {
  const payload = messageOf(row)
  return {
    id: row.id,
    event_id: payload.data.id satisfies typeof EventId.Type,
    type: payload.type,
    status: row.status,
    // An attempt that ended after the row was read does not belong to its status.
    attempts: attempts.filter(({ number }) => number <= row.attempts).map(toAttempt),
    ...(row.due_at === null || !isEnabled ? {} : { next_attempt_at: row.due_at.toISOString() }),
    payload,
    created_at: row.created_at.toISOString()
  }
}
