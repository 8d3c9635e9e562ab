/**
 * Personal access tokens: a person's permissions in one workspace, limited by scopes. Spec: reference/accounts.md
 * "Tokens".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Permission, permissions, Requires, SessionAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { AgentId, TokenId } from "./ids.ts"
import { Page, PageQuery } from "./pagination.ts"
import { Label } from "./text.ts"
import { Expiry } from "./time.ts"

export const tokenNameMax = 100
export const tokenDaysDefault = 90
export const tokenDaysMax = 365
/** The most tokens of one person in all workspaces, without expired ones. */
export const tokensMax = 100

export const Token = Schema.Struct({
  id: TokenId,
  /** `oauth`: the sign-in of an MCP client, for one agent; made on its consent page. */
  kind: Schema.Literals(["personal", "oauth"]),
  /** Of a sign-in: the client's own name. */
  name: Schema.String,
  /** Of a sign-in: the agent that it speaks for. */
  agent: Schema.optionalKey(Schema.Struct({ id: AgentId, name: Schema.String })),
  scopes: Schema.Array(Permission),
  enabled: Schema.Boolean,
  hint: Schema.String,
  expires_at: Schema.String,
  last_used_at: Schema.optionalKey(Schema.String),
  last_used_ip: Schema.optionalKey(Schema.String),
  created_at: Schema.String
}).annotate({ identifier: "Token" })
export type Token = typeof Token.Type

export const MintedToken = Schema.Struct({
  ...Token.fields,
  /** The credential itself; shown only once. */
  token: Schema.String
}).annotate({ identifier: "MintedToken" })
export type MintedToken = typeof MintedToken.Type

export const TokenInput = Schema.Struct({
  name: Label(tokenNameMax),
  scopes: Schema.Array(Permission).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(permissions.length),
    Schema.isUnique()
  ),
  /** Give at most one of the two; 90 days without either. */
  expires_in_days: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: tokenDaysMax }))),
  expires_at: Schema.optionalKey(Expiry)
})
export type TokenInput = typeof TokenInput.Type

export const TokenPatch = Schema.Struct({
  name: Schema.optionalKey(Label(tokenNameMax)),
  enabled: Schema.optionalKey(Schema.Boolean)
})
export type TokenPatch = typeof TokenPatch.Type

const id = { id: TokenId }

export class TokensGroup extends HttpApiGroup.make("tokens").add(
  HttpApiEndpoint.post("create", "/tokens", { payload: TokenInput, success: Created(MintedToken) })
    .middleware(SessionAccess).annotate(Requires, "tokens:write").annotate(
      OpenApi.Description,
      `Creates a token for the active workspace and shows it once. \`expires_in_days\` or \`expires_at\` limits ` +
        `its life: ${tokenDaysDefault} days by default, at most ${tokenDaysMax}. A scope that your role does not ` +
        `have is 403. A person can have ${tokensMax} tokens; the next one is 409 \`limit_reached\`.`
    ),
  HttpApiEndpoint.get("list", "/tokens", { query: PageQuery, success: Page(Token) }).middleware(SessionAccess)
    .annotate(OpenApi.Description, "Your tokens of the active workspace, with the sign-ins of MCP clients."),
  HttpApiEndpoint.get("get", "/tokens/:id", { params: id, success: Token }).middleware(SessionAccess),
  HttpApiEndpoint.patch("update", "/tokens/:id", { params: id, payload: TokenPatch, success: Token })
    .middleware(SessionAccess).annotate(Requires, "tokens:write").annotate(
      OpenApi.Description,
      "Renames, disables, or enables a personal access token. A sign-in of an MCP client can only be revoked."
    ),
  HttpApiEndpoint.delete("revoke", "/tokens/:id", { params: id, success: HttpApiSchema.NoContent })
    .middleware(SessionAccess).annotate(Requires, "tokens:write").annotate(
      OpenApi.Description,
      "Revokes a token. Of an MCP client's sign-in, all access and refresh tokens end."
    )
) {}
