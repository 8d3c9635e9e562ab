/**
 * Creates the windows: the console's, one confirmation window at a time for an approval above the limit, and the
 * owner's, in which a command is allowed.
 */
import { Effect } from "effect"
import type { BrowserWindow as BrowserWindowClass, BrowserWindowConstructorOptions } from "electron"
import { pushes } from "../../bridge/channels.ts"
import type { ProfileId } from "../../bridge/profile-schemas.ts"
import type { After } from "../platform/timers.ts"
import { appOrigin } from "../windows/own-page.ts"
import { type KeptWindow, placeWindow, type Rectangle, sizeMin } from "../windows/state.ts"
import type { WindowRole, WindowsShape } from "../windows/windows.ts"
import { makeConfirmWindow } from "./confirm-window.ts"
import { makeOwnerWindow } from "./owner-window.ts"
import { webPreferences } from "./web-preferences.ts"

export interface WindowParts {
  readonly BrowserWindow: new(options: BrowserWindowConstructorOptions) => BrowserWindowClass
  /** Folder of the built preload scripts. */
  readonly preloads: string
  /** The console window's last position. */
  readonly kept: KeptWindow
  /** Work areas, the primary one first. */
  readonly displays: () => ReadonlyArray<Rectangle>
  /** Chooses the background color until the page is drawn. */
  readonly isDark: () => boolean
  /** The choice in the console; `system` adds no parameter. */
  readonly contrast: () => string
  /** The profile that a page loaded now would show. */
  readonly current: () => ProfileId | null
  /** The page has unsaved changes: whether a person leaves it. */
  readonly mayLeave: (window: BrowserWindowClass) => boolean
  /** A person stayed on a page that was loaded for this profile. */
  readonly onStay: (profile: ProfileId | null) => void
  readonly after: After
  /** A console page crashed. */
  readonly onBroken: (reason: string) => void
}

/**
 * A crashed page is reloaded up to this number of times per minute; then its window is closed until a person opens it.
 */
const reloadsMax = 3
const reloadsMillis = 60_000
const backgrounds = { dark: "#0f1014", light: "#f6f6f3" }
const isPath = (path: string): boolean => /^\/(?![/\\])[^\p{Cc}\\]{0,2000}$/u.test(path)

export const makeWindows = (
  { after, BrowserWindow, contrast, current, displays, isDark, kept, mayLeave, onBroken, onStay, preloads }: WindowParts
): WindowsShape => {
  const roles = new Map<number, WindowRole>()
  const profiles = new Map<number, ProfileId | null>()
  const onGone = new Set<(id: number) => void>()
  const gone = (id: number): void => onGone.forEach((listener) => listener(id))
  let main: BrowserWindowClass | undefined
  /**
   * State of the console's page: another page is being loaded; it belongs to another hub; the page can receive screens;
   * the screen that it could not receive yet.
   */
  let isLeaving = false
  let isOtherHub = false
  let isListening = false
  let screen: string | undefined

  const made = (role: WindowRole, options: BrowserWindowConstructorOptions): BrowserWindowClass => {
    const window = new BrowserWindow({
      show: false,
      autoHideMenuBar: true,
      backgroundColor: backgrounds[isDark() ? "dark" : "light"],
      ...options
    })
    const { id } = window.webContents
    roles.set(id, role)
    window.once("closed", () => roles.delete(id))
    return window
  }
  /** A page outside the console, which stores its own appearance settings. */
  const loadPage = (window: BrowserWindowClass, page: string): Promise<void> =>
    window.loadURL(`${appOrigin}/${page}${contrast() === "system" ? "" : `?contrast=${contrast()}`}`)
  const load = (window: BrowserWindowClass, path: string): void => {
    isLeaving = true
    screen = undefined
    window.loadURL(appOrigin + path).catch(() => {
      isLeaving = isOtherHub = false
    })
  }
  const step = (by: "back" | "forward"): void => {
    if (main === undefined || main.isDestroyed()) return
    const { navigationHistory: history } = main.webContents
    if (by === "back" && history.canGoBack()) history.goBack()
    if (by === "forward" && history.canGoForward()) history.goForward()
  }
  const sendScreen = (): void => {
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
      // `maximize` also shows the window, so it is called only when the page is drawn.
      if (before?.maximized === true) window.maximize()
      window.show()
    })
    // Side buttons of a mouse, and three-finger swipes on macOS.
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
    // Another document was loaded; navigation within a page does not emit this event.
    window.webContents.on("did-navigate", () => {
      gone(id)
      // The history belongs to another hub, or to a removed one.
      if (isOtherHub) window.webContents.navigationHistory.clear()
      isOtherHub = false
      profiles.set(id, current())
      isLeaving = isListening = false
    })
    // Without this handler Electron would keep the page silently, which would block closing its window and the app.
    window.webContents.on("will-prevent-unload", (event) => {
      if (mayLeave(window)) event.preventDefault()
      else {
        isLeaving = isOtherHub = false
        onStay(profiles.get(id) ?? null)
        sendScreen()
      }
    })
    window.once("closed", () => {
      gone(id)
      profiles.delete(id)
    })
    let crashedAt: ReadonlyArray<number> = []
    window.webContents.on("render-process-gone", (_, { reason }) => {
      gone(id)
      isListening = false
      if (reason === "clean-exit" || window.isDestroyed()) return
      onBroken(reason)
      crashedAt = [...crashedAt.filter((at) => Date.now() - at < reloadsMillis), Date.now()]
      if (crashedAt.length > reloadsMax) window.destroy()
      else window.webContents.reload()
    })
    main = window
    load(window, path)
    return window
  }

  const { confirm, confirming, denyAll } = makeConfirmWindow({
    made: (options) => made("confirm", options),
    load: (window) => loadPage(window, "confirm.html"),
    preloads,
    above: () => main,
    after
  })
  // The page that requested the confirmations is gone.
  onGone.add(denyAll)

  return {
    roleOf: (id) => roles.get(id),
    profileOf: (id) => profiles.get(id),
    onPageGone: (listener) => void onGone.add(listener),
    showConsole: ({ reload = false, path } = {}) =>
      Effect.sync(() => {
        const wanted = path !== undefined && isPath(path) ? path : undefined
        if (main === undefined || main.isDestroyed()) return void openConsole(wanted ?? "/")
        if (reload) {
          isOtherHub = true
          load(main, wanted ?? "/")
        } else if (wanted !== undefined) {
          screen = wanted
          sendScreen()
        }
        if (main.isMinimized()) main.restore()
        main.show()
        main.focus()
      }),
    listening: (id) => {
      if (main?.webContents.id !== id) return
      isListening = true
      sendScreen()
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
      load: (window) => loadPage(window, "owner.html"),
      preloads
    })
  }
}
