/** Webhook endpoints: events of a workspace, sent to its own systems. */
import { Layer } from "effect"
import { WebhookAttempts } from "./attempt.ts"
import { WebhookDeliveriesRepository } from "./deliveries-repository.ts"
import { WebhookDisabling } from "./disabling.ts"
import { WebhookFanOutRepository } from "./fan-out-repository.ts"
import { WebhookFanOut } from "./fan-out.ts"
import { WebhookEndpointsHttp } from "./http.ts"
import { WebhookQueueRepository } from "./queue-repository.ts"
import { WebhookEndpointsRepository } from "./repository.ts"
import { WebhookRetention } from "./retention.ts"
import { WebhookSecrets } from "./secrets.ts"
import { WebhookSender } from "./sender.ts"
import { WebhookEndpoints } from "./service.ts"

export const repositories = Layer.mergeAll(
  WebhookDeliveriesRepository.layer,
  WebhookEndpointsRepository.layer,
  WebhookFanOutRepository.layer,
  WebhookQueueRepository.layer
)

export const services = Layer.mergeAll(WebhookEndpoints.layer, WebhookRetention.layer).pipe(
  Layer.provideMerge(WebhookFanOut.layer),
  Layer.provideMerge(WebhookSender.layer),
  Layer.provideMerge(Layer.mergeAll(WebhookAttempts.layer, WebhookDisabling.layer)),
  Layer.provideMerge(WebhookSecrets.layer)
)

export const handlers = WebhookEndpointsHttp
