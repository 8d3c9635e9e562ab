/**
 * The connection to the hub, from two sources: the event stream, one for all tabs of the browser, and this tab's own
 * calls, which can fail while the stream is open.
 */
import type { Outage, StreamConnection } from "@countersign/hub-client/stream-connection"
import { sharedValue, useSharedValue } from "../components/shared-value.ts"

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

export const useConnection = (): Connection => useSharedValue(connection)

/** Spending and decisions are disabled during an outage: the screen may be out of date. */
export const useMayAct = (): boolean => !isOutage(useConnection())
