/** An id of Slack or Discord, of a person, a channel, or a message. */
import { Schema } from "effect"

/** Any other text is no id, and could not be looked up: PostgreSQL stores no NUL. */
export const ProviderId = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,64}$/u))
export const isProviderId = Schema.is(ProviderId)
