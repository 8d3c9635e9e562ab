/** Why this computer's device does not run, as both windows say it. */
import { defineText } from "@countersign/ui/text/catalogue"
import type { DeviceView } from "../main/device/view.ts"

export const failureText = defineText({
  superseded: "Another copy of this device took its place, and only one of them runs. If you bring it back here, the other one ends."
})

/** None: there is nothing to say. */
export const failureWords = (t: typeof failureText, { failure, reason }: DeviceView): string | undefined =>
  failure === "superseded" ? t.superseded : reason
