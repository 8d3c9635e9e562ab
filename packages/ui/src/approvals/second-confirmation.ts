/** The amount above which a person requires a second confirmation: a personal setting, kept in this browser. */
import { useSyncExternalStore } from "react"
import { kept } from "../app/kept.ts"

const store = kept<number>(
  "second-press-cents",
  (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined
)

/** Undefined: no second confirmation. */
export const useSecondConfirmationLimit = (): number | undefined => useSyncExternalStore(store.subscribe, store.get)
export const setSecondConfirmationLimit = store.set
