/** Credentials to principals: the port that the edge asks; each kind says why it refuses. */
import type { AgentPrincipal, DevicePrincipal, UserPrincipal } from "@countersign/domain/auth"
import type { Forbidden, NotFound, Unauthorized } from "@countersign/domain/errors"
import { Context, type Effect } from "effect"

export interface UserCall {
  readonly ip: string
  /** Header `svc-workspace`: another org than the credential's own is 404. */
  readonly workspace: string | undefined
}

export class Credentials extends Context.Service<Credentials, {
  /** An agent key. 401 when it is mistyped, unknown, rotated away or its agent is gone. */
  readonly agentKey: (token: string, ip: string) => Effect.Effect<AgentPrincipal, Unauthorized>
  /** The same without a wait, of a key whose reading is fresh; nothing of any other. */
  readonly knownAgentKey: (token: string, ip: string) => AgentPrincipal | undefined
  readonly personalToken: (
    token: string,
    call: UserCall
  ) => Effect.Effect<UserPrincipal, Unauthorized | NotFound | Forbidden>
  /** 401 `device_revoked` when its device was revoked: for ever. */
  readonly deviceKey: (token: string, ip: string) => Effect.Effect<DevicePrincipal, Unauthorized>
  readonly session: (cookie: string, call: UserCall) => Effect.Effect<UserPrincipal, Unauthorized | NotFound>
}>()("@countersign/hub/auth/Credentials") {}
