/** What whoever stands round the console, the desktop app, has to say to its person: it stands above each screen until they hid it. */
import { useMemo } from "react"
import { sharedValue, useSharedValue } from "../components/shared-value.ts"
import { kept } from "./kept.ts"

/** Texts that are remembered as hidden. */
const hiddenMax = 50

const hidden = kept<ReadonlyArray<string>>(
  "notices.hidden",
  (value) =>
    Array.isArray(value) && value.length <= hiddenMax && value.every((text) => typeof text === "string")
      ? value
      : undefined
)

const offered = sharedValue<ReadonlyArray<string>>([])

/** All that there are now, as they are to be read. */
export const offerNotices = (notices: ReadonlyArray<string>): void => {
  if (notices.join("\n") !== offered.get().join("\n")) offered.set(notices)
}

/** It is not shown again, in other runs neither; another text is. */
export const hideNotice = (notice: string): void => hidden.set([...hidden.get() ?? [], notice].slice(-hiddenMax))

export const useNotices = (): ReadonlyArray<string> => {
  const notices = useSharedValue(offered)
  const gone = useSharedValue(hidden)
  return useMemo(() => notices.filter((notice) => gone?.includes(notice) !== true), [notices, gone])
}
