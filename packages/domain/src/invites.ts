/** Invites to a workspace, and to a team of it. Spec: reference/accounts.md "Invites". */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { PublicAccess, Role, TeamRole, UserAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { Email, Me, NewPassword, UserName } from "./identity.ts"
import { InviteId, OrgId, TeamId, UserId } from "./ids.ts"
import { Page, PageQuery } from "./pagination.ts"

export const inviteDays = 7
/** The most pending invites of a workspace. */
export const invitesMax = 1_000

export const InviteStatus = Schema.Literals(["pending", "accepted", "revoked", "expired"])
export type InviteStatus = typeof InviteStatus.Type

export const Invite = Schema.Struct({
  id: InviteId,
  email: Schema.String,
  /** The role in the workspace. */
  role: Role,
  team_id: Schema.optionalKey(TeamId),
  team_role: Schema.optionalKey(TeamRole),
  status: InviteStatus,
  invited_by: Schema.Struct({ id: UserId, name: Schema.String }),
  created_at: Schema.String,
  expires_at: Schema.String,
  accepted_at: Schema.optionalKey(Schema.String),
  accepted_by: Schema.optionalKey(UserId)
}).annotate({ identifier: "Invite" })
export type Invite = typeof Invite.Type

export const CreatedInvite = Schema.Struct({
  ...Invite.fields,
  /** Shown only once. */
  token: Schema.String,
  /** The page that accepts the invite; contains the token. */
  url: Schema.String,
  /** Whether the hub sends the invite by email. */
  mailed: Schema.Boolean
}).annotate({ identifier: "CreatedInvite" })
export type CreatedInvite = typeof CreatedInvite.Type

export const CreateInviteInput = Schema.Struct({
  email: Email,
  role: Role,
  team_id: Schema.optionalKey(TeamId),
  /** Default worker. */
  team_role: Schema.optionalKey(TeamRole)
}).annotate({ identifier: "CreateInviteInput" })
export type CreateInviteInput = typeof CreateInviteInput.Type

/** An invite as its recipient sees it. */
export const OpenInvite = Schema.Struct({
  email: Schema.String,
  role: Role,
  workspace: Schema.Struct({ id: OrgId, name: Schema.String }),
  team: Schema.optionalKey(Schema.Struct({ id: TeamId, name: Schema.String, role: TeamRole })),
  invited_by: Schema.Struct({ name: Schema.String }),
  /** Whether a person with this email exists: they sign in to accept. */
  has_account: Schema.Boolean,
  /** False for a person who belongs to no workspace: they accept with their password. */
  can_sign_in: Schema.Boolean,
  expires_at: Schema.String
}).annotate({ identifier: "OpenInvite" })
export type OpenInvite = typeof OpenInvite.Type

export const AcceptInviteInput = Schema.Struct({
  name: Schema.optionalKey(UserName),
  /** Required of a new person; that of an account which belongs to no workspace. */
  password: Schema.optionalKey(NewPassword)
}).annotate({ identifier: "AcceptInviteInput" })
export type AcceptInviteInput = typeof AcceptInviteInput.Type

const Token = Schema.String.check(Schema.isMaxLength(200))
const org = { id: OrgId }

const ended = "A used, revoked, or expired invite is 410, an unknown token 404."

export class InvitesGroup extends HttpApiGroup.make("invites").add(
  HttpApiEndpoint.get("list", "/orgs/:id/invites", {
    params: org,
    query: { ...PageQuery, status: Schema.optionalKey(InviteStatus) },
    success: Page(Invite)
  }).middleware(UserAccess).annotate(OpenApi.Description, "Requires `members:write` in that workspace."),
  HttpApiEndpoint.post("create", "/orgs/:id/invites", {
    params: org,
    payload: CreateInviteInput,
    success: Created(CreatedInvite)
  }).middleware(UserAccess).annotate(
    OpenApi.Description,
    `Requires \`members:write\` in that workspace; only an owner can invite an owner. The token is shown once and ` +
      `is valid for ${inviteDays} days. A member's email, and one with a pending invite, is 409 \`conflict\`.`
  ),
  HttpApiEndpoint.delete("revokeByQuery", "/orgs/:id/invites", {
    params: org,
    query: { invite_id: Schema.optionalKey(InviteId) },
    success: HttpApiSchema.NoContent
  }).middleware(UserAccess).annotate(OpenApi.Description, "Like `DELETE /orgs/:id/invites/:inviteId`."),
  HttpApiEndpoint.delete("revoke", "/orgs/:id/invites/:inviteId", {
    params: { ...org, inviteId: InviteId },
    success: HttpApiSchema.NoContent
  }).middleware(UserAccess).annotate(
    OpenApi.Description,
    "Requires `members:write` in that workspace. An accepted invite is 409 `conflict`."
  ),
  HttpApiEndpoint.get("get", "/invites/:token", { params: { token: Token }, success: OpenInvite })
    .middleware(PublicAccess).annotate(OpenApi.Description, ended),
  HttpApiEndpoint.post("accept", "/invites/:token/accept", {
    params: { token: Token },
    payload: [AcceptInviteInput, Schema.Null],
    success: Me
  }).middleware(PublicAccess).annotate(
    OpenApi.Description,
    `Creates a new person and answers with the cookie \`svc_session\`, or, with a session, adds its person. An email ` +
      `that has an account needs its session: 401. An account that belongs to no workspace, and so cannot sign in, ` +
      `joins by its password. ${ended}`
  )
) {}
