/**
 * The owner's settings for this app on this computer, in a separate file beside the profiles. Missing settings have
 * their defaults.
 */
import { Schema } from "effect"
import { AppSettings, type SettingsPatch } from "../../bridge/settings-schemas.ts"
import { type Aside, keptFile } from "../platform/kept-file.ts"

export const settingsDefault: AppSettings = Schema.decodeUnknownSync(AppSettings)({ version: 1 })

export interface Settings {
  readonly current: () => AppSettings
  /** Where an unreadable file was moved, for a notice. */
  readonly aside: Aside | undefined
  /** Throws when writing fails or both shortcuts would be equal; then nothing has changed. */
  readonly change: (patch: SettingsPatch) => AppSettings
  readonly subscribe: (listener: (settings: AppSettings, before: AppSettings) => void) => () => void
}

export const openSettings = (path: string): Settings => {
  const file = keptFile(path, AppSettings)
  const read = file.read()
  let settings = read.value ?? settingsDefault
  const listeners = new Set<(settings: AppSettings, before: AppSettings) => void>()
  return {
    current: () => settings,
    aside: read.aside,
    change: (patch) => {
      const next = { ...settings, ...patch }
      const isTwice = next.shortcut !== null && next.shortcut === next.panic_shortcut
      if (JSON.stringify(next) === JSON.stringify(settings)) return settings
      if (isTwice) throw new RangeError("One shortcut cannot do two things")
      file.write(next)
      const before = settings
      settings = next
      for (const listener of listeners) listener(settings, before)
      return settings
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
}
