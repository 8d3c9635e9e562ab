/** Whether the palette is open: opened by key, by the top line, by the phone's bar. */
import { useSyncExternalStore } from "react"

let isOpen = false
const listeners = new Set<() => void>()

export const setPaletteOpen = (open: boolean): void => {
  isOpen = open
  listeners.forEach((listener) => listener())
}
export const openPalette = (): void => setPaletteOpen(true)

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
export const usePaletteOpen = (): boolean => useSyncExternalStore(subscribe, () => isOpen)
