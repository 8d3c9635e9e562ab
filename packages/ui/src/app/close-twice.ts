/** Guards a dialog that shows a secret once: the first Escape or click on X warns, the second one closes it. */
import { useState } from "react"

export const useCloseTwice = (onClose: () => void): { readonly isWarned: boolean; readonly close: () => void } => {
  const [isWarned, setWarned] = useState(false)
  return { isWarned, close: () => isWarned ? onClose() : setWarned(true) }
}
