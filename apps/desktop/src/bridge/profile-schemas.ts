/** Schemas of a profile that windows and main share. Loaded in main only; windows use the types. */
import { Schema } from "effect"

export const ProfileId = Schema.String.check(Schema.isPattern(/^prf_[0-9a-z]{16}$/u))
export type ProfileId = typeof ProfileId.Type

/** Lower case, without colons. */
export const Sha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u))

export const NotificationSettings = Schema.Struct({
  enabled: Schema.Boolean,
  /** Shows the payload, masked. Off: agent, operation, and amount only. */
  show_payload: Schema.Boolean,
  /** Shows a reminder at half of an approval's lifetime. */
  remind: Schema.Boolean
})
export type NotificationSettings = typeof NotificationSettings.Type

export const LimitCents = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_000_000_000 }))
