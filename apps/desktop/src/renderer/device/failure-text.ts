/** The reason why this computer's device does not run, as both windows show it. */
import { defineText } from "@countersign/ui/text/catalogue"
import type { DeviceView } from "../../bridge/device-view.ts"

export const failureText = defineText({
  superseded:
    "Another copy of this device took over, and only one can run. If you reactivate this one, the other one ends.",
  revoked: "The hub has revoked this device. Connect this computer again to run commands.",
  no_key:
    "Its key isn't in the keychain. Unlock the keychain and try again. If the key is lost, disconnect this computer and connect it again.",
  keychain: (reason: string) => `${reason}. The app retries automatically.`
})

/** None: there is nothing to report. */
export const failureWords = (t: typeof failureText, { failure, reason, retryAt }: DeviceView): string | undefined => {
  if (failure === "superseded" || failure === "revoked" || failure === "no_key") return t[failure]
  return failure === "keychain" && reason !== undefined && retryAt !== undefined ? t.keychain(reason) : reason
}
