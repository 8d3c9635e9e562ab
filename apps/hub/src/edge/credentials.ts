/**
 * Credentials to principals: the port of the edge, which `auth/principals.ts` implements. Each kind of credential has its
 * own reason for a refusal.
 */
import type { AgentPrincipal, DevicePrincipal, UserPrincipal } from "@countersign/domain/auth"
import type { Forbidden, NotFound, Unauthorized } from "@countersign/domain/errors"
import { Context, type Effect } from "effect"

/** The bearer token of the header `authorization`; empty for another scheme. */
export const bearerOf = (header: string | undefined): string | undefined => {
  if (header === undefined) return undefined
  return /^bearer /i.test(header) ? header.slice(7).trim() : ""
}

export interface UserCall {
  readonly ip: string
  /** Header `svc-workspace`: another workspace than the credential's is 404. */
  readonly workspace: string | undefined
}

export class Credentials extends Context.Service<Credentials, {
  /** An agent key. 401 when it is mistyped, unknown, rotated, or its agent is deleted. */
  readonly agentKey: (token: string, ip: string) => Effect.Effect<AgentPrincipal, Unauthorized>
  /** The same without waiting, for a key with a fresh entry in memory; undefined for any other. */
  readonly knownAgentKey: (token: string, ip: string) => AgentPrincipal | undefined
  readonly personalToken: (
    token: string,
    call: UserCall
  ) => Effect.Effect<UserPrincipal, Unauthorized | NotFound | Forbidden>
  /** 401 `device_revoked` permanently after its device was revoked. */
  readonly deviceKey: (token: string, ip: string) => Effect.Effect<DevicePrincipal, Unauthorized>
  readonly session: (cookie: string, call: UserCall) => Effect.Effect<UserPrincipal, Unauthorized | NotFound>
}>()("@countersign/hub/edge/Credentials") {}
