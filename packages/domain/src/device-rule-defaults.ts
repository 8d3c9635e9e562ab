/** The defaults for a device's rules. Contains no schema, because pages read it too. */
import type { DeviceRules } from "./device-rules.ts"

export interface SettledRules {
  /** `screen` on a device without a screen denies. */
  readonly ask_via: NonNullable<DeviceRules["ask_via"]>
  readonly sandbox: NonNullable<DeviceRules["sandbox"]>
  /** `people`: a program that an agent requested has no network. */
  readonly network: NonNullable<DeviceRules["network"]>
}

export const settledRules = (
  { ask_via = "screen", network = "people", sandbox = "available" }: DeviceRules
): SettledRules => ({ ask_via, sandbox, network })
