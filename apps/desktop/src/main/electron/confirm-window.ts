/**
 * The windows in which main requires confirmation of an approval above the limit, or of a higher limit: one at a time,
 * in order. Approval is accepted from 1.5 s after the window was shown, so that a key press meant for another window
 * has no effect. Spec: reference/desktop.md "E10: approvals and credentials".
 */
import type { BrowserWindow, BrowserWindowConstructorOptions } from "electron"
import type { ConfirmFacts } from "../../bridge/contract.ts"
import type { After } from "../platform/timers.ts"
import type { Confirming, WindowsShape } from "../windows/windows.ts"
import { webPreferences } from "./web-preferences.ts"

/** Session partition of the confirmation window: it does not share storage or permissions with the console. */
export const confirmPartition = "countersign-confirm"
export const approvalDelayMillis = 1_500
/**
 * Including the displayed one. Further ones are rejected, so that a page cannot open one window after another in a
 * loop.
 */
export const confirmsMax = 4

const heights = { approve: 620, limit: 320 } as const

export interface ConfirmWindowParts {
  readonly made: (options: BrowserWindowConstructorOptions) => BrowserWindow
  readonly load: (window: BrowserWindow) => Promise<void>
  readonly preloads: string
  /** The console's window, which is blocked while a confirmation is open. */
  readonly above: () => BrowserWindow | undefined
  readonly after: After
}

interface Waiting {
  readonly facts: ConfirmFacts
  readonly resolve: (yes: boolean) => void
}

export const makeConfirmWindow = (
  { above, after, load, made, preloads }: ConfirmWindowParts
): Pick<WindowsShape, "confirm" | "confirming"> & {
  /** Rejects the displayed and all pending confirmations. */
  readonly denyAll: () => void
} => {
  const asks = new Map<number, Confirming>()
  /** The first one is displayed. */
  let waiting: Array<Waiting> = []

  const ask = ({ facts, resolve }: Waiting): void => {
    const parent = above()
    const window = made({
      title: "Countersign",
      width: 560,
      height: heights[facts.kind],
      minWidth: 420,
      minHeight: 300,
      minimizable: false,
      maximizable: false,
      fullscreenable: false,
      alwaysOnTop: true,
      webPreferences: webPreferences(`${preloads}/confirm.cjs`, confirmPartition),
      ...parent === undefined ? {} : { parent, modal: true }
    })
    const { id } = window.webContents
    const { promise: ready, resolve: live } = Promise.withResolvers<void>()
    let isLive = false
    let cancel = (): void => {}
    const end = (yes: boolean): void => {
      if (!asks.delete(id)) return
      cancel()
      resolve(yes)
      if (!window.isDestroyed()) window.destroy()
      waiting.shift()
      // A person who rejects one confirmation is not shown the others that arrived with it.
      if (!yes) denyAll()
      else if (waiting[0] !== undefined) ask(waiting[0])
    }
    asks.set(id, {
      facts,
      ready,
      answer: (yes) => {
        if (yes && !isLive) return "too_soon"
        end(yes)
        return null
      }
    })
    // A closed, crashed, or unloaded window rejects.
    window.once("closed", () => end(false))
    window.webContents.once("render-process-gone", () => end(false))
    window.once("ready-to-show", () => {
      window.show()
      cancel = after(approvalDelayMillis, () => {
        isLive = true
        live()
      })
    })
    load(window).catch(() => end(false))
  }

  const denyAll = (): void => {
    const denied = waiting
    waiting = []
    for (const { resolve } of denied) resolve(false)
    for (const { answer } of asks.values()) answer(false)
  }

  return {
    confirm: (facts) =>
      new Promise((resolve) => {
        if (waiting.length >= confirmsMax) return resolve(false)
        waiting.push({ facts, resolve })
        if (waiting.length === 1) ask(waiting[0]!)
      }),
    confirming: (id) => asks.get(id),
    denyAll
  }
}
