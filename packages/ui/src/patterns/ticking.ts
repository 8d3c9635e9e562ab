/**
 * One timer with a period of one second for everything that shows time; it runs only while needed, and a text renders
 * again only when it changes.
 */
import { useSyncExternalStore } from "react"

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const listener of listeners) listener()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** `read` returns a string or a number from the current time; the caller renders again when it changes. */
export const useTicking = <V extends string | number | boolean>(read: () => V): V =>
  useSyncExternalStore(subscribe, read, read)
