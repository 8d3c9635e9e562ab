/** The windows of the shell: one at a time, opened from rail, palette, keys and lines. */
import { useSyncExternalStore } from "react"

export type Overlay = "palette" | "keys" | "freeze"

let open: Overlay | undefined
const listeners = new Set<() => void>()

export const openOverlay = (next: Overlay | undefined): void => {
  open = next
  listeners.forEach((listener) => listener())
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useOverlay = (): Overlay | undefined => useSyncExternalStore(subscribe, () => open)
