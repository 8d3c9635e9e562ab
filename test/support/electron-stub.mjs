/**
 * Stands in for `electron` under the built main: notes what it is asked for, shows nothing. `record` is what a test reads.
 * @typedef {{ id: number, options: any, contents: any, urls: string[], sent: Array<[string, unknown]>, window: any }} StubWindow
 */
import { EventEmitter } from "node:events"

export const record = {
  /** @type {StubWindow[]} */ windows: [],
  /** @type {Map<string, Function>} */ handlers: new Map(),
  /** @type {string[]} */ registered: [],
  /** @type {string[]} */ opened: [],
  /** @type {any[]} */ schemes: [],
  /** @type {Map<string, any>} */ sessions: new Map(),
  /** @type {string[]} */ appEvents: [],
  hasLock: true,
  quits: 0,
  /** What was asked of the dialog for a folder. @type {any[]} */ dialogs: [],
  /** Folders that it gives, one at a time; none: it is cancelled. @type {string[]} */ picks: [],
  /** What stands in the place of an agent's process, where a test speaks for it. @type {undefined | ((path: string) => any)} */ fork: undefined,
  /** Told of what main sends to a window. @type {(id: number, channel: string, value: unknown) => void} */
  onSend: () => {}
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
    isDestroyed: () => false
  })
  return contents
}

class App extends EventEmitter {
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
  }
  setAsDefaultProtocolClient() {
    return true
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
    /** How often it took the focus. */
    this.focused = 0
    record.windows.push({ id: this.webContents.id, options, contents: this.webContents, urls: [], sent: [], window: this })
    app.emit("web-contents-created", {}, this.webContents)
  }
  async loadURL(/** @type {string} */ url) {
    this.webContents.mainFrame.url = url
    record.windows.find((each) => each.window === this)?.urls.push(url)
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
    this.destroy()
  }
  destroy() {
    if (this.destroyed) return
    this.destroyed = true
    this.emit("closed")
  }
  static getFocusedWindow() {
    return record.windows.findLast(({ window }) => !window.destroyed)?.window ?? null
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

export const dialog = {
  showOpenDialog: async (/** @type {any[]} */ ...asked) => {
    record.dialogs.push(asked.at(-1))
    const path = record.picks.shift()
    return { canceled: path === undefined, filePaths: path === undefined ? [] : [path] }
  }
}

export const utilityProcess = {
  fork: (/** @type {string} */ path) => {
    if (record.fork === undefined) throw new Error("no process was looked for here")
    return record.fork(path)
  }
}

export const shell = {
  openExternal: async (/** @type {string} */ url) => void record.opened.push(url)
}

export default { app, BrowserWindow, dialog, ipcMain, protocol, session, shell, utilityProcess }
