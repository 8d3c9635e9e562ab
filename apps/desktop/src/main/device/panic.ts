/**
 * Panic stop: denies all consent, kills every running process tree, and reports `paused` to the hub if it is reachable;
 * it works without a hub. The state is stored and survives restarts until a person resumes at this computer. An
 * unreadable state counts as stopped. Spec: reference/desktop.md "Emergency stop".
 */
import { Schema } from "effect"
import type { PanicState } from "../../bridge/this-computer.ts"
import { wordsOf } from "../platform/error-words.ts"
import { keptFile } from "../platform/kept-file.ts"
import type { Consent } from "./consent.ts"
import type { DeviceHost } from "./host.ts"

const Kept = Schema.Struct({ version: Schema.Literal(1), stopped_at: Schema.NullOr(Schema.Number) })

export interface Panic {
  readonly state: () => PanicState
  readonly subscribe: (listener: (state: PanicState) => void) => () => void
  /** Takes effect before it returns; the promise resolves when no command runs. Further calls have no effect. */
  readonly stop: (by: "tray" | "shortcut" | "menu" | "window" | "console") => Promise<void>
  /**
   * Called by a person in the owner's window. Rejects when the state cannot be stored; the device then stays stopped.
   */
  readonly resume: () => Promise<void>
}

export interface PanicOptions {
  readonly path: string
  readonly host: Pick<DeviceHost, "holdStopped" | "panic" | "release">
  readonly consent: Pick<Consent, "setStopped">
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

/** Call before the agent is started. */
export const makePanic = ({ consent, host, log, path }: PanicOptions): Panic => {
  const file = keptFile(path, Kept)
  const listeners = new Set<(state: PanicState) => void>()
  const read = file.read()
  let state: PanicState = { stopped: false }
  const set = (next: PanicState): void => {
    state = next
    for (const listener of listeners) listener(state)
  }
  const write = (stoppedAt: number | null): void => file.write({ version: 1, stopped_at: stoppedAt })
  const hold = (since: number): void => {
    try {
      write(since)
      set({ stopped: true, since })
    } catch (error) {
      log("panic_not_written", { problem: wordsOf(error) })
      set({ stopped: true, since, unwritten: true })
    }
  }

  if (read.aside !== undefined) log("panic_unreadable", { ...read.aside })
  const since = read.aside === undefined ? read.value?.stopped_at ?? undefined : Date.now()
  if (since !== undefined) {
    consent.setStopped(true)
    host.holdStopped()
    hold(since)
  }

  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    stop: async (by) => {
      if (state.stopped && state.unwritten !== true) return await host.panic()
      consent.setStopped(true)
      const killed = host.panic()
      hold(Date.now())
      log("panic_stop", { by })
      await killed
    },
    resume: async () => {
      if (!state.stopped) return
      write(null)
      consent.setStopped(false)
      set({ stopped: false })
      log("panic_resumed", {})
      await host.release()
    }
  }
}
