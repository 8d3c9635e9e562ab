/**
 * Runs the agent as a child process: starts, stops, and restarts it, and relays its questions. The process is behind a
 * port: a utility process in Electron, a forked Node in tests. Its messages are trusted only as statements about
 * itself; its questions end with the process.
 */
import { Result, Schema } from "effect"
import { existsSync } from "node:fs"
import { type DeviceFailure, deviceOff, type DeviceView } from "../../bridge/device-view.ts"
import { FromAgent, type LocalCall, type ToAgent } from "../../device/app-port.ts"
import type { Ending } from "../../device/command-ending.ts"
import { interruptedEnding } from "../../device/endings.ts"
import { type ExitCode, exitCodes } from "../../device/exits.ts"
import { openJournal } from "../../device/journal.ts"
import { killTree } from "../../device/programs/process-tree.ts"
import { files, openStateFolder, readIdentity, readKey } from "../../device/state.ts"
import { wordsOf } from "../platform/error-words.ts"
import type { Consent } from "./consent.ts"

const backoffFirstMillis = 1_000
const backoffMostMillis = 30_000
/**
 * Pauses before reading a keychain again that is still locked, as at login; not more often, since each attempt may
 * prompt the owner for a password.
 */
const keychainMillis = [5_000, 30_000, 120_000]
/** The agent must confirm a panic stop within this time; otherwise it is killed with its process trees. */
export const panicMillis = 1_000
/** Longer than the agent's own 30 s of draining. */
const stopMillis = 35_000

export interface AgentProcess {
  readonly send: (message: ToAgent) => void
  /** Kills the process immediately. */
  readonly kill: () => void
}

export interface AgentListener {
  readonly message: (message: unknown) => void
  /** Called once, for any kind of exit. */
  readonly exit: (code: number | null) => void
}

export interface DeviceKeys {
  /** Undefined when the keychain has no item. Rejects when the keychain does not answer. */
  readonly read: () => Promise<string | undefined>
  readonly forget: () => Promise<void>
}

export interface HostOptions {
  readonly fork: (listener: AgentListener) => AgentProcess
  /** The agent's state folder. */
  readonly folder: string
  readonly keys: DeviceKeys
  readonly consent: Pick<Consent, "agentGone" | "ask" | "withdraw">
  readonly after: (millis: number, act: () => void) => () => void
  readonly random: () => number
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

export interface DeviceHost {
  readonly view: () => DeviceView
  readonly subscribe: (listener: (view: DeviceView) => void) => () => void
  /** `takeOver`: a person reactivates this device although another copy replaced it. */
  readonly start: (options?: { readonly takeOver?: boolean }) => Promise<void>
  /**
   * Resolves when the agent has ended; running commands get at most 30 s. A further call waits for the same end and
   * does not shorten it.
   */
  readonly stop: () => Promise<void>
  /**
   * Files that the agent reads at its start have changed: ends a running agent like `stop` and starts it again in the
   * same state.
   */
  readonly reload: () => Promise<void>
  /**
   * Runs a local tool of a chat under the device's rules. Without a running agent, or while it is paused, the call is
   * denied.
   */
  readonly runLocal: (call: LocalCall) => Promise<Ending>
  /** Accepts no new commands until `start`, or until the time `until`. */
  readonly pause: (until?: number) => void
  /** Kills all running commands at once; resolves when none is left. Later starts are paused. */
  readonly panic: () => Promise<void>
  /** A person resumed. */
  readonly release: () => Promise<void>
  /** Call before the first start when an earlier panic stop still applies. */
  readonly holdStopped: () => void
  /** The agent has ended and its pairing was deleted. */
  readonly unpaired: () => void
  /** The computer woke up, was unlocked, or has a network again: retries at once instead of waiting. */
  readonly wake: () => void
}

const decode = Schema.decodeUnknownResult(FromAgent)

const failures: Partial<Record<ExitCode, DeviceFailure>> = {
  [exitCodes.configuration]: "configuration",
  [exitCodes.superseded]: "superseded",
  [exitCodes.revoked]: "revoked"
}

interface Child {
  readonly process: AgentProcess
  readonly ended: Promise<void>
  readonly end: () => void
  reason: string | undefined
  /** The agent was sent `stop`; resolves when it has ended. */
  leaving: Promise<void> | undefined
  /** The agent was sent `panic`; resolves when no command is left. */
  halting: Promise<void> | undefined
  panicked: (() => void) | undefined
  /** Local calls of chats without a result. */
  readonly locals: Map<string, (ending: Ending) => void>
}

/** Kills the process trees that a killed agent left running: those of every command without an end in the journal. */
const endLeftBehind = async (folder: string): Promise<void> => {
  if (!existsSync(folder)) return
  const state = openStateFolder(folder)
  if (!existsSync(state.file(files.journal))) return
  const journal = openJournal(state.file(files.journal))
  try {
    for (const { id, lease } of journal.open()) {
      await killTree(id, undefined)
      journal.end(id, "", lease, interruptedEnding)
    }
  } finally {
    journal.close()
  }
}

export const makeDeviceHost = ({ after, consent, folder, fork, keys, log, random }: HostOptions): DeviceHost => {
  let view: DeviceView = deviceOff
  let wanted: "off" | "on" | "paused" = "off"
  let stopped = false
  let child: Child | undefined
  let tries = 0
  let keychainTries = 0
  let cancelRetry = (): void => {}
  let cancelPause = (): void => {}
  /** End of the requested pause; undefined: until a person resumes. */
  let pauseEnds: number | undefined
  /** Number of the latest start: reading a key takes time, and a later request may have replaced this one. */
  let turn = 0
  /** Number of the latest request. */
  let intent = 0
  /** Resolves when the trees that were left running are killed; the journal is locked until then. */
  let clearing: Promise<void> = Promise.resolve()
  const listeners = new Set<(view: DeviceView) => void>()

  const show = (
    next: Omit<DeviceView, "since" | "running" | "pausedUntil"> & { readonly running?: ReadonlyArray<string> }
  ): void => {
    const { failure, phase, reason, retryAt, running = [] } = next
    const name = phase === "unpaired" ? undefined : next.name ?? view.name
    const pausedUntil = phase === "paused" ? pauseEnds : undefined
    view = {
      phase,
      running,
      since: view.phase === phase ? view.since : Date.now(),
      ...(name === undefined ? {} : { name }),
      ...(failure === undefined ? {} : { failure }),
      ...(reason === undefined ? {} : { reason }),
      ...(retryAt === undefined ? {} : { retryAt }),
      ...(pausedUntil === undefined ? {} : { pausedUntil })
    }
    for (const listener of listeners) listener(view)
  }

  const onMessage = (from: Child, data: unknown): void => {
    const decoded = decode(data)
    if (Result.isFailure(decoded) || child !== from) return
    const message = decoded.success
    switch (message.type) {
      case "state": {
        if (message.connected) tries = 0
        const phase = stopped
          ? "stopped"
          : message.status === "draining"
          ? "ending"
          : wanted === "paused"
          ? "paused"
          : message.connected
          ? "online"
          : "offline"
        return show({ phase, running: message.running })
      }
      case "ask": {
        const { type: _, ...question } = message
        return consent.ask(question, (answer) => {
          if (child === from) {
            from.process.send({ type: "answer", question: question.question, digest: question.digest, answer })
          }
        })
      }
      case "question_ended":
        return consent.withdraw(message.question)
      case "local_done":
        return from.locals.get(message.call)?.(message.ending)
      case "panicked":
        return from.panicked?.()
      case "ended": {
        from.reason = message.reason
        return
      }
    }
  }

  const clear = (): Promise<void> => {
    clearing = clearing.then(() => endLeftBehind(folder)).catch((error: unknown) => {
      log("left_behind", { problem: wordsOf(error) })
    })
    return clearing
  }

  const exited = (from: Child, code: number | null): void => {
    from.end()
    for (const give of from.locals.values()) give(interruptedEnding)
    if (child !== from) return
    child = undefined
    consent.agentGone()
    log("agent_ended", { code, ...(from.reason === undefined ? {} : { reason: from.reason }) })
    // Commands that it should have killed may still run.
    if (from.halting !== undefined) void clear()
    if (wanted === "off") return show({ phase: stopped ? "stopped" : "off" })
    const failure = failures[code as ExitCode]
    if (failure !== undefined) {
      wanted = "off"
      if (failure === "revoked") {
        keys.forget().catch((error: unknown) => log("key_not_forgotten", { problem: String(error) }))
      }
      return show({ phase: "failed", failure, ...(from.reason === undefined ? {} : { reason: from.reason }) })
    }
    // Requested again while it ended; or killed by a panic stop, after which a new agent without commands reports to
    // the hub.
    if (from.leaving !== undefined || from.halting !== undefined) return void begin(false)
    const millis = random() * Math.min(backoffMostMillis, backoffFirstMillis * 2 ** Math.min(tries++, 10))
    const reason = from.reason === undefined ? {} : { reason: from.reason }
    show({ phase: stopped ? "stopped" : "restarting", retryAt: Date.now() + millis, ...reason })
    cancelRetry()
    cancelRetry = after(millis, () => void begin(false))
  }

  const fail = (failure: DeviceFailure, reason: string): void => {
    wanted = "off"
    show({ phase: "failed", failure, reason })
  }

  /** The agent stays requested and starts when the keychain is open. */
  const lockedOut = (reason: string): void => {
    const millis = keychainMillis[keychainTries++]
    show({
      phase: "failed",
      failure: "keychain",
      reason,
      ...(millis === undefined ? {} : { retryAt: Date.now() + millis })
    })
    if (millis !== undefined) cancelRetry = after(millis, () => void begin(false))
  }

  /** Never rejects; an obstacle is shown in the view. */
  const begin = async (takeOver: boolean): Promise<void> => {
    const mine = ++turn
    cancelRetry()
    if (child !== undefined) return
    let key: string | undefined
    let name: string
    try {
      const state = openStateFolder(folder)
      const identity = readIdentity(state)
      if (identity === undefined) {
        wanted = "off"
        return show({ phase: "unpaired" })
      }
      name = identity.name
      show({ phase: stopped ? "stopped" : wanted === "paused" ? "paused" : "starting", name })
      try {
        key = await keys.read()
      } catch (error) {
        // A device that was paired from a terminal has its key in a file.
        if (readKey(state) === undefined) {
          if (mine === turn && wanted !== "off") {
            lockedOut(`The keychain does not give the device's key: ${wordsOf(error)}`)
          }
          return
        }
      }
      keychainTries = 0
      await clearing
      if (mine !== turn || child !== undefined || wanted === "off") return
      if (key === undefined && readKey(state) === undefined) {
        return fail("no_key", "There is no key of this device: pair it again")
      }
    } catch (error) {
      return fail("configuration", wordsOf(error))
    }
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    let made: Child | undefined
    let process: AgentProcess
    try {
      process = fork({
        message: (message) => {
          if (made !== undefined) onMessage(made, message)
        },
        exit: (code) => {
          if (made !== undefined) exited(made, code)
        }
      })
    } catch (error) {
      return fail("configuration", wordsOf(error))
    }
    made = {
      process,
      ended,
      end,
      reason: undefined,
      leaving: undefined,
      halting: undefined,
      panicked: undefined,
      locals: new Map()
    }
    child = made
    const paused = stopped || wanted === "paused"
    log("agent_started", { paused })
    process.send({ type: "start", folder, ...(key === undefined ? {} : { key }), paused, take_over: takeOver })
  }

  /** Once per child, for all callers: the screen, a quit, and a reload. */
  const leave = async ({ ended, process }: Child): Promise<void> => {
    process.send({ type: "stop" })
    const cancel = after(stopMillis, process.kill)
    await ended
    cancel()
  }
  const end = async (): Promise<void> => {
    turn++
    cancelRetry()
    if (child !== undefined) await (child.leaving ??= leave(child))
  }

  /** An unpaused start requires a new process, since a process cannot leave the paused state. */
  const restart = async (as: "on" | "paused" = "on"): Promise<void> => {
    const mine = ++intent
    wanted = "off"
    await end()
    if (mine !== intent) return
    wanted = as
    await begin(false)
  }

  const endPauseInTime = (): void => {
    cancelPause()
    if (wanted !== "paused" || pauseEnds === undefined) return
    cancelPause = after(Math.max(0, pauseEnds - Date.now()), () => {
      if (wanted === "paused" && !stopped) void restart()
    })
  }

  /** Starts in the same state: a paused agent stays paused until its pause ends. */
  const renew = async (): Promise<void> => {
    const as = wanted === "paused" && (pauseEnds === undefined || pauseEnds > Date.now()) ? "paused" : "on"
    await restart(as)
    endPauseInTime()
  }

  /** Once per child: it reports once that nothing runs, and starts nothing afterwards. */
  const halt = async (killed: Child): Promise<void> => {
    const how = await new Promise<"panicked" | "ended" | "late">((resolve) => {
      const late = after(panicMillis, () => resolve("late"))
      killed.panicked = () => {
        late()
        resolve("panicked")
      }
      void killed.ended.then(() => {
        late()
        resolve("ended")
      })
      killed.process.send({ type: "panic" })
    })
    if (how === "late") {
      log("agent_killed", { why: "it did not stop in time" })
      killed.process.kill()
      await killed.ended
    }
    if (how !== "panicked") await clearing
    if (stopped) show({ phase: "stopped" })
  }

  return {
    view: () => view,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    start: async ({ takeOver = false } = {}) => {
      cancelPause()
      pauseEnds = undefined
      if (wanted === "paused" && child !== undefined && !stopped) return await restart()
      intent++
      wanted = "on"
      keychainTries = 0
      await begin(takeOver)
    },
    stop: async () => {
      cancelPause()
      const mine = ++intent
      wanted = "off"
      await end()
      if (mine === intent) show({ phase: stopped ? "stopped" : "off" })
    },
    reload: async () => {
      if (child !== undefined && wanted !== "off") await renew()
    },
    runLocal: (call) => {
      const running = child
      if (running === undefined || stopped || wanted !== "on") {
        const message = "This computer runs no commands now."
        return Promise.resolve({ outcome: "denied", error: { code: "device_off", message } })
      }
      return new Promise<Ending>((resolve) => {
        const others = running.locals.get(call.call)
        running.locals.set(call.call, (ending) => {
          running.locals.delete(call.call)
          others?.(ending)
          resolve(ending)
        })
        running.process.send({ type: "local", ...call })
      })
    },
    pause: (until) => {
      if (wanted === "off" || stopped) return
      wanted = "paused"
      pauseEnds = until
      child?.process.send({ type: "pause" })
      show({ phase: "paused", running: view.running })
      endPauseInTime()
    },
    panic: async () => {
      stopped = true
      cancelPause()
      show({ phase: "stopped", running: view.running })
      // The agent may have exited just now while its commands still run.
      await (child === undefined ? clear() : child.halting ??= halt(child))
    },
    release: async () => {
      if (!stopped) return
      stopped = false
      if (wanted === "off") return show({ phase: "off" })
      await renew()
    },
    holdStopped: () => {
      stopped = true
      show({ phase: "stopped" })
    },
    unpaired: () => show({ phase: "unpaired" }),
    wake: () => {
      child?.process.send({ type: "wake" })
      // The timer stopped while the computer slept.
      if (pauseEnds !== undefined && pauseEnds <= Date.now()) endPauseInTime()
      if (view.failure === "keychain") void begin(false)
    }
  }
}
