/** The second factors of a person, as sign-in and step-up use them: a port, which `factors/` implements. */
import type { ApiError } from "@countersign/domain/errors"
import type { FactorMethod, FactorProof } from "@countersign/domain/factors"
import { Context, type Effect } from "effect"

/** How a browser reached the hub: a passkey belongs to one host. */
export interface PasskeyPlace {
  /** The host name of which passkeys are; undefined for an IP address, which has none. */
  readonly rpId: string | undefined
  readonly origin: string
}

export class SecondFactors extends Context.Service<SecondFactors, {
  /** Empty for a person without a factor. */
  readonly methods: (user: string) => Effect.Effect<ReadonlyArray<FactorMethod>>
  /**
   * Uses a proof up: a time step, a recovery code, or a passkey's challenge counts once, over all hubs. Undefined when
   * it is wrong. Call it in the transaction of the act that it allows.
   */
  readonly use: (
    user: string,
    proof: FactorProof,
    purpose: "login" | "step_up",
    place: PasskeyPlace
  ) => Effect.Effect<FactorMethod | undefined, ApiError>
}>()("@countersign/hub/auth/SecondFactors") {}
