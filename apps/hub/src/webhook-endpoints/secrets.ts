/** The signing secrets of webhook endpoints: sealed in the database, opened for each attempt. */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Redacted } from "effect"
import { MasterKey } from "../platform/master-key.ts"
import { open, seal } from "../platform/sealed.ts"

/** The present secret and, in its grace period, the previous one. */
export interface SealedSecrets {
  readonly secret: Uint8Array
  readonly previous_secret: Uint8Array | null
  readonly previous_until: Date | null
}

const place = (org: OrgId, endpoint: string) => [org, "webhook_endpoint", endpoint]

export class WebhookSecrets extends Context.Service<WebhookSecrets, {
  readonly seal: (org: OrgId, endpoint: string, secret: string) => Uint8Array
  /** The secrets that sign at a moment, the present one first. @throws SealBroken */
  readonly signing: (org: OrgId, endpoint: string, sealed: SealedSecrets, now: number) => ReadonlyArray<string>
}>()("@countersign/hub/webhook-endpoints/WebhookSecrets") {
  static readonly layer = Layer.effect(
    WebhookSecrets,
    Effect.map(MasterKey, ({ key }) =>
      WebhookSecrets.of({
        seal: (org, endpoint, secret) => seal(Redacted.value(key), secret, place(org, endpoint)),
        signing: (org, endpoint, { previous_secret, previous_until, secret }, now) => {
          const previous = previous_until === null || previous_until.getTime() <= now ? null : previous_secret
          return [secret, ...(previous === null ? [] : [previous])].map((sealed) =>
            open(Redacted.value(key), sealed, place(org, endpoint))
          )
        }
      }))
  )
}
