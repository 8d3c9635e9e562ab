/** How a proof of a second factor is checked and used up: the adapter of the port of sign-in and step-up. */
import type { FactorMethod } from "@countersign/domain/factors"
import { Effect, Layer, Redacted } from "effect"
import { credentialHash } from "../auth/hash.ts"
import { type PasskeyPlace, SecondFactors } from "../auth/second-factors.ts"
import { MasterKey } from "../platform/master-key.ts"
import { open } from "../platform/sealed.ts"
import { authenticated, challengeIn, type PasskeyResponse } from "./passkeys.ts"
import { recoveryCodeHash } from "./recovery-code.ts"
import { FactorsRepository } from "./repository.ts"
import { stepOf } from "./totp.ts"

/** The place of a sealed secret. */
export const secretPlace = (user: string, factor: string): ReadonlyArray<string> => ["totp", user, factor]

export const secondFactorsLayer = Layer.effect(
  SecondFactors,
  Effect.gen(function*() {
    const repository = yield* FactorsRepository
    const { key } = yield* MasterKey

    const totp = Effect.fnUntraced(function*(user: string, code: string) {
      const now = yield* repository.now
      for (const { id, secret } of yield* repository.totps(user)) {
        const step = stepOf(open(Redacted.value(key), secret, secretPlace(user, id)), code, now)
        if (step !== undefined && (yield* repository.acceptStep(user, id, step))) return true
      }
      return false
    })

    const passkey = Effect.fnUntraced(function*(
      user: string,
      answer: PasskeyResponse,
      purpose: "login" | "step_up",
      { origin, rpId }: PasskeyPlace
    ) {
      const challenge = challengeIn(answer)
      if (challenge === undefined || rpId === undefined) return false
      const known = (yield* repository.passkeys(user)).find(({ credential_id }) => credential_id === answer["id"])
      if (known === undefined) return false
      if (!(yield* repository.useChallenge(credentialHash(challenge), user, purpose))) return false
      const count = yield* authenticated(answer, known, { challenge, origin, rpId })
      if (count === undefined) return false
      yield* repository.recordPasskeyUse(user, known.id, count)
      return true
    })

    return SecondFactors.of({
      methods: Effect.fn("SecondFactors.methods")(function*(user) {
        const factors = yield* repository.list(user)
        if (factors.length === 0) return []
        const left = yield* repository.recoveryCodesLeft(user)
        const kinds: ReadonlyArray<FactorMethod> = ["passkey", "totp"]
        return [
          ...kinds.filter((kind) => factors.some((factor) => factor.kind === kind)),
          ...left > 0 ? ["recovery_code" as const] : []
        ]
      }),
      use: Effect.fn("SecondFactors.use")(function*(user, proof, purpose, place) {
        if (proof.totp !== undefined) return (yield* totp(user, proof.totp)) ? "totp" : undefined
        if (proof.recovery_code !== undefined) {
          const isUsed = yield* repository.useRecoveryCode(user, recoveryCodeHash(proof.recovery_code))
          return isUsed ? "recovery_code" : undefined
        }
        if (proof.passkey === undefined) return undefined
        return (yield* passkey(user, proof.passkey, purpose, place)) ? "passkey" : undefined
      })
    })
  })
)
