/**
 * The agent as a utility process of Electron, without running the app's binary as Node. Spec: reference/desktop.md "E9:
 * fuses".
 */
import type { AgentListener, AgentProcess } from "../device/host.ts"

interface UtilityChild {
  /** Undefined before the spawn and after the exit. */
  readonly pid?: number | undefined
  readonly postMessage: (message: unknown) => void
  readonly kill: () => boolean
  readonly on: (event: "message" | "exit", listener: (value: never) => void) => unknown
}

/** Electron's `utilityProcess`. */
export interface UtilityProcesses {
  readonly fork: (modulePath: string, args?: Array<string>, options?: {
    readonly serviceName?: string
    readonly stdio?: "ignore" | "inherit" | "pipe"
    readonly env?: Record<string, string>
  }) => UtilityChild
}

const closed = /^(?:NODE_OPTIONS|ELECTRON_RUN_AS_NODE|LD_PRELOAD|DYLD_)/u

/** `entry`: the built `device/app`. Its environment is the app's, without variables that change how Node runs it. */
export const forkUtility = (
  utilityProcess: UtilityProcesses,
  entry: string,
  environment: NodeJS.ProcessEnv = process.env,
  killAtOnce: (pid: number) => void = (pid) => void process.kill(pid, "SIGKILL")
) =>
(listener: AgentListener): AgentProcess => {
  const env = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || closed.test(name) ? [] : [[name, value]]
    )
  )
  const child = utilityProcess.fork(entry, [], { serviceName: "Countersign device", stdio: "ignore", env })
  let running = true
  child.on("message", (message: unknown) => listener.message(message))
  child.on("exit", (code: number) => {
    running = false
    listener.exit(code)
  })
  return {
    send: (message) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Electron's port, no window
      if (running) child.postMessage(message)
    },
    kill: () => {
      // Except on Windows, the child's own `kill` sends SIGTERM, which a hanging process does not handle.
      if (child.pid === undefined || process.platform === "win32") child.kill()
      else killAtOnce(child.pid)
    }
  }
}
