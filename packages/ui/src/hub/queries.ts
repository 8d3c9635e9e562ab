/**
 * Every query of the console, by resource: each endpoint, key, and shape of its data is defined here and nowhere else.
 * A screen adds only when it reads (`enabled`, `refetchInterval`). `workspace` null: for the person.
 */
import type { Input, ListName, Output, Row } from "@countersign/hub-client/contract"
import type { QueryClient } from "@tanstack/react-query"
import { hubAll, hubOf, hubPage, hubPages, hubQuery } from "./query-options.ts"

type Filters<E extends ListName> = Input<E> extends { readonly query?: infer Query }
  ? Omit<NonNullable<Query>, "cursor" | "limit">
  : never

/** Maximum rows of one answer; a name beyond them is shown by its id. */
const rowsMax = 200

/* Session */

/** Every workspace of the person with its settings, including `frozen`. Any beyond the first 200 open by their links. */
export const workspacesQuery = hubQuery("workspaces.list", null, { query: { limit: rowsMax } })
/** The person and their permissions in a workspace; null means the session's own workspace. */
export const meQuery = (workspace: string | null) => hubQuery("auth.me", workspace, {})
export const sessionPages = hubPages("auth.sessions", null, {})
export const factorsQuery = hubQuery("factors.list", null, {})
/** A new secret for each dialog. */
export const totpOptionsQuery = {
  ...hubQuery("factors.totpOptions", null, {}),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  refetchOnWindowFocus: false
}
export const identitiesQuery = hubQuery("oidc.identities", null, {})
export const signInMethodsQuery = hubQuery("oidc.methods", null, {})
export const setupQuery = hubQuery("setup.state", null, {})
export const healthQuery = hubQuery("discovery.health", null, {})
/** The person's own views and the shared ones, of every screen. */
export const viewChoices = (workspace: string) => hubAll("views.list", workspace)
export const searchQuery = (workspace: string, q: string) => hubQuery("search.find", workspace, { query: { q } })

/* Notices */

export const notificationSettingsQuery = (workspace: string) => hubQuery("notifications.settings", workspace, {})
export const mailPreviewQuery = (workspace: string, event: MailEvent) =>
  hubQuery("notifications.preview", workspace, { query: { event } })
export type MailEvent = NonNullable<NonNullable<Input<"notifications.preview">["query"]>["event"]>
/** The person's subscribed browsers. */
export const browsersQuery = hubQuery("notifications.subscriptions", null, {})
export const pushKeyQuery = hubQuery("notifications.pushKey", null, {})

/* Agents */

/** The newest agents. */
export const agentChoices = (workspace: string) => hubQuery("agents.list", workspace, { query: { limit: rowsMax } })
export const agentPages = (
  workspace: string,
  filters: Pick<Filters<"agents.list">, "q" | "status" | "sort" | "team_id">
) => hubPages("agents.list", workspace, { query: filters })
export const agentQuery = (workspace: string, id: string) => hubQuery("agents.get", workspace, { params: { id } })
/** Health of the first 200 agents. */
export const fleetQuery = (workspace: string) =>
  hubQuery("agents.fleetHealth", workspace, { query: { limit: rowsMax } })
/** Every agent with its month. */
export const fleetPages = (workspace: string) => hubPages("agents.fleetHealth", workspace, { query: {} })
export const budgetQuery = (workspace: string, id: string) => hubQuery("budgets.get", workspace, { params: { id } })
/** Only the newest; agents' pages show their older alerts too. */
export const alertsQuery = (workspace: string) => hubQuery("budgets.alerts", workspace, { query: { limit: rowsMax } })

/* Families, tasks, skills, conversations, and memories of agents */

/**
 * The children of an agent by name; `none`: the agents without a parent. Every loaded page is kept, because a tree
 * shows all of them.
 */
export const familyPages = (workspace: string, parent: string) => ({
  ...hubPages("agents.list", workspace, { query: { parent_agent_id: parent, sort: "name" } }),
  maxPages: 0
})
/** The workspace's assistant, or no row. */
export const assistantQuery = (workspace: string) =>
  hubQuery("agents.list", workspace, { query: { kind: "yupi", limit: 1 } })

export const taskPages = (workspace: string, filters: Filters<"delegated_tasks.listAll">) =>
  hubPages("delegated_tasks.listAll", workspace, { query: filters })
export const agentTaskPages = (workspace: string, id: string) =>
  hubPages("delegated_tasks.list", workspace, { params: { id } })
export const taskQuery = (workspace: string, id: string) =>
  hubQuery("delegated_tasks.get", workspace, { params: { taskId: id } })

export const skillPages = (workspace: string, id: string) => hubPages("skills.list", workspace, { params: { id } })
export const proposalPages = (workspace: string, id: string) =>
  hubPages("skills.listProposals", workspace, { params: { id } })
export const conversationPages = (workspace: string, id: string) =>
  hubPages("conversations.list", workspace, { params: { id } })
/** With a page of its messages, newest first. */
export const conversationQuery = (workspace: string, id: string, cid: string, cursor: string | undefined) =>
  hubQuery("conversations.get", workspace, { params: { id, cid }, query: cursor === undefined ? {} : { cursor } })
/** Newest first; with `q` the nearest in meaning. */
export const memoryPages = (workspace: string, id: string, filters: Filters<"memories.list">) =>
  hubPages("memories.list", workspace, { params: { id }, query: filters })
export const latestMemories = (workspace: string, id: string) =>
  hubQuery("memories.list", workspace, { params: { id }, query: { limit: 3 } })
export const memoryQuery = (workspace: string, id: string, memoryId: string) =>
  hubQuery("memories.get", workspace, { params: { id, memoryId } })
export const memoryGraphQuery = (workspace: string, id: string) =>
  hubQuery("memories.graph", workspace, { params: { id } })
export const activityPages = (workspace: string, id: string, filters: Filters<"activity.list">) =>
  hubPages("activity.list", workspace, { params: { id }, query: filters })

/* Catalog and secrets */

export type Service = Output<"services.get">
/** A service without its operations' schemas. */
export type ServiceRow = Row<"services.list">
export type Operation = Service["operations"][number]
export type Price = Operation["price"]

/** The whole catalog ordered by name: a workspace may declare 500 services in addition to the built-in ones. */
export const allServices = (workspace: string) => hubAll("services.list", workspace)
/** With the schemas of the payloads. */
export const serviceQuery = (workspace: string, name: string) =>
  hubQuery("services.get", workspace, { params: { name } })
/** Of an MCP service. */
export const toolsQuery = (workspace: string, name: string) =>
  hubQuery("mcp_tools.list", workspace, { params: { name } })
export const secretChoices = (workspace: string) => hubQuery("secrets.list", workspace, { query: { limit: rowsMax } })
export const secretPages = (workspace: string) => hubPages("secrets.list", workspace, { query: {} })

/* Apps */

export type AppRow = Row<"apps.list">
export type AppProviderRow = Row<"apps.providers">

export const appPages = (workspace: string) => hubPages("apps.list", workspace, { query: {} })
export const appQuery = (workspace: string, id: string) => hubQuery("apps.get", workspace, { params: { id } })
/** All of them: the hub answers them at once. */
export const appProviders = (workspace: string) => hubQuery("apps.providers", workspace, {})
/** The newest ones, as choices. */
export const appChoices = (workspace: string) => hubQuery("apps.list", workspace, { query: { limit: rowsMax } })

/* Storage */

export type ObjectRow = Row<"storage.list">

/** The files directly in a folder, by key. */
export const objectPages = (workspace: string, prefix: string) =>
  hubPages("storage.list", workspace, { query: { prefix, delimiter: "/", sort: "key" } })
export const deletedObjectPages = (workspace: string) =>
  hubPages("storage.list", workspace, { query: { status: "deleted" } })
/** The folders directly in a folder, by name: the first 1,000. */
export const foldersQuery = (workspace: string, prefix: string) =>
  hubQuery("storage.folders", workspace, { query: { prefix } })
export const objectQuery = (workspace: string, id: string) => hubQuery("storage.get", workspace, { params: { id } })
export const storageUsageQuery = (workspace: string) => hubQuery("storage.usage", workspace, {})

/* Knowledge */

export type CollectionRow = Row<"knowledge.listCollections">
export type DocumentRow = Row<"knowledge.listDocuments">
export type PassageRow = Row<"knowledge.listPassages">

export const collectionPages = (workspace: string, q: string | undefined) =>
  hubPages("knowledge.listCollections", workspace, { query: q === undefined ? {} : { q } })
export const collectionQuery = (workspace: string, id: string) =>
  hubQuery("knowledge.getCollection", workspace, { params: { id } })
export const documentPages = (workspace: string, id: string) =>
  hubPages("knowledge.listDocuments", workspace, { params: { id }, query: {} })
export const documentQuery = (workspace: string, id: string, docId: string) =>
  hubQuery("knowledge.getDocument", workspace, { params: { id, docId } })
/** The passages of a document from a number on. */
export const passagePages = (workspace: string, id: string, docId: string, from: number) =>
  hubPages("knowledge.listPassages", workspace, { params: { id, docId }, query: { from } })
/** Asked once: the same question is not paid for again when the window gets the focus. */
export const answersQuery = (workspace: string, id: string, query: string) => ({
  ...hubQuery("knowledge.query", workspace, { params: { id }, payload: { query } }),
  staleTime: Number.POSITIVE_INFINITY
})
/** The first files whose keys begin with `prefix`. */
export const objectChoices = (workspace: string, prefix: string, limit: number) =>
  hubQuery("storage.list", workspace, { query: { prefix, sort: "key", limit } })

/* Requests */

export type ServiceRequestRow = Row<"service_requests.list">

/** `to` is exclusive: see `untilMoment`. */
export const requestPages = (workspace: string, filters: Filters<"service_requests.list">) =>
  hubPages("service_requests.list", workspace, { query: filters })
export const requestQuery = (workspace: string, id: string) =>
  hubQuery("service_requests.get", workspace, { params: { id } })
export const traceQuery = (workspace: string, id: string) => hubQuery("traces.get", workspace, { params: { id } })

/* Approvals */

/** Maximum rows that offer values for the filters; the popover says that there are other rows. */
const choiceRowsMax = 100

export const pendingCountQuery = hubQuery("approvals.counts", null, { query: { workspace: "all" } })
/** Of all workspaces of the person. */
export const approvalPages = (filters: Filters<"approvals.list">) =>
  hubPages("approvals.list", null, { query: filters })
/** Unfiltered, for the choices of the filters while the list is filtered. */
export const approvalChoices = hubQuery("approvals.list", null, { query: { workspace: "all", limit: choiceRowsMax } })
export const approvalQuery = (workspace: string, id: string) => hubQuery("approvals.get", workspace, { params: { id } })
/** One row if a person ever decided in the workspace. */
export const firstDecisionQuery = (workspace: string) =>
  hubQuery("approvals.list", workspace, { query: { status: ["approved", "rejected"], limit: 1 } })
export const standingPages = (workspace: string, agent: string | undefined) =>
  hubPages("standing_approvals.list", workspace, { query: agent === undefined ? {} : { agent_id: agent } })
/** As many as the banner counts. */
export const standingQuery = (workspace: string) =>
  hubQuery("standing_approvals.list", workspace, { query: { limit: choiceRowsMax } })
/** Depends on what is being typed, so it is not kept. */
export const standingPreview = (workspace: string, input: Input<"standing_approvals.preview">) => ({
  ...hubQuery("standing_approvals.preview", workspace, input),
  gcTime: 0
})

/* Agent requests and budget requests */

export const openAgentRequests = (workspace: string) =>
  hubAll("agent_requests.list", workspace, { query: { status: "open" } })
export const pendingBudgetRequests = (workspace: string) =>
  hubAll("budget_requests.list", workspace, { query: { status: "pending" } })
/** The newest ones of every status. */
export const agentRequestChoices = (workspace: string) =>
  hubQuery("agent_requests.list", workspace, { query: { limit: rowsMax } })
export const budgetRequestChoices = (workspace: string) =>
  hubQuery("budget_requests.list", workspace, { query: { limit: rowsMax } })
export const agentRequestQuery = (workspace: string, id: string) =>
  hubQuery("agent_requests.get", workspace, { params: { id } })
export const budgetRequestQuery = (workspace: string, id: string) =>
  hubQuery("budget_requests.get", workspace, { params: { id } })

/* Policies */

export type Policy = Row<"policies.list">

/** All of them: a workspace has at most 200. */
export const policiesQuery = (workspace: string) => hubQuery("policies.list", workspace, { query: { limit: rowsMax } })
export const policyQuery = (workspace: string, id: string) => hubQuery("policies.get", workspace, { params: { id } })
/** Depends on what is being typed, so it is not kept. */
export const policyReplay = (workspace: string, input: Input<"policies.test">) => ({
  ...hubQuery("policies.test", workspace, input),
  gcTime: 0
})

/* Devices */

export type Device = Output<"devices.get">
export type DeviceSession = Row<"device_sessions.list">
export type Command = Output<"device_commands.get">
export type Pairing = Output<"device_pairing.get">
export type Tool = Device["capabilities"][number]

/** Contact with a device is not an event, so its age is polled. */
const presenceMillis = 10_000
/** The hub's maximum page size; older sessions are not offered. */
const sessionsMax = 50
const runningMax = 10

export const devicePages = (workspace: string, filters: Pick<Filters<"devices.list">, "q" | "state">) => ({
  ...hubPages("devices.list", workspace, { query: filters }),
  refetchInterval: presenceMillis
})
export const deviceQuery = (workspace: string, id: string) => ({
  ...hubQuery("devices.get", workspace, { params: { id } }),
  refetchInterval: presenceMillis
})
export const sessionsQuery = (workspace: string, device: string) =>
  hubQuery("device_sessions.list", workspace, { query: { device_id: device, limit: sessionsMax } })
export const commandPages = (
  workspace: string,
  session: string,
  filters: Pick<Filters<"device_sessions.commands">, "status">
) => hubPages("device_sessions.commands", workspace, { params: { id: session }, query: filters })
export const runningCommands = (workspace: string, session: string) =>
  hubQuery("device_sessions.commands", workspace, {
    params: { id: session },
    query: { limit: runningMax, status: "running" }
  })
export const commandQuery = (workspace: string, id: string) =>
  hubQuery("device_commands.get", workspace, { params: { id } })
export const pairingQuery = (workspace: string, code: string) => ({
  ...hubQuery("device_pairing.get", workspace, { params: { code } }),
  // A wrong code counts against the person, so it is not retried.
  queryFn: ({ client, signal }: { readonly client: QueryClient; readonly signal: AbortSignal }) =>
    hubOf(client).call("device_pairing.get", { params: { code } }, { signal, workspace, once: true }),
  staleTime: Number.POSITIVE_INFINITY,
  retryOnMount: false,
  refetchOnWindowFocus: false
})

/** A program that wants to sign in, by its code. */
export const deviceSignInQuery = (userCode: string) => ({
  ...hubQuery("device_sign_in.get", null, { params: { userCode } }),
  // A wrong code counts against the person, so it is not retried.
  queryFn: ({ client, signal }: { readonly client: QueryClient; readonly signal: AbortSignal }) =>
    hubOf(client).call("device_sign_in.get", { params: { userCode } }, { signal, once: true }),
  staleTime: Number.POSITIVE_INFINITY,
  retryOnMount: false,
  refetchOnWindowFocus: false
})

/* Audit */

export type AuditRow = Row<"audit.list">
export type AuditFilters = Filters<"audit.list">

/** `to` is exclusive: see `untilMoment`. */
export const auditPages = (workspace: string, filters: AuditFilters) =>
  hubPages("audit.list", workspace, { query: filters })
/** The newest entry: its number is the length of the log. */
export const auditHead = (workspace: string) => hubQuery("audit.list", workspace, { query: { limit: 1 } })
/** One entry by its number; no row if it does not exist. */
export const auditEntry = (workspace: string, seq: number) =>
  hubQuery("audit.list", workspace, { query: { seq, limit: 1 } })
/** The newest entries of one action. */
export const auditQuery = (workspace: string, action: string, limit: number) =>
  hubQuery("audit.list", workspace, { query: { action, limit } })

/* Money and usage */

export type LedgerRow = Row<"ledger.list">

export const balanceQuery = (workspace: string) => hubQuery("ledger.balance", workspace, { query: {} })
export const ledgerPages = (workspace: string, filters: Filters<"ledger.list">) =>
  hubPages("ledger.list", workspace, { query: filters })

export type Payment = Row<"billing.list">
export type PromoCode = Row<"promo.list">

export const paymentPages = (workspace: string, filters: Filters<"billing.list">) =>
  hubPages("billing.list", workspace, { query: filters })
/** One row if a payment was ever begun. */
export const firstPaymentQuery = (workspace: string) => hubQuery("billing.list", workspace, { query: { limit: 1 } })
export const paymentQuery = (workspace: string, id: string) => hubQuery("billing.get", workspace, { params: { id } })
export const promoPages = (workspace: string) => hubPages("promo.list", workspace, { query: {} })

/* Publications */

export type Listing = Row<"publishing.listings">
export type Publication = Row<"publishing.listPublications">
export type PublishRequest = Row<"publishing.listRequests">

export const listingPages = (workspace: string, filters: Filters<"publishing.listings">) =>
  hubPages("publishing.listings", workspace, { query: filters })
export const publicationPages = (workspace: string, filters: Filters<"publishing.listPublications">) =>
  hubPages("publishing.listPublications", workspace, { query: filters })
export const publishRequestPages = (workspace: string, filters: Filters<"publishing.listRequests">) =>
  hubPages("publishing.listRequests", workspace, { query: filters })

/* Workflows and their runs */

export type Workflow = Row<"workflows.list">
export type WorkflowVersion = Row<"workflows.listVersions">
export type WorkflowTemplate = Output<"workflows.templates">["data"][number]

export const workflowPages = (workspace: string, filters: Filters<"workflows.list">) =>
  hubPages("workflows.list", workspace, { query: filters })
/** The newest ones, as choices. */
export const workflowChoices = (workspace: string) =>
  hubQuery("workflows.list", workspace, { query: { limit: rowsMax } })
export const workflowQuery = (workspace: string, id: string) => hubQuery("workflows.get", workspace, { params: { id } })
/** Versions have whole definitions, so a page is small. */
export const versionPages = (workspace: string, id: string) =>
  hubPages("workflows.listVersions", workspace, { params: { id }, query: {} })
/** A version never changes. */
export const versionQuery = (workspace: string, id: string, versionId: string) => ({
  ...hubQuery("workflows.getVersion", workspace, { params: { id, versionId } }),
  staleTime: Number.POSITIVE_INFINITY
})
/** Depends on what is being typed, so it is not kept. */
export const definitionCheck = (
  workspace: string,
  id: string,
  payload: Input<"workflows.createVersion">["payload"]
) => ({
  ...hubQuery("workflows.createVersion", workspace, { params: { id }, query: { dry_run: "true" }, payload }),
  gcTime: 0
})
export const workflowTemplates = (workspace: string) => hubQuery("workflows.templates", workspace, {})

export type WorkflowRunRow = Row<"workflow_runs.list">
export type WorkflowRun = Output<"workflow_runs.get">
export type RunStep = WorkflowRun["steps"][number]

export const workflowRunPages = (workspace: string, filters: Filters<"workflow_runs.list">) =>
  hubPages("workflow_runs.list", workspace, { query: filters })
/** As many as the workflow's page shows. */
export const latestRuns = (workspace: string, workflow: string) =>
  hubQuery("workflow_runs.list", workspace, { query: { workflow_id: workflow, limit: 5 } })
export const workflowRunQuery = (workspace: string, runId: string) =>
  hubQuery("workflow_runs.get", workspace, { params: { runId } })

/* Schedules and triggers */

export type ScheduledTask = Row<"scheduled_tasks.list">
export type ScheduleRun = Row<"scheduled_tasks.listRuns">
export type Trigger = Row<"triggers.list">
export type TriggerDelivery = Row<"triggers.listDeliveries">
/** What a schedule or a trigger does. */
export type FiringAction = ScheduledTask["action"]

export const schedulePages = (workspace: string, filters: Filters<"scheduled_tasks.list">) =>
  hubPages("scheduled_tasks.list", workspace, { query: filters })
export const scheduleQuery = (workspace: string, id: string) =>
  hubQuery("scheduled_tasks.get", workspace, { params: { id } })
export const scheduleRunPages = (workspace: string, id: string) =>
  hubPages("scheduled_tasks.listRuns", workspace, { params: { id }, query: {} })
export const triggerPages = (workspace: string, filters: Filters<"triggers.list">) =>
  hubPages("triggers.list", workspace, { query: filters })
export const triggerQuery = (workspace: string, id: string) => hubQuery("triggers.get", workspace, { params: { id } })
export const deliveryPages = (workspace: string, id: string) =>
  hubPages("triggers.listDeliveries", workspace, { params: { id }, query: {} })

/* Channels of messengers, and the person's accounts there */

export type NoticeChannel = Row<"notice_channels.list">
export type MessengerLink = Row<"messenger_links.list">

export const channelPages = (workspace: string) => hubPages("notice_channels.list", workspace, { query: {} })
export const linkedAccountPages = hubPages("messenger_links.list", null, { query: {} })

/* Chat and models */

export type ChatSession = Row<"chat.list">
export type ChatTurn = Output<"chat.getTurn">
export type ChatThread = Output<"chat.get">
export type Model = Output<"models.list">["data"][number]

/** Active sessions, newest first. */
export const chatSessions = (workspace: string) => hubAll("chat.list", workspace)
/** With a page of its messages of all branches, newest first. */
export const chatQuery = (workspace: string, id: string, cursor: string | undefined) =>
  hubQuery("chat.get", workspace, {
    params: { id },
    query: { limit: rowsMax, ...cursor === undefined ? {} : { cursor } }
  })
export const turnQuery = (workspace: string, id: string) => hubQuery("chat.getTurn", workspace, { params: { id } })
/** The whole catalog. A hub keeps a provider's list for an hour. */
export const modelsQuery = (workspace: string) => ({
  ...hubQuery("models.list", workspace, { query: {} }),
  staleTime: 3_600_000
})
export const voicesQuery = (workspace: string) => ({
  ...hubQuery("speech.voices", workspace, {}),
  staleTime: 3_600_000
})
export const favoriteModels = (workspace: string) => hubQuery("models.favorites", workspace, {})

/* Webhook endpoints */

export type WebhookEndpoint = Row<"webhook_endpoints.list">
export type WebhookDelivery = Row<"webhook_endpoints.listDeliveries">

export const webhookPages = (workspace: string) => hubPages("webhook_endpoints.list", workspace, { query: {} })
export const webhookQuery = (workspace: string, id: string) =>
  hubQuery("webhook_endpoints.get", workspace, { params: { id } })
export const webhookDeliveryPages = (workspace: string, id: string, status: WebhookDelivery["status"] | undefined) =>
  hubPages("webhook_endpoints.listDeliveries", workspace, {
    params: { id },
    query: status === undefined ? {} : { status }
  })

export type ChartBy = "service" | "operation" | "agent"

/** Whole UTC days, both inclusive, as the hub accepts them. */
export interface UsageScope {
  readonly agent_id?: string
  readonly service?: string
  readonly operation?: string
  readonly mode?: "live" | "test"
  readonly from: string
  readonly to: string
}

export const usageInput = ({ agent_id, ...scope }: UsageScope) => ({
  ...scope,
  ...agent_id === undefined ? {} : { agentId: agent_id }
})

const report = (workspace: string, query: NonNullable<Input<"usage.report">["query"]>) =>
  hubPage("usage.report", workspace, { query })

export const chartQuery = (workspace: string, scope: UsageScope) =>
  report(workspace, { ...usageInput(scope), includeChart: "true", limit: 1 })
export const partsQuery = (workspace: string, scope: UsageScope, by: ChartBy) =>
  report(workspace, { ...usageInput(scope), chartBy: by, limit: 1 })
export const totalsQuery = (workspace: string, scope: UsageScope) =>
  report(workspace, { ...usageInput(scope), limit: 1 })
/** Sums of executed requests on a UTC day. */
export const dayQuery = (workspace: string, day: string) => report(workspace, { from: day, to: day, limit: 1 })
export const recordPages = (workspace: string, scope: UsageScope) =>
  hubPages("usage.report", workspace, { query: usageInput(scope) })

/* Teams */

export type Team = Row<"teams.list">
export type TeamMember = Row<"teams.members">

/** Every team: a workspace has at most 1,000. */
export const allTeams = (workspace: string) => hubAll("teams.list", workspace)
export const teamMemberPages = (workspace: string, id: string) =>
  hubPages("teams.members", workspace, { params: { id } })
export const allTeamMembers = (workspace: string, id: string) => hubAll("teams.members", workspace, { params: { id } })
export const teamBudgetQuery = (workspace: string, id: string) =>
  hubQuery("teams.budget", workspace, { params: { id } })
/** The newest agents of a team, as many as its page shows. */
export const teamAgents = (workspace: string, team: string, limit: number) =>
  hubQuery("agents.list", workspace, { query: { team_id: team, limit } })

/* Members, invites, and tokens */

export const memberChoices = (workspace: string) => hubQuery("members.list", workspace, { query: { limit: rowsMax } })
export const allMembers = (workspace: string) => hubAll("members.list", workspace)
export const memberPages = (workspace: string) => hubPages("members.list", workspace, {})
/** What another person must take over when the member is removed. */
export const holdingsQuery = (workspace: string, user: string) =>
  hubQuery("members.holdings", workspace, { params: { userId: user } })
export type Invite = Row<"invites.list">
export const invitePages = (workspace: string) => hubPages("invites.list", workspace, { params: { id: workspace } })
/** An invite as its recipient sees it. */
export const inviteQuery = (token: string) => ({
  ...hubQuery("invites.get", null, { params: { token } }),
  staleTime: Number.POSITIVE_INFINITY
})
export const tokenPages = (workspace: string) => hubPages("tokens.list", workspace, {})
