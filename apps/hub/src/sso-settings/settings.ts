/** The settings of sign-in by OpenID Connect: their form. Pure. Spec: reference/operation.md "Settings". */
import type { Option, Redacted } from "effect"
import { isLoopbackName } from "../origins.ts"
import { addressRefusal, hostOf, isNameAllowed, parseAllowList, portOf } from "../providers/egress-rules.ts"
import type { RoleMapping } from "./role-mapping.ts"

export interface OidcSettings {
  /** As the provider writes it in its tokens. */
  readonly issuer: string
  readonly clientId: string
  /** None for a public client, which PKCE alone protects. */
  readonly clientSecret: Option.Option<Redacted.Redacted>
  readonly scopes: ReadonlyArray<string>
  readonly roles: Option.Option<RoleMapping>
  /** Passwords sign in owners with a second factor only. */
  readonly only: boolean
  readonly sessionHours: number
  /** Accounts are linked by a verified e-mail address. */
  readonly linkEmail: boolean
}

/** A plain http address is read on the way: it is for this machine, or for a network that the operator trusts. */
export const isPlainAllowed = (url: URL, egressAllow: ReadonlyArray<string>): boolean => {
  if (isLoopbackName(url.hostname)) return true
  const { entries } = parseAllowList(egressAllow.join(","))
  const [host, port] = [hostOf(url.hostname), portOf(url)]
  const isListed = entries.some((entry) => entry.kind === "cidr") &&
    addressRefusal(entries, host, port) === undefined &&
    addressRefusal([], host, port) !== undefined
  return isNameAllowed(entries, host, port) || isListed
}
