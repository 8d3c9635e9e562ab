/** Settings of a device's rules and their defaults. Contains no schema, because pages read it too. */

/** The places to ask for `ask` rules. */
export const askPlaces = ["screen", "hub", "none"] as const
/** `required`: without a sandbox no command runs. */
export const sandboxModes = ["available", "required", "off"] as const
/** The network of programs in the sandbox. `people`: a program that an agent requested has none. */
export const networkModes = ["people", "on", "off"] as const

export interface SettledRules {
  /** `screen` on a device without a screen denies. */
  readonly ask_via: (typeof askPlaces)[number]
  readonly sandbox: (typeof sandboxModes)[number]
  readonly network: (typeof networkModes)[number]
}

export const settledRules = (
  { ask_via = "screen", network = "people", sandbox = "available" }: Partial<SettledRules>
): SettledRules => ({ ask_via, sandbox, network })
