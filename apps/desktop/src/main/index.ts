/** The main process: what Electron gives, put under the services, and nothing else. */
import { app, BrowserWindow, dialog, ipcMain, protocol, session, shell, utilityProcess } from "electron"
import { Effect, Layer, ManagedRuntime } from "effect"
import { join } from "node:path"
import { Ipc, bridgeLayer, type IpcShape } from "./bridge.ts"
import { ConnectionLog } from "./connection-log/service.ts"
import { AgentFork, Device } from "./device/service.ts"
import { makePages, privilegedScheme } from "./electron/app-protocol.ts"
import { folderDialogLayer } from "./electron/folder-dialog.ts"
import { guardNavigation } from "./electron/navigation.ts"
import { ownerPartition } from "./electron/owner-window.ts"
import { guardPermissions } from "./electron/permissions.ts"
import { becomeOnly } from "./electron/single-instance.ts"
import { forkUtility, type UtilityProcesses } from "./electron/utility-process.ts"
import { confirmPartition, windowsLayer } from "./electron/windows.ts"
import { ConnectionDesk, connectionsLayer } from "./hub/connections.ts"
import { Owner } from "./owner.ts"
import { appScheme } from "./own-page.ts"
import { Profiles } from "./profiles/profiles.ts"
import { SecretStore } from "./secrets/secret-store.ts"
import { AppSettingsFile } from "./settings-service.ts"
import { Shell } from "./shell.ts"
import { Windows } from "./windows.ts"

const out = join(import.meta.dirname, "..")

let hidden = false
const windows = windowsLayer({ BrowserWindow, preloads: join(out, "preload"), mayShow: () => !hidden })
const folder = app.getPath("userData")
const data = Layer.mergeAll(
  Profiles.layer(folder), SecretStore.layer, windows, ConnectionLog.layer(folder), AppSettingsFile.layer(folder),
  folderDialogLayer({ dialog, focused: () => BrowserWindow.getFocusedWindow() }),
  Layer.succeed(AgentFork, forkUtility(utilityProcess as unknown as UtilityProcesses, join(out, "main", "device.js")))
)
const devices = Owner.layer.pipe(Layer.provideMerge(Device.layer(folder)))
const services = Layer.mergeAll(connectionsLayer, devices).pipe(Layer.provideMerge(data))
const ipc = Layer.succeed(Ipc, ipcMain as unknown as IpcShape)
const live = Layer.provideMerge(bridgeLayer, Shell.layer).pipe(Layer.provideMerge(services), Layer.provide(ipc))
const runtime = ManagedRuntime.make(live)

const showConsole = () => runtime.runPromise(Effect.flatMap(Windows, (all) => all.showConsole()))

/** The hub of the profile that the window shows. */
const download = (path: string, signal: AbortSignal): Promise<Response> =>
  runtime.runPromise(Effect.gen(function*() {
    const current = yield* Effect.flatMap(Profiles, (profiles) => profiles.current)
    const desk = yield* ConnectionDesk
    return current === null ? undefined : desk.find(current)
  })).then((connection) => {
    if (connection === undefined) throw new Error("no hub")
    return connection.open(path, signal)
  })

const hubs = () =>
  runtime.runPromise(Effect.gen(function*() {
    const { all, current } = yield* Profiles
    const profiles = yield* all
    const id = yield* current
    return { all: profiles.map(({ url }) => url), current: profiles.find((each) => each.id === id)?.url }
  }))

const start = async () => {
  guardNavigation({ app, hubs, openExternal: (url) => shell.openExternal(url) })
  await app.whenReady()
  const pages = makePages({ folder: join(out, "renderer"), download })
  const confirming = session.fromPartition(confirmPartition)
  const owning = session.fromPartition(ownerPartition)
  owning.protocol.handle(appScheme, makePages({ folder: join(out, "renderer"), download, only: "/owner.html" }))
  guardPermissions(owning, false)
  for (const each of [session.defaultSession, confirming]) {
    each.protocol.handle(appScheme, pages)
    guardPermissions(each, each === session.defaultSession)
  }
  await showConsole()
  await runtime.runPromise(Effect.gen(function*() {
    const settings = yield* AppSettingsFile
    const device = yield* Device
    if (settings.current().device) void device.host.start()
  }))
}

const isOnly = becomeOnly({
  app,
  argv: process.argv,
  onLaunch: (launch, isFirst) => {
    hidden = isFirst && launch.hidden
    if (!isFirst) void showConsole()
  }
})

if (isOnly) {
  protocol.registerSchemesAsPrivileged([privilegedScheme])
  // The tray keeps it; without one a person closes the app with its window.
  app.on("window-all-closed", () => app.quit())
  app.on("activate", () => void showConsole())
  app.on("will-quit", () => void runtime.dispose())
  void start()
}
