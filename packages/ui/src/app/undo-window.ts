/**
 * A pause of five seconds between a decision and its dispatch, in which it can be undone. A person enables it for this
 * browser. Closing the page during the pause sends nothing.
 */
import { sharedValue, useSharedValue } from "../components/shared-value.ts"
import { kept } from "./kept.ts"

const undoMillis = 5_000

const setting = kept<true>("undo-window", (value) => value === true ? value : undefined)
export const useHasUndoWindow = (): boolean => useSharedValue(setting) === true
export const setUndoWindow = (on: boolean): void => setting.set(on ? true : undefined)

export interface Undoable {
  readonly id: number
  /** In words, such as "Approving $42.00: shop.buy". */
  readonly text: string
  /** On the clock of `Date.now()`. */
  readonly sendsAt: number
  readonly undo: () => void
}

/** The person undid the decision: nothing was sent. */
export class Undone extends Error {
  override readonly name = "Undone"
}

const pending = sharedValue<ReadonlyArray<Undoable>>([])
let nextId = 1

const warnBeforeUnload = (event: BeforeUnloadEvent): void => event.preventDefault()

const set = (next: ReadonlyArray<Undoable>): void => {
  pending.set(next)
  if (next.length > 0) window.addEventListener("beforeunload", warnBeforeUnload)
  else window.removeEventListener("beforeunload", warnBeforeUnload)
}

/** Oldest first. */
export const useUndoables = (): ReadonlyArray<Undoable> => useSharedValue(pending)

/** Undoes the newest decision. */
export const undoNewest = (): void => pending.get().at(-1)?.undo()

/** Resolves when the decision may be sent: at once without an undo window. Rejects with `Undone`. */
export const undoWindow = (text: string): Promise<void> => {
  if (setting.get() !== true) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const id = nextId++
    const end = (settle: () => void) => {
      clearTimeout(timer)
      set(pending.get().filter((each) => each.id !== id))
      settle()
    }
    const timer = setTimeout(() => end(resolve), undoMillis)
    set([...pending.get(), { id, text, sendsAt: Date.now() + undoMillis, undo: () => end(() => reject(new Undone())) }])
  })
}
