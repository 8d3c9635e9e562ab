/** The status of an endpoint as a glyph, a word, and a color. */
import type { WebhookEndpoint } from "../hub/queries.ts"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { webhooksText as t } from "../text/webhooks.ts"

type Endpoint = Pick<WebhookEndpoint, "status" | "disabled_by" | "failing_since">

export const EndpointState = (
  { endpoint: { disabled_by, failing_since, status } }: { readonly endpoint: Endpoint }
) => {
  const state = status === "enabled" && failing_since !== undefined ? "failing" : status
  return (
    <StatusBadge
      status={state === "enabled" ? "executed" : disabled_by === "person" ? "expired" : "failed"}
    >
      {t.statuses[state]}
    </StatusBadge>
  )
}
