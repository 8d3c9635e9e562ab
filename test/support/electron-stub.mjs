/**
 * Replaces `electron` under the built main: records all calls, shows nothing. Tests read `record`.
 * @typedef {{ id: number, options: any, contents: any, urls: string[], sent: Array<[string, unknown]>, window: any }}
 * StubWindow
 */
import { fork } from "node:child_process"
import { EventEmitter } from "node:events"
import { dirname } from "node:path"

export const record = {
  /** @type {StubWindow[]} */ windows: [],
  /** @type {Map<string, Function>} */ handlers: new Map(),
  /** @type {string[]} */ registered: [],
  /** @type {string[]} */ opened: [],
  /** @type {any[]} */ schemes: [],
  /** @type {Map<string, any>} */ sessions: new Map(),
  /** @type {string[]} */ appEvents: [],
  /** Calls of the folder dialog. @type {any[]} */ dialogs: [],
  /** Folders that the dialog returns, one per call; empty: it is canceled. @type {string[]} */ picks: [],
  /** Replaces an agent's process when a test sends its messages. @type {undefined | ((path: string) => any)} */ fork:
    undefined,
  hasLock: true,
  quits: 0,
  /** @type {number[]} */ exits: [],
  /** @type {any[]} */ relaunches: [],
  /** @type {any[]} */ trays: [],
  /** @type {any[]} */ notifications: [],
  badge: 0,
  /** @type {any[]} */ menuBar: [],
  /** Context menus that were opened. @type {any[][]} */ popUps: [],
  /** Options of system message boxes. @type {any[]} */ messageBoxes: [],
  /** Buttons that a person clicks there, one per box, optionally after an action; empty: the box is dismissed. @type {Array<string | (() => string)>} */ presses:
    [],
  /** @type {string[]} */ errorBoxes: [],
  crashReports: 0,
  /** @type {Map<string, () => void>} */ shortcuts: new Map(),
  /** @type {any} */ loginItem: undefined,
  /** Agent processes, run by Node instead of Electron. @type {import("node:child_process").ChildProcess[]} */ agents:
    [],
  /** Called for each message of main to a window. @type {(id: number, channel: string, value: unknown) => void} */
  onSend: () => {}
}

/** Electron's default: the page stays unless a listener prevents it. */
const leaves = (/** @type {any} */ contents) => {
  let isLeft = false
  contents.emit("will-prevent-unload", { preventDefault: () => isLeft = true })
  return isLeft
}

const makeContents = (/** @type {number} */ id) => {
  const contents = Object.assign(new EventEmitter(), {
    id,
    mainFrame: { url: "" },
    openHandler: undefined,
    setWindowOpenHandler: (/** @type {any} */ handler) => {
      contents.openHandler = handler
    },
    send: (/** @type {string} */ channel, /** @type {unknown} */ value) => {
      record.windows.find((each) => each.id === id)?.sent.push([channel, structuredClone(value)])
      record.onSend(id, channel, structuredClone(value))
    },
    isDestroyed: () => false,
    /** @type {string[]} */ steps: [],
    navigationHistory: {
      canGoBack: () => true,
      canGoForward: () => true,
      goBack: () => void contents.steps.push("back"),
      goForward: () => void contents.steps.push("forward"),
      clear: () => void contents.steps.push("clear")
    },
    /** The page has unsaved changes. */
    holds: false,
    loads: 0,
    reload: () => {
      if (contents.holds && !leaves(contents)) return
      contents.holds = false
      contents.loads++
      contents.emit("did-navigate", {}, contents.mainFrame.url)
    }
  })
  return contents
}

class App extends EventEmitter {
  isPackaged = false
  getAppPath() {
    return process.env.TEST_USER_DATA
  }
  getPath() {
    return process.env.TEST_USER_DATA
  }
  getVersion() {
    return "0.1.0"
  }
  requestSingleInstanceLock() {
    return record.hasLock
  }
  whenReady() {
    return Promise.resolve()
  }
  quit() {
    record.quits++
    let isPrevented = false
    app.emit("before-quit", { preventDefault: () => isPrevented = true })
    if (isPrevented) return
    for (const { window } of record.windows) {
      window.close()
      if (!window.destroyed) return
    }
    app.emit("will-quit", { preventDefault: () => {} })
  }
  relaunch(/** @type {any} */ options) {
    record.relaunches.push(options)
  }
  setPath() {}
  setAppUserModelId() {}
  setAsDefaultProtocolClient() {
    return true
  }
  setBadgeCount(/** @type {number} */ count) {
    record.badge = count
    return true
  }
  setLoginItemSettings(/** @type {any} */ settings) {
    record.loginItem = settings
  }
  getLoginItemSettings() {
    return { openAtLogin: record.loginItem?.openAtLogin === true, wasOpenedAtLogin: false }
  }
  exit(/** @type {number} */ code) {
    record.exits.push(code)
  }
  on(/** @type {string} */ name, /** @type {any} */ listener) {
    record.appEvents.push(name)
    return super.on(name, listener)
  }
}
export const app = new App()

let nextId = 1
export class BrowserWindow extends EventEmitter {
  constructor(/** @type {any} */ options) {
    super()
    this.webContents = makeContents(nextId++)
    this.destroyed = false
    this.shown = false
    this.onTop = options.alwaysOnTop === true
    /** How often the window took the focus. */
    this.focused = 0
    record.windows.push({
      id: this.webContents.id,
      options,
      contents: this.webContents,
      urls: [],
      sent: [],
      window: this
    })
    app.emit("web-contents-created", {}, this.webContents)
    app.emit("browser-window-created", {}, this)
  }
  async loadURL(/** @type {string} */ url) {
    this.webContents.mainFrame.url = url
    // The page has unsaved changes and the person keeps them.
    if (this.webContents.holds && !leaves(this.webContents)) throw new Error("ERR_ABORTED")
    record.windows.find((each) => each.window === this)?.urls.push(url)
    this.webContents.holds = false
    this.webContents.emit("did-navigate", {}, url)
    queueMicrotask(() => this.emit("ready-to-show"))
  }
  show() {
    this.shown = true
  }
  hide() {
    this.shown = false
  }
  focus() {
    this.focused++
  }
  setAlwaysOnTop(/** @type {boolean} */ onTop) {
    this.onTop = onTop
  }
  isAlwaysOnTop() {
    return this.onTop
  }
  restore() {}
  isMinimized() {
    return false
  }
  isDestroyed() {
    return this.destroyed
  }
  close() {
    if (this.destroyed || this.webContents.holds && !leaves(this.webContents)) return
    this.emit("close", { preventDefault: () => {} })
    this.destroy()
  }
  destroy() {
    if (this.destroyed) return
    this.destroyed = true
    this.emit("closed")
  }
  static getAllWindows() {
    return record.windows.map(({ window }) => window).filter(({ destroyed }) => !destroyed)
  }
  static getFocusedWindow() {
    return record.windows.findLast(({ window }) => !window.destroyed)?.window ?? null
  }
  getNormalBounds() {
    return { x: 10, y: 20, width: 1_000, height: 700 }
  }
  isMaximized() {
    return false
  }
  maximize() {}
}

const image = {
  crop: () => image,
  toPNG: () => Buffer.alloc(0),
  addRepresentation: () => {},
  setTemplateImage: () => {}
}
export const nativeImage = {
  createFromPath: (/** @type {string} */ path) => ({ ...image, path })
}

export class Tray extends EventEmitter {
  constructor() {
    super()
    this.tooltip = ""
    /** @type {any[]} */ this.menu = []
    record.trays.push(this)
  }
  setImage() {}
  setToolTip(/** @type {string} */ text) {
    this.tooltip = text
  }
  setTitle() {}
  setContextMenu(/** @type {any[]} */ menu) {
    this.menu = menu
  }
  destroy() {}
}

export const Menu = {
  buildFromTemplate: (/** @type {any[]} */ items) =>
    Object.assign(items, { popup: () => void record.popUps.push(items) }),
  setApplicationMenu: (/** @type {any[]} */ items) => {
    record.menuBar = items
  }
}

export const nativeTheme = {
  themeSource: "",
  get shouldUseDarkColors() {
    return nativeTheme.themeSource === "dark"
  }
}

export class Notification extends EventEmitter {
  static isSupported() {
    return true
  }
  constructor(/** @type {any} */ options) {
    super()
    this.options = options
    record.notifications.push(this)
  }
  show() {}
  close() {}
}

export const globalShortcut = {
  register: (/** @type {string} */ accelerator, /** @type {() => void} */ act) => {
    record.shortcuts.set(accelerator, act)
    return true
  },
  unregisterAll: () => record.shortcuts.clear()
}

export const powerMonitor = Object.assign(new EventEmitter(), {
  idleState: "active",
  getSystemIdleState: () => powerMonitor.idleState
})
export const crashReporter = {
  start: () => {
    record.crashReports++
  }
}
export const net = { isOnline: () => true }
const display = { id: 1, workArea: { x: 0, y: 0, width: 1_920, height: 1_040 } }
export const screen = { getPrimaryDisplay: () => display, getAllDisplays: () => [display] }

const pressed = (/** @type {any} */ options) => {
  record.messageBoxes.push(options)
  const press = record.presses.shift()
  return press === undefined ? options.cancelId : options.buttons.indexOf(typeof press === "string" ? press : press())
}
export const dialog = {
  showMessageBoxSync: (/** @type {any[]} */ ...asked) => pressed(asked.at(-1)),
  showMessageBox: async (/** @type {any[]} */ ...asked) => ({ response: pressed(asked.at(-1)) }),
  showErrorBox: (/** @type {string} */ title, /** @type {string} */ text) =>
    void record.errorBoxes.push(`${title}: ${text}`),
  showOpenDialog: async (/** @type {any[]} */ ...asked) => {
    record.dialogs.push(asked.at(-1))
    const path = record.picks.shift()
    return { canceled: path === undefined, filePaths: path === undefined ? [] : [path] }
  }
}

export const utilityProcess = {
  fork: (/** @type {string} */ path, /** @type {string[]} */ args = [], /** @type {any} */ { env } = {}) => {
    if (record.fork !== undefined) return record.fork(path)
    const child = fork(path, args, { cwd: dirname(path), env, stdio: ["ignore", "ignore", "inherit", "ipc"] })
    record.agents.push(child)
    return {
      get pid() {
        return child.exitCode === null ? child.pid : undefined
      },
      postMessage: (/** @type {any} */ message) => void (child.connected && child.send(message, () => {})),
      kill: () => child.kill(),
      on: (/** @type {string} */ name, /** @type {any} */ listener) => child.on(name, listener)
    }
  }
}

export const ipcMain = {
  handle: (/** @type {string} */ channel, /** @type {Function} */ listener) => {
    record.registered.push(channel)
    if (record.handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
    record.handlers.set(channel, listener)
  },
  removeHandler: (/** @type {string} */ channel) => void record.handlers.delete(channel),
  on: () => {
    throw new Error("main answers by handle alone")
  }
}

export const protocol = {
  registerSchemesAsPrivileged: (/** @type {any[]} */ schemes) => record.schemes.push(...schemes)
}

const sessionOf = (/** @type {string} */ name) => {
  const known = record.sessions.get(name)
  if (known !== undefined) return known
  const made = {
    name,
    pages: undefined,
    protocol: {
      handle: (/** @type {string} */ scheme, /** @type {any} */ handler) => {
        made.pages = handler
        made.scheme = scheme
      }
    },
    resolveProxy: async () => "DIRECT",
    scheme: undefined,
    setPermissionRequestHandler: (/** @type {any} */ handler) => {
      made.onRequest = handler
    },
    setPermissionCheckHandler: (/** @type {any} */ handler) => {
      made.onCheck = handler
    },
    setDevicePermissionHandler: (/** @type {any} */ handler) => {
      made.onDevice = handler
    },
    onRequest: undefined,
    onCheck: undefined,
    onDevice: undefined
  }
  record.sessions.set(name, made)
  return made
}
export const session = {
  get defaultSession() {
    return sessionOf("default")
  },
  fromPartition: (/** @type {string} */ name) => sessionOf(name)
}

export const shell = {
  openExternal: async (/** @type {string} */ url) => void record.opened.push(url)
}

export default {
  app,
  BrowserWindow,
  crashReporter,
  dialog,
  globalShortcut,
  ipcMain,
  Menu,
  nativeImage,
  nativeTheme,
  net,
  Notification,
  powerMonitor,
  protocol,
  screen,
  session,
  shell,
  Tray,
  utilityProcess
}
