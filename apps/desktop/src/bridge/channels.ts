/** Channel names between a window and main. Without schemas, so that the preload contains none. */
import type { EndpointName } from "@countersign/hub-client/contract"
import { ownerChannel, ownerMethods } from "./owner.ts"

/**
 * The hub's endpoints that the console's window may call. A new endpoint is refused until it is listed here; `E5` of
 * the tests compares the list with the calls in the console's sources. Streams and downloads are listed separately.
 */
export const bridgedEndpoints = [
  "service_requests.test",
  "service_requests.list",
  "service_requests.estimate",
  "service_requests.get",
  "service_requests.settle",
  "service_requests.cancel",
  "traces.get",
  "approvals.list",
  "approvals.counts",
  "approvals.get",
  "approvals.approve",
  "approvals.reject",
  "approvals.decide",
  "approvals.edit",
  "agent_requests.list",
  "agent_requests.get",
  "agent_requests.answer",
  "budget_requests.list",
  "budget_requests.get",
  "budget_requests.decide",
  "standing_approvals.list",
  "standing_approvals.get",
  "standing_approvals.withdraw",
  "standing_approvals.preview",
  "setup.state",
  "auth.setup",
  "auth.login",
  "auth.logout",
  "auth.password",
  "auth.stepUp",
  "auth.me",
  "auth.updateMe",
  "auth.sessions",
  "auth.endSession",
  "teams.list",
  "teams.create",
  "teams.switch",
  "teams.update",
  "teams.remove",
  "teams.members",
  "teams.addMember",
  "teams.updateMember",
  "teams.removeMember",
  "teams.budget",
  "teams.moveBudget",
  "teams.allocate",
  "teams.endAllocation",
  "invites.list",
  "invites.create",
  "invites.revoke",
  "invites.get",
  "invites.accept",
  "members.list",
  "members.holdings",
  "members.update",
  "members.remove",
  "tokens.create",
  "tokens.list",
  "tokens.update",
  "tokens.revoke",
  "workspaces.list",
  "workspaces.create",
  "workspaces.update",
  "audit.list",
  "audit.verify",
  "usage.report",
  "ledger.balance",
  "ledger.topUp",
  "ledger.list",
  "billing.checkout",
  "billing.list",
  "billing.get",
  "promo.redeem",
  "promo.list",
  "promo.create",
  "promo.remove",
  "publishing.publishAgent",
  "publishing.listRequests",
  "publishing.decide",
  "publishing.listPublications",
  "publishing.revoke",
  "publishing.listings",
  "discovery.health",
  "discovery.ready",
  "agents.list",
  "agents.create",
  "agents.fleetHealth",
  "agents.get",
  "agents.update",
  "agents.remove",
  "agents.rotateKey",
  "agents.transfer",
  "families.clone",
  "activity.list",
  "skills.list",
  "skills.remove",
  "skills.listProposals",
  "skills.decideProposal",
  "conversations.list",
  "conversations.get",
  "delegated_tasks.list",
  "delegated_tasks.listAll",
  "delegated_tasks.get",
  "delegated_tasks.events",
  "bindings.put",
  "bindings.disable",
  "budgets.get",
  "budgets.set",
  "budgets.alerts",
  "search.find",
  "views.list",
  "views.create",
  "views.update",
  "views.remove",
  "secrets.list",
  "secrets.put",
  "secrets.remove",
  "policies.list",
  "policies.create",
  "policies.test",
  "policies.get",
  "policies.update",
  "policies.remove",
  "apps.list",
  "apps.providers",
  "apps.putProvider",
  "apps.create",
  "apps.get",
  "apps.update",
  "apps.remove",
  "apps.reconnect",
  "apps.revoke",
  "services.list",
  "services.create",
  "services.import",
  "services.previewImport",
  "services.get",
  "services.update",
  "services.remove",
  "devices.list",
  "devices.get",
  "devices.update",
  "device_pairing.get",
  "device_pairing.confirm",
  "device_pairing.reject",
  "device_sessions.list",
  "device_sessions.get",
  "device_sessions.update",
  "device_sessions.queue",
  "device_sessions.commands",
  "device_commands.get",
  "device_commands.readOutput",
  "device_commands.cancel"
] as const satisfies ReadonlyArray<EndpointName>

export type BridgedEndpoint = typeof bridgedEndpoints[number]

/** GETs whose body a link saves as a file: `app://countersign/api/v1/audit-logs/export?…`. */
export const downloads = [
  "service_requests.export",
  "audit.export",
  "approvals.export",
  "agents.export",
  "usage.report",
  "discovery.openapi"
] as const satisfies ReadonlyArray<EndpointName>

export const hubChannel = (endpoint: BridgedEndpoint): string => `countersign:hub/${endpoint}`

/** Endpoints that can stream their answer on request. */
export const streamed = ["device_commands.readOutput", "delegated_tasks.events"] as const satisfies ReadonlyArray<
  BridgedEndpoint
>

/** The shell's methods for the console's window, beside the hub's endpoints. */
export const shellMethods = [
  "state",
  "listening",
  "findHub",
  "addHub",
  "updateHub",
  "removeHub",
  "openHub",
  "retryNow",
  "openEvents",
  "openStream",
  "closeStream",
  "device",
  "setDevice",
  "pauseDevice",
  "resumeDevice",
  "bringBackDevice",
  "pairDevice",
  "cancelPairing",
  "unpairDevice",
  "panic",
  "showOwner",
  "log",
  "settings",
  "changeSettings",
  "testNotice",
  "checkUpdates",
  "installUpdate",
  "removeCrashFiles"
] as const
export type ShellMethod = typeof shellMethods[number]
export const shellChannel = (method: ShellMethod): string => `countersign:shell/${method}`

/** Methods of the window that confirms an approval above the limit. */
export const confirmMethods = ["read", "ready", "answer"] as const
export type ConfirmMethod = typeof confirmMethods[number]
export const confirmChannel = (method: ConfirmMethod): string => `countersign:confirm/${method}`

/** From main to the console's window. */
export const pushes = {
  events: "countersign:push/events",
  state: "countersign:push/state",
  screen: "countersign:push/screen",
  computer: "countersign:push/computer"
} as const

/** Every channel that main answers. */
export const answered: ReadonlyArray<string> = [
  ...bridgedEndpoints.map(hubChannel),
  ...shellMethods.map(shellChannel),
  ...confirmMethods.map(confirmChannel),
  ...ownerMethods.map(ownerChannel)
]
