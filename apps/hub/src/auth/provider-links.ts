/** Identities at a provider that one sign-in by password links: a port, which `oidc/` implements. */
import type { UserId } from "@countersign/domain/ids"
import { Context, type Effect } from "effect"

export class ProviderLinks extends Context.Service<ProviderLinks, {
  /** Links the pending identity of the person; nothing for another person's, or one that ended. */
  readonly complete: (user: UserId, token: string, ip: string) => Effect.Effect<void>
}>()("@countersign/hub/auth/ProviderLinks") {}

/** The cookie with the token of a pending identity. */
export const linkCookieName = "svc_oidc_link"
