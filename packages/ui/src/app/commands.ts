/**
 * Commands that a screen adds to the palette while it is mounted: `useCommands([{ id: "agent.freeze", text: t.freeze,
 * run }])`.
 */
import { type ReactNode, useEffect, useMemo, useRef } from "react"
import { sharedValue, useSharedValue } from "../components/shared-value.ts"
import type { KeyName } from "./keymap.ts"

export interface ScreenCommand {
  readonly id: string
  readonly text: string
  readonly run: () => void
  readonly icon?: ReactNode
  readonly detail?: string
  readonly key?: KeyName
}

const offered = sharedValue<ReadonlyArray<ReadonlyArray<ScreenCommand>>>([])

export const useCommands = (commands: ReadonlyArray<ScreenCommand>): void => {
  const latest = useRef(commands)
  useEffect(() => {
    latest.current = commands
  })
  // Update the palette only when the offered commands change; a call always runs the latest handler.
  const name = commands.map(({ detail = "", id, text }) => `${id} ${text} ${detail}`).join("\n")
  useEffect(() => {
    const mine = latest.current.map((command) => ({
      ...command,
      run: () => latest.current.find(({ id }) => id === command.id)?.run()
    }))
    offered.set([...offered.get(), mine])
    return () => offered.set(offered.get().filter((each) => each !== mine))
  }, [name])
}

let standing: ReadonlyArray<ScreenCommand> = []

/**
 * Permanent commands of the host, the desktop app: in the palette and in the person's menu. Call it once, before the
 * console starts.
 */
export const offerCommands = (commands: ReadonlyArray<ScreenCommand>): void => {
  standing = commands
  offered.set([...offered.get(), commands])
}
export const standingCommands = (): ReadonlyArray<ScreenCommand> => standing

export const useOfferedCommands = (): ReadonlyArray<ScreenCommand> => {
  const all = useSharedValue(offered)
  return useMemo(() => all.flat(), [all])
}
