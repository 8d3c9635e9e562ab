/**
 * The owner's window: one at a time, with separate storage; on top of other windows while a question is pending. Spec:
 * reference/devices.md "D10: doubt is denial", "D11: the owner's window".
 */
import { Effect } from "effect"
import type { BrowserWindow, BrowserWindowConstructorOptions } from "electron"
import type { OwnerGone, WindowsShape } from "../windows/windows.ts"
import { webPreferences } from "./web-preferences.ts"

/** Session partition: it does not share storage or permissions with the console, and serves only `owner.html`. */
export const ownerPartition = "countersign-owner"

interface OwnerWindow {
  readonly window: BrowserWindow
  /** Opened by a question, not by a person: it closes with the last question. */
  forQuestion: boolean
}

export interface OwnerWindowParts {
  readonly made: (options: BrowserWindowConstructorOptions) => BrowserWindow
  readonly load: (window: BrowserWindow) => Promise<void>
  readonly preloads: string
}

export const makeOwnerWindow = (
  { load, made, preloads }: OwnerWindowParts
): Pick<WindowsShape, "onOwnerGone" | "restOwner" | "sendOwner" | "showOwner"> => {
  let owner: OwnerWindow | undefined
  const listeners = new Set<(how: OwnerGone) => void>()

  const opened = (asking: boolean): OwnerWindow => {
    const window = made({
      title: "This computer · Countersign",
      width: 640,
      height: 720,
      minWidth: 420,
      minHeight: 480,
      fullscreenable: false,
      alwaysOnTop: asking,
      webPreferences: webPreferences(`${preloads}/owner.cjs`, ownerPartition)
    })
    const mine: OwnerWindow = { window, forQuestion: asking }
    const gone = (how: OwnerGone): void => {
      if (owner !== mine) return
      owner = undefined
      if (!window.isDestroyed()) window.destroy()
      for (const listener of listeners) listener(how)
    }
    window.once("closed", () => gone("closed"))
    window.webContents.once("render-process-gone", () => gone("crashed"))
    window.once("ready-to-show", () => {
      window.show()
      window.focus()
    })
    // A page that does not load counts as crashed, since it can show no question.
    load(window).catch(() => gone("crashed"))
    return mine
  }

  return {
    showOwner: ({ asking = false } = {}) =>
      Effect.sync(() => {
        if (owner === undefined) {
          owner = opened(asking)
          return
        }
        const { window } = owner
        if (!asking) owner.forQuestion = false
        else if (!window.isAlwaysOnTop()) window.setAlwaysOnTop(true)
        if (window.isMinimized()) window.restore()
        window.show()
        window.focus()
      }),
    restOwner: () => {
      if (owner === undefined) return
      const { forQuestion, window } = owner
      if (window.isAlwaysOnTop()) window.setAlwaysOnTop(false)
      if (!forQuestion) return
      // Cleared before closing: a new question then opens another window, and closing this one denies nothing.
      owner = undefined
      window.destroy()
    },
    sendOwner: (channel, value) => {
      if (owner !== undefined && !owner.window.isDestroyed()) owner.window.webContents.send(channel, value)
    },
    onOwnerGone: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
}
