/** How people may sign in, from the settings of single sign-on. Spec: reference/sign-in.md "Single sign-on". */
import { Context, Effect, Layer, Option } from "effect"
import { Settings } from "../config.ts"

export interface SignInPolicyShape {
  /** Passwords sign in owners with a second factor only. */
  readonly ssoOnly: boolean
  /** The provider, while there is one. */
  readonly issuer: string | undefined
}

export class SignInPolicy extends Context.Reference<SignInPolicyShape>("@countersign/hub/auth/SignInPolicy", {
  defaultValue: () => ({ ssoOnly: false, issuer: undefined })
}) {}

export const signInPolicyLayer = Layer.effect(
  SignInPolicy,
  Effect.map(Settings, ({ oidc }) => ({
    ssoOnly: Option.exists(oidc, ({ only }) => only),
    issuer: Option.getOrUndefined(Option.map(oidc, ({ issuer }) => issuer))
  }))
)
