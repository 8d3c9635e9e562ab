/** The composition root: the features, and the order in which their layers provide for each other. */
import { HubApi } from "@countersign/domain/api"
import { ByteSize, Effect, Layer } from "effect"
import { HttpIncomingMessage, HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { adaptersLayer } from "./adapters.ts"
import * as agentRequests from "./agent-requests/layer.ts"
import * as agents from "./agents/layer.ts"
import * as approvals from "./approvals/layer.ts"
import * as apps from "./apps/layer.ts"
import * as audit from "./audit/layer.ts"
import * as auth from "./auth/layer.ts"
import * as billing from "./billing/layer.ts"
import * as bindings from "./bindings/layer.ts"
import * as budgetRequests from "./budget-requests/layer.ts"
import * as budgets from "./budgets/layer.ts"
import * as catalog from "./catalog/layer.ts"
import * as chat from "./chat/layer.ts"
import * as clock from "./clock/layer.ts"
import { Settings } from "./config.ts"
import { consoleLayer } from "./console/http.ts"
import * as conversations from "./conversations/layer.ts"
import * as delegations from "./delegations/layer.ts"
import * as demo from "./demo/layer.ts"
import * as deviceSignIns from "./device-sign-ins/layer.ts"
import { deviceConnectLayer } from "./devices/connect.ts"
import * as devices from "./devices/layer.ts"
import * as discovery from "./discovery/layer.ts"
import { probesLayer } from "./discovery/probes.ts"
import { directDispatchLayer } from "./dispatch/direct.ts"
import * as dispatch from "./dispatch/layer.ts"
import { documentationLayer } from "./documentation/http.ts"
import { accessLayer } from "./edge/access.ts"
import { answersLayer } from "./edge/answers.ts"
import { OpenCalls } from "./edge/open-calls.ts"
import { RateLimits } from "./edge/rate-limit.ts"
import { jsonBodyBytesMax } from "./edge/request-body.ts"
import { schemaErrorsLayer } from "./edge/schema-errors.ts"
import * as factors from "./factors/layer.ts"
import * as families from "./families/layer.ts"
import * as firings from "./firings/layer.ts"
import * as invites from "./invites/layer.ts"
import * as knowledge from "./knowledge/layer.ts"
import * as ledger from "./ledger/layer.ts"
import * as mail from "./mail/layer.ts"
import { mcpLayer } from "./mcp/http.ts"
import * as mcp from "./mcp/layer.ts"
import * as members from "./members/layer.ts"
import * as memories from "./memories/layer.ts"
import * as messengerLinks from "./messenger-links/layer.ts"
import * as messengers from "./messengers/layer.ts"
import * as modelCalls from "./model-calls/layer.ts"
import * as modelDoor from "./model-door/layer.ts"
import * as models from "./models/layer.ts"
import * as noticeChannels from "./notice-channels/layer.ts"
import * as notices from "./notices/layer.ts"
import { oauthLayer } from "./oauth/http.ts"
import * as oauth from "./oauth/layer.ts"
import * as oidc from "./oidc/layer.ts"
import * as pickUps from "./pick-ups/layer.ts"
import * as platform from "./platform/layer.ts"
import * as policies from "./policies/layer.ts"
import * as promo from "./promo/layer.ts"
import * as providers from "./providers/layer.ts"
import * as publishing from "./publishing/layer.ts"
import * as retention from "./retention/layer.ts"
import * as runs from "./runs/layer.ts"
import * as schedules from "./schedules/layer.ts"
import * as search from "./search/layer.ts"
import * as secrets from "./secrets/layer.ts"
import { doorLayer, serverLayer } from "./server.ts"
import * as skills from "./skills/layer.ts"
import * as speech from "./speech/layer.ts"
import * as standingApprovals from "./standing-approvals/layer.ts"
import * as storage from "./storage/layer.ts"
import * as teams from "./teams/layer.ts"
import * as timelines from "./timelines/layer.ts"
import * as tokens from "./tokens/layer.ts"
import * as triggers from "./triggers/layer.ts"
import * as usage from "./usage/layer.ts"
import * as views from "./views/layer.ts"
import * as voice from "./voice/layer.ts"
import * as webhookEndpoints from "./webhook-endpoints/layer.ts"
import * as workflows from "./workflows/layer.ts"
import * as workspaces from "./workspaces/layer.ts"

const RepositoriesLive = Layer.mergeAll(
  agentRequests.repositories,
  agents.repositories,
  apps.repositories,
  approvals.repositories,
  audit.repositories,
  auth.repositories,
  billing.repositories,
  budgetRequests.repositories,
  budgets.repositories,
  catalog.repositories,
  chat.repositories,
  conversations.repositories,
  delegations.repositories,
  demo.repositories,
  deviceSignIns.repositories,
  devices.repositories,
  dispatch.repositories,
  factors.repositories,
  families.repositories,
  firings.repositories,
  knowledge.repositories,
  invites.repositories,
  ledger.repositories,
  mail.repositories,
  members.repositories,
  memories.repositories,
  messengerLinks.repositories,
  models.repositories,
  noticeChannels.repositories,
  notices.repositories,
  oauth.repositories,
  oidc.repositories,
  pickUps.repositories,
  policies.repositories,
  promo.repositories,
  publishing.repositories,
  retention.repositories,
  runs.repositories,
  schedules.repositories,
  search.repositories,
  secrets.repositories,
  skills.repositories,
  standingApprovals.repositories,
  storage.repositories,
  teams.repositories,
  timelines.repositories,
  tokens.repositories,
  triggers.repositories,
  usage.repositories,
  views.repositories,
  webhookEndpoints.repositories,
  workflows.repositories,
  workspaces.repositories
)

const FeaturesLive = Layer.mergeAll(
  agentRequests.services,
  agents.services,
  apps.services,
  audit.services,
  auth.reports,
  billing.services,
  bindings.services,
  budgets.services,
  catalog.servers,
  clock.services,
  conversations.services,
  deviceSignIns.services,
  devices.services,
  discovery.services,
  dispatch.requests,
  factors.services,
  firings.services.pipe(Layer.provide(schedules.ends)),
  invites.services,
  knowledge.services,
  ledger.services,
  mail.sender,
  mcp.services,
  memories.services,
  messengerLinks.services,
  modelDoor.services,
  models.services,
  oidc.services,
  notices.services,
  policies.services,
  promo.services,
  publishing.services,
  retention.services,
  search.services,
  skills.services,
  speech.services,
  storage.services,
  teams.services,
  usage.services,
  views.services,
  voice.services,
  webhookEndpoints.services
)

const OutboundLive = Layer.unwrap(
  Effect.map(
    Settings,
    ({ egressAllow, mailFrom, paused, smtpUrl }) =>
      providers.servicesOf({ egressAllow, mail: { url: smtpUrl, from: mailFrom }, paused })
  )
)

/** Each line may use the services of the lines below it. Needs Database and Settings. */
export const ServicesLive = Layer.mergeAll(chat.services, messengers.services, runs.services).pipe(
  Layer.provideMerge(noticeChannels.services),
  Layer.provideMerge(Layer.mergeAll(
    audit.activity,
    budgetRequests.services,
    delegations.services,
    families.services,
    schedules.services,
    timelines.services,
    triggers.services,
    workflows.services
  )),
  Layer.provideMerge(FeaturesLive),
  Layer.provideMerge(
    Layer.mergeAll(
      agents.assistant,
      approvals.services,
      delegations.ending,
      modelCalls.services,
      oauth.services,
      pickUps.services,
      triggers.ofAgent
    )
  ),
  Layer.provideMerge(standingApprovals.services),
  Layer.provideMerge(dispatch.services),
  Layer.provideMerge(adaptersLayer),
  Layer.provideMerge(Layer.mergeAll(devices.work, knowledge.work, memories.work, runs.work, storage.work)),
  Layer.provideMerge(Layer.mergeAll(catalog.services, secrets.services, apps.tokens)),
  Layer.provideMerge(Layer.mergeAll(apps.providers, models.catalog)),
  Layer.provideMerge(OutboundLive),
  Layer.provideMerge(
    Layer.mergeAll(mail.outbox, members.services, notices.mails, tokens.services, workspaces.services)
  ),
  Layer.provideMerge(
    Layer.mergeAll(
      apps.ofMember,
      standingApprovals.ofMember,
      teams.ofMember,
      triggers.ofMember,
      workflows.ofMember,
      workflows.publication
    )
  ),
  Layer.provideMerge(schedules.pauses),
  Layer.provideMerge(auth.services),
  Layer.provideMerge(Layer.mergeAll(auth.policy, factors.ofAuth)),
  Layer.provideMerge(RepositoriesLive),
  Layer.provideMerge(platform.services),
  Layer.provideMerge(clock.watch),
  Layer.provideMerge(platform.database)
)

const HandlersLive = Layer.mergeAll(
  agentRequests.handlers,
  agents.handlers,
  apps.handlers,
  approvals.handlers,
  audit.handlers,
  auth.handlers,
  billing.handlers,
  bindings.handlers,
  budgetRequests.handlers,
  budgets.handlers,
  catalog.handlers,
  chat.handlers,
  conversations.handlers,
  delegations.handlers,
  deviceSignIns.handlers,
  devices.handlers,
  discovery.handlers,
  dispatch.handlers,
  factors.handlers,
  families.handlers,
  invites.handlers,
  knowledge.handlers,
  ledger.handlers,
  members.handlers,
  memories.handlers,
  messengerLinks.handlers,
  messengers.handlers,
  models.handlers,
  oidc.handlers,
  noticeChannels.handlers,
  notices.handlers,
  policies.handlers,
  promo.handlers,
  publishing.handlers,
  runs.handlers,
  schedules.handlers,
  search.handlers,
  secrets.handlers,
  skills.handlers,
  speech.handlers,
  standingApprovals.handlers,
  storage.handlers,
  teams.handlers,
  timelines.handlers,
  tokens.handlers,
  triggers.handlers,
  usage.handlers,
  views.handlers,
  voice.handlers,
  webhookEndpoints.handlers,
  workflows.handlers,
  workspaces.handlers
)

const RoutesLive = Layer.mergeAll(
  HttpApiBuilder.layer(HubApi).pipe(Layer.provide(HandlersLive), Layer.provide([accessLayer, schemaErrorsLayer])),
  probesLayer,
  documentationLayer,
  consoleLayer,
  deviceConnectLayer,
  modelDoor.routes,
  mcpLayer,
  notices.routes,
  oauthLayer,
  answersLayer
)

/** The hub with its HTTP server. Needs ServicesLive. */
export const HubLive = modelDoor.direct.pipe(
  Layer.provideMerge(directDispatchLayer),
  Layer.provideMerge(HttpRouter.serve(RoutesLive, { disableLogger: true, disableListenLog: true })),
  Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(jsonBodyBytesMax))),
  Layer.provideMerge(serverLayer),
  Layer.provideMerge(Layer.mergeAll(doorLayer, RateLimits.layer, OpenCalls.layer))
)
