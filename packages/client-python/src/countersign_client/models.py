# Generated from resources/openapi.json by `npm run generate`. Do not edit.
"""The hub's answers. Fields that a newer hub adds are kept."""
from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, Union

from pydantic import Field
from typing_extensions import Annotated

from ._model import HubModel


class Account(HubModel):
    type: Union[Literal["external", "org", "revenue", "team", "worker"], str]
    id: str


class AckedDeviceCommand(HubModel):
    status: Union[Literal["queued", "leased", "awaiting_consent", "running", "done", "cancelled", "expired"], str]
    lease: DeviceLease
    controls: List[DeviceControl]


class Activity(HubModel):
    id: str
    type: str
    action: str
    actor: ActivityActor
    subject: Optional[ActivitySubject] = None
    outcome: Optional[str] = None
    reason_code: Optional[str] = None
    cost_cents: Optional[int] = None
    created_at: str


class ActivityActor(HubModel):
    type: str
    id: str
    name: str


class ActivitySubject(HubModel):
    type: str
    id: str


class AddedFactor(HubModel):
    id: str
    kind: Union[Literal["passkey", "totp"], str]
    name: str
    created_at: str
    last_used_at: Optional[str] = None
    recovery_codes: Optional[List[str]] = None


class Agent(HubModel):
    id: str
    name: str
    description: str
    kind: Union[Literal["standard", "yupi", "chat"], str]
    status: Union[Literal["active", "paused", "disabled"], str]
    frozen: bool
    icon: Union[str, None]
    category: Union[str, None]
    personality: Union[str, None]
    voiceConfig: Union[Dict[str, Any], None]
    parent_agent_id: Optional[str] = None
    depth: int
    team_id: Optional[str] = None
    owner_user_id: Union[str, None]
    monthly_budget_cents: Optional[int] = None
    approval_threshold_cents: Optional[int] = None
    spent_this_month_cents: int
    held_cents: int
    committed_cents: int
    child_count: int
    key_hint: Union[str, None]
    mode_keys: AgentModeKeys
    bindings: List[Binding]
    last_seen_at: Optional[str] = None
    ends_at: Optional[str] = None
    version: int
    created_at: str
    updated_at: str


class AgentBudget(HubModel):
    monthly_budget_cents: Union[int, None]
    increase_this_month_cents: Optional[int] = None
    spent_cents: int
    held_cents: int
    committed_cents: int
    remaining_cents: Union[int, None]
    approval_threshold_cents: Union[int, None]
    resets_at: str
    version: int
    operations: List[OperationBudget]


class AgentHealth(HubModel):
    agent_id: str
    name: str
    status: Union[Literal["active", "paused", "disabled"], str]
    frozen: bool
    last_seen_at: Optional[str] = None
    requests_24h: int
    error_rate_24h: float
    monthly_budget_cents: Optional[int] = None
    spent_this_month_cents: int
    held_cents: int
    pending_approvals: int
    stale_keys: int


class AgentModeKeys(HubModel):
    live: bool
    test: bool


class AgentRequest(HubModel):
    id: str
    agent_id: str
    kind: Union[Literal["question", "approval", "input", "handoff"], str]
    title: str
    body: str
    options: Optional[List[str]] = None
    status: Union[Literal["open", "answered", "dismissed", "expired"], str]
    answer: Optional[str] = None
    comment: Optional[str] = None
    answered_by: Optional[AgentRequestAnsweredBy] = None
    expires_at: Optional[str] = None
    created_at: str
    answered_at: Optional[str] = None


class AgentRequestAnsweredBy(HubModel):
    id: str
    name: str


class AgentRequestStep(HubModel):
    label: str
    retry: Optional[StepRetry] = None
    timeout_ms: Optional[int] = None
    on_error: Optional[Union[Literal["fail", "continue"], str]] = None
    type: Literal["agent_request"]
    config: AgentRequestStepConfig


class AgentRequestStepConfig(HubModel):
    kind: Union[Literal["question", "approval", "input", "handoff"], str]
    title: str
    body: Optional[str] = None
    options: Optional[Union[List[str], str]] = None
    expires_in_seconds: Optional[Union[int, str]] = None


class Allocation(HubModel):
    balance_cents: int
    held_cents: int
    available_cents: int
    spent_this_month_cents: int


class App(HubModel):
    id: str
    provider: str
    name: str
    status: Union[Literal["pending", "connected", "needs_reauth", "revoked"], str]
    scopes: List[str]
    visibility: Union[Literal["private", "workspace"], str]
    owner_user_id: str
    account: Optional[str] = None
    expires_at: Optional[str] = None
    last_used_at: Optional[str] = None
    note: Optional[str] = None
    created_at: str


class AppProvider(HubModel):
    name: str
    title: str
    shipped: bool
    configured: bool
    client: Optional[AppProviderClient] = None
    redirect_uri: str
    setup_url: Optional[str] = None
    default_scopes: List[str]
    params: Dict[str, str]
    hosts: List[str]


class AppProviderClient(HubModel):
    source: Union[Literal["workspace", "hub"], str]
    client_id: str


class AppliedApproval(HubModel):
    id: str
    service_request_id: str
    status: Union[Literal["pending", "approved", "rejected", "expired", "cancelled"], str]
    error: Optional[AppliedApprovalError] = None


class AppliedApprovalError(HubModel):
    code: str
    message: str


class Approval(HubModel):
    id: str
    status: Union[Literal["pending", "approved", "rejected", "expired", "cancelled"], str]
    kind: Union[Literal["service_request", "workflow_step", "chat_tool_call", "agent_request", "device_command"], str]
    subject: ApprovalSubject
    agent: ApprovalAgent
    requested_by: Optional[ApprovalRequestedBy] = None
    request_reason: Optional[str] = None
    device: Optional[ApprovalDevice] = None
    service: Optional[str] = None
    operation: Optional[str] = None
    payload: Optional[Any] = None
    summary: Optional[List[SummaryField]] = None
    cost_cents: int
    threshold_cents: int
    remaining: Remaining
    limits: LimitFigures
    reason: str
    policy_id: Optional[str] = None
    requested_at: str
    expires_at: str
    payload_digest: str
    allowed_decisions: List[ApprovalAllowedDecisionsItem]
    deciders: List[ApprovalDecidersItem]
    previous: Optional[ApprovalPrevious] = None
    recent: ApprovalRecent
    decided_at: Optional[str] = None
    decided_by: Optional[ApprovalDecidedBy] = None
    comment: Optional[str] = None
    required_approvals: int
    decisions: List[ApprovalDecisionsItem]
    mode: Union[Literal["live", "test"], str]
    org_id: str
    service_request_id: Optional[str] = None
    outcome: Optional[ApprovalOutcome] = None
    replaced_by: Optional[str] = None


class ApprovalAgent(HubModel):
    id: str
    name: str


class ApprovalAllowedDecisionsItem(HubModel):
    decision: str
    allowed: bool
    denied_because: Optional[str] = None


class ApprovalDecidedBy(HubModel):
    id: str
    name: str
    email: Optional[str] = None


class ApprovalDecidersItem(HubModel):
    user: ApprovalDecidersItemUser
    can: bool


class ApprovalDecidersItemUser(HubModel):
    id: str
    name: str
    email: Optional[str] = None


class ApprovalDecisionsItem(HubModel):
    user: ApprovalDecisionsItemUser
    decision: Union[Literal["approve", "reject"], str]
    counts: Optional[bool] = None
    comment: Optional[str] = None
    at: str


class ApprovalDecisionsItemUser(HubModel):
    id: str
    name: str
    email: Optional[str] = None


class ApprovalDevice(HubModel):
    id: str
    name: str


class ApprovalOutcome(HubModel):
    status: Union[Literal["executed", "blocked", "approval_required", "failed", "running"], str]
    reason_code: Optional[str] = None


class ApprovalPrevious(HubModel):
    approval_id: str
    payload: Any
    decided_at: str


class ApprovalRecent(HubModel):
    count_30d: int
    approved: int
    rejected: int
    median_cents: Union[int, None]
    same_action_approved: int
    decisions: List[ApprovalRecentDecisionsItem]


class ApprovalRecentDecisionsItem(HubModel):
    approval_id: str
    decision: Union[Literal["approved", "rejected"], str]
    cost_cents: int
    same_action: bool
    decided_at: str
    decided_by: Optional[ApprovalRecentDecisionsItemDecidedBy] = None


class ApprovalRecentDecisionsItemDecidedBy(HubModel):
    id: str
    name: str
    email: Optional[str] = None


class ApprovalRequestedBy(HubModel):
    type: str
    id: str
    name: str


class ApprovalStep(HubModel):
    label: str
    retry: Optional[StepRetry] = None
    timeout_ms: Optional[int] = None
    on_error: Optional[Union[Literal["fail", "continue"], str]] = None
    type: Literal["approval"]
    config: ApprovalStepConfig


class ApprovalStepConfig(HubModel):
    title: str
    body: Optional[str] = None
    required_approvals: Optional[int] = None
    deciders: Optional[Deciders] = None
    expires_in_seconds: Optional[int] = None


class ApprovalSubject(HubModel):
    type: str
    id: str


class ApprovalsDecideAnswer(HubModel):
    results: List[ApprovalsDecideAnswerResultsItem]


class ApprovalsDecideAnswerResultsItem(HubModel):
    id: str
    status: Optional[Union[Literal["pending", "approved", "rejected", "expired", "cancelled"], str]] = None
    service_request: Optional[DecidedRequest] = None
    error: Optional[ApprovalsDecideAnswerResultsItemError] = None


class ApprovalsDecideAnswerResultsItemError(HubModel):
    code: str
    message: str
    data: Optional[Dict[str, Any]] = None


class ApprovalsEditAnswer(HubModel):
    approval: Approval
    service_request: ServiceRequest


class ApproveResult(HubModel):
    approval: Approval
    service_request: Optional[ServiceRequest] = None
    device_command: Optional[DeviceCommand] = None
    standing_approval: Optional[StandingApproval] = None
    applied: Optional[List[AppliedApproval]] = None


class AppsProvidersAnswer(HubModel):
    data: List[AppProvider]
    next_cursor: Union[str, None]
    as_of: str


class AuditEntry(HubModel):
    id: str
    seq: int
    action: str
    actor: AuditEntryActor
    subject: Optional[AuditEntrySubject] = None
    agent_id: Optional[str] = None
    outcome: Optional[str] = None
    reason_code: Optional[str] = None
    cost_cents: Optional[int] = None
    ip: Optional[str] = None
    data: Dict[str, Any]
    data_text: Optional[str] = None
    created_at: str
    hash: str
    prev_hash: str


class AuditEntryActor(HubModel):
    type: str
    id: str
    name: str


class AuditEntrySubject(HubModel):
    type: str
    id: str


class AuditVerification(HubModel):
    ok: bool
    checked: int
    first_bad_seq: Optional[int] = None


class AuthStepUpAnswer(HubModel):
    stepped_up_until: str


class Balance(HubModel):
    balance_cents: int
    held_cents: int
    available_cents: int
    currency: Literal["usd"]


class Binding(HubModel):
    service: str
    operations: List[Union[Literal["*"], str]]
    app_id: Optional[str] = None
    monthly_cap_cents: Optional[int] = None
    daily_request_limit: Optional[int] = None
    approval_threshold_cents: Optional[int] = None
    per_operation: Optional[Dict[str, OperationCaps]] = None
    enabled: bool
    version: int
    operations_usage: Dict[str, OperationUsage]


class Block(HubModel):
    limit: str
    scope: BlockScope
    limit_cents: Optional[int] = None
    spent_cents: Optional[int] = None
    held_cents: Optional[int] = None
    limit_count: Optional[int] = None
    used_count: Optional[int] = None
    resets_at: Optional[str] = None
    policy_id: Optional[str] = None
    message: Optional[str] = None
    reason: Optional[str] = None
    comment: Optional[str] = None
    unknown_operation: Optional[bool] = None
    did_you_mean: Optional[List[str]] = None
    detail: Optional[str] = None
    next_action: BlockNextAction


class BlockNextAction(HubModel):
    kind: str
    href: Optional[str] = None


class BlockScope(HubModel):
    type: str
    id: str


class BudgetAlert(HubModel):
    id: str
    agent: BudgetAlertAgent
    limit: Union[Literal["agent_month", "operation_month", "operation_day_count"], str]
    service: Optional[str] = None
    operation: Optional[str] = None
    level: int
    used_cents: Optional[int] = None
    cap_cents: Optional[int] = None
    used_count: Optional[int] = None
    cap_count: Optional[int] = None
    period: str
    resets_at: str
    raised_at: str


class BudgetAlertAgent(HubModel):
    id: str
    name: str


class BudgetRequest(HubModel):
    id: str
    agent_id: str
    amount_cents: int
    requested_amount_cents: Optional[int] = None
    period: Union[Literal["month", "once"], str]
    operation: Optional[str] = None
    reason: str
    status: Union[Literal["pending", "approved", "rejected", "withdrawn"], str]
    requested_by: BudgetRequestRequestedBy
    decided_by: Optional[BudgetRequestDecidedBy] = None
    comment: Optional[str] = None
    created_at: str
    decided_at: Optional[str] = None


class BudgetRequestDecidedBy(HubModel):
    id: str
    name: str


class BudgetRequestRequestedBy(HubModel):
    type: Union[Literal["agent", "user"], str]
    id: str
    name: str


class CatalogOperation(HubModel):
    name: str
    title: Optional[str] = None
    description: Optional[str] = None
    payload_schema: Dict[str, Any]
    summary: Optional[List[str]] = None
    example: Optional[Dict[str, Any]] = None
    response_schema: Optional[Dict[str, Any]] = None
    price: OperationPrice
    idempotent: Optional[bool] = None
    unknown: Optional[Union[Literal["fail", "hold"], str]] = None
    timeout_ms: Optional[int] = None
    test: Optional[CatalogOperationTest] = None
    method: Optional[Union[Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], str]] = None
    path: Optional[str] = None
    query: Optional[Dict[str, Union[str, float, bool]]] = None
    query_style: Optional[Union[Literal["form", "deepObject"], str]] = None
    headers: Optional[Dict[str, str]] = None
    body: Optional[Any] = None
    body_type: Optional[Union[Literal["json", "form", "multipart", "text"], str]] = None
    result: Optional[str] = None
    async_: Optional[OperationAsync] = Field(default=None, alias="async")
    tool: Optional[str] = None


class CatalogOperationTest(HubModel):
    result: Optional[Any] = None
    ceiling_cents: Optional[int] = None


class CatalogService(HubModel):
    name: str
    title: Optional[str] = None
    description: Optional[str] = None
    kind: Union[Literal["http", "mcp", "builtin"], str]
    shipped: bool
    enabled: bool
    base_url: Optional[str] = None
    url: Optional[str] = None
    default_price: Optional[CatalogServiceDefaultPrice] = None
    prices: Optional[Dict[str, CatalogServicePricesValue]] = None
    auth: Optional[ServiceAuth] = None
    adapter: Optional[str] = None
    settings: Optional[Dict[str, Any]] = None
    operations: List[CatalogOperation]
    missing_secrets: Optional[List[str]] = None
    version: Optional[int] = None
    remaining: Optional[Dict[str, OperationRemaining]] = None


class CatalogServiceDefaultPrice(HubModel):
    type: Literal["fixed"]
    cents: int


class CatalogServicePricesValue(HubModel):
    type: Literal["fixed"]
    cents: int


class ChatMessage(HubModel):
    id: str
    role: Union[Literal["user", "assistant"], str]
    parts: List[Annotated[Union[ChatMessagePartsItem, ChatMessagePartsItem2, ChatMessagePartsItem3, ChatMessagePartsItem4, Dict[str, Any]], Field(union_mode="left_to_right")]]
    parent_id: Optional[str] = None
    turn_id: Optional[str] = None
    created_at: str


class ChatMessagePartsItem(HubModel):
    type: Literal["text"]
    text: str
    artifact_id: Optional[str] = None


class ChatMessagePartsItem2(HubModel):
    type: Literal["thinking"]
    text: str


class ChatMessagePartsItem3(HubModel):
    type: Literal["tool_call"]
    call_id: str
    service: Optional[str] = None
    operation: Optional[str] = None
    name: Optional[str] = None
    payload: Optional[Any] = None
    service_request_id: Optional[str] = None
    approval_id: Optional[str] = None
    status: Optional[Union[Literal["executed", "blocked", "failed", "running", "timed_out", "cancelled"], str]] = None
    cost_cents: int
    reason_code: Optional[str] = None
    result: Optional[Any] = None
    artifact_id: Optional[str] = None


class ChatMessagePartsItem4(HubModel):
    type: Literal["attachment"]
    object_id: str
    key: str
    content_type: str
    size_bytes: int


class ChatSession(HubModel):
    id: str
    agent_id: str
    title: str
    model: str
    mode: Union[Literal["live", "test"], str]
    status: Union[Literal["active", "closed"], str]
    cost_cents: int
    turn: Optional[ChatSessionTurn] = None
    created_at: str
    updated_at: str


class ChatSessionTurn(HubModel):
    id: str
    state: Union[Literal["queued", "running", "waiting_approval", "waiting_local", "paused", "done", "failed", "cancelled"], str]


class ChatSessionWithMessages(HubModel):
    id: str
    agent_id: str
    title: str
    model: str
    mode: Union[Literal["live", "test"], str]
    status: Union[Literal["active", "closed"], str]
    cost_cents: int
    turn: Optional[ChatSessionWithMessagesTurn] = None
    created_at: str
    updated_at: str
    messages: ChatSessionWithMessagesMessages


class ChatSessionWithMessagesMessages(HubModel):
    data: List[ChatMessage]
    next_cursor: Union[str, None]


class ChatSessionWithMessagesTurn(HubModel):
    id: str
    state: Union[Literal["queued", "running", "waiting_approval", "waiting_local", "paused", "done", "failed", "cancelled"], str]


class ChatTurn(HubModel):
    id: str
    session_id: str
    state: Union[Literal["queued", "running", "waiting_approval", "waiting_local", "paused", "done", "failed", "cancelled"], str]
    pause_reason: Optional[Union[Literal["no_reader", "budget", "drain"], str]] = None
    model: str
    background: bool
    user_message_id: str
    message_id: str
    steps: List[ChatTurnStep]
    usage: ChatTurnUsage
    cost_cents: int
    last_seq: int
    error: Optional[ChatTurnError] = None
    created_at: str
    ended_at: Optional[str] = None


class ChatTurnError(HubModel):
    code: str
    message: str
    retryable: bool
    block: Optional[Block] = None


class ChatTurnStep(HubModel):
    step: int
    kind: Union[Literal["model", "tool", "local", "compact"], str]
    state: Union[Literal["open", "pending", "done"], str]
    call_id: Optional[str] = None
    service: Optional[str] = None
    operation: Optional[str] = None
    name: Optional[str] = None
    service_request_id: Optional[str] = None
    approval_id: Optional[str] = None
    status: Optional[str] = None
    reason_code: Optional[str] = None
    cost_cents: int


class ChatTurnUsage(HubModel):
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_cents: int
    accrued_micro_cents: int


class CheckoutSession(HubModel):
    id: str
    url: Optional[str] = None
    status: Union[Literal["open", "paid", "expired", "failed", "refunded", "disputed"], str]
    amount_cents: int
    reversed_cents: Optional[int] = None
    problem: Optional[str] = None
    created_at: str
    paid_at: Optional[str] = None


class ConditionStep(HubModel):
    label: str
    retry: Optional[StepRetry] = None
    timeout_ms: Optional[int] = None
    on_error: Optional[Union[Literal["fail", "continue"], str]] = None
    type: Literal["condition"]
    config: ConditionStepConfig


class ConditionStepConfig(HubModel):
    expression: str


class Conversation(HubModel):
    id: str
    agent_id: str
    title: str
    metadata: Optional[Dict[str, Any]] = None
    message_count: int
    created_at: str
    updated_at: str


class ConversationMessage(HubModel):
    id: str
    role: Union[Literal["user", "assistant", "system", "tool"], str]
    content: str
    metadata: Optional[Dict[str, Any]] = None
    created_at: str


class ConversationWithMessages(HubModel):
    id: str
    agent_id: str
    title: str
    metadata: Optional[Dict[str, Any]] = None
    message_count: int
    created_at: str
    updated_at: str
    messages: ConversationWithMessagesMessages


class ConversationWithMessagesMessages(HubModel):
    data: List[ConversationMessage]
    next_cursor: Union[str, None]


class CreatedAgent(HubModel):
    id: str
    name: str
    description: str
    kind: Union[Literal["standard", "yupi", "chat"], str]
    status: Union[Literal["active", "paused", "disabled"], str]
    frozen: bool
    icon: Union[str, None]
    category: Union[str, None]
    personality: Union[str, None]
    voiceConfig: Union[Dict[str, Any], None]
    parent_agent_id: Optional[str] = None
    depth: int
    team_id: Optional[str] = None
    owner_user_id: Union[str, None]
    monthly_budget_cents: Optional[int] = None
    approval_threshold_cents: Optional[int] = None
    spent_this_month_cents: int
    held_cents: int
    committed_cents: int
    child_count: int
    key_hint: Union[str, None]
    mode_keys: CreatedAgentModeKeys
    bindings: List[Binding]
    last_seen_at: Optional[str] = None
    ends_at: Optional[str] = None
    version: int
    created_at: str
    updated_at: str
    api_key: str


class CreatedAgentModeKeys(HubModel):
    live: bool
    test: bool


class CreatedInvite(HubModel):
    id: str
    email: str
    role: Union[Literal["owner", "admin", "operator", "member", "viewer"], str]
    team_id: Optional[str] = None
    team_role: Optional[Union[Literal["lead", "worker"], str]] = None
    status: Union[Literal["pending", "accepted", "revoked", "expired"], str]
    invited_by: CreatedInviteInvitedBy
    created_at: str
    expires_at: str
    accepted_at: Optional[str] = None
    accepted_by: Optional[str] = None
    token: str
    url: str
    mailed: bool


class CreatedInviteInvitedBy(HubModel):
    id: str
    name: str


class CreatedWorkflowVersion(HubModel):
    id: str
    workflow_id: str
    number: int
    steps: List[WorkflowStep]
    edges: List[WorkflowEdge]
    input_schema: Dict[str, Any]
    output: Optional[Any] = None
    digest: str
    created_by: CreatedWorkflowVersionCreatedBy
    created_at: str
    warnings: Optional[List[CreatedWorkflowVersionWarningsItem]] = None


class CreatedWorkflowVersionCreatedBy(HubModel):
    id: str
    name: str


class CreatedWorkflowVersionWarningsItem(HubModel):
    path: str
    message: str


class DecidedChatCall(HubModel):
    approval: Approval
    service_request: Optional[ServiceRequest] = None


class DecidedRequest(HubModel):
    id: str
    status: Union[Literal["executed", "blocked", "approval_required", "failed", "running"], str]
    cost_cents: int
    reason_code: Optional[str] = None
    block: Optional[Block] = None
    failure: Optional[DecidedRequestFailure] = None


class DecidedRequestFailure(HubModel):
    code: str
    detail: Optional[str] = None


class Deciders(HubModel):
    roles: Optional[List[Union[Literal["owner", "admin", "operator", "member", "viewer"], str]]] = None
    user_ids: Optional[List[str]] = None


class DelayStep(HubModel):
    label: str
    retry: Optional[StepRetry] = None
    timeout_ms: Optional[int] = None
    on_error: Optional[Union[Literal["fail", "continue"], str]] = None
    type: Literal["delay"]
    config: DelayStepConfig


class DelayStepConfig(HubModel):
    seconds: Optional[Union[int, str]] = None
    until: Optional[str] = None


class DelegatedTask(HubModel):
    id: str
    from_agent_id: str
    to_agent_id: str
    from_agent_name: str
    to_agent_name: str
    goal: str
    input: Optional[Any] = None
    services: List[str]
    budget_cents: int
    spent_cents: int
    held_cents: int
    status: Union[Literal["accepted", "in_progress", "completed", "failed", "cancelled"], str]
    result: Optional[Any] = None
    error: Optional[DelegatedTaskError] = None
    deadline_at: Optional[str] = None
    created_at: str
    started_at: Optional[str] = None
    ended_at: Optional[str] = None


class DelegatedTaskError(HubModel):
    code: str
    message: str


class DelegationStep(HubModel):
    label: str
    retry: Optional[StepRetry] = None
    timeout_ms: Optional[int] = None
    on_error: Optional[Union[Literal["fail", "continue"], str]] = None
    type: Literal["delegation"]
    config: DelegationStepConfig


class DelegationStepConfig(HubModel):
    to_agent_id: str
    goal: str
    input: Optional[Any] = None
    budget_cents: Union[int, str]
    services: List[str]
    deadline_seconds: Optional[Union[int, str]] = None


class Device(HubModel):
    id: str
    name: str
    platform: str
    arch: str
    app_version: str
    state: Union[Literal["pending", "active", "draining", "paused", "revoked"], str]
    paused_by: Optional[Union[Literal["hub", "device"], str]] = None
    presence: Union[Literal["online", "late", "offline", "never"], str]
    update_required: bool
    capabilities: List[Union[Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"], str]]
    granted: List[Union[Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"], str]]
    agents: Union[Literal["*"], List[str]]
    labels: List[str]
    fingerprint: Optional[str] = None
    owner_user_id: str
    session: Optional[DeviceSession] = None
    running: int
    load: Optional[Dict[str, float]] = None
    last_heard_at: Optional[str] = None
    created_at: str


class DeviceAccessToken(HubModel):
    access_token: str
    token_type: Literal["Bearer"]
    scope: str
    workspace_id: str


class DeviceCommand(HubModel):
    id: str
    session_id: str
    device_id: str
    tool: Union[Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"], str]
    input: Optional[Dict[str, Any]] = None
    working_directory: Optional[str] = None
    requested_by: DeviceCommandRequestedBy
    agent: Optional[DeviceCommandAgent] = None
    reason: Optional[str] = None
    service_request_id: Optional[str] = None
    status: Union[Literal["queued", "leased", "awaiting_consent", "running", "done", "cancelled", "expired"], str]
    outcome: Optional[Union[Literal["succeeded", "failed", "denied", "timed_out", "interrupted", "cancelled"], str]] = None
    exit_code: Optional[int] = None
    error: Optional[DeviceCommandError] = None
    result: Optional[Any] = None
    artifacts: Optional[List[Any]] = None
    timeout_seconds: int
    plan_digest: Optional[str] = None
    approval_id: Optional[str] = None
    queued_at: str
    started_at: Optional[str] = None
    done_at: Optional[str] = None
    lost: bool
    cancel_requested_at: Optional[str] = None
    unconfirmed: Optional[bool] = None
    output_bytes: int
    dropped_bytes: int
    late_result: Optional[Any] = None
    removed_after_days: Optional[int] = None


class DeviceCommandAgent(HubModel):
    id: str
    name: str


class DeviceCommandError(HubModel):
    code: str
    message: str


class DeviceCommandRequestedBy(HubModel):
    type: str
    id: str
    name: str


class DeviceControl(HubModel):
    type: Union[Literal["cancel", "consent", "drain", "pause", "resume", "revoke"], str]
    command_id: Optional[str] = None
    decision: Optional[Union[Literal["approved", "denied"], str]] = None
    plan_digest: Optional[str] = None


class DeviceHeartbeatAnswer(HubModel):
    session_id: str
    interval_seconds: int
    kept: List[str]
    lost: List[str]
    server_time: str
    min_app_version: str
    waiting: List[str]
    controls: List[DeviceControl]


class DeviceLease(HubModel):
    number: int
    ttl_ms: int
    expires_at: str


class DeviceOutputAnswer(HubModel):
    next_seq: int
    controls: List[DeviceControl]


class DeviceOutputChunk(HubModel):
    seq: int
    stream: Union[Literal["stdout", "stderr"], str]
    data: str
    encoding: Union[Literal["utf8", "base64"], str]
    offset: int
    created_at: str


class DeviceOutputPage(HubModel):
    data: List[DeviceOutputChunk]
    next_seq: Union[int, None]
    output_bytes: int
    dropped_bytes: int
    status: Union[Literal["queued", "leased", "awaiting_consent", "running", "done", "cancelled", "expired"], str]
    removed_after_days: Optional[int] = None


class DeviceSession(HubModel):
    id: str
    device_id: str
    status: Union[Literal["online", "offline", "ended"], str]
    working_directory: Optional[str] = None
    roots: List[str]
    started_at: str
    last_heard_at: str


class DeviceSessionsCommandsAnswerOption(HubModel):
    data: List[DeviceCommand]
    next_cursor: Union[str, None]
    as_of: str


class DeviceSignIn(HubModel):
    user_code: str
    client_name: str
    scopes: List[Union[Literal["agents:read", "agents:write", "agents:keys", "requests:read", "requests:write", "approvals:read", "approvals:decide", "audit:read", "usage:read", "budgets:read", "budgets:write", "billing:write", "members:read", "members:write", "workflows:read", "workflows:write", "workflows:run", "publish:review", "catalog:read", "catalog:write", "storage:read", "storage:write", "knowledge:read", "knowledge:write", "devices:read", "devices:write", "devices:grant_shell", "apps:read", "apps:write", "chat:read", "chat:write", "triggers:read", "triggers:write", "schedules:read", "schedules:write", "tokens:write", "promo:write", "workspace:write"], str]]
    address: str
    user_agent: Optional[str] = None
    created_at: str
    expires_at: str


class DeviceSignInStarted(HubModel):
    device_code: str
    user_code: str
    verification_uri: str
    verification_uri_complete: str
    expires_in: int
    interval: int


class EndedDeviceCommand(HubModel):
    id: str
    session_id: str
    device_id: str
    tool: Union[Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"], str]
    input: Optional[Dict[str, Any]] = None
    working_directory: Optional[str] = None
    requested_by: EndedDeviceCommandRequestedBy
    agent: Optional[EndedDeviceCommandAgent] = None
    reason: Optional[str] = None
    service_request_id: Optional[str] = None
    status: Union[Literal["queued", "leased", "awaiting_consent", "running", "done", "cancelled", "expired"], str]
    outcome: Optional[Union[Literal["succeeded", "failed", "denied", "timed_out", "interrupted", "cancelled"], str]] = None
    exit_code: Optional[int] = None
    error: Optional[DeviceCommandError] = None
    result: Optional[Any] = None
    artifacts: Optional[List[Any]] = None
    timeout_seconds: int
    plan_digest: Optional[str] = None
    approval_id: Optional[str] = None
    queued_at: str
    started_at: Optional[str] = None
    done_at: Optional[str] = None
    lost: bool
    cancel_requested_at: Optional[str] = None
    unconfirmed: Optional[bool] = None
    output_bytes: int
    dropped_bytes: int
    late_result: Optional[Any] = None
    removed_after_days: Optional[int] = None
    controls: List[DeviceControl]


class EndedDeviceCommandAgent(HubModel):
    id: str
    name: str


class EndedDeviceCommandRequestedBy(HubModel):
    type: str
    id: str
    name: str


class Estimate(HubModel):
    status: Union[Literal["executed", "blocked", "approval_required", "failed", "running"], str]
    mode: Union[Literal["live", "test"], str]
    service: str
    operation: str
    reason_code: Optional[str] = None
    cost_cents: int
    ceiling_cents: int
    block: Optional[Block] = None
    result: Optional[Any] = None
    remaining: Optional[Remaining] = None


class Factor(HubModel):
    id: str
    kind: Union[Literal["passkey", "totp"], str]
    name: str
    created_at: str
    last_used_at: Optional[str] = None


class FactorList(HubModel):
    data: List[Factor]
    next_cursor: None
    as_of: str
    recovery_codes_left: int
    step_up_methods: List[Union[Literal["passkey", "totp", "recovery_code", "password", "oidc"], str]]
    passkeys_available: bool


class FactorsRecoveryCodesAnswer(HubModel):
    recovery_codes: List[str]


class Health(HubModel):
    status: Literal["ok"]
    hub_id: str
    version: str
    min_app_version: str


class ImportPreview(HubModel):
    title: Optional[str] = None
    description: Optional[str] = None
    base_url: Optional[str] = None
    operations: List[ImportPreviewOperationsItem]
    skipped: List[ImportPreviewSkippedItem]
    auth: Optional[ServiceAuth_1] = None
    warnings: List[ImportPreviewWarningsItem]


class ImportPreviewOperationsItem(HubModel):
    operation_id: str
    name: str
    title: Optional[str] = None
    method: Union[Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], str]
    path: str
    tags: List[str]


class ImportPreviewSkippedItem(HubModel):
    operation: str
    reason: str


class ImportPreviewWarningsItem(HubModel):
    path: str
    message: str


class ImportedService(HubModel):
    service: CatalogService
    skipped: List[ImportedServiceSkippedItem]
    auth: Optional[ServiceAuth_1] = None
    warnings: List[ImportedServiceWarningsItem]


class ImportedServiceSkippedItem(HubModel):
    operation: str
    reason: str


class ImportedServiceWarningsItem(HubModel):
    path: str
    message: str


class ImportedWorkflow(HubModel):
    id: str
    name: str
    description: str
    visibility: Union[Literal["private", "team", "org"], str]
    team_id: Optional[str] = None
    owner_user_id: Union[str, None]
    max_cost_cents: Optional[int] = None
    latest_version: int
    latest_version_id: Optional[str] = None
    live_version_id: Optional[str] = None
    live_version: Optional[int] = None
    status: Union[Literal["draft", "pending_review", "published"], str]
    publish_request: Optional[ImportedWorkflowPublishRequest] = None
    agents: List[ImportedWorkflowAgentsItem]
    version: int
    created_at: str
    updated_at: str
    warnings: Optional[List[ImportedWorkflowWarningsItem]] = None


class ImportedWorkflowAgentsItem(HubModel):
    id: str
    name: str


class ImportedWorkflowPublishRequest(HubModel):
    id: str
    version_id: str


class ImportedWorkflowWarningsItem(HubModel):
    path: str
    message: str


class Invite(HubModel):
    id: str
    email: str
    role: Union[Literal["owner", "admin", "operator", "member", "viewer"], str]
    team_id: Optional[str] = None
    team_role: Optional[Union[Literal["lead", "worker"], str]] = None
    status: Union[Literal["pending", "accepted", "revoked", "expired"], str]
    invited_by: InviteInvitedBy
    created_at: str
    expires_at: str
    accepted_at: Optional[str] = None
    accepted_by: Optional[str] = None


class InviteInvitedBy(HubModel):
    id: str
    name: str


class KnowledgeCollection(HubModel):
    id: str
    name: str
    description: str
    embedding_model: str
    dimensions: int
    status: Union[Literal["ready", "reindexing"], str]
    progress: int
    needs_reindex: bool
    documents: int
    chunks: int
    created_at: str


class KnowledgeDocument(HubModel):
    id: str
    collection_id: str
    title: str
    content_type: Union[Literal["text/plain", "text/markdown", "text/html", "application/pdf", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"], str]
    size_bytes: int
    source: Union[Literal["text", "upload", "object"], str]
    object_id: Optional[str] = None
    status: Union[Literal["queued", "processing", "ready", "failed"], str]
    progress: int
    chunks: int
    pages: Optional[int] = None
    error: Optional[KnowledgeDocumentError] = None
    created_at: str
    updated_at: str


class KnowledgeDocumentError(HubModel):
    code: str
    message: str


class KnowledgePassage(HubModel):
    text: str
    headings: List[str]
    position: KnowledgePosition


class KnowledgePosition(HubModel):
    chunk: int
    start: int
    end: int
    page: Optional[int] = None


class KnowledgeQueryAnswer(HubModel):
    data: List[KnowledgeQueryResult]


class KnowledgeQueryResult(HubModel):
    text: str
    score: Union[float, Union[Literal["Infinity", "-Infinity", "NaN"], str]]
    headings: List[str]
    position: KnowledgePosition
    document: KnowledgeQueryResultDocument


class KnowledgeQueryResultDocument(HubModel):
    id: str
    title: str


class LeasedDeviceCommand(HubModel):
    id: str
    tool: Union[Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"], str]
    input: Dict[str, Any]
    working_directory: Optional[str] = None
    requested_by: LeasedDeviceCommandRequestedBy
    agent: Optional[LeasedDeviceCommandAgent] = None
    reason: Optional[str] = None
    service_request_id: Optional[str] = None
    timeout_seconds: int
    queue_until: str
    lease: DeviceLease


class LeasedDeviceCommandAgent(HubModel):
    id: str
    name: str


class LeasedDeviceCommandRequestedBy(HubModel):
    type: str
    id: str
    name: str


class LeasedDeviceCommands(HubModel):
    data: List[LeasedDeviceCommand]
    controls: List[DeviceControl]


class LedgerEntry(HubModel):
    id: str
    movement_id: str
    account: Account
    amount_cents: int
    balance_after_cents: int
    cause: LedgerEntryCause
    note: Optional[str] = None
    created_at: str


class LedgerEntryCause(HubModel):
    type: str
    id: str


class LimitFigures(HubModel):
    operation_month: Optional[MoneyLimit] = None
    operation_day: Optional[LimitFiguresOperationDay] = None
    agent_month: Optional[MoneyLimit] = None
    wallet: LimitFiguresWallet


class LimitFiguresOperationDay(HubModel):
    limit_count: int
    used_count: int
    resets_at: str


class LimitFiguresWallet(HubModel):
    balance_cents: int
    held_cents: int


class LinkedIdentity(HubModel):
    id: str
    issuer: str
    subject: str
    email: Optional[str] = None
    created_at: str
    last_sign_in_at: str


class LinkedIdentityList(HubModel):
    data: List[LinkedIdentity]
    next_cursor: None
    as_of: str
    can_link: bool
    has_password: bool


class ListedOperation(HubModel):
    name: str
    title: Optional[str] = None
    description: Optional[str] = None
    summary: Optional[List[str]] = None
    example: Optional[Dict[str, Any]] = None
    price: OperationPrice
    idempotent: Optional[bool] = None
    unknown: Optional[Union[Literal["fail", "hold"], str]] = None
    timeout_ms: Optional[int] = None
    method: Optional[Union[Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], str]] = None
    path: Optional[str] = None
    query_style: Optional[Union[Literal["form", "deepObject"], str]] = None
    body_type: Optional[Union[Literal["json", "form", "multipart", "text"], str]] = None
    result: Optional[str] = None
    async_: Optional[OperationAsync] = Field(default=None, alias="async")
    tool: Optional[str] = None


class ListedService(HubModel):
    name: str
    title: Optional[str] = None
    description: Optional[str] = None
    kind: Union[Literal["http", "mcp", "builtin"], str]
    shipped: bool
    enabled: bool
    base_url: Optional[str] = None
    url: Optional[str] = None
    default_price: Optional[ListedServiceDefaultPrice] = None
    prices: Optional[Dict[str, ListedServicePricesValue]] = None
    auth: Optional[ServiceAuth] = None
    adapter: Optional[str] = None
    settings: Optional[Dict[str, Any]] = None
    operations: List[ListedOperation]
    missing_secrets: Optional[List[str]] = None
    version: Optional[int] = None
    remaining: Optional[Dict[str, OperationRemaining]] = None


class ListedServiceDefaultPrice(HubModel):
    type: Literal["fixed"]
    cents: int


class ListedServicePricesValue(HubModel):
    type: Literal["fixed"]
    cents: int


class Listing(HubModel):
    id: str
    kind: Union[Literal["agent", "workflow"], str]
    name: str
    description: str
    icon: Union[str, None]
    category: Union[str, None]
    publisher: str


class LoginChallenge(HubModel):
    challenge: LoginChallengeChallenge


class LoginChallengeChallenge(HubModel):
    id: str
    methods: List[Union[Literal["passkey", "totp", "recovery_code"], str]]
    expires_at: str


class MailPreview(HubModel):
    event: Union[Literal["approval.created", "agent_request.created", "budget.alert", "run.failed", "app.needs_reauth", "webhook_endpoint.disabled"], str]
    subject: str
    text: str
    html: str


class McpTool(HubModel):
    name: str
    operation: str
    state: Union[Literal["pinned", "new", "changed", "refused", "removed"], str]
    digest: Optional[str] = None
    description: Optional[str] = None
    input_schema: Optional[Dict[str, Any]] = None
    problem: Optional[str] = None
    pending: Optional[McpToolChange] = None


class McpToolChange(HubModel):
    digest: str
    description: str
    input_schema: Dict[str, Any]
    diff: List[McpToolChangeDiffItem]
    schema_changed: bool


class McpToolChangeDiffItem(HubModel):
    path: str
    before: Optional[Any] = None
    after: Optional[Any] = None


class McpToolList(HubModel):
    data: List[McpTool]
    next_cursor: Union[str, None]
    as_of: str
    refreshed_at: Optional[str] = None
    error: Optional[str] = None


class Me(HubModel):
    user: MeUser
    workspaces: List[MeWorkspacesItem]
    active_workspace: str
    team: Union[MeTeam, None]
    permissions: List[Union[Literal["agents:read", "agents:write", "agents:keys", "requests:read", "requests:write", "approvals:read", "approvals:decide", "audit:read", "usage:read", "budgets:read", "budgets:write", "billing:write", "members:read", "members:write", "workflows:read", "workflows:write", "workflows:run", "publish:review", "catalog:read", "catalog:write", "storage:read", "storage:write", "knowledge:read", "knowledge:write", "devices:read", "devices:write", "devices:grant_shell", "apps:read", "apps:write", "chat:read", "chat:write", "triggers:read", "triggers:write", "schedules:read", "schedules:write", "tokens:write", "promo:write", "workspace:write"], str]]
    via: Annotated[Union[MeVia, MeVia2, Dict[str, Any]], Field(union_mode="left_to_right")]


class MeTeam(HubModel):
    id: str
    name: str
    role: Union[Union[Literal["lead", "worker"], str], None]


class MeUser(HubModel):
    id: str
    email: str
    name: str
    time_zone: Union[str, None]
    locale: Union[str, None]


class MeVia(HubModel):
    kind: Literal["session"]
    session_id: str
    stepped_up: bool


class MeVia2(HubModel):
    kind: Literal["pat"]
    token_id: str
    scopes: List[Union[Literal["agents:read", "agents:write", "agents:keys", "requests:read", "requests:write", "approvals:read", "approvals:decide", "audit:read", "usage:read", "budgets:read", "budgets:write", "billing:write", "members:read", "members:write", "workflows:read", "workflows:write", "workflows:run", "publish:review", "catalog:read", "catalog:write", "storage:read", "storage:write", "knowledge:read", "knowledge:write", "devices:read", "devices:write", "devices:grant_shell", "apps:read", "apps:write", "chat:read", "chat:write", "triggers:read", "triggers:write", "schedules:read", "schedules:write", "tokens:write", "promo:write", "workspace:write"], str]]


class MeWorkspacesItem(HubModel):
    id: str
    name: str
    role: Union[Literal["owner", "admin", "operator", "member", "viewer"], str]


class Member(HubModel):
    user_id: str
    email: str
    name: str
    role: Union[Literal["owner", "admin", "operator", "member", "viewer"], str]
    created_at: str


class MemberHoldings(HubModel):
    agents: MemberHoldingsAgents
    devices: MemberHoldingsDevices
    apps: MemberHoldingsApps
    workflows: MemberHoldingsWorkflows
    standing_approvals: MemberHoldingsStandingApprovals
    policies: MemberHoldingsPolicies
    teams: MemberHoldingsTeams
    pending_approvals: int
    tokens: int
    private_views: int
    shared_views: int


class MemberHoldingsAgents(HubModel):
    count: int
    data: List[MemberHoldingsAgentsDataItem]


class MemberHoldingsAgentsDataItem(HubModel):
    id: str
    name: str
    status: Union[Literal["active", "paused", "disabled"], str]


class MemberHoldingsApps(HubModel):
    count: int
    data: List[MemberHoldingsAppsDataItem]


class MemberHoldingsAppsDataItem(HubModel):
    id: str
    name: str
    provider: str
    status: Union[Literal["pending", "connected", "needs_reauth", "revoked"], str]


class MemberHoldingsDevices(HubModel):
    count: int
    data: List[MemberHoldingsDevicesDataItem]


class MemberHoldingsDevicesDataItem(HubModel):
    id: str
    name: str
    state: Union[Literal["pending", "active", "draining", "paused", "revoked"], str]


class MemberHoldingsPolicies(HubModel):
    count: int
    data: List[MemberHoldingsPoliciesDataItem]


class MemberHoldingsPoliciesDataItem(HubModel):
    id: str
    name: str


class MemberHoldingsStandingApprovals(HubModel):
    count: int
    data: List[MemberHoldingsStandingApprovalsDataItem]


class MemberHoldingsStandingApprovalsDataItem(HubModel):
    id: str
    agent_id: str
    agent_name: str
    service: str
    operation: str
    max_cost_cents: int


class MemberHoldingsTeams(HubModel):
    count: int
    data: List[MemberHoldingsTeamsDataItem]


class MemberHoldingsTeamsDataItem(HubModel):
    id: str
    name: str
    allocation_cents: Union[int, None]
    held_cents: Union[int, None]


class MemberHoldingsWorkflows(HubModel):
    count: int
    data: List[MemberHoldingsWorkflowsDataItem]


class MemberHoldingsWorkflowsDataItem(HubModel):
    id: str
    name: str


class Memory(HubModel):
    id: str
    agent_id: str
    content: str
    kind: Union[Literal["fact", "preference", "event", "skill"], str]
    tags: List[str]
    importance: float
    links: List[str]
    source: Optional[MemorySource] = None
    expires_at: Optional[str] = None
    created_at: str
    updated_at: str
    score: Optional[float] = None
    matched_by: Optional[Union[Literal["meaning", "words"], str]] = None


class MemoryEdge(HubModel):
    source: str
    target: str
    weight: float
    relation: Union[Literal["similar", "tag", "explicit"], str]


class MemoryGraph(HubModel):
    nodes: List[MemoryNode]
    edges: List[MemoryEdge]
    total: int


class MemoryNode(HubModel):
    id: str
    kind: Union[Literal["fact", "preference", "event", "skill"], str]
    label: str
    tags: List[str]
    importance: float
    created_at: str


class MemoryReadStep(HubModel):
    label: str
    retry: Optional[StepRetry] = None
    timeout_ms: Optional[int] = None
    on_error: Optional[Union[Literal["fail", "continue"], str]] = None
    type: Literal["memory_read"]
    config: MemoryReadStepConfig


class MemoryReadStepConfig(HubModel):
    q: Optional[str] = None
    tag: Optional[str] = None
    limit: Optional[Union[int, str]] = None


class MemorySource(HubModel):
    type: str
    id: str


class MemoryWriteStep(HubModel):
    label: str
    retry: Optional[StepRetry] = None
    timeout_ms: Optional[int] = None
    on_error: Optional[Union[Literal["fail", "continue"], str]] = None
    type: Literal["memory_write"]
    config: MemoryWriteStepConfig


class MemoryWriteStepConfig(HubModel):
    content: str
    kind: Optional[str] = None
    tags: Optional[Union[List[str], str]] = None
    importance: Optional[Union[float, str]] = None
    expires_at: Optional[str] = None


class MessengerLink(HubModel):
    id: str
    provider: Union[Literal["slack", "discord"], str]
    team: str
    team_name: Optional[str] = None
    account: MessengerLinkAccount
    status: Union[Literal["unconfirmed", "linked"], str]
    created_at: str
    expires_at: Optional[str] = None
    confirmed_at: Optional[str] = None
    last_used_at: Optional[str] = None


class MessengerLinkAccount(HubModel):
    id: str
    name: str


class MintedToken(HubModel):
    id: str
    kind: Union[Literal["personal", "oauth"], str]
    name: str
    agent: Optional[MintedTokenAgent] = None
    scopes: List[Union[Literal["agents:read", "agents:write", "agents:keys", "requests:read", "requests:write", "approvals:read", "approvals:decide", "audit:read", "usage:read", "budgets:read", "budgets:write", "billing:write", "members:read", "members:write", "workflows:read", "workflows:write", "workflows:run", "publish:review", "catalog:read", "catalog:write", "storage:read", "storage:write", "knowledge:read", "knowledge:write", "devices:read", "devices:write", "devices:grant_shell", "apps:read", "apps:write", "chat:read", "chat:write", "triggers:read", "triggers:write", "schedules:read", "schedules:write", "tokens:write", "promo:write", "workspace:write"], str]]
    enabled: bool
    hint: str
    expires_at: str
    last_used_at: Optional[str] = None
    last_used_ip: Optional[str] = None
    created_at: str
    token: str


class MintedTokenAgent(HubModel):
    id: str
    name: str


class Model(HubModel):
    id: str
    name: str
    context_length: int
    pricing: ModelPricing
    pricing_tiers: Optional[List[ModelPricingTiersItem]] = None
    architecture: ModelArchitecture
    top_provider: ModelTopProvider
    supported_parameters: List[str]


class ModelArchitecture(HubModel):
    modality: str
    input_modalities: List[str]
    output_modalities: List[str]


class ModelFavorite(HubModel):
    id: str
    model_id: str
    created_at: str


class ModelFavoriteList(HubModel):
    data: List[ModelFavorite]
    next_cursor: None
    as_of: str


class ModelList(HubModel):
    data: List[Model]
    next_cursor: None
    as_of: str
    source: ModelListSource


class ModelListSource(HubModel):
    kind: Union[Literal["provider", "snapshot"], str]
    name: Optional[str] = None
    generated_at: str


class ModelPricing(HubModel):
    prompt: str
    completion: str
    input_cache_read: Optional[str] = None
    input_cache_write: Optional[str] = None


class ModelPricingTiersItem(HubModel):
    input_tokens_above: int
    prompt: str
    completion: str
    input_cache_read: Optional[str] = None
    input_cache_write: Optional[str] = None


class ModelTopProvider(HubModel):
    context_length: Union[int, None]
    max_completion_tokens: Union[int, None]


class MoneyLimit(HubModel):
    cap_cents: int
    spent_cents: int
    held_cents: int
    committed_cents: Optional[int] = None
    resets_at: str


class NewMessengerLink(HubModel):
    id: str
    code: str
    expires_at: str


class NewTrigger(HubModel):
    id: str
    name: str
    kind: Union[Literal["webhook", "cron"], str]
    agent_id: str
    action: FiringAction
    payload_template: Optional[Dict[str, Any]] = None
    require_timestamp: Optional[bool] = None
    fire_url: Optional[str] = None
    cron: Optional[str] = None
    timezone: Optional[str] = None
    next_runs: Optional[List[str]] = None
    status: Union[Literal["active", "paused"], str]
    paused_by: Optional[Union[Literal["person", "failures", "member_removed"], str]] = None
    previous_secret_until: Optional[str] = None
    last_fired_at: Optional[str] = None
    version: int
    created_at: str
    updated_at: str
    signing_secret: str


class NewWebhookEndpoint(HubModel):
    id: str
    url: str
    description: str
    types: List[Union[Literal["approval.created", "approval.updated", "approval.decided", "approval.expired", "service_request.updated", "agent.updated", "balance.changed", "standing_approval.updated", "device.updated", "device_command.updated", "run.updated", "workflow.updated", "budget.alert", "budget_request.updated", "delegated_task.updated", "payment.updated", "agent_request.created", "agent_request.updated", "publish_request.updated", "workspace.updated", "catalog.updated", "app.updated", "knowledge.updated", "schedule.updated", "trigger.updated", "chat.updated", "webhook.test"], str]]
    status: Union[Literal["enabled", "disabled"], str]
    disabled_by: Optional[Union[Literal["person", "gone", "failures"], str]] = None
    disabled_at: Optional[str] = None
    failing_since: Optional[str] = None
    previous_secret_until: Optional[str] = None
    version: int
    created_at: str
    updated_at: str
    secret: str


class NoticeChannel(HubModel):
    id: str
    kind: Union[Literal["slack", "discord"], str]
    app_id: Optional[str] = None
    secret: Optional[str] = None
    target: str
    min_cents: Optional[int] = None
    agent_ids: Optional[List[str]] = None
    events: List[Union[Literal["approval.created", "agent_request.created", "budget_request.updated"], str]]
    problem: Optional[str] = None
    last_sent_at: Optional[str] = None
    version: int
    created_at: str
    updated_at: str


class NoticeChannelTest(HubModel):
    delivered: Literal[True]
    message_id: str
    interactive: bool


class NoticePlaces(HubModel):
    desktop: bool
    browser: bool
    email: bool
    channel: bool


class NotificationSettings(HubModel):
    approval_created: NoticePlaces = Field(alias="approval.created")
    agent_request_created: NoticePlaces = Field(alias="agent_request.created")
    budget_alert: NoticePlaces = Field(alias="budget.alert")
    run_failed: NoticePlaces = Field(alias="run.failed")
    app_needs_reauth: NoticePlaces = Field(alias="app.needs_reauth")
    webhook_endpoint_disabled: NoticePlaces = Field(alias="webhook_endpoint.disabled")
    quiet_hours: Optional[QuietHours] = None
    email_digest_minutes: int


class NotificationsSubscriptionsAnswer(HubModel):
    data: List[PushSubscription]
    next_cursor: Union[str, None]
    as_of: str


class OidcLinkAnswer(HubModel):
    location: str


class OpenInvite(HubModel):
    email: str
    role: Union[Literal["owner", "admin", "operator", "member", "viewer"], str]
    workspace: OpenInviteWorkspace
    team: Optional[OpenInviteTeam] = None
    invited_by: OpenInviteInvitedBy
    has_account: bool
    can_sign_in: bool
    expires_at: str


class OpenInviteInvitedBy(HubModel):
    name: str


class OpenInviteTeam(HubModel):
    id: str
    name: str
    role: Union[Literal["lead", "worker"], str]


class OpenInviteWorkspace(HubModel):
    id: str
    name: str


class OperationAsync(HubModel):
    mode: Union[Literal["poll", "callback"], str]
    ref: str
    interval_ms: Optional[int] = None
    path: Optional[str] = None
    method: Optional[Union[Literal["GET", "POST"], str]] = None
    status: str
    executed: List[Union[str, float, bool]]
    failed: List[Union[str, float, bool]]
    blocked: Optional[List[Union[str, float, bool]]] = None
    result: Optional[str] = None
    cost_cents: Optional[str] = None
    detail: Optional[str] = None
    deadline_ms: Optional[int] = None
    secret: Optional[str] = None


class OperationBudget(HubModel):
    service: str
    operation: str
    monthly_cap_cents: Optional[int] = None
    spent_cents: int
    held_cents: int
    daily_request_limit: Optional[int] = None
    used_today: int


class OperationCaps(HubModel):
    monthly_cap_cents: Optional[int] = None
    daily_request_limit: Optional[int] = None
    approval_threshold_cents: Optional[int] = None


class OperationPriceOption(HubModel):
    type: Literal["fixed"]
    cents: int


class OperationPriceOption2(HubModel):
    type: Literal["quoted"]
    ceiling: str
    estimate: Optional[str] = None
    actual: Optional[str] = None


class OperationRemaining(HubModel):
    monthly_cap_cents: Optional[int] = None
    spent_this_month_cents: int
    held_cents: int
    daily_request_limit: Optional[int] = None
    used_today: int
    approval_threshold_cents: Optional[int] = None


class OperationUsage(HubModel):
    spent_this_month_cents: int
    held_cents: int
    used_today: int


class Pairing(HubModel):
    code: str
    name: str
    platform: str
    arch: str
    app_version: str
    address: str
    fingerprint: Optional[str] = None
    capabilities: List[Union[Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"], str]]
    created_at: str
    expires_at: str


class PairingProgress(HubModel):
    status: Union[Literal["waiting", "confirmed", "rejected"], str]
    device_id: Optional[str] = None
    device_key: Optional[str] = None


class PairingStarted(HubModel):
    code: str
    pairing_secret: str
    expires_at: str


class Policy(HubModel):
    id: str
    name: str
    position: int
    enabled: bool
    when: str
    then: Union[Literal["allow", "block", "require_approval"], str]
    required_approvals: Optional[int] = None
    deciders: Optional[Deciders] = None
    expires_in_seconds: Optional[int] = None
    reason: str
    version: int
    created_at: str
    updated_at: str


class PolicyReplay(HubModel):
    checked: int
    matched: int
    errors: int
    would_block: int
    would_require_approval: int
    changed: List[PolicyReplayChangedItem]


class PolicyReplayChangedItem(HubModel):
    request_id: str
    status: Union[Literal["executed", "blocked", "approval_required", "failed", "running"], str]
    would: Union[Literal["allowed", "blocked", "approval_required"], str]


class PresignedUpload(HubModel):
    object_id: str
    url: str
    method: Literal["PUT"]
    headers: Dict[str, str]
    expires_at: str


class PromoCode(HubModel):
    id: str
    code: str
    amount_cents: int
    max_redemptions: Optional[int] = None
    redemptions: int
    expires_at: Optional[str] = None
    created_at: str


class Publication(HubModel):
    id: str
    subject: PublicationSubject
    version_id: Optional[str] = None
    scope: Union[Literal["team", "org"], str]
    team_id: Optional[str] = None
    listed: bool
    name: str
    description: str
    icon: Union[str, None]
    category: Union[str, None]
    status: Union[Literal["active", "revoked"], str]
    publish_request_id: str
    published_by: PublicationPublishedBy
    published_at: str
    revoked_at: Optional[str] = None


class PublicationPublishedBy(HubModel):
    id: str
    name: str


class PublicationSubject(HubModel):
    type: Union[Literal["agent", "workflow"], str]
    id: str


class PublishRequest(HubModel):
    id: str
    subject: PublishRequestSubject
    version_id: Optional[str] = None
    scope: Union[Literal["team", "org"], str]
    team_id: Optional[str] = None
    listed: bool
    name: str
    description: str
    icon: Union[str, None]
    category: Union[str, None]
    note: Optional[str] = None
    status: Union[Literal["pending", "approved", "rejected", "withdrawn"], str]
    requested_by: PublishRequestRequestedBy
    decided_by: Optional[PublishRequestDecidedBy] = None
    comment: Optional[str] = None
    created_at: str
    decided_at: Optional[str] = None
    publication_id: Optional[str] = None


class PublishRequestDecidedBy(HubModel):
    id: str
    name: str


class PublishRequestRequestedBy(HubModel):
    id: str
    name: str


class PublishRequestSubject(HubModel):
    type: Union[Literal["agent", "workflow"], str]
    id: str


class PushKey(HubModel):
    public_key: str


class PushSubscription(HubModel):
    id: str
    user_agent: Optional[str] = None
    service: str
    current: bool
    created_at: str
    last_used_at: Optional[str] = None


class QuietHours(HubModel):
    from_: str = Field(alias="from")
    to: str


class Ready(HubModel):
    status: Literal["ready"]
    checks: List[ReadyChecksItem]


class ReadyChecksItem(HubModel):
    name: str
    ok: bool
    reason: Optional[str] = None


class Reattached(HubModel):
    task: DelegatedTask
    events: List[TaskEvent]


class Redemption(HubModel):
    id: str
    code: str
    amount_cents: int
    balance: Balance
    created_at: str


class RegisteredDevice(HubModel):
    id: str
    name: str
    platform: str
    arch: str
    app_version: str
    state: Union[Literal["pending", "active", "draining", "paused", "revoked"], str]
    paused_by: Optional[Union[Literal["hub", "device"], str]] = None
    presence: Union[Literal["online", "late", "offline", "never"], str]
    update_required: bool
    capabilities: List[Union[Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"], str]]
    granted: List[Union[Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"], str]]
    agents: Union[Literal["*"], List[str]]
    labels: List[str]
    fingerprint: Optional[str] = None
    owner_user_id: str
    session: Optional[DeviceSession] = None
    running: int
    load: Optional[Dict[str, float]] = None
    last_heard_at: Optional[str] = None
    created_at: str
    device_key: str


class Remaining(HubModel):
    operation_month_cents: Optional[int] = None
    operation_day_count: Optional[int] = None
    agent_month_cents: Optional[int] = None
    wallet_cents: int


class RequestOrigin(HubModel):
    user_id: Optional[str] = None
    replaces: Optional[str] = None
    task_id: Optional[str] = None
    session_id: Optional[str] = None
    turn_id: Optional[str] = None
    call_id: Optional[str] = None
    run_id: Optional[str] = None
    label: Optional[str] = None
    schedule_id: Optional[str] = None
    trigger_id: Optional[str] = None


class RequestTrace(HubModel):
    request: ServiceRequest
    agent: RequestTraceAgent
    payload: Any
    steps: List[RequestTraceStepsItem]
    approval: Optional[Approval] = None
    standing_approval: Optional[RequestTraceStandingApproval] = None
    limits: LimitFigures
    threshold_cents: int
    postings: List[LedgerEntry]
    entries: List[AuditEntry]


class RequestTraceAgent(HubModel):
    id: str
    name: str


class RequestTraceStandingApproval(HubModel):
    id: str
    created_by: RequestTraceStandingApprovalCreatedBy
    ended: bool


class RequestTraceStandingApprovalCreatedBy(HubModel):
    id: str
    name: str
    email: str


class RequestTraceStepsItem(HubModel):
    step: Union[Literal["credential", "idempotency", "agent", "payload", "binding", "freeze", "policy", "daily_count", "operation_month", "agent_month", "wallet", "approval", "execution", "settlement"], str]
    state: Union[Literal["passed", "decided", "open", "skipped", "unreached"], str]
    at: Optional[str] = None


class RotatedKey(HubModel):
    api_key: str
    key_hint: str


class RotatedTriggerSecret(HubModel):
    signing_secret: str
    previous_secret_until: Optional[str] = None


class RotatedWebhookSecret(HubModel):
    secret: str
    previous_secret_until: Optional[str] = None


class RunError(HubModel):
    code: str
    message: str
    label: Optional[str] = None
    block: Optional[Block] = None


class RunEstimate(HubModel):
    cost_cents: int
    unknown: List[str]
    steps: List[RunEstimateStepsItem]


class RunEstimateStepsItem(HubModel):
    label: str
    status: str
    cost_cents: int
    reason_code: Optional[str] = None
    block: Optional[Block] = None


class RunStep(HubModel):
    id: str
    label: str
    type: Union[Literal["service_call", "run_workflow", "condition", "delay", "approval", "agent_request", "delegation", "webhook", "memory_read", "memory_write"], str]
    status: Union[Literal["pending", "running", "waiting", "succeeded", "failed", "skipped", "cancelled"], str]
    attempt: int
    request_id: Optional[str] = None
    approval_id: Optional[str] = None
    agent_request_id: Optional[str] = None
    delegated_task_id: Optional[str] = None
    child_run_id: Optional[str] = None
    due_at: Optional[str] = None
    started_at: Optional[str] = None
    ended_at: Optional[str] = None
    cost_cents: int
    input: Optional[Any] = None
    output: Optional[Any] = None
    error: Optional[StepError] = None
    attempts: Optional[List[StepAttempt]] = None


class RunWorkflowStep(HubModel):
    label: str
    retry: Optional[StepRetry] = None
    timeout_ms: Optional[int] = None
    on_error: Optional[Union[Literal["fail", "continue"], str]] = None
    type: Literal["run_workflow"]
    config: RunWorkflowStepConfig


class RunWorkflowStepConfig(HubModel):
    workflow_id: str
    input: Optional[Any] = None


class SavedPolicy(HubModel):
    id: str
    name: str
    position: int
    enabled: bool
    when: str
    then: Union[Literal["allow", "block", "require_approval"], str]
    required_approvals: Optional[int] = None
    deciders: Optional[Deciders] = None
    expires_in_seconds: Optional[int] = None
    reason: str
    version: int
    created_at: str
    updated_at: str
    warnings: List[SavedPolicyWarningsItem]


class SavedPolicyWarningsItem(HubModel):
    path: str
    message: str


class SavedService(HubModel):
    name: str
    title: Optional[str] = None
    description: Optional[str] = None
    kind: Union[Literal["http", "mcp", "builtin"], str]
    shipped: bool
    enabled: bool
    base_url: Optional[str] = None
    url: Optional[str] = None
    default_price: Optional[SavedServiceDefaultPrice] = None
    prices: Optional[Dict[str, SavedServicePricesValue]] = None
    auth: Optional[ServiceAuth] = None
    adapter: Optional[str] = None
    settings: Optional[Dict[str, Any]] = None
    operations: List[CatalogOperation]
    missing_secrets: Optional[List[str]] = None
    version: Optional[int] = None
    remaining: Optional[Dict[str, OperationRemaining]] = None
    warnings: List[SavedServiceWarningsItem]


class SavedServiceDefaultPrice(HubModel):
    type: Literal["fixed"]
    cents: int


class SavedServicePricesValue(HubModel):
    type: Literal["fixed"]
    cents: int


class SavedServiceWarningsItem(HubModel):
    path: str
    message: str


class ScheduleRun(HubModel):
    id: str
    due_at: str
    status: Union[Literal["fired", "queued", "skipped", "missed"], str]
    service_request_id: Optional[str] = None
    request_status: Optional[Union[Literal["executed", "blocked", "approval_required", "failed", "running"], str]] = None
    error: Optional[ScheduleRunError] = None
    count: Optional[int] = None
    created_at: str


class ScheduleRunError(HubModel):
    code: str
    message: str


class ScheduledTask(HubModel):
    id: str
    name: str
    agent_id: str
    action: FiringAction
    cron: str
    timezone: str
    catch_up: Union[Literal["skip", "once"], str]
    overlap: Union[Literal["skip", "allow", "queue"], str]
    jitter_seconds: int
    status: Union[Literal["active", "paused"], str]
    paused_by: Optional[Union[Literal["person", "failures", "member_removed"], str]] = None
    failures: int
    next_runs: List[str]
    last_run: Optional[ScheduleRun] = None
    version: int
    created_at: str
    updated_at: str


class SearchFindAnswer(HubModel):
    data: List[SearchResult]


class SearchResult(HubModel):
    type: Union[Literal["agent", "service", "service_request", "approval", "person", "workflow"], str]
    id: str
    title: str
    subtitle: Optional[str] = None
    href: str
    score: float


class Secret(HubModel):
    name: str
    created_at: str
    updated_at: str


class ServiceAuth(HubModel):
    type: Union[Literal["none", "bearer", "basic", "header", "query", "oauth_app"], str]
    secret: Optional[str] = None
    header: Optional[str] = None
    param: Optional[str] = None
    app: Optional[str] = None


class ServiceAuth_1(HubModel):
    type: Union[Literal["none", "bearer", "basic", "header", "query", "oauth_app"], str]
    secret: Optional[str] = None
    header: Optional[str] = None
    param: Optional[str] = None
    app: Optional[str] = None


class ServiceCallStep(HubModel):
    label: str
    retry: Optional[StepRetry] = None
    timeout_ms: Optional[int] = None
    on_error: Optional[Union[Literal["fail", "continue"], str]] = None
    type: Literal["service_call"]
    config: ServiceCallStepConfig


class ServiceCallStepConfig(HubModel):
    service: str
    operation: str
    payload: Optional[Any] = None


class ServiceRequest(HubModel):
    id: str
    status: Union[Literal["executed", "blocked", "approval_required", "failed", "running"], str]
    mode: Union[Literal["live", "test"], str]
    service: str
    operation: str
    cost_cents: int
    ceiling_cents: int
    reported_cost_cents: Optional[int] = None
    reason_code: Optional[str] = None
    approval_id: Optional[str] = None
    result: Optional[Any] = None
    block: Optional[Block] = None
    waiting_for: Optional[WaitingFor] = None
    late_result: Optional[Any] = None
    origin: Optional[RequestOrigin] = None
    agent_id: str
    summary: Optional[List[SummaryField]] = None
    created_at: str
    completed_at: Optional[str] = None
    links: ServiceRequestLinks


class ServiceRequestAction(HubModel):
    type: Literal["service_request"]
    service: str
    operation: str
    payload: Optional[Dict[str, Any]] = None


class ServiceRequestLinks(HubModel):
    self_: str = Field(alias="self")


class Session(HubModel):
    id: str
    current: bool
    active_workspace: str
    ip: Optional[str] = None
    user_agent: Optional[str] = None
    method: Union[Literal["password", "oidc", "setup"], str]
    factor: Optional[Union[Literal["passkey", "totp", "recovery_code"], str]] = None
    created_at: str
    last_seen_at: str
    expires_at: str


class SetupState(HubModel):
    needed: bool


class SignInMethods(HubModel):
    password: bool
    oidc: bool


class Skill(HubModel):
    id: str
    agent_id: str
    kind: Union[Literal["service", "workflow", "custom"], str]
    name: str
    description: str
    input_schema: Optional[Dict[str, Any]] = None
    call: Annotated[Union[SkillCall, SkillCall2, SkillCall3, Dict[str, Any]], Field(union_mode="left_to_right")]
    source: Union[Literal["binding", "grant", "proposal"], str]


class SkillCall(HubModel):
    service: str
    operation: str


class SkillCall2(HubModel):
    workflow_id: str


class SkillCall3(HubModel):
    instructions: str


class SkillProposal(HubModel):
    id: str
    agent_id: str
    name: str
    description: str
    instructions: str
    operations: List[str]
    rationale: str
    status: Union[Literal["proposed", "accepted", "rejected"], str]
    decided_by: Optional[SkillProposalDecidedBy] = None
    comment: Optional[str] = None
    created_at: str
    decided_at: Optional[str] = None


class SkillProposalDecidedBy(HubModel):
    id: str
    name: str


class SpawnEstimate(HubModel):
    would_commit_cents: int
    passes: bool
    code: Optional[Union[Literal["agent_disabled", "spending_frozen", "spawn_depth_exceeded", "not_subset", "insufficient_budget"], str]] = None


class SpawnedAgent(HubModel):
    id: str
    name: str
    description: str
    kind: Union[Literal["standard", "yupi", "chat"], str]
    status: Union[Literal["active", "paused", "disabled"], str]
    frozen: bool
    icon: Union[str, None]
    category: Union[str, None]
    personality: Union[str, None]
    voiceConfig: Union[Dict[str, Any], None]
    parent_agent_id: Optional[str] = None
    depth: int
    team_id: Optional[str] = None
    owner_user_id: Union[str, None]
    monthly_budget_cents: Optional[int] = None
    approval_threshold_cents: Optional[int] = None
    spent_this_month_cents: int
    held_cents: int
    committed_cents: int
    child_count: int
    key_hint: Union[str, None]
    mode_keys: SpawnedAgentModeKeys
    bindings: List[Binding]
    last_seen_at: Optional[str] = None
    ends_at: Optional[str] = None
    version: int
    created_at: str
    updated_at: str
    api_key: Optional[str] = None
    api_key_shown: Optional[Literal[True]] = None


class SpawnedAgentModeKeys(HubModel):
    live: bool
    test: bool


class StandingApproval(HubModel):
    id: str
    agent_id: str
    service: str
    operation: str
    mode: Union[Literal["live", "test"], str]
    max_cost_cents: int
    max_total_cents: Optional[int] = None
    max_uses: Optional[int] = None
    when: Optional[str] = None
    used_cents: int
    uses: int
    created_by: StandingApprovalCreatedBy
    created_at: str
    last_used_at: Optional[str] = None
    expires_at: str


class StandingApprovalCreatedBy(HubModel):
    id: str
    name: str
    email: str


class StandingPreview(HubModel):
    checked: int
    covered: int
    covered_cents: int
    errors: int
    pending: StandingPreviewPending
    partial: bool
    requests: List[StandingPreviewRequestsItem]


class StandingPreviewPending(HubModel):
    count: int
    cost_cents: int


class StandingPreviewRequestsItem(HubModel):
    id: str
    ceiling_cents: int
    status: str
    created_at: str
    covered: bool


class StartedApp(HubModel):
    id: str
    provider: str
    name: str
    status: Union[Literal["pending", "connected", "needs_reauth", "revoked"], str]
    scopes: List[str]
    visibility: Union[Literal["private", "workspace"], str]
    owner_user_id: str
    account: Optional[str] = None
    expires_at: Optional[str] = None
    last_used_at: Optional[str] = None
    note: Optional[str] = None
    created_at: str
    authorize_url: str


class StartedRun(HubModel):
    run: WorkflowRun


class StepAttempt(HubModel):
    attempt: int
    status: Union[Literal["succeeded", "failed", "cancelled"], str]
    request_id: Optional[str] = None
    error: Optional[StepError] = None
    started_at: Optional[str] = None
    ended_at: Optional[str] = None


class StepError(HubModel):
    code: str
    message: str
    block: Optional[Block] = None
    fate: Optional[Literal["unknown"]] = None


class StepRetry(HubModel):
    max_attempts: int
    backoff_ms: Optional[int] = None


class StorageFolders(HubModel):
    data: List[str]
    next_cursor: None
    as_of: str


class StorageObject(HubModel):
    id: str
    key: str
    content_type: str
    size_bytes: int
    sha256: Optional[str] = None
    status: Union[Literal["pending", "verifying", "live", "deleted"], str]
    metadata: Dict[str, str]
    created_at: str
    deleted_at: Optional[str] = None


class StorageUsage(HubModel):
    used_bytes: int
    deleted_bytes: int
    max_bytes: int
    object_max_bytes: int


class SummaryField(HubModel):
    path: str
    label: str
    value: Union[str, float, bool]
    format: Optional[Literal["cents"]] = None


class TaskEvent(HubModel):
    id: str
    type: Literal["delegated_task.updated"]
    task_id: str
    status: Union[Literal["accepted", "in_progress", "completed", "failed", "cancelled"], str]
    created_at: str


class Team(HubModel):
    id: str
    name: str
    description: str
    member_count: int
    role: Union[Union[Literal["lead", "worker"], str], None]
    created_at: str
    updated_at: str


class TeamBudget(HubModel):
    opened: bool
    balance_cents: int
    held_cents: int
    available_cents: int
    allocated_cents: int
    spent_this_month_cents: int


class TeamMember(HubModel):
    user_id: str
    email: str
    name: str
    role: Union[Literal["lead", "worker"], str]
    allocation: Union[Allocation, None]
    spent_this_month_cents: int
    created_at: str


class Token(HubModel):
    id: str
    kind: Union[Literal["personal", "oauth"], str]
    name: str
    agent: Optional[TokenAgent] = None
    scopes: List[Union[Literal["agents:read", "agents:write", "agents:keys", "requests:read", "requests:write", "approvals:read", "approvals:decide", "audit:read", "usage:read", "budgets:read", "budgets:write", "billing:write", "members:read", "members:write", "workflows:read", "workflows:write", "workflows:run", "publish:review", "catalog:read", "catalog:write", "storage:read", "storage:write", "knowledge:read", "knowledge:write", "devices:read", "devices:write", "devices:grant_shell", "apps:read", "apps:write", "chat:read", "chat:write", "triggers:read", "triggers:write", "schedules:read", "schedules:write", "tokens:write", "promo:write", "workspace:write"], str]]
    enabled: bool
    hint: str
    expires_at: str
    last_used_at: Optional[str] = None
    last_used_ip: Optional[str] = None
    created_at: str


class TokenAgent(HubModel):
    id: str
    name: str


class TokensPrice(HubModel):
    type: Literal["tokens"]
    default: Optional[TokensPriceDefault] = None


class TokensPriceDefault(HubModel):
    prompt: str
    completion: str


class TopUp(HubModel):
    id: str
    amount_cents: int
    note: Optional[str] = None
    balance: Balance
    created_at: str


class TotpEnrollment(HubModel):
    id: str
    secret: str
    otpauth_url: str


class Trigger(HubModel):
    id: str
    name: str
    kind: Union[Literal["webhook", "cron"], str]
    agent_id: str
    action: FiringAction
    payload_template: Optional[Dict[str, Any]] = None
    require_timestamp: Optional[bool] = None
    fire_url: Optional[str] = None
    cron: Optional[str] = None
    timezone: Optional[str] = None
    next_runs: Optional[List[str]] = None
    status: Union[Literal["active", "paused"], str]
    paused_by: Optional[Union[Literal["person", "failures", "member_removed"], str]] = None
    previous_secret_until: Optional[str] = None
    last_fired_at: Optional[str] = None
    version: int
    created_at: str
    updated_at: str


class TriggerDelivery(HubModel):
    id: str
    delivery_id: Optional[str] = None
    status: Union[Literal["fired", "refused", "queued", "skipped", "missed"], str]
    service_request_id: Optional[str] = None
    request_status: Optional[Union[Literal["executed", "blocked", "approval_required", "failed", "running"], str]] = None
    error: Optional[TriggerDeliveryError] = None
    digest: Optional[str] = None
    created_at: str


class TriggerDeliveryError(HubModel):
    code: str
    message: str


class TriggerTest(HubModel):
    service: str
    operation: str
    payload: Dict[str, Any]
    estimate: Estimate


class UsageRecord(HubModel):
    id: str
    service_request_id: str
    agent_id: str
    mode: Union[Literal["live", "test"], str]
    service: str
    operation: str
    cost_cents: int
    created_at: str


class UsageReport(HubModel):
    data: List[UsageRecord]
    next_cursor: Union[str, None]
    as_of: str
    totals: UsageReportTotals
    by_agent: List[UsageReportByAgentItem]
    by_service: List[UsageReportByServiceItem]
    chart: Optional[List[UsageReportChartItem]] = None
    chart_groups: Optional[List[UsageReportChartGroupsItem]] = None


class UsageReportByAgentItem(HubModel):
    agent_id: str
    agent_name: str
    cost_cents: int
    requests: int


class UsageReportByServiceItem(HubModel):
    service: str
    cost_cents: int
    requests: int


class UsageReportChartGroupsItem(HubModel):
    key: Union[str, None]
    name: str
    cost_cents: int
    requests: int
    chart: List[UsageReportChartGroupsItemChartItem]


class UsageReportChartGroupsItemChartItem(HubModel):
    date: str
    cost_cents: int
    requests: int
    blocked: int


class UsageReportChartItem(HubModel):
    date: str
    cost_cents: int
    requests: int
    blocked: int


class UsageReportTotals(HubModel):
    cost_cents: int
    requests: int


class ValidWorkflowDefinition(HubModel):
    valid: Literal[True]
    warnings: Optional[List[ValidWorkflowDefinitionWarningsItem]] = None


class ValidWorkflowDefinitionWarningsItem(HubModel):
    path: str
    message: str


class View(HubModel):
    id: str
    screen: Union[Literal["inbox", "requests", "audit", "agents"], str]
    name: str
    query: str
    shared: bool
    position: int
    created_by: ViewCreatedBy
    can_edit: bool
    created_at: str
    updated_at: str


class ViewCreatedBy(HubModel):
    id: str
    name: str


class Voice(HubModel):
    id: str
    name: str
    language: str


class VoiceList(HubModel):
    data: List[Voice]
    next_cursor: None
    as_of: str


class WaitingCounts(HubModel):
    pending: int
    agent_requests: int
    budget_requests: int
    data: List[WaitingCountsDataItem]
    as_of: str


class WaitingCountsDataItem(HubModel):
    workspace: str
    pending: int
    agent_requests: int
    budget_requests: int
    next_expires_at: Optional[str] = None


class WaitingFor(HubModel):
    kind: Union[Literal["provider", "callback", "poll", "settlement", "device"], str]
    until: Optional[str] = None


class WebhookAttempt(HubModel):
    at: str
    status: Optional[int] = None
    ms: int
    error: Optional[str] = None
    response: Optional[str] = None


class WebhookDelivery(HubModel):
    id: str
    event_id: str
    type: Union[Literal["approval.created", "approval.updated", "approval.decided", "approval.expired", "service_request.updated", "agent.updated", "balance.changed", "standing_approval.updated", "device.updated", "device_command.updated", "run.updated", "workflow.updated", "budget.alert", "budget_request.updated", "delegated_task.updated", "payment.updated", "agent_request.created", "agent_request.updated", "publish_request.updated", "workspace.updated", "catalog.updated", "app.updated", "knowledge.updated", "schedule.updated", "trigger.updated", "chat.updated", "webhook.test"], str]
    status: Union[Literal["pending", "delivered", "failed"], str]
    attempts: List[WebhookAttempt]
    next_attempt_at: Optional[str] = None
    payload: WebhookMessage
    created_at: str


class WebhookEndpoint(HubModel):
    id: str
    url: str
    description: str
    types: List[Union[Literal["approval.created", "approval.updated", "approval.decided", "approval.expired", "service_request.updated", "agent.updated", "balance.changed", "standing_approval.updated", "device.updated", "device_command.updated", "run.updated", "workflow.updated", "budget.alert", "budget_request.updated", "delegated_task.updated", "payment.updated", "agent_request.created", "agent_request.updated", "publish_request.updated", "workspace.updated", "catalog.updated", "app.updated", "knowledge.updated", "schedule.updated", "trigger.updated", "chat.updated", "webhook.test"], str]]
    status: Union[Literal["enabled", "disabled"], str]
    disabled_by: Optional[Union[Literal["person", "gone", "failures"], str]] = None
    disabled_at: Optional[str] = None
    failing_since: Optional[str] = None
    previous_secret_until: Optional[str] = None
    version: int
    created_at: str
    updated_at: str


class WebhookMessage(HubModel):
    type: Union[Literal["approval.created", "approval.updated", "approval.decided", "approval.expired", "service_request.updated", "agent.updated", "balance.changed", "standing_approval.updated", "device.updated", "device_command.updated", "run.updated", "workflow.updated", "budget.alert", "budget_request.updated", "delegated_task.updated", "payment.updated", "agent_request.created", "agent_request.updated", "publish_request.updated", "workspace.updated", "catalog.updated", "app.updated", "knowledge.updated", "schedule.updated", "trigger.updated", "chat.updated", "webhook.test"], str]
    timestamp: str
    data: WebhookMessageData


class WebhookMessageData(HubModel):
    id: str
    subject: WebhookMessageDataSubject
    version: int
    workspace: str


class WebhookMessageDataSubject(HubModel):
    type: str
    id: str


class WebhookReplay(HubModel):
    since: str
    entries: int


class WebhookStep(HubModel):
    label: str
    retry: Optional[StepRetry] = None
    timeout_ms: Optional[int] = None
    on_error: Optional[Union[Literal["fail", "continue"], str]] = None
    type: Literal["webhook"]
    config: WebhookStepConfig


class WebhookStepConfig(HubModel):
    url: str
    body: Optional[Any] = None
    headers: Optional[Dict[str, str]] = None
    secret: Optional[str] = None
    callback_within_seconds: Optional[int] = None


class Workflow(HubModel):
    id: str
    name: str
    description: str
    visibility: Union[Literal["private", "team", "org"], str]
    team_id: Optional[str] = None
    owner_user_id: Union[str, None]
    max_cost_cents: Optional[int] = None
    latest_version: int
    latest_version_id: Optional[str] = None
    live_version_id: Optional[str] = None
    live_version: Optional[int] = None
    status: Union[Literal["draft", "pending_review", "published"], str]
    publish_request: Optional[WorkflowPublishRequest] = None
    agents: List[WorkflowAgentsItem]
    version: int
    created_at: str
    updated_at: str


class WorkflowAction(HubModel):
    type: Literal["workflow"]
    workflow_id: str
    input: Optional[Dict[str, Any]] = None


class WorkflowAgentsItem(HubModel):
    id: str
    name: str


class WorkflowDefinition(HubModel):
    steps: List[WorkflowStep]
    edges: List[WorkflowEdge]
    input_schema: Optional[Dict[str, Any]] = None
    output: Optional[Any] = None


class WorkflowEdge(HubModel):
    from_: str = Field(alias="from")
    to: str
    when: Optional[str] = None


class WorkflowExport(HubModel):
    format: str
    name: str
    description: Optional[str] = None
    max_cost_cents: Optional[int] = None
    definition: Optional[WorkflowDefinition] = None


class WorkflowGrant(HubModel):
    workflow_id: str
    agent_id: str
    agent_name: str
    created_at: str


class WorkflowPublishRequest(HubModel):
    id: str
    version_id: str


class WorkflowRun(HubModel):
    id: str
    workflow_id: str
    version_id: str
    agent_id: str
    mode: Union[Literal["live", "test"], str]
    status: Union[Literal["queued", "running", "waiting", "succeeded", "failed", "cancelled"], str]
    cost_cents: int
    max_cost_cents: Optional[int] = None
    source: WorkflowRunSource
    parent_run_id: Optional[str] = None
    error: Optional[RunError] = None
    created_at: str
    ended_at: Optional[str] = None
    input: Any
    output: Optional[Any] = None
    steps: List[RunStep]
    deadline_at: str
    revision: int


class WorkflowRunSource(HubModel):
    type: str
    id: str
    name: str


class WorkflowRunSummary(HubModel):
    id: str
    workflow_id: str
    version_id: str
    agent_id: str
    mode: Union[Literal["live", "test"], str]
    status: Union[Literal["queued", "running", "waiting", "succeeded", "failed", "cancelled"], str]
    cost_cents: int
    max_cost_cents: Optional[int] = None
    source: WorkflowRunSummarySource
    parent_run_id: Optional[str] = None
    error: Optional[RunError] = None
    created_at: str
    ended_at: Optional[str] = None


class WorkflowRunSummarySource(HubModel):
    type: str
    id: str
    name: str


class WorkflowRunsCallbackAnswer(HubModel):
    received: Literal[True]


class WorkflowTemplate(HubModel):
    id: str
    name: str
    description: str
    category: str
    max_cost_cents: Optional[int] = None
    definition: WorkflowDefinition
    operations: List[str]
    example_input: Dict[str, Any]


class WorkflowVersion(HubModel):
    id: str
    workflow_id: str
    number: int
    steps: List[WorkflowStep]
    edges: List[WorkflowEdge]
    input_schema: Dict[str, Any]
    output: Optional[Any] = None
    digest: str
    created_by: WorkflowVersionCreatedBy
    created_at: str


class WorkflowVersionCreatedBy(HubModel):
    id: str
    name: str


class WorkflowsTemplatesAnswer(HubModel):
    data: List[WorkflowTemplate]
    next_cursor: None
    as_of: str


class Workspace(HubModel):
    id: str
    name: str
    role: Union[Literal["owner", "admin", "operator", "member", "viewer"], str]
    frozen: bool
    approval_threshold_cents: int
    approval_life_seconds: int
    separation_of_duties: bool
    retention_days: Optional[int] = None
    device_output_days: int
    alert_levels: List[int]
    step_up_cents: Optional[int] = None
    second_factor: Union[Literal["off", "deciders", "all"], str]
    version: int
    created_at: str
    updated_at: str


AuthLoginAnswer = Annotated[Union[Me, LoginChallenge, Dict[str, Any]], Field(union_mode="left_to_right")]


DeviceSessionsCommandsAnswer = Annotated[Union[DeviceSessionsCommandsAnswerOption, LeasedDeviceCommands, Dict[str, Any]], Field(union_mode="left_to_right")]


FiringAction = Annotated[Union[ServiceRequestAction, WorkflowAction, Dict[str, Any]], Field(union_mode="left_to_right")]


OperationPrice = Annotated[Union[OperationPriceOption, OperationPriceOption2, TokensPrice, Dict[str, Any]], Field(union_mode="left_to_right")]


TeamsSwitchAnswer = Union[Team, None]


WorkflowStep = Annotated[Union[ServiceCallStep, RunWorkflowStep, ConditionStep, DelayStep, ApprovalStep, AgentRequestStep, DelegationStep, WebhookStep, MemoryReadStep, MemoryWriteStep, Dict[str, Any]], Field(union_mode="left_to_right")]


WorkflowsCreateVersionAnswer = Annotated[Union[ValidWorkflowDefinition, CreatedWorkflowVersion, Dict[str, Any]], Field(union_mode="left_to_right")]
