/** What the person has just created in this tab: its page offers the next step, until it is taken or the page is left for good. */
import { useSyncExternalStore } from "react"

export type Made = "agent" | "service"

const made = new Set<string>()
const listeners = new Set<() => void>()
const keyOf = (kind: Made, workspace: string, id: string): string => `${kind} ${workspace} ${id}`
const tell = () => listeners.forEach((listener) => listener())

export const markMade = (kind: Made, workspace: string, id: string): void => {
  made.add(keyOf(kind, workspace, id))
  tell()
}

export const forgetMade = (kind: Made, workspace: string, id: string): void => {
  if (made.delete(keyOf(kind, workspace, id))) tell()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useJustMade = (kind: Made, workspace: string, id: string): boolean =>
  useSyncExternalStore(subscribe, () => made.has(keyOf(kind, workspace, id)))
