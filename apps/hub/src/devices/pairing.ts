/**
 * Pairing of a device: it shows a code, an operator compares and confirms it, and only the holder of the secret gets
 * the key, once. Spec: reference/devices.md "Pairing".
 */
import type { UserPrincipal } from "@countersign/domain/auth"
import {
  type ConfirmPairing,
  type Device,
  type DeviceInput,
  type Pairing,
  type PairingProgress,
  type PairingStarted
} from "@countersign/domain/devices"
import { type ApiError, gone, invalidField, notFound, rateLimited, unauthorized } from "@countersign/domain/errors"
import { shownUserCode, userCodeAlphabet, userCodeLength, userCodeOf } from "@countersign/domain/user-code"
import { Context, Effect, Layer, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { credentialHash, isOpaqueToken, opaqueToken } from "../auth/hash.ts"
import { addressKey, perMinute, takeFrom } from "../edge/rate-limit.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { MasterKey } from "../platform/master-key.ts"
import { open, seal } from "../platform/sealed.ts"
import { Signals } from "../platform/signals.ts"
import { awaitSignal } from "../platform/waiting.ts"
import { type PairingRow, PairingsRepository } from "./pairings-repository.ts"
import { fingerprintOf } from "./rows.ts"
import { Devices } from "./service.ts"

/** One subject for all pairings: a decision wakes every pending poll, and these are few. */
const pairingsSubject = "pairings"

const startsPerMinute = 5
const wrongCodesPerMinute = 10

const newCode = (): string => Array.from(randomBytes(userCodeLength), (byte) => userCodeAlphabet[byte & 31]).join("")

const toPairing = (row: PairingRow): Pairing => ({
  code: shownUserCode(row.code),
  name: row.name,
  platform: row.platform,
  arch: row.arch,
  app_version: row.app_version,
  address: row.address,
  ...(row.public_key === null ? {} : { fingerprint: fingerprintOf(row.public_key) }),
  capabilities: row.capabilities,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString()
})

const inputOf = (row: PairingRow): DeviceInput => ({
  name: row.name,
  platform: row.platform,
  arch: row.arch,
  app_version: row.app_version,
  capabilities: row.capabilities,
  ...(row.public_key === null ? {} : { public_key: row.public_key })
})

export class DevicePairing extends Context.Service<DevicePairing, {
  /** 429 beyond five a minute from one address. */
  readonly start: (address: string, input: DeviceInput) => Effect.Effect<PairingStarted, ApiError>
  /** 401 without the secret of a pairing; 410 when it has expired or its key was fetched. */
  readonly current: (secret: string | undefined, waitMillis: number) => Effect.Effect<PairingProgress, ApiError>
  /** 404 for a wrong code, 410 for a used or expired one, 429 for every code after ten wrong ones within a minute. */
  readonly get: (user: UserPrincipal, code: string) => Effect.Effect<Pairing, ApiError>
  readonly confirm: (user: UserPrincipal, code: string, decision: ConfirmPairing) => Effect.Effect<Device, ApiError>
  readonly reject: (user: UserPrincipal, code: string) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/devices/DevicePairing") {
  static readonly layer = Layer.effect(
    DevicePairing,
    Effect.gen(function*() {
      const pairings = yield* PairingsRepository
      const devices = yield* Devices
      const { key } = yield* MasterKey
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db
      const starts = perMinute("pair", startsPerMinute)
      const wrong = perMinute("pair", wrongCodesPerMinute)

      const start: DevicePairing["Service"]["start"] = Effect.fn("DevicePairing.start")(function*(address, input) {
        const taken = takeFrom(starts, addressKey(address))
        if (!taken.allowed) return yield* Effect.fail(rateLimited(taken.resetSeconds))
        const secret = opaqueToken()
        for (;;) {
          const code = newCode()
          const expires = yield* pairings.insert(code, credentialHash(secret), address, input)
          if (expires !== undefined) {
            return { code: shownUserCode(code), pairing_secret: secret, expires_at: expires.toISOString() }
          }
        }
      })

      const noSecret = unauthorized(
        "This endpoint requires the pairing secret: Authorization: Bearer <pairing_secret>.",
        {
          wants: "pairing_secret"
        }
      )
      const over = gone("This pairing was used or has expired after ten minutes. Start another.")

      const progress = Effect.fnUntraced(function*(secret: string): Effect.fn.Return<PairingProgress, ApiError> {
        const hash = credentialHash(secret)
        const row = yield* pairings.bySecret(hash)
        if (row === undefined) return yield* Effect.fail(noSecret)
        if (row.status === "rejected") return { status: "rejected" }
        if (row.status === "waiting") return row.alive ? { status: "waiting" } : yield* Effect.fail(over)
        const taken = yield* pairings.collect(hash)
        if (taken?.device_key == null || taken.device_id === null) return yield* Effect.fail(over)
        return {
          status: "confirmed",
          device_id: taken.device_id as NonNullable<PairingProgress["device_id"]>,
          device_key: open(Redacted.value(key), taken.device_key, ["pairing", taken.code])
        }
      })

      const current: DevicePairing["Service"]["current"] = Effect.fn("DevicePairing.current")(
        function*(secret, waitMillis) {
          if (secret === undefined || !isOpaqueToken(secret)) return yield* Effect.fail(noSecret)
          return yield* awaitSignal(
            signals,
            pairingsSubject,
            waitMillis,
            progress(secret),
            ({ status }) => status !== "waiting"
          )
        }
      )

      const found = Effect.fnUntraced(function*(
        user: UserPrincipal,
        typed: string,
        read: PairingsRepository["Service"]["byCode"]
      ): Effect.fn.Return<PairingRow, ApiError> {
        // Each try takes a token, and a correct code returns it, so that parallel tries cannot exceed the limit.
        const taken = takeFrom(wrong, user.user_id)
        if (!taken.allowed) return yield* Effect.fail(rateLimited(taken.resetSeconds))
        const code = userCodeOf(typed)
        const row = code.length === userCodeLength ? yield* read(code) : undefined
        if (row === undefined) return yield* Effect.fail(notFound("pairing code"))
        wrong?.giveBack(user.user_id)
        return row.status !== "waiting" || !row.alive ? yield* Effect.fail(over) : row
      })

      const confirm = Effect.fn("DevicePairing.confirm")(
        function*(user: UserPrincipal, typed: string, decision: ConfirmPairing): Effect.fn.Return<Device, ApiError> {
          const row = yield* found(user, typed, pairings.lockCode)
          const beyond = decision.granted.findIndex((tool) => !row.capabilities.includes(tool))
          if (beyond >= 0) {
            return yield* Effect.fail(invalidField(`granted.${beyond}`, "the device does not offer this tool"))
          }
          const { id, key: token } = yield* devices.admit(user, {
            ...inputOf(row),
            ...(decision.name === undefined ? {} : { name: decision.name })
          })
          const device = yield* devices.update(user, id, {
            granted: decision.granted,
            ...(decision.agents === undefined ? {} : { agents: decision.agents })
          })
          yield* pairings.decide(row.code, user.org_id, {
            status: "confirmed",
            device: id,
            key: seal(Redacted.value(key), token, ["pairing", row.code])
          })
          yield* audit.record(user.org_id, actorOf(user), {
            action: "device.paired",
            subject: { type: "device", id },
            data: { name: device.name, platform: row.platform, address: row.address, granted: decision.granted }
          })
          yield* db.afterCommit(Effect.sync(() => signals.object(pairingsSubject)))
          return device
        },
        db.transaction
      )

      const reject = Effect.fn("DevicePairing.reject")(
        function*(user: UserPrincipal, typed: string): Effect.fn.Return<void, ApiError> {
          const row = yield* found(user, typed, pairings.lockCode)
          yield* pairings.decide(row.code, user.org_id, { status: "rejected" })
          yield* audit.record(user.org_id, actorOf(user), {
            action: "device.pairing_rejected",
            data: { name: row.name, platform: row.platform, address: row.address }
          })
          yield* db.afterCommit(Effect.sync(() => signals.object(pairingsSubject)))
        },
        db.transaction
      )

      return DevicePairing.of({
        start,
        current,
        confirm,
        reject,
        get: Effect.fn("DevicePairing.get")(function*(user, typed) {
          const row = yield* found(user, typed, pairings.byCode)
          return toPairing(row)
        })
      })
    })
  )
}
