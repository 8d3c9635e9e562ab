/**
 * Data of the app's own screens about this computer: its device, the log of its connections, and its settings. Plain
 * data.
 */
import type { SettledRules } from "@countersign/domain/device-rule-defaults"
import type { ChatSessionId, ChatTurnId } from "@countersign/domain/ids"
import type { Answer } from "./answer.ts"
import type { DeviceView } from "./device-view.ts"
import type { OfferedLocalTool } from "./local-tools.ts"
import type { AppSettings, SettingsPatch } from "./settings-schemas.ts"

export interface LogEntry {
  /** Milliseconds since 1970. */
  readonly at: number
  /** A profile's id; absent for the app or this computer. */
  readonly about?: string
  readonly event: string
  readonly detail?: string
  /** How often the same entry occurred in a row; `at` is the time of the last one. */
  readonly times?: number
}

export type PairingView =
  | { readonly kind: "none" }
  | { readonly kind: "asking" }
  /** The operator compares these with the values in the console. */
  | { readonly kind: "waiting"; readonly code: string; readonly fingerprint: string; readonly expires_at: string }
  /** `reason`: one line for a person. */
  | { readonly kind: "failed"; readonly reason: string }

export interface CrashFile {
  /** Path relative to the folder, with `/` as separator. */
  readonly name: string
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly at: number
}

export type AutostartState =
  | { readonly kind: "off" | "works" }
  /** The setting is on, and a person removed the entry in the system. */
  | { readonly kind: "gone" }
  | { readonly kind: "failed"; readonly problem: string }

export type ShortcutState = "off" | "works" | "taken" | "not_here"

/** `none_here`: the system shows no notifications. `failed`: it did not show the last one. */
export type NoticeProblem = "none_here" | "failed"

export interface PanicState {
  readonly stopped: boolean
  /** Milliseconds since 1970. */
  readonly since?: number
  /** The state could not be stored, so it would not survive a restart. */
  readonly unwritten?: true
}

/** Why this installation cannot update itself. */
export type UpdateObstacle =
  /** Started from its sources. */
  | "not_packaged"
  /** Installed by the system's package manager, which updates it. */
  | "package_manager"
  /** The author of an update cannot be verified, by the package's key or by the system. */
  | "unsigned"

export type UpdateState =
  | { readonly phase: "off"; readonly reason: "no_feed" | "bad_feed" | UpdateObstacle }
  /** `checkedAt`: milliseconds since 1970, absent before the first check. */
  | { readonly phase: "idle"; readonly checkedAt?: number }
  | { readonly phase: "checking" }
  | { readonly phase: "downloading"; readonly version: string }
  /** `waits`: a person requested the installation, and the device agent still runs a command. */
  | { readonly phase: "ready"; readonly version: string; readonly waits: boolean }
  /** Checked again at the next interval. `reason`: one line for a person. */
  | { readonly phase: "failed"; readonly reason: string; readonly since: number }

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
  /** Local tools for the next turn of a chat; empty unless the device agent runs and is connected to this hub. */
  readonly localTools: () => Promise<Answer<ReadonlyArray<OfferedLocalTool>>>
  /**
   * Runs the local tools that a turn waits for, by the device's rules, and continues the turn with their results.
   * Answers how many were answered; a denial is an answer.
   */
  readonly answerLocalTools: (ask: {
    readonly workspace: string
    readonly session: ChatSessionId
    readonly turn: ChatTurnId
  }) => Promise<Answer<{ readonly answered: number }>>
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
