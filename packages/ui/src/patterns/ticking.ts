/** One second's beat for all that shows time, running only while something does; a text is drawn again only when it changed. */
import { useSyncExternalStore } from "react"

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const beat of listeners) beat()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** `read` gives a string or a number from the present moment; the caller is drawn again when it gives another. */
export const useTicking = <V extends string | number | boolean>(read: () => V): V =>
  useSyncExternalStore(subscribe, read, read)
