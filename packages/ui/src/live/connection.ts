/** Whether this browser hears the hub. One state for all tabs: the one that leads tells it to the others. */
import { useSyncExternalStore } from "react"

export type Connection =
  /** Being made, for the first time or after a moment's loss. Nothing is off yet. */
  | { readonly phase: "connecting" }
  | { readonly phase: "online" }
  /** `since` and `retryAt` in milliseconds of this computer's clock; no `retryAt` while it is being tried. */
  | { readonly phase: "offline"; readonly since: number; readonly retryAt?: number | undefined; readonly cause: string }

let connection: Connection = { phase: "connecting" }
const listeners = new Set<() => void>()

export const currentConnection = (): Connection => connection

export const setConnection = (next: Connection): void => {
  connection = next
  listeners.forEach((listener) => listener())
}

export const subscribeConnection = (listener: () => void): () => void => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useConnection = (): Connection => useSyncExternalStore(subscribeConnection, currentConnection)

/** What spends or decides is off while nobody knows what the hub has said since. */
export const useMayAct = (): boolean => useConnection().phase !== "offline"
