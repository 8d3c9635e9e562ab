/**
 * The whole contract as one value: the hub serves it, the client is derived from it, and the OpenAPI text is generated
 * from it.
 */
import { HttpApi, HttpApiMiddleware, OpenApi } from "effect/http-api"
import { ActivityGroup } from "./activity.ts"
import { AgentRequestsGroup } from "./agent-requests.ts"
import { AgentsGroup } from "./agents.ts"
import { ApprovalsGroup, StandingApprovalsGroup } from "./approvals.ts"
import { AppCallbackGroup, AppsGroup } from "./apps.ts"
import { AuditGroup } from "./audit.ts"
import { BillingGroup, PaymentHooksGroup } from "./billing.ts"
import { BindingsGroup } from "./bindings.ts"
import { BudgetRequestsGroup } from "./budget-requests.ts"
import { BudgetsGroup } from "./budgets.ts"
import { CatalogGroup } from "./catalog.ts"
import { ChatGroup } from "./chat.ts"
import { ConversationsGroup } from "./conversations.ts"
import { DelegatedTasksGroup } from "./delegated-tasks.ts"
import { DeviceSignInGroup } from "./device-sign-in.ts"
import { DeviceCommandsGroup, DevicePairingGroup, DeviceSessionsGroup, DevicesGroup } from "./devices.ts"
import { DiscoveryGroup } from "./discovery.ts"
import { BadRequest, NotFound } from "./errors.ts"
import { EventsGroup } from "./events.ts"
import { FactorsGroup } from "./factors.ts"
import { FamiliesGroup } from "./families.ts"
import { AuthGroup } from "./identity.ts"
import { InvitesGroup } from "./invites.ts"
import { KnowledgeGroup } from "./knowledge.ts"
import { LedgerGroup } from "./ledger.ts"
import { McpToolsGroup } from "./mcp-services.ts"
import { MembersGroup } from "./members.ts"
import { MemoriesGroup } from "./memories.ts"
import { MessengerHooksGroup } from "./messenger-hooks.ts"
import { MessengerLinksGroup } from "./messenger-links.ts"
import { ModelsGroup } from "./models.ts"
import { NoticeChannelsGroup } from "./notice-channels.ts"
import { NotificationsGroup } from "./notifications.ts"
import { OidcGroup } from "./oidc.ts"
import { PoliciesGroup } from "./policies.ts"
import { PromoGroup } from "./promo.ts"
import { PublishingGroup } from "./publishing.ts"
import { ScheduledTasksGroup } from "./scheduled-tasks.ts"
import { SearchGroup } from "./search.ts"
import { SecretsGroup } from "./secrets.ts"
import { ServiceRequestsGroup } from "./service-requests.ts"
import { SetupGroup } from "./setup.ts"
import { SkillsGroup } from "./skills.ts"
import { SpeechGroup } from "./speech.ts"
import { StorageBlobsGroup, StorageGroup } from "./storage.ts"
import { TeamsGroup } from "./teams.ts"
import { TimelinesGroup } from "./timelines.ts"
import { TokensGroup } from "./tokens.ts"
import { TriggerHooksGroup, TriggersGroup } from "./triggers.ts"
import { UsageGroup } from "./usage.ts"
import { ViewsGroup } from "./views.ts"
import { VoiceHooksGroup } from "./voice.ts"
import { WebhookEndpointsGroup } from "./webhook-endpoints.ts"
import { WebhooksGroup } from "./webhooks.ts"
import { WorkflowRunsGroup } from "./workflow-runs.ts"
import { WorkflowsGroup } from "./workflows.ts"
import { WorkspacesGroup } from "./workspaces.ts"

/** Turns schema errors into the error envelope. */
export class SchemaErrors extends HttpApiMiddleware.Service<SchemaErrors>()("@countersign/domain/api/SchemaErrors", {
  error: [BadRequest, NotFound]
}) {}

export class HubApi extends HttpApi.make("countersign")
  .add(ServiceRequestsGroup)
  .add(TimelinesGroup)
  .add(ApprovalsGroup)
  .add(StandingApprovalsGroup)
  .add(SetupGroup)
  .add(AuthGroup)
  .add(FactorsGroup)
  .add(DeviceSignInGroup)
  .add(OidcGroup)
  .add(MembersGroup)
  .add(TeamsGroup)
  .add(InvitesGroup)
  .add(TokensGroup)
  .add(WorkspacesGroup)
  .add(WebhooksGroup)
  .add(AuditGroup)
  .add(UsageGroup)
  .add(LedgerGroup)
  .add(BillingGroup)
  .add(PaymentHooksGroup)
  .add(PromoGroup)
  .add(EventsGroup)
  .add(DiscoveryGroup)
  .add(AgentsGroup)
  .add(FamiliesGroup)
  .add(DelegatedTasksGroup)
  .add(ActivityGroup)
  .add(AgentRequestsGroup)
  .add(SkillsGroup)
  .add(ConversationsGroup)
  .add(MemoriesGroup)
  .add(PublishingGroup)
  .add(WorkflowRunsGroup)
  .add(BindingsGroup)
  .add(BudgetsGroup)
  .add(BudgetRequestsGroup)
  .add(SearchGroup)
  .add(ViewsGroup)
  .add(SecretsGroup)
  .add(NotificationsGroup)
  .add(PoliciesGroup)
  .add(CatalogGroup)
  .add(McpToolsGroup)
  .add(AppsGroup)
  .add(AppCallbackGroup)
  .add(StorageGroup)
  .add(StorageBlobsGroup)
  .add(KnowledgeGroup)
  .add(WorkflowsGroup)
  .add(ScheduledTasksGroup)
  .add(TriggersGroup)
  .add(TriggerHooksGroup)
  .add(NoticeChannelsGroup)
  .add(MessengerLinksGroup)
  .add(MessengerHooksGroup)
  .add(VoiceHooksGroup)
  .add(WebhookEndpointsGroup)
  .add(ModelsGroup)
  .add(SpeechGroup)
  .add(ChatGroup)
  .add(DevicesGroup)
  .add(DevicePairingGroup)
  .add(DeviceSessionsGroup)
  .add(DeviceCommandsGroup)
  .middleware(SchemaErrors)
  .prefix("/api/v1")
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, {})
  .annotateMerge(OpenApi.annotations({ title: "Countersign", version: "0.2.0" }))
{}
