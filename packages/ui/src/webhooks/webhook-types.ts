/** The event types of the form. Pure. */
import type { WebhookType } from "@countersign/domain/webhook-endpoints"
import { webhooksText as t } from "../text/webhooks.ts"

/** Types that a person selects; a test message is sent whatever the types are. */
export const selectableTypes = (Object.keys(t.types) as ReadonlyArray<WebhookType>).filter((type) =>
  type !== "webhook.test"
)

/** Whether an endpoint receives every type. */
export const isAll = (types: ReadonlyArray<string>): boolean => selectableTypes.every((type) => types.includes(type))

export const eventsText = (types: ReadonlyArray<string>): string =>
  isAll(types) ? t.allTypes : types.length <= 3 ? types.join(", ") : t.typeCount(types.length)
