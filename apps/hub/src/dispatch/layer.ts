/** Dispatch: decide, admit, execute, settle; and continue with requests that were left open. */
import { Layer } from "effect"
import { Owner } from "../platform/owner.ts"
import { ConfigurationRepository } from "./decision/configuration-repository.ts"
import { Configuration } from "./decision/configuration.ts"
import { LimitsRepository } from "./decision/limits-repository.ts"
import { ServiceRequestsHttp } from "./http.ts"
import { MoneyCoreRepository } from "./money-core/repository.ts"
import { MoneyCore } from "./money-core/service.ts"
import { Estimates } from "./pipeline/estimates.ts"
import { Execution } from "./pipeline/execution.ts"
import { Interventions } from "./pipeline/interventions.ts"
import { ParkedRequests } from "./pipeline/parked.ts"
import { Dispatch } from "./pipeline/service.ts"
import { RequestWaiters } from "./pipeline/waiters.ts"
import { Reconcile } from "./recovery/callbacks.ts"
import { WebhooksHttp } from "./recovery/http.ts"
import { Poller } from "./recovery/poller.ts"
import { PollsRepository } from "./recovery/polls-repository.ts"
import { RecoveryRepository } from "./recovery/repository.ts"
import { Recovery } from "./recovery/service.ts"
import { RequestsRepository } from "./requests/repository.ts"
import { ServiceRequests } from "./service.ts"

export const repositories = Layer.mergeAll(
  LimitsRepository.layer,
  MoneyCoreRepository.layer,
  PollsRepository.layer,
  RecoveryRepository.layer,
  RequestsRepository.layer
)

export const services = Layer.mergeAll(
  Estimates.layer,
  Interventions.layer,
  Poller.layer,
  Reconcile.layer,
  Recovery.layer
).pipe(
  Layer.provideMerge(Dispatch.layer),
  Layer.provideMerge(Execution.layer),
  Layer.provideMerge(Layer.mergeAll(MoneyCore.layer, ParkedRequests.layer, RequestWaiters.layer)),
  Layer.provideMerge(Layer.mergeAll(Configuration.layer, Owner.layer)),
  Layer.provideMerge(ConfigurationRepository.layer)
)

/** Needs approvals, which need dispatch. */
export const requests = ServiceRequests.layer

export const handlers = Layer.mergeAll(ServiceRequestsHttp, WebhooksHttp)
