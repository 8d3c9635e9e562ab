/**
 * Whether a decision by keyboard opens the next pending approval: on, unless the person switched it off in this
 * browser.
 */
import { useSyncExternalStore } from "react"
import { kept } from "../app/kept.ts"

const store = kept<false>("auto-advance", (value) => value === false ? value : undefined)

export const useAutoAdvance = (): boolean => useSyncExternalStore(store.subscribe, store.get) !== false
export const setAutoAdvance = (on: boolean): void => store.set(on ? undefined : false)
