/**
 * Global shortcuts. Under Wayland they are not registered, since they would work only partly, and are reported as
 * unavailable.
 */
import type { AppSettings } from "../../bridge/settings-schemas.ts"
import type { ShortcutState } from "../../bridge/this-computer.ts"

/** Electron's `globalShortcut`, and the system's properties. */
export interface ShortcutParts {
  readonly register: (accelerator: string, act: () => void) => boolean
  readonly unregisterAll: () => void
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
}

export interface ShortcutActs {
  readonly open: () => void
  readonly panic: () => void
}

export interface Shortcuts {
  /** Returns the resulting states; another program's shortcut is not overridden. */
  readonly set: (
    settings: Pick<AppSettings, "panic_shortcut" | "shortcut">
  ) => { readonly open: ShortcutState; readonly panic: ShortcutState }
  readonly close: () => void
}

const isWayland = ({ environment, platform }: ShortcutParts): boolean =>
  platform === "linux" &&
  (environment["XDG_SESSION_TYPE"] === "wayland" || environment["WAYLAND_DISPLAY"] !== undefined)

export const makeShortcuts = (parts: ShortcutParts, acts: ShortcutActs): Shortcuts => {
  const register = (accelerator: string | null, act: () => void): ShortcutState => {
    if (accelerator === null) return "off"
    if (isWayland(parts)) return "not_here"
    try {
      return parts.register(accelerator, act) ? "works" : "taken"
    } catch {
      return "taken"
    }
  }
  return {
    set: ({ panic_shortcut, shortcut }) => {
      parts.unregisterAll()
      return { open: register(shortcut, acts.open), panic: register(panic_shortcut, acts.panic) }
    },
    close: parts.unregisterAll
  }
}
