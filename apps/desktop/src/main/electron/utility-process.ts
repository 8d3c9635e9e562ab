/** The agent as a utility process of Electron: no fork of the app's own binary with Node switched on. Spec: E9. */
import type { AgentListener, AgentProcess } from "../device/host.ts"

interface UtilityChild {
  /** None before it was spawned and after its end. */
  readonly pid?: number | undefined
  readonly postMessage: (message: unknown) => void
  readonly kill: () => boolean
  readonly on: (event: "message" | "exit", listener: (value: never) => void) => unknown
}

/** Of Electron's `utilityProcess`. */
export interface UtilityProcesses {
  readonly fork: (modulePath: string, args?: Array<string>, options?: {
    readonly serviceName?: string
    readonly stdio?: "ignore" | "inherit" | "pipe"
    readonly env?: Record<string, string>
  }) => UtilityChild
}

const closed = /^(?:NODE_OPTIONS|ELECTRON_RUN_AS_NODE|LD_PRELOAD|DYLD_)/u

/** `entry`: the built `device/app`. Its environment is the app's, without what would change how Node runs it. */
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
      // Its own `kill` asks by SIGTERM where there are signals, which one that hangs does not hear.
      if (child.pid === undefined || process.platform === "win32") child.kill()
      else killAtOnce(child.pid)
    }
  }
}
