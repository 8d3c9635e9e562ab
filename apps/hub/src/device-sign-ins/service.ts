/**
 * Device sign-in (RFC 8628): a program shows a code, a person compares and approves it, and only the program with the
 * device code gets the token, once. Spec: reference/sign-in.md "Device sign-in".
 */
import type { Permission, UserPrincipal } from "@countersign/domain/auth"
import {
  type ConfirmDeviceSignIn,
  type DeviceAccessToken,
  devicePollSeconds,
  type DeviceSignIn,
  type DeviceSignInInput,
  deviceSignInSeconds,
  type DeviceSignInStarted
} from "@countersign/domain/device-sign-in"
import {
  type ApiError,
  BadRequest,
  forbidden,
  gone,
  invalidField,
  notFound,
  noWorkspace,
  rateLimited
} from "@countersign/domain/errors"
import { shownUserCode, userCodeAlphabet, userCodeLength, userCodeOf } from "@countersign/domain/user-code"
import { Context, Effect, Layer, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { credentialHash, isOpaqueToken, opaqueToken } from "../auth/hash.ts"
import { Rights } from "../auth/rights.ts"
import type { Caller } from "../auth/service.ts"
import { Settings } from "../config.ts"
import { needs } from "../edge/access.ts"
import { addressKey, perMinute, takeFrom } from "../edge/rate-limit.ts"
import { factorRequired } from "../edge/second-factor.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { MasterKey } from "../platform/master-key.ts"
import { open, seal } from "../platform/sealed.ts"
import { Tokens } from "../tokens/service.ts"
import { type DeviceSignInRow, DeviceSignInsRepository } from "./repository.ts"

const startsPerMinute = 10
const wrongCodesPerMinute = 10

const newCode = (): string => Array.from(randomBytes(userCodeLength), (byte) => userCodeAlphabet[byte & 31]).join("")

/** The errors of RFC 8628, section 3.5, in the hub's own form. */
const pollError = (code: string, message: string) => new BadRequest({ error: { code, message } })
const pending = pollError("authorization_pending", "The person has not decided yet. Poll again after the interval.")
const slowDown = pollError("slow_down", "This poll came before the interval was over. Wait five seconds longer.")
const denied = pollError("access_denied", "The person rejected the sign-in.")
const expired = pollError("expired_token", "The device code is unknown, was used, or has expired. Start again.")

const toDeviceSignIn = (row: DeviceSignInRow): DeviceSignIn => ({
  user_code: shownUserCode(row.user_code),
  client_name: row.client_name,
  scopes: row.scopes,
  address: row.address,
  ...(row.user_agent === null ? {} : { user_agent: row.user_agent }),
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString()
})

/** The place of a sealed token. */
const tokenPlace = (code: string): ReadonlyArray<string> => ["device sign-in", code]

export class DeviceSignIns extends Context.Service<DeviceSignIns, {
  /** 429 beyond ten a minute from one address. */
  readonly start: (input: DeviceSignInInput, from: Caller) => Effect.Effect<DeviceSignInStarted, ApiError>
  readonly token: (deviceCode: string) => Effect.Effect<DeviceAccessToken, ApiError>
  /** 404 for a wrong code, 410 for a decided or expired one, 429 for every code after ten wrong ones within a minute. */
  readonly get: (user: UserPrincipal, code: string) => Effect.Effect<DeviceSignIn, ApiError>
  readonly confirm: (user: UserPrincipal, code: string, input: ConfirmDeviceSignIn) => Effect.Effect<void, ApiError>
  readonly reject: (user: UserPrincipal, code: string) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/device-sign-ins/DeviceSignIns") {
  static readonly layer = Layer.effect(
    DeviceSignIns,
    Effect.gen(function*() {
      const repository = yield* DeviceSignInsRepository
      const settings = yield* Settings
      const tokens = yield* Tokens
      const rights = yield* Rights
      const { key } = yield* MasterKey
      const audit = yield* AuditLog
      const db = yield* Db
      const limited = settings.rateLimit.login._tag === "Some"
      const starts = limited ? perMinute("device_sign_in", startsPerMinute) : undefined
      const wrong = perMinute("device_sign_in", wrongCodesPerMinute)

      const found = Effect.fnUntraced(function*(
        user: UserPrincipal,
        typed: string,
        read: DeviceSignInsRepository["Service"]["find"]
      ): Effect.fn.Return<DeviceSignInRow, ApiError> {
        // Each try takes a token, and a correct code returns it, so that parallel tries cannot exceed the limit.
        const taken = takeFrom(wrong, user.user_id)
        if (!taken.allowed) return yield* Effect.fail(rateLimited(taken.resetSeconds))
        const code = userCodeOf(typed)
        const row = code.length === userCodeLength ? yield* read(code) : undefined
        if (row === undefined) return yield* Effect.fail(notFound("device"))
        wrong?.giveBack(user.user_id)
        return row.status !== "pending" || !row.alive
          ? yield* Effect.fail(gone("This sign-in was decided, or has expired after ten minutes. Start another."))
          : row
      })

      const granted = Effect.fnUntraced(function*(
        user: UserPrincipal,
        requested: ReadonlyArray<Permission>,
        chosen: ReadonlyArray<Permission> | undefined
      ): Effect.fn.Return<ReadonlyArray<Permission>, ApiError> {
        const extra = chosen?.findIndex((scope) => !requested.includes(scope)) ?? -1
        if (extra >= 0) return yield* Effect.fail(invalidField(`scopes.${extra}`, "the program did not request it"))
        const scopes = chosen ?? requested.filter((scope) => user.permissions.has(scope))
        return scopes.length > 0
          ? scopes
          : yield* Effect.fail(
            forbidden("Your role has none of the requested scopes.", { permission: requested[0] ?? "" })
          )
      })

      const confirm = Effect.fn("DeviceSignIns.confirm")(
        function*(caller: UserPrincipal, typed: string, { scopes, workspace_id }: ConfirmDeviceSignIn) {
          const row = yield* found(caller, typed, repository.lock)
          const user = yield* rights.hold(
            workspace_id === undefined ? caller : { ...caller, org_id: workspace_id }
          ).pipe(Effect.catchTag("NotFound", () => Effect.fail(noWorkspace())))
          if (user.factor_missing === "everything") return yield* Effect.fail(factorRequired())
          yield* needs(user, "tokens:write")
          const allowed = yield* granted(user, row.scopes, scopes)
          const { id, token } = yield* tokens.mint(user, { name: row.client_name, scopes: allowed })
          yield* repository.approve(
            row.user_code,
            user.org_id,
            allowed,
            seal(Redacted.value(key), token, tokenPlace(row.user_code))
          )
          yield* audit.record(user.org_id, actorOf(user), {
            action: "device_sign_in.approved",
            subject: { type: "token", id },
            data: { client_name: row.client_name, scopes: allowed, address: row.address }
          })
        },
        db.transaction
      )

      const reject = Effect.fn("DeviceSignIns.reject")(function*(user: UserPrincipal, typed: string) {
        const row = yield* found(user, typed, repository.lock)
        yield* repository.reject(row.user_code)
        yield* audit.record(user.org_id, actorOf(user), {
          action: "device_sign_in.rejected",
          data: { client_name: row.client_name, address: row.address }
        })
      }, db.transaction)

      return DeviceSignIns.of({
        start: Effect.fn("DeviceSignIns.start")(function*(input, from) {
          const taken = takeFrom(starts, addressKey(from.ip))
          if (!taken.allowed) return yield* Effect.fail(rateLimited(taken.resetSeconds))
          const deviceCode = opaqueToken()
          for (;;) {
            const code = newCode()
            if (!(yield* repository.insert(code, credentialHash(deviceCode), input, from))) continue
            const page = `${settings.publicUrl.origin}/device`
            return {
              device_code: deviceCode,
              user_code: shownUserCode(code),
              verification_uri: page,
              verification_uri_complete: `${page}?code=${shownUserCode(code)}`,
              expires_in: deviceSignInSeconds,
              interval: devicePollSeconds
            }
          }
        }),
        token: Effect.fn("DeviceSignIns.token")(function*(deviceCode) {
          const hash = credentialHash(deviceCode)
          const row = isOpaqueToken(deviceCode) ? yield* repository.poll(hash) : undefined
          if (row === undefined || row.status === "collected") return yield* Effect.fail(expired)
          if (row.status === "rejected") return yield* Effect.fail(denied)
          if (!row.alive) return yield* Effect.fail(expired)
          if (row.early) return yield* Effect.fail(slowDown)
          if (row.status === "pending") return yield* Effect.fail(pending)
          const taken = yield* repository.collect(hash)
          if (taken === undefined) return yield* Effect.fail(expired)
          return {
            access_token: open(Redacted.value(key), taken.token, tokenPlace(row.user_code)),
            token_type: "Bearer",
            scope: taken.granted.join(" "),
            workspace_id: taken.org_id
          }
        }),
        get: Effect.fn("DeviceSignIns.get")(function*(user, typed) {
          return toDeviceSignIn(yield* found(user, typed, repository.find))
        }),
        confirm,
        reject
      })
    })
  )
}
