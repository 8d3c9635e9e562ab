/** Notices of the host, the desktop app, shown above each screen until the person hides them. */
import { useMemo } from "react"
import { sharedValue, useSharedValue } from "../components/shared-value.ts"
import { kept } from "./kept.ts"

/** Maximum number of hidden texts to remember. */
const hiddenMax = 50

const hidden = kept<ReadonlyArray<string>>(
  "notices.hidden",
  (value) =>
    Array.isArray(value) && value.length <= hiddenMax && value.every((text) => typeof text === "string")
      ? value
      : undefined
)

const offered = sharedValue<ReadonlyArray<string>>([])

/** Replaces all notices; each is shown as given. */
export const offerNotices = (notices: ReadonlyArray<string>): void => {
  if (notices.join("\n") !== offered.get().join("\n")) offered.set(notices)
}

/** Hides this text permanently, also after a restart. A different text is shown. */
export const hideNotice = (notice: string): void => hidden.set([...hidden.get() ?? [], notice].slice(-hiddenMax))

export const useNotices = (): ReadonlyArray<string> => {
  const notices = useSharedValue(offered)
  const gone = useSharedValue(hidden)
  return useMemo(() => notices.filter((notice) => gone?.includes(notice) !== true), [notices, gone])
}
