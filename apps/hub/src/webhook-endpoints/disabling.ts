/**
 * Disables endpoints whose receivers are gone. The entry `webhook_endpoint.disable` of the audit log reports it
 * to the event stream and to notices. Spec: reference/webhooks.md "Disabling".
 */
import type { OrgId } from "@countersign/domain/ids"
import type { DisabledBy } from "@countersign/domain/webhook-endpoints"
import { Context, Effect, Layer, Option } from "effect"
import { AuditLog, hubActor } from "../platform/audit-log.ts"
import { backgroundTransactions } from "../platform/rounds.ts"
import { counting, webhooksDisabled } from "../platform/telemetry.ts"
import { WebhookEndpointsRepository } from "./repository.ts"
import { isLost } from "./rules.ts"

export class WebhookDisabling extends Context.Service<WebhookDisabling, {
  /**
   * Disables an enabled endpoint and records it; false when it was already disabled or deleted, or when its receiver
   * has accepted a message since (`failures`).
   */
  readonly disable: (org: OrgId, endpoint: string, by: Exclude<DisabledBy, "person">) => Effect.Effect<boolean>
}>()("@countersign/hub/webhook-endpoints/WebhookDisabling") {
  static readonly layer = Layer.effect(
    WebhookDisabling,
    Effect.gen(function*() {
      const endpoints = yield* WebhookEndpointsRepository
      const audit = yield* AuditLog
      const { locked } = yield* backgroundTransactions
      const count = counting(webhooksDisabled, yield* Effect.context<never>())
      return WebhookDisabling.of({
        disable: Effect.fn("WebhookDisabling.disable")(function*(org, endpoint, by) {
          const isDone = yield* locked(org, (at) =>
            Effect.gen(function*() {
              const row = Option.getOrUndefined(yield* endpoints.find(org, endpoint))
              if (row === undefined || row.status === "disabled") return false
              if (by === "failures" && !isLost(row.failures, row.failing_since, at)) return false
              yield* endpoints.update(org, endpoint, { status: "disabled", disabled_by: by, disabled_at: at }, at)
              yield* audit.record(org, hubActor, {
                action: "webhook_endpoint.disable",
                subject: { type: "webhook_endpoint", id: endpoint },
                reason_code: by,
                data: {
                  url: row.url,
                  reason: by,
                  failures: row.failures,
                  ...(row.failing_since === null ? {} : { failing_since: row.failing_since.toISOString() })
                }
              })
              return true
            }))
          if (isDone) count({ reason: by })
          return isDone
        })
      })
    })
  )
}
