/**
 * The app's menu bar and the context menu for text. Without its own menu bar the app would show Electron's default with
 * its links, a reload of any window, and developer tools.
 */
import type { App, MenuItemConstructorOptions, WebContents } from "electron"

export interface MenuActs {
  /** Opens a screen in the console's window, which is created if there is none. */
  readonly open: (path: string) => void
  readonly reload: () => void
  /** Moves through the console's history. */
  readonly step: (by: "back" | "forward") => void
  readonly owner: () => void
  readonly panic: () => void
}

export interface MenuOptions {
  readonly platform: NodeJS.Platform
  /** Developer tools are for developers of the app. */
  readonly isPackaged: boolean
  readonly acts: MenuActs
}

const line: MenuItemConstructorOptions = { type: "separator" }

export const menuBar = ({ acts, isPackaged, platform }: MenuOptions): Array<MenuItemConstructorOptions> => {
  const isMac = platform === "darwin"
  const settings: MenuItemConstructorOptions = {
    label: "Settings…",
    accelerator: "CmdOrCtrl+,",
    click: () => acts.open("/app-settings")
  }
  return [
    ...isMac
      ? [{
        role: "appMenu" as const,
        submenu: [
          { role: "about" as const },
          line,
          settings,
          line,
          { role: "services" as const },
          line,
          { role: "hide" as const },
          { role: "hideOthers" as const },
          { role: "unhide" as const },
          line,
          { role: "quit" as const }
        ]
      }]
      : [],
    {
      label: "&File",
      submenu: [
        { label: "Add a hub…", click: () => acts.open("/hubs") },
        ...isMac ? [] : [settings],
        line,
        { label: "Stop everything on this device", click: acts.panic },
        line,
        { role: "close" },
        ...isMac ? [] : [{ role: "quit" as const }]
      ]
    },
    { role: "editMenu" },
    {
      label: "&View",
      submenu: [
        // Only the console's: reloading the owner's window would redraw a question under the pointer.
        { label: "Reload the console", accelerator: "CmdOrCtrl+R", click: acts.reload },
        line,
        { role: "resetZoom" },
        { role: "zoomIn" },
        { role: "zoomOut" },
        line,
        { role: "togglefullscreen" },
        ...isPackaged ? [] : [line, { role: "toggleDevTools" as const }]
      ]
    },
    {
      label: "&Go",
      submenu: [
        { label: "Back", accelerator: isMac ? "Cmd+[" : "Alt+Left", click: () => acts.step("back") },
        { label: "Forward", accelerator: isMac ? "Cmd+]" : "Alt+Right", click: () => acts.step("forward") },
        line,
        { label: "Inbox", accelerator: "CmdOrCtrl+1", click: () => acts.open("/") },
        { label: "This device", accelerator: "CmdOrCtrl+2", click: () => acts.open("/device") },
        { label: "Rules and folders of this device", click: acts.owner },
        { label: "Hubs", accelerator: "CmdOrCtrl+3", click: () => acts.open("/hubs") },
        { label: "Connection log", accelerator: "CmdOrCtrl+4", click: () => acts.open("/log") }
      ]
    },
    { role: "windowMenu" }
  ]
}

/** The fields of Electron's event that are used. */
interface Pressed {
  readonly editFlags: {
    readonly canCut: boolean
    readonly canCopy: boolean
    readonly canPaste: boolean
    readonly canSelectAll: boolean
  }
  readonly isEditable: boolean
  readonly selectionText: string
}

/** Empty: no menu is shown. */
export const textMenu = ({ editFlags: can, isEditable, selectionText }: Pressed): Array<MenuItemConstructorOptions> => {
  if (!isEditable) return selectionText.trim() === "" ? [] : [{ role: "copy", enabled: can.canCopy }]
  return [
    { role: "cut", enabled: can.canCut },
    { role: "copy", enabled: can.canCopy },
    { role: "paste", enabled: can.canPaste },
    line,
    { role: "selectAll", enabled: can.canSelectAll }
  ]
}

/** Adds the menu to every window. */
export const offerTextMenu = (
  app: Pick<App, "on">,
  popUp: (items: Array<MenuItemConstructorOptions>) => void
): void => {
  app.on("web-contents-created", (_, contents: WebContents) => {
    contents.on("context-menu", (_event, pressed) => {
      const items = textMenu(pressed)
      if (items.length > 0) popUp(items)
    })
  })
}
