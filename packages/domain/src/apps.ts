/**
 * Connected apps: accounts of people at other services, by OAuth 2, whose tokens declared services use. Spec:
 * reference/apps.md "App", "Providers".
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Requires, SessionAccess, UserAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { AppId, UserId } from "./ids.ts"
import { Page, PageQuery } from "./pagination.ts"
import { matching, namePattern } from "./pattern.ts"
import { pointerLengthMax } from "./pointer.ts"
import { Label } from "./text.ts"

export const appNameMax = 100
/** Per workspace. */
export const appsMax = 500
/** Providers that a workspace sets up, with those that the hub ships. */
export const providersMax = 100
export const scopesMax = 100
/** How long a person may take to sign in at the provider. */
export const appStateSeconds = 600
const urlLengthMax = 2_048
const parametersMax = 20
const hostsMax = 50

export const ProviderName = Schema.String.check(
  matching(namePattern, "lower-case letters, digits, _ and -, beginning with a letter, at most 64 characters")
).annotate({ description: "Such as github. Lower case; begins with a letter; at most 64 characters" })

/** RFC 6749, section 3.3, without the comma that some providers separate scopes with. */
const Scope = Schema.String.check(
  matching(/^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]{1,256}$/u, "a scope: visible ASCII without blanks, commas, or quotes")
)
const Scopes = Schema.Array(Scope).check(Schema.isMaxLength(scopesMax))

const ParameterName = Schema.String.check(matching(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/u, "a parameter's name"))
const ParameterValue = Schema.String.check(
  Schema.isMaxLength(512),
  matching(/^[\x20-\x7e]*$/u, "visible ASCII")
)
const Parameters = Schema.Record(ParameterName, ParameterValue).check(
  Schema.makeFilter((values: Readonly<Record<string, string>>) =>
    Object.keys(values).length > parametersMax ? `expected at most ${parametersMax} parameters` : undefined
  )
)

const UrlText = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(urlLengthMax))
const PointerText = Schema.String.check(Schema.isMaxLength(pointerLengthMax)).annotate({
  description: "RFC 6901, such as /access_token"
})

/** `host` or `host:port`; a leading `*.` covers all names below it. */
const Host = Schema.String.check(
  Schema.isMaxLength(259),
  matching(
    /^(?:(?:\*\.)?[a-z0-9](?:[a-z0-9-]{0,62})(?:\.[a-z0-9](?:[a-z0-9-]{0,62}))*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/u,
    "a host such as api.example.com, *.example.com, or api.example.com:8443, in lower case"
  )
)

export const AppDefinition = Schema.Struct({
  authorize_url: UrlText.annotate({
    description: "The page where a person signs in. `{name}` is replaced with the parameter of this name."
  }),
  token_url: UrlText,
  revoke: Schema.optionalKey(
    Schema.Struct({
      method: Schema.Literals(["POST", "DELETE"]),
      url: UrlText,
      token: Schema.optionalKey(
        Schema.Literals(["access", "refresh"]).annotate({
          description: "Which token is sent. Default: the refresh token if there is one."
        })
      )
    })
  ),
  params: Schema.optionalKey(Parameters.annotate({
    description: "Defaults of the `{name}` places of the URLs; all others are added to the sign-in page's query."
  })),
  scopes: Schema.optionalKey(
    Schema.Struct({ default: Scopes, separator: Schema.optionalKey(Schema.Literals([" ", ","])) })
  ),
  pkce: Schema.optionalKey(Schema.Boolean.annotate({ description: "PKCE with S256. Default true." })),
  client_auth: Schema.optionalKey(
    Schema.Literals(["basic", "post"]).annotate({
      description: "Where the client's id and secret are sent: header authorization, or the body (default)."
    })
  ),
  body: Schema.optionalKey(Schema.Literals(["form", "json"]).annotate({ description: "Default form." })),
  pointers: Schema.optionalKey(
    Schema.Struct({
      access_token: Schema.optionalKey(PointerText),
      refresh_token: Schema.optionalKey(PointerText),
      expires_in: Schema.optionalKey(PointerText),
      scope: Schema.optionalKey(PointerText),
      account: Schema.optionalKey(PointerText)
    }).annotate({
      description: "Places in the token response. Default: the members of the same names; no account."
    })
  ),
  capture: Schema.optionalKey(
    Schema.Record(
      matchingName(),
      Schema.Union([PointerText, Schema.Struct({ url: UrlText, pointer: PointerText })])
    ).annotate({
      description: "Values to keep, by name: a pointer into the token response, or a URL that is read with the new " +
        "token and a pointer into its response. A service's `base_url` uses them as `${app.name}`; `account` is shown " +
        "as the app's account."
    })
  ),
  hosts: Schema.Array(Host).check(Schema.isMinLength(1), Schema.isMaxLength(hostsMax)).annotate({
    description: "The only hosts that tokens are sent to: host, host:port, or *.host."
  }),
  keepalive_days: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3_650 })).annotate({
      description: "An unused refresh token expires after this time; the hub refreshes it at half of it."
    })
  ),
  setup_url: Schema.optionalKey(UrlText.annotate({ description: "Where an operator creates the OAuth client." }))
}).annotate({ identifier: "AppDefinition" })
export type AppDefinition = typeof AppDefinition.Type

function matchingName() {
  return Schema.String.check(matching(/^[a-z][a-z0-9_]{0,31}$/u, "lower-case letters, digits, and _"))
}

/** A provider that the hub ships: a file in `resources/apps`. */
export const ShippedApp = Schema.Struct({ name: ProviderName, title: Schema.String, ...AppDefinition.fields })
export type ShippedApp = typeof ShippedApp.Type

export const AppProvider = Schema.Struct({
  name: Schema.String,
  title: Schema.String,
  /** False for a definition of the workspace. */
  shipped: Schema.Boolean,
  /** Whether there is an OAuth client, so that people can connect. */
  configured: Schema.Boolean,
  /** Who set the OAuth client: this workspace, or the hub's settings. */
  client: Schema.optionalKey(
    Schema.Struct({ source: Schema.Literals(["workspace", "hub"]), client_id: Schema.String })
  ),
  /** To be entered at the provider, unchanged. */
  redirect_uri: Schema.String,
  setup_url: Schema.optionalKey(Schema.String),
  /** What an app may do unless its creator names other scopes. */
  default_scopes: Schema.Array(Schema.String),
  /** Parameters that a connection may set, with their defaults. */
  params: Schema.Record(Schema.String, Schema.String),
  hosts: Schema.Array(Schema.String)
}).annotate({ identifier: "AppProvider" })
export type AppProvider = typeof AppProvider.Type

const ClientText = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(1_024),
  matching(/^[\x20-\x7e]+$/u, "visible ASCII")
)

export const PutProviderInput = Schema.Struct({
  client_id: ClientText,
  /** Stored encrypted; no answer contains it. */
  client_secret: ClientText,
  definition: Schema.optionalKey(AppDefinition)
}).annotate({ identifier: "PutProviderInput" })
export type PutProviderInput = typeof PutProviderInput.Type

export const AppStatus = Schema.Literals(["pending", "connected", "needs_reauth", "revoked"])
export type AppStatus = typeof AppStatus.Type
export const AppVisibility = Schema.Literals(["private", "workspace"]).annotate({
  description: "`private`: agents of the person who connected it. `workspace`: all agents."
})
export type AppVisibility = typeof AppVisibility.Type

/** No answer contains a token. */
export const App = Schema.Struct({
  id: AppId,
  provider: Schema.String,
  name: Schema.String,
  status: AppStatus,
  /** Granted by the provider; while `pending` the requested ones. */
  scopes: Schema.Array(Schema.String),
  visibility: AppVisibility,
  /** The person whose agents may use it, also while it is private. */
  owner_user_id: UserId,
  /** The account at the provider. */
  account: Schema.optionalKey(Schema.String),
  /** Expiry of the current access token, which the hub renews. */
  expires_at: Schema.optionalKey(Schema.String),
  last_used_at: Schema.optionalKey(Schema.String),
  /** Why it needs a new sign-in, or that the provider did not confirm the disconnect. */
  note: Schema.optionalKey(Schema.String),
  created_at: Schema.String
}).annotate({ identifier: "App" })
export type App = typeof App.Type

/** An app with the address where a person signs in. */
export const StartedApp = Schema.Struct({ ...App.fields, authorize_url: Schema.String }).annotate({
  identifier: "StartedApp"
})
export type StartedApp = typeof StartedApp.Type

export const CreateAppInput = Schema.Struct({
  provider: ProviderName,
  /** Default: the provider's title. */
  name: Schema.optionalKey(Label(appNameMax)),
  /** Default: those of the definition. */
  scopes: Schema.optionalKey(Scopes),
  params: Schema.optionalKey(Parameters),
  /** Default `private`. */
  visibility: Schema.optionalKey(AppVisibility)
}).annotate({ identifier: "CreateAppInput" })
export type CreateAppInput = typeof CreateAppInput.Type

export const UpdateAppInput = Schema.Struct({
  name: Schema.optionalKey(Label(appNameMax)),
  visibility: Schema.optionalKey(AppVisibility)
}).annotate({ identifier: "UpdateAppInput" })
export type UpdateAppInput = typeof UpdateAppInput.Type

const params = { id: AppId }

export class AppsGroup extends HttpApiGroup.make("apps").add(
  HttpApiEndpoint.get("list", "/apps", { query: PageQuery, success: Page(App) })
    .middleware(UserAccess).annotate(Requires, "apps:read").annotate(
      OpenApi.Description,
      "Newest first. A member sees their own apps and those shared with the workspace."
    ),
  HttpApiEndpoint.get("providers", "/apps/providers", { success: Page(AppProvider) })
    .middleware(UserAccess).annotate(Requires, "apps:read").annotate(
      OpenApi.Description,
      "All of them, sorted by name. Enter `redirect_uri` at the provider when you create the OAuth client there."
    ),
  HttpApiEndpoint.put("putProvider", "/apps/providers/:name", {
    params: { name: ProviderName },
    payload: PutProviderInput,
    success: AppProvider
  }).middleware(UserAccess).annotate(Requires, "workspace:write").annotate(
    OpenApi.Description,
    "Sets the OAuth client of this workspace, which applies before the hub's own. A provider that the hub does not " +
      "ship needs a `definition`. URLs are https, except for addresses that HUB_EGRESS_ALLOW lists. Another client id " +
      "or definition sets the provider's connected apps to `needs_reauth`."
  ),
  HttpApiEndpoint.post("create", "/apps", { payload: CreateAppInput, success: Created(StartedApp) })
    .middleware(UserAccess).annotate(Requires, "apps:write").annotate(
      OpenApi.Description,
      `Starts a connection. Open \`authorize_url\` in the browser in which you are signed in, within ` +
        `${appStateSeconds / 60} minutes. 409 \`app_not_configured\` without an OAuth client of the provider.`
    ),
  HttpApiEndpoint.get("get", "/apps/:id", { params, success: App })
    .middleware(UserAccess).annotate(Requires, "apps:read"),
  HttpApiEndpoint.patch("update", "/apps/:id", { params, payload: UpdateAppInput, success: App })
    .middleware(UserAccess).annotate(Requires, "apps:write"),
  HttpApiEndpoint.delete("remove", "/apps/:id", { params, success: HttpApiSchema.NoContent })
    .middleware(UserAccess).annotate(Requires, "apps:write").annotate(
      OpenApi.Description,
      "Disconnects it first, as `POST /apps/:id/revoke` does."
    ),
  HttpApiEndpoint.post("refresh", "/apps/:id/refresh", { params, success: App })
    .middleware(UserAccess).annotate(Requires, "apps:write").annotate(
      OpenApi.Description,
      "Renews the access token now. 409 `app_not_connected` if the app is not connected, has no refresh token, or " +
        "the provider rejects it; it then needs a new sign-in. 502 or 504 if the provider cannot be reached."
    ),
  HttpApiEndpoint.post("reconnect", "/apps/:id/reconnect", { params, success: StartedApp })
    .middleware(UserAccess).annotate(Requires, "apps:write").annotate(
      OpenApi.Description,
      "Starts a new sign-in for the same app. The current tokens stay in use until it ends."
    ),
  HttpApiEndpoint.post("revoke", "/apps/:id/revoke", { params, success: App })
    .middleware(UserAccess).annotate(Requires, "apps:write").annotate(
      OpenApi.Description,
      "Disconnects it: the hub deletes the tokens and then revokes them at the provider. It is disconnected here even " +
        "if the provider fails; `note` then gives the reason."
    )
) {}

export class AppCallbackGroup extends HttpApiGroup.make("app_callback").add(
  HttpApiEndpoint.get("callback", "/apps/callback", {
    query: {
      state: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(512))),
      code: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(8_192))),
      error: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(512)))
    },
    success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))
  }).middleware(SessionAccess).annotate(
    OpenApi.Description,
    "The provider sends the browser here after the sign-in. The response is a page that returns to the console. The " +
      "session must be of the person who started the connection, and the state must be unused: otherwise 403 " +
      "`state_mismatch`. Unknown query parameters are ignored."
  )
  // Providers add their own parameters, such as session_state.
).annotate(HttpApi.QueryParseOptions, { errors: "all" }) {}
