/** The reason why this computer's device does not run, as both windows show it. */
import { defineText } from "@countersign/ui/text/catalogue"
import type { DeviceView } from "../bridge/device-view.ts"

export const failureText = defineText({
  superseded:
    "Another copy of this device took its place, and only one of them runs. If you bring it back here, the other one ends.",
  revoked: "The hub has revoked this device. Lend this computer again if it is to take commands.",
  no_key:
    "Its key is not in the keychain. Unlock the keychain and try again; if the key is lost, take this computer back and lend it again.",
  keychain: (reason: string) => `${reason}. It is tried again by itself.`
})

/** None: there is nothing to report. */
export const failureWords = (t: typeof failureText, { failure, reason, retryAt }: DeviceView): string | undefined => {
  if (failure === "superseded" || failure === "revoked" || failure === "no_key") return t[failure]
  return failure === "keychain" && reason !== undefined && retryAt !== undefined ? t.keychain(reason) : reason
}
