/**
 * Keys pressed between the request for an overlay and the focus of its first field. They belong to the overlay: no
 * other shortcut acts meanwhile, and the text is kept for the field.
 */
import { useLayoutEffect, useRef } from "react"

/** For each requested overlay, the action of Escape. */
let pending: ReadonlyArray<() => void> = []
let typed = ""

/** More than a person types ahead. */
const typedMax = 200

/** Starts keeping keys; returns a function that stops it. Escape cancels the request. */
export const keepKeys = (onCancel: () => void): () => void => {
  const mine = () => onCancel()
  pending = [...pending, mine]
  return () => {
    pending = pending.filter((each) => each !== mine)
    // A loaded overlay continues to keep keys in the same turn, until its field has focus.
    queueMicrotask(() => {
      if (pending.length === 0) typed = ""
    })
  }
}

/** The text typed since the overlay was requested. Returned only once. */
export const takeTyped = (): string => {
  const text = typed
  typed = ""
  return text
}

/** Runs before every other listener of the page. */
const onKeyDown = (event: KeyboardEvent): void => {
  // Shortcuts of the browser and the system are left alone.
  if (pending.length === 0 || event.isComposing || event.metaKey || event.ctrlKey && !event.altKey) return
  event.preventDefault()
  event.stopImmediatePropagation()
  if (event.key === "Escape") pending.at(-1)?.()
  else if (event.key === "Backspace") typed = typed.slice(0, -1)
  else if ([...event.key].length === 1 && typed.length < typedMax) typed += event.key
}

/** Starts listening; returns a function that stops it. */
export const listenForTyping = (): () => void => {
  window.addEventListener("keydown", onKeyDown, true)
  return () => window.removeEventListener("keydown", onKeyDown, true)
}

/** The fallback while an overlay loads: `<Suspense fallback={<PendingOverlay onCancel={close} />}>`. */
export const PendingOverlay = ({ onCancel }: { readonly onCancel: () => void }): null => {
  const cancel = useRef(onCancel)
  useLayoutEffect(() => {
    cancel.current = onCancel
  })
  useLayoutEffect(() => keepKeys(() => cancel.current()), [])
  return null
}
