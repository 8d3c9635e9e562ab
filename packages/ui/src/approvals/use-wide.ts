/** Whether list and detail are side by side, as in `SplitView`; otherwise they are two pages. */
import { useSyncExternalStore } from "react"

const query = "(min-width: 1081px)"

const subscribe = (listener: () => void) => {
  const media = matchMedia(query)
  media.addEventListener("change", listener)
  return () => media.removeEventListener("change", listener)
}

export const useWide = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(query).matches)
