/** Identities at a provider that one sign-in by password links: a port, which `oidc/` implements. */
import type { UserId } from "@countersign/domain/ids"
import { Context, type Effect } from "effect"
import type { HostCookie } from "./host-cookie.ts"

export class ProviderLinks extends Context.Service<ProviderLinks, {
  /** Links the pending identity of the person; nothing for another person's, or one that ended. */
  readonly complete: (user: UserId, token: string, ip: string) => Effect.Effect<void>
}>()("@countersign/hub/auth/ProviderLinks") {}

/** Has the token of a pending identity. */
export const linkCookie: HostCookie = { name: "svc_oidc_link", path: "/api/v1/auth" }
