/** Payments through Stripe. */
import { Layer } from "effect"
import { BillingHttp } from "./http.ts"
import { PaymentPolling } from "./polling.ts"
import { PaymentPosting } from "./posting.ts"
import { PaymentsRepository } from "./repository.ts"
import { Billing } from "./service.ts"
import { Stripe } from "./stripe.ts"
import { PaymentHooksHttp } from "./webhook-http.ts"

export const repositories = PaymentsRepository.layer

export const services = PaymentPolling.layer.pipe(
  Layer.provideMerge(Billing.layer),
  Layer.provideMerge(Layer.mergeAll(PaymentPosting.layer, Stripe.layer))
)

export const handlers = Layer.mergeAll(BillingHttp, PaymentHooksHttp)
