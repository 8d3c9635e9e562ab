/** Credentials to principals: the adapter of the port that the edge uses. */
import { type DevicePrincipal, rolePermissions, type UserPrincipal } from "@countersign/domain/auth"
import { parseCredential } from "@countersign/domain/credentials"
import { type NotFound, noWorkspace, Unauthorized, unauthorized } from "@countersign/domain/errors"
import { Effect, Layer } from "effect"
import { Credentials, type UserCall } from "../edge/credentials.ts"
import { AgentKeys } from "./agent-keys.ts"
import { makeCredentialsRepository } from "./credentials-repository.ts"
import { factorMissing } from "./factor-rule.ts"
import { credentialHash, isOpaqueToken } from "./hash.ts"
import { SessionsRepository } from "./repository.ts"
import { SignInPolicy } from "./sign-in-policy.ts"
import { ssoExpired } from "./sso-expiry-repository.ts"

const mistyped = unauthorized(
  "The personal access token is mistyped: its check characters do not match. Copy the whole value again."
)
const unknownToken = unauthorized(
  "The personal access token is unknown: it was revoked, or it belongs to another hub. Create one in the account settings."
)
const switchedOff = unauthorized("The personal access token is disabled. Enable it in the account settings.")
const expired = unauthorized("The personal access token has expired. Create a new one in the account settings.")
const leftWorkspace = unauthorized("The owner of this token no longer belongs to its workspace.")
const mistypedDevice = unauthorized(
  "The device key is mistyped: its check characters do not match. Copy the whole value again."
)
const unknownDevice = unauthorized("The device key is unknown to this hub. Pair the device again.")
const revokedDevice = new Unauthorized({
  error: {
    code: "device_revoked",
    message: "This device was revoked and its key is no longer valid. Pair the device again."
  }
})
const noSession = unauthorized("The session has ended or is unknown. Sign in again.")

export const credentialsLayer = Layer.effect(
  Credentials,
  Effect.gen(function*() {
    const repository = yield* makeCredentialsRepository
    const keys = yield* AgentKeys
    const sessions = yield* SessionsRepository
    const { issuer } = yield* SignInPolicy

    type Found = Effect.fn.Return<UserPrincipal, Unauthorized | NotFound>

    const personalToken = Effect.fnUntraced(function*(token: string, call: UserCall): Found {
      const parsed = parseCredential(token)
      if (!parsed.ok || parsed.kind !== "svc_pat_live") {
        return yield* Effect.fail(parsed.ok || parsed.reason === "unknown" ? unknownToken : mistyped)
      }
      const row = yield* repository.token(credentialHash(token), issuer)
      if (row === undefined) return yield* Effect.fail(unknownToken)
      if (!row.alive) return yield* Effect.fail(expired)
      if (!row.enabled) return yield* Effect.fail(switchedOff)
      if (row.role === null) return yield* Effect.fail(leftWorkspace)
      if (row.sso_expired) return yield* Effect.fail(ssoExpired)
      if (call.workspace !== undefined && call.workspace !== row.org_id) return yield* Effect.fail(noWorkspace())
      if (row.unnoted) yield* repository.recordTokenUse(row, call.ip)
      const allowed = rolePermissions[row.role]
      return {
        kind: "user",
        user_id: row.user_id,
        name: row.name,
        email: row.email,
        org_id: row.org_id,
        role: row.role,
        permissions: new Set(row.scopes.filter((scope) => allowed.has(scope))),
        teams: row.teams,
        ...factorMissing({ ...row, role: row.role }),
        via: { kind: "pat", token_id: row.id, scopes: row.scopes },
        ip: call.ip
      }
    })

    const session = Effect.fnUntraced(function*(cookie: string, call: UserCall): Found {
      if (!isOpaqueToken(cookie)) return yield* Effect.fail(noSession)
      const found = yield* sessions.find(credentialHash(cookie), call.workspace)
      if (found === undefined) return yield* Effect.fail(noSession)
      if (found.role === null) return yield* Effect.fail(call.workspace === undefined ? noSession : noWorkspace())
      if (found.unnoted) yield* sessions.recordUse(found.id)
      return {
        kind: "user",
        user_id: found.user_id,
        name: found.name,
        email: found.email,
        org_id: found.org_id,
        role: found.role,
        permissions: rolePermissions[found.role],
        teams: found.teams,
        ...factorMissing({ ...found, role: found.role }),
        via: { kind: "session", session_id: found.id, stepped_up: found.stepped_up },
        ip: call.ip
      }
    })

    const deviceKey = Effect.fnUntraced(
      function*(token: string, ip: string): Effect.fn.Return<DevicePrincipal, Unauthorized> {
        const parsed = parseCredential(token)
        if (!parsed.ok || parsed.kind !== "svc_device_live") {
          return yield* Effect.fail(parsed.ok || parsed.reason === "unknown" ? unknownDevice : mistypedDevice)
        }
        const row = yield* repository.device(credentialHash(token))
        if (row === undefined) return yield* Effect.fail(unknownDevice)
        if (row.revoked) return yield* Effect.fail(revokedDevice)
        return { kind: "device", org_id: row.org_id, device_id: row.device_id, name: row.name, ip }
      }
    )

    return Credentials.of({ agentKey: keys.find, knownAgentKey: keys.findKnown, personalToken, deviceKey, session })
  })
)
