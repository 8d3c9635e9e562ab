/** Whether list and detail stand side by side, as `SplitView` has it: else they are two pages. */
import { useSyncExternalStore } from "react"

const query = "(min-width: 1081px)"

const subscribe = (listener: () => void) => {
  const media = matchMedia(query)
  media.addEventListener("change", listener)
  return () => media.removeEventListener("change", listener)
}

export const useWide = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(query).matches)
