/** The composition root: the dependencies of the layers. */
import { HubApi } from "@countersign/domain/api"
import { frameBytesMax } from "@countersign/domain/device-protocol"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ByteSize, Effect, Layer } from "effect"
import { Option } from "effect"
import { HttpIncomingMessage, HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { createServer } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { AgentsHttp } from "./agents/http.ts"
import { AgentsRepository } from "./agents/repository.ts"
import { Agents } from "./agents/service.ts"
import { ApprovalsHttp } from "./approvals/http.ts"
import { ApprovalListRepository } from "./approvals/list-repository.ts"
import { ApprovalList } from "./approvals/list.ts"
import { pendingApprovalsLayer } from "./approvals/pending.ts"
import { ApprovalsRepository } from "./approvals/repository.ts"
import { Approvals } from "./approvals/service.ts"
import { ApprovalViews } from "./approvals/views.ts"
import { ActivityHttp } from "./audit/activity-http.ts"
import { EventsHttp } from "./audit/events-http.ts"
import { EventsRepository } from "./audit/events-repository.ts"
import { Events } from "./audit/events.ts"
import { AuditHttp } from "./audit/http.ts"
import { AuditRepository } from "./audit/repository.ts"
import { AuditTrail } from "./audit/trail.ts"
import { AgentKeys } from "./auth/agent-keys.ts"
import { FirstOwner } from "./auth/first-owner.ts"
import { AuthHttp } from "./auth/http.ts"
import { Liveness } from "./auth/liveness.ts"
import { LoginLimits } from "./auth/login-limits.ts"
import { Passwords } from "./auth/passwords.ts"
import { credentialsLayer } from "./auth/principals.ts"
import { SessionsRepository, SetupTokensRepository, UsersRepository } from "./auth/repository.ts"
import { Rights } from "./auth/rights.ts"
import { Identity } from "./auth/service.ts"
import { SetupHttp } from "./auth/setup-http.ts"
import { BindingsHttp } from "./bindings/http.ts"
import { BindingsRepository } from "./bindings/repository.ts"
import { Bindings } from "./bindings/service.ts"
import { AlertsRepository } from "./budgets/alerts-repository.ts"
import { BudgetAlerts } from "./budgets/alerts.ts"
import { BudgetsHttp } from "./budgets/http.ts"
import { BudgetsRepository } from "./budgets/repository.ts"
import { Budgets } from "./budgets/service.ts"
import { CatalogHttp } from "./catalog/http.ts"
import { CatalogRepository } from "./catalog/repository.ts"
import { Catalog } from "./catalog/service.ts"
import { ClockRepository } from "./clock/repository.ts"
import { TimeCorrection } from "./clock/time-correction.ts"
import { ClockWatch } from "./clock/watch.ts"
import { Settings } from "./config.ts"
import { consoleLayer } from "./console/http.ts"
import { DemoRepository } from "./demo/repository.ts"
import { DeviceClosing } from "./devices/closing.ts"
import { DeviceCommandsRepository } from "./devices/commands-repository.ts"
import { DeviceCommands } from "./devices/commands.ts"
import { deviceConnectLayer } from "./devices/connect.ts"
import { ConsentsRepository } from "./devices/consents-repository.ts"
import { DeviceConsents } from "./devices/consents.ts"
import { Delivery } from "./devices/delivery.ts"
import { DeviceCommandsHttp, DevicePairingHttp, DeviceSessionsHttp, DevicesHttp } from "./devices/http.ts"
import { OutputRepository } from "./devices/output-repository.ts"
import { DeviceOutput } from "./devices/output.ts"
import { DevicePairing } from "./devices/pairing.ts"
import { PairingsRepository } from "./devices/pairings-repository.ts"
import { DevicePresence } from "./devices/presence.ts"
import { DevicesRepository } from "./devices/repository.ts"
import { Devices } from "./devices/service.ts"
import { DeviceSessions } from "./devices/sessions.ts"
import { DeviceSettlement } from "./devices/settlement.ts"
import { DeviceSockets } from "./devices/sockets.ts"
import { DeviceSweeper } from "./devices/sweeper.ts"
import { DeviceWork } from "./devices/work.ts"
import { docsLayer } from "./discovery/docs.ts"
import { DiscoveryHttp } from "./discovery/http.ts"
import { Discovery } from "./discovery/service.ts"
import { adaptersLayer } from "./dispatch/adapters.ts"
import { ConfigurationRepository } from "./dispatch/decision/configuration-repository.ts"
import { Configuration } from "./dispatch/decision/configuration.ts"
import { LimitsRepository } from "./dispatch/decision/limits-repository.ts"
import { directDispatchLayer } from "./dispatch/direct.ts"
import { ServiceRequestsHttp } from "./dispatch/http.ts"
import { MoneyCoreRepository } from "./dispatch/money-core/repository.ts"
import { MoneyCore } from "./dispatch/money-core/service.ts"
import { Estimates } from "./dispatch/pipeline/estimates.ts"
import { Execution } from "./dispatch/pipeline/execution.ts"
import { Interventions } from "./dispatch/pipeline/interventions.ts"
import { Dispatch } from "./dispatch/pipeline/service.ts"
import { Reconcile } from "./dispatch/recovery/callbacks.ts"
import { WebhooksHttp } from "./dispatch/recovery/http.ts"
import { Poller } from "./dispatch/recovery/poller.ts"
import { PollsRepository } from "./dispatch/recovery/polls-repository.ts"
import { RecoveryRepository } from "./dispatch/recovery/repository.ts"
import { Recovery } from "./dispatch/recovery/service.ts"
import { RequestsRepository } from "./dispatch/requests/repository.ts"
import { accessLayer } from "./edge/access.ts"
import { answersLayer } from "./edge/answers.ts"
import { answerClientErrors } from "./edge/client-errors.ts"
import { Door } from "./edge/door.ts"
import { endIdleConnections } from "./edge/idle-connections.ts"
import { untilLeft } from "./edge/left-port.ts"
import { OpenCalls } from "./edge/open-calls.ts"
import { RateLimits } from "./edge/rate-limit.ts"
import { jsonBodyBytesMax } from "./edge/request-body.ts"
import { schemaErrorsLayer } from "./edge/schema-errors.ts"
import { LedgerHttp } from "./ledger/http.ts"
import { LedgerRepository } from "./ledger/repository.ts"
import { Ledger } from "./ledger/service.ts"
import { Departure } from "./members/departure.ts"
import { HoldingsRepository } from "./members/holdings-repository.ts"
import { MembersHttp } from "./members/http.ts"
import { MembersRepository } from "./members/repository.ts"
import { Members } from "./members/service.ts"
import { AuditLog } from "./platform/audit-log.ts"
import { Db } from "./platform/db.ts"
import { Idempotency } from "./platform/idempotency.ts"
import { MasterKey } from "./platform/master-key.ts"
import { migrationsLayer } from "./platform/migrations.ts"
import { OrgHeads } from "./platform/org-heads.ts"
import { Owner } from "./platform/owner.ts"
import { Partitions } from "./platform/partitions.ts"
import { poolLayer } from "./platform/pool.ts"
import { drainSeconds, Readiness } from "./platform/readiness.ts"
import { Signals } from "./platform/signals.ts"
import { PoliciesHttp } from "./policies/http.ts"
import { PoliciesRepository } from "./policies/repository.ts"
import { Policies } from "./policies/service.ts"
import { parseAllowList } from "./providers/egress-rules.ts"
import { Egress } from "./providers/egress.ts"
import { Mailer } from "./providers/mail.ts"
import { DeviceRetentionRepository } from "./retention/devices-repository.ts"
import { RetentionRepository } from "./retention/repository.ts"
import { Retention } from "./retention/service.ts"
import { StandingRetentionRepository } from "./retention/standing-repository.ts"
import { FindRepository } from "./search/find-repository.ts"
import { Find } from "./search/find.ts"
import { SearchHttp } from "./search/http.ts"
import { SearchRepository } from "./search/repository.ts"
import { SearchIndex } from "./search/service.ts"
import { SecretsHttp } from "./secrets/http.ts"
import { SecretsRepository } from "./secrets/repository.ts"
import { Secrets } from "./secrets/service.ts"
import { BacklogRepository } from "./standing-approvals/backlog-repository.ts"
import { StandingApprovalsHttp } from "./standing-approvals/http.ts"
import { StandingApprovalsRepository } from "./standing-approvals/repository.ts"
import { StandingApprovals } from "./standing-approvals/service.ts"
import { TimelinesHttp } from "./timelines/http.ts"
import { TimelinesRepository } from "./timelines/repository.ts"
import { Timelines } from "./timelines/service.ts"
import { TokensHttp } from "./tokens/http.ts"
import { TokensRepository } from "./tokens/repository.ts"
import { Tokens } from "./tokens/service.ts"
import { UsageHttp } from "./usage/http.ts"
import { UsageRepository } from "./usage/repository.ts"
import { Usage } from "./usage/service.ts"
import { ViewsHttp } from "./views/http.ts"
import { ViewsRepository } from "./views/repository.ts"
import { Views } from "./views/service.ts"
import { WorkspacesHttp } from "./workspaces/http.ts"
import { WorkspacesRepository } from "./workspaces/repository.ts"
import { Workspaces } from "./workspaces/service.ts"

/** An idle connection of a caller; longer than the timeouts of proxies. */
const keepAliveMillis = 65_000

/** The database, migrated, and the shared services. Needs Database and Settings. */
const PlatformLive = Layer.mergeAll(OrgHeads.layer, Partitions.layer, MasterKey.layer, AuditLog.layer).pipe(
  Layer.provideMerge(Signals.layer),
  Layer.provideMerge(ClockWatch.layer.pipe(Layer.provideMerge(ClockRepository.layer))),
  Layer.provideMerge(Layer.mergeAll(Db.layer, Readiness.layer)),
  Layer.provideMerge(migrationsLayer),
  Layer.provideMerge(poolLayer)
)

const RepositoriesLive = Layer.mergeAll(
  AgentsRepository.layer,
  AlertsRepository.layer,
  ApprovalListRepository.layer,
  ApprovalsRepository.layer,
  AuditRepository.layer,
  BacklogRepository.layer,
  BindingsRepository.layer,
  BudgetsRepository.layer,
  CatalogRepository.layer,
  ConsentsRepository.layer,
  DemoRepository.layer,
  DevicesRepository.layer,
  DeviceCommandsRepository.layer,
  OutputRepository.layer,
  PairingsRepository.layer,
  StandingApprovalsRepository.layer,
  EventsRepository.layer,
  FindRepository.layer,
  HoldingsRepository.layer,
  LedgerRepository.layer,
  LimitsRepository.layer,
  MembersRepository.layer,
  MoneyCoreRepository.layer,
  PoliciesRepository.layer,
  PollsRepository.layer,
  RecoveryRepository.layer,
  RequestsRepository.layer,
  SearchRepository.layer,
  SecretsRepository.layer,
  RetentionRepository.layer,
  DeviceRetentionRepository.layer,
  StandingRetentionRepository.layer,
  SessionsRepository.layer,
  SetupTokensRepository.layer,
  TokensRepository.layer,
  TimelinesRepository.layer,
  UsageRepository.layer,
  UsersRepository.layer,
  ViewsRepository.layer,
  WorkspacesRepository.layer
)

const OutboundLive = Layer.unwrap(Effect.map(Settings, (settings) =>
  Layer.mergeAll(
    Egress.layer({ allow: parseAllowList(settings.egressAllow.join(",")).entries }),
    Mailer.layer({ url: settings.smtpUrl, from: settings.mailFrom })
  )))

const IdentityLive = Layer.mergeAll(credentialsLayer, FirstOwner.layer, Tokens.layer, Workspaces.layer, Members.layer)
  .pipe(
    Layer.provideMerge(Identity.layer),
    Layer.provideMerge(Layer.mergeAll(AgentKeys.layer, Departure.layer, Passwords.layer, LoginLimits.layer))
  )

/** The work of devices, and its outcomes. */
const DeviceWorkLive = DeviceWork.layer.pipe(
  Layer.provideMerge(DeviceCommands.layer),
  Layer.provideMerge(DeviceClosing.layer),
  Layer.provideMerge(DeviceConsents.layer)
)

/** Decide, admit, execute, settle; and continue with requests that were left open. */
const DispatchLive = Layer.mergeAll(
  Recovery.layer,
  Poller.layer,
  Estimates.layer,
  Interventions.layer,
  Reconcile.layer,
  Approvals.layer,
  pendingApprovalsLayer
).pipe(
  Layer.provideMerge(Layer.mergeAll(ApprovalList.layer, ApprovalViews.layer, StandingApprovals.layer)),
  Layer.provideMerge(Dispatch.layer),
  Layer.provideMerge(Execution.layer),
  Layer.provideMerge(MoneyCore.layer),
  Layer.provideMerge(Layer.mergeAll(Owner.layer, Configuration.layer, adaptersLayer, Rights.layer, Liveness.layer)),
  Layer.provideMerge(Layer.mergeAll(ConfigurationRepository.layer, DeviceWorkLive)),
  Layer.provideMerge(Layer.mergeAll(Catalog.layer, Secrets.layer)),
  Layer.provideMerge(OutboundLive)
)

const DevicesLive = Layer.mergeAll(
  DeviceSockets.layer,
  DevicePairing.layer,
  DeviceSessions.layer,
  DeviceSettlement.layer,
  DeviceSweeper.layer
).pipe(
  Layer.provideMerge(DeviceOutput.layer),
  Layer.provideMerge(Layer.mergeAll(Devices.layer, DevicePresence.layer, Delivery.layer))
)

const FeaturesLive = Timelines.layer.pipe(Layer.provideMerge(Layer.mergeAll(
  DevicesLive,
  Agents.layer,
  AuditTrail.layer,
  Bindings.layer,
  BudgetAlerts.layer,
  Budgets.layer,
  Discovery.layer,
  Events.layer,
  Find.layer,
  Ledger.layer,
  Policies.layer,
  Retention.layer,
  SearchIndex.layer,
  TimeCorrection.layer,
  Usage.layer,
  Views.layer,
  Idempotency.layer
)))

/** Everything but the HTTP server. Needs Database and Settings. */
export const ServicesLive = FeaturesLive.pipe(
  Layer.provideMerge(DispatchLive),
  Layer.provideMerge(IdentityLive),
  Layer.provideMerge(RepositoriesLive),
  Layer.provideMerge(PlatformLive)
)

const HandlersLive = Layer.mergeAll(
  ActivityHttp,
  AgentsHttp,
  ApprovalsHttp,
  AuditHttp,
  AuthHttp,
  BindingsHttp,
  BudgetsHttp,
  CatalogHttp,
  DeviceCommandsHttp,
  DevicePairingHttp,
  DeviceSessionsHttp,
  DevicesHttp,
  DiscoveryHttp,
  EventsHttp,
  LedgerHttp,
  MembersHttp,
  PoliciesHttp,
  SearchHttp,
  SecretsHttp,
  ServiceRequestsHttp,
  SetupHttp,
  StandingApprovalsHttp,
  TokensHttp,
  TimelinesHttp,
  UsageHttp,
  ViewsHttp,
  WebhooksHttp,
  WorkspacesHttp
)

const RoutesLive = Layer.mergeAll(
  HttpApiBuilder.layer(HubApi).pipe(Layer.provide(HandlersLive), Layer.provide([accessLayer, schemaErrorsLayer])),
  docsLayer,
  consoleLayer,
  deviceConnectLayer,
  answersLayer
)

/** A TLS handshake that takes longer is cut off. */
const handshakeMillisMax = 10_000

const DoorLive = Layer.effect(
  Door,
  Effect.gen(function*() {
    const { tls } = yield* Settings
    const { drainMillisLeft } = yield* Readiness
    const server = Option.match(tls, {
      onNone: () => createServer({ keepAliveTimeout: keepAliveMillis }),
      onSome: (pair) =>
        createTlsServer({ ...pair, keepAliveTimeout: keepAliveMillis, handshakeTimeout: handshakeMillisMax })
    })
    return endIdleConnections(answerClientErrors(server), { millisLeft: drainMillisLeft })
  })
)

const ServerLive = Layer.unwrap(Effect.gen(function*() {
  const settings = yield* Settings
  const door = yield* Door
  yield* untilLeft(settings)
  const { host, port } = settings
  return NodeHttpServer.layer(() => door, {
    host,
    port,
    gracefulShutdownTimeout: `${drainSeconds} seconds`,
    websocket: { maxPayload: frameBytesMax }
  })
}))

/** The hub with its HTTP server. Needs ServicesLive. */
export const HubLive = directDispatchLayer.pipe(
  Layer.provideMerge(HttpRouter.serve(RoutesLive, { disableLogger: true, disableListenLog: true })),
  Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(jsonBodyBytesMax))),
  Layer.provideMerge(ServerLive),
  Layer.provideMerge(Layer.mergeAll(DoorLive, RateLimits.layer, OpenCalls.layer))
)
