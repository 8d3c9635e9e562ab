/** A person's second factors: enrollment, names, removal, recovery codes. Spec: reference/sign-in.md "Second factors". */
import type { UserPrincipal } from "@countersign/domain/auth"
import {
  type ApiError,
  type Conflict,
  conflict,
  type Forbidden,
  invalidField,
  type NotFound,
  notFound
} from "@countersign/domain/errors"
import {
  type AddedFactor,
  type Factor,
  type FactorInput,
  type FactorList,
  factorsMax,
  type StepUpMethod,
  type TotpEnrollment
} from "@countersign/domain/factors"
import { Context, Effect, Layer, Redacted } from "effect"
import { BreakGlass } from "../auth/break-glass.ts"
import { credentialHash } from "../auth/hash.ts"
import { UsersRepository, withoutPassword } from "../auth/repository.ts"
import { type PasskeyPlace, SecondFactors } from "../auth/second-factors.ts"
import { Identity } from "../auth/service.ts"
import { SignInPolicy } from "../auth/sign-in-policy.ts"
import { needsStepUp } from "../edge/step-up.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { MasterKey } from "../platform/master-key.ts"
import { open, seal } from "../platform/sealed.ts"
import {
  authenticationOptions,
  challengeIn,
  type PasskeyResponse,
  registered,
  registrationOptions
} from "./passkeys.ts"
import { newRecoveryCodes, recoveryCodeHash } from "./recovery-code.ts"
import { FactorsRepository, type NewFactor, newFactorId } from "./repository.ts"
import { newSecret, otpauthUrl, stepOf } from "./totp.ts"
import { secretPlace } from "./use.ts"

const authenticatorName = "Authenticator app"

const noFactor = notFound("factor")
const noHostName = conflict(
  "passkeys_unavailable",
  "Passkeys need a hub whose address has a host name. Open the hub at its name (on this machine: localhost), or set HUB_PUBLIC_URL."
)
const wrongPasskey = invalidField("credential", "the passkey could not be verified; start again")

export class Factors extends Context.Service<Factors, {
  readonly list: (user: UserPrincipal, place: PasskeyPlace) => Effect.Effect<FactorList>
  readonly totpOptions: (user: UserPrincipal) => Effect.Effect<TotpEnrollment>
  /** The options of a call of the browser's, whose challenge counts once. */
  readonly passkeyOptions: (
    user: UserPrincipal,
    purpose: "register" | "step_up",
    place: PasskeyPlace
  ) => Effect.Effect<PasskeyResponse, ApiError>
  /** For a person with a right password; 401 when the challenge ended. */
  readonly loginOptions: (challenge: string, place: PasskeyPlace) => Effect.Effect<PasskeyResponse, ApiError>
  /** 403 `step_up_required`, 404 for an enrollment that ended, 409 `limit_reached`. The first factor brings recovery codes. */
  readonly add: (user: UserPrincipal, input: FactorInput, place: PasskeyPlace) => Effect.Effect<AddedFactor, ApiError>
  readonly rename: (user: UserPrincipal, id: string, name: string) => Effect.Effect<Factor, NotFound>
  /** 403 `step_up_required`; 409 `last_owner`: see `BreakGlass`. */
  readonly remove: (user: UserPrincipal, id: string) => Effect.Effect<void, NotFound | Forbidden | Conflict>
  readonly replaceRecoveryCodes: (user: UserPrincipal) => Effect.Effect<ReadonlyArray<string>, ApiError>
}>()("@countersign/hub/factors/Factors") {
  static readonly layer = Layer.effect(
    Factors,
    Effect.gen(function*() {
      const repository = yield* FactorsRepository
      const factors = yield* SecondFactors
      const identity = yield* Identity
      const breakGlass = yield* BreakGlass
      const users = yield* UsersRepository
      const { issuer } = yield* SignInPolicy
      const { key } = yield* MasterKey
      const audit = yield* AuditLog
      const db = yield* Db

      const record = (user: UserPrincipal, action: string, data: Readonly<Record<string, unknown>>) =>
        audit.record(user.org_id, actorOf(user), { action, subject: { type: "user", id: user.user_id }, data })

      const issueRecoveryCodes = Effect.fnUntraced(function*(user: string) {
        const codes = newRecoveryCodes()
        yield* repository.replaceRecoveryCodes(user, codes.map(recoveryCodeHash))
        return codes
      })

      /** Inside of the transaction that adds it. */
      const confirmed = Effect.fnUntraced(function*(
        user: UserPrincipal,
        input: FactorInput,
        { origin, rpId }: PasskeyPlace
      ): Effect.fn.Return<NewFactor, ApiError> {
        if (input.kind === "totp") {
          const sealed = yield* repository.enrollment(user.user_id, input.id)
          if (sealed === undefined) return yield* Effect.fail(noFactor)
          const place = secretPlace(user.user_id, input.id)
          const secret = open(Redacted.value(key), sealed, place)
          const step = stepOf(secret, input.code, yield* repository.now)
          if (step === undefined) {
            return yield* Effect.fail(invalidField("code", "it is not the app's current code; check the phone's clock"))
          }
          yield* repository.endEnrollment(user.user_id, input.id)
          return { id: input.id, kind: "totp", name: input.name ?? authenticatorName, secret: sealed, step }
        }
        if (rpId === undefined) return yield* Effect.fail(noHostName)
        const challenge = challengeIn(input.credential)
        const isOpen = challenge !== undefined &&
          (yield* repository.useChallenge(credentialHash(challenge), user.user_id, "register"))
        const passkey = isOpen ? yield* registered(input.credential, { challenge, origin, rpId }) : undefined
        return passkey === undefined
          ? yield* Effect.fail(wrongPasskey)
          : { id: newFactorId(), kind: "passkey", name: input.name, ...passkey }
      })

      const add = Effect.fn("Factors.add")(
        function*(
          user: UserPrincipal,
          input: FactorInput,
          place: PasskeyPlace
        ): Effect.fn.Return<AddedFactor, ApiError> {
          yield* needsStepUp(user, "Adding a second factor")
          const count = yield* repository.lock(user.user_id)
          if (count >= factorsMax) {
            const advice = `A person can have ${factorsMax} second factors; remove one first.`
            return yield* Effect.fail(conflict("limit_reached", advice, { max: factorsMax }))
          }
          const added = yield* repository.insert(user.user_id, yield* confirmed(user, input, place))
          if (added === undefined) {
            return yield* Effect.fail(conflict("conflict", "This passkey is already a second factor."))
          }
          const codes = count === 0 ? yield* issueRecoveryCodes(user.user_id) : undefined
          yield* record(user, "user.factor_added", { factor_id: added.id, kind: added.kind, name: added.name })
          return { ...added, ...codes === undefined ? {} : { recovery_codes: codes } }
        },
        db.transaction
      )

      const remove = Effect.fn("Factors.remove")(function*(user: UserPrincipal, id: string) {
        yield* breakGlass.lockFor(user.user_id)
        const count = yield* repository.lock(user.user_id)
        const removal = Effect.gen(function*() {
          const removed = yield* repository.remove(user.user_id, id)
          if (removed === undefined) return yield* Effect.fail(noFactor)
          yield* needsStepUp(user, "Removing a second factor")
          if (count === 1) yield* repository.removeAll(user.user_id)
          return removed
        })
        const removed = yield* breakGlass.keepOne(user.user_id, removal)
        yield* record(user, "user.factor_removed", { factor_id: id, kind: removed.kind, name: removed.name })
      }, db.transaction)

      const replaceRecoveryCodes = Effect.fn("Factors.replaceRecoveryCodes")(function*(user: UserPrincipal) {
        yield* needsStepUp(user, "Replacing recovery codes")
        if ((yield* repository.lock(user.user_id)) === 0) {
          return yield* Effect.fail(conflict("conflict", "Add a second factor first: it brings recovery codes."))
        }
        const codes = yield* issueRecoveryCodes(user.user_id)
        yield* record(user, "user.recovery_codes_replaced", {})
        return codes
      }, db.transaction)

      const optionsFor = Effect.fnUntraced(function*(
        user: string,
        purpose: "login" | "step_up",
        { rpId }: PasskeyPlace
      ): Effect.fn.Return<PasskeyResponse, ApiError> {
        if (rpId === undefined) return yield* Effect.fail(noHostName)
        const known = yield* repository.passkeys(user)
        if (known.length === 0) return yield* Effect.fail(conflict("conflict", "You have no passkey."))
        const { challenge, options } = yield* authenticationOptions(rpId, known)
        yield* repository.insertChallenge(credentialHash(challenge), user, purpose)
        return options
      })

      return Factors.of({
        list: Effect.fn("Factors.list")(function*(user, place) {
          const as_of = yield* audit.asOf(user.org_id)
          const methods = yield* factors.methods(user.user_id)
          const owner = yield* users.byId(user.user_id)
          const hasPassword = owner?.password_hash !== withoutPassword
          const step_up_methods: ReadonlyArray<StepUpMethod> = methods.length > 0
            ? methods
            : [
              ...hasPassword ? ["password" as const] : [],
              ...issuer !== undefined && !hasPassword ? ["oidc" as const] : []
            ]
          return {
            data: yield* repository.list(user.user_id),
            next_cursor: null,
            as_of,
            recovery_codes_left: yield* repository.recoveryCodesLeft(user.user_id),
            step_up_methods,
            passkeys_available: place.rpId !== undefined
          }
        }),
        totpOptions: Effect.fn("Factors.totpOptions")(function*(user) {
          const id = newFactorId()
          const secret = newSecret()
          yield* repository.enroll(
            user.user_id,
            id,
            seal(Redacted.value(key), secret, secretPlace(user.user_id, id))
          )
          return { id, secret, otpauth_url: otpauthUrl(secret, user.email) }
        }),
        passkeyOptions: Effect.fn("Factors.passkeyOptions")(function*(user, purpose, place) {
          if (purpose === "step_up") return yield* optionsFor(user.user_id, purpose, place)
          if (place.rpId === undefined) return yield* Effect.fail(noHostName)
          // Before the browser creates a passkey that the hub would then refuse.
          yield* needsStepUp(user, "Adding a second factor")
          const known = yield* repository.passkeys(user.user_id)
          const owner = { id: user.user_id, email: user.email, name: user.name }
          const { challenge, options } = yield* registrationOptions(place.rpId, owner, known)
          yield* repository.insertChallenge(credentialHash(challenge), user.user_id, purpose)
          return options
        }),
        loginOptions: Effect.fn("Factors.loginOptions")(function*(challenge, place) {
          const { id } = yield* identity.challenged(challenge)
          return yield* optionsFor(id, "login", place)
        }),
        add,
        rename: Effect.fn("Factors.rename")(function*(user, id, name) {
          const renamed = yield* repository.rename(user.user_id, id, name)
          if (renamed === undefined) return yield* Effect.fail(noFactor)
          yield* record(user, "user.factor_renamed", { factor_id: id, name })
          return renamed
        }, db.transaction),
        remove,
        replaceRecoveryCodes
      })
    })
  )
}
