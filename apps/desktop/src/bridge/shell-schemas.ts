/** Argument schemas of the shell's and the confirmation window's methods. Loaded in main only. */
import { ChatSessionId, ChatTurnId } from "@countersign/domain/ids"
import { PresignUploadInput } from "@countersign/domain/storage"
import { Schema } from "effect"
import { type ConfirmMethod, type ShellMethod, streamed, uploadPieceBytesMax } from "./channels.ts"
import type { Asked, BridgedShell, ConfirmBridge } from "./contract.ts"
import { LimitCents, NotificationSettings, ProfileId, Sha256 } from "./profile-schemas.ts"
import { SettingsPatch } from "./settings-schemas.ts"

const nothing = Schema.Undefined
const pauseMinutesMax = 24 * 60
const Url = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2_000))
const Name = Schema.String.check(Schema.isMaxLength(80))
const stream = { stream: Schema.String.check(Schema.isPattern(/^[\w-]{1,64}$/u)) }
const Ascii = (max: number) => Schema.String.check(Schema.isPattern(/^[ -~]+$/u), Schema.isMaxLength(max))
const Hub = Schema.Struct({ id: ProfileId })

export const shellAsks: { readonly [M in ShellMethod]: Schema.Codec<Asked<BridgedShell[M]>, unknown> } = {
  state: nothing,
  listening: nothing,
  retryNow: nothing,
  findHub: Schema.Struct({ url: Url, import_ca_sha256: Schema.optionalKey(Sha256) }),
  addHub: Schema.Struct({
    url: Url,
    hub_id: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)),
    name: Name,
    ca_sha256: Schema.optionalKey(Sha256)
  }),
  updateHub: Schema.Struct({
    id: ProfileId,
    name: Schema.optionalKey(Name.check(Schema.isMinLength(1))),
    limit_cents: Schema.optionalKey(Schema.NullOr(LimitCents)),
    notifications: Schema.optionalKey(NotificationSettings),
    import_ca_sha256: Schema.optionalKey(Sha256)
  }),
  removeHub: Hub,
  openHub: Schema.Struct({
    id: ProfileId,
    setup_token: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[\w-]{1,200}$/u)))
  }),
  openEvents: Schema.Struct(stream),
  openStream: Schema.Struct({
    ...stream,
    endpoint: Schema.Literals(streamed),
    input: Schema.Unknown,
    workspace: Schema.optionalKey(Ascii(64)),
    last_event_id: Schema.optionalKey(Ascii(64)),
    idempotency_key: Schema.optionalKey(Ascii(255))
  }),
  closeStream: Schema.Struct(stream),
  openUpload: Schema.Struct({ ...stream, workspace: Ascii(64), object: PresignUploadInput }),
  sendUpload: Schema.Struct({
    ...stream,
    bytes: Schema.Uint8Array.check(
      Schema.makeFilter((bytes: Uint8Array) => bytes.byteLength > 0 && bytes.byteLength <= uploadPieceBytesMax)
    )
  }),
  endUpload: Schema.Struct(stream),
  closeUpload: Schema.Struct(stream),
  device: nothing,
  setDevice: Schema.Struct({ on: Schema.Boolean }),
  pauseDevice: Schema.Struct({
    minutes: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: pauseMinutesMax })))
  }),
  resumeDevice: nothing,
  bringBackDevice: nothing,
  pairDevice: Schema.Struct({ name: Name.check(Schema.isMinLength(1)) }),
  cancelPairing: nothing,
  unpairDevice: nothing,
  panic: nothing,
  localTools: nothing,
  answerLocalTools: Schema.Struct({ workspace: Ascii(64), session: ChatSessionId, turn: ChatTurnId }),
  showOwner: nothing,
  log: nothing,
  settings: nothing,
  changeSettings: SettingsPatch,
  testNotice: nothing,
  checkUpdates: nothing,
  installUpdate: nothing,
  removeCrashFiles: nothing
}

export const confirmAsks: { readonly [M in ConfirmMethod]: Schema.Codec<Asked<ConfirmBridge[M]>, unknown> } = {
  read: nothing,
  ready: nothing,
  answer: Schema.Struct({ yes: Schema.Boolean })
}

/** Options beside the input of a call. */
export const optionsSchema = Schema.Struct({
  workspace: Schema.optional(Ascii(64)),
  idempotencyKey: Schema.optional(Ascii(255)),
  once: Schema.optional(Schema.Boolean)
})
