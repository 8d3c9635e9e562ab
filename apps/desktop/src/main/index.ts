/** The main process: connects Electron's APIs to the services. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { app, crashReporter, dialog, ipcMain, Menu, powerMonitor, protocol, session, shell } from "electron"
import { join } from "node:path"
import { bridgeLayer, Ipc, type IpcShape } from "./bridge/bridge.ts"
import { Owner } from "./bridge/owner.ts"
import { ConnectionLog } from "./connection-log/service.ts"
import { Device } from "./device/service.ts"
import { makePages, type PagesOptions, privilegedScheme } from "./electron/app-protocol.ts"
import { confirmPartition } from "./electron/confirm-window.ts"
import { beginCrashFiles, CrashDumps, wantsCrashFiles } from "./electron/crash-files.ts"
import { menuBar, offerTextMenu } from "./electron/menu.ts"
import { guardNavigation } from "./electron/navigation.ts"
import { ownerPartition } from "./electron/owner-window.ts"
import { guardPermissions } from "./electron/permissions.ts"
import {
  agentFork,
  appWindows,
  attentionPorts,
  folderDialog,
  lockPort,
  out,
  presencePorts,
  updaterPorts
} from "./electron/ports.ts"
import { Presence } from "./electron/presence.ts"
import { askToQuit, exitFor } from "./electron/quitting.ts"
import { becomeOnly } from "./electron/single-instance.ts"
import { ConnectionDesk, connectionsLayer } from "./hub/connections.ts"
import { proxyOf, SystemProxy } from "./hub/system-proxy.ts"
import { scheme } from "./lifecycle/deep-links.ts"
import { type Ending, makeEnding } from "./lifecycle/ending.ts"
import { atLogin, type Launch } from "./lifecycle/launch.ts"
import { Opening } from "./lifecycle/opening.ts"
import { Attention } from "./notices/attention.ts"
import { wordsOf } from "./platform/error-words.ts"
import { Profiles } from "./profiles/profiles.ts"
import { SecretStore } from "./secrets/secret-store.ts"
import { AppSettingsFile, settingsFileName } from "./settings/service.ts"
import { Shell } from "./shell/shell.ts"
import { updatesLayer } from "./updates/service.ts"
import { Waiting } from "./waiting/service.ts"
import { appScheme } from "./windows/own-page.ts"
import { Windows, type WindowsShape } from "./windows/windows.ts"

const folder = app.getPath("userData")

const dumps = beginCrashFiles(wantsCrashFiles(join(folder, settingsFileName)), {
  crashReporter,
  folder: join(folder, "crashes"),
  setFolder: (path) => app.setPath("crashDumps", path)
})

const files = Layer.mergeAll(
  Profiles.layer(folder),
  SecretStore.layer(folder),
  AppSettingsFile.layer(folder),
  ConnectionLog.layer(folder)
)
const electron = Layer.mergeAll(
  appWindows(folder),
  folderDialog,
  agentFork,
  lockPort,
  presencePorts,
  Layer.succeed(CrashDumps, dumps),
  Layer.succeed(SystemProxy, proxyOf((url) => session.defaultSession.resolveProxy(url))),
  Layer.succeed(Ipc, ipcMain as unknown as IpcShape)
)
const live = Layer.mergeAll(bridgeLayer, ConnectionLog.ofConnections).pipe(
  Layer.provideMerge(Owner.layer),
  Layer.provideMerge(Shell.layer),
  Layer.provideMerge(Presence.layer),
  Layer.provideMerge(updatesLayer),
  Layer.provideMerge(updaterPorts),
  Layer.provideMerge(Attention.layer(folder)),
  Layer.provideMerge(attentionPorts),
  Layer.provideMerge(Opening.layer),
  Layer.provideMerge(Layer.mergeAll(Waiting.layer, Device.layer(folder))),
  Layer.provideMerge(connectionsLayer),
  Layer.provideMerge(electron),
  Layer.provideMerge(files)
)
/** Built at its first use, once the app is ready. */
const runtime = ManagedRuntime.make(live)

/** Downloads from the hub of the profile that the window shows. */
const download: PagesOptions["download"] = (path, { isObject, range, signal }) =>
  runtime.runPromise(Effect.gen(function*() {
    const current = yield* Effect.flatMap(Profiles, (profiles) => profiles.current)
    const desk = yield* ConnectionDesk
    return current === null ? undefined : desk.find(current)
  })).then((connection) => {
    if (connection === undefined) throw new Error("no hub")
    return isObject
      ? connection.openObject(path, range === undefined ? {} : { range }, signal)
      : connection.open(path, signal)
  })

const hubs = () =>
  runtime.runPromise(Effect.gen(function*() {
    const { all, current } = yield* Profiles
    const profiles = yield* all
    const id = yield* current
    return { all: profiles.map(({ url }) => url), current: profiles.find((each) => each.id === id)?.url }
  }))

/** Undefined until the services are built. */
let ending: Ending | undefined

const launch = async (given: Launch, isFirst: boolean) => {
  if (ending?.remembers(given) === true) return
  const { hidden, link } = given
  await app.whenReady()
  await runtime.runPromise(Effect.gen(function*() {
    const { hasTray } = yield* Presence
    const opening = yield* Opening
    if (isFirst && hidden && hasTray && link === undefined) return
    yield* opening.launch(link)
  }))
}

const onWindows = (act: (windows: WindowsShape) => Effect.Effect<void>) => () =>
  runtime.runFork(Effect.flatMap(Windows, act))
const acts = {
  open: (path: string) => {
    if (ending?.remembers({ hidden: false }) !== true) onWindows(({ showConsole }) => showConsole({ path }))()
  },
  step: (by: "back" | "forward") => void onWindows(({ stepConsole }) => Effect.sync(() => stepConsole(by)))(),
  reload: onWindows(({ reloadConsole }) => Effect.sync(reloadConsole)),
  owner: onWindows(({ showOwner }) => showOwner()),
  panic: () => void runtime.runPromise(Device).then(({ panic }) => panic.stop("menu"))
}

const makeAppEnding = Effect.gen(function*() {
  const { host } = yield* Device
  const presence = yield* Presence
  const made = makeEnding({
    host,
    quit: () => app.quit(),
    exit: (again) => exitFor(app, again),
    ask: (running) => askToQuit(dialog, running, presence.hasTray),
    // The last window may be closed already.
    onStay: () => void (!presence.hasTray && launch({ hidden: false }, false)),
    show: (running) => presence.ending(running, () => made.hurry()),
    dispose: () => runtime.dispose()
  })
  return made
})
const beforeQuit = (event: { readonly preventDefault: () => void }) => {
  if (ending?.mayQuit() === false) event.preventDefault()
}
const end = (event: { readonly preventDefault: () => void }) => {
  event.preventDefault()
  if (ending !== undefined) return void ending.end()
  void runtime.dispose().finally(() => app.exit(0))
}

const start = async (first: Launch) => {
  Menu.setApplicationMenu(
    Menu.buildFromTemplate(menuBar({ platform: process.platform, isPackaged: app.isPackaged, acts }))
  )
  offerTextMenu(app, (items) => Menu.buildFromTemplate(items).popup())
  guardNavigation({ app, hubs, openExternal: (url) => shell.openExternal(url) })
  await app.whenReady()
  const pages = makePages({ folder: join(out, "renderer"), download })
  const owning = session.fromPartition(ownerPartition)
  owning.protocol.handle(appScheme, makePages({ folder: join(out, "renderer"), download, only: "/owner.html" }))
  guardPermissions(owning, false)
  for (const each of [session.defaultSession, session.fromPartition(confirmPartition)]) {
    each.protocol.handle(appScheme, pages)
    guardPermissions(each, each === session.defaultSession)
  }
  app.setAsDefaultProtocolClient(scheme)
  // Windows shows notifications only for a program with this id.
  app.setAppUserModelId("app.countersign.desktop")
  const { hasTray, sessionEnds } = await runtime.runPromise(Presence)
  // Windows reports the end of the session only to windows.
  app.on("browser-window-created", (_, window) => window.on("session-end", sessionEnds))
  ending = await runtime.runPromise(makeAppEnding)
  powerMonitor.on("shutdown", ending.systemEnds)
  // The tray keeps the app running; without a tray, closing the last window quits the app.
  app.on("window-all-closed", () => {
    if (!hasTray) app.quit()
  })
  const { start_hidden } = await runtime.runPromise(Effect.map(AppSettingsFile, ({ current }) => current()))
  const wasOpenedAtLogin = process.platform === "darwin" && app.getLoginItemSettings().wasOpenedAtLogin
  await launch(atLogin(first, wasOpenedAtLogin, start_hidden), true)
}

let first: Launch = { hidden: false }
const isOnly = becomeOnly({
  app,
  argv: process.argv,
  onLaunch: (given, isFirst) => {
    if (isFirst) first = given
    else void launch(given, false)
  }
})

if (isOnly) {
  protocol.registerSchemesAsPrivileged([privilegedScheme])
  app.on("activate", () => void launch({ hidden: false }, false))
  app.on("before-quit", beforeQuit)
  app.on("will-quit", end)
  start(first).catch((error: unknown) => {
    dialog.showErrorBox("Countersign cannot start", wordsOf(error))
    app.exit(1)
  })
}
