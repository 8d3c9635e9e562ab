/** What whoever stands round the console, the desktop app, has to say to its person: it stands above each screen until they hid it. */
import { useMemo, useSyncExternalStore } from "react"
import { kept } from "./kept.ts"

/** Texts that are remembered as hidden. */
const hiddenMax = 50

const hidden = kept<ReadonlyArray<string>>("notices.hidden", (value) =>
  Array.isArray(value) && value.length <= hiddenMax && value.every((text) => typeof text === "string") ? value : undefined)

let offered: ReadonlyArray<string> = []
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** All that there are now, as they are to be read. */
export const offerNotices = (notices: ReadonlyArray<string>): void => {
  if (notices.join("\n") === offered.join("\n")) return
  offered = notices
  listeners.forEach((listener) => listener())
}

/** It is not shown again, in other runs neither; another text is. */
export const hideNotice = (notice: string): void => hidden.set([...hidden.get() ?? [], notice].slice(-hiddenMax))

export const useNotices = (): ReadonlyArray<string> => {
  const notices = useSyncExternalStore(subscribe, () => offered)
  const gone = useSyncExternalStore(hidden.subscribe, hidden.get)
  return useMemo(() => notices.filter((notice) => gone?.includes(notice) !== true), [notices, gone])
}
