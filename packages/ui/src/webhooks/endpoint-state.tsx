/** The status of an endpoint as a glyph, a word, and a color. */
import type { WebhookEndpoint } from "../hub/queries.ts"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { webhooksText as t } from "../text/webhooks.ts"

export const EndpointState = (
  { endpoint: { disabled_by, status } }: { readonly endpoint: Pick<WebhookEndpoint, "status" | "disabled_by"> }
) => (
  <StatusBadge
    status={status === "enabled" ? "executed" : disabled_by === "person" ? "expired" : "failed"}
  >
    {t.statuses[status]}
  </StatusBadge>
)
