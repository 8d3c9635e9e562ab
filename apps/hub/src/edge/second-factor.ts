/** The refusal of people without a second factor where a workspace requires one. Spec: reference/sign-in.md "Required second factors". */
import { forbidden } from "@countersign/domain/errors"

export const factorRequiredMessage =
  "This workspace requires a second factor, and you have none. Add a passkey or an authenticator app under Settings, Security."

export const factorRequired = () => forbidden(factorRequiredMessage, undefined, "second_factor_required")
