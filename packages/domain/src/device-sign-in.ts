/**
 * Sign-in of the command line and other programs by the device authorization grant (RFC 8628): the program shows a code,
 * a person approves it in the console. Spec: reference/sign-in.md "Device sign-in".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ChecksOwn, Permission, permissions, PublicAccess, SessionAccess } from "./auth.ts"
import { OrgId } from "./ids.ts"
import { Label } from "./text.ts"

export const deviceSignInSeconds = 600
export const devicePollSeconds = 2
/** How much longer a client waits after `slow_down`. */
export const deviceSlowDownSeconds = 5
export const clientNameMax = 100

const Scopes = Schema.Array(Permission).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(permissions.length),
  Schema.isUnique()
)

export const DeviceSignInInput = Schema.Struct({
  /** Such as `countersign on build-1`; the token gets this name. */
  client_name: Label(clientNameMax),
  scopes: Scopes
})
export type DeviceSignInInput = typeof DeviceSignInInput.Type

export const DeviceSignInStarted = Schema.Struct({
  device_code: Schema.String,
  user_code: Schema.String,
  verification_uri: Schema.String,
  verification_uri_complete: Schema.String,
  expires_in: Schema.Int,
  /** Seconds between two polls. */
  interval: Schema.Int
}).annotate({ identifier: "DeviceSignInStarted" })
export type DeviceSignInStarted = typeof DeviceSignInStarted.Type

export const DeviceAccessToken = Schema.Struct({
  access_token: Schema.String,
  token_type: Schema.Literal("Bearer"),
  /** Separated by spaces. */
  scope: Schema.String,
  workspace_id: OrgId
}).annotate({ identifier: "DeviceAccessToken" })
export type DeviceAccessToken = typeof DeviceAccessToken.Type

/** A pending sign-in as the person sees it who decides. */
export const DeviceSignIn = Schema.Struct({
  user_code: Schema.String,
  client_name: Schema.String,
  scopes: Schema.Array(Permission),
  /** From which the program asked. */
  address: Schema.String,
  user_agent: Schema.optionalKey(Schema.String),
  created_at: Schema.String,
  expires_at: Schema.String
}).annotate({ identifier: "DeviceSignIn" })
export type DeviceSignIn = typeof DeviceSignIn.Type

export const ConfirmDeviceSignIn = Schema.Struct({
  /** Default: the active workspace. */
  workspace_id: Schema.optionalKey(OrgId),
  /** Some of the requested ones; default: all of them that the role has. */
  scopes: Schema.optionalKey(Scopes)
})
export type ConfirmDeviceSignIn = typeof ConfirmDeviceSignIn.Type

const params = { userCode: Schema.String }

export class DeviceSignInGroup extends HttpApiGroup.make("device_sign_in").add(
  HttpApiEndpoint.post("start", "/auth/device", { payload: DeviceSignInInput, success: DeviceSignInStarted })
    .middleware(PublicAccess).annotate(
      OpenApi.Description,
      `Starts the sign-in of a program. It shows \`user_code\` and \`verification_uri\`, and polls ` +
        `\`POST /auth/device/token\`. A code is valid for ${deviceSignInSeconds / 60} minutes.`
    ),
  HttpApiEndpoint.post("token", "/auth/device/token", {
    payload: Schema.Struct({ device_code: Schema.String.check(Schema.isMaxLength(128)) }),
    success: DeviceAccessToken
  }).middleware(PublicAccess).annotate(ChecksOwn, "device code").annotate(
    OpenApi.Description,
    "The personal access token, once, after a person approved. Until then 400 with the code `authorization_pending`; " +
      `\`slow_down\` for a poll before the interval is over, which adds ${deviceSlowDownSeconds} seconds to it; ` +
      "`access_denied` when the person rejected; `expired_token` for a code that is unknown, used, or too old."
  ),
  HttpApiEndpoint.get("get", "/auth/device/:userCode", { params, success: DeviceSignIn }).middleware(SessionAccess)
    .annotate(OpenApi.Description, "404 for a wrong code, 410 for one that was decided or has expired."),
  HttpApiEndpoint.post("confirm", "/auth/device/:userCode/confirm", {
    params,
    payload: [ConfirmDeviceSignIn, Schema.Null],
    success: HttpApiSchema.NoContent
  }).middleware(SessionAccess).annotate(
    OpenApi.Description,
    "Approves: the program gets a personal access token of yours for 90 days, in the workspace. A scope that was not " +
      "requested is 400, one that your role lacks 403."
  ),
  HttpApiEndpoint.post("reject", "/auth/device/:userCode/reject", { params, success: HttpApiSchema.NoContent })
    .middleware(SessionAccess)
) {}
