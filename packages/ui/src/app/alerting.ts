/** How this browser announces new approvals. Both options are off by default. */
import { useSyncExternalStore } from "react"
import { kept } from "./kept.ts"

export interface Alerting {
  readonly notify: boolean
  readonly sound: boolean
}

const off: Alerting = { notify: false, sound: false }

const store = kept<Alerting>("alerting", (value) => {
  if (typeof value !== "object" || value === null) return undefined
  const { notify, sound } = value as Readonly<Record<string, unknown>>
  return { notify: notify === true, sound: sound === true }
})

export const currentAlerting = (): Alerting => store.get() ?? off
export const setAlerting = (changed: Partial<Alerting>): void => store.set({ ...currentAlerting(), ...changed })
export const useAlerting = (): Alerting => useSyncExternalStore(store.subscribe, currentAlerting)
