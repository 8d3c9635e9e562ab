/**
 * WebAuthn ceremonies (Web Authentication, Level 3) with user verification. A failure of the library is a wrong passkey:
 * its message depends on the browser's answer. Spec: reference/sign-in.md "Passkeys".
 */
import { enrollmentSeconds, type FactorProof } from "@countersign/domain/factors"
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server"
import { Effect } from "effect"
import type { PasskeyRow } from "./repository.ts"

/** Loaded at the first use: it parses certificates, and most hubs start without a passkey. */
const library = Effect.promise(() => import("@simplewebauthn/server"))

/** EdDSA, ES256, RS256 (COSE): what authenticators have, without algorithms that Node calls experimental. */
const algorithms = [-8, -7, -257]

export type PasskeyResponse = NonNullable<FactorProof["passkey"]>

/** What a library's answer holds is JSON by its own definition. */
const asJson = (value: object): PasskeyResponse => JSON.parse(JSON.stringify(value)) as PasskeyResponse

export interface Owner {
  readonly id: string
  readonly email: string
  readonly name: string
}

export const registrationOptions = (rpId: string, owner: Owner, known: ReadonlyArray<PasskeyRow>) =>
  Effect.gen(function*() {
    const { generateRegistrationOptions } = yield* library
    const options = yield* Effect.promise(() =>
      generateRegistrationOptions({
        rpName: "Countersign",
        rpID: rpId,
        userName: owner.email,
        userID: new TextEncoder().encode(owner.id),
        userDisplayName: owner.name === "" ? owner.email : owner.name,
        timeout: enrollmentSeconds * 1_000,
        attestationType: "none",
        supportedAlgorithmIDs: [...algorithms],
        excludeCredentials: known.map(({ credential_id, transports }) => ({
          id: credential_id,
          transports: [...transports]
        })),
        authenticatorSelection: { residentKey: "preferred", userVerification: "required" }
      })
    )
    return { challenge: options.challenge, options: asJson(options) }
  })

export const authenticationOptions = (rpId: string, known: ReadonlyArray<PasskeyRow>) =>
  Effect.gen(function*() {
    const { generateAuthenticationOptions } = yield* library
    const options = yield* Effect.promise(() =>
      generateAuthenticationOptions({
        rpID: rpId,
        userVerification: "required",
        timeout: enrollmentSeconds * 1_000,
        allowCredentials: known.map(({ credential_id, transports }) => ({
          id: credential_id,
          transports: [...transports]
        }))
      })
    )
    return { challenge: options.challenge, options: asJson(options) }
  })

/** The challenge that a browser says it answered; the signature covers it. */
export const challengeIn = ({ response }: PasskeyResponse): string | undefined => {
  const data = typeof response === "object" && response !== null && !Array.isArray(response)
    ? (response as Readonly<Record<string, unknown>>)["clientDataJSON"]
    : undefined
  if (typeof data !== "string") return undefined
  try {
    const { challenge } = JSON.parse(Buffer.from(data, "base64url").toString("utf8")) as {
      readonly challenge?: unknown
    }
    return typeof challenge === "string" ? challenge : undefined
  } catch {
    return undefined
  }
}

export interface Expected {
  readonly challenge: string
  readonly origin: string
  readonly rpId: string
}

const orUndefined = <A>(attempt: () => Promise<A | undefined>): Effect.Effect<A | undefined> =>
  Effect.promise(() => attempt().catch(() => undefined))

/** Undefined when the browser's answer is wrong, of another origin, or without user verification. */
export const registered = (answer: PasskeyResponse, { challenge, origin, rpId }: Expected) =>
  Effect.flatMap(library, ({ verifyRegistrationResponse }) =>
    orUndefined(async () => {
      const { registrationInfo, verified } = await verifyRegistrationResponse({
        response: answer as unknown as RegistrationResponseJSON,
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: rpId,
        supportedAlgorithmIDs: [...algorithms],
        requireUserVerification: true
      })
      if (!verified || registrationInfo === undefined) return undefined
      const { credential } = registrationInfo
      return {
        credential_id: credential.id,
        public_key: credential.publicKey as Uint8Array,
        sign_count: credential.counter,
        transports: credential.transports ?? []
      }
    }))

/** The new signature counter; undefined when the answer is wrong. */
export const authenticated = (answer: PasskeyResponse, known: PasskeyRow, { challenge, origin, rpId }: Expected) =>
  Effect.flatMap(library, ({ verifyAuthenticationResponse }) =>
    orUndefined(async () => {
      const { authenticationInfo, verified } = await verifyAuthenticationResponse({
        response: answer as unknown as AuthenticationResponseJSON,
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: rpId,
        credential: {
          id: known.credential_id,
          publicKey: new Uint8Array(known.public_key),
          counter: known.sign_count,
          transports: [...known.transports]
        },
        requireUserVerification: true
      })
      return verified ? authenticationInfo.newCounter : undefined
    }))
