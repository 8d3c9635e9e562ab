/** Keys in components: `useKey("decide.approve", approve, { when: canDecide })`, and their caps for tooltips. */
import { useEffect, useRef } from "react"
import { makeKeyReader } from "./key-reader.ts"
import { boundKeys, currentKeySettings, keyCaps, type KeyName, keyNames, useKeySettings } from "./keymap.ts"
import { isApple } from "./platform-keys.ts"

type Handler = () => void
/** The newest handler of a name wins: a dialog's over its screen's. */
const handlers = new Map<KeyName, Array<{ readonly act: Handler }>>()

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [role=combobox]"))

/** Keys belong to what lies above: a dialog, a menu, an open list. */
const isAbove = (): boolean => document.querySelector("[role=dialog], [role=alertdialog], [role=menu], [role=listbox]") !== null

/** Enter on a button or link is that button's. */
const hasOwnEnter = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches("a[href], button, summary, [role=button], [role=menuitem], [role=tab], [role=checkbox]")

const reader = makeKeyReader()

const onKeyDown = (event: KeyboardEvent): void => {
  if (event.defaultPrevented || event.isComposing || event.repeat && event.key !== "j" && event.key !== "k") return
  const settings = currentKeySettings()
  const bound = keyNames.flatMap((name) => {
    const keys = handlers.has(name) ? boundKeys(name, settings) : undefined
    return keys === undefined ? [] : [[keys, name] as const]
  })
  const found = reader.read(event, bound, isApple, event.timeStamp, isTyping(event.target))
  if (found === undefined) return
  const name = found as KeyName
  if (name !== "everywhere.palette" && isAbove()) return
  if (boundKeys(name, settings) === "Enter" && hasOwnEnter(event.target)) return
  const handler = handlers.get(name)?.at(-1)
  if (handler === undefined) return
  event.preventDefault()
  handler.act()
}

/** Starts listening; the answer ends it. */
export const listenToKeys = (): () => void => {
  window.addEventListener("keydown", onKeyDown)
  return () => window.removeEventListener("keydown", onKeyDown)
}

/** While mounted, and while `when` is not false, the key acts. */
export const useKey = (name: KeyName, act: Handler, { when = true }: { readonly when?: boolean } = {}): void => {
  const latest = useRef(act)
  useEffect(() => {
    latest.current = act
  })
  useEffect(() => {
    if (!when) return
    const handler = { act: () => latest.current() }
    handlers.set(name, [...handlers.get(name) ?? [], handler])
    return () => {
      const rest = (handlers.get(name) ?? []).filter((each) => each !== handler)
      if (rest.length === 0) handlers.delete(name)
      else handlers.set(name, rest)
    }
  }, [name, when])
}

/** The caps of a key for a button or tooltip; undefined where it is switched off. */
export const useKeyCaps = (name: KeyName): ReadonlyArray<string> | undefined => keyCaps(boundKeys(name, useKeySettings()), isApple)
