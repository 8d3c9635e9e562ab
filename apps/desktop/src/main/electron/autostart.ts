/**
 * Starts the app with the session. On Linux by a file in `autostart`, which every desktop reads (Desktop Application
 * Autostart Specification 0.5); on other systems by the system's list.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { isAbsolute, join } from "node:path"

export interface AutostartParts {
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** `process.execPath`. */
  readonly executable: string
  /** Arguments after the executable: the app's folder if it runs from its sources, otherwise none. */
  readonly arguments: ReadonlyArray<string>
  /** Electron's `app.setLoginItemSettings`. */
  readonly setLoginItemSettings: (settings: {
    readonly openAtLogin: boolean
    readonly path?: string
    readonly args?: Array<string>
  }) => void
  /** Electron's `app.getLoginItemSettings`. */
  readonly getLoginItemSettings: (
    settings?: { readonly path: string; readonly args: Array<string> }
  ) => { readonly openAtLogin: boolean }
}

const fileName = "countersign.desktop"
export const hiddenArgument = "--hidden"

/** A string of the Desktop Entry Specification 1.5, section 4. */
const textValue = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t")

/** One argument of `Exec`, by section 7: always quoted, and without field codes. */
const execArgument = (text: string): string => `"${text.replace(/[\\"`$]/gu, "\\$&").replaceAll("%", "%%")}"`

/** All keys are of version 1.0, which every desktop and validator supports. */
export const desktopEntry = (command: ReadonlyArray<string>): string =>
  [
    "[Desktop Entry]",
    "Type=Application",
    "Version=1.0",
    "Name=Countersign",
    "Comment=Pending approvals",
    `Exec=${textValue(command.map(execArgument).join(" "))}`,
    "Icon=countersign",
    "Terminal=false",
    "StartupNotify=false",
    "X-GNOME-Autostart-enabled=true",
    ""
  ].join("\n")

/** `$XDG_CONFIG_HOME` counts if it is absolute (XDG Base Directory Specification 0.8). */
const autostartFolder = ({ environment, home }: AutostartParts): string => {
  const given = environment["XDG_CONFIG_HOME"]
  return join(given !== undefined && isAbsolute(given) ? given : join(home, ".config"), "autostart")
}

const current = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

/** An AppImage is unpacked to another folder at each start, so the entry uses the path of the AppImage itself. */
const program = ({ arguments: rest, environment, executable }: AutostartParts): ReadonlyArray<string> => {
  const appImage = environment["APPIMAGE"]
  return appImage !== undefined && isAbsolute(appImage) ? [appImage] : [executable, ...rest]
}

/** Windows identifies an entry by its path and arguments. */
const entryOf = (parts: AutostartParts, hiding: ReadonlyArray<string>) => ({
  path: parts.executable,
  args: [...parts.arguments, ...hiding]
})

/** Whether the system will start the app: a person may have removed or disabled the entry in the system's settings. */
export const hasAutostart = (parts: AutostartParts) => (hidden: boolean): boolean => {
  if (parts.platform === "darwin") return parts.getLoginItemSettings().openAtLogin
  if (parts.platform !== "linux") {
    return parts.getLoginItemSettings(entryOf(parts, hidden ? [hiddenArgument] : [])).openAtLogin
  }
  const text = current(join(autostartFolder(parts), fileName))
  return text !== undefined && !/^(?:Hidden=true|X-GNOME-Autostart-enabled=false)\s*$/mu.test(text)
}

/**
 * Throws when the file cannot be written. Repeated calls have no further effect, except that they correct the path of
 * an app that was moved.
 */
export const makeAutostart = (parts: AutostartParts) => (on: boolean, hidden: boolean): void => {
  const hiding = hidden ? [hiddenArgument] : []
  if (parts.platform !== "linux") {
    // macOS passes no arguments: `wasOpenedAtLogin` and the setting determine a hidden start there.
    return parts.setLoginItemSettings({ openAtLogin: on, ...parts.platform === "darwin" ? {} : entryOf(parts, hiding) })
  }
  const folder = autostartFolder(parts)
  const path = join(folder, fileName)
  if (!on) return rmSync(path, { force: true })
  const text = desktopEntry([...program(parts), ...hiding])
  if (current(path) === text) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}.new`
  writeFileSync(draft, text)
  renameSync(draft, path)
}
