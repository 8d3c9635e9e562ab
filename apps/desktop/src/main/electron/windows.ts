/**
 * The windows themselves: one of the console, one at a time that asks before an approval above the limit, and the owner's, in which a
 * command is allowed.
 */
import { Effect } from "effect"
import type { BrowserWindow as BrowserWindowClass, BrowserWindowConstructorOptions } from "electron"
import { pushes } from "../../bridge/channels.ts"
import { appOrigin } from "../own-page.ts"
import type { ProfileId } from "../profiles/profile.ts"
import type { After } from "../timers.ts"
import { type KeptWindow, placeWindow, type Rectangle, sizeMin } from "../window-state.ts"
import type { WindowRole, WindowsShape } from "../windows.ts"
import { makeConfirmWindow } from "./confirm-window.ts"
import { makeOwnerWindow } from "./owner-window.ts"
import { webPreferences } from "./web-preferences.ts"

export interface WindowParts {
  readonly BrowserWindow: new(options: BrowserWindowConstructorOptions) => BrowserWindowClass
  /** Folder of the built preload scripts. */
  readonly preloads: string
  /** Where the console's window was. */
  readonly kept: KeptWindow
  /** Work areas, the primary one's first. */
  readonly displays: () => ReadonlyArray<Rectangle>
  /** Behind a page until it is drawn. */
  readonly isDark: () => boolean
  /** As it was chosen in the console; `system` says nothing. */
  readonly contrast: () => string
  /** The profile that a page loaded now would show. */
  readonly current: () => ProfileId | null
  /** A page has what would be lost: whether a person lets it go. */
  readonly mayLeave: (window: BrowserWindowClass) => boolean
  /** A person kept a page, which was loaded for this profile. */
  readonly onStay: (profile: ProfileId | null) => void
  readonly after: After
  /** A page of the console ended by itself. */
  readonly onBroken: (reason: string) => void
}

/** A page that broke comes back so often within a minute; then its window is closed, and a person opens it. */
const comebacksMax = 3
const comebackMillis = 60_000
const canvas = { dark: "#0f1014", light: "#f6f6f3" }
const isPath = (path: string): boolean => /^\/(?![/\\])[^\p{Cc}\\]{0,2000}$/u.test(path)

export const makeWindows = (
  { after, BrowserWindow, contrast, current, displays, isDark, kept, mayLeave, onBroken, onStay, preloads }: WindowParts
): WindowsShape => {
  const roles = new Map<number, WindowRole>()
  const profiles = new Map<number, ProfileId | null>()
  const onGone = new Set<(id: number) => void>()
  const gone = (id: number): void => onGone.forEach((listener) => listener(id))
  let main: BrowserWindowClass | undefined
  /** Of the console's page: another comes in its place, of another hub; it can hear of a screen; the one that it could not hear of. */
  let isLeaving = false
  let isAnew = false
  let isListening = false
  let screen: string | undefined

  const made = (role: WindowRole, options: BrowserWindowConstructorOptions): BrowserWindowClass => {
    const window = new BrowserWindow({
      show: false,
      autoHideMenuBar: true,
      backgroundColor: canvas[isDark() ? "dark" : "light"],
      ...options
    })
    const { id } = window.webContents
    roles.set(id, role)
    window.once("closed", () => roles.delete(id))
    return window
  }
  /** A page beside the console, which keeps how it looks to itself. */
  const loadBeside = (window: BrowserWindowClass, page: string): Promise<void> =>
    window.loadURL(`${appOrigin}/${page}${contrast() === "system" ? "" : `?contrast=${contrast()}`}`)
  const load = (window: BrowserWindowClass, path: string): void => {
    isLeaving = true
    screen = undefined
    window.loadURL(appOrigin + path).catch(() => {
      isLeaving = isAnew = false
    })
  }
  const step = (by: "back" | "forward"): void => {
    if (main === undefined || main.isDestroyed()) return
    const { navigationHistory: history } = main.webContents
    if (by === "back" && history.canGoBack()) history.goBack()
    if (by === "forward" && history.canGoForward()) history.goForward()
  }
  const tellScreen = (): void => {
    if (screen === undefined || isLeaving || !isListening || main === undefined || main.isDestroyed()) return
    main.webContents.send(pushes.screen, screen)
    screen = undefined
  }

  const openConsole = (path: string): BrowserWindowClass => {
    const before = kept.read()
    const window = made("console", {
      title: "Countersign",
      ...placeWindow(before?.bounds, displays()),
      minWidth: sizeMin.width,
      minHeight: sizeMin.height,
      webPreferences: webPreferences(`${preloads}/index.cjs`)
    })
    window.once("ready-to-show", () => {
      // Which shows it, too: not before it is drawn.
      if (before?.maximized === true) window.maximize()
      window.show()
    })
    // A mouse's buttons at its side, and three fingers on macOS.
    window.on("app-command", (_, command) => {
      if (command === "browser-backward") step("back")
      if (command === "browser-forward") step("forward")
    })
    window.on("swipe", (_, direction) => {
      if (direction === "left") step("back")
      if (direction === "right") step("forward")
    })
    window.on("close", () => kept.write(window.getNormalBounds(), window.isMaximized()))
    window.once("closed", () => {
      if (main === window) main = undefined
    })
    const { id } = window.webContents
    // Another document stands there; steps within a page are none.
    window.webContents.on("did-navigate", () => {
      gone(id)
      // What lies behind is another hub's, or one that is gone.
      if (isAnew) window.webContents.navigationHistory.clear()
      isAnew = false
      profiles.set(id, current())
      isLeaving = isListening = false
    })
    // Unasked, Electron would keep the page without a word: neither its window nor the app could be closed.
    window.webContents.on("will-prevent-unload", (event) => {
      if (mayLeave(window)) event.preventDefault()
      else {
        isLeaving = isAnew = false
        onStay(profiles.get(id) ?? null)
        tellScreen()
      }
    })
    window.once("closed", () => {
      gone(id)
      profiles.delete(id)
    })
    let broken: ReadonlyArray<number> = []
    window.webContents.on("render-process-gone", (_, { reason }) => {
      gone(id)
      isListening = false
      if (reason === "clean-exit" || window.isDestroyed()) return
      onBroken(reason)
      broken = [...broken.filter((at) => Date.now() - at < comebackMillis), Date.now()]
      if (broken.length > comebacksMax) window.destroy()
      else window.webContents.reload()
    })
    main = window
    load(window, path)
    return window
  }

  const { confirm, confirming, denyAll } = makeConfirmWindow({
    made: (options) => made("confirm", options),
    load: (window) => loadBeside(window, "confirm.html"),
    preloads,
    above: () => main,
    after
  })
  // Nobody waits for the answer any more.
  onGone.add(denyAll)

  return {
    roleOf: (id) => roles.get(id),
    profileOf: (id) => profiles.get(id),
    onPageGone: (listener) => void onGone.add(listener),
    showConsole: ({ anew = false, path } = {}) =>
      Effect.sync(() => {
        const wanted = path !== undefined && isPath(path) ? path : undefined
        if (main === undefined || main.isDestroyed()) return void openConsole(wanted ?? "/")
        if (anew) {
          isAnew = true
          load(main, wanted ?? "/")
        } else if (wanted !== undefined) {
          screen = wanted
          tellScreen()
        }
        if (main.isMinimized()) main.restore()
        main.show()
        main.focus()
      }),
    listening: (id) => {
      if (main?.webContents.id !== id) return
      isListening = true
      tellScreen()
    },
    stepConsole: step,
    reloadConsole: () => {
      if (main !== undefined && !main.isDestroyed()) main.webContents.reload()
    },
    send: (id, channel, value) => {
      if (main === undefined || main.isDestroyed() || main.webContents.id !== id) return false
      main.webContents.send(channel, value)
      return true
    },
    sendConsole: (channel, value) => {
      if (main !== undefined && !main.isDestroyed()) main.webContents.send(channel, value)
    },
    confirm,
    confirming,
    ...makeOwnerWindow({
      made: (options) => made("owner", options),
      load: (window) => loadBeside(window, "owner.html"),
      preloads
    })
  }
}
