import { showToast } from "../components/toast.tsx"
import { actText } from "../text/acts.ts"

/** Copies a menu item's value and reports the result. `done` replaces "Copied". */
export const copyText = (value: string, done?: string): void => {
  const t = actText.copying
  const written = navigator.clipboard === undefined
    ? Promise.reject(new Error("no clipboard"))
    : navigator.clipboard.writeText(value)
  void written.then(() => showToast({ text: done ?? t.copied }), () => showToast({ text: t.refused }))
}
