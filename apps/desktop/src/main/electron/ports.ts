/** Electron's APIs as the services' ports, without decisions. */
import { Effect, Layer } from "effect"
import {
  app,
  BrowserWindow,
  dialog,
  globalShortcut,
  Menu,
  nativeImage,
  nativeTheme,
  net,
  Notification,
  powerMonitor,
  screen,
  Tray,
  utilityProcess
} from "electron"
import { join } from "node:path"
import { networkAddresses } from "../../device/wake.ts"
import { ConnectionLog } from "../connection-log/service.ts"
import { AgentFork, ScreenLock } from "../device/service.ts"
import { Opening } from "../lifecycle/opening.ts"
import { AttentionPorts } from "../notices/attention.ts"
import { after, every } from "../platform/timers.ts"
import { Profiles } from "../profiles/profiles.ts"
import { AppSettingsFile } from "../settings/service.ts"
import { UpdaterParts } from "../updates/service.ts"
import { openWindowState } from "../windows/state.ts"
import { Windows } from "../windows/windows.ts"
import { type AutostartParts, hasAutostart, makeAutostart } from "./autostart.ts"
import { type BadgeParts, makeBadge } from "./badge.ts"
import { folderDialogLayer } from "./folder-dialog.ts"
import { screenLock } from "./lock.ts"
import { notificationScreen } from "./notifications.ts"
import { PresencePorts } from "./presence.ts"
import type { NativeTray, TrayParts } from "./tray.ts"
import { updaterParts } from "./updater.ts"
import { forkUtility, type UtilityProcesses } from "./utility-process.ts"
import { makeWindows } from "./windows.ts"

/** The build's folder. */
export const out = join(import.meta.dirname, "..")

export const appWindows = (folder: string) =>
  Layer.effect(
    Windows,
    Effect.gen(function*() {
      const settings = yield* AppSettingsFile
      const log = yield* ConnectionLog
      const profiles = yield* Profiles
      // Applies to all windows and to the system's own controls of the app.
      nativeTheme.themeSource = settings.current().theme
      yield* Effect.acquireRelease(
        Effect.sync(() =>
          settings.subscribe(({ theme }) => {
            nativeTheme.themeSource = theme
          })
        ),
        (end) => Effect.sync(end)
      )
      return makeWindows({
        after,
        BrowserWindow,
        preloads: join(out, "preload"),
        kept: openWindowState(join(folder, "window.json")),
        displays: () => {
          const { id } = screen.getPrimaryDisplay()
          return screen.getAllDisplays().sort((a, b) => Number(b.id === id) - Number(a.id === id)).map(({ workArea }) =>
            workArea
          )
        },
        isDark: () => nativeTheme.shouldUseDarkColors,
        contrast: () => settings.current().contrast,
        current: () => Effect.runSync(profiles.current),
        mayLeave: (window) =>
          dialog.showMessageBoxSync(window, {
            type: "question",
            message: "Leave this page?",
            detail: "What you changed on it was not saved.",
            buttons: ["Stay", "Leave"],
            defaultId: 0,
            cancelId: 0,
            noLink: true
          }) === 1,
        // Another hub may have been chosen whose page is no longer loaded.
        onStay: (profile) => void (profile !== null && Effect.runFork(Effect.ignore(profiles.choose(profile)))),
        onBroken: (reason) => log.write("window_broke", { detail: reason })
      })
    })
  )

export const folderDialog = folderDialogLayer({ dialog, focused: () => BrowserWindow.getFocusedWindow() })

export const agentFork = Layer.sync(
  AgentFork,
  () => forkUtility(utilityProcess as unknown as UtilityProcesses, join(out, "main", "device.js"))
)

export const lockPort = Layer.succeed(
  ScreenLock,
  screenLock({
    platform: process.platform,
    environment: process.env,
    idleState: () => powerMonitor.getSystemIdleState(1)
  })
)

export const attentionPorts = Layer.effect(
  AttentionPorts,
  Effect.gen(function*() {
    const { open } = yield* Opening
    const log = yield* ConnectionLog
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const parts = {
      isSupported: () => Notification.isSupported(),
      newNotification: (options: ConstructorParameters<typeof Notification>[0]) => new Notification(options)
    }
    return {
      screen: notificationScreen(parts as Parameters<typeof notificationScreen>[0], (event) => log.write(event)),
      acts: { open: (target) => void run(open(target)), quit: () => app.quit() }
    }
  })
)

const pictures = join(out, "main", "pictures")

const trayParts: TrayParts<Menu> = {
  platform: process.platform,
  newTray: (image) => new Tray(image as unknown as Electron.NativeImage) as unknown as NativeTray<Menu>,
  nativeImage: nativeImage as unknown as TrayParts<Menu>["nativeImage"],
  buildMenu: (items) => Menu.buildFromTemplate(items),
  setBadgeCount: makeBadge({
    platform: process.platform,
    setBadgeCount: (count) => app.setBadgeCount(count),
    windows: () => BrowserWindow.getAllWindows() as unknown as ReturnType<BadgeParts["windows"]>,
    onWindow: (listener) => void app.on("browser-window-created", (_, window) => listener(window)),
    strip: () => nativeImage.createFromPath(join(pictures, "tray-32.png")),
    side: 32
  }),
  resources: pictures
}

const autostartParts: AutostartParts = {
  platform: process.platform,
  environment: process.env,
  home: app.getPath("home"),
  executable: process.execPath,
  arguments: app.isPackaged ? [] : [app.getAppPath()],
  setLoginItemSettings: (settings) => app.setLoginItemSettings(settings),
  getLoginItemSettings: (settings) => app.getLoginItemSettings(settings)
}

export const presencePorts = Layer.succeed(PresencePorts, {
  tray: trayParts,
  shortcuts: {
    register: (accelerator, act) => globalShortcut.register(accelerator, act),
    unregisterAll: () => globalShortcut.unregisterAll(),
    platform: process.platform,
    environment: process.env
  },
  power: {
    on: (event, listener) => powerMonitor.on(event as "suspend", listener),
    isOnline: () => net.isOnline(),
    network: networkAddresses,
    every
  },
  setAutostart: makeAutostart(autostartParts),
  hasAutostart: hasAutostart(autostartParts)
})

/** For `updatesLayer`. */
export const updaterPorts = Layer.effect(
  UpdaterParts,
  Effect.gen(function*() {
    const log = yield* ConnectionLog
    return updaterParts({
      app,
      platform: process.platform,
      environment: process.env,
      resources: process.resourcesPath,
      log: (event, detail) => log.write(event, detail === undefined ? {} : { detail })
    })
  })
)
