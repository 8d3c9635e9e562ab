/**
 * The log of connection changes and their causes: changes of state, sleep, and network, kept over restarts, bounded,
 * and masked before they are stored. Spec: reference/desktop.md "Connection log", "E18: crash and support files".
 */
import { Schema } from "effect"
import { fingerprint } from "../../bridge/fingerprint.ts"
import type { HubState } from "../../bridge/hub-state.ts"
import type { LogEntry } from "../../bridge/this-computer.ts"
import { makeMask } from "../../device/results/masker.ts"
import { keptFile } from "../platform/kept-file.ts"
import { plainLine } from "../platform/plain-text.ts"

export const entriesMax = 500
const detailLengthMax = 300
/** Delay before a change is written to the disk; the last changes are written when the app ends. */
export const writeMillis = 2_000

const Entry = Schema.Struct({
  at: Schema.Number,
  about: Schema.optionalKey(Schema.String),
  event: Schema.String,
  detail: Schema.optionalKey(Schema.String),
  times: Schema.optionalKey(Schema.Int)
})
const Kept = Schema.Struct({ version: Schema.Literal(1), entries: Schema.Array(Entry) })

export interface ConnectionLog {
  readonly write: (event: string, options?: { readonly about?: string; readonly detail?: string }) => void
  /** Oldest first. */
  readonly entries: (about?: string) => ReadonlyArray<LogEntry>
  readonly subscribe: (listener: () => void) => () => void
  /** Writes pending entries to the disk. */
  readonly flush: () => void
}

export interface ConnectionLogOptions {
  readonly path: string
  /**
   * Values that must not be logged, such as credentials in addresses. Text in a known token format is always masked.
   */
  readonly secrets?: ReadonlyArray<string>
  readonly now: () => number
  readonly after: (millis: number, act: () => void) => () => void
}

export const openConnectionLog = ({ after, now, path, secrets = [] }: ConnectionLogOptions): ConnectionLog => {
  const file = keptFile(path, Kept)
  const read = file.read()
  const mask = makeMask(secrets)
  let entries: ReadonlyArray<LogEntry> = (read.value?.entries ?? []).slice(-entriesMax)
  let cancel: (() => void) | undefined
  const listeners = new Set<() => void>()

  const flush = (): void => {
    cancel?.()
    cancel = undefined
    try {
      file.write({ version: 1, entries })
    } catch {
      // A failed write must not stop the app; the log stays in memory.
    }
  }
  const write: ConnectionLog["write"] = (event, { about, detail } = {}) => {
    // Masked before it is shortened, since a cut could hide the pattern of a secret.
    const masked = detail === undefined ? undefined : plainLine(mask.text(detail), detailLengthMax)
    const last = entries.at(-1)
    const isSame = last !== undefined && last.event === event && last.about === about && last.detail === masked
    const entry: LogEntry = {
      at: now(),
      event,
      ...(about === undefined ? {} : { about }),
      ...(masked === undefined ? {} : { detail: masked }),
      ...(isSame ? { times: (last.times ?? 1) + 1 } : {})
    }
    entries = [...isSame ? entries.slice(0, -1) : entries, entry].slice(-entriesMax)
    cancel ??= after(writeMillis, flush)
    for (const listener of listeners) listener()
  }
  if (read.aside !== undefined) write("log_unreadable", { detail: read.aside.problem })
  return {
    write,
    entries: (about) => about === undefined ? entries : entries.filter((entry) => entry.about === about),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    flush
  }
}

/** A short text for the cause of a state. */
export const causeOf = (state: HubState): string | undefined => {
  switch (state.phase) {
    case "offline":
      return state.cause
    case "signed_out":
      return state.cause
    case "stopped":
      switch (state.cause.kind) {
        case "hub_changed":
          return `hub_changed: expected ${state.cause.expected}, found ${state.cause.found}`
        case "untrusted_certificate":
          return `untrusted_certificate: ${state.cause.code}, SHA-256 ${fingerprint(state.cause.sha256)}`
        case "app_too_old":
          return `app_too_old: the hub wants ${state.cause.min_app_version}`
      }
      break
    default:
      return undefined
  }
}
