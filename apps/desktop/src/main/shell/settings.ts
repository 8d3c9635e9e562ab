/** Methods of the app's settings screen. */
import { Effect } from "effect"
import type { SettingsInShell } from "../../bridge/this-computer.ts"
import { appVersion } from "../../version.ts"
import { CrashDumps } from "../electron/crash-files.ts"
import { Presence } from "../electron/presence.ts"
import { AttentionPorts } from "../notices/attention.ts"
import { refusal } from "../platform/answers.ts"
import { wordsOf } from "../platform/error-words.ts"
import { AppSettingsFile } from "../settings/service.ts"
import { Updates } from "../updates/service.ts"
import type { ShellMethods } from "./methods.ts"

export const settingsMethods = Effect.gen(function*() {
  const settings = yield* AppSettingsFile
  const presence = yield* Presence
  const { acts, screen } = yield* AttentionPorts
  const updates = yield* Updates
  const dumps = yield* CrashDumps
  const inShell = (): SettingsInShell => ({
    settings: settings.current(),
    shortcuts: presence.shortcuts(),
    autostart: presence.autostart(),
    notice_problem: screen.problem(),
    has_tray: presence.hasTray,
    set_aside: settings.aside?.path ?? null,
    app_version: appVersion,
    update: updates.state(),
    crash: { is_keeping: dumps.isKeeping, problem: dumps.problem ?? null, folder: dumps.folder, files: dumps.list() }
  })
  return {
    settings: async () => inShell(),
    changeSettings: async (patch) => {
      try {
        settings.change(patch)
      } catch (error) {
        throw refusal("refused", wordsOf(error))
      }
      return inShell()
    },
    testNotice: async () => ({ problem: await screen.tryOut(() => acts.open({ kind: "window" })) }),
    checkUpdates: async () => {
      await updates.check()
      return null
    },
    installUpdate: async () => updates.install(),
    removeCrashFiles: async () => {
      dumps.removeAll()
      return null
    }
  } satisfies Partial<ShellMethods>
})
