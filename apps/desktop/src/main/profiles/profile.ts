/** A hub that this computer knows: where it is, which one it is, and what its owner set for it here. Nothing secret is in it. */
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
  /** What is asked for is shown, masked. Off: agent, operation and amount only. */
  show_payload: Schema.Boolean,
  /** Again at half of an approval's life. */
  remind: Schema.Boolean
})
export type NotificationSettings = typeof NotificationSettings.Type

export const notificationDefaults: NotificationSettings = { enabled: true, show_payload: false, remind: true }

export const LimitCents = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_000_000_000 }))

export const Profile = Schema.Struct({
  id: ProfileId,
  name: Text(80),
  /** Origin and path, without a slash at its end. `http:` to loopback only. */
  url: Text(2_000),
  /** Of the hub's `/health` when the profile was made: another one at this address stops the profile. */
  hub_id: Text(200),
  ca: Schema.optionalKey(Schema.Struct({ pem: Text(caLengthMax), sha256: Sha256 })),
  /** An approval of more is confirmed in a window of main's own. Without one only the hub's rules count. */
  limit_cents: Schema.optionalKey(LimitCents),
  notifications: NotificationSettings
})
export type Profile = typeof Profile.Type
