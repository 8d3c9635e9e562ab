/** People and their sessions: setup, sign-in, password, step-up. Spec: contract 1 "Credentials", 5 "auth". */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Permission, PublicAccess, Role, SessionAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { OrgId, SessionId, UserId } from "./ids.ts"
import { Page, PageQuery } from "./pagination.ts"
import { Label } from "./text.ts"

export const sessionCookieName = "svc_session"
/** A session ends when nobody used it for so long, and in any case after the second. */
export const sessionIdleDays = 14
export const sessionAbsoluteDays = 90
export const stepUpSeconds = 300
export const setupTokenHours = 24

export const passwordLengthMin = 12
export const passwordLengthMax = 256
export const emailLengthMax = 254

/** A new password: length alone counts, in characters. */
export const isNewPassword = (text: string): boolean => {
  const length = text.length > 4 * passwordLengthMax ? Number.POSITIVE_INFINITY : [...text].length
  return length >= passwordLengthMin && length <= passwordLengthMax
}

export const NewPassword = Schema.String.check(
  Schema.makeFilter((text: string) =>
    isNewPassword(text) ? undefined : `expected ${passwordLengthMin} to ${passwordLengthMax} characters`
  )
).annotate({ description: `${passwordLengthMin} to ${passwordLengthMax} characters, of any kind`, format: "password" })

/** A password that is only compared: one that cannot be right is wrong, not malformed. */
export const Password = Schema.String.check(Schema.isMaxLength(4 * passwordLengthMax)).annotate({ format: "password" })

const emailPattern = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u
export const isEmail = (text: string): boolean => text.length <= emailLengthMax && emailPattern.test(text)

/** Kept as typed, compared in lower case. Lenient: `me@localhost` and `me@box.test` pass. */
export const Email = Schema.String.check(
  Schema.isMaxLength(emailLengthMax),
  Schema.isPattern(emailPattern, { message: "expected an e-mail address" })
).annotate({ description: "An e-mail address; domains such as .test and localhost are accepted" })

/** How two typings of an address are told to be one. */
export const emailKey = (email: string): string => email.toLowerCase()

export const userNameMax = 100
export const UserName = Schema.Union([Schema.Literal(""), Label(userNameMax)])

export const Me = Schema.Struct({
  user: Schema.Struct({ id: UserId, email: Schema.String, name: Schema.String }),
  workspaces: Schema.Array(Schema.Struct({ id: OrgId, name: Schema.String, role: Role })),
  /** The workspace of this call: the session's own, or the one that `svc-workspace` named. */
  active_workspace: OrgId,
  team: Schema.Null,
  /** What the person may do in the active workspace. */
  permissions: Schema.Array(Permission),
  via: Schema.Struct({
    kind: Schema.Literal("session"),
    session_id: SessionId,
    stepped_up: Schema.Boolean
  })
}).annotate({ identifier: "Me" })
export type Me = typeof Me.Type

export const Session = Schema.Struct({
  id: SessionId,
  /** The session of this very call. */
  current: Schema.Boolean,
  active_workspace: OrgId,
  ip: Schema.optionalKey(Schema.String),
  user_agent: Schema.optionalKey(Schema.String),
  created_at: Schema.String,
  last_seen_at: Schema.String,
  /** When it ends if it is not used again. */
  expires_at: Schema.String
}).annotate({ identifier: "Session" })
export type Session = typeof Session.Type

export const SetupInput = Schema.Struct({
  token: Schema.String.check(Schema.isMaxLength(200)),
  email: Email,
  password: NewPassword,
  name: Schema.optionalKey(UserName)
})
export type SetupInput = typeof SetupInput.Type

export const LoginInput = Schema.Struct({ email: Schema.String.check(Schema.isMaxLength(emailLengthMax)), password: Password })

const setsCookie = "Answers with the cookie `svc_session`."

export class AuthGroup extends HttpApiGroup.make("auth").add(
  HttpApiEndpoint.post("setup", "/auth/setup", { payload: SetupInput, success: Created(Me) })
    .middleware(PublicAccess).annotate(OpenApi.Description,
      `Makes the first owner with the token that the hub printed. ${setsCookie} ` +
      "A wrong, used or outlived token is 401; a hub that has an owner answers 409."),
  HttpApiEndpoint.post("login", "/auth/login", { payload: LoginInput, success: Me })
    .middleware(PublicAccess).annotate(OpenApi.Description,
      `${setsCookie} A wrong password and an address that is not known answer alike. Limited per address and per account.`),
  HttpApiEndpoint.post("logout", "/auth/logout", { success: HttpApiSchema.NoContent }).middleware(SessionAccess),
  HttpApiEndpoint.post("password", "/auth/password", {
    payload: Schema.Struct({ current_password: Password, new_password: NewPassword }),
    success: HttpApiSchema.NoContent
  }).middleware(SessionAccess).annotate(OpenApi.Description, "Changes the password and ends every other session of the person."),
  HttpApiEndpoint.post("stepUp", "/auth/step-up", {
    payload: Schema.Struct({ password: Password }),
    success: Schema.Struct({ stepped_up_until: Schema.String })
  }).middleware(SessionAccess).annotate(OpenApi.Description,
    `Lifts this session for ${stepUpSeconds / 60} minutes: what \`step_up_required\` asks for.`),
  HttpApiEndpoint.get("me", "/auth/me", { success: Me }).middleware(SessionAccess),
  HttpApiEndpoint.get("sessions", "/auth/sessions", { query: PageQuery, success: Page(Session) }).middleware(SessionAccess),
  HttpApiEndpoint.delete("endSession", "/auth/sessions/:id", { params: { id: SessionId }, success: HttpApiSchema.NoContent })
    .middleware(SessionAccess).annotate(OpenApi.Description, "Ends one of one's own sessions; this one too.")
) {}
