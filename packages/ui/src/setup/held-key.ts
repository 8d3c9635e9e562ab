/** A key that the hub has just shown, for as long as this page is open. It is written nowhere. */
import { useSyncExternalStore } from "react"

const keys = new Map<string, string>()
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const holdKey = (agent: string, key: string): void => {
  keys.set(agent, key)
  listeners.forEach((listener) => listener())
}

export const useHeldKey = (agent: string | undefined): string | undefined =>
  useSyncExternalStore(subscribe, () => agent === undefined ? undefined : keys.get(agent))
