/**
 * Keys pressed between the request for an overlay and its first focused field. They belong to the overlay: no other key acts meanwhile,
 * and the text is kept for the field.
 */
import { useLayoutEffect, useRef } from "react"

/** Of each overlay that is requested: what Escape does. */
let pending: ReadonlyArray<() => void> = []
let typed = ""

/** More than anybody types ahead. */
const typedMax = 200

/** Begins to keep keys; the answer ends it. Escape cancels the request. */
export const keepKeys = (onCancel: () => void): () => void => {
  const mine = () => onCancel()
  pending = [...pending, mine]
  return () => {
    pending = pending.filter((each) => each !== mine)
    // An overlay that has loaded goes on keeping keys in the same turn, until its field has the focus.
    queueMicrotask(() => {
      if (pending.length === 0) typed = ""
    })
  }
}

/** The text typed since the overlay was requested. It is given once. */
export const takeTyped = (): string => {
  const text = typed
  typed = ""
  return text
}

/** Listens before every other listener of the page. */
const onKeyDown = (event: KeyboardEvent): void => {
  // Shortcuts of the browser and of the system stay theirs.
  if (pending.length === 0 || event.isComposing || event.metaKey || event.ctrlKey && !event.altKey) return
  event.preventDefault()
  event.stopImmediatePropagation()
  if (event.key === "Escape") pending.at(-1)?.()
  else if (event.key === "Backspace") typed = typed.slice(0, -1)
  else if ([...event.key].length === 1 && typed.length < typedMax) typed += event.key
}

/** Starts listening; the answer ends it. */
export const listenForTyping = (): () => void => {
  window.addEventListener("keydown", onKeyDown, true)
  return () => window.removeEventListener("keydown", onKeyDown, true)
}

/** The fallback of an overlay that loads: `<Suspense fallback={<PendingOverlay onCancel={close} />}>`. */
export const PendingOverlay = ({ onCancel }: { readonly onCancel: () => void }): null => {
  const cancel = useRef(onCancel)
  useLayoutEffect(() => {
    cancel.current = onCancel
  })
  useLayoutEffect(() => keepKeys(() => cancel.current()), [])
  return null
}
