/**
 * The device agent as the desktop app runs it, forked by Node instead of Electron's utility process, and timers that a
 * test advances.
 */
import type { AgentListener, AgentProcess } from "@countersign/desktop/main/device/host"
import { type ChildProcess, fork } from "node:child_process"
import { EventEmitter } from "node:events"
import { resolve } from "node:path"

const entry = resolve(import.meta.dirname, "../../apps/desktop/src/device/app.ts")

export interface ForkedAgents {
  readonly fork: (listener: AgentListener) => AgentProcess
  /** Every process that was started, newest last. */
  readonly children: ReadonlyArray<ChildProcess>
  readonly end: () => void
}

export const forkedAgents = (): ForkedAgents => {
  const children: Array<ChildProcess> = []
  return {
    children,
    fork: (listener) => {
      const child = fork(entry, [], { stdio: ["ignore", "ignore", "inherit", "ipc"] })
      children.push(child)
      child.on("message", listener.message)
      child.on("exit", (code) => listener.exit(code))
      return {
        send: (message) => {
          if (child.connected) child.send(message, () => {})
        },
        kill: () => void child.kill("SIGKILL")
      }
    },
    end: () => {
      for (const child of children) child.kill("SIGKILL")
    }
  }
}

/** An agent process whose messages a test sends. */
export interface SpokenAgent {
  /** Messages from main. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as received over the port
  readonly messages: ReadonlyArray<any>
  readonly say: (message: object) => void
  /** Makes the process exit by itself with this code. */
  readonly end: (code: number) => void
}

/** Replaces Electron's utility processes; each one ends on request. */
export const spokenAgents = () => {
  const children: Array<SpokenAgent> = []
  return {
    children: children as ReadonlyArray<SpokenAgent>,
    fork: () => {
      const port = new EventEmitter()
      const messages: Array<{ readonly type: string }> = []
      children.push({
        messages,
        say: (message) => void port.emit("message", structuredClone(message)),
        end: (code) => void port.emit("exit", code)
      })
      return Object.assign(port, {
        pid: undefined,
        postMessage: (message: unknown) => {
          const copy = structuredClone(message) as { readonly type: string }
          messages.push(copy)
          if (copy.type === "stop") queueMicrotask(() => port.emit("exit", 0))
        },
        kill: () => port.emit("exit", null)
      })
    }
  }
}

/** Timers that run only when a test advances the time. */
export const timers = () => {
  let at = 0
  let waiting: ReadonlyArray<{ readonly at: number; readonly act: () => void }> = []
  return {
    now: () => at,
    after: (millis: number, act: () => void) => {
      const entry = { at: at + millis, act }
      waiting = [...waiting, entry]
      return () => {
        waiting = waiting.filter((each) => each !== entry)
      }
    },
    pass: (millis: number) => {
      const end = at + millis
      for (;;) {
        const due = waiting.filter((each) => each.at <= end).sort((a, b) => a.at - b.at)[0]
        if (due === undefined) break
        waiting = waiting.filter((each) => each !== due)
        at = due.at
        due.act()
      }
      at = end
    }
  }
}

/** A real timer. */
export const after = (millis: number, act: () => void): () => void => {
  const timer = setTimeout(act, millis)
  return () => clearTimeout(timer)
}
