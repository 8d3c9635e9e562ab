// Generated from resources/openapi.json by `npm run generate`. Do not edit.
export interface AcceptInviteInput {
  readonly name?: "" | string
  readonly password?: string
}
export interface Account {
  readonly type: "external" | "org" | "revenue" | "team" | "worker"
  readonly id: string
}
export interface AckedDeviceCommand {
  readonly status: "queued" | "leased" | "awaiting_consent" | "running" | "done" | "cancelled" | "expired"
  readonly lease: DeviceLease
  readonly controls: ReadonlyArray<DeviceControl>
}
export interface Activity {
  readonly id: string
  readonly type: string
  readonly action: string
  readonly actor: {
    readonly type: string
    readonly id: string
    readonly name: string
  }
  readonly subject?: {
    readonly type: string
    readonly id: string
  }
  readonly outcome?: string
  readonly reason_code?: string
  readonly cost_cents?: number
  readonly created_at: string
}
export interface AddKnowledgeDocumentInput {
  readonly title?: string
  readonly content_type?: "text/plain" | "text/markdown" | "text/html"
  readonly text?: string
  readonly object_id?: string
}
export interface AddMessageInput {
  readonly role: "user" | "assistant" | "system" | "tool"
  readonly content: string
  readonly metadata?: Readonly<Record<string, unknown>>
}
export interface AddTeamMemberInput {
  readonly user_id: string
  readonly role: "lead" | "worker"
}
export interface AddedFactor {
  readonly id: string
  readonly kind: "passkey" | "totp"
  readonly name: string
  readonly created_at: string
  readonly last_used_at?: string
  /** Each signs in once in place of another factor; shown only here */
  readonly recovery_codes?: ReadonlyArray<string>
}
export interface Agent {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly kind: "standard" | "yupi" | "chat"
  readonly status: "active" | "paused" | "disabled"
  readonly frozen: boolean
  readonly icon: string | null
  readonly category: string | null
  readonly personality: string | null
  readonly voiceConfig: Readonly<Record<string, unknown>> | null
  readonly parent_agent_id?: string
  readonly depth: number
  readonly team_id?: string
  readonly owner_user_id: string | null
  readonly monthly_budget_cents?: number
  readonly approval_threshold_cents?: number
  readonly spent_this_month_cents: number
  readonly held_cents: number
  readonly committed_cents: number
  readonly child_count: number
  readonly key_hint: string | null
  readonly mode_keys: {
    readonly live: boolean
    readonly test: boolean
  }
  readonly bindings: ReadonlyArray<Binding>
  readonly last_seen_at?: string
  readonly ends_at?: string
  /** Raised by every edit; send it as expected_version. */
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
}
export interface AgentBudget {
  readonly monthly_budget_cents: number | null
  readonly increase_this_month_cents?: number
  readonly spent_cents: number
  readonly held_cents: number
  readonly committed_cents: number
  readonly remaining_cents: number | null
  readonly approval_threshold_cents: number | null
  readonly resets_at: string
  /** Raised by every edit; send it as expected_version. */
  readonly version: number
  readonly operations: ReadonlyArray<OperationBudget>
}
export interface AgentHealth {
  readonly agent_id: string
  readonly name: string
  readonly status: "active" | "paused" | "disabled"
  readonly frozen: boolean
  readonly last_seen_at?: string
  readonly requests_24h: number
  readonly error_rate_24h: number
  readonly monthly_budget_cents?: number
  readonly spent_this_month_cents: number
  readonly held_cents: number
  readonly pending_approvals: number
  readonly stale_keys: number
}
export interface AgentRequest {
  readonly id: string
  readonly agent_id: string
  readonly kind: "question" | "approval" | "input" | "handoff"
  readonly title: string
  readonly body: string
  readonly options?: ReadonlyArray<string>
  readonly status: "open" | "answered" | "dismissed" | "expired"
  readonly answer?: string
  readonly comment?: string
  readonly answered_by?: {
    readonly id: string
    readonly name: string
  }
  readonly expires_at?: string
  readonly created_at: string
  readonly answered_at?: string
}
export interface AgentRequestStep {
  readonly label: string
  readonly retry?: StepRetry
  readonly timeout_ms?: number
  /** `fail` (default): the run fails. */
  readonly on_error?: "fail" | "continue"
  readonly type: "agent_request"
  readonly config: {
    readonly kind: "question" | "approval" | "input" | "handoff"
    readonly title: string
    readonly body?: string
    readonly options?: ReadonlyArray<string> | string
    readonly expires_in_seconds?: number | string
  }
}
export interface Allocation {
  readonly balance_cents: number
  readonly held_cents: number
  readonly available_cents: number
  readonly spent_this_month_cents: number
}
export interface AnswerAgentRequestInput {
  readonly status: "answered" | "dismissed"
  /** Required with `answered`, except for a `handoff`; one of the options, if the request has options */
  readonly answer?: string
  readonly comment?: string
}
export interface App {
  readonly id: string
  readonly provider: string
  readonly name: string
  readonly status: "pending" | "connected" | "needs_reauth" | "revoked"
  readonly scopes: ReadonlyArray<string>
  /** `private`: agents of the person who connected it. */
  readonly visibility: "private" | "workspace"
  readonly owner_user_id: string
  readonly account?: string
  readonly expires_at?: string
  readonly last_used_at?: string
  readonly note?: string
  readonly created_at: string
}
export interface AppDefinition {
  /** The page where a person signs in. */
  readonly authorize_url: string
  readonly token_url: string
  readonly revoke?: {
    readonly method: "POST" | "DELETE"
    readonly url: string
    /** Which token is sent. */
    readonly token?: "access" | "refresh"
  }
  readonly params?: Readonly<Record<string, string>>
  readonly scopes?: {
    readonly default: ReadonlyArray<string>
    readonly separator?: " " | ","
  }
  /** PKCE with S256. */
  readonly pkce?: boolean
  /** Where the client's id and secret are sent: header authorization, or the body (default). */
  readonly client_auth?: "basic" | "post"
  /** Default form. */
  readonly body?: "form" | "json"
  /** Places in the token response. */
  readonly pointers?: {
    readonly access_token?: string
    readonly refresh_token?: string
    readonly expires_in?: string
    readonly scope?: string
    readonly account?: string
  }
  /** Values to keep, by name: a pointer into the token response, or a URL that is read with the new token and a pointer into its response. */
  readonly capture?: Readonly<Record<string, string | {
    readonly url: string
    readonly pointer: string
  }>>
  /** The only hosts that tokens are sent to: host, host:port, or *.host. */
  readonly hosts: ReadonlyArray<string>
  /** An unused refresh token expires after this time; the hub refreshes it at half of it. */
  readonly keepalive_days?: number
  /** Where an operator creates the OAuth client. */
  readonly setup_url?: string
}
export interface AppProvider {
  readonly name: string
  readonly title: string
  readonly shipped: boolean
  readonly configured: boolean
  readonly client?: {
    readonly source: "workspace" | "hub"
    readonly client_id: string
  }
  readonly redirect_uri: string
  readonly setup_url?: string
  readonly default_scopes: ReadonlyArray<string>
  readonly params: Readonly<Record<string, string>>
  readonly hosts: ReadonlyArray<string>
}
export interface AppliedApproval {
  readonly id: string
  readonly service_request_id: string
  readonly status: "pending" | "approved" | "rejected" | "expired" | "cancelled"
  readonly error?: {
    readonly code: string
    readonly message: string
  }
}
export interface Approval {
  readonly id: string
  readonly status: "pending" | "approved" | "rejected" | "expired" | "cancelled"
  readonly kind: "service_request" | "workflow_step" | "chat_tool_call" | "agent_request" | "device_command"
  readonly subject: {
    readonly type: string
    readonly id: string
  }
  readonly agent: {
    readonly id: string
    readonly name: string
  }
  readonly requested_by?: {
    readonly type: string
    readonly id: string
    readonly name: string
  }
  readonly request_reason?: string
  readonly device?: {
    readonly id: string
    readonly name: string
  }
  readonly service?: string
  readonly operation?: string
  readonly payload?: unknown
  readonly summary?: ReadonlyArray<SummaryField>
  readonly cost_cents: number
  readonly threshold_cents: number
  readonly remaining: Remaining
  readonly limits: LimitFigures
  readonly reason: string
  readonly policy_id?: string
  readonly requested_at: string
  readonly expires_at: string
  readonly payload_digest: string
  readonly allowed_decisions: ReadonlyArray<{
    readonly decision: string
    readonly allowed: boolean
    readonly denied_because?: string
  }>
  readonly deciders: ReadonlyArray<{
    readonly user: {
      readonly id: string
      readonly name: string
      readonly email?: string
    }
    readonly can: boolean
  }>
  readonly previous?: {
    readonly approval_id: string
    readonly payload: unknown
    readonly decided_at: string
  }
  readonly recent: {
    readonly count_30d: number
    readonly approved: number
    readonly rejected: number
    readonly median_cents: number | null
    readonly same_action_approved: number
    readonly decisions: ReadonlyArray<{
      readonly approval_id: string
      readonly decision: "approved" | "rejected"
      readonly cost_cents: number
      readonly same_action: boolean
      readonly decided_at: string
      readonly decided_by?: {
        readonly id: string
        readonly name: string
        readonly email?: string
      }
    }>
  }
  readonly decided_at?: string
  readonly decided_by?: {
    readonly id: string
    readonly name: string
    readonly email?: string
  }
  readonly comment?: string
  readonly required_approvals: number
  readonly decisions: ReadonlyArray<{
    readonly user: {
      readonly id: string
      readonly name: string
      readonly email?: string
    }
    readonly decision: "approve" | "reject"
    readonly counts?: boolean
    readonly comment?: string
    readonly at: string
  }>
  readonly mode: "live" | "test"
  readonly org_id: string
  readonly service_request_id?: string
  readonly outcome?: {
    readonly status: "executed" | "blocked" | "approval_required" | "failed" | "running"
    readonly reason_code?: string
  }
  readonly replaced_by?: string
}
export interface ApprovalStep {
  readonly label: string
  readonly retry?: StepRetry
  readonly timeout_ms?: number
  /** `fail` (default): the run fails. */
  readonly on_error?: "fail" | "continue"
  readonly type: "approval"
  readonly config: {
    readonly title: string
    readonly body?: string
    readonly required_approvals?: number
    readonly deciders?: Deciders
    readonly expires_in_seconds?: number
  }
}
export interface ApproveResult {
  readonly approval: Approval
  readonly service_request?: ServiceRequest
  readonly device_command?: DeviceCommand
  readonly standing_approval?: StandingApproval
  readonly applied?: ReadonlyArray<AppliedApproval>
}
export interface AuditEntry {
  readonly id: string
  readonly seq: number
  readonly action: string
  readonly actor: {
    readonly type: string
    readonly id: string
    readonly name: string
  }
  readonly subject?: {
    readonly type: string
    readonly id: string
  }
  readonly agent_id?: string
  readonly outcome?: string
  readonly reason_code?: string
  readonly cost_cents?: number
  readonly ip?: string
  /** Facts of the change, never a secret; at most 16384 bytes. */
  readonly data: Readonly<Record<string, unknown>>
  readonly data_text?: string
  readonly created_at: string
  readonly hash: string
  readonly prev_hash: string
}
export interface AuditVerification {
  readonly ok: boolean
  readonly checked: number
  readonly first_bad_seq?: number
}
export interface Balance {
  readonly balance_cents: number
  readonly held_cents: number
  readonly available_cents: number
  readonly currency: "usd"
}
export interface Binding {
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
  readonly per_operation?: Readonly<Record<string, OperationCaps>>
  readonly enabled: boolean
  /** Raised by every edit; send it as expected_version. */
  readonly version: number
  readonly operations_usage: Readonly<Record<string, OperationUsage>>
}
export interface BindingInput {
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
  readonly per_operation?: Readonly<Record<string, OperationCaps>>
  readonly enabled?: boolean
  /** The version that the change is based on. */
  readonly expected_version?: number
}
export interface BindingTerms {
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
  readonly per_operation?: Readonly<Record<string, OperationCaps>>
  readonly enabled?: boolean
}
export interface Block {
  readonly limit: string
  readonly scope: {
    readonly type: string
    readonly id: string
  }
  readonly limit_cents?: number
  readonly spent_cents?: number
  readonly held_cents?: number
  readonly limit_count?: number
  readonly used_count?: number
  readonly resets_at?: string
  readonly policy_id?: string
  readonly message?: string
  readonly reason?: string
  readonly comment?: string
  readonly unknown_operation?: boolean
  readonly did_you_mean?: ReadonlyArray<string>
  readonly detail?: string
  readonly next_action: {
    readonly kind: string
    readonly href?: string
  }
}
export interface BudgetAlert {
  readonly id: string
  readonly agent: {
    readonly id: string
    readonly name: string
  }
  readonly limit: "agent_month" | "operation_month" | "operation_day_count"
  readonly service?: string
  readonly operation?: string
  readonly level: number
  readonly used_cents?: number
  readonly cap_cents?: number
  readonly used_count?: number
  readonly cap_count?: number
  readonly period: string
  readonly resets_at: string
  readonly raised_at: string
}
export interface BudgetInput {
  readonly monthly_budget_cents: number | null
  readonly approval_threshold_cents?: number | null
  /** The version that the change is based on. */
  readonly expected_version?: number
}
export interface BudgetRequest {
  readonly id: string
  readonly agent_id: string
  readonly amount_cents: number
  readonly requested_amount_cents?: number
  /** `month` raises the cap permanently, `once` for the UTC month of the approval only. */
  readonly period: "month" | "once"
  readonly operation?: string
  readonly reason: string
  readonly status: "pending" | "approved" | "rejected" | "withdrawn"
  readonly requested_by: {
    readonly type: "agent" | "user"
    readonly id: string
    readonly name: string
  }
  readonly decided_by?: {
    readonly id: string
    readonly name: string
  }
  readonly comment?: string
  readonly created_at: string
  readonly decided_at?: string
}
export interface CatalogOperation {
  readonly name: string
  readonly title?: string
  readonly description?: string
  /** JSON Schema 2020-12 of the payload. */
  readonly payload_schema: Readonly<Record<string, unknown>>
  /** Pointers into the payload: the fields that lists of approvals and requests show, in this order. */
  readonly summary?: ReadonlyArray<string>
  /** A payload that matches the schema, shown to agents. */
  readonly example?: Readonly<Record<string, unknown>>
  /** JSON Schema of the result. */
  readonly response_schema?: Readonly<Record<string, unknown>>
  readonly price: OperationPrice
  /** The provider executes requests with the same `idempotency-key` header once. */
  readonly idempotent?: boolean
  /** The rule for an unknown outcome: the request was sent, no complete response arrived, and the provider may have acted. */
  readonly unknown?: "fail" | "hold"
  /** After it, the outcome is unknown. */
  readonly timeout_ms?: number
  /** Test mode: the result for test keys, and the ceiling that replaces the price. */
  readonly test?: {
    readonly result?: unknown
    readonly ceiling_cents?: number
  }
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** A template: */
  readonly path?: string
  readonly query?: Readonly<Record<string, string | number | boolean>>
  /** How lists and objects are written in the query. */
  readonly query_style?: "form" | "deepObject"
  readonly headers?: Readonly<Record<string, string>>
  /** Any JSON; each string in it is a template. */
  readonly body?: unknown
  /** How the body is sent. */
  readonly body_type?: "json" | "form" | "multipart" | "text"
  /** The result in the provider's response. */
  readonly result?: string
  readonly async?: OperationAsync
  readonly tool?: string
}
export interface CatalogService {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly kind: "http" | "mcp" | "builtin"
  readonly shipped: boolean
  readonly enabled: boolean
  readonly base_url?: string
  readonly url?: string
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
  readonly auth?: ServiceAuth
  readonly adapter?: string
  readonly settings?: Readonly<Record<string, unknown>>
  readonly operations: ReadonlyArray<CatalogOperation>
  readonly missing_secrets?: ReadonlyArray<string>
  /** Raised by every edit; send it as expected_version. */
  readonly version?: number
  readonly remaining?: Readonly<Record<string, OperationRemaining>>
}
export interface ChatMessage {
  readonly id: string
  readonly role: "user" | "assistant"
  readonly parts: ReadonlyArray<{
    readonly type: "text"
    readonly text: string
    readonly artifact_id?: string
  } | {
    readonly type: "thinking"
    readonly text: string
  } | {
    readonly type: "tool_call"
    readonly call_id: string
    readonly service?: string
    readonly operation?: string
    readonly name?: string
    readonly payload?: unknown
    readonly service_request_id?: string
    readonly approval_id?: string
    readonly status?: "executed" | "blocked" | "failed" | "running" | "timed_out" | "cancelled"
    readonly cost_cents: number
    readonly reason_code?: string
    readonly result?: unknown
    readonly artifact_id?: string
  } | {
    readonly type: "attachment"
    readonly object_id: string
    readonly key: string
    readonly content_type: string
    readonly size_bytes: number
  }>
  readonly parent_id?: string
  readonly turn_id?: string
  readonly created_at: string
}
export interface ChatSession {
  readonly id: string
  readonly agent_id: string
  readonly title: string
  readonly model: string
  readonly mode: "live" | "test"
  readonly status: "active" | "closed"
  readonly cost_cents: number
  readonly turn?: {
    readonly id: string
    readonly state: "queued" | "running" | "waiting_approval" | "waiting_local" | "paused" | "done" | "failed" | "cancelled"
  }
  readonly created_at: string
  readonly updated_at: string
}
export interface ChatSessionWithMessages {
  readonly id: string
  readonly agent_id: string
  readonly title: string
  readonly model: string
  readonly mode: "live" | "test"
  readonly status: "active" | "closed"
  readonly cost_cents: number
  readonly turn?: {
    readonly id: string
    readonly state: "queued" | "running" | "waiting_approval" | "waiting_local" | "paused" | "done" | "failed" | "cancelled"
  }
  readonly created_at: string
  readonly updated_at: string
  readonly messages: {
    readonly data: ReadonlyArray<ChatMessage>
    readonly next_cursor: string | null
  }
}
export interface ChatTurn {
  readonly id: string
  readonly session_id: string
  readonly state: "queued" | "running" | "waiting_approval" | "waiting_local" | "paused" | "done" | "failed" | "cancelled"
  readonly pause_reason?: "no_reader" | "budget" | "drain"
  readonly model: string
  readonly background: boolean
  readonly user_message_id: string
  readonly message_id: string
  readonly steps: ReadonlyArray<ChatTurnStep>
  readonly usage: ChatTurnUsage
  readonly cost_cents: number
  readonly last_seq: number
  readonly error?: ChatTurnError
  readonly created_at: string
  readonly ended_at?: string
}
export interface ChatTurnError {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  readonly block?: Block
}
export interface ChatTurnInput {
  readonly session_id: string
  readonly message?: string
  readonly attachments?: ReadonlyArray<string>
  readonly parent_id?: string | null
  readonly background?: boolean
  readonly model?: string
  readonly force_approval?: boolean
  readonly continue_from?: string
  readonly tool_results?: ReadonlyArray<LocalToolResult>
  readonly local_tools?: ReadonlyArray<LocalTool>
}
export interface ChatTurnStep {
  readonly step: number
  readonly kind: "model" | "tool" | "local" | "compact"
  readonly state: "open" | "pending" | "done"
  readonly call_id?: string
  readonly service?: string
  readonly operation?: string
  readonly name?: string
  readonly service_request_id?: string
  readonly approval_id?: string
  readonly status?: string
  readonly reason_code?: string
  readonly cost_cents: number
}
export interface ChatTurnUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cached_tokens: number
  readonly cost_cents: number
  readonly accrued_micro_cents: number
}
export interface CheckoutInput {
  readonly amount_cents: number
  readonly success_url?: string
  readonly cancel_url?: string
}
export interface CheckoutSession {
  readonly id: string
  readonly url?: string
  readonly status: "open" | "paid" | "expired" | "failed" | "refunded" | "disputed"
  readonly amount_cents: number
  readonly reversed_cents?: number
  readonly problem?: string
  readonly created_at: string
  readonly paid_at?: string
}
export interface CloneInput {
  readonly name?: string
  readonly include_memories?: boolean
}
export interface ConditionStep {
  readonly label: string
  readonly retry?: StepRetry
  readonly timeout_ms?: number
  /** `fail` (default): the run fails. */
  readonly on_error?: "fail" | "continue"
  readonly type: "condition"
  readonly config: {
    /** CEL that gives true or false, over input and steps */
    readonly expression: string
  }
}
export interface ConfirmPairing {
  readonly granted: ReadonlyArray<"shell.run" | "fs.read" | "fs.write" | "fs.list" | "fs.search" | "http.get" | "system.info">
  readonly agents?: "*" | ReadonlyArray<string>
  readonly name?: string
}
export interface Conversation {
  readonly id: string
  readonly agent_id: string
  readonly title: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly message_count: number
  readonly created_at: string
  readonly updated_at: string
}
export interface ConversationMessage {
  readonly id: string
  readonly role: "user" | "assistant" | "system" | "tool"
  readonly content: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly created_at: string
}
export interface ConversationWithMessages {
  readonly id: string
  readonly agent_id: string
  readonly title: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly message_count: number
  readonly created_at: string
  readonly updated_at: string
  readonly messages: {
    readonly data: ReadonlyArray<ConversationMessage>
    readonly next_cursor: string | null
  }
}
export interface CreateAgentInput {
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
}
export interface CreateAgentRequestInput {
  readonly kind: "question" | "approval" | "input" | "handoff"
  readonly title: string
  readonly body?: string
  readonly options?: ReadonlyArray<string>
  /** An RFC 3339 time, such as 2027-01-31T09:00:00Z */
  readonly expires_at?: string
}
export interface CreateAppInput {
  /** Such as github. */
  readonly provider: string
  readonly name?: string
  readonly scopes?: ReadonlyArray<string>
  readonly params?: Readonly<Record<string, string>>
  /** `private`: agents of the person who connected it. */
  readonly visibility?: "private" | "workspace"
}
export interface CreateBudgetRequestInput {
  /** Required from a person; an agent asks for itself only. */
  readonly agent_id?: string
  readonly amount_cents: number
  /** `month` raises the cap permanently, `once` for the UTC month of the approval only. */
  readonly period: "month" | "once"
  /** The operation whose monthly cap should be raised, as `service.operation`. */
  readonly operation?: string
  readonly reason: string
}
export interface CreateChatSessionInput {
  readonly agent_id?: string
  readonly title?: string
  readonly model?: string
  readonly mode?: "live" | "test"
}
export interface CreateConversationInput {
  readonly title?: string
  readonly metadata?: Readonly<Record<string, unknown>>
}
export interface CreateFavoriteInput {
  /** Such as openai/gpt-4o-mini */
  readonly model_id: string
}
export interface CreateInviteInput {
  /** An e-mail address; domains such as .test and localhost are accepted */
  readonly email: string
  readonly role: "owner" | "admin" | "operator" | "member" | "viewer"
  readonly team_id?: string
  readonly team_role?: "lead" | "worker"
}
export interface CreateKnowledgeCollectionInput {
  readonly name: string
  readonly description?: string
}
export interface CreateMemoryInput {
  readonly content: string
  readonly kind: "fact" | "preference" | "event" | "skill"
  readonly tags?: ReadonlyArray<string>
  /** Default: 0.5 */
  readonly importance?: number
  readonly links?: ReadonlyArray<string>
  /** An RFC 3339 time, such as 2027-01-31T09:00:00Z */
  readonly expires_at?: string
}
export interface CreateNoticeChannelInput {
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
}
export interface CreatePolicyInput {
  readonly name: string
  readonly position?: number
  readonly enabled?: boolean
  /** CEL that gives true or false, over agent { id, name, team_id }, service, operation, payload, ceiling_cents, time */
  readonly when: string
  readonly then: "allow" | "block" | "require_approval"
  readonly required_approvals?: number
  readonly deciders?: Deciders
  readonly expires_in_seconds?: number
  readonly reason?: string
}
export interface CreatePromoCodeInput {
  /** Compared without regard to case */
  readonly code: string
  readonly amount_cents: number
  /** Workspaces that may redeem the code. */
  readonly max_redemptions?: number
  /** An RFC 3339 time, or a UTC day (YYYY-MM-DD), which means its first moment */
  readonly expires_at?: string
}
export interface CreatePushSubscription {
  readonly endpoint: string
  readonly expirationTime?: number | "Infinity" | "-Infinity" | "NaN" | null
  readonly keys: {
    readonly p256dh: string
    readonly auth: string
  }
}
export interface CreateScheduledTaskInput {
  readonly name: string
  readonly agent_id: string
  /** Five fields: minute, hour, day of month, month, day of week. */
  readonly cron: string
  /** An IANA name, such as Europe/Berlin. */
  readonly timezone?: string
  readonly action: FiringAction
  /** What happens to due times that passed more than 5 minutes ago: */
  readonly catch_up?: "skip" | "once"
  /** What a firing does while an earlier one is open: */
  readonly overlap?: "skip" | "allow" | "queue"
  /** A firing is up to this much later than its due time, and before the next one. */
  readonly jitter_seconds?: number
  /** `false` creates it paused. */
  readonly enabled?: boolean
}
export interface CreateSkillProposalInput {
  readonly name: string
  readonly description?: string
  readonly instructions: string
  readonly operations?: ReadonlyArray<string>
  readonly rationale?: string
}
export interface CreateTeamInput {
  readonly name: string
  readonly description?: string
}
export interface CreateTriggerInput {
  readonly name?: string
  readonly kind: "webhook" | "cron"
  readonly agent_id: string
  readonly action: FiringAction
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
}
export interface CreateViewInput {
  readonly screen: "inbox" | "requests" | "audit" | "agents"
  readonly name: string
  /** The query of the screen's address, without the question mark: */
  readonly query: string
  readonly shared?: boolean
  /** Views are sorted by position, then by age */
  readonly position?: number
}
export interface CreateWebhookEndpointInput {
  readonly url: string
  /** Default: all types, also those of later versions */
  readonly types?: ReadonlyArray<"approval.created" | "approval.updated" | "approval.decided" | "approval.expired" | "service_request.updated" | "agent.updated" | "balance.changed" | "standing_approval.updated" | "device.updated" | "device_command.updated" | "run.updated" | "workflow.updated" | "budget.alert" | "budget_request.updated" | "delegated_task.updated" | "payment.updated" | "agent_request.created" | "agent_request.updated" | "publish_request.updated" | "workspace.updated" | "catalog.updated" | "app.updated" | "knowledge.updated" | "schedule.updated" | "trigger.updated" | "chat.updated" | "webhook.test">
  readonly description?: string
}
export interface CreateWorkflowInput {
  readonly name: string
  readonly description?: string
  /** Default: private */
  readonly visibility?: "private" | "team" | "org"
  /** Required with visibility team, refused with any other */
  readonly team_id?: string
  readonly max_cost_cents?: number
}
export interface CreatedAgent {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly kind: "standard" | "yupi" | "chat"
  readonly status: "active" | "paused" | "disabled"
  readonly frozen: boolean
  readonly icon: string | null
  readonly category: string | null
  readonly personality: string | null
  readonly voiceConfig: Readonly<Record<string, unknown>> | null
  readonly parent_agent_id?: string
  readonly depth: number
  readonly team_id?: string
  readonly owner_user_id: string | null
  readonly monthly_budget_cents?: number
  readonly approval_threshold_cents?: number
  readonly spent_this_month_cents: number
  readonly held_cents: number
  readonly committed_cents: number
  readonly child_count: number
  readonly key_hint: string | null
  readonly mode_keys: {
    readonly live: boolean
    readonly test: boolean
  }
  readonly bindings: ReadonlyArray<Binding>
  readonly last_seen_at?: string
  readonly ends_at?: string
  /** Raised by every edit; send it as expected_version. */
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
  readonly api_key: string
}
export interface CreatedInvite {
  readonly id: string
  readonly email: string
  readonly role: "owner" | "admin" | "operator" | "member" | "viewer"
  readonly team_id?: string
  readonly team_role?: "lead" | "worker"
  readonly status: "pending" | "accepted" | "revoked" | "expired"
  readonly invited_by: {
    readonly id: string
    readonly name: string
  }
  readonly created_at: string
  readonly expires_at: string
  readonly accepted_at?: string
  readonly accepted_by?: string
  readonly token: string
  readonly url: string
  readonly mailed: boolean
}
export interface CreatedWorkflowVersion {
  readonly id: string
  readonly workflow_id: string
  readonly number: number
  readonly steps: ReadonlyArray<WorkflowStep>
  readonly edges: ReadonlyArray<WorkflowEdge>
  /** `{}`, which accepts any input, if the definition has none */
  readonly input_schema: Readonly<Record<string, unknown>>
  /** A template. */
  readonly output?: unknown
  /** SHA-256 of the definition in RFC 8785, in hexadecimal digits */
  readonly digest: string
  readonly created_by: {
    readonly id: string
    readonly name: string
  }
  readonly created_at: string
  /** A likely mistake in the saved object. */
  readonly warnings?: ReadonlyArray<{
    readonly path: string
    readonly message: string
  }>
}
export interface DecideBudgetRequestInput {
  readonly status: "approved" | "rejected" | "withdrawn"
  /** With `approved`: the amount to grant instead of the requested one. */
  readonly amount_cents?: number
  readonly comment?: string
}
export interface DecideChatCallInput {
  readonly decision: "approve" | "reject"
  readonly comment?: string
}
export interface DecidePublishRequestInput {
  readonly status: "approved" | "rejected" | "withdrawn"
  readonly comment?: string
}
export interface DecideSkillProposalInput {
  readonly status: "accepted" | "rejected"
  readonly comment?: string
}
export interface DecidedChatCall {
  readonly approval: Approval
  readonly service_request?: ServiceRequest
}
export interface DecidedRequest {
  readonly id: string
  readonly status: "executed" | "blocked" | "approval_required" | "failed" | "running"
  readonly cost_cents: number
  readonly reason_code?: string
  readonly block?: Block
  readonly failure?: {
    readonly code: string
    readonly detail?: string
  }
}
export interface Deciders {
  readonly roles?: ReadonlyArray<"owner" | "admin" | "operator" | "member" | "viewer">
  readonly user_ids?: ReadonlyArray<string>
}
export interface DelayStep {
  readonly label: string
  readonly retry?: StepRetry
  readonly timeout_ms?: number
  /** `fail` (default): the run fails. */
  readonly on_error?: "fail" | "continue"
  readonly type: "delay"
  readonly config: {
    readonly seconds?: number | string
    /** RFC 3339, or a reference to such a time */
    readonly until?: string
  }
}
export interface DelegateInput {
  readonly to_agent_id: string
  readonly goal: string
  readonly input?: unknown
  readonly budget_cents: number
  readonly services: ReadonlyArray<string>
  /** An RFC 3339 time, such as 2027-01-31T09:00:00Z */
  readonly deadline_at?: string
}
export interface DelegatedTask {
  readonly id: string
  readonly from_agent_id: string
  readonly to_agent_id: string
  readonly from_agent_name: string
  readonly to_agent_name: string
  readonly goal: string
  readonly input?: unknown
  readonly services: ReadonlyArray<string>
  readonly budget_cents: number
  readonly spent_cents: number
  readonly held_cents: number
  readonly status: "accepted" | "in_progress" | "completed" | "failed" | "cancelled"
  readonly result?: unknown
  readonly error?: {
    readonly code: string
    readonly message: string
  }
  readonly deadline_at?: string
  readonly created_at: string
  readonly started_at?: string
  readonly ended_at?: string
}
export interface DelegationStep {
  readonly label: string
  readonly retry?: StepRetry
  readonly timeout_ms?: number
  /** `fail` (default): the run fails. */
  readonly on_error?: "fail" | "continue"
  readonly type: "delegation"
  readonly config: {
    readonly to_agent_id: string
    readonly goal: string
    readonly input?: unknown
    readonly budget_cents: number | string
    readonly services: ReadonlyArray<string>
    readonly deadline_seconds?: number | string
  }
}
export interface Device {
  readonly id: string
  readonly name: string
  readonly platform: string
  readonly arch: string
  readonly app_version: string
  readonly state: "pending" | "active" | "draining" | "paused" | "revoked"
  readonly paused_by?: "hub" | "device"
  readonly presence: "online" | "late" | "offline" | "never"
  readonly update_required: boolean
  readonly capabilities: ReadonlyArray<"shell.run" | "fs.read" | "fs.write" | "fs.list" | "fs.search" | "http.get" | "system.info">
  readonly granted: ReadonlyArray<"shell.run" | "fs.read" | "fs.write" | "fs.list" | "fs.search" | "http.get" | "system.info">
  readonly agents: "*" | ReadonlyArray<string>
  readonly labels: ReadonlyArray<string>
  readonly fingerprint?: string
  readonly owner_user_id: string
  readonly session?: DeviceSession
  readonly running: number
  readonly load?: Readonly<Record<string, number>>
  readonly last_heard_at?: string
  readonly created_at: string
}
export interface DeviceAccessToken {
  readonly access_token: string
  readonly token_type: "Bearer"
  readonly scope: string
  readonly workspace_id: string
}
export interface DeviceAck {
  readonly lease: number
}
export interface DeviceCommand {
  readonly id: string
  readonly session_id: string
  readonly device_id: string
  readonly tool: "shell.run" | "fs.read" | "fs.write" | "fs.list" | "fs.search" | "http.get" | "system.info"
  readonly input?: Readonly<Record<string, unknown>>
  readonly working_directory?: string
  readonly requested_by: {
    readonly type: string
    readonly id: string
    readonly name: string
  }
  readonly agent?: {
    readonly id: string
    readonly name: string
  }
  readonly reason?: string
  readonly service_request_id?: string
  readonly status: "queued" | "leased" | "awaiting_consent" | "running" | "done" | "cancelled" | "expired"
  readonly outcome?: "succeeded" | "failed" | "denied" | "timed_out" | "interrupted" | "cancelled"
  readonly exit_code?: number
  readonly error?: DeviceCommandError
  readonly result?: unknown
  readonly artifacts?: ReadonlyArray<unknown>
  readonly timeout_seconds: number
  readonly plan_digest?: string
  readonly approval_id?: string
  readonly queued_at: string
  readonly started_at?: string
  readonly done_at?: string
  readonly lost: boolean
  readonly cancel_requested_at?: string
  readonly unconfirmed?: boolean
  readonly output_bytes: number
  readonly dropped_bytes: number
  readonly late_result?: unknown
  /** Present once the workspace removed input, plan, result, artifacts, and output: the days that it kept them */
  readonly removed_after_days?: number
}
export interface DeviceCommandError {
  readonly code: string
  readonly message: string
}
export interface DeviceControl {
  readonly type: "cancel" | "consent" | "drain" | "pause" | "resume" | "revoke"
  readonly command_id?: string
  readonly decision?: "approved" | "denied"
  readonly plan_digest?: string
}
export interface DeviceDone {
  readonly lease: number
  readonly outcome: "succeeded" | "failed" | "denied" | "timed_out" | "interrupted" | "cancelled"
  readonly exit_code?: number | null
  readonly result?: unknown
  readonly error?: DeviceCommandError
  readonly artifacts?: ReadonlyArray<unknown>
}
export interface DeviceHeartbeat {
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
}
export interface DeviceHeartbeatAnswer {
  readonly session_id: string
  readonly interval_seconds: number
  readonly kept: ReadonlyArray<string>
  readonly lost: ReadonlyArray<string>
  readonly server_time: string
  readonly min_app_version: string
  readonly waiting: ReadonlyArray<string>
  readonly controls: ReadonlyArray<DeviceControl>
}
export interface DeviceInput {
  readonly name: string
  readonly platform: string
  readonly arch: string
  readonly app_version: string
  readonly capabilities: ReadonlyArray<"shell.run" | "fs.read" | "fs.write" | "fs.list" | "fs.search" | "http.get" | "system.info">
  readonly public_key?: string
}
export interface DeviceLease {
  readonly number: number
  readonly ttl_ms: number
  readonly expires_at: string
}
export interface DeviceOutput {
  readonly lease: number
  readonly seq: number
  readonly stream: "stdout" | "stderr"
  readonly data: string
  readonly encoding?: "utf8" | "base64"
  readonly offset?: number
}
export interface DeviceOutputAnswer {
  readonly next_seq: number
  readonly controls: ReadonlyArray<DeviceControl>
}
export interface DeviceOutputChunk {
  readonly seq: number
  readonly stream: "stdout" | "stderr"
  readonly data: string
  readonly encoding: "utf8" | "base64"
  readonly offset: number
  readonly created_at: string
}
export interface DeviceOutputPage {
  readonly data: ReadonlyArray<DeviceOutputChunk>
  readonly next_seq: number | null
  readonly output_bytes: number
  readonly dropped_bytes: number
  readonly status: "queued" | "leased" | "awaiting_consent" | "running" | "done" | "cancelled" | "expired"
  /** Present once the workspace removed input, plan, result, artifacts, and output: the days that it kept them */
  readonly removed_after_days?: number
}
export interface DevicePatch {
  readonly name?: string
  readonly granted?: ReadonlyArray<"shell.run" | "fs.read" | "fs.write" | "fs.list" | "fs.search" | "http.get" | "system.info">
  readonly agents?: "*" | ReadonlyArray<string>
  readonly labels?: ReadonlyArray<string>
  readonly state?: "active" | "draining" | "paused" | "revoked"
}
export interface DevicePlan {
  readonly version: 1
  readonly tool: "shell.run" | "fs.read" | "fs.write" | "fs.list" | "fs.search" | "http.get" | "system.info"
  readonly input: Readonly<Record<string, unknown>>
  readonly directory?: string
  readonly program?: {
    readonly path: string
    readonly real_path: string
  }
  readonly target?: string
  readonly files?: ReadonlyArray<{
    readonly path: string
    readonly sha256: string
    readonly bytes: number
  }>
  readonly files_omitted?: number
  readonly sandbox?: "bubblewrap" | "none"
  readonly network?: "on" | "off"
  readonly timeout_seconds: number
}
export interface DeviceProgress {
  readonly lease: number
  readonly state: "awaiting_consent" | "running"
  readonly plan_digest?: string
  readonly plan?: DevicePlan
}
export interface DeviceSession {
  readonly id: string
  readonly device_id: string
  readonly status: "online" | "offline" | "ended"
  readonly working_directory?: string
  readonly roots: ReadonlyArray<string>
  readonly started_at: string
  readonly last_heard_at: string
}
export interface DeviceSessionPatch {
  readonly status?: "ended"
  readonly working_directory?: string
}
export interface DeviceSignIn {
  readonly user_code: string
  readonly client_name: string
  readonly scopes: ReadonlyArray<"agents:read" | "agents:write" | "agents:keys" | "requests:read" | "requests:write" | "approvals:read" | "approvals:decide" | "audit:read" | "usage:read" | "budgets:read" | "budgets:write" | "billing:write" | "members:read" | "members:write" | "workflows:read" | "workflows:write" | "workflows:run" | "publish:review" | "catalog:read" | "catalog:write" | "storage:read" | "storage:write" | "knowledge:read" | "knowledge:write" | "devices:read" | "devices:write" | "devices:grant_shell" | "apps:read" | "apps:write" | "chat:read" | "chat:write" | "triggers:read" | "triggers:write" | "schedules:read" | "schedules:write" | "tokens:write" | "promo:write" | "workspace:write">
  readonly address: string
  readonly user_agent?: string
  readonly created_at: string
  readonly expires_at: string
}
export interface DeviceSignInStarted {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete: string
  readonly expires_in: number
  readonly interval: number
}
export interface DispatchInput {
  readonly service: string
  readonly operation: string
  readonly payload: Readonly<Record<string, unknown>>
}
export interface EndedDeviceCommand {
  readonly id: string
  readonly session_id: string
  readonly device_id: string
  readonly tool: "shell.run" | "fs.read" | "fs.write" | "fs.list" | "fs.search" | "http.get" | "system.info"
  readonly input?: Readonly<Record<string, unknown>>
  readonly working_directory?: string
  readonly requested_by: {
    readonly type: string
    readonly id: string
    readonly name: string
  }
  readonly agent?: {
    readonly id: string
    readonly name: string
  }
  readonly reason?: string
  readonly service_request_id?: string
  readonly status: "queued" | "leased" | "awaiting_consent" | "running" | "done" | "cancelled" | "expired"
  readonly outcome?: "succeeded" | "failed" | "denied" | "timed_out" | "interrupted" | "cancelled"
  readonly exit_code?: number
  readonly error?: DeviceCommandError
  readonly result?: unknown
  readonly artifacts?: ReadonlyArray<unknown>
  readonly timeout_seconds: number
  readonly plan_digest?: string
  readonly approval_id?: string
  readonly queued_at: string
  readonly started_at?: string
  readonly done_at?: string
  readonly lost: boolean
  readonly cancel_requested_at?: string
  readonly unconfirmed?: boolean
  readonly output_bytes: number
  readonly dropped_bytes: number
  readonly late_result?: unknown
  /** Present once the workspace removed input, plan, result, artifacts, and output: the days that it kept them */
  readonly removed_after_days?: number
  readonly controls: ReadonlyArray<DeviceControl>
}
export interface Error {
  readonly code: string
  readonly message: string
  readonly request_id?: string
  readonly details?: ReadonlyArray<{
    readonly path: string
    readonly message: string
  }>
  readonly data?: Readonly<Record<string, unknown>>
}
export interface ErrorEnvelope {
  readonly error: Error
}
export interface Estimate {
  readonly status: "executed" | "blocked" | "approval_required" | "failed" | "running"
  readonly mode: "live" | "test"
  readonly service: string
  readonly operation: string
  readonly reason_code?: string
  readonly cost_cents: number
  readonly ceiling_cents: number
  readonly block?: Block
  readonly result?: unknown
  readonly remaining?: Remaining
}
export interface EstimateRunInput {
  readonly input?: unknown
  readonly version_id?: string
  readonly agent_id?: string
  readonly mode?: "live" | "test"
}
export interface Factor {
  readonly id: string
  readonly kind: "passkey" | "totp"
  readonly name: string
  readonly created_at: string
  readonly last_used_at?: string
}
export interface FactorList {
  readonly data: ReadonlyArray<Factor>
  readonly next_cursor: null
  readonly as_of: string
  readonly recovery_codes_left: number
  readonly step_up_methods: ReadonlyArray<"passkey" | "totp" | "recovery_code" | "password" | "oidc">
  readonly passkeys_available: boolean
}
export interface Fired {
  readonly service_request_id: string
}
export type FiringAction = ServiceRequestAction | WorkflowAction
export interface GrantWorkflowInput {
  readonly agent_id: string
}
export interface Health {
  readonly status: "ok"
  readonly hub_id: string
  readonly version: string
  readonly min_app_version: string
}
export interface HttpOperation {
  readonly name: string
  readonly title?: string
  readonly description?: string
  /** JSON Schema 2020-12 of the payload. */
  readonly payload_schema: Readonly<Record<string, unknown>>
  /** Pointers into the payload: the fields that lists of approvals and requests show, in this order. */
  readonly summary?: ReadonlyArray<string>
  /** A payload that matches the schema, shown to agents. */
  readonly example?: Readonly<Record<string, unknown>>
  /** JSON Schema of the result. */
  readonly response_schema?: Readonly<Record<string, unknown>>
  readonly price: Price
  /** The provider executes requests with the same `idempotency-key` header once. */
  readonly idempotent?: boolean
  /** The rule for an unknown outcome: the request was sent, no complete response arrived, and the provider may have acted. */
  readonly unknown?: "fail" | "hold"
  /** After it, the outcome is unknown. */
  readonly timeout_ms?: number
  /** Test mode: the result for test keys, and the ceiling that replaces the price. */
  readonly test?: {
    readonly result?: unknown
    readonly ceiling_cents?: number
  }
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** A template: */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean>>
  /** How lists and objects are written in the query. */
  readonly query_style?: "form" | "deepObject"
  readonly headers?: Readonly<Record<string, string>>
  /** Any JSON; each string in it is a template. */
  readonly body?: unknown
  /** How the body is sent. */
  readonly body_type?: "json" | "form" | "multipart" | "text"
  /** The result in the provider's response. */
  readonly result?: string
  readonly async?: OperationAsync
}
export interface HttpService {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly enabled?: boolean
  readonly kind: "http"
  /** Scheme, host, port, and path, such as https://api.example.com/v1; each operation's path is appended. */
  readonly base_url: string
  readonly auth?: ServiceAuth
  readonly operations: ReadonlyArray<HttpOperation>
}
export interface ImportPreview {
  readonly title?: string
  readonly description?: string
  readonly base_url?: string
  readonly operations: ReadonlyArray<{
    readonly operation_id: string
    readonly name: string
    readonly title?: string
    readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE"
    readonly path: string
    readonly tags: ReadonlyArray<string>
  }>
  /** Operations that are left out, and why. */
  readonly skipped: ReadonlyArray<{
    readonly operation: string
    readonly reason: string
  }>
  readonly auth?: ServiceAuth_1
  /** A likely mistake in the saved object. */
  readonly warnings: ReadonlyArray<{
    readonly path: string
    readonly message: string
  }>
}
export interface ImportServiceInput {
  readonly name: string
  readonly openapi?: string | Readonly<Record<string, unknown>>
  readonly url?: string
  /** Scheme, host, port, and path, such as https://api.example.com/v1; each operation's path is appended. */
  readonly base_url?: string
  readonly auth?: ServiceAuth
  readonly tags?: ReadonlyArray<string>
  readonly operation_ids?: ReadonlyArray<string>
  readonly price: Price
  readonly prices?: Readonly<Record<string, Price>>
}
export interface ImportedService {
  readonly service: CatalogService
  /** Operations that are left out, and why. */
  readonly skipped: ReadonlyArray<{
    readonly operation: string
    readonly reason: string
  }>
  readonly auth?: ServiceAuth_1
  /** A likely mistake in the saved object. */
  readonly warnings: ReadonlyArray<{
    readonly path: string
    readonly message: string
  }>
}
export interface ImportedWorkflow {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly visibility: "private" | "team" | "org"
  readonly team_id?: string
  readonly owner_user_id: string | null
  readonly max_cost_cents?: number
  readonly latest_version: number
  readonly latest_version_id?: string
  readonly live_version_id?: string
  /** The number of the live version */
  readonly live_version?: number
  /** `pending_review` with a pending publish request, otherwise `published` with a live version, otherwise `draft` */
  readonly status: "draft" | "pending_review" | "published"
  readonly publish_request?: {
    readonly id: string
    readonly version_id: string
  }
  readonly agents: ReadonlyArray<{
    readonly id: string
    readonly name: string
  }>
  /** Raised by every edit; send it as expected_version. */
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
  /** A likely mistake in the saved object. */
  readonly warnings?: ReadonlyArray<{
    readonly path: string
    readonly message: string
  }>
}
export interface Invite {
  readonly id: string
  readonly email: string
  readonly role: "owner" | "admin" | "operator" | "member" | "viewer"
  readonly team_id?: string
  readonly team_role?: "lead" | "worker"
  readonly status: "pending" | "accepted" | "revoked" | "expired"
  readonly invited_by: {
    readonly id: string
    readonly name: string
  }
  readonly created_at: string
  readonly expires_at: string
  readonly accepted_at?: string
  readonly accepted_by?: string
}
export interface KnowledgeCollection {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly embedding_model: string
  readonly dimensions: number
  readonly status: "ready" | "reindexing"
  /** 0 to 100 */
  readonly progress: number
  readonly needs_reindex: boolean
  readonly documents: number
  readonly chunks: number
  readonly created_at: string
}
export interface KnowledgeDocument {
  readonly id: string
  readonly collection_id: string
  readonly title: string
  readonly content_type: "text/plain" | "text/markdown" | "text/html" | "application/pdf" | "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
  readonly size_bytes: number
  readonly source: "text" | "upload" | "object"
  readonly object_id?: string
  readonly status: "queued" | "processing" | "ready" | "failed"
  /** 0 to 100 */
  readonly progress: number
  readonly chunks: number
  readonly pages?: number
  readonly error?: {
    readonly code: string
    readonly message: string
  }
  readonly created_at: string
  readonly updated_at: string
}
export interface KnowledgeFilter {
  readonly document_id?: string | ReadonlyArray<string>
  readonly content_type?: "text/plain" | "text/markdown" | "text/html" | "application/pdf" | "application/vnd.openxmlformats-officedocument.wordprocessingml.document" | ReadonlyArray<"text/plain" | "text/markdown" | "text/html" | "application/pdf" | "application/vnd.openxmlformats-officedocument.wordprocessingml.document">
  readonly title?: string
}
export interface KnowledgePassage {
  readonly text: string
  readonly headings: ReadonlyArray<string>
  readonly position: KnowledgePosition
}
export interface KnowledgePosition {
  readonly chunk: number
  readonly start: number
  readonly end: number
  readonly page?: number
}
export interface KnowledgeQueryAnswer {
  readonly data: ReadonlyArray<KnowledgeQueryResult>
}
export interface KnowledgeQueryInput {
  readonly query: string
  readonly top_k?: number
  readonly filter?: KnowledgeFilter
  readonly hybrid?: boolean
}
export interface KnowledgeQueryResult {
  readonly text: string
  readonly score: number | "Infinity" | "-Infinity" | "NaN"
  readonly headings: ReadonlyArray<string>
  readonly position: KnowledgePosition
  readonly document: {
    readonly id: string
    readonly title: string
  }
}
export interface LeasedDeviceCommand {
  readonly id: string
  readonly tool: "shell.run" | "fs.read" | "fs.write" | "fs.list" | "fs.search" | "http.get" | "system.info"
  readonly input: Readonly<Record<string, unknown>>
  readonly working_directory?: string
  readonly requested_by: {
    readonly type: string
    readonly id: string
    readonly name: string
  }
  readonly agent?: {
    readonly id: string
    readonly name: string
  }
  readonly reason?: string
  readonly service_request_id?: string
  readonly timeout_seconds: number
  readonly queue_until: string
  readonly lease: DeviceLease
}
export interface LeasedDeviceCommands {
  readonly data: ReadonlyArray<LeasedDeviceCommand>
  readonly controls: ReadonlyArray<DeviceControl>
}
export interface LedgerEntry {
  readonly id: string
  readonly movement_id: string
  readonly account: Account
  readonly amount_cents: number
  readonly balance_after_cents: number
  readonly cause: {
    readonly type: string
    readonly id: string
  }
  readonly note?: string
  readonly created_at: string
}
export interface LimitFigures {
  readonly operation_month?: MoneyLimit
  readonly operation_day?: {
    readonly limit_count: number
    readonly used_count: number
    readonly resets_at: string
  }
  readonly agent_month?: MoneyLimit
  readonly wallet: {
    readonly balance_cents: number
    readonly held_cents: number
  }
}
export interface LinkedIdentity {
  readonly id: string
  readonly issuer: string
  readonly subject: string
  readonly email?: string
  readonly created_at: string
  readonly last_sign_in_at: string
}
export interface LinkedIdentityList {
  readonly data: ReadonlyArray<LinkedIdentity>
  readonly next_cursor: null
  readonly as_of: string
  readonly can_link: boolean
  readonly has_password: boolean
}
export interface ListedOperation {
  readonly name: string
  readonly title?: string
  readonly description?: string
  /** Pointers into the payload: the fields that lists of approvals and requests show, in this order. */
  readonly summary?: ReadonlyArray<string>
  /** A payload that matches the schema, shown to agents. */
  readonly example?: Readonly<Record<string, unknown>>
  readonly price: OperationPrice
  /** The provider executes requests with the same `idempotency-key` header once. */
  readonly idempotent?: boolean
  /** The rule for an unknown outcome: the request was sent, no complete response arrived, and the provider may have acted. */
  readonly unknown?: "fail" | "hold"
  /** After it, the outcome is unknown. */
  readonly timeout_ms?: number
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** A template: */
  readonly path?: string
  /** How lists and objects are written in the query. */
  readonly query_style?: "form" | "deepObject"
  /** How the body is sent. */
  readonly body_type?: "json" | "form" | "multipart" | "text"
  /** The result in the provider's response. */
  readonly result?: string
  readonly async?: OperationAsync
  readonly tool?: string
}
export interface ListedService {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly kind: "http" | "mcp" | "builtin"
  readonly shipped: boolean
  readonly enabled: boolean
  readonly base_url?: string
  readonly url?: string
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
  readonly auth?: ServiceAuth
  readonly adapter?: string
  readonly settings?: Readonly<Record<string, unknown>>
  readonly operations: ReadonlyArray<ListedOperation>
  readonly missing_secrets?: ReadonlyArray<string>
  /** Raised by every edit; send it as expected_version. */
  readonly version?: number
  readonly remaining?: Readonly<Record<string, OperationRemaining>>
}
export interface Listing {
  readonly id: string
  readonly kind: "agent" | "workflow"
  readonly name: string
  readonly description: string
  readonly icon: string | null
  readonly category: string | null
  /** The name of the workspace */
  readonly publisher: string
}
export interface LocalTool {
  readonly name: string
  readonly description?: string
  readonly input_schema: Readonly<Record<string, unknown>>
}
export interface LocalToolResult {
  readonly call_id: string
  readonly output?: unknown
  readonly error?: unknown
}
export interface LoginChallenge {
  readonly challenge: {
    readonly id: string
    readonly methods: ReadonlyArray<"passkey" | "totp" | "recovery_code">
    readonly expires_at: string
  }
}
export interface MailPreview {
  readonly event: "approval.created" | "agent_request.created" | "budget.alert" | "run.failed" | "app.needs_reauth" | "webhook_endpoint.disabled"
  readonly subject: string
  readonly text: string
  readonly html: string
}
export interface McpService {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly enabled?: boolean
  readonly kind: "mcp"
  /** The address of the server's streamable HTTP endpoint, such as https://example.com/mcp. */
  readonly url: string
  readonly auth?: ServiceAuth
  /** The price of each tool without its own. */
  readonly default_price: {
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
}
export interface McpTool {
  readonly name: string
  readonly operation: string
  /** `pinned`: accepted as it is. */
  readonly state: "pinned" | "new" | "changed" | "refused" | "removed"
  readonly digest?: string
  readonly description?: string
  readonly input_schema?: Readonly<Record<string, unknown>>
  readonly problem?: string
  readonly pending?: McpToolChange
}
export interface McpToolChange {
  readonly digest: string
  readonly description: string
  readonly input_schema: Readonly<Record<string, unknown>>
  readonly diff: ReadonlyArray<{
    readonly path: string
    readonly before?: unknown
    readonly after?: unknown
  }>
  readonly schema_changed: boolean
}
export interface McpToolDecision {
  readonly name: string
  readonly digest: string
}
export interface McpToolList {
  readonly data: ReadonlyArray<McpTool>
  readonly next_cursor: string | null
  readonly as_of: string
  readonly refreshed_at?: string
  readonly error?: string
}
export interface Me {
  readonly user: {
    readonly id: string
    readonly email: string
    readonly name: string
    /** The IANA time zone to show times in; null: the client's own. */
    readonly time_zone: string | null
    /** The language tag to format dates by; null: the client's own. */
    readonly locale: string | null
  }
  readonly workspaces: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly role: "owner" | "admin" | "operator" | "member" | "viewer"
  }>
  readonly active_workspace: string
  readonly team: {
    readonly id: string
    readonly name: string
    readonly role: "lead" | "worker" | null
  } | null
  readonly permissions: ReadonlyArray<"agents:read" | "agents:write" | "agents:keys" | "requests:read" | "requests:write" | "approvals:read" | "approvals:decide" | "audit:read" | "usage:read" | "budgets:read" | "budgets:write" | "billing:write" | "members:read" | "members:write" | "workflows:read" | "workflows:write" | "workflows:run" | "publish:review" | "catalog:read" | "catalog:write" | "storage:read" | "storage:write" | "knowledge:read" | "knowledge:write" | "devices:read" | "devices:write" | "devices:grant_shell" | "apps:read" | "apps:write" | "chat:read" | "chat:write" | "triggers:read" | "triggers:write" | "schedules:read" | "schedules:write" | "tokens:write" | "promo:write" | "workspace:write">
  readonly via: {
    readonly kind: "session"
    readonly session_id: string
    readonly stepped_up: boolean
  } | {
    readonly kind: "pat"
    readonly token_id: string
    readonly scopes: ReadonlyArray<"agents:read" | "agents:write" | "agents:keys" | "requests:read" | "requests:write" | "approvals:read" | "approvals:decide" | "audit:read" | "usage:read" | "budgets:read" | "budgets:write" | "billing:write" | "members:read" | "members:write" | "workflows:read" | "workflows:write" | "workflows:run" | "publish:review" | "catalog:read" | "catalog:write" | "storage:read" | "storage:write" | "knowledge:read" | "knowledge:write" | "devices:read" | "devices:write" | "devices:grant_shell" | "apps:read" | "apps:write" | "chat:read" | "chat:write" | "triggers:read" | "triggers:write" | "schedules:read" | "schedules:write" | "tokens:write" | "promo:write" | "workspace:write">
  }
}
export interface Member {
  readonly user_id: string
  readonly email: string
  readonly name: string
  readonly role: "owner" | "admin" | "operator" | "member" | "viewer"
  readonly created_at: string
}
export interface MemberHoldings {
  readonly agents: {
    readonly count: number
    readonly data: ReadonlyArray<{
      readonly id: string
      readonly name: string
      readonly status: "active" | "paused" | "disabled"
    }>
  }
  readonly devices: {
    readonly count: number
    readonly data: ReadonlyArray<{
      readonly id: string
      readonly name: string
      readonly state: "pending" | "active" | "draining" | "paused" | "revoked"
    }>
  }
  readonly apps: {
    readonly count: number
    readonly data: ReadonlyArray<{
      readonly id: string
      readonly name: string
      readonly provider: string
      readonly status: "pending" | "connected" | "needs_reauth" | "revoked"
    }>
  }
  readonly workflows: {
    readonly count: number
    readonly data: ReadonlyArray<{
      readonly id: string
      readonly name: string
    }>
  }
  readonly standing_approvals: {
    readonly count: number
    readonly data: ReadonlyArray<{
      readonly id: string
      readonly agent_id: string
      readonly agent_name: string
      readonly service: string
      readonly operation: string
      readonly max_cost_cents: number
    }>
  }
  readonly policies: {
    readonly count: number
    readonly data: ReadonlyArray<{
      readonly id: string
      readonly name: string
    }>
  }
  readonly teams: {
    readonly count: number
    readonly data: ReadonlyArray<{
      readonly id: string
      readonly name: string
      readonly allocation_cents: number | null
      readonly held_cents: number | null
    }>
  }
  readonly pending_approvals: number
  readonly tokens: number
  readonly private_views: number
  readonly shared_views: number
}
export interface Memory {
  readonly id: string
  readonly agent_id: string
  readonly content: string
  readonly kind: "fact" | "preference" | "event" | "skill"
  readonly tags: ReadonlyArray<string>
  /** From 0 to 1 */
  readonly importance: number
  readonly links: ReadonlyArray<string>
  readonly source?: {
    readonly type: string
    readonly id: string
  }
  readonly expires_at?: string
  readonly created_at: string
  readonly updated_at: string
  /** Only with `q`. */
  readonly score?: number
  /** Only with `q`. */
  readonly matched_by?: "meaning" | "words"
}
export interface MemoryEdge {
  readonly source: string
  readonly target: string
  /** `similar`: the cosine similarity. */
  readonly weight: number
  readonly relation: "similar" | "tag" | "explicit"
}
export interface MemoryGraph {
  readonly nodes: ReadonlyArray<MemoryNode>
  readonly edges: ReadonlyArray<MemoryEdge>
  /** All memories of the agent, including those that are not in `nodes` */
  readonly total: number
}
export interface MemoryNode {
  readonly id: string
  readonly kind: "fact" | "preference" | "event" | "skill"
  /** The first 120 characters of the content */
  readonly label: string
  readonly tags: ReadonlyArray<string>
  readonly importance: number
  readonly created_at: string
}
export interface MemoryReadStep {
  readonly label: string
  readonly retry?: StepRetry
  readonly timeout_ms?: number
  /** `fail` (default): the run fails. */
  readonly on_error?: "fail" | "continue"
  readonly type: "memory_read"
  readonly config: {
    readonly q?: string
    readonly tag?: string
    readonly limit?: number | string
  }
}
export interface MemoryWriteStep {
  readonly label: string
  readonly retry?: StepRetry
  readonly timeout_ms?: number
  /** `fail` (default): the run fails. */
  readonly on_error?: "fail" | "continue"
  readonly type: "memory_write"
  readonly config: {
    readonly content: string
    readonly kind?: string
    readonly tags?: ReadonlyArray<string> | string
    readonly importance?: number | string
    readonly expires_at?: string
  }
}
export type MessengerAnswer = Readonly<Record<string, unknown>>
export interface MessengerLink {
  readonly id: string
  readonly provider: "slack" | "discord"
  readonly team: string
  readonly team_name?: string
  readonly account: {
    readonly id: string
    readonly name: string
  }
  readonly status: "unconfirmed" | "linked"
  readonly created_at: string
  readonly expires_at?: string
  readonly confirmed_at?: string
  readonly last_used_at?: string
}
export interface MintedToken {
  readonly id: string
  readonly kind: "personal" | "oauth"
  readonly name: string
  readonly agent?: {
    readonly id: string
    readonly name: string
  }
  readonly scopes: ReadonlyArray<"agents:read" | "agents:write" | "agents:keys" | "requests:read" | "requests:write" | "approvals:read" | "approvals:decide" | "audit:read" | "usage:read" | "budgets:read" | "budgets:write" | "billing:write" | "members:read" | "members:write" | "workflows:read" | "workflows:write" | "workflows:run" | "publish:review" | "catalog:read" | "catalog:write" | "storage:read" | "storage:write" | "knowledge:read" | "knowledge:write" | "devices:read" | "devices:write" | "devices:grant_shell" | "apps:read" | "apps:write" | "chat:read" | "chat:write" | "triggers:read" | "triggers:write" | "schedules:read" | "schedules:write" | "tokens:write" | "promo:write" | "workspace:write">
  readonly enabled: boolean
  readonly hint: string
  readonly expires_at: string
  readonly last_used_at?: string
  readonly last_used_ip?: string
  readonly created_at: string
  readonly token: string
}
export interface Model {
  /** Such as openai/gpt-4o-mini */
  readonly id: string
  readonly name: string
  readonly context_length: number
  readonly pricing: {
    /** USD per token, as decimal text; -1: it depends on the call */
    readonly prompt: string
    /** USD per token, as decimal text; -1: it depends on the call */
    readonly completion: string
    /** USD per token, as decimal text; -1: it depends on the call */
    readonly input_cache_read?: string
    /** USD per token, as decimal text; -1: it depends on the call */
    readonly input_cache_write?: string
  }
  /** The prices of calls with more input than `input_tokens_above` tokens */
  readonly pricing_tiers?: ReadonlyArray<{
    readonly input_tokens_above: number
    /** USD per token, as decimal text; -1: it depends on the call */
    readonly prompt: string
    /** USD per token, as decimal text; -1: it depends on the call */
    readonly completion: string
    /** USD per token, as decimal text; -1: it depends on the call */
    readonly input_cache_read?: string
    /** USD per token, as decimal text; -1: it depends on the call */
    readonly input_cache_write?: string
  }>
  readonly architecture: {
    readonly modality: string
    readonly input_modalities: ReadonlyArray<string>
    readonly output_modalities: ReadonlyArray<string>
  }
  readonly top_provider: {
    readonly context_length: number | null
    readonly max_completion_tokens: number | null
  }
  readonly supported_parameters: ReadonlyArray<string>
}
export interface ModelFavorite {
  readonly id: string
  /** Such as openai/gpt-4o-mini */
  readonly model_id: string
  readonly created_at: string
}
export interface ModelFavoriteList {
  readonly data: ReadonlyArray<ModelFavorite>
  readonly next_cursor: null
  readonly as_of: string
}
export interface ModelList {
  readonly data: ReadonlyArray<Model>
  readonly next_cursor: null
  readonly as_of: string
  /** Where the list comes from, and of when it is: the model provider, or the snapshot that the hub ships */
  readonly source: {
    readonly kind: "provider" | "snapshot"
    readonly name?: string
    readonly generated_at: string
  }
}
export interface MoneyLimit {
  readonly cap_cents: number
  readonly spent_cents: number
  readonly held_cents: number
  readonly committed_cents?: number
  readonly resets_at: string
}
export interface MoveBudgetInput {
  readonly amount_cents: number
  readonly direction: "allocate" | "return"
}
export interface NewDeviceCommand {
  readonly tool: "shell.run" | "fs.read" | "fs.write" | "fs.list" | "fs.search" | "http.get" | "system.info"
  readonly input: Readonly<Record<string, unknown>>
  readonly working_directory?: string
  readonly reason?: string
  readonly timeout_seconds?: number
  readonly queue_seconds?: number
  readonly idempotency_key?: string
}
export interface NewMessengerLink {
  readonly id: string
  /** Shown once, for `/countersign link CODE` */
  readonly code: string
  readonly expires_at: string
}
export interface NewTrigger {
  readonly id: string
  readonly name: string
  readonly kind: "webhook" | "cron"
  readonly agent_id: string
  readonly action: FiringAction
  readonly payload_template?: Readonly<Record<string, unknown>>
  readonly require_timestamp?: boolean
  readonly fire_url?: string
  readonly cron?: string
  readonly timezone?: string
  readonly next_runs?: ReadonlyArray<string>
  readonly status: "active" | "paused"
  readonly paused_by?: "person" | "failures" | "member_removed"
  readonly previous_secret_until?: string
  readonly last_fired_at?: string
  /** Raised by every edit; send it as expected_version. */
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
  /** Shown once */
  readonly signing_secret: string
}
export interface NewWebhookEndpoint {
  readonly id: string
  readonly url: string
  readonly description: string
  readonly types: ReadonlyArray<"approval.created" | "approval.updated" | "approval.decided" | "approval.expired" | "service_request.updated" | "agent.updated" | "balance.changed" | "standing_approval.updated" | "device.updated" | "device_command.updated" | "run.updated" | "workflow.updated" | "budget.alert" | "budget_request.updated" | "delegated_task.updated" | "payment.updated" | "agent_request.created" | "agent_request.updated" | "publish_request.updated" | "workspace.updated" | "catalog.updated" | "app.updated" | "knowledge.updated" | "schedule.updated" | "trigger.updated" | "chat.updated" | "webhook.test">
  readonly status: "enabled" | "disabled"
  readonly disabled_by?: "person" | "gone" | "failures"
  readonly disabled_at?: string
  readonly failing_since?: string
  readonly previous_secret_until?: string
  /** Raised by every edit; send it as expected_version. */
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
  /** Shown once */
  readonly secret: string
}
export interface NoticeChannel {
  readonly id: string
  readonly kind: "slack" | "discord"
  readonly app_id?: string
  /** The name of a stored secret (`PUT /secrets/:name`): lower case; begins with a letter, followed by letters, digits, _ and -; at most 64 characters */
  readonly secret?: string
  readonly target: string
  readonly min_cents?: number
  readonly agent_ids?: ReadonlyArray<string>
  readonly events: ReadonlyArray<"approval.created" | "agent_request.created" | "budget_request.updated">
  readonly problem?: string
  readonly last_sent_at?: string
  /** Raised by every edit; send it as expected_version. */
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
}
export interface NoticeChannelTest {
  readonly delivered: true
  readonly message_id: string
  readonly interactive: boolean
}
export interface NoticePlaces {
  /** A notification of the desktop app */
  readonly desktop: boolean
  /** A notification in each subscribed browser of the person */
  readonly browser: boolean
  /** An email, if the hub has a mail server */
  readonly email: boolean
  /** A mention of the person's linked account in the message of a notice channel, for approvals and agent requests */
  readonly channel: boolean
}
export interface NoticePlacesChange {
  /** A notification of the desktop app */
  readonly desktop?: boolean
  /** A notification in each subscribed browser of the person */
  readonly browser?: boolean
  /** An email, if the hub has a mail server */
  readonly email?: boolean
  /** A mention of the person's linked account in the message of a notice channel, for approvals and agent requests */
  readonly channel?: boolean
}
export interface NotificationSettings {
  readonly "approval.created": NoticePlaces
  readonly "agent_request.created": NoticePlaces
  readonly "budget.alert": NoticePlaces
  readonly "run.failed": NoticePlaces
  readonly "app.needs_reauth": NoticePlaces
  readonly "webhook_endpoint.disabled": NoticePlaces
  readonly quiet_hours?: QuietHours
  /** The least time between two mails about pending approvals and requests, in minutes */
  readonly email_digest_minutes: number
}
export interface OpenInvite {
  readonly email: string
  readonly role: "owner" | "admin" | "operator" | "member" | "viewer"
  readonly workspace: {
    readonly id: string
    readonly name: string
  }
  readonly team?: {
    readonly id: string
    readonly name: string
    readonly role: "lead" | "worker"
  }
  readonly invited_by: {
    readonly name: string
  }
  readonly has_account: boolean
  readonly can_sign_in: boolean
  readonly expires_at: string
}
export interface OperationAsync {
  /** `poll`: the hub polls the provider. */
  readonly mode: "poll" | "callback"
  /** The provider's reference, in its first response and in callbacks. */
  readonly ref: string
  /** Time between polls. */
  readonly interval_ms?: number
  /** The path that the hub polls, such as `/jobs/${ref}`. */
  readonly path?: string
  /** The method of the poll. */
  readonly method?: "GET" | "POST"
  /** The status, in the poll's response or the callback. */
  readonly status: string
  /** Status values that end the request as executed. */
  readonly executed: ReadonlyArray<string | number | boolean>
  /** Status values that end the request as failed, without charge. */
  readonly failed: ReadonlyArray<string | number | boolean>
  readonly blocked?: ReadonlyArray<string | number | boolean>
  /** The result. */
  readonly result?: string
  /** The actual cost in cents; fractions of a cent are carried over to later requests. */
  readonly cost_cents?: string
  /** The reason of a failure or refusal. */
  readonly detail?: string
  /** The time limit; after it the outcome is unknown. */
  readonly deadline_ms?: number
  /** The name of a stored secret (`PUT /secrets/:name`): lower case; begins with a letter, followed by letters, digits, _ and -; at most 64 characters */
  readonly secret?: string
}
export interface OperationBudget {
  readonly service: string
  readonly operation: string
  readonly monthly_cap_cents?: number
  readonly spent_cents: number
  readonly held_cents: number
  readonly daily_request_limit?: number
  readonly used_today: number
}
export interface OperationCaps {
  /** Cents in a UTC month, for each operation separately; there is no sum over operations. */
  readonly monthly_cap_cents?: number
  /** Requests in a UTC day, for each operation separately. */
  readonly daily_request_limit?: number
  /** A single request that costs more requires approval. */
  readonly approval_threshold_cents?: number
}
export type OperationPrice = {
  readonly type: "fixed"
  /** Whole cents for each executed request */
  readonly cents: number
} | {
  readonly type: "quoted"
  /** A CEL expression over `payload` that returns a number of cents, such as `payload.items.size() * 25`; fractions are rounded up */
  readonly ceiling: string
  /** A CEL expression over `payload` that returns a number of cents, such as `payload.items.size() * 25`; fractions are rounded up */
  readonly estimate?: string
  /** A JSON Pointer (RFC 6901) to a number of cents in the provider's response. */
  readonly actual?: string
} | TokensPrice
export interface OperationRemaining {
  readonly monthly_cap_cents?: number
  readonly spent_this_month_cents: number
  readonly held_cents: number
  readonly daily_request_limit?: number
  readonly used_today: number
  readonly approval_threshold_cents?: number
}
export interface OperationUsage {
  readonly spent_this_month_cents: number
  readonly held_cents: number
  readonly used_today: number
}
export interface Pairing {
  readonly code: string
  readonly name: string
  readonly platform: string
  readonly arch: string
  readonly app_version: string
  readonly address: string
  readonly fingerprint?: string
  readonly capabilities: ReadonlyArray<"shell.run" | "fs.read" | "fs.write" | "fs.list" | "fs.search" | "http.get" | "system.info">
  readonly created_at: string
  readonly expires_at: string
}
export interface PairingProgress {
  readonly status: "waiting" | "confirmed" | "rejected"
  readonly device_id?: string
  readonly device_key?: string
}
export interface PairingStarted {
  readonly code: string
  readonly pairing_secret: string
  readonly expires_at: string
}
export interface Policy {
  readonly id: string
  readonly name: string
  readonly position: number
  readonly enabled: boolean
  readonly when: string
  readonly then: "allow" | "block" | "require_approval"
  readonly required_approvals?: number
  readonly deciders?: Deciders
  readonly expires_in_seconds?: number
  readonly reason: string
  /** Raised by every edit; send it as expected_version. */
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
}
export interface PolicyReplay {
  readonly checked: number
  readonly matched: number
  readonly errors: number
  readonly would_block: number
  readonly would_require_approval: number
  readonly changed: ReadonlyArray<{
    readonly request_id: string
    readonly status: "executed" | "blocked" | "approval_required" | "failed" | "running"
    readonly would: "allowed" | "blocked" | "approval_required"
  }>
}
export interface PresignUploadInput {
  readonly key: string
  readonly content_type: string
  readonly size_bytes: number
  readonly sha256?: string
}
export interface PresignedUpload {
  readonly object_id: string
  readonly url: string
  readonly method: "PUT"
  readonly headers: Readonly<Record<string, string>>
  readonly expires_at: string
}
export interface PreviewImportInput {
  readonly openapi?: string | Readonly<Record<string, unknown>>
  readonly url?: string
  /** Scheme, host, port, and path, such as https://api.example.com/v1; each operation's path is appended. */
  readonly base_url?: string
}
export type Price = {
  readonly type: "fixed"
  /** Whole cents for each executed request */
  readonly cents: number
} | {
  readonly type: "quoted"
  /** A CEL expression over `payload` that returns a number of cents, such as `payload.items.size() * 25`; fractions are rounded up */
  readonly ceiling: string
  /** A CEL expression over `payload` that returns a number of cents, such as `payload.items.size() * 25`; fractions are rounded up */
  readonly estimate?: string
  /** A JSON Pointer (RFC 6901) to a number of cents in the provider's response. */
  readonly actual?: string
}
export interface PromoCode {
  readonly id: string
  /** Compared without regard to case */
  readonly code: string
  readonly amount_cents: number
  readonly max_redemptions?: number
  readonly redemptions: number
  readonly expires_at?: string
  readonly created_at: string
}
export interface Publication {
  readonly id: string
  readonly subject: {
    readonly type: "agent" | "workflow"
    readonly id: string
  }
  readonly version_id?: string
  readonly scope: "team" | "org"
  readonly team_id?: string
  readonly listed: boolean
  readonly name: string
  readonly description: string
  readonly icon: string | null
  readonly category: string | null
  readonly status: "active" | "revoked"
  readonly publish_request_id: string
  readonly published_by: {
    readonly id: string
    readonly name: string
  }
  readonly published_at: string
  readonly revoked_at?: string
}
export interface PublishInput {
  readonly scope: "team" | "org"
  /** Required with scope team, refused with scope org */
  readonly team_id?: string
  readonly note?: string
  /** List it in the marketplace too; requires scope org. */
  readonly listed?: boolean
}
export interface PublishRequest {
  readonly id: string
  readonly subject: {
    readonly type: "agent" | "workflow"
    readonly id: string
  }
  readonly version_id?: string
  readonly scope: "team" | "org"
  readonly team_id?: string
  readonly listed: boolean
  readonly name: string
  readonly description: string
  readonly icon: string | null
  readonly category: string | null
  readonly note?: string
  readonly status: "pending" | "approved" | "rejected" | "withdrawn"
  readonly requested_by: {
    readonly id: string
    readonly name: string
  }
  readonly decided_by?: {
    readonly id: string
    readonly name: string
  }
  readonly comment?: string
  readonly created_at: string
  readonly decided_at?: string
  readonly publication_id?: string
}
export interface PublishWorkflowInput {
  readonly note?: string
  /** Default: team for a workflow of a team, otherwise org */
  readonly scope?: "team" | "org"
  readonly team_id?: string
  /** List it in the marketplace too; requires scope org. */
  readonly listed?: boolean
}
export interface PushKey {
  /** The `applicationServerKey` of a subscription (VAPID), base64url */
  readonly public_key: string
}
export interface PushSubscription {
  readonly id: string
  readonly user_agent?: string
  readonly service: string
  /** Whether the session of this call made it */
  readonly current: boolean
  readonly created_at: string
  readonly last_used_at?: string
}
export interface PutProviderInput {
  readonly client_id: string
  readonly client_secret: string
  readonly definition?: AppDefinition
}
export interface QuietHours {
  readonly from: string
  readonly to: string
}
export interface Ready {
  readonly status: "ready"
  readonly checks: ReadonlyArray<{
    readonly name: string
    readonly ok: boolean
    readonly reason?: string
  }>
}
export interface ReattachInput {
  readonly after?: string
}
export interface Reattached {
  readonly task: DelegatedTask
  readonly events: ReadonlyArray<TaskEvent>
}
export interface Reconciled {
  readonly service_request_id: string
  readonly status: string
}
export interface RedeemInput {
  /** Compared without regard to case */
  readonly code: string
}
export interface Redemption {
  readonly id: string
  /** Compared without regard to case */
  readonly code: string
  readonly amount_cents: number
  readonly balance: Balance
  readonly created_at: string
}
export interface RegisteredDevice {
  readonly id: string
  readonly name: string
  readonly platform: string
  readonly arch: string
  readonly app_version: string
  readonly state: "pending" | "active" | "draining" | "paused" | "revoked"
  readonly paused_by?: "hub" | "device"
  readonly presence: "online" | "late" | "offline" | "never"
  readonly update_required: boolean
  readonly capabilities: ReadonlyArray<"shell.run" | "fs.read" | "fs.write" | "fs.list" | "fs.search" | "http.get" | "system.info">
  readonly granted: ReadonlyArray<"shell.run" | "fs.read" | "fs.write" | "fs.list" | "fs.search" | "http.get" | "system.info">
  readonly agents: "*" | ReadonlyArray<string>
  readonly labels: ReadonlyArray<string>
  readonly fingerprint?: string
  readonly owner_user_id: string
  readonly session?: DeviceSession
  readonly running: number
  readonly load?: Readonly<Record<string, number>>
  readonly last_heard_at?: string
  readonly created_at: string
  readonly device_key: string
}
export interface Remaining {
  readonly operation_month_cents?: number
  readonly operation_day_count?: number
  readonly agent_month_cents?: number
  readonly wallet_cents: number
}
export interface Remember {
  readonly max_cost_cents: number
  /** An RFC 3339 time, such as 2027-01-31T09:00:00Z */
  readonly expires_at: string
  readonly max_total_cents?: number
  readonly max_uses?: number
  /** CEL over payload that returns true or false. */
  readonly when?: string
  /** Also approve the pending requests that the standing approval covers, at most 100, oldest first. */
  readonly apply_to_pending?: boolean
}
export interface RemoveMemberInput {
  readonly transfer_to?: string
}
export interface RepeatRunInput {
  readonly accept_unknown_fate?: boolean
}
export interface ReplayWebhooksInput {
  /** An RFC 3339 time, or a UTC day (YYYY-MM-DD), which means its first moment */
  readonly since: string
}
export interface RequestOrigin {
  readonly user_id?: string
  readonly replaces?: string
  readonly task_id?: string
  readonly session_id?: string
  readonly turn_id?: string
  readonly call_id?: string
  readonly run_id?: string
  readonly label?: string
  readonly schedule_id?: string
  readonly trigger_id?: string
}
export interface RequestTrace {
  readonly request: ServiceRequest
  readonly agent: {
    readonly id: string
    readonly name: string
  }
  readonly payload: unknown
  readonly steps: ReadonlyArray<{
    readonly step: "credential" | "idempotency" | "agent" | "payload" | "binding" | "freeze" | "policy" | "daily_count" | "operation_month" | "agent_month" | "wallet" | "approval" | "execution" | "settlement"
    readonly state: "passed" | "decided" | "open" | "skipped" | "unreached"
    readonly at?: string
  }>
  readonly approval?: Approval
  readonly standing_approval?: {
    readonly id: string
    readonly created_by: {
      readonly id: string
      readonly name: string
      readonly email: string
    }
    readonly ended: boolean
  }
  readonly limits: LimitFigures
  readonly threshold_cents: number
  readonly postings: ReadonlyArray<LedgerEntry>
  readonly entries: ReadonlyArray<AuditEntry>
}
export interface RotateKeyInput {
  readonly mode?: "live" | "test"
  readonly grace_seconds?: number
}
export interface RotateTriggerSecretInput {
  /** How long the old secret keeps working. */
  readonly grace_seconds?: number
}
export interface RotateWebhookSecretInput {
  /** How long both secrets sign. */
  readonly grace_seconds?: number
}
export interface RotatedKey {
  readonly api_key: string
  readonly key_hint: string
}
export interface RotatedTriggerSecret {
  /** Shown once */
  readonly signing_secret: string
  readonly previous_secret_until?: string
}
export interface RotatedWebhookSecret {
  /** Shown once */
  readonly secret: string
  readonly previous_secret_until?: string
}
export interface RunError {
  readonly code: string
  readonly message: string
  readonly label?: string
  readonly block?: Block
}
export interface RunEstimate {
  readonly cost_cents: number
  readonly unknown: ReadonlyArray<string>
  readonly steps: ReadonlyArray<{
    readonly label: string
    readonly status: string
    readonly cost_cents: number
    readonly reason_code?: string
    readonly block?: Block
  }>
}
export interface RunStep {
  readonly id: string
  readonly label: string
  readonly type: "service_call" | "run_workflow" | "condition" | "delay" | "approval" | "agent_request" | "delegation" | "webhook" | "memory_read" | "memory_write"
  readonly status: "pending" | "running" | "waiting" | "succeeded" | "failed" | "skipped" | "cancelled"
  readonly attempt: number
  readonly request_id?: string
  readonly approval_id?: string
  readonly agent_request_id?: string
  readonly delegated_task_id?: string
  readonly child_run_id?: string
  readonly due_at?: string
  readonly started_at?: string
  readonly ended_at?: string
  readonly cost_cents: number
  readonly input?: unknown
  readonly output?: unknown
  readonly error?: StepError
  readonly attempts?: ReadonlyArray<StepAttempt>
}
export interface RunWorkflowStep {
  readonly label: string
  readonly retry?: StepRetry
  readonly timeout_ms?: number
  /** `fail` (default): the run fails. */
  readonly on_error?: "fail" | "continue"
  readonly type: "run_workflow"
  readonly config: {
    readonly workflow_id: string
    readonly input?: unknown
  }
}
export interface SavedPolicy {
  readonly id: string
  readonly name: string
  readonly position: number
  readonly enabled: boolean
  readonly when: string
  readonly then: "allow" | "block" | "require_approval"
  readonly required_approvals?: number
  readonly deciders?: Deciders
  readonly expires_in_seconds?: number
  readonly reason: string
  /** Raised by every edit; send it as expected_version. */
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
  /** A likely mistake in the saved object. */
  readonly warnings: ReadonlyArray<{
    readonly path: string
    readonly message: string
  }>
}
export interface SavedService {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly kind: "http" | "mcp" | "builtin"
  readonly shipped: boolean
  readonly enabled: boolean
  readonly base_url?: string
  readonly url?: string
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
  readonly auth?: ServiceAuth
  readonly adapter?: string
  readonly settings?: Readonly<Record<string, unknown>>
  readonly operations: ReadonlyArray<CatalogOperation>
  readonly missing_secrets?: ReadonlyArray<string>
  /** Raised by every edit; send it as expected_version. */
  readonly version?: number
  readonly remaining?: Readonly<Record<string, OperationRemaining>>
  /** A likely mistake in the saved object. */
  readonly warnings: ReadonlyArray<{
    readonly path: string
    readonly message: string
  }>
}
export interface ScheduleRun {
  readonly id: string
  readonly due_at: string
  readonly status: "fired" | "queued" | "skipped" | "missed"
  readonly service_request_id?: string
  readonly request_status?: "executed" | "blocked" | "approval_required" | "failed" | "running"
  readonly error?: {
    readonly code: string
    readonly message: string
  }
  readonly count?: number
  readonly created_at: string
}
export interface ScheduleStatusInput {
  readonly status: "active" | "paused"
}
export interface ScheduledTask {
  readonly id: string
  readonly name: string
  readonly agent_id: string
  readonly action: FiringAction
  readonly cron: string
  readonly timezone: string
  readonly catch_up: "skip" | "once"
  readonly overlap: "skip" | "allow" | "queue"
  readonly jitter_seconds: number
  readonly status: "active" | "paused"
  readonly paused_by?: "person" | "failures" | "member_removed"
  readonly failures: number
  readonly next_runs: ReadonlyArray<string>
  readonly last_run?: ScheduleRun
  /** Raised by every edit; send it as expected_version. */
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
}
export interface SearchResult {
  readonly type: "agent" | "service" | "service_request" | "approval" | "person" | "workflow"
  readonly id: string
  readonly title: string
  readonly subtitle?: string
  /** The path of its screen in the console */
  readonly href: string
  /** 0 to 1; 1 is an exact id or seal */
  readonly score: number
}
export interface Secret {
  /** The name of a stored secret (`PUT /secrets/:name`): lower case; begins with a letter, followed by letters, digits, _ and -; at most 64 characters */
  readonly name: string
  readonly created_at: string
  readonly updated_at: string
}
export interface SecretInput {
  readonly value: string
}
export interface ServiceAuth {
  /** How the hub authenticates with the provider: */
  readonly type: "none" | "bearer" | "basic" | "header" | "query" | "oauth_app"
  /** The name of a stored secret (`PUT /secrets/:name`): lower case; begins with a letter, followed by letters, digits, _ and -; at most 64 characters */
  readonly secret?: string
  /** Of `header`: the header's name, such as x-api-key. */
  readonly header?: string
  /** Of `query`: the parameter's name. */
  readonly param?: string
  /** Of `oauth_app`: the id of a connected app, or the name of a provider. */
  readonly app?: string
}
export interface ServiceAuth_1 {
  /** How the hub authenticates with the provider: */
  readonly type: "none" | "bearer" | "basic" | "header" | "query" | "oauth_app"
  /** The name of a stored secret (`PUT /secrets/:name`): lower case; begins with a letter, followed by letters, digits, _ and -; at most 64 characters */
  readonly secret?: string
  /** Of `header`: the header's name, such as x-api-key. */
  readonly header?: string
  /** Of `query`: the parameter's name. */
  readonly param?: string
  /** Of `oauth_app`: the id of a connected app, or the name of a provider. */
  readonly app?: string
}
export interface ServiceCallStep {
  readonly label: string
  readonly retry?: StepRetry
  readonly timeout_ms?: number
  /** `fail` (default): the run fails. */
  readonly on_error?: "fail" | "continue"
  readonly type: "service_call"
  readonly config: {
    readonly service: string
    readonly operation: string
    readonly payload?: unknown
  }
}
export interface ServiceRequest {
  readonly id: string
  readonly status: "executed" | "blocked" | "approval_required" | "failed" | "running"
  readonly mode: "live" | "test"
  readonly service: string
  readonly operation: string
  readonly cost_cents: number
  readonly ceiling_cents: number
  readonly reported_cost_cents?: number
  readonly reason_code?: string
  readonly approval_id?: string
  readonly result?: unknown
  readonly block?: Block
  readonly waiting_for?: WaitingFor
  readonly late_result?: unknown
  readonly origin?: RequestOrigin
  readonly agent_id: string
  readonly summary?: ReadonlyArray<SummaryField>
  readonly created_at: string
  readonly completed_at?: string
  readonly links: {
    readonly self: string
  }
}
export interface ServiceRequestAction {
  readonly type: "service_request"
  readonly service: string
  readonly operation: string
  /** Default: {} */
  readonly payload?: Readonly<Record<string, unknown>>
}
export interface Session {
  readonly id: string
  readonly current: boolean
  readonly active_workspace: string
  readonly ip?: string
  readonly user_agent?: string
  readonly method: "password" | "oidc" | "setup"
  readonly factor?: "passkey" | "totp" | "recovery_code"
  readonly created_at: string
  readonly last_seen_at: string
  readonly expires_at: string
}
export interface SetupState {
  readonly needed: boolean
}
export interface ShareWorkflowInput {
  readonly visibility: "private" | "team" | "org"
  /** Required with visibility team, refused with any other */
  readonly team_id?: string
  /** The version that the change is based on. */
  readonly expected_version?: number
}
export interface SignInMethods {
  readonly password: boolean
  readonly oidc: boolean
}
export interface Skill {
  readonly id: string
  readonly agent_id: string
  readonly kind: "service" | "workflow" | "custom"
  readonly name: string
  readonly description: string
  readonly input_schema?: Readonly<Record<string, unknown>>
  readonly call: {
    readonly service: string
    readonly operation: string
  } | {
    readonly workflow_id: string
  } | {
    readonly instructions: string
  }
  readonly source: "binding" | "grant" | "proposal"
}
export interface SkillProposal {
  readonly id: string
  readonly agent_id: string
  readonly name: string
  readonly description: string
  readonly instructions: string
  readonly operations: ReadonlyArray<string>
  readonly rationale: string
  readonly status: "proposed" | "accepted" | "rejected"
  readonly decided_by?: {
    readonly id: string
    readonly name: string
  }
  readonly comment?: string
  readonly created_at: string
  readonly decided_at?: string
}
export interface SpawnEstimate {
  readonly would_commit_cents: number
  readonly passes: boolean
  readonly code?: "agent_disabled" | "spending_frozen" | "spawn_depth_exceeded" | "not_subset" | "insufficient_budget"
}
export interface SpawnInput {
  readonly name: string
  readonly description?: string
  readonly services: ReadonlyArray<BindingTerms>
  /** Committed on the parent's budget. null: no cap, only for a parent without a cap. */
  readonly monthly_budget_cents: number | null
  readonly personality?: string
  /** The child and its descendants end after this time. */
  readonly ttl_seconds?: number
}
export interface SpawnedAgent {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly kind: "standard" | "yupi" | "chat"
  readonly status: "active" | "paused" | "disabled"
  readonly frozen: boolean
  readonly icon: string | null
  readonly category: string | null
  readonly personality: string | null
  readonly voiceConfig: Readonly<Record<string, unknown>> | null
  readonly parent_agent_id?: string
  readonly depth: number
  readonly team_id?: string
  readonly owner_user_id: string | null
  readonly monthly_budget_cents?: number
  readonly approval_threshold_cents?: number
  readonly spent_this_month_cents: number
  readonly held_cents: number
  readonly committed_cents: number
  readonly child_count: number
  readonly key_hint: string | null
  readonly mode_keys: {
    readonly live: boolean
    readonly test: boolean
  }
  readonly bindings: ReadonlyArray<Binding>
  readonly last_seen_at?: string
  readonly ends_at?: string
  /** Raised by every edit; send it as expected_version. */
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
  readonly api_key?: string
  readonly api_key_shown?: true
}
export interface SpeechInput {
  readonly text: string
  /** The id of a voice of GET /tts */
  readonly voice: string
  /** 1 is the voice's own speed; higher is faster */
  readonly speed?: number
}
export interface StandingApproval {
  readonly id: string
  readonly agent_id: string
  readonly service: string
  readonly operation: string
  readonly mode: "live" | "test"
  readonly max_cost_cents: number
  readonly max_total_cents?: number
  readonly max_uses?: number
  /** CEL over payload. */
  readonly when?: string
  readonly used_cents: number
  readonly uses: number
  readonly created_by: {
    readonly id: string
    readonly name: string
    readonly email: string
  }
  readonly created_at: string
  readonly last_used_at?: string
  readonly expires_at: string
}
export interface StandingPreview {
  readonly checked: number
  readonly covered: number
  readonly covered_cents: number
  readonly errors: number
  readonly pending: {
    readonly count: number
    readonly cost_cents: number
  }
  readonly partial: boolean
  readonly requests: ReadonlyArray<{
    readonly id: string
    readonly ceiling_cents: number
    readonly status: string
    readonly created_at: string
    readonly covered: boolean
  }>
}
export interface StartRunInput {
  readonly input?: unknown
  readonly version_id?: string
  readonly agent_id?: string
  readonly mode?: "live" | "test"
  readonly max_cost_cents?: number
  readonly wait_seconds?: number
}
export interface StartedApp {
  readonly id: string
  readonly provider: string
  readonly name: string
  readonly status: "pending" | "connected" | "needs_reauth" | "revoked"
  readonly scopes: ReadonlyArray<string>
  /** `private`: agents of the person who connected it. */
  readonly visibility: "private" | "workspace"
  readonly owner_user_id: string
  readonly account?: string
  readonly expires_at?: string
  readonly last_used_at?: string
  readonly note?: string
  readonly created_at: string
  readonly authorize_url: string
}
export interface StartedRun {
  readonly run: WorkflowRun
}
export interface StepAttempt {
  readonly attempt: number
  readonly status: "succeeded" | "failed" | "cancelled"
  readonly request_id?: string
  readonly error?: StepError
  readonly started_at?: string
  readonly ended_at?: string
}
export interface StepError {
  readonly code: string
  readonly message: string
  readonly block?: Block
  readonly fate?: "unknown"
}
export interface StepRetry {
  readonly max_attempts: number
  /** The pause before the second attempt; it doubles. */
  readonly backoff_ms?: number
}
export interface StorageFolders {
  readonly data: ReadonlyArray<string>
  readonly next_cursor: null
  readonly as_of: string
}
export interface StorageObject {
  readonly id: string
  readonly key: string
  readonly content_type: string
  readonly size_bytes: number
  readonly sha256?: string
  readonly status: "pending" | "verifying" | "live" | "deleted"
  readonly metadata: Readonly<Record<string, string>>
  readonly created_at: string
  readonly deleted_at?: string
}
export interface StorageUsage {
  readonly used_bytes: number
  readonly deleted_bytes: number
  readonly max_bytes: number
  readonly object_max_bytes: number
}
export interface SummaryField {
  readonly path: string
  readonly label: string
  readonly value: string | number | boolean
  readonly format?: "cents"
}
export interface SwitchTeamInput {
  readonly team_id: string | null
}
export interface TaskError {
  readonly code: string
  readonly message: string
}
export interface TaskEvent {
  readonly id: string
  readonly type: "delegated_task.updated"
  readonly task_id: string
  readonly status: "accepted" | "in_progress" | "completed" | "failed" | "cancelled"
  readonly created_at: string
}
export interface Team {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly member_count: number
  readonly role: "lead" | "worker" | null
  readonly created_at: string
  readonly updated_at: string
}
export interface TeamBudget {
  readonly opened: boolean
  readonly balance_cents: number
  readonly held_cents: number
  readonly available_cents: number
  readonly allocated_cents: number
  readonly spent_this_month_cents: number
}
export interface TeamMember {
  readonly user_id: string
  readonly email: string
  readonly name: string
  readonly role: "lead" | "worker"
  readonly allocation: Allocation | null
  readonly spent_this_month_cents: number
  readonly created_at: string
}
export interface TestPolicyInput {
  readonly policy_id?: string
  readonly rule?: CreatePolicyInput
  /** An RFC 3339 time, or a UTC day (YYYY-MM-DD), which means its first moment */
  readonly from?: string
  /** An RFC 3339 time, or a UTC day (YYYY-MM-DD), which means its first moment */
  readonly to?: string
  readonly limit?: number
}
export interface TestRequestInput {
  readonly service: string
  readonly operation: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly outcome?: "approval" | "failure" | "running" | "blocked"
}
export interface TestTriggerInput {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
}
export interface Token {
  readonly id: string
  readonly kind: "personal" | "oauth"
  readonly name: string
  readonly agent?: {
    readonly id: string
    readonly name: string
  }
  readonly scopes: ReadonlyArray<"agents:read" | "agents:write" | "agents:keys" | "requests:read" | "requests:write" | "approvals:read" | "approvals:decide" | "audit:read" | "usage:read" | "budgets:read" | "budgets:write" | "billing:write" | "members:read" | "members:write" | "workflows:read" | "workflows:write" | "workflows:run" | "publish:review" | "catalog:read" | "catalog:write" | "storage:read" | "storage:write" | "knowledge:read" | "knowledge:write" | "devices:read" | "devices:write" | "devices:grant_shell" | "apps:read" | "apps:write" | "chat:read" | "chat:write" | "triggers:read" | "triggers:write" | "schedules:read" | "schedules:write" | "tokens:write" | "promo:write" | "workspace:write">
  readonly enabled: boolean
  readonly hint: string
  readonly expires_at: string
  readonly last_used_at?: string
  readonly last_used_ip?: string
  readonly created_at: string
}
export interface TokensPrice {
  readonly type: "tokens"
  /** The rates of a model that the catalog has no price for. */
  readonly default?: {
    /** USD per token, as decimal text */
    readonly prompt: string
    /** USD per token, as decimal text */
    readonly completion: string
  }
}
export interface TopUp {
  readonly id: string
  readonly amount_cents: number
  readonly note?: string
  readonly balance: Balance
  readonly created_at: string
}
export interface TopUpInput {
  readonly amount_cents: number
  readonly note?: string
}
export interface TotpEnrollment {
  readonly id: string
  readonly secret: string
  readonly otpauth_url: string
}
export interface TransferAgentInput {
  readonly team_id?: string | null
  readonly owner_user_id?: string
}
export interface Trigger {
  readonly id: string
  readonly name: string
  readonly kind: "webhook" | "cron"
  readonly agent_id: string
  readonly action: FiringAction
  readonly payload_template?: Readonly<Record<string, unknown>>
  readonly require_timestamp?: boolean
  readonly fire_url?: string
  readonly cron?: string
  readonly timezone?: string
  readonly next_runs?: ReadonlyArray<string>
  readonly status: "active" | "paused"
  readonly paused_by?: "person" | "failures" | "member_removed"
  readonly previous_secret_until?: string
  readonly last_fired_at?: string
  /** Raised by every edit; send it as expected_version. */
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
}
export interface TriggerDelivery {
  readonly id: string
  readonly delivery_id?: string
  readonly status: "fired" | "refused" | "queued" | "skipped" | "missed"
  readonly service_request_id?: string
  readonly request_status?: "executed" | "blocked" | "approval_required" | "failed" | "running"
  readonly error?: {
    readonly code: string
    readonly message: string
  }
  readonly digest?: string
  readonly created_at: string
}
export interface TriggerTest {
  readonly service: string
  readonly operation: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly estimate: Estimate
}
export interface UpdateAgentInput {
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
}
export interface UpdateAppInput {
  readonly name?: string
  /** `private`: agents of the person who connected it. */
  readonly visibility?: "private" | "workspace"
}
export interface UpdateChatSessionInput {
  readonly title?: string
  readonly model?: string
}
export interface UpdateMemoryInput {
  readonly content?: string
  readonly kind?: "fact" | "preference" | "event" | "skill"
  readonly tags?: ReadonlyArray<string>
  readonly importance?: number
  readonly links?: ReadonlyArray<string>
  /** null: it no longer expires */
  readonly expires_at?: string | null
}
export interface UpdateNoticeChannelInput {
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
}
export interface UpdateNotificationSettings {
  readonly "approval.created"?: NoticePlacesChange
  readonly "agent_request.created"?: NoticePlacesChange
  readonly "budget.alert"?: NoticePlacesChange
  readonly "run.failed"?: NoticePlacesChange
  readonly "app.needs_reauth"?: NoticePlacesChange
  readonly "webhook_endpoint.disabled"?: NoticePlacesChange
  readonly quiet_hours?: QuietHours | null
  /** The least time between two mails about pending approvals and requests, in minutes */
  readonly email_digest_minutes?: number
}
export interface UpdateObjectInput {
  readonly key?: string
  readonly metadata?: Readonly<Record<string, string>>
}
export interface UpdatePolicyInput {
  readonly name?: string
  readonly position?: number
  readonly enabled?: boolean
  /** CEL that gives true or false, over agent { id, name, team_id }, service, operation, payload, ceiling_cents, time */
  readonly when?: string
  readonly then?: "allow" | "block" | "require_approval"
  readonly required_approvals?: number | null
  readonly deciders?: Deciders | null
  readonly expires_in_seconds?: number | null
  readonly reason?: string
  /** The version that the change is based on. */
  readonly expected_version?: number
}
export interface UpdateScheduledTaskInput {
  readonly name?: string
  readonly agent_id?: string
  /** Five fields: minute, hour, day of month, month, day of week. */
  readonly cron?: string
  /** An IANA name, such as Europe/Berlin. */
  readonly timezone?: string
  readonly action?: FiringAction
  /** What happens to due times that passed more than 5 minutes ago: */
  readonly catch_up?: "skip" | "once"
  /** What a firing does while an earlier one is open: */
  readonly overlap?: "skip" | "allow" | "queue"
  /** A firing is up to this much later than its due time, and before the next one. */
  readonly jitter_seconds?: number
  /** The version that the change is based on. */
  readonly expected_version?: number
}
export interface UpdateServiceInput {
  readonly title?: string
  readonly description?: string
  readonly enabled?: boolean
  /** Scheme, host, port, and path, such as https://api.example.com/v1; each operation's path is appended. */
  readonly base_url?: string
  readonly auth?: ServiceAuth
  readonly operations?: ReadonlyArray<HttpOperation>
  readonly price?: OperationPrice | null
  readonly prices?: Readonly<Record<string, OperationPrice | null>>
  /** The address of the server's streamable HTTP endpoint, such as https://example.com/mcp. */
  readonly url?: string
  readonly default_price?: {
    readonly type: "fixed"
    /** Whole cents for each executed request */
    readonly cents: number
  }
  /** The version that the change is based on. */
  readonly expected_version?: number
}
export interface UpdateTaskInput {
  readonly status: "accepted" | "in_progress" | "completed" | "failed" | "cancelled"
  readonly result?: unknown
  readonly error?: TaskError
}
export interface UpdateTeamInput {
  readonly name?: string
  readonly description?: string
}
export interface UpdateTriggerInput {
  readonly name?: string
  readonly agent_id?: string
  readonly action?: FiringAction
  /** Five fields: minute, hour, day of month, month, day of week. */
  readonly cron?: string
  /** An IANA name, such as Europe/Berlin. */
  readonly timezone?: string
  readonly payload_template?: Readonly<Record<string, unknown>> | null
  readonly require_timestamp?: boolean
  readonly status?: "active" | "paused"
  /** The version that the change is based on. */
  readonly expected_version?: number
}
export interface UpdateViewInput {
  readonly name?: string
  /** The query of the screen's address, without the question mark: */
  readonly query?: string
  readonly shared?: boolean
  /** Views are sorted by position, then by age */
  readonly position?: number
}
export interface UpdateWebhookEndpointInput {
  readonly url?: string
  /** null: all types */
  readonly types?: ReadonlyArray<"approval.created" | "approval.updated" | "approval.decided" | "approval.expired" | "service_request.updated" | "agent.updated" | "balance.changed" | "standing_approval.updated" | "device.updated" | "device_command.updated" | "run.updated" | "workflow.updated" | "budget.alert" | "budget_request.updated" | "delegated_task.updated" | "payment.updated" | "agent_request.created" | "agent_request.updated" | "publish_request.updated" | "workspace.updated" | "catalog.updated" | "app.updated" | "knowledge.updated" | "schedule.updated" | "trigger.updated" | "chat.updated" | "webhook.test"> | null
  readonly description?: string
  readonly status?: "enabled" | "disabled"
  /** The version that the change is based on. */
  readonly expected_version?: number
}
export interface UpdateWorkflowInput {
  readonly name?: string
  readonly description?: string
  readonly max_cost_cents?: number | null
  /** The version that the change is based on. */
  readonly expected_version?: number
}
export interface UsageRecord {
  readonly id: string
  readonly service_request_id: string
  readonly agent_id: string
  readonly mode: "live" | "test"
  readonly service: string
  readonly operation: string
  readonly cost_cents: number
  readonly created_at: string
}
export interface UsageReport {
  readonly data: ReadonlyArray<UsageRecord>
  readonly next_cursor: string | null
  readonly as_of: string
  readonly totals: {
    readonly cost_cents: number
    readonly requests: number
  }
  readonly by_agent: ReadonlyArray<{
    readonly agent_id: string
    readonly agent_name: string
    readonly cost_cents: number
    readonly requests: number
  }>
  readonly by_service: ReadonlyArray<{
    readonly service: string
    readonly cost_cents: number
    readonly requests: number
  }>
  readonly chart?: ReadonlyArray<{
    readonly date: string
    readonly cost_cents: number
    readonly requests: number
    readonly blocked: number
  }>
  readonly chart_groups?: ReadonlyArray<{
    readonly key: string | null
    readonly name: string
    readonly cost_cents: number
    readonly requests: number
    readonly chart: ReadonlyArray<{
      readonly date: string
      readonly cost_cents: number
      readonly requests: number
      readonly blocked: number
    }>
  }>
}
export interface ValidWorkflowDefinition {
  readonly valid: true
  /** A likely mistake in the saved object. */
  readonly warnings?: ReadonlyArray<{
    readonly path: string
    readonly message: string
  }>
}
export interface View {
  readonly id: string
  readonly screen: "inbox" | "requests" | "audit" | "agents"
  readonly name: string
  readonly query: string
  /** Visible to every member with the permission to read the screen */
  readonly shared: boolean
  readonly position: number
  readonly created_by: {
    readonly id: string
    readonly name: string
  }
  /** Whether the caller can change and delete it: its creator can, and an admin if it is shared */
  readonly can_edit: boolean
  readonly created_at: string
  readonly updated_at: string
}
export interface Voice {
  readonly id: string
  readonly name: string
  /** A language tag (BCP 47); `mul`: several languages */
  readonly language: string
}
export interface VoiceList {
  readonly data: ReadonlyArray<Voice>
  readonly next_cursor: null
  readonly as_of: string
}
export interface WaitingCounts {
  readonly pending: number
  readonly agent_requests: number
  readonly budget_requests: number
  readonly data: ReadonlyArray<{
    readonly workspace: string
    readonly pending: number
    readonly agent_requests: number
    readonly budget_requests: number
    readonly next_expires_at?: string
  }>
  readonly as_of: string
}
export interface WaitingFor {
  readonly kind: "provider" | "callback" | "poll" | "settlement" | "device"
  readonly until?: string
}
export interface WebhookAttempt {
  readonly at: string
  readonly status?: number
  readonly ms: number
  readonly error?: string
  readonly response?: string
}
export interface WebhookDelivery {
  readonly id: string
  readonly event_id: string
  readonly type: "approval.created" | "approval.updated" | "approval.decided" | "approval.expired" | "service_request.updated" | "agent.updated" | "balance.changed" | "standing_approval.updated" | "device.updated" | "device_command.updated" | "run.updated" | "workflow.updated" | "budget.alert" | "budget_request.updated" | "delegated_task.updated" | "payment.updated" | "agent_request.created" | "agent_request.updated" | "publish_request.updated" | "workspace.updated" | "catalog.updated" | "app.updated" | "knowledge.updated" | "schedule.updated" | "trigger.updated" | "chat.updated" | "webhook.test"
  readonly status: "pending" | "delivered" | "failed"
  readonly attempts: ReadonlyArray<WebhookAttempt>
  readonly next_attempt_at?: string
  readonly payload: WebhookMessage
  readonly created_at: string
}
export interface WebhookEndpoint {
  readonly id: string
  readonly url: string
  readonly description: string
  readonly types: ReadonlyArray<"approval.created" | "approval.updated" | "approval.decided" | "approval.expired" | "service_request.updated" | "agent.updated" | "balance.changed" | "standing_approval.updated" | "device.updated" | "device_command.updated" | "run.updated" | "workflow.updated" | "budget.alert" | "budget_request.updated" | "delegated_task.updated" | "payment.updated" | "agent_request.created" | "agent_request.updated" | "publish_request.updated" | "workspace.updated" | "catalog.updated" | "app.updated" | "knowledge.updated" | "schedule.updated" | "trigger.updated" | "chat.updated" | "webhook.test">
  readonly status: "enabled" | "disabled"
  readonly disabled_by?: "person" | "gone" | "failures"
  readonly disabled_at?: string
  readonly failing_since?: string
  readonly previous_secret_until?: string
  /** Raised by every edit; send it as expected_version. */
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
}
export interface WebhookMessage {
  readonly type: "approval.created" | "approval.updated" | "approval.decided" | "approval.expired" | "service_request.updated" | "agent.updated" | "balance.changed" | "standing_approval.updated" | "device.updated" | "device_command.updated" | "run.updated" | "workflow.updated" | "budget.alert" | "budget_request.updated" | "delegated_task.updated" | "payment.updated" | "agent_request.created" | "agent_request.updated" | "publish_request.updated" | "workspace.updated" | "catalog.updated" | "app.updated" | "knowledge.updated" | "schedule.updated" | "trigger.updated" | "chat.updated" | "webhook.test"
  readonly timestamp: string
  readonly data: {
    readonly id: string
    readonly subject: {
      readonly type: string
      readonly id: string
    }
    readonly version: number
    readonly workspace: string
  }
}
export interface WebhookReplay {
  readonly since: string
  readonly entries: number
}
export interface WebhookStep {
  readonly label: string
  readonly retry?: StepRetry
  readonly timeout_ms?: number
  /** `fail` (default): the run fails. */
  readonly on_error?: "fail" | "continue"
  readonly type: "webhook"
  readonly config: {
    readonly url: string
    readonly body?: unknown
    readonly headers?: Readonly<Record<string, string>>
    /** The name of a stored secret that signs the call */
    readonly secret?: string
    /** Wait for a POST to ${callback_url} for so long */
    readonly callback_within_seconds?: number
  }
}
export interface Workflow {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly visibility: "private" | "team" | "org"
  readonly team_id?: string
  readonly owner_user_id: string | null
  readonly max_cost_cents?: number
  readonly latest_version: number
  readonly latest_version_id?: string
  readonly live_version_id?: string
  /** The number of the live version */
  readonly live_version?: number
  /** `pending_review` with a pending publish request, otherwise `published` with a live version, otherwise `draft` */
  readonly status: "draft" | "pending_review" | "published"
  readonly publish_request?: {
    readonly id: string
    readonly version_id: string
  }
  readonly agents: ReadonlyArray<{
    readonly id: string
    readonly name: string
  }>
  /** Raised by every edit; send it as expected_version. */
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
}
export interface WorkflowAction {
  readonly type: "workflow"
  readonly workflow_id: string
  /** Default: {} */
  readonly input?: Readonly<Record<string, unknown>>
}
export interface WorkflowDefinition {
  readonly steps: ReadonlyArray<WorkflowStep>
  readonly edges: ReadonlyArray<WorkflowEdge>
  readonly input_schema?: Readonly<Record<string, unknown>>
  /** A template. */
  readonly output?: unknown
}
export interface WorkflowEdge {
  readonly from: string
  readonly to: string
  /** CEL over input, steps, and output, the output of `from`. */
  readonly when?: string
}
export interface WorkflowExport {
  readonly format: string
  readonly name: string
  readonly description?: string
  readonly max_cost_cents?: number
  readonly definition?: WorkflowDefinition
}
export interface WorkflowFromTemplateInput {
  readonly template_id: string
  readonly name?: string
}
export interface WorkflowGrant {
  readonly workflow_id: string
  readonly agent_id: string
  readonly agent_name: string
  readonly created_at: string
}
export interface WorkflowRun {
  readonly id: string
  readonly workflow_id: string
  readonly version_id: string
  readonly agent_id: string
  readonly mode: "live" | "test"
  readonly status: "queued" | "running" | "waiting" | "succeeded" | "failed" | "cancelled"
  readonly cost_cents: number
  readonly max_cost_cents?: number
  readonly source: {
    readonly type: string
    readonly id: string
    readonly name: string
  }
  readonly parent_run_id?: string
  readonly error?: RunError
  readonly created_at: string
  readonly ended_at?: string
  readonly input: unknown
  readonly output?: unknown
  readonly steps: ReadonlyArray<RunStep>
  readonly deadline_at: string
  readonly revision: number
}
export interface WorkflowRunSummary {
  readonly id: string
  readonly workflow_id: string
  readonly version_id: string
  readonly agent_id: string
  readonly mode: "live" | "test"
  readonly status: "queued" | "running" | "waiting" | "succeeded" | "failed" | "cancelled"
  readonly cost_cents: number
  readonly max_cost_cents?: number
  readonly source: {
    readonly type: string
    readonly id: string
    readonly name: string
  }
  readonly parent_run_id?: string
  readonly error?: RunError
  readonly created_at: string
  readonly ended_at?: string
}
export type WorkflowStep = ServiceCallStep | RunWorkflowStep | ConditionStep | DelayStep | ApprovalStep | AgentRequestStep | DelegationStep | WebhookStep | MemoryReadStep | MemoryWriteStep
export interface WorkflowTemplate {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly category: string
  readonly max_cost_cents?: number
  readonly definition: WorkflowDefinition
  readonly operations: ReadonlyArray<string>
  readonly example_input: Readonly<Record<string, unknown>>
}
export interface WorkflowVersion {
  readonly id: string
  readonly workflow_id: string
  readonly number: number
  readonly steps: ReadonlyArray<WorkflowStep>
  readonly edges: ReadonlyArray<WorkflowEdge>
  /** `{}`, which accepts any input, if the definition has none */
  readonly input_schema: Readonly<Record<string, unknown>>
  /** A template. */
  readonly output?: unknown
  /** SHA-256 of the definition in RFC 8785, in hexadecimal digits */
  readonly digest: string
  readonly created_by: {
    readonly id: string
    readonly name: string
  }
  readonly created_at: string
}
export interface Workspace {
  readonly id: string
  readonly name: string
  readonly role: "owner" | "admin" | "operator" | "member" | "viewer"
  readonly frozen: boolean
  readonly approval_threshold_cents: number
  readonly approval_life_seconds: number
  readonly separation_of_duties: boolean
  readonly retention_days?: number
  readonly device_output_days: number
  readonly alert_levels: ReadonlyArray<number>
  readonly step_up_cents?: number
  readonly second_factor: "off" | "deciders" | "all"
  /** Raised by every edit; send it as expected_version. */
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
}
export interface WorkspacePatch {
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
}
