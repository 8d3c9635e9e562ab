/**
 * A pause of five seconds between a decision and its dispatch, in which it can be undone. A person switches it on for this browser. A page
 * that is closed during the pause has sent nothing.
 */
import { useSyncExternalStore } from "react"
import { kept } from "./kept.ts"

const undoMillis = 5_000

const setting = kept<true>("undo-window", (value) => value === true ? value : undefined)
export const useHasUndoWindow = (): boolean => useSyncExternalStore(setting.subscribe, setting.get) === true
export const setUndoWindow = (on: boolean): void => setting.set(on ? true : undefined)

export interface Undoable {
  readonly id: number
  /** In words, such as "Approving $42.00: shop.buy". */
  readonly text: string
  /** By `Date.now()`. */
  readonly sendsAt: number
  readonly undo: () => void
}

/** The person took the decision back: nothing was sent. */
export class Undone extends Error {
  override readonly name = "Undone"
}

let pending: ReadonlyArray<Undoable> = []
let nextId = 1
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const warnBeforeUnload = (event: BeforeUnloadEvent): void => event.preventDefault()

const set = (next: ReadonlyArray<Undoable>): void => {
  pending = next
  if (pending.length > 0) window.addEventListener("beforeunload", warnBeforeUnload)
  else window.removeEventListener("beforeunload", warnBeforeUnload)
  listeners.forEach((listener) => listener())
}

/** Oldest first. */
export const useUndoables = (): ReadonlyArray<Undoable> => useSyncExternalStore(subscribe, () => pending)

/** Takes back the newest decision. */
export const undoNewest = (): void => pending.at(-1)?.undo()

/** Resolves when the decision may be sent: at once without an undo window. Rejects with `Undone`. */
export const undoWindow = (text: string): Promise<void> => {
  if (setting.get() !== true) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const id = nextId++
    const end = (settle: () => void) => {
      clearTimeout(timer)
      set(pending.filter((each) => each.id !== id))
      settle()
    }
    const timer = setTimeout(() => end(resolve), undoMillis)
    set([...pending, { id, text, sendsAt: Date.now() + undoMillis, undo: () => end(() => reject(new Undone())) }])
  })
}
