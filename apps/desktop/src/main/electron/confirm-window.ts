/**
 * The windows in which main asks before an approval above the limit, or before that limit rises: one at a time, in order. A yes counts
 * from 1.5 s after its window was shown, so that no press meant for another one lands there. Spec: E10.
 */
import type { BrowserWindow, BrowserWindowConstructorOptions } from "electron"
import type { ConfirmFacts } from "../../bridge/contract.ts"
import type { After } from "../timers.ts"
import type { Confirming, WindowsShape } from "../windows.ts"
import { webPreferences } from "./web-preferences.ts"

/** Of the confirming window: neither storage nor permissions are the console's. */
export const confirmPartition = "countersign-confirm"
export const deadMillis = 1_500
/** With the one that is shown. What comes beyond is a no: a page that asks in a loop gets no window after the other. */
export const confirmsMax = 4

const heights = { approve: 620, limit: 320 } as const

export interface ConfirmWindowParts {
  readonly made: (options: BrowserWindowConstructorOptions) => BrowserWindow
  readonly load: (window: BrowserWindow) => Promise<void>
  readonly preloads: string
  /** The console's window, which is not to be pressed meanwhile. */
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
  /** All that are asked and wait are answered no. */
  readonly denyAll: () => void
} => {
  const asks = new Map<number, Confirming>()
  /** The first is on the screen. */
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
      // Who says no to one has no wish to be asked the next that came with it.
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
    // Closed, crashed, not loaded: a no.
    window.once("closed", () => end(false))
    window.webContents.once("render-process-gone", () => end(false))
    window.once("ready-to-show", () => {
      window.show()
      cancel = after(deadMillis, () => {
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
