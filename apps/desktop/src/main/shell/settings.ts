/** The screen of this app's own settings. */
import { Effect } from "effect"
import type { SettingsInShell } from "../../bridge/this-computer.ts"
import { Presence } from "../electron/presence.ts"
import { AppSettingsFile } from "../settings-service.ts"
import { refusal, type ShellMethods } from "./methods.ts"

export const settingsMethods = Effect.gen(function*() {
  const settings = yield* AppSettingsFile
  const presence = yield* Presence
  const inShell = (): SettingsInShell => ({
    settings: settings.current(), shortcuts: presence.shortcuts(), has_tray: presence.hasTray, set_aside: settings.aside?.path ?? null
  })
  return {
    settings: async () => inShell(),
    changeSettings: async (patch) => {
      try {
        settings.change(patch)
      } catch (error) {
        throw refusal("refused", error instanceof Error ? error.message : String(error))
      }
      return inShell()
    }
  } satisfies Partial<ShellMethods>
})
