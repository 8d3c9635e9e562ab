/**
 * The plan of a command, as it is shown for approval, with the digest that binds the decision to it. Spec:
 * reference/devices.md "D9: plan binding".
 */
import type { OfferedCommand } from "@countersign/domain/device-frames"
import type { DevicePlan } from "@countersign/domain/device-plan"
import { canonicalize } from "@countersign/domain/json"
import { createHash } from "node:crypto"
import type { Prepared } from "./tools/tool.ts"

export interface Planned {
  readonly plan: DevicePlan
  /** SHA-256 of its canonical JSON, in hex. */
  readonly digest: string
}

export const planOf = ({ input, timeout_seconds, tool }: OfferedCommand, { plan: facts }: Prepared): Planned => {
  const plan: DevicePlan = { version: 1, tool, input, ...facts, timeout_seconds }
  return { plan, digest: createHash("sha256").update(canonicalize(plan)).digest("hex") }
}
