/** What the shell's and the confirming window's methods take. Loaded in main only. */
import { Schema } from "effect"
import { NotificationSettings, ProfileId, Sha256 } from "../main/profiles/profile.ts"
import type { ConfirmMethod, ShellMethod } from "./channels.ts"

const nothing = Schema.Undefined
const Url = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2_000))
const Name = Schema.String.check(Schema.isMaxLength(80))
const Stream = Schema.Struct({ stream: Schema.String.check(Schema.isPattern(/^[\w-]{1,64}$/u)) })
const Hub = Schema.Struct({ id: ProfileId })

export const shellAsks: Readonly<Record<ShellMethod, Schema.Top>> = {
  state: nothing,
  retryNow: nothing,
  findHub: Schema.Struct({ url: Url, import_ca_sha256: Schema.optionalKey(Sha256) }),
  addHub: Schema.Struct({
    url: Url, hub_id: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)), name: Name, ca_sha256: Schema.optionalKey(Sha256)
  }),
  updateHub: Schema.Struct({
    id: ProfileId,
    name: Schema.optionalKey(Name.check(Schema.isMinLength(1))),
    limit_cents: Schema.optionalKey(Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_000_000_000 })))),
    notifications: Schema.optionalKey(NotificationSettings),
    import_ca_sha256: Schema.optionalKey(Sha256)
  }),
  removeHub: Hub,
  openHub: Hub,
  openEvents: Stream,
  closeEvents: Stream,
  showOwner: nothing
}

export const confirmAsks: Readonly<Record<ConfirmMethod, Schema.Top>> = {
  read: nothing,
  answer: Schema.Struct({ yes: Schema.Boolean })
}

const Ascii = (max: number) => Schema.String.check(Schema.isPattern(/^[ -~]+$/u), Schema.isMaxLength(max))

/** Beside the input of a call. */
export const optionsSchema = Schema.Struct({
  workspace: Schema.optional(Ascii(64)),
  idempotencyKey: Schema.optional(Ascii(255))
})
