/** Sign-in by OpenID Connect. Spec: reference/sign-in.md "Single sign-on". */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ChecksOwn, PublicAccess } from "./auth.ts"

const text = (max: number) => Schema.optionalKey(Schema.String.check(Schema.isMaxLength(max)))
const page = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))

export const SignInMethods = Schema.Struct({
  /** False: passwords sign in owners with a second factor only. */
  password: Schema.Boolean,
  oidc: Schema.Boolean
}).annotate({ identifier: "SignInMethods" })

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
