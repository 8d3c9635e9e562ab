/** The state of a connection to a hub, as a feed reports it and a window shows it. */

export interface Outage {
  /** `offline`: calls get no answer. `failing`: the hub, or a proxy in front of it, answers with 5xx. */
  readonly phase: "offline" | "failing"
  /** Both in milliseconds on this computer's clock. `retryAt` is absent during an attempt. */
  readonly since: number
  readonly retryAt?: number | undefined
  readonly cause: string
}

export type StreamConnection =
  /** The first connection, or an interruption too short to report. Nothing is disabled yet. */
  | { readonly phase: "connecting" }
  | { readonly phase: "online" }
  | Outage & { readonly phase: "offline" }
