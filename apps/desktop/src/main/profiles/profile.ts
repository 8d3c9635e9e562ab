/**
 * A hub's profile on this computer: its address, its identity, and the owner's local settings. It contains no secrets.
 */
import { Schema } from "effect"

export const profilesMax = 32
/** PEM text of an imported certificate authority. */
const caLengthMax = 65_536

export const ProfileId = Schema.String.check(Schema.isPattern(/^prf_[0-9a-z]{16}$/u))
export type ProfileId = typeof ProfileId.Type

/** Lower case, without colons. */
export const Sha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u))

const Text = (max: number) => Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(max))

export const NotificationSettings = Schema.Struct({
  enabled: Schema.Boolean,
  /** Shows the payload, masked. Off: agent, operation, and amount only. */
  show_payload: Schema.Boolean,
  /** Shows a reminder at half of an approval's lifetime. */
  remind: Schema.Boolean
})
export type NotificationSettings = typeof NotificationSettings.Type

export const notificationDefaults: NotificationSettings = { enabled: true, show_payload: false, remind: true }

export const LimitCents = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_000_000_000 }))

export const Profile = Schema.Struct({
  id: ProfileId,
  name: Text(80),
  /** Origin and path, without a trailing slash. `http:` to loopback only. */
  url: Text(2_000),
  /** From the hub's `/health` when the profile was created; another id at this address stops the profile. */
  hub_id: Text(200),
  ca: Schema.optionalKey(Schema.Struct({ pem: Text(caLengthMax), sha256: Sha256 })),
  /** A higher approval requires confirmation in main's own window. Without a limit only the hub's rules apply. */
  limit_cents: Schema.optionalKey(LimitCents),
  notifications: NotificationSettings
})
export type Profile = typeof Profile.Type
