import { useEffect, useState } from "react"
import type { ConsoleBridge, ShellState } from "../../bridge/contract.ts"

/** The state of the profiles from the main process, updated on change. */
export const useShellState = (bridge: ConsoleBridge, first: ShellState): ShellState => {
  const [state, setState] = useState(first)
  useEffect(() => {
    const off = bridge.onState(setState)
    // Reads changes made before the listener was added.
    void bridge.shell.state().then((answer) => {
      if (answer.ok) setState(answer.value)
    })
    return off
  }, [bridge])
  return state
}
