/** Services of the running console for components: the live events, and the start and end of sessions. */
import { createContext, useContext } from "react"
import type { Live } from "../live/live.ts"
import type { SessionEnds } from "./session-ends.ts"

export interface Console {
  readonly live: Live
  readonly session: SessionEnds
}

export const ConsoleContext = createContext<Console | undefined>(undefined)

export const useConsole = (): Console => {
  const found = useContext(ConsoleContext)
  if (found === undefined) throw new Error("No console runs here.")
  return found
}
