# Generated from resources/openapi.json by `npm run generate`. Do not edit.
"""The types of objects in requests: dictionaries with these keys."""
from __future__ import annotations

from typing import Any, Literal, Mapping, Sequence, Union

from typing_extensions import NotRequired, TypedDict


class AgentRequestStep(TypedDict):
    label: str
    retry: NotRequired[StepRetry]
    timeout_ms: NotRequired[int]
    on_error: NotRequired[Literal["fail", "continue"]]
    type: Literal["agent_request"]
    config: AgentRequestStepConfig


class AgentRequestStepConfig(TypedDict):
    kind: Literal["question", "approval", "input", "handoff"]
    title: str
    body: NotRequired[str]
    options: NotRequired[Union[Sequence[str], str]]
    expires_in_seconds: NotRequired[Union[int, str]]


class AppDefinition(TypedDict):
    authorize_url: str
    token_url: str
    revoke: NotRequired[AppDefinitionRevoke]
    params: NotRequired[Mapping[str, str]]
    scopes: NotRequired[AppDefinitionScopes]
    pkce: NotRequired[bool]
    client_auth: NotRequired[Literal["basic", "post"]]
    body: NotRequired[Literal["form", "json"]]
    pointers: NotRequired[AppDefinitionPointers]
    capture: NotRequired[Mapping[str, Union[str, AppDefinitionCaptureValue2]]]
    hosts: Sequence[str]
    keepalive_days: NotRequired[int]
    setup_url: NotRequired[str]


class AppDefinitionCaptureValue2(TypedDict):
    url: str
    pointer: str


class AppDefinitionPointers(TypedDict):
    access_token: NotRequired[str]
    refresh_token: NotRequired[str]
    expires_in: NotRequired[str]
    scope: NotRequired[str]
    account: NotRequired[str]


class AppDefinitionRevoke(TypedDict):
    method: Literal["POST", "DELETE"]
    url: str
    token: NotRequired[Literal["access", "refresh"]]


class AppDefinitionScopes(TypedDict):
    default: Sequence[str]
    separator: NotRequired[Literal[" ", ","]]


class ApprovalStep(TypedDict):
    label: str
    retry: NotRequired[StepRetry]
    timeout_ms: NotRequired[int]
    on_error: NotRequired[Literal["fail", "continue"]]
    type: Literal["approval"]
    config: ApprovalStepConfig


class ApprovalStepConfig(TypedDict):
    title: str
    body: NotRequired[str]
    required_approvals: NotRequired[int]
    deciders: NotRequired[Deciders]
    expires_in_seconds: NotRequired[int]


class ApprovalsDecideItemsItem(TypedDict):
    id: str
    payload_digest: str


class BindingTerms(TypedDict):
    service: str
    operations: Sequence[Union[Literal["*"], str]]
    app_id: NotRequired[str]
    monthly_cap_cents: NotRequired[int]
    daily_request_limit: NotRequired[int]
    approval_threshold_cents: NotRequired[int]
    per_operation: NotRequired[Mapping[str, OperationCaps]]
    enabled: NotRequired[bool]


class ConditionStep(TypedDict):
    label: str
    retry: NotRequired[StepRetry]
    timeout_ms: NotRequired[int]
    on_error: NotRequired[Literal["fail", "continue"]]
    type: Literal["condition"]
    config: ConditionStepConfig


class ConditionStepConfig(TypedDict):
    expression: str


class CreatePolicyInput(TypedDict):
    name: str
    position: NotRequired[int]
    enabled: NotRequired[bool]
    when: str
    then: Literal["allow", "block", "require_approval"]
    required_approvals: NotRequired[int]
    deciders: NotRequired[Deciders]
    expires_in_seconds: NotRequired[int]
    reason: NotRequired[str]


class Deciders(TypedDict):
    roles: NotRequired[Sequence[Literal["owner", "admin", "operator", "member", "viewer"]]]
    user_ids: NotRequired[Sequence[str]]


class DelayStep(TypedDict):
    label: str
    retry: NotRequired[StepRetry]
    timeout_ms: NotRequired[int]
    on_error: NotRequired[Literal["fail", "continue"]]
    type: Literal["delay"]
    config: DelayStepConfig


class DelayStepConfig(TypedDict):
    seconds: NotRequired[Union[int, str]]
    until: NotRequired[str]


class DelegationStep(TypedDict):
    label: str
    retry: NotRequired[StepRetry]
    timeout_ms: NotRequired[int]
    on_error: NotRequired[Literal["fail", "continue"]]
    type: Literal["delegation"]
    config: DelegationStepConfig


class DelegationStepConfig(TypedDict):
    to_agent_id: str
    goal: str
    input: NotRequired[Any]
    budget_cents: Union[int, str]
    services: Sequence[str]
    deadline_seconds: NotRequired[Union[int, str]]


class DeviceCommandError(TypedDict):
    code: str
    message: str


class DevicePlan(TypedDict):
    version: Literal[1]
    tool: Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"]
    input: Mapping[str, Any]
    directory: NotRequired[str]
    program: NotRequired[DevicePlanProgram]
    target: NotRequired[str]
    files: NotRequired[Sequence[DevicePlanFilesItem]]
    files_omitted: NotRequired[int]
    sandbox: NotRequired[Literal["bubblewrap", "none"]]
    network: NotRequired[Literal["on", "off"]]
    timeout_seconds: int


class DevicePlanProgram(TypedDict):
    path: str
    real_path: str


class DevicesHeartbeatRunningItem(TypedDict):
    command_id: str
    lease: int
    last_seq: NotRequired[int]


class HttpOperationTest(TypedDict):
    result: NotRequired[Any]
    ceiling_cents: NotRequired[int]


class KnowledgeFilter(TypedDict):
    document_id: NotRequired[Union[str, Sequence[str]]]
    content_type: NotRequired[Union[Literal["text/plain", "text/markdown", "text/html", "application/pdf", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"], Sequence[Literal["text/plain", "text/markdown", "text/html", "application/pdf", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"]]]]
    title: NotRequired[str]


class LocalTool(TypedDict):
    name: str
    description: NotRequired[str]
    input_schema: Mapping[str, Any]


class LocalToolResult(TypedDict):
    call_id: str
    output: NotRequired[Any]
    error: NotRequired[Any]


class MemoryReadStep(TypedDict):
    label: str
    retry: NotRequired[StepRetry]
    timeout_ms: NotRequired[int]
    on_error: NotRequired[Literal["fail", "continue"]]
    type: Literal["memory_read"]
    config: MemoryReadStepConfig


class MemoryReadStepConfig(TypedDict):
    q: NotRequired[str]
    tag: NotRequired[str]
    limit: NotRequired[Union[int, str]]


class MemoryWriteStep(TypedDict):
    label: str
    retry: NotRequired[StepRetry]
    timeout_ms: NotRequired[int]
    on_error: NotRequired[Literal["fail", "continue"]]
    type: Literal["memory_write"]
    config: MemoryWriteStepConfig


class MemoryWriteStepConfig(TypedDict):
    content: str
    kind: NotRequired[str]
    tags: NotRequired[Union[Sequence[str], str]]
    importance: NotRequired[Union[float, str]]
    expires_at: NotRequired[str]


class NoticePlacesChange(TypedDict):
    desktop: NotRequired[bool]
    browser: NotRequired[bool]
    email: NotRequired[bool]
    channel: NotRequired[bool]


class NotificationsSubscribeKeys(TypedDict):
    p256dh: str
    auth: str


class OperationAsync(TypedDict):
    mode: Literal["poll", "callback"]
    ref: str
    interval_ms: NotRequired[int]
    path: NotRequired[str]
    method: NotRequired[Literal["GET", "POST"]]
    status: str
    executed: Sequence[Union[str, float, bool]]
    failed: Sequence[Union[str, float, bool]]
    blocked: NotRequired[Sequence[Union[str, float, bool]]]
    result: NotRequired[str]
    cost_cents: NotRequired[str]
    detail: NotRequired[str]
    deadline_ms: NotRequired[int]
    secret: NotRequired[str]


class OperationCaps(TypedDict):
    monthly_cap_cents: NotRequired[int]
    daily_request_limit: NotRequired[int]
    approval_threshold_cents: NotRequired[int]


class OperationPriceOption(TypedDict):
    type: Literal["fixed"]
    cents: int


class OperationPriceOption2(TypedDict):
    type: Literal["quoted"]
    ceiling: str
    estimate: NotRequired[str]
    actual: NotRequired[str]


class PriceOption(TypedDict):
    type: Literal["fixed"]
    cents: int


class PriceOption2(TypedDict):
    type: Literal["quoted"]
    ceiling: str
    estimate: NotRequired[str]
    actual: NotRequired[str]


class Remember(TypedDict):
    max_cost_cents: int
    expires_at: str
    max_total_cents: NotRequired[int]
    max_uses: NotRequired[int]
    when: NotRequired[str]
    apply_to_pending: NotRequired[bool]


class RunWorkflowStep(TypedDict):
    label: str
    retry: NotRequired[StepRetry]
    timeout_ms: NotRequired[int]
    on_error: NotRequired[Literal["fail", "continue"]]
    type: Literal["run_workflow"]
    config: RunWorkflowStepConfig


class RunWorkflowStepConfig(TypedDict):
    workflow_id: str
    input: NotRequired[Any]


class ServiceAuth(TypedDict):
    type: Literal["none", "bearer", "basic", "header", "query", "oauth_app"]
    secret: NotRequired[str]
    header: NotRequired[str]
    param: NotRequired[str]
    app: NotRequired[str]


class ServiceCallStep(TypedDict):
    label: str
    retry: NotRequired[StepRetry]
    timeout_ms: NotRequired[int]
    on_error: NotRequired[Literal["fail", "continue"]]
    type: Literal["service_call"]
    config: ServiceCallStepConfig


class ServiceCallStepConfig(TypedDict):
    service: str
    operation: str
    payload: NotRequired[Any]


class ServiceRequestAction(TypedDict):
    type: Literal["service_request"]
    service: str
    operation: str
    payload: NotRequired[Mapping[str, Any]]


class ServicesCreateDefaultPrice(TypedDict):
    type: Literal["fixed"]
    cents: int


class ServicesCreatePricesValue(TypedDict):
    type: Literal["fixed"]
    cents: int


class ServicesUpdateDefaultPrice(TypedDict):
    type: Literal["fixed"]
    cents: int


class StepRetry(TypedDict):
    max_attempts: int
    backoff_ms: NotRequired[int]


class TaskError(TypedDict):
    code: str
    message: str


class TokensPrice(TypedDict):
    type: Literal["tokens"]
    default: NotRequired[TokensPriceDefault]


class TokensPriceDefault(TypedDict):
    prompt: str
    completion: str


class WebhookStep(TypedDict):
    label: str
    retry: NotRequired[StepRetry]
    timeout_ms: NotRequired[int]
    on_error: NotRequired[Literal["fail", "continue"]]
    type: Literal["webhook"]
    config: WebhookStepConfig


class WebhookStepConfig(TypedDict):
    url: str
    body: NotRequired[Any]
    headers: NotRequired[Mapping[str, str]]
    secret: NotRequired[str]
    callback_within_seconds: NotRequired[int]


class WorkflowAction(TypedDict):
    type: Literal["workflow"]
    workflow_id: str
    input: NotRequired[Mapping[str, Any]]


class WorkflowDefinition(TypedDict):
    steps: Sequence[WorkflowStep]
    edges: Sequence[WorkflowEdge]
    input_schema: NotRequired[Mapping[str, Any]]
    output: NotRequired[Any]


DevicePlanFilesItem = TypedDict(
    "DevicePlanFilesItem",
    {
        "path": "str",
        "sha256": "str",
        "bytes": "int",
    },
)


FiringAction = Union[ServiceRequestAction, WorkflowAction]


Price = Union[PriceOption, PriceOption2]


HttpOperation = TypedDict(
    "HttpOperation",
    {
        "name": "str",
        "title": NotRequired["str"],
        "description": NotRequired["str"],
        "payload_schema": "Mapping[str, Any]",
        "summary": NotRequired["Sequence[str]"],
        "example": NotRequired["Mapping[str, Any]"],
        "response_schema": NotRequired["Mapping[str, Any]"],
        "price": "Price",
        "idempotent": NotRequired["bool"],
        "unknown": NotRequired["Literal[\"fail\", \"hold\"]"],
        "timeout_ms": NotRequired["int"],
        "test": NotRequired["HttpOperationTest"],
        "method": "Literal[\"GET\", \"HEAD\", \"POST\", \"PUT\", \"PATCH\", \"DELETE\"]",
        "path": "str",
        "query": NotRequired["Mapping[str, Union[str, float, bool]]"],
        "query_style": NotRequired["Literal[\"form\", \"deepObject\"]"],
        "headers": NotRequired["Mapping[str, str]"],
        "body": NotRequired["Any"],
        "body_type": NotRequired["Literal[\"json\", \"form\", \"multipart\", \"text\"]"],
        "result": NotRequired["str"],
        "async": NotRequired["OperationAsync"],
    },
)


OperationPrice = Union[OperationPriceOption, OperationPriceOption2, TokensPrice]


QuietHours = TypedDict(
    "QuietHours",
    {
        "from": "str",
        "to": "str",
    },
)


WorkflowEdge = TypedDict(
    "WorkflowEdge",
    {
        "from": "str",
        "to": "str",
        "when": NotRequired["str"],
    },
)


WorkflowStep = Union[ServiceCallStep, RunWorkflowStep, ConditionStep, DelayStep, ApprovalStep, AgentRequestStep, DelegationStep, WebhookStep, MemoryReadStep, MemoryWriteStep]
