/** Shortcuts in components: `useKey("decide.approve", approve, { when: canDecide })`, and their caps for tooltips. */
import { useEffect, useRef, useSyncExternalStore } from "react"
import { sharedValue } from "../components/shared-value.ts"
import { makeKeyReader } from "./key-reader.ts"
import { boundKeys, currentKeySettings, keyCaps, type KeyName, keyNames, useKeySettings } from "./keymap.ts"
import { isApple } from "./platform-keys.ts"

/** How long a key must be held before it acts. Normal typing does not hold a key with Shift for so long. */
export const holdMillis = 400

/** A key that acts only when held, so that typed text cannot trigger it. */
export interface Hold {
  /** Called when the key goes down: whether it may act now. */
  readonly begin: () => boolean
  /** Called when the key is released too early. */
  readonly onShort: () => void
}

interface Handler {
  readonly act: () => void
  readonly hold: () => Hold | undefined
}

/** The handler that was mounted last wins: a dialog's before its screen's. */
const handlers = new Map<KeyName, Array<Handler>>()

/** Shortcuts of mounted components, active or not, for the list of keys. */
const mounted = new Map<KeyName, number>()

/** In the order of the keymap, without shell shortcuts that are inactive now. */
export const keysOnScreen = (): ReadonlyArray<KeyName> =>
  keyNames.filter((name) =>
    mounted.has(name) && (name !== "list.search" || document.querySelector("[data-search]") !== null)
  )

interface Held {
  readonly name: KeyName
  /** The physical key: it stays the same if Shift is released first. */
  readonly code: string
  readonly timer: ReturnType<typeof setTimeout>
  readonly onShort: () => void
}
const held = sharedValue<Held | undefined>(undefined)
const setHeld = (next: Held | undefined): void => {
  clearTimeout(held.get()?.timer)
  held.set(next)
}
/** Whether this key is held now and has not acted yet. */
export const useIsHeld = (name: KeyName): boolean =>
  useSyncExternalStore(held.subscribe, () => held.get()?.name === name)

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches("input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [role=combobox]"))

/** Overlays (dialogs, menus, open lists) receive the keys. */
const isAbove = (): boolean =>
  document.querySelector("[role=dialog], [role=alertdialog], [role=menu], [role=listbox]") !== null

/** Enter on a button or link activates that element. */
const hasOwnEnter = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.matches("a[href], button, summary, [role=button], [role=menuitem], [role=tab], [role=checkbox]")

const reader = makeKeyReader()

const beginHold = (name: KeyName, code: string, handler: Handler, hold: Hold): void => {
  if (!hold.begin()) return
  const act = () => {
    setHeld(undefined)
    // The screen may have changed while the key was held.
    if (!isAbove() && handlers.get(name)?.at(-1) === handler) handler.act()
  }
  setHeld({ name, code, timer: setTimeout(act, holdMillis), onShort: hold.onShort })
}

const onKeyUp = ({ code, key }: KeyboardEvent): void => {
  const now = held.get()
  if (now === undefined || code !== now.code && key !== "Shift") return
  const { onShort } = now
  setHeld(undefined)
  onShort()
}

const endHold = (): void => setHeld(undefined)

const onKeyDown = (event: KeyboardEvent): void => {
  // A second key means that the person is typing.
  if (held.get() !== undefined && !event.repeat) endHold()
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
  const hold = handler.hold()
  if (hold === undefined) handler.act()
  else beginHold(name, event.code, handler, hold)
}

/** Starts listening; returns a function that stops it. */
export const listenToKeys = (): () => void => {
  const listening = new AbortController()
  const { signal } = listening
  window.addEventListener("keydown", onKeyDown, { signal })
  window.addEventListener("keyup", onKeyUp, { signal })
  window.addEventListener("blur", endHold, { signal })
  document.addEventListener("visibilitychange", endHold, { signal })
  return () => listening.abort()
}

/**
 * While mounted and unless `when` is false, the key acts: at once, or after it was held. The list of keys shows it
 * while mounted or, with `listed: "active"`, only while it acts.
 */
export const useKey = (
  name: KeyName,
  act: () => void,
  { hold, listed = "mounted", when = true }: {
    readonly when?: boolean
    readonly hold?: Hold
    readonly listed?: "mounted" | "active"
  } = {}
): void => {
  const latest = useRef({ act, hold })
  useEffect(() => {
    latest.current = { act, hold }
  })
  const isListed = when || listed === "mounted"
  useEffect(() => {
    if (!isListed) return
    mounted.set(name, (mounted.get(name) ?? 0) + 1)
    return () => {
      const rest = (mounted.get(name) ?? 1) - 1
      if (rest === 0) mounted.delete(name)
      else mounted.set(name, rest)
    }
  }, [name, isListed])
  useEffect(() => {
    if (!when) return
    const handler: Handler = { act: () => latest.current.act(), hold: () => latest.current.hold }
    handlers.set(name, [...handlers.get(name) ?? [], handler])
    return () => {
      const rest = (handlers.get(name) ?? []).filter((each) => each !== handler)
      if (rest.length === 0) handlers.delete(name)
      else handlers.set(name, rest)
    }
  }, [name, when])
}

/** The caps of a shortcut for a button or tooltip; undefined if it is switched off. */
export const useKeyCaps = (name: KeyName): ReadonlyArray<string> | undefined =>
  keyCaps(boundKeys(name, useKeySettings()), isApple)
