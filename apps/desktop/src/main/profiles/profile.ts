/**
 * A hub's profile on this computer: its address, its identity, and the owner's local settings. It contains no secrets.
 */
import { Schema } from "effect"
import { LimitCents, NotificationSettings, ProfileId, Sha256 } from "../../bridge/profile-schemas.ts"

export const profilesMax = 32
/** PEM text of an imported certificate authority. */
const caLengthMax = 65_536

const Text = (max: number) => Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(max))

export const notificationDefaults: NotificationSettings = { enabled: true, show_payload: false, remind: true }

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
