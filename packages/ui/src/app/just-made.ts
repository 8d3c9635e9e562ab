/**
 * The object that the person has just created in this tab. Its page offers the next step until that is taken or
 * dismissed.
 */
import { useSyncExternalStore } from "react"

export type Made = "agent" | "service"

const made = new Set<string>()
const listeners = new Set<() => void>()
const keyOf = (kind: Made, workspace: string, id: string): string => `${kind} ${workspace} ${id}`
const notify = () => listeners.forEach((listener) => listener())

export const markMade = (kind: Made, workspace: string, id: string): void => {
  made.add(keyOf(kind, workspace, id))
  notify()
}

export const forgetMade = (kind: Made, workspace: string, id: string): void => {
  if (made.delete(keyOf(kind, workspace, id))) notify()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useJustMade = (kind: Made, workspace: string, id: string): boolean =>
  useSyncExternalStore(subscribe, () => made.has(keyOf(kind, workspace, id)))
