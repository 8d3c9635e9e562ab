/**
 * Second factors: passkeys, authenticator apps (TOTP), and recovery codes. Spec: reference/sign-in.md "Second factors",
 * "Passkeys".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ChecksOwn, PublicAccess, SessionAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { FactorId } from "./ids.ts"
import { Label } from "./text.ts"

/** Factors of one person, recovery codes not counted. */
export const factorsMax = 20
export const factorNameMax = 100
export const recoveryCodesCount = 10
/** Wrong codes that a challenge accepts before it ends. */
export const challengeTriesMax = 10
export const challengeSeconds = 300
/** How long an authenticator app or a passkey may take to be confirmed. */
export const enrollmentSeconds = 600

export const factorMethods = ["passkey", "totp", "recovery_code"] as const
export const FactorMethod = Schema.Literals(factorMethods)
export type FactorMethod = typeof FactorMethod.Type

/** The setting of a workspace: who must have a second factor. */
export const SecondFactorRule = Schema.Literals(["off", "deciders", "all"])
export type SecondFactorRule = typeof SecondFactorRule.Type

const codeLengthMax = 64
const Code = Schema.String.check(Schema.isMaxLength(codeLengthMax))
/** The browser's answer, as `PublicKeyCredential.toJSON()` gives it. */
export const PasskeyCredential = Schema.Record(Schema.String, Schema.Json).annotate({
  description: "The credential of the browser, as `PublicKeyCredential.toJSON()` gives it"
})

const proofFields = {
  totp: Schema.optionalKey(Code.annotate({ description: "The current code of an authenticator app" })),
  recovery_code: Schema.optionalKey(Code),
  passkey: Schema.optionalKey(PasskeyCredential)
}
const onlyOne = (...names: ReadonlyArray<string>) =>
  Schema.makeFilter((value: Readonly<Record<string, unknown>>) =>
    names.filter((name) => value[name] !== undefined).length === 1
      ? undefined
      : `expected exactly one of ${names.join(", ")}`
  )

/** One proof of a second factor. */
export interface FactorProof {
  readonly totp?: string
  readonly recovery_code?: string
  readonly passkey?: { readonly [name: string]: Schema.Json }
}

export const LoginFactorInput = Schema.Struct({
  challenge_id: Schema.String.check(Schema.isMaxLength(128)),
  ...proofFields
}).check(onlyOne(...factorMethods))
export type LoginFactorInput = typeof LoginFactorInput.Type

/** `password` is for people without a second factor. */
export const StepUpInput = Schema.Struct({
  password: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(1_024)).annotate({ format: "password" })),
  ...proofFields
}).check(onlyOne("password", ...factorMethods))
export type StepUpInput = typeof StepUpInput.Type

/** The answer to a right password of a person with a second factor: no session yet. */
export const LoginChallenge = Schema.Struct({
  challenge: Schema.Struct({
    id: Schema.String,
    methods: Schema.Array(FactorMethod),
    expires_at: Schema.String
  })
}).annotate({ identifier: "LoginChallenge" })
export type LoginChallenge = typeof LoginChallenge.Type

export const Factor = Schema.Struct({
  id: FactorId,
  kind: Schema.Literals(["passkey", "totp"]),
  name: Schema.String,
  created_at: Schema.String,
  last_used_at: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Factor" })
export type Factor = typeof Factor.Type

const RecoveryCodes = Schema.Array(Schema.String).annotate({
  description: "Each signs in once in place of another factor; shown only here"
})

export const AddedFactor = Schema.Struct({
  ...Factor.fields,
  recovery_codes: Schema.optionalKey(RecoveryCodes)
}).annotate({ identifier: "AddedFactor" })
export type AddedFactor = typeof AddedFactor.Type

/** How a person confirms the identity of a session. `oidc`: a fresh sign-in at the provider, in the browser. */
export const StepUpMethod = Schema.Literals([...factorMethods, "password", "oidc"])
export type StepUpMethod = typeof StepUpMethod.Type

export const FactorList = Schema.Struct({
  data: Schema.Array(Factor),
  next_cursor: Schema.Null,
  as_of: Schema.String,
  recovery_codes_left: Schema.Int,
  step_up_methods: Schema.Array(StepUpMethod),
  /** Passkeys need a hub whose address has a host name. */
  passkeys_available: Schema.Boolean
}).annotate({ identifier: "FactorList" })
export type FactorList = typeof FactorList.Type

export const TotpEnrollment = Schema.Struct({
  id: FactorId,
  /** Base32, for people who cannot scan the address as a QR code. */
  secret: Schema.String,
  otpauth_url: Schema.String
}).annotate({ identifier: "TotpEnrollment" })
export type TotpEnrollment = typeof TotpEnrollment.Type

const FactorName = Label(factorNameMax)
export const FactorInput = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("totp"),
    id: FactorId,
    code: Code,
    name: Schema.optionalKey(FactorName)
  }),
  Schema.Struct({ kind: Schema.Literal("passkey"), name: FactorName, credential: PasskeyCredential })
])
export type FactorInput = typeof FactorInput.Type

export const PasskeyOptionsInput = Schema.Struct({
  purpose: Schema.Literals(["register", "login", "step_up"]),
  challenge_id: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(128)))
})
export type PasskeyOptionsInput = typeof PasskeyOptionsInput.Type

const id = { id: FactorId }

export class FactorsGroup extends HttpApiGroup.make("factors").add(
  HttpApiEndpoint.get("list", "/auth/factors", { success: FactorList }).middleware(SessionAccess).annotate(
    OpenApi.Description,
    "Your second factors, the number of unused recovery codes, and how this session can be stepped up."
  ),
  HttpApiEndpoint.post("add", "/auth/factors", { payload: FactorInput, success: Created(AddedFactor) })
    .middleware(SessionAccess).annotate(
      OpenApi.Description,
      `Confirms an authenticator app by its first code, or adds a passkey. Requires a stepped-up session. The first ` +
        `factor answers ${recoveryCodesCount} recovery codes, once. A person can have ${factorsMax} factors; the ` +
        `next one is 409 \`limit_reached\`.`
    ),
  HttpApiEndpoint.post("totpOptions", "/auth/factors/totp/options", { success: TotpEnrollment })
    .middleware(SessionAccess).annotate(
      OpenApi.Description,
      `Creates the secret of an authenticator app. It counts once \`POST /auth/factors\` confirms it, within ` +
        `${enrollmentSeconds / 60} minutes.`
    ),
  HttpApiEndpoint.post("passkeyOptions", "/auth/factors/passkey/options", {
    payload: PasskeyOptionsInput,
    success: Schema.Record(Schema.String, Schema.Json)
  }).middleware(PublicAccess).annotate(ChecksOwn, "password").annotate(
    OpenApi.Description,
    "The WebAuthn options for the browser. `login` needs the `challenge_id` of `POST /auth/login`; `register` and " +
      "`step_up` need a signed-in session, `register` a stepped-up one. A hub whose address is an IP address answers 409 `passkeys_unavailable`."
  ),
  HttpApiEndpoint.post("recoveryCodes", "/auth/factors/recovery-codes", {
    success: Schema.Struct({ recovery_codes: RecoveryCodes })
  }).middleware(SessionAccess).annotate(
    OpenApi.Description,
    "Replaces the recovery codes; earlier ones end. Requires a stepped-up session, and a second factor (409 `conflict`)."
  ),
  HttpApiEndpoint.patch("rename", "/auth/factors/:id", {
    params: id,
    payload: Schema.Struct({ name: FactorName }),
    success: Factor
  }).middleware(SessionAccess),
  HttpApiEndpoint.delete("remove", "/auth/factors/:id", { params: id, success: HttpApiSchema.NoContent })
    .middleware(SessionAccess).annotate(
      OpenApi.Description,
      "Requires a stepped-up session. With the last factor the recovery codes end too. 409 `last_owner` while the hub " +
        "requires single sign-on and no other owner has a password and a second factor."
    )
) {}
