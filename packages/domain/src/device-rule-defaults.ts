/** What holds where a device's rules say nothing. No schema is in here: pages read it, too. */
import type { DeviceRules } from "./device-rules.ts"

export interface SettledRules {
  /** `screen` without a screen is nobody, which is a no. */
  readonly ask_via: NonNullable<DeviceRules["ask_via"]>
  readonly sandbox: NonNullable<DeviceRules["sandbox"]>
  /** `people`: a program that an agent requested has none. */
  readonly network: NonNullable<DeviceRules["network"]>
}

export const settledRules = (
  { ask_via = "screen", network = "people", sandbox = "available" }: DeviceRules
): SettledRules => ({ ask_via, sandbox, network })
