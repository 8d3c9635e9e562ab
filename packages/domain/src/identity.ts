/**
 * People and their sessions: setup, sign-in, password, step-up. Spec: reference/accounts.md "Setup", "Sign-in",
 * "Sessions", "Step-up".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ChecksOwn, Permission, PublicAccess, Role, SessionAccess, TeamRole, UserAccess } from "./auth.ts"
import { Created } from "./created.ts"
import {
  challengeSeconds,
  challengeTriesMax,
  FactorMethod,
  LoginChallenge,
  LoginFactorInput,
  StepUpInput
} from "./factors.ts"
import { OrgId, SessionId, TeamId, TokenId, UserId } from "./ids.ts"
import { Page, PageQuery } from "./pagination.ts"
import { matching } from "./pattern.ts"
import { controlRange, Label } from "./text.ts"

export const sessionCookieName = "svc_session"
/** A session ends after this many days without use, and in any case after `sessionAbsoluteDays`. */
export const sessionIdleDays = 14
export const sessionAbsoluteDays = 90
export const stepUpSeconds = 300
export const setupTokenHours = 24

export const passwordLengthMin = 12
export const passwordLengthMax = 256
export const emailLengthMax = 254

/** The rule for a new password: only its length matters, in characters. */
export const isNewPassword = (text: string): boolean => {
  const length = text.length > 4 * passwordLengthMax ? Number.POSITIVE_INFINITY : [...text].length
  return length >= passwordLengthMin && length <= passwordLengthMax
}

export const NewPassword = Schema.String.check(
  Schema.makeFilter((text: string) =>
    isNewPassword(text) ? undefined : `expected ${passwordLengthMin} to ${passwordLengthMax} characters`
  )
).annotate({ description: `${passwordLengthMin} to ${passwordLengthMax} characters, of any kind`, format: "password" })

/** A password for comparison only: an impossible one is wrong, not malformed. */
export const Password = Schema.String.check(Schema.isMaxLength(4 * passwordLengthMax)).annotate({ format: "password" })

const emailPattern = new RegExp(String.raw`^[^\s@${controlRange}]+@[^\s@${controlRange}]+$`, "u")
export const isEmail = (text: string): boolean => text.length <= emailLengthMax && emailPattern.test(text)

/** Stored as typed, compared in lower case. Lenient: `me@localhost` and `me@box.test` pass. */
export const Email = Schema.String.check(
  Schema.isMaxLength(emailLengthMax),
  matching(emailPattern, "an e-mail address")
).annotate({ description: "An e-mail address; domains such as .test and localhost are accepted" })

/** The key under which two spellings of an address are equal. */
export const emailKey = (email: string): string => email.toLowerCase()

export const userNameMax = 100
export const UserName = Schema.Union([Schema.Literal(""), Label(userNameMax)])

/** Longer than any name of the IANA time zone database. */
const timeZoneLengthMax = 64
const localeLengthMax = 35

/** An area and a place, such as `Europe/Berlin`, or `UTC`; an offset such as `+02:00` is not a time zone. */
export const isTimeZone = (text: string): boolean => {
  if (text.length > timeZoneLengthMax || !/^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/u.test(text)) return false
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

/** A language tag of BCP 47 in its canonical form, such as `en-GB`. */
export const isLocale = (text: string): boolean => {
  try {
    return text.length <= localeLengthMax && Intl.getCanonicalLocales(text)[0] === text
  } catch {
    return false
  }
}

export const TimeZone = Schema.String.check(
  Schema.isMaxLength(timeZoneLengthMax),
  Schema.makeFilter((text: string) => isTimeZone(text) ? undefined : "expected an IANA time zone such as Europe/Berlin")
).annotate({ description: "An IANA time zone, such as `Europe/Berlin`" })

export const Locale = Schema.String.check(
  Schema.isMaxLength(localeLengthMax),
  Schema.makeFilter((text: string) => isLocale(text) ? undefined : "expected a language tag such as en-GB")
).annotate({ description: "A BCP 47 language tag, such as `en-GB`" })

export const Me = Schema.Struct({
  user: Schema.Struct({
    id: UserId,
    email: Schema.String,
    name: Schema.String,
    time_zone: Schema.NullOr(Schema.String).annotate({
      description: "The IANA time zone to show times in; null: the client's own."
    }),
    locale: Schema.NullOr(Schema.String).annotate({
      description: "The language tag to format dates by; null: the client's own."
    })
  }),
  /** With a personal access token: its own workspace only. */
  workspaces: Schema.Array(Schema.Struct({ id: OrgId, name: Schema.String, role: Role })),
  /** The workspace of this call: the session's or the token's own, or the one that `svc-workspace` named. */
  active_workspace: OrgId,
  /** The active team of the session or the token, with the person's role in it. */
  team: Schema.NullOr(
    Schema.Struct({ id: TeamId, name: Schema.String, role: Schema.NullOr(TeamRole) })
  ),
  /** The person's permissions in the active workspace with this credential. */
  permissions: Schema.Array(Permission),
  via: Schema.Union([
    Schema.Struct({ kind: Schema.Literal("session"), session_id: SessionId, stepped_up: Schema.Boolean }),
    Schema.Struct({ kind: Schema.Literal("pat"), token_id: TokenId, scopes: Schema.Array(Permission) })
  ])
}).annotate({ identifier: "Me" })
export type Me = typeof Me.Type

export const Session = Schema.Struct({
  id: SessionId,
  /** The session of this call. */
  current: Schema.Boolean,
  active_workspace: OrgId,
  ip: Schema.optionalKey(Schema.String),
  user_agent: Schema.optionalKey(Schema.String),
  /** How it began. `setup`: by a setup link or an invite. */
  method: Schema.Literals(["password", "oidc", "setup"]),
  /** The second factor of the sign-in. */
  factor: Schema.optionalKey(FactorMethod),
  created_at: Schema.String,
  last_seen_at: Schema.String,
  /** Its end if it is not used again. */
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

/** Absent fields keep their value; null resets a time zone or a locale to the client's own. */
export const UpdateMeInput = Schema.Struct({
  name: Schema.optionalKey(UserName),
  time_zone: Schema.optionalKey(Schema.NullOr(TimeZone)),
  locale: Schema.optionalKey(Schema.NullOr(Locale))
})
export type UpdateMeInput = typeof UpdateMeInput.Type

export const LoginInput = Schema.Struct({
  email: Schema.String.check(Schema.isMaxLength(emailLengthMax)),
  password: Password
})

const setsCookie = "Answers with the cookie `svc_session`."

export class AuthGroup extends HttpApiGroup.make("auth").add(
  HttpApiEndpoint.post("setup", "/auth/setup", { payload: SetupInput, success: Created(Me) })
    .middleware(PublicAccess).annotate(ChecksOwn, "setup token").annotate(
      OpenApi.Description,
      `Creates the first owner with the token that the hub printed. ${setsCookie} A wrong, used, or expired ` +
        `token is 401; a hub that has an owner answers 409.`
    ),
  HttpApiEndpoint.post("login", "/auth/login", {
    payload: LoginInput,
    success: [Me, LoginChallenge.pipe(HttpApiSchema.status(202))]
  })
    .middleware(PublicAccess).annotate(ChecksOwn, "password").annotate(
      OpenApi.Description,
      `${setsCookie} A person with a second factor gets 202 with a challenge and no cookie: continue with ` +
        `\`POST /auth/login/factor\`. A wrong password and an unknown email answer the same 401. Limited per address ` +
        `and per account.`
    ),
  HttpApiEndpoint.post("loginFactor", "/auth/login/factor", { payload: LoginFactorInput, success: Me })
    .middleware(PublicAccess).annotate(ChecksOwn, "password").annotate(
      OpenApi.Description,
      `${setsCookie} Takes the challenge of \`POST /auth/login\` and one proof. A wrong one is 401; a challenge ends ` +
        `with its use, after ${challengeTriesMax} wrong proofs, and after ${challengeSeconds / 60} minutes.`
    ),
  HttpApiEndpoint.post("logout", "/auth/logout", { success: HttpApiSchema.NoContent }).middleware(SessionAccess),
  HttpApiEndpoint.post("password", "/auth/password", {
    payload: Schema.Struct({ current_password: Password, new_password: NewPassword }),
    success: HttpApiSchema.NoContent
  }).middleware(SessionAccess).annotate(
    OpenApi.Description,
    "Changes the password and ends every other session of the person."
  ),
  HttpApiEndpoint.post("stepUp", "/auth/step-up", {
    payload: StepUpInput,
    success: Schema.Struct({ stepped_up_until: Schema.String })
  }).middleware(SessionAccess).annotate(
    OpenApi.Description,
    `Confirms the identity of the session's person for ${stepUpSeconds / 60} minutes, as \`step_up_required\` ` +
      `requires. A person with a second factor must use it: a password alone is 403 \`second_factor_required\`.`
  ),
  HttpApiEndpoint.get("me", "/auth/me", { success: Me }).middleware(UserAccess).annotate(
    OpenApi.Description,
    "The person, their workspaces, and their permissions. A personal access token receives its own workspace and " +
      "its scopes only."
  ),
  HttpApiEndpoint.patch("updateMe", "/auth/me", { payload: UpdateMeInput, success: Me })
    .middleware(SessionAccess).annotate(
      OpenApi.Description,
      "Changes the person's own name, time zone, or locale. A changed name is recorded in the audit log of each of their workspaces."
    ),
  HttpApiEndpoint.get("sessions", "/auth/sessions", { query: PageQuery, success: Page(Session) }).middleware(
    SessionAccess
  ),
  HttpApiEndpoint.delete("endSession", "/auth/sessions/:id", {
    params: { id: SessionId },
    success: HttpApiSchema.NoContent
  })
    .middleware(SessionAccess).annotate(OpenApi.Description, "Ends one of your sessions, which can be the current one.")
) {}
