// Generated from resources/openapi.json by `npm run generate`. Do not edit.
import type { ChatTurn } from "../chat.ts"
import type { EventStream, HubEvent } from "../events.ts"
import type { Pages } from "../pages.ts"
import type { CallOptions, DispatchOptions, KeyedOptions } from "../settings.ts"
import type * as types from "./types.ts"
export interface ServiceRequests {
  /** Request a paid action. */
  readonly dispatch: (input: {
    readonly service: string
    readonly operation: string
    readonly payload: Readonly<Record<string, unknown>>
  }, options?: DispatchOptions) => Promise<types.ServiceRequest>
  /** List requests. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly status?: "executed" | "blocked" | "approval_required" | "failed" | "running" | ReadonlyArray<"executed" | "blocked" | "approval_required" | "failed" | "running">
    readonly agent_id?: string
    readonly service?: string
    readonly operation?: string
    readonly standing_approval_id?: string
    readonly mode?: "live" | "test"
    /** The reason code of a request, or the code of its failure */
    readonly reason_code?: string
    /** The smallest amount in cents, inclusive */
    readonly min_cents?: number
    /** The largest amount in cents, inclusive */
    readonly max_cents?: number
    /** An RFC 3339 time, or a UTC day (YYYY-MM-DD), which means its first moment */
    readonly from?: string
    /** An RFC 3339 time, or a UTC day (YYYY-MM-DD), which means its first moment */
    readonly to?: string
    readonly q?: string
    /** The order of the list: a field, ascending; with `-` before it, descending. */
    readonly sort?: "created_at" | "-created_at" | "cost_cents" | "-cost_cents"
  }, options?: CallOptions) => Pages<types.ServiceRequest>
  /** Send a test request as an agent. */
  readonly test: (id: string, input: {
    readonly service: string
    readonly operation: string
    readonly payload: Readonly<Record<string, unknown>>
    readonly outcome?: "approval" | "failure" | "running" | "blocked"
  }, options?: KeyedOptions) => Promise<types.ServiceRequest>
  /** Export requests. */
  readonly export: (input?: {
    readonly format?: "csv" | "jsonl"
    readonly workspace?: string
    readonly status?: "executed" | "blocked" | "approval_required" | "failed" | "running" | ReadonlyArray<"executed" | "blocked" | "approval_required" | "failed" | "running">
    readonly agent_id?: string
    readonly service?: string
    readonly operation?: string
    readonly standing_approval_id?: string
    readonly mode?: "live" | "test"
    /** The reason code of a request, or the code of its failure */
    readonly reason_code?: string
    /** The smallest amount in cents, inclusive */
    readonly min_cents?: number
    /** The largest amount in cents, inclusive */
    readonly max_cents?: number
    /** An RFC 3339 time, or a UTC day (YYYY-MM-DD), which means its first moment */
    readonly from?: string
    /** An RFC 3339 time, or a UTC day (YYYY-MM-DD), which means its first moment */
    readonly to?: string
    readonly q?: string
  }, options?: CallOptions) => Promise<string>
  /** Estimate a request without making it. */
  readonly estimate: (input: {
    readonly service: string
    readonly operation: string
    readonly payload: Readonly<Record<string, unknown>>
    readonly agent_id?: string
  }, options?: CallOptions) => Promise<types.Estimate>
  /** Get a request, or wait for its outcome. */
  readonly get: (id: string, input?: {
    readonly wait?: number
  }, options?: CallOptions) => Promise<types.ServiceRequest>
  /** Settle a running request manually. */
  readonly settle: (id: string, input: {
    readonly status: "executed" | "failed" | "blocked"
    readonly cost_cents?: number
    readonly result?: unknown
    readonly detail?: string
    readonly comment: string
  }, options?: CallOptions) => Promise<types.ServiceRequest>
  /** Cancel a request. */
  readonly cancel: (id: string, options?: CallOptions) => Promise<types.ServiceRequest>
}
export interface Traces {
  /** Get the timeline of a request. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.RequestTrace>
}
export interface Approvals {
  /** List approvals. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly status?: "pending" | "approved" | "rejected" | "expired" | "cancelled" | ReadonlyArray<"pending" | "approved" | "rejected" | "expired" | "cancelled">
    readonly agent_id?: string
    readonly kind?: "service_request" | "workflow_step" | "chat_tool_call" | "agent_request" | "device_command"
    readonly service?: string
    readonly operation?: string
    /** The smallest amount in cents, inclusive */
    readonly min_cents?: number
    /** The largest amount in cents, inclusive */
    readonly max_cents?: number
    /** Only approvals that were requested at least this long ago */
    readonly min_age_seconds?: number
    /** Only approvals that were requested at most this long ago */
    readonly max_age_seconds?: number
    /** Only approvals that contain every word in the agent, the device, the operation, the reason, or the values of the payload, or that have this id or seal. */
    readonly q?: string
    /** The order of the list: a field, ascending; with `-` before it, descending. */
    readonly sort?: "requested_at" | "-requested_at" | "cost_cents" | "-cost_cents" | "expires_at" | "-expires_at"
    readonly workspace?: string
  }, options?: CallOptions) => Pages<types.Approval>
  /** Export approvals. */
  readonly export: (input?: {
    readonly status?: "pending" | "approved" | "rejected" | "expired" | "cancelled" | ReadonlyArray<"pending" | "approved" | "rejected" | "expired" | "cancelled">
    readonly agent_id?: string
    readonly kind?: "service_request" | "workflow_step" | "chat_tool_call" | "agent_request" | "device_command"
    readonly service?: string
    readonly operation?: string
    /** The smallest amount in cents, inclusive */
    readonly min_cents?: number
    /** The largest amount in cents, inclusive */
    readonly max_cents?: number
    /** Only approvals that were requested at least this long ago */
    readonly min_age_seconds?: number
    /** Only approvals that were requested at most this long ago */
    readonly max_age_seconds?: number
    /** Only approvals that contain every word in the agent, the device, the operation, the reason, or the values of the payload, or that have this id or seal. */
    readonly q?: string
    /** The order of the list: a field, ascending; with `-` before it, descending. */
    readonly sort?: "requested_at" | "-requested_at" | "cost_cents" | "-cost_cents" | "expires_at" | "-expires_at"
    readonly workspace?: string
  }, options?: CallOptions) => Promise<string>
  /** Count pending approvals. */
  readonly counts: (input?: {
    readonly workspace?: string
  }, options?: CallOptions) => Promise<types.WaitingCounts>
  /** Get an approval. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.Approval>
  /** Approve a request. */
  readonly approve: (id: string, input?: {
    readonly comment?: string
    readonly payload_digest?: string
    readonly remember?: types.Remember
  }, options?: CallOptions) => Promise<types.ApproveResult>
  /** Reject a request. */
  readonly reject: (id: string, input?: {
    readonly comment?: string
    readonly payload_digest?: string
  }, options?: CallOptions) => Promise<types.Approval>
  /** Decide several approvals at once. */
  readonly decide: (input: {
    readonly items?: ReadonlyArray<{
      readonly id: string
      readonly payload_digest: string
    }>
    readonly ids?: ReadonlyArray<string>
    readonly decision: "approve" | "reject"
    readonly comment?: string
  }, options?: CallOptions) => Promise<{
    readonly results: ReadonlyArray<{
      readonly id: string
      readonly status?: "pending" | "approved" | "rejected" | "expired" | "cancelled"
      readonly service_request?: types.DecidedRequest
      readonly error?: {
        readonly code: string
        readonly message: string
        readonly data?: Readonly<Record<string, unknown>>
      }
    }>
  }>
  /** Replace a pending request with an edited one. */
  readonly edit: (id: string, input: {
    readonly payload: Readonly<Record<string, unknown>>
    readonly payload_digest: string
    readonly comment?: string
  }, options?: CallOptions) => Promise<{
    readonly approval: types.Approval
    readonly service_request: types.ServiceRequest
  }>
}
export interface StandingApprovals {
  /** List standing approvals. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly agent_id?: string
  }, options?: CallOptions) => Pages<types.StandingApproval>
  /** Get a standing approval. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.StandingApproval>
  /** Revoke a standing approval. */
  readonly withdraw: (id: string, options?: CallOptions) => Promise<void>
  /** Preview which requests a standing approval covers. */
  readonly preview: (input: {
    readonly agent_id: string
    readonly service: string
    readonly operation: string
    readonly mode?: "live" | "test"
    readonly max_cost_cents: number
    readonly max_total_cents?: number
    readonly max_uses?: number
    /** CEL over payload that returns true or false. */
    readonly when?: string
    readonly approval_id?: string
  }, options?: CallOptions) => Promise<types.StandingPreview>
}
export interface Setup {
  /** Check whether the hub needs its first owner. */
  readonly state: (options?: CallOptions) => Promise<types.SetupState>
}
export interface Auth {
  /** Create the first owner. */
  readonly setup: (input: {
    readonly token: string
    /** An e-mail address; domains such as .test and localhost are accepted */
    readonly email: string
    readonly password: string
    readonly name?: "" | string
  }, options?: CallOptions) => Promise<types.Me>
  /** Sign in. */
  readonly login: (input: {
    readonly email: string
    readonly password: string
  }, options?: CallOptions) => Promise<types.Me | types.LoginChallenge>
  /** Complete a sign-in with a second factor. */
  readonly loginFactor: (input: {
    readonly challenge_id: string
    /** The current code of an authenticator app */
    readonly totp?: string
    readonly recovery_code?: string
    /** The credential of the browser, as `PublicKeyCredential.toJSON()` gives it */
    readonly passkey?: Readonly<Record<string, unknown>>
  }, options?: CallOptions) => Promise<types.Me>
  /** Sign out. */
  readonly logout: (options?: CallOptions) => Promise<void>
  /** Change the password. */
  readonly password: (input: {
    readonly current_password: string
    readonly new_password: string
  }, options?: CallOptions) => Promise<void>
  /** Confirm your identity for sensitive actions. */
  readonly stepUp: (input?: {
    readonly password?: string
    /** The current code of an authenticator app */
    readonly totp?: string
    readonly recovery_code?: string
    /** The credential of the browser, as `PublicKeyCredential.toJSON()` gives it */
    readonly passkey?: Readonly<Record<string, unknown>>
  }, options?: CallOptions) => Promise<{
    readonly stepped_up_until: string
  }>
  /** Get the signed-in person. */
  readonly me: (options?: CallOptions) => Promise<types.Me>
  /** Update the signed-in person. */
  readonly updateMe: (input?: {
    readonly name?: "" | string
    readonly time_zone?: string | null
    readonly locale?: string | null
  }, options?: CallOptions) => Promise<types.Me>
  /** List your sessions. */
  readonly sessions: (input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Pages<types.Session>
  /** End one of your sessions. */
  readonly endSession: (id: string, options?: CallOptions) => Promise<void>
}
export interface Factors {
  /** List your second factors. */
  readonly list: (options?: CallOptions) => Promise<types.FactorList>
  /** Add a second factor. */
  readonly add: (input: {
    readonly kind: "totp" | "passkey"
    readonly id?: string
    readonly code?: string
    readonly name?: string
    /** The credential of the browser, as `PublicKeyCredential.toJSON()` gives it */
    readonly credential?: Readonly<Record<string, unknown>>
  }, options?: CallOptions) => Promise<types.AddedFactor>
  /** Create the secret of an authenticator app. */
  readonly totpOptions: (options?: CallOptions) => Promise<types.TotpEnrollment>
  /** Get the options of a passkey call. */
  readonly passkeyOptions: (input: {
    readonly purpose: "register" | "login" | "step_up"
    readonly challenge_id?: string
  }, options?: CallOptions) => Promise<Readonly<Record<string, unknown>>>
  /** Replace your recovery codes. */
  readonly recoveryCodes: (options?: CallOptions) => Promise<{
    /** Each signs in once in place of another factor; shown only here */
    readonly recovery_codes: ReadonlyArray<string>
  }>
  /** Rename a second factor. */
  readonly rename: (id: string, input: {
    readonly name: string
  }, options?: CallOptions) => Promise<types.Factor>
  /** Remove a second factor. */
  readonly remove: (id: string, options?: CallOptions) => Promise<void>
}
export interface DeviceSignIn {
  /** Start the sign-in of a program. */
  readonly start: (input: {
    readonly client_name: string
    readonly scopes: ReadonlyArray<"agents:read" | "agents:write" | "agents:keys" | "requests:read" | "requests:write" | "approvals:read" | "approvals:decide" | "audit:read" | "usage:read" | "budgets:read" | "budgets:write" | "billing:write" | "members:read" | "members:write" | "workflows:read" | "workflows:write" | "workflows:run" | "publish:review" | "catalog:read" | "catalog:write" | "storage:read" | "storage:write" | "knowledge:read" | "knowledge:write" | "devices:read" | "devices:write" | "devices:grant_shell" | "apps:read" | "apps:write" | "chat:read" | "chat:write" | "triggers:read" | "triggers:write" | "schedules:read" | "schedules:write" | "tokens:write" | "promo:write" | "workspace:write">
  }, options?: CallOptions) => Promise<types.DeviceSignInStarted>
  /** Poll for the token of a device sign-in. */
  readonly token: (input: {
    readonly device_code: string
  }, options?: CallOptions) => Promise<types.DeviceAccessToken>
  /** Get a pending device sign-in by its code. */
  readonly get: (userCode: string, options?: CallOptions) => Promise<types.DeviceSignIn>
  /** Approve a device sign-in. */
  readonly confirm: (userCode: string, input?: {
    readonly workspace_id?: string
    readonly scopes?: ReadonlyArray<"agents:read" | "agents:write" | "agents:keys" | "requests:read" | "requests:write" | "approvals:read" | "approvals:decide" | "audit:read" | "usage:read" | "budgets:read" | "budgets:write" | "billing:write" | "members:read" | "members:write" | "workflows:read" | "workflows:write" | "workflows:run" | "publish:review" | "catalog:read" | "catalog:write" | "storage:read" | "storage:write" | "knowledge:read" | "knowledge:write" | "devices:read" | "devices:write" | "devices:grant_shell" | "apps:read" | "apps:write" | "chat:read" | "chat:write" | "triggers:read" | "triggers:write" | "schedules:read" | "schedules:write" | "tokens:write" | "promo:write" | "workspace:write">
  }, options?: CallOptions) => Promise<void>
  /** Reject a device sign-in. */
  readonly reject: (userCode: string, options?: CallOptions) => Promise<void>
}
export interface Oidc {
  /** List how people sign in. */
  readonly methods: (options?: CallOptions) => Promise<types.SignInMethods>
  /** Start a sign-in at the identity provider. */
  readonly start: (input?: {
    readonly to?: string
    readonly purpose?: "sign_in" | "step_up"
  }, options?: CallOptions) => Promise<string>
  /** Complete a sign-in at the identity provider. */
  readonly callback: (input?: {
    readonly state?: string
    readonly code?: string
    readonly error?: string
    readonly iss?: string
  }, options?: CallOptions) => Promise<string>
  /** List a person's identities at providers. */
  readonly identities: (options?: CallOptions) => Promise<types.LinkedIdentityList>
  /** Start to link an identity. */
  readonly link: (input?: {
    readonly to?: string
  }, options?: CallOptions) => Promise<{
    readonly location: string
  }>
  /** Unlink an identity. */
  readonly unlink: (id: string, options?: CallOptions) => Promise<void>
  /** End the sessions of the identity provider's logout. */
  readonly logout: (data: Uint8Array | Blob | string, options?: CallOptions) => Promise<void>
}
export interface Members {
  /** List members. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Pages<types.Member>
  /** List the effects of removing a member. */
  readonly holdings: (userId: string, options?: CallOptions) => Promise<types.MemberHoldings>
  /** Change a member's role. */
  readonly update: (userId: string, input: {
    readonly role: "owner" | "admin" | "operator" | "member" | "viewer"
  }, options?: CallOptions) => Promise<types.Member>
  /** Remove a member. */
  readonly remove: (userId: string, input?: {
    readonly transfer_to?: string
  }, options?: CallOptions) => Promise<void>
}
export interface Teams {
  /** List teams. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Pages<types.Team>
  /** Create a team. */
  readonly create: (input: {
    readonly name: string
    readonly description?: string
  }, options?: CallOptions) => Promise<types.Team>
  /** Switch the active team. */
  readonly switch: (input: {
    readonly team_id: string | null
  }, options?: CallOptions) => Promise<types.Team | null>
  /** Change a team. */
  readonly update: (id: string, input?: {
    readonly name?: string
    readonly description?: string
  }, options?: CallOptions) => Promise<types.Team>
  /** Delete a team. */
  readonly remove: (id: string, options?: CallOptions) => Promise<void>
  /** List the members of a team. */
  readonly members: (id: string, input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Pages<types.TeamMember>
  /** Add a member to a team. */
  readonly addMember: (id: string, input: {
    readonly user_id: string
    readonly role: "lead" | "worker"
  }, options?: CallOptions) => Promise<types.TeamMember>
  /** Change a member's role in a team. */
  readonly updateMember: (id: string, userId: string, input: {
    readonly role: "lead" | "worker"
  }, options?: CallOptions) => Promise<types.TeamMember>
  /** Remove a member from a team. */
  readonly removeMember: (id: string, userId: string, options?: CallOptions) => Promise<void>
  /** Get a team's pool. */
  readonly budget: (id: string, options?: CallOptions) => Promise<types.TeamBudget>
  /** Move money between the wallet and a pool. */
  readonly moveBudget: (id: string, input: {
    readonly amount_cents: number
    readonly direction: "allocate" | "return"
  }, options?: KeyedOptions) => Promise<types.TeamBudget>
  /** Move money between a pool and an allocation. */
  readonly allocate: (id: string, uid: string, input: {
    readonly amount_cents: number
    readonly direction: "allocate" | "return"
  }, options?: KeyedOptions) => Promise<types.Allocation>
  /** End an allocation. */
  readonly endAllocation: (id: string, uid: string, options?: CallOptions) => Promise<void>
}
export interface Invites {
  /** List invites. */
  readonly list: (id: string, input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly status?: "pending" | "accepted" | "revoked" | "expired"
  }, options?: CallOptions) => Pages<types.Invite>
  /** Invite a person. */
  readonly create: (id: string, input: {
    /** An e-mail address; domains such as .test and localhost are accepted */
    readonly email: string
    readonly role: "owner" | "admin" | "operator" | "member" | "viewer"
    readonly team_id?: string
    readonly team_role?: "lead" | "worker"
  }, options?: CallOptions) => Promise<types.CreatedInvite>
  /** Revoke an invite named by the query. */
  readonly revokeByQuery: (id: string, input?: {
    readonly invite_id?: string
  }, options?: CallOptions) => Promise<void>
  /** Revoke an invite. */
  readonly revoke: (id: string, inviteId: string, options?: CallOptions) => Promise<void>
  /** Get an invite by its token. */
  readonly get: (token: string, options?: CallOptions) => Promise<types.OpenInvite>
  /** Accept an invite. */
  readonly accept: (token: string, input?: {
    readonly name?: "" | string
    readonly password?: string
  }, options?: CallOptions) => Promise<types.Me>
}
export interface Tokens {
  /** Create a personal access token. */
  readonly create: (input: {
    readonly name: string
    readonly scopes: ReadonlyArray<"agents:read" | "agents:write" | "agents:keys" | "requests:read" | "requests:write" | "approvals:read" | "approvals:decide" | "audit:read" | "usage:read" | "budgets:read" | "budgets:write" | "billing:write" | "members:read" | "members:write" | "workflows:read" | "workflows:write" | "workflows:run" | "publish:review" | "catalog:read" | "catalog:write" | "storage:read" | "storage:write" | "knowledge:read" | "knowledge:write" | "devices:read" | "devices:write" | "devices:grant_shell" | "apps:read" | "apps:write" | "chat:read" | "chat:write" | "triggers:read" | "triggers:write" | "schedules:read" | "schedules:write" | "tokens:write" | "promo:write" | "workspace:write">
    readonly expires_in_days?: number
    /** An RFC 3339 time, such as 2027-01-31T09:00:00Z */
    readonly expires_at?: string
  }, options?: CallOptions) => Promise<types.MintedToken>
  /** List your personal access tokens. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Pages<types.Token>
  /** Get a personal access token. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.Token>
  /** Rename a personal access token. */
  readonly update: (id: string, input?: {
    readonly name?: string
    readonly enabled?: boolean
  }, options?: CallOptions) => Promise<types.Token>
  /** Revoke a personal access token. */
  readonly revoke: (id: string, options?: CallOptions) => Promise<void>
}
export interface Workspaces {
  /** List your workspaces. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Pages<types.Workspace>
  /** Create a workspace. */
  readonly create: (input: {
    readonly name: string
  }, options?: CallOptions) => Promise<types.Workspace>
  /** Switch to another workspace. */
  readonly switch: (input: {
    readonly workspace_id: string
  }, options?: CallOptions) => Promise<types.Workspace>
  /** Get a workspace. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.Workspace>
  /** Change a workspace's settings. */
  readonly update: (id: string, input?: {
    readonly name?: string
    readonly frozen?: boolean
    readonly approval_threshold_cents?: number
    readonly approval_life_seconds?: number
    readonly separation_of_duties?: boolean
    readonly retention_days?: number | null
    readonly device_output_days?: number
    readonly alert_levels?: ReadonlyArray<number>
    readonly step_up_cents?: number | null
    readonly second_factor?: "off" | "deciders" | "all"
    /** The version that the change is based on. */
    readonly expected_version?: number
  }, options?: CallOptions) => Promise<types.Workspace>
}
export interface Audit {
  /** List audit entries. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly actor_id?: string
    readonly agent_id?: string
    /** A whole action, or a noun with `.*` for all of its actions */
    readonly action?: string
    readonly subject_id?: string
    /** Only entries whose `data` names this service */
    readonly service?: string
    /** Only entries whose `data` names this operation */
    readonly operation?: string
    /** An RFC 3339 time, or a UTC day (YYYY-MM-DD), which means its first moment */
    readonly from?: string
    /** An RFC 3339 time, or a UTC day (YYYY-MM-DD), which means its first moment */
    readonly to?: string
    /** The outcome of an entry, or its reason code */
    readonly outcome?: string
    /** The smallest amount in cents, inclusive */
    readonly min_cents?: number
    /** The largest amount in cents, inclusive */
    readonly max_cents?: number
    readonly q?: string
    readonly seq?: number
  }, options?: CallOptions) => Pages<types.AuditEntry>
  /** Verify the chain of the audit log. */
  readonly verify: (options?: CallOptions) => Promise<types.AuditVerification>
  /** Export the audit log. */
  readonly export: (input?: {
    readonly format?: "csv" | "jsonl"
    readonly workspace?: string
    readonly actor_id?: string
    readonly agent_id?: string
    /** A whole action, or a noun with `.*` for all of its actions */
    readonly action?: string
    readonly subject_id?: string
    /** Only entries whose `data` names this service */
    readonly service?: string
    /** Only entries whose `data` names this operation */
    readonly operation?: string
    /** An RFC 3339 time, or a UTC day (YYYY-MM-DD), which means its first moment */
    readonly from?: string
    /** An RFC 3339 time, or a UTC day (YYYY-MM-DD), which means its first moment */
    readonly to?: string
    /** The outcome of an entry, or its reason code */
    readonly outcome?: string
    /** The smallest amount in cents, inclusive */
    readonly min_cents?: number
    /** The largest amount in cents, inclusive */
    readonly max_cents?: number
    readonly q?: string
  }, options?: CallOptions) => Promise<string>
}
export interface Usage {
  /** Report usage and cost. */
  readonly report: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly agentId?: string
    readonly mode?: "live" | "test"
    readonly service?: string
    readonly operation?: string
    /** An RFC 3339 time, or a UTC day (YYYY-MM-DD), which means its first moment */
    readonly from?: string
    /** An RFC 3339 time, or a UTC day (YYYY-MM-DD), which means its first moment */
    readonly to?: string
    readonly includeChart?: "true" | "false" | "1" | "0"
    readonly chartBy?: "service" | "operation" | "agent"
    readonly format?: "json" | "csv"
    readonly workspace?: string
  }, options?: CallOptions) => Pages<types.UsageRecord, types.UsageReport>
}
export interface Ledger {
  /** Get the balance. */
  readonly balance: (input?: {
    readonly teamId?: string
  }, options?: CallOptions) => Promise<types.Balance>
  /** Credit the wallet. */
  readonly topUp: (input: {
    readonly amount_cents: number
    readonly note?: string
  }, options?: KeyedOptions) => Promise<types.TopUp>
  /** List ledger entries. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
    /** A type of account, or the id of one */
    readonly account?: string
  }, options?: CallOptions) => Pages<types.LedgerEntry>
}
export interface Billing {
  /** Open a checkout session. */
  readonly checkout: (input: {
    readonly amount_cents: number
    readonly success_url?: string
    readonly cancel_url?: string
  }, options?: KeyedOptions) => Promise<types.CheckoutSession>
  /** List checkout sessions. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly status?: "open" | "paid" | "expired" | "failed" | "refunded" | "disputed"
  }, options?: CallOptions) => Pages<types.CheckoutSession>
  /** Get a checkout session. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.CheckoutSession>
}
export interface Promo {
  /** Redeem a promo code. */
  readonly redeem: (input: {
    /** Compared without regard to case */
    readonly code: string
  }, options?: KeyedOptions) => Promise<types.Redemption>
  /** List promo codes. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Pages<types.PromoCode>
  /** Create a promo code. */
  readonly create: (input: {
    /** Compared without regard to case */
    readonly code: string
    readonly amount_cents: number
    /** Workspaces that may redeem the code. */
    readonly max_redemptions?: number
    /** An RFC 3339 time, or a UTC day (YYYY-MM-DD), which means its first moment */
    readonly expires_at?: string
  }, options?: CallOptions) => Promise<types.PromoCode>
  /** Get a promo code. */
  readonly get: (code: string, options?: CallOptions) => Promise<types.PromoCode>
  /** Delete a promo code. */
  readonly remove: (code: string, options?: CallOptions) => Promise<void>
}
export interface Events {
  /** Stream events. */
  readonly stream: (input?: {
    readonly workspace?: "all" | string
    readonly last_event_id?: string
    readonly cursor?: string
  }, options?: CallOptions) => EventStream<HubEvent>
}
export interface Discovery {
  /** Get the documentation for agents. */
  readonly agentDocs: (input?: {
    readonly all?: "true" | "false"
  }, options?: CallOptions) => Promise<Readonly<Record<string, unknown>>>
  /** Get this document. */
  readonly openapi: (options?: CallOptions) => Promise<Readonly<Record<string, unknown>>>
  /** Check whether the process is alive. */
  readonly health: (options?: CallOptions) => Promise<types.Health>
  /** Check whether the hub can serve requests. */
  readonly ready: (options?: CallOptions) => Promise<types.Ready>
}
export interface Agents {
  /** List agents. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly parent_agent_id?: string | "none"
    readonly status?: "active" | "paused" | "disabled"
    readonly q?: string
    readonly team_id?: string
    readonly kind?: "standard" | "yupi" | "chat"
    /** The order of the list: a field, ascending; with `-` before it, descending. */
    readonly sort?: "created_at" | "-created_at" | "name" | "-name" | "spent_this_month_cents" | "-spent_this_month_cents" | "last_seen_at" | "-last_seen_at"
  }, options?: CallOptions) => Pages<types.Agent>
  /** Create an agent. */
  readonly create: (input: {
    readonly name: string
    readonly kind?: "standard" | "yupi"
    readonly description?: string
    readonly icon?: string | null
    readonly category?: string | null
    readonly personality?: string | null
    readonly voiceConfig?: Readonly<Record<string, unknown>> | null
    readonly monthly_budget_cents?: number
    readonly team_id?: string
    readonly mode?: "live" | "test"
  }, options?: CallOptions) => Promise<types.CreatedAgent>
  /** Export agents. */
  readonly export: (input?: {
    readonly workspace?: string
    readonly parent_agent_id?: string | "none"
    readonly status?: "active" | "paused" | "disabled"
    readonly q?: string
    readonly team_id?: string
    readonly kind?: "standard" | "yupi" | "chat"
    /** The order of the list: a field, ascending; with `-` before it, descending. */
    readonly sort?: "created_at" | "-created_at" | "name" | "-name" | "spent_this_month_cents" | "-spent_this_month_cents" | "last_seen_at" | "-last_seen_at"
  }, options?: CallOptions) => Promise<string>
  /** Get the health of all agents. */
  readonly fleetHealth: (input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Pages<types.AgentHealth>
  /** Get an agent. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.Agent>
  /** Change, pause, or freeze an agent. */
  readonly update: (id: string, input?: {
    readonly name?: string
    readonly description?: string
    readonly status?: "active" | "paused" | "disabled"
    readonly frozen?: boolean
    readonly icon?: string | null
    readonly category?: string | null
    readonly personality?: string | null
    readonly voiceConfig?: Readonly<Record<string, unknown>> | null
    /** The version that the change is based on. */
    readonly expected_version?: number
  }, options?: CallOptions) => Promise<types.Agent>
  /** Delete an agent. */
  readonly remove: (id: string, options?: CallOptions) => Promise<void>
  /** Transfer an agent. */
  readonly transfer: (id: string, input?: {
    readonly team_id?: string | null
    readonly owner_user_id?: string
  }, options?: CallOptions) => Promise<types.Agent>
  /** Rotate an agent's key. */
  readonly rotateKey: (id: string, input?: {
    readonly mode?: "live" | "test"
    readonly grace_seconds?: number
  }, options?: CallOptions) => Promise<types.RotatedKey>
}
export interface Families {
  /** Spawn a child agent. */
  readonly spawn: (input: {
    readonly name: string
    readonly description?: string
    readonly services: ReadonlyArray<types.BindingTerms>
    /** Committed on the parent's budget. null: no cap, only for a parent without a cap. */
    readonly monthly_budget_cents: number | null
    readonly personality?: string
    /** The child and its descendants end after this time. */
    readonly ttl_seconds?: number
  }, options?: KeyedOptions) => Promise<types.SpawnedAgent>
  /** Estimate a spawn. */
  readonly estimate: (input: {
    readonly name: string
    readonly description?: string
    readonly services: ReadonlyArray<types.BindingTerms>
    /** Committed on the parent's budget. null: no cap, only for a parent without a cap. */
    readonly monthly_budget_cents: number | null
    readonly personality?: string
    /** The child and its descendants end after this time. */
    readonly ttl_seconds?: number
  }, options?: CallOptions) => Promise<types.SpawnEstimate>
  /** Clone an agent. */
  readonly clone: (id: string, input?: {
    readonly name?: string
    readonly include_memories?: boolean
  }, options?: CallOptions) => Promise<types.CreatedAgent>
}
export interface DelegatedTasks {
  /** List delegated tasks of an agent. */
  readonly list: (id: string, input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly status?: "accepted" | "in_progress" | "completed" | "failed" | "cancelled"
  }, options?: CallOptions) => Pages<types.DelegatedTask>
  /** Delegate a task. */
  readonly create: (id: string, input: {
    readonly to_agent_id: string
    readonly goal: string
    readonly input?: unknown
    readonly budget_cents: number
    readonly services: ReadonlyArray<string>
    /** An RFC 3339 time, such as 2027-01-31T09:00:00Z */
    readonly deadline_at?: string
  }, options?: KeyedOptions) => Promise<types.DelegatedTask>
  /** Report on a delegated task, or cancel it. */
  readonly update: (id: string, taskId: string, input: {
    readonly status: "accepted" | "in_progress" | "completed" | "failed" | "cancelled"
    readonly result?: unknown
    readonly error?: types.TaskError
  }, options?: CallOptions) => Promise<types.DelegatedTask>
  /** Continue to follow a delegated task. */
  readonly reattach: (id: string, taskId: string, input?: {
    readonly after?: string
  }, options?: CallOptions) => Promise<types.Reattached>
  /** List delegated tasks. */
  readonly listAll: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly status?: "accepted" | "in_progress" | "completed" | "failed" | "cancelled"
    readonly agent_id?: string
  }, options?: CallOptions) => Pages<types.DelegatedTask>
  /** Get a delegated task. */
  readonly get: (taskId: string, options?: CallOptions) => Promise<types.DelegatedTask>
  /** Follow a delegated task. */
  readonly events: (taskId: string, input?: {
    readonly last_event_id?: string
  }, options?: CallOptions) => EventStream<types.TaskEvent>
}
export interface Activity {
  /** List an agent's activity. */
  readonly list: (id: string, input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly type?: "agent" | "binding" | "service_request" | "approval" | "standing_approval" | "delegated_task" | "budget_request" | "memory" | "skill" | "child" | "run" | "device_command"
  }, options?: CallOptions) => Pages<types.Activity>
}
export interface AgentRequests {
  /** Create an agent request. */
  readonly create: (input: {
    readonly kind: "question" | "approval" | "input" | "handoff"
    readonly title: string
    readonly body?: string
    readonly options?: ReadonlyArray<string>
    /** An RFC 3339 time, such as 2027-01-31T09:00:00Z */
    readonly expires_at?: string
  }, options?: CallOptions) => Promise<types.AgentRequest>
  /** List agent requests. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly status?: "open" | "answered" | "dismissed" | "expired"
    readonly kind?: "question" | "approval" | "input" | "handoff"
    readonly agent_id?: string
  }, options?: CallOptions) => Pages<types.AgentRequest>
  /** Get an agent request, or wait for its answer. */
  readonly get: (id: string, input?: {
    readonly wait?: number
  }, options?: CallOptions) => Promise<types.AgentRequest>
  /** Answer or dismiss an agent request. */
  readonly answer: (id: string, input: {
    readonly status: "answered" | "dismissed"
    /** Required with `answered`, except for a `handoff`; one of the options, if the request has options */
    readonly answer?: string
    readonly comment?: string
  }, options?: CallOptions) => Promise<types.AgentRequest>
}
export interface Skills {
  /** List an agent's skills. */
  readonly list: (id: string, input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Pages<types.Skill>
  /** Delete a custom skill. */
  readonly remove: (id: string, skillId: string, options?: CallOptions) => Promise<void>
  /** List an agent's skill proposals. */
  readonly listProposals: (id: string, input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly status?: "proposed" | "accepted" | "rejected"
  }, options?: CallOptions) => Pages<types.SkillProposal>
  /** Propose a skill. */
  readonly propose: (id: string, input: {
    readonly name: string
    readonly description?: string
    readonly instructions: string
    readonly operations?: ReadonlyArray<string>
    readonly rationale?: string
  }, options?: CallOptions) => Promise<types.SkillProposal>
  /** Get a skill proposal. */
  readonly getProposal: (id: string, pid: string, options?: CallOptions) => Promise<types.SkillProposal>
  /** Accept or reject a skill proposal. */
  readonly decideProposal: (id: string, pid: string, input: {
    readonly status: "accepted" | "rejected"
    readonly comment?: string
  }, options?: CallOptions) => Promise<types.SkillProposal>
}
export interface Conversations {
  /** List an agent's conversations. */
  readonly list: (id: string, input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Pages<types.Conversation>
  /** Create a conversation. */
  readonly create: (id: string, input?: {
    readonly title?: string
    readonly metadata?: Readonly<Record<string, unknown>>
  }, options?: CallOptions) => Promise<types.Conversation>
  /** Get a conversation and its messages. */
  readonly get: (id: string, cid: string, input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Promise<types.ConversationWithMessages>
  /** Add a message to a conversation. */
  readonly addMessage: (id: string, cid: string, input: {
    readonly role: "user" | "assistant" | "system" | "tool"
    readonly content: string
    readonly metadata?: Readonly<Record<string, unknown>>
  }, options?: CallOptions) => Promise<types.ConversationMessage>
}
export interface Memories {
  /** List or search an agent's memories. */
  readonly list: (id: string, input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly q?: string
    readonly kind?: "fact" | "preference" | "event" | "skill"
    readonly tag?: string
  }, options?: CallOptions) => Pages<types.Memory>
  /** Create a memory. */
  readonly create: (id: string, input: {
    readonly content: string
    readonly kind: "fact" | "preference" | "event" | "skill"
    readonly tags?: ReadonlyArray<string>
    /** Default: 0.5 */
    readonly importance?: number
    readonly links?: ReadonlyArray<string>
    /** An RFC 3339 time, such as 2027-01-31T09:00:00Z */
    readonly expires_at?: string
  }, options?: CallOptions) => Promise<types.Memory>
  /** Get the graph of an agent's memories. */
  readonly graph: (id: string, options?: CallOptions) => Promise<types.MemoryGraph>
  /** Get a memory. */
  readonly get: (id: string, memoryId: string, options?: CallOptions) => Promise<types.Memory>
  /** Update a memory. */
  readonly update: (id: string, memoryId: string, input?: {
    readonly content?: string
    readonly kind?: "fact" | "preference" | "event" | "skill"
    readonly tags?: ReadonlyArray<string>
    readonly importance?: number
    readonly links?: ReadonlyArray<string>
    /** null: it no longer expires */
    readonly expires_at?: string | null
  }, options?: CallOptions) => Promise<types.Memory>
  /** Delete a memory. */
  readonly remove: (id: string, memoryId: string, options?: CallOptions) => Promise<void>
}
export interface Publishing {
  /** Request the publication of an agent. */
  readonly publishAgent: (id: string, input: {
    readonly scope: "team" | "org"
    /** Required with scope team, refused with scope org */
    readonly team_id?: string
    readonly note?: string
    /** List it in the marketplace too; requires scope org. */
    readonly listed?: boolean
  }, options?: CallOptions) => Promise<types.PublishRequest>
  /** List publish requests. */
  readonly listRequests: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly status?: "pending" | "approved" | "rejected" | "withdrawn"
  }, options?: CallOptions) => Pages<types.PublishRequest>
  /** Get a publish request. */
  readonly getRequest: (id: string, options?: CallOptions) => Promise<types.PublishRequest>
  /** Approve, reject, or withdraw a publish request. */
  readonly decide: (id: string, input: {
    readonly status: "approved" | "rejected" | "withdrawn"
    readonly comment?: string
  }, options?: CallOptions) => Promise<types.PublishRequest>
  /** List publications. */
  readonly listPublications: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly status?: "active" | "revoked"
  }, options?: CallOptions) => Pages<types.Publication>
  /** Revoke a publication. */
  readonly revoke: (id: string, options?: CallOptions) => Promise<types.Publication>
  /** Search the marketplace. */
  readonly listings: (input?: {
    readonly limit?: number
    readonly cursor?: string
    /** Only listings whose name or description contains this text, in any case */
    readonly q?: string
    readonly category?: string
  }, options?: CallOptions) => Pages<types.Listing>
}
export interface WorkflowRuns {
  /** Start a run of a workflow. */
  readonly start: (id: string, input?: {
    readonly input?: unknown
    readonly version_id?: string
    readonly agent_id?: string
    readonly mode?: "live" | "test"
    readonly max_cost_cents?: number
    readonly wait_seconds?: number
  }, options?: KeyedOptions) => Promise<types.StartedRun>
  /** List runs of a workflow. */
  readonly listOfWorkflow: (id: string, input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly status?: "queued" | "running" | "waiting" | "succeeded" | "failed" | "cancelled"
    readonly agent_id?: string
    readonly mode?: "live" | "test"
  }, options?: CallOptions) => Pages<types.WorkflowRunSummary>
  /** Estimate the cost of a run. */
  readonly estimate: (id: string, input?: {
    readonly input?: unknown
    readonly version_id?: string
    readonly agent_id?: string
    readonly mode?: "live" | "test"
  }, options?: CallOptions) => Promise<types.RunEstimate>
  /** List runs. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly status?: "queued" | "running" | "waiting" | "succeeded" | "failed" | "cancelled"
    readonly agent_id?: string
    readonly mode?: "live" | "test"
    readonly workflow_id?: string
    readonly parent_run_id?: string
  }, options?: CallOptions) => Pages<types.WorkflowRunSummary>
  /** Get a run. */
  readonly get: (runId: string, options?: CallOptions) => Promise<types.WorkflowRun>
  /** Follow a run. */
  readonly events: (runId: string, input?: {
    readonly last_event_id?: number
  }, options?: CallOptions) => EventStream<unknown>
  /** Cancel a run. */
  readonly cancel: (runId: string, options?: CallOptions) => Promise<types.WorkflowRun>
  /** Repeat the failed steps of a run. */
  readonly rerunFailed: (runId: string, input?: {
    readonly accept_unknown_fate?: boolean
  }, options?: CallOptions) => Promise<types.WorkflowRun>
  /** Repeat one failed step of a run. */
  readonly retryStep: (runId: string, label: string, input?: {
    readonly accept_unknown_fate?: boolean
  }, options?: CallOptions) => Promise<types.WorkflowRun>
  /** Show what a callback address is for. */
  readonly callbackPage: (stepId: string, token: string, options?: CallOptions) => Promise<string>
  /** Call back a waiting step. */
  readonly callback: (stepId: string, token: string, options?: CallOptions) => Promise<{
    readonly received: true
  }>
}
export interface Bindings {
  /** Bind an agent to a service. */
  readonly put: (id: string, input: {
    readonly service: string
    readonly operations: ReadonlyArray<"*" | string>
    /** Of a service whose `auth` names a provider of connected apps: the app that this agent uses. */
    readonly app_id?: string
    /** Cents in a UTC month, for each operation separately; there is no sum over operations. */
    readonly monthly_cap_cents?: number
    /** Requests in a UTC day, for each operation separately. */
    readonly daily_request_limit?: number
    /** A single request that costs more requires approval. */
    readonly approval_threshold_cents?: number
    readonly per_operation?: Readonly<Record<string, types.OperationCaps>>
    readonly enabled?: boolean
    /** The version that the change is based on. */
    readonly expected_version?: number
  }, options?: CallOptions) => Promise<types.Binding>
  /** Disable a binding. */
  readonly disable: (id: string, service: string, options?: CallOptions) => Promise<void>
}
export interface Budgets {
  /** Get an agent's budget. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.AgentBudget>
  /** Set an agent's monthly cap. */
  readonly set: (id: string, input: {
    readonly monthly_budget_cents: number | null
    readonly approval_threshold_cents?: number | null
    /** The version that the change is based on. */
    readonly expected_version?: number
  }, options?: CallOptions) => Promise<types.AgentBudget>
  /** List limits that are nearly used up. */
  readonly alerts: (input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Pages<types.BudgetAlert>
}
export interface BudgetRequests {
  /** List budget requests. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly status?: "pending" | "approved" | "rejected" | "withdrawn"
    readonly agent_id?: string
  }, options?: CallOptions) => Pages<types.BudgetRequest>
  /** Ask for a higher cap. */
  readonly create: (input: {
    /** Required from a person; an agent asks for itself only. */
    readonly agent_id?: string
    readonly amount_cents: number
    /** `month` raises the cap permanently, `once` for the UTC month of the approval only. */
    readonly period: "month" | "once"
    /** The operation whose monthly cap should be raised, as `service.operation`. */
    readonly operation?: string
    readonly reason: string
  }, options?: CallOptions) => Promise<types.BudgetRequest>
  /** Get a budget request. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.BudgetRequest>
  /** Decide or withdraw a budget request. */
  readonly decide: (id: string, input: {
    readonly status: "approved" | "rejected" | "withdrawn"
    /** With `approved`: the amount to grant instead of the requested one. */
    readonly amount_cents?: number
    readonly comment?: string
  }, options?: CallOptions) => Promise<types.BudgetRequest>
}
export interface Search {
  /** Search the workspace. */
  readonly find: (input?: {
    readonly q?: string
    readonly limit?: number
  }, options?: CallOptions) => Promise<{
    readonly data: ReadonlyArray<types.SearchResult>
  }>
}
export interface Views {
  /** List saved views. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly screen?: "inbox" | "requests" | "audit" | "agents"
  }, options?: CallOptions) => Pages<types.View>
  /** Save a view. */
  readonly create: (input: {
    readonly screen: "inbox" | "requests" | "audit" | "agents"
    readonly name: string
    /** The query of the screen's address, without the question mark: */
    readonly query: string
    readonly shared?: boolean
    /** Views are sorted by position, then by age */
    readonly position?: number
  }, options?: CallOptions) => Promise<types.View>
  /** Change a saved view. */
  readonly update: (id: string, input?: {
    readonly name?: string
    /** The query of the screen's address, without the question mark: */
    readonly query?: string
    readonly shared?: boolean
    /** Views are sorted by position, then by age */
    readonly position?: number
  }, options?: CallOptions) => Promise<types.View>
  /** Delete a saved view. */
  readonly remove: (id: string, options?: CallOptions) => Promise<void>
}
export interface Secrets {
  /** List the names of secrets. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Pages<types.Secret>
  /** Store a secret. */
  readonly put: (name: string, input: {
    readonly value: string
  }, options?: CallOptions) => Promise<types.Secret>
  /** Delete a secret. */
  readonly remove: (name: string, options?: CallOptions) => Promise<void>
}
export interface Notifications {
  /** Get the notification settings. */
  readonly settings: (options?: CallOptions) => Promise<types.NotificationSettings>
  /** Change the notification settings. */
  readonly update: (input?: {
    readonly "approval.created"?: types.NoticePlacesChange
    readonly "agent_request.created"?: types.NoticePlacesChange
    readonly "budget.alert"?: types.NoticePlacesChange
    readonly "run.failed"?: types.NoticePlacesChange
    readonly "app.needs_reauth"?: types.NoticePlacesChange
    readonly "webhook_endpoint.disabled"?: types.NoticePlacesChange
    readonly quiet_hours?: types.QuietHours | null
    /** The least time between two mails about pending approvals and requests, in minutes */
    readonly email_digest_minutes?: number
  }, options?: CallOptions) => Promise<types.NotificationSettings>
  /** Preview a mail. */
  readonly preview: (input?: {
    readonly event?: "approval.created" | "agent_request.created" | "budget.alert" | "run.failed" | "app.needs_reauth" | "webhook_endpoint.disabled"
  }, options?: CallOptions) => Promise<types.MailPreview>
  /** Preview a mail as a page. */
  readonly previewPage: (input?: {
    readonly event?: "approval.created" | "agent_request.created" | "budget.alert" | "run.failed" | "app.needs_reauth" | "webhook_endpoint.disabled"
    readonly workspace?: string
  }, options?: CallOptions) => Promise<string>
  /** Get the key of browser push. */
  readonly pushKey: (options?: CallOptions) => Promise<types.PushKey>
  /** List subscribed browsers. */
  readonly subscriptions: (options?: CallOptions) => Promise<{
    readonly data: ReadonlyArray<types.PushSubscription>
    readonly next_cursor: string | null
    readonly as_of: string
  }>
  /** Subscribe a browser. */
  readonly subscribe: (input: {
    readonly endpoint: string
    readonly expirationTime?: number | "Infinity" | "-Infinity" | "NaN" | null
    readonly keys: {
      readonly p256dh: string
      readonly auth: string
    }
  }, options?: CallOptions) => Promise<types.PushSubscription>
  /** Unsubscribe a browser. */
  readonly unsubscribe: (id: string, options?: CallOptions) => Promise<void>
}
export interface Policies {
  /** List policies. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Pages<types.Policy>
  /** Create a policy. */
  readonly create: (input: {
    readonly name: string
    readonly position?: number
    readonly enabled?: boolean
    /** CEL that gives true or false, over agent { id, name, team_id }, service, operation, payload, ceiling_cents, time */
    readonly when: string
    readonly then: "allow" | "block" | "require_approval"
    readonly required_approvals?: number
    readonly deciders?: types.Deciders
    readonly expires_in_seconds?: number
    readonly reason?: string
  }, options?: CallOptions) => Promise<types.SavedPolicy>
  /** Test a policy on past requests. */
  readonly test: (input?: {
    readonly policy_id?: string
    readonly rule?: types.CreatePolicyInput
    /** An RFC 3339 time, or a UTC day (YYYY-MM-DD), which means its first moment */
    readonly from?: string
    /** An RFC 3339 time, or a UTC day (YYYY-MM-DD), which means its first moment */
    readonly to?: string
    readonly limit?: number
  }, options?: CallOptions) => Promise<types.PolicyReplay>
  /** Get a policy. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.Policy>
  /** Change a policy. */
  readonly update: (id: string, input?: {
    readonly name?: string
    readonly position?: number
    readonly enabled?: boolean
    /** CEL that gives true or false, over agent { id, name, team_id }, service, operation, payload, ceiling_cents, time */
    readonly when?: string
    readonly then?: "allow" | "block" | "require_approval"
    readonly required_approvals?: number | null
    readonly deciders?: types.Deciders | null
    readonly expires_in_seconds?: number | null
    readonly reason?: string
    /** The version that the change is based on. */
    readonly expected_version?: number
  }, options?: CallOptions) => Promise<types.SavedPolicy>
  /** Delete a policy. */
  readonly remove: (id: string, options?: CallOptions) => Promise<void>
}
export interface Services {
  /** List services. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Pages<types.ListedService>
  /** Declare a service. */
  readonly create: (input: {
    readonly name: string
    readonly title?: string
    readonly description?: string
    readonly enabled?: boolean
    readonly kind: "http" | "mcp"
    /** Scheme, host, port, and path, such as https://api.example.com/v1; each operation's path is appended. */
    readonly base_url?: string
    readonly auth?: types.ServiceAuth
    readonly operations?: ReadonlyArray<types.HttpOperation>
    /** The address of the server's streamable HTTP endpoint, such as https://example.com/mcp. */
    readonly url?: string
    /** The price of each tool without its own. */
    readonly default_price?: {
      readonly type: "fixed"
      /** Whole cents for each executed request */
      readonly cents: number
    }
    /** Prices by the tool's name. */
    readonly prices?: Readonly<Record<string, {
      readonly type: "fixed"
      /** Whole cents for each executed request */
      readonly cents: number
    }>>
  }, options?: CallOptions) => Promise<types.SavedService>
  /** Import a service from an OpenAPI document. */
  readonly import: (input: {
    readonly name: string
    readonly openapi?: string | Readonly<Record<string, unknown>>
    readonly url?: string
    /** Scheme, host, port, and path, such as https://api.example.com/v1; each operation's path is appended. */
    readonly base_url?: string
    readonly auth?: types.ServiceAuth
    readonly tags?: ReadonlyArray<string>
    readonly operation_ids?: ReadonlyArray<string>
    readonly price: types.Price
    readonly prices?: Readonly<Record<string, types.Price>>
  }, options?: CallOptions) => Promise<types.ImportedService>
  /** Preview an import. */
  readonly previewImport: (input?: {
    readonly openapi?: string | Readonly<Record<string, unknown>>
    readonly url?: string
    /** Scheme, host, port, and path, such as https://api.example.com/v1; each operation's path is appended. */
    readonly base_url?: string
  }, options?: CallOptions) => Promise<types.ImportPreview>
  /** Get a service. */
  readonly get: (name: string, options?: CallOptions) => Promise<types.CatalogService>
  /** Change a service. */
  readonly update: (name: string, input?: {
    readonly title?: string
    readonly description?: string
    readonly enabled?: boolean
    /** Scheme, host, port, and path, such as https://api.example.com/v1; each operation's path is appended. */
    readonly base_url?: string
    readonly auth?: types.ServiceAuth
    readonly operations?: ReadonlyArray<types.HttpOperation>
    readonly price?: types.OperationPrice | null
    readonly prices?: Readonly<Record<string, types.OperationPrice | null>>
    /** The address of the server's streamable HTTP endpoint, such as https://example.com/mcp. */
    readonly url?: string
    readonly default_price?: {
      readonly type: "fixed"
      /** Whole cents for each executed request */
      readonly cents: number
    }
    /** The version that the change is based on. */
    readonly expected_version?: number
  }, options?: CallOptions) => Promise<types.SavedService>
  /** Delete a service. */
  readonly remove: (name: string, options?: CallOptions) => Promise<void>
}
export interface McpTools {
  /** List the tools of an MCP service. */
  readonly list: (name: string, options?: CallOptions) => Promise<types.McpToolList>
  /** Accept a tool of an MCP service. */
  readonly accept: (name: string, input: {
    readonly name: string
    readonly digest: string
  }, options?: CallOptions) => Promise<types.McpTool>
  /** Refuse a tool of an MCP service. */
  readonly refuse: (name: string, input: {
    readonly name: string
    readonly digest: string
  }, options?: CallOptions) => Promise<types.McpTool>
  /** Read the tools of an MCP service again. */
  readonly refresh: (name: string, options?: CallOptions) => Promise<types.McpToolList>
}
export interface Apps {
  /** List connected apps. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Pages<types.App>
  /** Connect an app. */
  readonly create: (input: {
    /** Such as github. */
    readonly provider: string
    readonly name?: string
    readonly scopes?: ReadonlyArray<string>
    readonly params?: Readonly<Record<string, string>>
    /** `private`: agents of the person who connected it. */
    readonly visibility?: "private" | "workspace"
  }, options?: CallOptions) => Promise<types.StartedApp>
  /** List providers of apps. */
  readonly providers: (options?: CallOptions) => Promise<{
    readonly data: ReadonlyArray<types.AppProvider>
    readonly next_cursor: string | null
    readonly as_of: string
  }>
  /** Set a provider's OAuth client. */
  readonly putProvider: (name: string, input: {
    readonly client_id: string
    readonly client_secret: string
    readonly definition?: types.AppDefinition
  }, options?: CallOptions) => Promise<types.AppProvider>
  /** Get a connected app. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.App>
  /** Change a connected app. */
  readonly update: (id: string, input?: {
    readonly name?: string
    /** `private`: agents of the person who connected it. */
    readonly visibility?: "private" | "workspace"
  }, options?: CallOptions) => Promise<types.App>
  /** Delete a connected app. */
  readonly remove: (id: string, options?: CallOptions) => Promise<void>
  /** Renew an app's access token. */
  readonly refresh: (id: string, options?: CallOptions) => Promise<types.App>
  /** Sign in to an app again. */
  readonly reconnect: (id: string, options?: CallOptions) => Promise<types.StartedApp>
  /** Disconnect an app. */
  readonly revoke: (id: string, options?: CallOptions) => Promise<types.App>
}
export interface AppCallback {
  /** End a sign-in at a provider. */
  readonly callback: (input?: {
    readonly state?: string
    readonly code?: string
    readonly error?: string
  }, options?: CallOptions) => Promise<string>
}
export interface Storage {
  /** List objects. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly prefix?: string
    readonly delimiter?: "/"
    readonly status?: "live" | "deleted"
    /** The order of the list: a field, ascending; with `-` before it, descending. */
    readonly sort?: "created_at" | "-created_at" | "key" | "-key"
  }, options?: CallOptions) => Pages<types.StorageObject>
  /** Upload an object. */
  readonly upload: (data: Uint8Array | Blob | string, input?: {
    readonly key?: string
    readonly content_type?: string
  }, options?: CallOptions) => Promise<types.StorageObject>
  /** List folders. */
  readonly folders: (input?: {
    readonly prefix?: string
  }, options?: CallOptions) => Promise<types.StorageFolders>
  /** Get the used bytes and the limits. */
  readonly usage: (options?: CallOptions) => Promise<types.StorageUsage>
  /** Get a URL for an upload. */
  readonly presignUpload: (input: {
    readonly key: string
    readonly content_type: string
    readonly size_bytes: number
    readonly sha256?: string
  }, options?: CallOptions) => Promise<types.PresignedUpload>
  /** Confirm an upload. */
  readonly confirm: (id: string, options?: CallOptions) => Promise<types.StorageObject>
  /** Get an object. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.StorageObject>
  /** Rename an object, or replace its metadata. */
  readonly update: (id: string, input?: {
    readonly key?: string
    readonly metadata?: Readonly<Record<string, string>>
  }, options?: CallOptions) => Promise<types.StorageObject>
  /** Delete an object. */
  readonly remove: (id: string, options?: CallOptions) => Promise<void>
  /** Download an object. */
  readonly download: (id: string, input?: {
    readonly workspace?: string
    readonly disposition?: "inline" | "attachment"
  }, options?: CallOptions) => Promise<Uint8Array>
  /** Restore a deleted object. */
  readonly restore: (id: string, options?: CallOptions) => Promise<types.StorageObject>
}
export interface StorageBlobs {
  /** Download from a signed URL. */
  readonly read: (token: string, options?: CallOptions) => Promise<Uint8Array>
  /** Upload to a signed URL. */
  readonly write: (token: string, data: Uint8Array | Blob | string, options?: CallOptions) => Promise<void>
}
export interface Knowledge {
  /** List collections. */
  readonly listCollections: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly q?: string
    /** The order of the list: a field, ascending; with `-` before it, descending. */
    readonly sort?: "created_at" | "-created_at" | "name" | "-name"
  }, options?: CallOptions) => Pages<types.KnowledgeCollection>
  /** Create a collection. */
  readonly createCollection: (input: {
    readonly name: string
    readonly description?: string
  }, options?: CallOptions) => Promise<types.KnowledgeCollection>
  /** Get a collection. */
  readonly getCollection: (id: string, options?: CallOptions) => Promise<types.KnowledgeCollection>
  /** Delete a collection. */
  readonly removeCollection: (id: string, options?: CallOptions) => Promise<void>
  /** Reindex a collection. */
  readonly reindex: (id: string, options?: CallOptions) => Promise<types.KnowledgeCollection>
  /** List documents of a collection. */
  readonly listDocuments: (id: string, input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly q?: string
    readonly status?: "queued" | "processing" | "ready" | "failed"
    /** The order of the list: a field, ascending; with `-` before it, descending. */
    readonly sort?: "created_at" | "-created_at" | "title" | "-title"
  }, options?: CallOptions) => Pages<types.KnowledgeDocument>
  /** Add a document. */
  readonly addDocument: (id: string, input?: {
    readonly title?: string
    readonly content_type?: "text/plain" | "text/markdown" | "text/html"
    readonly text?: string
    readonly object_id?: string
  }, options?: CallOptions) => Promise<types.KnowledgeDocument>
  /** Get a document. */
  readonly getDocument: (id: string, docId: string, options?: CallOptions) => Promise<types.KnowledgeDocument>
  /** Delete a document. */
  readonly removeDocument: (id: string, docId: string, options?: CallOptions) => Promise<void>
  /** Retry a failed document. */
  readonly retryDocument: (id: string, docId: string, options?: CallOptions) => Promise<types.KnowledgeDocument>
  /** List the passages of a document. */
  readonly listPassages: (id: string, docId: string, input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly from?: number
  }, options?: CallOptions) => Pages<types.KnowledgePassage>
  /** Find passages that answer a question. */
  readonly query: (id: string, input: {
    readonly query: string
    readonly top_k?: number
    readonly filter?: types.KnowledgeFilter
    readonly hybrid?: boolean
  }, options?: CallOptions) => Promise<types.KnowledgeQueryAnswer>
}
export interface Workflows {
  /** List workflows. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
    /** Only workflows whose name or description contains this text, in any case */
    readonly q?: string
    readonly status?: "draft" | "pending_review" | "published"
    readonly visibility?: "private" | "team" | "org"
    readonly team_id?: string
    /** Only workflows that are granted to this agent */
    readonly agent_id?: string
    /** The order of the list: a field, ascending; with `-` before it, descending. */
    readonly sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name"
  }, options?: CallOptions) => Pages<types.Workflow>
  /** Create a workflow. */
  readonly create: (input: {
    readonly name: string
    readonly description?: string
    /** Default: private */
    readonly visibility?: "private" | "team" | "org"
    /** Required with visibility team, refused with any other */
    readonly team_id?: string
    readonly max_cost_cents?: number
  }, options?: CallOptions) => Promise<types.Workflow>
  /** Import a workflow. */
  readonly import: (input: {
    readonly format: string
    readonly name: string
    readonly description?: string
    readonly max_cost_cents?: number
    readonly definition?: types.WorkflowDefinition
  }, options?: CallOptions) => Promise<types.ImportedWorkflow>
  /** Create a workflow from a template. */
  readonly fromTemplate: (input: {
    readonly template_id: string
    readonly name?: string
  }, options?: CallOptions) => Promise<types.ImportedWorkflow>
  /** List workflow templates. */
  readonly templates: (options?: CallOptions) => Promise<{
    readonly data: ReadonlyArray<types.WorkflowTemplate>
    readonly next_cursor: null
    readonly as_of: string
  }>
  /** Get a workflow. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.Workflow>
  /** Update a workflow. */
  readonly update: (id: string, input?: {
    readonly name?: string
    readonly description?: string
    readonly max_cost_cents?: number | null
    /** The version that the change is based on. */
    readonly expected_version?: number
  }, options?: CallOptions) => Promise<types.Workflow>
  /** Delete a workflow. */
  readonly remove: (id: string, input?: {
    readonly force?: "true" | "false"
  }, options?: CallOptions) => Promise<void>
  /** Create or check a version. */
  readonly createVersion: (id: string, input: {
    readonly dry_run?: "true" | "false"
    readonly steps: ReadonlyArray<types.WorkflowStep>
    readonly edges: ReadonlyArray<types.WorkflowEdge>
    readonly input_schema?: Readonly<Record<string, unknown>>
    /** A template. */
    readonly output?: unknown
  }, options?: CallOptions) => Promise<types.ValidWorkflowDefinition | types.CreatedWorkflowVersion>
  /** List versions of a workflow. */
  readonly listVersions: (id: string, input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Pages<types.WorkflowVersion>
  /** Get a version of a workflow. */
  readonly getVersion: (id: string, versionId: string, options?: CallOptions) => Promise<types.WorkflowVersion>
  /** Request the publication of a version. */
  readonly publish: (id: string, versionId: string, input?: {
    readonly note?: string
    /** Default: team for a workflow of a team, otherwise org */
    readonly scope?: "team" | "org"
    readonly team_id?: string
    /** List it in the marketplace too; requires scope org. */
    readonly listed?: boolean
  }, options?: CallOptions) => Promise<types.PublishRequest>
  /** Unpublish a workflow. */
  readonly unpublish: (id: string, options?: CallOptions) => Promise<types.Workflow>
  /** Grant a workflow to an agent. */
  readonly grant: (id: string, input: {
    readonly agent_id: string
  }, options?: CallOptions) => Promise<types.WorkflowGrant>
  /** Revoke a workflow from an agent. */
  readonly revoke: (id: string, input?: {
    /** Required */
    readonly agent_id?: string
  }, options?: CallOptions) => Promise<void>
  /** Share a workflow. */
  readonly share: (id: string, input: {
    readonly visibility: "private" | "team" | "org"
    /** Required with visibility team, refused with any other */
    readonly team_id?: string
    /** The version that the change is based on. */
    readonly expected_version?: number
  }, options?: CallOptions) => Promise<types.Workflow>
  /** Export a workflow. */
  readonly export: (id: string, input?: {
    readonly version_id?: string
  }, options?: CallOptions) => Promise<types.WorkflowExport>
}
export interface ScheduledTasks {
  /** List scheduled tasks. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly agent_id?: string
    readonly status?: "active" | "paused"
  }, options?: CallOptions) => Pages<types.ScheduledTask>
  /** Create a scheduled task. */
  readonly create: (input: {
    readonly name: string
    readonly agent_id: string
    /** Five fields: minute, hour, day of month, month, day of week. */
    readonly cron: string
    /** An IANA name, such as Europe/Berlin. */
    readonly timezone?: string
    readonly action: types.FiringAction
    /** What happens to due times that passed more than 5 minutes ago: */
    readonly catch_up?: "skip" | "once"
    /** What a firing does while an earlier one is open: */
    readonly overlap?: "skip" | "allow" | "queue"
    /** A firing is up to this much later than its due time, and before the next one. */
    readonly jitter_seconds?: number
    /** `false` creates it paused. */
    readonly enabled?: boolean
  }, options?: CallOptions) => Promise<types.ScheduledTask>
  /** Get a scheduled task. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.ScheduledTask>
  /** Update a scheduled task. */
  readonly update: (id: string, input?: {
    readonly name?: string
    readonly agent_id?: string
    /** Five fields: minute, hour, day of month, month, day of week. */
    readonly cron?: string
    /** An IANA name, such as Europe/Berlin. */
    readonly timezone?: string
    readonly action?: types.FiringAction
    /** What happens to due times that passed more than 5 minutes ago: */
    readonly catch_up?: "skip" | "once"
    /** What a firing does while an earlier one is open: */
    readonly overlap?: "skip" | "allow" | "queue"
    /** A firing is up to this much later than its due time, and before the next one. */
    readonly jitter_seconds?: number
    /** The version that the change is based on. */
    readonly expected_version?: number
  }, options?: CallOptions) => Promise<types.ScheduledTask>
  /** Delete a scheduled task. */
  readonly remove: (id: string, options?: CallOptions) => Promise<void>
  /** List runs of a scheduled task. */
  readonly listRuns: (id: string, input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly status?: "fired" | "queued" | "skipped" | "missed"
  }, options?: CallOptions) => Pages<types.ScheduleRun>
  /** Run a scheduled task now. */
  readonly run: (id: string, options?: CallOptions) => Promise<types.ScheduleRun>
  /** Pause or resume a scheduled task. */
  readonly setStatus: (id: string, input: {
    readonly status: "active" | "paused"
  }, options?: CallOptions) => Promise<types.ScheduledTask>
}
export interface Triggers {
  /** List triggers. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly agent_id?: string
    readonly kind?: "webhook" | "cron"
    readonly status?: "active" | "paused"
  }, options?: CallOptions) => Pages<types.Trigger>
  /** Create a trigger. */
  readonly create: (input: {
    readonly name?: string
    readonly kind: "webhook" | "cron"
    readonly agent_id: string
    readonly action: types.FiringAction
    /** Required for cron, refused for webhook */
    readonly cron?: string
    /** An IANA name, such as Europe/Berlin. */
    readonly timezone?: string
    /** For webhooks. */
    readonly payload_template?: Readonly<Record<string, unknown>>
    /** For webhooks: accept only Standard Webhooks signatures, whose timestamp is signed. */
    readonly require_timestamp?: boolean
    /** `false` creates it paused. */
    readonly enabled?: boolean
  }, options?: CallOptions) => Promise<types.NewTrigger>
  /** Get a trigger. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.Trigger>
  /** Update a trigger. */
  readonly update: (id: string, input?: {
    readonly name?: string
    readonly agent_id?: string
    readonly action?: types.FiringAction
    /** Five fields: minute, hour, day of month, month, day of week. */
    readonly cron?: string
    /** An IANA name, such as Europe/Berlin. */
    readonly timezone?: string
    readonly payload_template?: Readonly<Record<string, unknown>> | null
    readonly require_timestamp?: boolean
    readonly status?: "active" | "paused"
    /** The version that the change is based on. */
    readonly expected_version?: number
  }, options?: CallOptions) => Promise<types.Trigger>
  /** Delete a trigger. */
  readonly remove: (id: string, options?: CallOptions) => Promise<void>
  /** Rotate the secret of a trigger. */
  readonly rotateSecret: (id: string, input?: {
    /** How long the old secret keeps working. */
    readonly grace_seconds?: number
  }, options?: CallOptions) => Promise<types.RotatedTriggerSecret>
  /** Test a trigger without firing it. */
  readonly test: (id: string, input?: {
    readonly body?: unknown
    readonly headers?: Readonly<Record<string, string>>
    readonly query?: Readonly<Record<string, string>>
  }, options?: CallOptions) => Promise<types.TriggerTest>
  /** List deliveries of a trigger. */
  readonly listDeliveries: (id: string, input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly status?: "fired" | "refused" | "queued" | "skipped" | "missed"
  }, options?: CallOptions) => Pages<types.TriggerDelivery>
}
export interface NoticeChannels {
  /** List notice channels. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly kind?: "slack" | "discord"
  }, options?: CallOptions) => Pages<types.NoticeChannel>
  /** Create a notice channel. */
  readonly create: (input: {
    readonly kind: "slack" | "discord"
    /** For Slack: a connected app of the workspace in place of a secret */
    readonly app_id?: string
    /** The stored secret with the bot's token */
    readonly secret?: string
    /** The id of the channel in Slack or Discord */
    readonly target: string
    /** Only approvals and budget requests of at least this amount */
    readonly min_cents?: number
    /** Only subjects of these agents. */
    readonly agent_ids?: ReadonlyArray<string>
    /** Default: */
    readonly events?: ReadonlyArray<"approval.created" | "agent_request.created" | "budget_request.updated">
  }, options?: CallOptions) => Promise<types.NoticeChannel>
  /** Get a notice channel. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.NoticeChannel>
  /** Update a notice channel. */
  readonly update: (id: string, input?: {
    /** For Slack: a connected app of the workspace in place of a secret */
    readonly app_id?: string
    /** The stored secret with the bot's token */
    readonly secret?: string
    /** The id of the channel in Slack or Discord */
    readonly target?: string
    readonly min_cents?: number | null
    readonly agent_ids?: ReadonlyArray<string> | null
    /** Default: */
    readonly events?: ReadonlyArray<"approval.created" | "agent_request.created" | "budget_request.updated">
    /** The version that the change is based on. */
    readonly expected_version?: number
  }, options?: CallOptions) => Promise<types.NoticeChannel>
  /** Delete a notice channel. */
  readonly remove: (id: string, options?: CallOptions) => Promise<void>
  /** Send a test message to a notice channel. */
  readonly test: (id: string, options?: CallOptions) => Promise<types.NoticeChannelTest>
}
export interface MessengerLinks {
  /** List linked accounts. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Pages<types.MessengerLink>
  /** Create a code that links an account. */
  readonly create: (options?: CallOptions) => Promise<types.NewMessengerLink>
  /** Confirm a linked account. */
  readonly confirm: (id: string, options?: CallOptions) => Promise<types.MessengerLink>
  /** Remove a linked account. */
  readonly remove: (id: string, options?: CallOptions) => Promise<void>
}
export interface WebhookEndpoints {
  /** List webhook endpoints. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Pages<types.WebhookEndpoint>
  /** Create a webhook endpoint. */
  readonly create: (input: {
    readonly url: string
    /** Default: all types, also those of later versions */
    readonly types?: ReadonlyArray<"approval.created" | "approval.updated" | "approval.decided" | "approval.expired" | "service_request.updated" | "agent.updated" | "balance.changed" | "standing_approval.updated" | "device.updated" | "device_command.updated" | "run.updated" | "workflow.updated" | "budget.alert" | "budget_request.updated" | "delegated_task.updated" | "payment.updated" | "agent_request.created" | "agent_request.updated" | "publish_request.updated" | "workspace.updated" | "catalog.updated" | "app.updated" | "knowledge.updated" | "schedule.updated" | "trigger.updated" | "chat.updated" | "webhook.test">
    readonly description?: string
  }, options?: CallOptions) => Promise<types.NewWebhookEndpoint>
  /** Get a webhook endpoint. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.WebhookEndpoint>
  /** Update, enable, or disable a webhook endpoint. */
  readonly update: (id: string, input?: {
    readonly url?: string
    /** null: all types */
    readonly types?: ReadonlyArray<"approval.created" | "approval.updated" | "approval.decided" | "approval.expired" | "service_request.updated" | "agent.updated" | "balance.changed" | "standing_approval.updated" | "device.updated" | "device_command.updated" | "run.updated" | "workflow.updated" | "budget.alert" | "budget_request.updated" | "delegated_task.updated" | "payment.updated" | "agent_request.created" | "agent_request.updated" | "publish_request.updated" | "workspace.updated" | "catalog.updated" | "app.updated" | "knowledge.updated" | "schedule.updated" | "trigger.updated" | "chat.updated" | "webhook.test"> | null
    readonly description?: string
    readonly status?: "enabled" | "disabled"
    /** The version that the change is based on. */
    readonly expected_version?: number
  }, options?: CallOptions) => Promise<types.WebhookEndpoint>
  /** Delete a webhook endpoint. */
  readonly remove: (id: string, options?: CallOptions) => Promise<void>
  /** Rotate the signing secret of a webhook endpoint. */
  readonly rotateSecret: (id: string, input?: {
    /** How long both secrets sign. */
    readonly grace_seconds?: number
  }, options?: CallOptions) => Promise<types.RotatedWebhookSecret>
  /** Send a test message to a webhook endpoint. */
  readonly test: (id: string, options?: CallOptions) => Promise<types.WebhookDelivery>
  /** Send past events to a webhook endpoint again. */
  readonly replay: (id: string, input: {
    /** An RFC 3339 time, or a UTC day (YYYY-MM-DD), which means its first moment */
    readonly since: string
  }, options?: CallOptions) => Promise<types.WebhookReplay>
  /** List the deliveries of a webhook endpoint. */
  readonly listDeliveries: (id: string, input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly status?: "pending" | "delivered" | "failed"
    readonly type?: "approval.created" | "approval.updated" | "approval.decided" | "approval.expired" | "service_request.updated" | "agent.updated" | "balance.changed" | "standing_approval.updated" | "device.updated" | "device_command.updated" | "run.updated" | "workflow.updated" | "budget.alert" | "budget_request.updated" | "delegated_task.updated" | "payment.updated" | "agent_request.created" | "agent_request.updated" | "publish_request.updated" | "workspace.updated" | "catalog.updated" | "app.updated" | "knowledge.updated" | "schedule.updated" | "trigger.updated" | "chat.updated" | "webhook.test"
  }, options?: CallOptions) => Pages<types.WebhookDelivery>
  /** Send a webhook delivery again. */
  readonly redeliver: (id: string, did: string, options?: CallOptions) => Promise<types.WebhookDelivery>
}
export interface Models {
  /** List models with their prices. */
  readonly list: (input?: {
    /** Words that the id or the name contains, in any case */
    readonly q?: string
    /** The part of the id before the slash, such as anthropic */
    readonly provider?: string
    /** One of the input modalities, such as image */
    readonly modality?: string
    /** The highest price of a million tokens of input, in USD, inclusive */
    readonly max_price?: string
  }, options?: CallOptions) => Promise<types.ModelList>
  /** List models with their prices, in OpenRouter's shape. */
  readonly listOpenRouter: (input?: {
    /** Words that the id or the name contains, in any case */
    readonly q?: string
    /** The part of the id before the slash, such as anthropic */
    readonly provider?: string
    /** One of the input modalities, such as image */
    readonly modality?: string
    /** The highest price of a million tokens of input, in USD, inclusive */
    readonly max_price?: string
  }, options?: CallOptions) => Promise<types.ModelList>
  /** List favorite models. */
  readonly favorites: (options?: CallOptions) => Promise<types.ModelFavoriteList>
  /** Add a favorite model. */
  readonly addFavorite: (input: {
    /** Such as openai/gpt-4o-mini */
    readonly model_id: string
  }, options?: CallOptions) => Promise<types.ModelFavorite>
  /** Get a favorite model. */
  readonly favorite: (modelId: string, options?: CallOptions) => Promise<types.ModelFavorite>
  /** Remove a favorite model. */
  readonly removeFavorite: (modelId: string, options?: CallOptions) => Promise<void>
}
export interface Speech {
  /** List voices. */
  readonly voices: (options?: CallOptions) => Promise<types.VoiceList>
  /** Speak a text. */
  readonly say: (input: {
    readonly text: string
    /** The id of a voice of GET /tts */
    readonly voice: string
    /** 1 is the voice's own speed; higher is faster */
    readonly speed?: number
  }, options?: CallOptions) => Promise<Uint8Array>
}
export interface Chat {
  /** List chat sessions. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly agent_id?: string
  }, options?: CallOptions) => Pages<types.ChatSession>
  /** Create a chat session. */
  readonly create: (input?: {
    readonly agent_id?: string
    readonly title?: string
    readonly model?: string
    readonly mode?: "live" | "test"
  }, options?: CallOptions) => Promise<types.ChatSession>
  /** Close a chat session. */
  readonly close: (input: {
    readonly session_id: string
  }, options?: CallOptions) => Promise<void>
  /** Get a chat session with its messages. */
  readonly get: (id: string, input?: {
    readonly limit?: number
    readonly cursor?: string
  }, options?: CallOptions) => Promise<types.ChatSessionWithMessages>
  /** Rename a chat session, or set its model. */
  readonly update: (id: string, input?: {
    readonly title?: string
    readonly model?: string
  }, options?: CallOptions) => Promise<types.ChatSession>
  /** Run a turn, and stream its events. */
  readonly turn: (input: {
    readonly session_id: string
    readonly message?: string
    readonly attachments?: ReadonlyArray<string>
    readonly parent_id?: string | null
    readonly background?: boolean
    readonly model?: string
    readonly force_approval?: boolean
    readonly continue_from?: string
    readonly tool_results?: ReadonlyArray<types.LocalToolResult>
    readonly local_tools?: ReadonlyArray<types.LocalTool>
  }, options?: CallOptions) => ChatTurn
  /** Get a turn with its steps. */
  readonly getTurn: (id: string, options?: CallOptions) => Promise<types.ChatTurn>
  /** Stream the events of a turn. */
  readonly events: (id: string, input?: {
    readonly last_event_id?: string
  }, options?: CallOptions) => EventStream<unknown>
  /** Cancel a turn. */
  readonly cancel: (id: string, options?: CallOptions) => Promise<types.ChatTurn>
  /** Decide a pending call of a turn. */
  readonly decide: (id: string, input: {
    readonly decision: "approve" | "reject"
    readonly comment?: string
  }, options?: CallOptions) => Promise<types.DecidedChatCall>
  /** Download an artifact of a chat. */
  readonly artifact: (id: string, options?: CallOptions) => Promise<Uint8Array>
}
export interface Devices {
  /** Register a device. */
  readonly register: (input: {
    readonly name: string
    readonly platform: string
    readonly arch: string
    readonly app_version: string
    readonly capabilities: ReadonlyArray<"shell.run" | "fs.read" | "fs.write" | "fs.list" | "fs.search" | "http.get" | "system.info">
    readonly public_key?: string
  }, options?: CallOptions) => Promise<types.RegisteredDevice>
  /** List devices. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly state?: "pending" | "active" | "draining" | "paused" | "revoked"
    readonly q?: string
  }, options?: CallOptions) => Pages<types.Device>
  /** Get a device. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.Device>
  /** Change a device. */
  readonly update: (id: string, input?: {
    readonly name?: string
    readonly granted?: ReadonlyArray<"shell.run" | "fs.read" | "fs.write" | "fs.list" | "fs.search" | "http.get" | "system.info">
    readonly agents?: "*" | ReadonlyArray<string>
    readonly labels?: ReadonlyArray<string>
    readonly state?: "active" | "draining" | "paused" | "revoked"
  }, options?: CallOptions) => Promise<types.Device>
  /** Revoke a device. */
  readonly remove: (id: string, options?: CallOptions) => Promise<void>
  /** Keep a device's session alive. */
  readonly heartbeat: (id: string, input?: {
    readonly session_id?: string
    readonly app_version?: string
    readonly instance_id?: string
    readonly boot_id?: string
    readonly status?: "online" | "draining" | "paused"
    readonly load?: Readonly<Record<string, number>>
    readonly running?: ReadonlyArray<{
      readonly command_id: string
      readonly lease: number
      readonly last_seq?: number
    }>
    readonly roots?: ReadonlyArray<string>
    readonly working_directory?: string
    readonly capabilities?: ReadonlyArray<"shell.run" | "fs.read" | "fs.write" | "fs.list" | "fs.search" | "http.get" | "system.info">
    readonly timeout_seconds_max?: number
  }, options?: CallOptions) => Promise<types.DeviceHeartbeatAnswer>
}
export interface DevicePairing {
  /** Start a pairing. */
  readonly start: (input: {
    readonly name: string
    readonly platform: string
    readonly arch: string
    readonly app_version: string
    readonly capabilities: ReadonlyArray<"shell.run" | "fs.read" | "fs.write" | "fs.list" | "fs.search" | "http.get" | "system.info">
    readonly public_key?: string
  }, options?: CallOptions) => Promise<types.PairingStarted>
  /** Wait for the decision on a pairing. */
  readonly current: (input?: {
    readonly wait?: number
  }, options?: CallOptions) => Promise<types.PairingProgress>
  /** Get a pairing by its code. */
  readonly get: (code: string, options?: CallOptions) => Promise<types.Pairing>
  /** Confirm a pairing. */
  readonly confirm: (code: string, input: {
    readonly granted: ReadonlyArray<"shell.run" | "fs.read" | "fs.write" | "fs.list" | "fs.search" | "http.get" | "system.info">
    readonly agents?: "*" | ReadonlyArray<string>
    readonly name?: string
  }, options?: CallOptions) => Promise<types.Device>
  /** Reject a pairing. */
  readonly reject: (code: string, options?: CallOptions) => Promise<void>
}
export interface DeviceSessions {
  /** List device sessions. */
  readonly list: (input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly device_id?: string
    readonly status?: "online" | "offline" | "ended"
  }, options?: CallOptions) => Pages<types.DeviceSession>
  /** Get a device session. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.DeviceSession>
  /** Change a device session. */
  readonly update: (id: string, input?: {
    readonly status?: "ended"
    readonly working_directory?: string
  }, options?: CallOptions) => Promise<types.DeviceSession>
  /** Queue a command. */
  readonly queue: (id: string, input: {
    readonly tool: "shell.run" | "fs.read" | "fs.write" | "fs.list" | "fs.search" | "http.get" | "system.info"
    readonly input: Readonly<Record<string, unknown>>
    readonly working_directory?: string
    readonly reason?: string
    readonly timeout_seconds?: number
    readonly queue_seconds?: number
    readonly idempotency_key?: string
  }, options?: CallOptions) => Promise<types.DeviceCommand>
  /** List or lease commands. */
  readonly commands: (id: string, input?: {
    readonly limit?: number
    readonly cursor?: string
    readonly status?: "queued" | "leased" | "awaiting_consent" | "running" | "done" | "cancelled" | "expired"
    readonly wait?: number
    readonly max?: number
    readonly boot_id?: string
  }, options?: CallOptions) => Promise<{
    readonly data: ReadonlyArray<types.DeviceCommand>
    readonly next_cursor: string | null
    readonly as_of: string
  } | types.LeasedDeviceCommands>
}
export interface DeviceCommands {
  /** Get a command. */
  readonly get: (id: string, options?: CallOptions) => Promise<types.DeviceCommand>
  /** Read a command's output. */
  readonly readOutput: (id: string, input?: {
    readonly after_seq?: number
    readonly limit?: number
  }, options?: CallOptions) => Promise<types.DeviceOutputPage>
  /** Send a command's output. */
  readonly output: (id: string, input: {
    readonly lease: number
    readonly seq: number
    readonly stream: "stdout" | "stderr"
    readonly data: string
    readonly encoding?: "utf8" | "base64"
    readonly offset?: number
  }, options?: CallOptions) => Promise<types.DeviceOutputAnswer>
  /** Acknowledge a leased command. */
  readonly ack: (id: string, input: {
    readonly lease: number
  }, options?: CallOptions) => Promise<types.AckedDeviceCommand>
  /** Report a command's state. */
  readonly state: (id: string, input: {
    readonly lease: number
    readonly state: "awaiting_consent" | "running"
    readonly plan_digest?: string
    readonly plan?: types.DevicePlan
  }, options?: CallOptions) => Promise<types.AckedDeviceCommand>
  /** Report a command's end. */
  readonly done: (id: string, input: {
    readonly lease: number
    readonly outcome: "succeeded" | "failed" | "denied" | "timed_out" | "interrupted" | "cancelled"
    readonly exit_code?: number | null
    readonly result?: unknown
    readonly error?: types.DeviceCommandError
    readonly artifacts?: ReadonlyArray<unknown>
  }, options?: CallOptions) => Promise<types.EndedDeviceCommand>
  /** Cancel a command. */
  readonly cancel: (id: string, options?: CallOptions) => Promise<types.DeviceCommand>
}
export interface Resources {
  readonly serviceRequests: ServiceRequests
  readonly traces: Traces
  readonly approvals: Approvals
  readonly standingApprovals: StandingApprovals
  readonly setup: Setup
  readonly auth: Auth
  readonly factors: Factors
  readonly deviceSignIn: DeviceSignIn
  readonly oidc: Oidc
  readonly members: Members
  readonly teams: Teams
  readonly invites: Invites
  readonly tokens: Tokens
  readonly workspaces: Workspaces
  readonly audit: Audit
  readonly usage: Usage
  readonly ledger: Ledger
  readonly billing: Billing
  readonly promo: Promo
  readonly events: Events
  readonly discovery: Discovery
  readonly agents: Agents
  readonly families: Families
  readonly delegatedTasks: DelegatedTasks
  readonly activity: Activity
  readonly agentRequests: AgentRequests
  readonly skills: Skills
  readonly conversations: Conversations
  readonly memories: Memories
  readonly publishing: Publishing
  readonly workflowRuns: WorkflowRuns
  readonly bindings: Bindings
  readonly budgets: Budgets
  readonly budgetRequests: BudgetRequests
  readonly search: Search
  readonly views: Views
  readonly secrets: Secrets
  readonly notifications: Notifications
  readonly policies: Policies
  readonly services: Services
  readonly mcpTools: McpTools
  readonly apps: Apps
  readonly appCallback: AppCallback
  readonly storage: Storage
  readonly storageBlobs: StorageBlobs
  readonly knowledge: Knowledge
  readonly workflows: Workflows
  readonly scheduledTasks: ScheduledTasks
  readonly triggers: Triggers
  readonly noticeChannels: NoticeChannels
  readonly messengerLinks: MessengerLinks
  readonly webhookEndpoints: WebhookEndpoints
  readonly models: Models
  readonly speech: Speech
  readonly chat: Chat
  readonly devices: Devices
  readonly devicePairing: DevicePairing
  readonly deviceSessions: DeviceSessions
  readonly deviceCommands: DeviceCommands
}
