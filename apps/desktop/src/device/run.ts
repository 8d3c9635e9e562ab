/**
 * `run`: connects this device and executes commands until it is stopped. It reconnects without end, and exits when
 * another copy replaced it, when it was revoked, or when the hub does not speak its protocol. Spec:
 * reference/devices.md "Agent process".
 */
import { protocolVersion } from "@countersign/domain/device-protocol"
import { randomUUID } from "node:crypto"
import { existsSync, realpathSync, rmSync } from "node:fs"
import { availableParallelism, freemem, loadavg, totalmem } from "node:os"
import { appVersion } from "../version.ts"
import { type Agent, makeAgent } from "./agent.ts"
import { trustAuthority } from "./authority.ts"
import { nextTry } from "./backoff.ts"
import type { Ask } from "./consent.ts"
import { interruptedEnding } from "./endings.ts"
import { Exit, type ExitCode, exitCodes, misconfigured } from "./exits.ts"
import { makePlaces } from "./files/places.ts"
import { openJournal } from "./journal.ts"
import { openLog } from "./log.ts"
import { resolveRoots } from "./pairing.ts"
import { withheldValues } from "./programs/environment.ts"
import { killTree } from "./programs/process-tree.ts"
import { makeMask } from "./results/masker.ts"
import { readRules } from "./rules-file.ts"
import { deleteKey, files, readIdentity, readKey, type StateFolder, writePrivate } from "./state.ts"
import type { Health } from "./status.ts"
import { offered } from "./tools/registry.ts"
import { openTranscripts } from "./transcripts.ts"
import { makeTransports } from "./transports.ts"
import { watchWakes } from "./wake.ts"

const drainMillis = 30_000
/** Time for the hub to answer after a wake. */
const probeMillis = 5_000

export interface RunOptions {
  /** Replaces the roots of the pairing. */
  readonly roots: ReadonlyArray<string>
  /** Exits after one command, or at once when the hub is unreachable. */
  readonly once: boolean
  readonly takeOver: boolean
  readonly print: (line: string) => void
  /** Drains and then exits; `kill` ends running commands at once. */
  readonly drain: AbortSignal
  readonly kill: AbortSignal
  /** Set inside the desktop app. */
  readonly app?: AppSide
}

export interface AgentState {
  readonly connected: boolean
  readonly status: "online" | "draining" | "paused"
  /** Command ids. */
  readonly running: ReadonlyArray<string>
}

/** Values and functions that the desktop app provides. */
export interface AppSide {
  /** From the keychain; otherwise the folder's key is used. */
  readonly key?: string
  /** Requests approval on the local screen. */
  readonly screen: Ask
  /**
   * Accepts no new commands and reports it to the hub; running commands continue. Lasts until the agent is restarted.
   */
  readonly pause: AbortSignal
  /** Kills every process tree at once, then pauses. */
  readonly panic: AbortSignal
  readonly onPanicked: () => void
  /**
   * Registers a listener for wakes and network changes that the app detects; the agent then connects to the hub at
   * once.
   */
  readonly onWake: (listener: () => void) => void
  readonly onState: (state: AgentState) => void
  /** Registers how the app's local calls are run. */
  readonly onLocalCalls: (run: Agent["runLocal"]) => void
}

/** Rejects with an `Exit` when it cannot start. */
export const run = async (
  folder: StateFolder,
  { app, drain, kill, once, print, roots, takeOver }: RunOptions
): Promise<ExitCode> => {
  const identity = readIdentity(folder)
  const credential = app?.key === undefined ? readKey(folder) : { key: app.key, from: "the keychain" }
  if (identity === undefined || credential === undefined) {
    throw misconfigured(`Nothing is paired in ${folder.path}; begin with: device pair --hub <address>`)
  }
  if (existsSync(folder.file(files.superseded)) && !takeOver) {
    const way = app === undefined ? ". A person can reactivate this one with --take-over, or pair it again" : ""
    throw new Exit(exitCodes.superseded, `Another copy of this device took over${way}`)
  }
  const read = readRules(folder)
  if ("problem" in read) throw misconfigured(read.problem)
  const { environment = [], timeout_seconds_max: timeoutSecondsMax } = read.rules
  trustAuthority(identity.ca)
  const mask = makeMask([credential.key, ...withheldValues(environment)])
  const opened = resolveRoots(roots.length > 0 ? roots : identity.roots)
  const journal = openJournal(folder.file(files.journal))
  const log = openLog(folder.file(files.log), {
    mask: mask.text,
    print: (line) => {
      print(line)
      reportToApp()
    }
  })
  const places = makePlaces(opened, [realpathSync(folder.path)])
  const transcripts = openTranscripts(folder.file(files.transcripts), {
    mask: mask.text,
    onProblem: (id, problem) => log.write("output_not_kept", { command_id: id, problem })
  })
  let status: AgentState["status"] = "online"
  let isConnected = (): boolean => false
  const reportToApp = (): void =>
    app?.onState({
      connected: isConnected(),
      status,
      running: [...agent.running().map(({ command_id: id }) => id), ...agent.localRunning()]
    })
  const boot = randomUUID()
  const finished = new AbortController()
  const agent = makeAgent({
    journal,
    log,
    mask,
    places,
    transcripts,
    rules: () => readRules(folder),
    copies: folder.file(files.copies),
    ...(app === undefined ? {} : { screen: app.screen }),
    onReported: () => {
      reportToApp()
      if (once) finished.abort()
    }
  })
  rmSync(folder.file(files.superseded), { force: true })
  log.write("started", {
    version: appVersion,
    device_id: identity.device_id,
    hub: identity.hub,
    key_from: credential.from,
    roots: opened,
    boot_id: boot
  })

  // Ends the processes that a crash left behind before any command begins.
  for (const { id, lease } of journal.open()) {
    await killTree(id, undefined)
    journal.end(id, "", lease, interruptedEnding)
    log.write("command_interrupted", { command_id: id })
  }

  const report = () => ({
    app_version: appVersion,
    instance_id: identity.instance_id,
    boot_id: boot,
    status,
    running: agent.running(),
    roots: opened,
    load: {
      processors: availableParallelism(),
      busy: loadavg()[0] ?? 0,
      memory_bytes: totalmem(),
      memory_used_bytes: totalmem() - freemem()
    },
    ...(timeoutSecondsMax === undefined ? {} : { timeout_seconds_max: timeoutSecondsMax })
  })
  const health = () => {
    try {
      writePrivate(
        folder.file(files.health),
        `${
          JSON.stringify(
            {
              at: new Date().toISOString(),
              pid: process.pid,
              via: transports.via() ?? null,
              status,
              running: agent.running().length
            } satisfies Health
          )
        }\n`
      )
    } catch (error) {
      log.write("health_failed", { problem: (error as Error).message })
    }
  }

  const leaving = new AbortController()
  const wakes = watchWakes({
    onWake: (why) => {
      log.write("woke", { why })
      // A connection without an answer between two heartbeats is closed.
      transports.beat()
      setTimeout(() => transports.beat(), probeMillis).unref()
    }
  })
  const transports = makeTransports({
    link: {
      hub: identity.hub,
      device: identity.device_id,
      key: credential.key,
      tools: offered,
      report,
      onBeat: () => health()
    },
    agent,
    log,
    wakes,
    signal: leaving.signal,
    onWelcome: ({ min_app_version, session_id }, via) => {
      log.write("connected", { via, session_id, update_required: olderThan(appVersion, min_app_version) })
      health()
    }
  })
  isConnected = () => transports.via() !== undefined
  app?.onWake(wakes.wake)
  app?.onLocalCalls(agent.runLocal)
  const pause = (): void => {
    if (status === "online") status = "paused"
    agent.closeIntake()
    transports.beat()
    reportToApp()
  }
  const panic = (): void => {
    const killed = agent.killAll()
    pause()
    void killed.then(() => {
      log.write("panicked", {})
      transports.beat()
      app?.onPanicked()
    })
  }
  for (const [signal, act] of [[app?.pause, pause], [app?.panic, panic]] as const) {
    if (signal?.aborted === true) act()
    else signal?.addEventListener("abort", act, { once: true })
  }

  const stay = async (): Promise<ExitCode> => {
    for (let failures = 0;;) {
      const { end, via, welcomed } = await transports.untilDisconnected()
      if (leaving.signal.aborted) return exitCodes.done
      failures = welcomed ? 1 : failures + 1
      const next = nextTry(end, failures, Math.random())
      log.write("disconnected", {
        via,
        ...end,
        ...(next.kind === "again" ? { again_in_ms: Math.round(next.millis) } : { because: next.kind })
      })
      health()
      switch (next.kind) {
        case "again":
          if (once && !welcomed) return exitCodes.retryable
          await wakes.pause(next.millis, leaving.signal)
          if (leaving.signal.aborted) return exitCodes.done
          break
        case "revoked":
          await agent.killAll()
          deleteKey(folder)
          return exitCodes.revoked
        case "superseded":
          await agent.killAll()
          // Without this file a supervisor would restart the agent, which would take its place back.
          try {
            writePrivate(folder.file(files.superseded), `${JSON.stringify({ at: new Date().toISOString() })}\n`)
          } catch (error) {
            log.write("superseded_unwritten", { problem: (error as Error).message })
          }
          log.write("superseded", {
            message: "Another copy of this device took its place; the hub's audit log names its address"
          })
          return exitCodes.superseded
        case "protocol":
          await agent.finish(drainMillis)
          log.write("protocol", { message: `The hub does not speak protocol ${protocolVersion}; update one of both` })
          return exitCodes.configuration
        case "refused":
          agent.closeIntake()
          await agent.finish(drainMillis)
          log.write("key_refused", { message: "The hub does not take this device's key; unpair and pair again" })
          return exitCodes.configuration
      }
    }
  }

  const aborted = (signal: AbortSignal) =>
    new Promise<void>((resolve) =>
      signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve(), { once: true })
    )
  const leave = async (): Promise<ExitCode> => {
    await Promise.race([aborted(drain), aborted(kill), aborted(finished.signal)])
    status = "draining"
    agent.closeIntake()
    log.write("draining", { running: agent.running().length })
    transports.beat()
    await Promise.race([agent.finish(drainMillis), aborted(kill).then(() => agent.finish(0))])
    return exitCodes.done
  }

  try {
    const code = await Promise.race([stay(), leave()])
    log.write("stopped", { code })
    return code
  } finally {
    leaving.abort()
    wakes.close()
    agent.close()
    journal.close()
    transcripts.close()
    rmSync(folder.file(files.health), { force: true })
    log.close()
  }
}

const olderThan = (version: string, minimum: unknown): boolean => {
  if (typeof minimum !== "string") return false
  const [a, b] = [version, minimum].map((text) => text.split(".").map(Number))
  for (const at of [0, 1, 2]) if (a![at] !== b![at]) return (a![at] ?? 0) < (b![at] ?? 0)
  return false
}
