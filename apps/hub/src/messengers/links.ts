/** The texts of `/countersign link`, and how long a messenger waits for its answer. */
import type { Claim } from "../messenger-links/service.ts"

/** Slack and Discord give up after three seconds. */
export const waitMillis = 2_000

/** The code of `link CODE`. */
export const commandText = (text: string): string | undefined => /^\s*link\s+(\S.{0,40}?)\s*$/i.exec(text)?.[1]

export const claimText = (claim: Claim): string => {
  switch (claim.kind) {
    case "claimed":
      return `Almost done: confirm this account in Countersign under Settings, Linked accounts. The code belongs to ${claim.name}.`
    case "wrong_code":
      return "This code is wrong, was used, or has expired. Create a new one in Countersign under Settings, Linked accounts."
    case "too_many":
      return "Too many wrong codes. Try again in a minute."
    case "repeated":
      return "This command was handled before."
  }
}
