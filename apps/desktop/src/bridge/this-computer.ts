/**
 * Data of the app's own screens about this computer: its device, the log of its connections, and its settings. Plain
 * data.
 */
import type { SettledRules } from "@countersign/domain/device-rule-defaults"
import type { LogEntry } from "../main/connection-log/log.ts"
import type { PairingView } from "../main/device/pairing.ts"
import type { DeviceView } from "../main/device/view.ts"
import type { CrashFile } from "../main/electron/crash-files.ts"
import type { AutostartState } from "../main/electron/presence.ts"
import type { ShortcutState } from "../main/electron/shortcuts.ts"
import type { NoticeProblem } from "../main/notices/scheduler.ts"
import type { PanicState } from "../main/panic.ts"
import type { AppSettings, SettingsPatch } from "../main/settings.ts"
import type { UpdateState } from "../main/updates.ts"
import type { Answer } from "./contract.ts"

export interface DeviceInShell {
  readonly view: DeviceView
  readonly panic: PanicState
  readonly pairing: PairingView
  /** Null when this computer is not connected to a hub. */
  readonly paired: {
    readonly device_id: string
    readonly name: string
    readonly hub: string
    readonly fingerprint: string | null
    readonly roots: ReadonlyArray<string>
    readonly paired_at: string
  } | null
  /** Problem with the agent's files. */
  readonly problem: string | null
  /** Null without a rules file. Rules are kept when a pairing ends. */
  readonly rules: ({ readonly count: number } & SettledRules) | { readonly problem: string } | null
  /** Pending commands that require the owner's consent in the owner's window. */
  readonly questions: number
  /** The end of the agent's log, including earlier starts; newest last, masked. */
  readonly lines: ReadonlyArray<string>
  readonly with_app: boolean
  /** This computer's host name. */
  readonly host_name: string
}

export interface LogInShell {
  /** Oldest first; `about` is a profile's name, or null for this app. */
  readonly entries: ReadonlyArray<Omit<LogEntry, "about"> & { readonly about: string | null }>
  /** The text that "copy as support text" copies. */
  readonly support_text: string
}

export interface SettingsInShell {
  readonly settings: AppSettings
  readonly shortcuts: { readonly open: ShortcutState; readonly panic: ShortcutState }
  readonly autostart: AutostartState
  /** Problem of the last notification. */
  readonly notice_problem: NoticeProblem | null
  readonly has_tray: boolean
  /** Where an unreadable settings file was moved. */
  readonly set_aside: string | null
  readonly app_version: string
  readonly update: UpdateState
  readonly crash: {
    readonly is_keeping: boolean
    readonly problem: string | null
    readonly folder: string
    /** Newest first. */
    readonly files: ReadonlyArray<CrashFile>
  }
}

/** The shell's methods about this computer rather than a hub. */
export interface BridgedComputer {
  readonly device: () => Promise<Answer<DeviceInShell>>
  /** Starts the agent now and with the app, or stops both. */
  readonly setDevice: (ask: { readonly on: boolean }) => Promise<Answer<null>>
  /** Accepts no new commands for this time; null: until it is resumed. */
  readonly pauseDevice: (ask: { readonly minutes: number | null }) => Promise<Answer<null>>
  readonly resumeDevice: () => Promise<Answer<null>>
  /** Reactivates this device after another copy replaced it; the other copy ends. */
  readonly bringBackDevice: () => Promise<Answer<null>>
  /** Connects this computer to the hub that the window shows. */
  readonly pairDevice: (ask: { readonly name: string }) => Promise<Answer<null>>
  readonly cancelPairing: () => Promise<Answer<null>>
  readonly unpairDevice: () => Promise<Answer<null>>
  /** Stops all commands at once. Only the owner's window can resume. */
  readonly panic: () => Promise<Answer<null>>
  /** Brings the owner's window to the front; no page can press its buttons. */
  readonly showOwner: () => Promise<Answer<null>>
  readonly log: () => Promise<Answer<LogInShell>>
  readonly settings: () => Promise<Answer<SettingsInShell>>
  readonly changeSettings: (patch: SettingsPatch) => Promise<Answer<SettingsInShell>>
  /** Shows a test notification. Answers with the problem that the system reports, if any. */
  readonly testNotice: () => Promise<Answer<{ readonly problem: NoticeProblem | null }>>
  readonly checkUpdates: () => Promise<Answer<null>>
  /** `waits`: installs when nothing runs on this device. */
  readonly installUpdate: () => Promise<Answer<"installing" | "waits" | "not_ready">>
  readonly removeCrashFiles: () => Promise<Answer<null>>
}

/** Topics that the console reads again. */
export const computerTopics = ["device", "log", "settings"] as const
export type ComputerTopic = typeof computerTopics[number]
