/**
 * The connection to the hub, from two sources: the event stream, one for all tabs of the browser, and this tab's own
 * calls, which can fail while the stream is open.
 */
import { sharedValue, useSharedValue } from "../components/shared-value.ts"

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

export type Connection = StreamConnection | Outage

let stream: StreamConnection = { phase: "connecting" }
let outageOfCalls: Outage | undefined
const connection = sharedValue<Connection>(stream)

export const isOutage = (connection: Connection): connection is Outage =>
  connection.phase === "offline" || connection.phase === "failing"

const update = (): void => connection.set(isOutage(stream) ? stream : outageOfCalls ?? stream)

export const currentConnection = connection.get
/** The state without this tab's calls, which other tabs can share. */
export const currentStream = (): StreamConnection => stream

export const setStream = (next: StreamConnection): void => {
  stream = next
  update()
}

/** Undefined after a call succeeded. */
export const setOutageOfCalls = (next: Outage | undefined): void => {
  if (next === outageOfCalls) return
  outageOfCalls = next
  update()
}

export const subscribeConnection = connection.subscribe

export const useConnection = (): Connection => useSharedValue(connection)

/** Spending and decisions are disabled during an outage: the screen may be out of date. */
export const useMayAct = (): boolean => !isOutage(useConnection())
