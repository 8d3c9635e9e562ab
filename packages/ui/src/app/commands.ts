/** What a screen offers to the palette while it is shown: `useCommands([{ id: "agent.freeze", text: t.freeze, run }])`. */
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from "react"
import type { KeyName } from "./keymap.ts"

export interface ScreenCommand {
  readonly id: string
  readonly text: string
  readonly run: () => void
  readonly icon?: ReactNode
  readonly detail?: string
  readonly key?: KeyName
}

let offered: ReadonlyArray<ReadonlyArray<ScreenCommand>> = []
const listeners = new Set<() => void>()
const set = (next: typeof offered) => {
  offered = next
  listeners.forEach((listener) => listener())
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useCommands = (commands: ReadonlyArray<ScreenCommand>): void => {
  const latest = useRef(commands)
  useEffect(() => {
    latest.current = commands
  })
  // Drawn again only when what is offered changes; what runs is always the newest.
  const name = commands.map(({ detail = "", id, text }) => `${id} ${text} ${detail}`).join("\n")
  useEffect(() => {
    const mine = latest.current.map((command) => ({ ...command, run: () => latest.current.find(({ id }) => id === command.id)?.run() }))
    set([...offered, mine])
    return () => set(offered.filter((each) => each !== mine))
  }, [name])
}

let standing: ReadonlyArray<ScreenCommand> = []

/** By what stands round the console and is always there, the desktop app: in the palette, and in the person's menu. Once, before it starts. */
export const offerCommands = (commands: ReadonlyArray<ScreenCommand>): void => {
  standing = commands
  set([...offered, commands])
}
export const standingCommands = (): ReadonlyArray<ScreenCommand> => standing

export const useOfferedCommands = (): ReadonlyArray<ScreenCommand> => useSyncExternalStore(subscribe, () => offered).flat()
