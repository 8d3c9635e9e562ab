import { useEffect, useState } from "react"
import type { ConsoleBridge, ShellState } from "../bridge/contract.ts"

/** What main says of the profiles, as it changes. */
export const useShellState = (bridge: ConsoleBridge, first: ShellState): ShellState => {
  const [state, setState] = useState(first)
  useEffect(() => {
    const off = bridge.onState(setState)
    // What changed before the first was listened for.
    void bridge.shell.state().then((said) => {
      if (said.ok) setState(said.value)
    })
    return off
  }, [bridge])
  return state
}
