/** Above which amount a person wants to be asked twice: theirs alone, kept in this browser. */
import { useSyncExternalStore } from "react"
import { kept } from "../app/kept.ts"

const store = kept<number>(
  "second-press-cents",
  (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined
)

/** Undefined: never twice. */
export const useSecondPressLimit = (): number | undefined => useSyncExternalStore(store.subscribe, store.get)
export const setSecondPressLimit = store.set
