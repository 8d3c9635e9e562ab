/** What the app's own screens show of this computer: it as a device, what became of its connections, its settings. Plain data. */
import type { SettledRules } from "@countersign/domain/device-rule-defaults"
import type { LogEntry } from "../main/connection-log/log.ts"
import type { PairingView } from "../main/device/pairing.ts"
import type { DeviceView } from "../main/device/view.ts"
import type { CrashFile } from "../main/electron/crash-files.ts"
import type { AutostartState } from "../main/electron/presence.ts"
import type { ShortcutState } from "../main/electron/shortcuts.ts"
import type { NoticeProblem } from "../main/notices/bell.ts"
import type { PanicState } from "../main/panic.ts"
import type { AppSettings, SettingsPatch } from "../main/settings.ts"
import type { UpdateState } from "../main/updates.ts"
import type { Answer } from "./contract.ts"

export interface DeviceInShell {
  readonly view: DeviceView
  readonly panic: PanicState
  readonly pairing: PairingView
  /** Null: this computer is lent to no hub. */
  readonly paired: {
    readonly device_id: string
    readonly name: string
    readonly hub: string
    readonly fingerprint: string | null
    readonly roots: ReadonlyArray<string>
    readonly paired_at: string
  } | null
  /** Of its own files. */
  readonly problem: string | null
  /** Null: there is no file of them. They outlive a pairing. */
  readonly rules: ({ readonly count: number } & SettledRules) | { readonly problem: string } | null
  /** Commands that wait for a person here; they are answered in the owner's window. */
  readonly questions: number
  /** The last of the agent's log, of earlier starts too, the newest last, masked. */
  readonly lines: ReadonlyArray<string>
  readonly with_app: boolean
  /** Of this computer in its network. */
  readonly host_name: string
}

export interface LogInShell {
  /** Oldest first; `about` is a profile's name, or null: this app. */
  readonly entries: ReadonlyArray<Omit<LogEntry, "about"> & { readonly about: string | null }>
  /** What "copy as support text" copies. */
  readonly support_text: string
}

export interface SettingsInShell {
  readonly settings: AppSettings
  readonly shortcuts: { readonly open: ShortcutState; readonly panic: ShortcutState }
  readonly autostart: AutostartState
  /** Of the last notification. */
  readonly notice_problem: NoticeProblem | null
  readonly has_tray: boolean
  /** A file of settings that could not be read went there. */
  readonly set_aside: string | null
  readonly app_version: string
  readonly update: UpdateState
  readonly crash: {
    readonly is_keeping: boolean
    readonly problem: string | null
    readonly folder: string
    /** The newest first. */
    readonly files: ReadonlyArray<CrashFile>
  }
}

/** What of the shell concerns this computer and no hub. */
export interface BridgedComputer {
  readonly device: () => Promise<Answer<DeviceInShell>>
  /** It works now and starts with the app, or neither. */
  readonly setDevice: (ask: { readonly on: boolean }) => Promise<Answer<null>>
  /** Takes nothing new for so long; null: until it is resumed. */
  readonly pauseDevice: (ask: { readonly minutes: number | null }) => Promise<Answer<null>>
  readonly resumeDevice: () => Promise<Answer<null>>
  /** Another copy took its place: it takes it back, and the other ends. */
  readonly bringBackDevice: () => Promise<Answer<null>>
  /** Lends this computer to the hub that the window shows. */
  readonly pairDevice: (ask: { readonly name: string }) => Promise<Answer<null>>
  readonly cancelPairing: () => Promise<Answer<null>>
  readonly unpairDevice: () => Promise<Answer<null>>
  /** Stops all of it at once. Resuming is for the owner's window alone. */
  readonly panic: () => Promise<Answer<null>>
  /** Brings that window to the front: what is in it no page can press. */
  readonly showOwner: () => Promise<Answer<null>>
  readonly log: () => Promise<Answer<LogInShell>>
  readonly settings: () => Promise<Answer<SettingsInShell>>
  readonly changeSettings: (patch: SettingsPatch) => Promise<Answer<SettingsInShell>>
  /** Shows one as it shows what waits. The problem that the system tells of, if it does. */
  readonly testNotice: () => Promise<Answer<{ readonly problem: NoticeProblem | null }>>
  readonly checkUpdates: () => Promise<Answer<null>>
  /** `waits`: until nothing runs on this device. */
  readonly installUpdate: () => Promise<Answer<"installing" | "waits" | "not_ready">>
  readonly removeCrashFiles: () => Promise<Answer<null>>
}

/** What is to be asked for anew. */
export const computerTopics = ["device", "log", "settings"] as const
export type ComputerTopic = typeof computerTopics[number]
