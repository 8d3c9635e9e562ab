/**
 * The connection to the hub, from two sources: the event stream, one for all tabs of the browser, and this tab's own calls, which can fail
 * while the stream is open.
 */
import { useSyncExternalStore } from "react"

export interface Outage {
  /** `offline`: calls get no answer. `failing`: the hub, or a proxy in front of it, answers with 5xx. */
  readonly phase: "offline" | "failing"
  /** Both in milliseconds of this computer's clock. `retryAt` is absent during an attempt. */
  readonly since: number
  readonly retryAt?: number | undefined
  readonly cause: string
}

export type StreamConnection =
  /** First connection, or an interruption too short to report. Nothing is disabled yet. */
  | { readonly phase: "connecting" }
  | { readonly phase: "online" }
  | Outage & { readonly phase: "offline" }

export type Connection = StreamConnection | Outage

let stream: StreamConnection = { phase: "connecting" }
let outageOfCalls: Outage | undefined
let connection: Connection = stream
const listeners = new Set<() => void>()

export const isOutage = (connection: Connection): connection is Outage =>
  connection.phase === "offline" || connection.phase === "failing"

const update = (): void => {
  connection = isOutage(stream) ? stream : outageOfCalls ?? stream
  listeners.forEach((listener) => listener())
}

export const currentConnection = (): Connection => connection
/** Without this tab's calls: what other tabs may be sent. */
export const currentStream = (): StreamConnection => stream

export const setStream = (next: StreamConnection): void => {
  stream = next
  update()
}

/** Undefined once a call has succeeded. */
export const setOutageOfCalls = (next: Outage | undefined): void => {
  if (next === outageOfCalls) return
  outageOfCalls = next
  update()
}

export const subscribeConnection = (listener: () => void): () => void => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useConnection = (): Connection => useSyncExternalStore(subscribeConnection, currentConnection)

/** Spending and decisions are disabled during an outage: the screen may be out of date. */
export const useMayAct = (): boolean => !isOutage(useConnection())
