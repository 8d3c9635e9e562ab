/**
 * Panic stop: consent to nothing, every running tree killed, the hub told `paused` when it can be reached; without a hub, too. It
 * is written down, and holds over a restart until a person resumes at this computer. What cannot be read of it counts as stopped.
 * Spec: desktop 4.2.
 */
import { Schema } from "effect"
import type { Consent } from "./device/consent.ts"
import type { DeviceHost } from "./device/host.ts"
import { wordsOf } from "./error-words.ts"
import { keptFile } from "./kept-file.ts"

const Kept = Schema.Struct({ version: Schema.Literal(1), stopped_at: Schema.NullOr(Schema.Number) })

export interface PanicState {
  readonly stopped: boolean
  /** Milliseconds since 1970. */
  readonly since?: number
  /** It could not be written down: it would not hold over a restart. */
  readonly unwritten?: true
}

export interface Panic {
  readonly state: () => PanicState
  readonly subscribe: (listener: (state: PanicState) => void) => () => void
  /** Nothing of it waits: what it does is begun when it returns; settles when nothing runs any more. Again is nothing new. */
  readonly stop: (by: "tray" | "shortcut" | "menu" | "window" | "console") => Promise<void>
  /** By a person, in the window of its own. Rejects when it cannot be written down: then it stays stopped. */
  readonly resume: () => Promise<void>
}

export interface PanicOptions {
  readonly path: string
  readonly host: Pick<DeviceHost, "holdStopped" | "panic" | "release">
  readonly consent: Pick<Consent, "setStopped">
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

/** To be made before the agent is started. */
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
