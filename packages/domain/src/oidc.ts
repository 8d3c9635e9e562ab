/** Sign-in by OpenID Connect. Spec: reference/sign-in.md "Single sign-on". */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ChecksOwn, PublicAccess, SessionAccess } from "./auth.ts"

const text = (max: number) => Schema.optionalKey(Schema.String.check(Schema.isMaxLength(max)))
const page = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))

export const SignInMethods = Schema.Struct({
  /** False: passwords sign in owners with a second factor only. */
  password: Schema.Boolean,
  oidc: Schema.Boolean
}).annotate({ identifier: "SignInMethods" })

/** A person at a provider. */
export const LinkedIdentity = Schema.Struct({
  /** Of the issuer and the subject. */
  id: Schema.String,
  issuer: Schema.String,
  subject: Schema.String,
  email: Schema.optionalKey(Schema.String),
  created_at: Schema.String,
  last_sign_in_at: Schema.String
}).annotate({ identifier: "LinkedIdentity" })
export type LinkedIdentity = typeof LinkedIdentity.Type

export const LinkedIdentityList = Schema.Struct({
  data: Schema.Array(LinkedIdentity),
  next_cursor: Schema.Null,
  as_of: Schema.String,
  /** The hub has a provider, and the person has no identity there. */
  can_link: Schema.Boolean,
  has_password: Schema.Boolean
}).annotate({ identifier: "LinkedIdentityList" })
export type LinkedIdentityList = typeof LinkedIdentityList.Type

export class OidcGroup extends HttpApiGroup.make("oidc").add(
  HttpApiEndpoint.get("methods", "/auth/methods", { success: SignInMethods }).middleware(PublicAccess).annotate(
    OpenApi.Description,
    "How people sign in to this hub."
  ),
  HttpApiEndpoint.get("start", "/auth/oidc/start", {
    query: { to: text(2_000), purpose: Schema.optionalKey(Schema.Literals(["sign_in", "step_up"])) },
    success: page
  }).middleware(PublicAccess).annotate(
    OpenApi.Description,
    "Sends the browser to the identity provider (302), and after the sign-in to the path `to` of the console. " +
      "`step_up` requires a fresh sign-in there, and confirms the session. 404 when the hub has no provider."
  ),
  HttpApiEndpoint.get("callback", "/auth/oidc/callback", {
    query: { state: text(512), code: text(8_192), error: text(512), iss: text(2_048) },
    success: page
  }).middleware(PublicAccess).annotate(
    OpenApi.Description,
    "The provider sends the browser here. Answers 302: to the console with the cookie `svc_session`, to the second step " +
      "of a sign-in, or to `/login?error=<code>`. Unknown query parameters are ignored."
  ),
  HttpApiEndpoint.get("identities", "/auth/identities", { success: LinkedIdentityList }).middleware(SessionAccess)
    .annotate(OpenApi.Description, "Your identities at providers, and whether you can link one."),
  HttpApiEndpoint.post("link", "/auth/identities", {
    payload: Schema.Struct({ to: text(2_000) }),
    success: Schema.Struct({ location: Schema.String })
  }).middleware(SessionAccess).annotate(
    OpenApi.Description,
    "Starts a sign-in at the provider that links its identity to you; send the browser to `location`. It returns to the " +
      "path `to`, with `?error=<code>` if it failed. Requires a stepped-up session. 409 `conflict` when you have an " +
      "identity there, or when the browser is not at the hub's public address."
  ),
  HttpApiEndpoint.delete("unlink", "/auth/identities/:id", {
    params: { id: Schema.String.check(Schema.isMaxLength(64)) },
    success: HttpApiSchema.NoContent
  }).middleware(SessionAccess).annotate(
    OpenApi.Description,
    "Requires a stepped-up session. 409 `conflict` for the only way in: without a password, or on a hub that requires " +
      "single sign-on; and while single sign-on manages your role in a workspace."
  ),
  HttpApiEndpoint.post("logout", "/auth/oidc/backchannel-logout", {
    payload: Schema.Struct({ logout_token: Schema.String.check(Schema.isMaxLength(16_384)) }).pipe(
      HttpApiSchema.asFormUrlEncoded()
    ),
    success: HttpApiSchema.NoContent
  }).middleware(PublicAccess).annotate(ChecksOwn, "logout token").annotate(
    OpenApi.Description,
    "OpenID Connect Back-Channel Logout 1.0: ends the sessions that the provider's signed token names. A token works once."
  )
  // Providers add their own parameters, such as session_state.
).annotate(HttpApi.QueryParseOptions, { errors: "all" }) {}
