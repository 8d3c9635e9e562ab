/** A value outside React, such as the open overlay. Components that read it render again when it changes. */
import { useSyncExternalStore } from "react"

export interface SharedValue<T> {
  readonly get: () => T
  readonly set: (next: T) => void
  readonly subscribe: (listener: () => void) => () => void
}

export const sharedValue = <T>(initial: T): SharedValue<T> => {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      value = next
      listeners.forEach((listener) => listener())
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
}

export const useSharedValue = <T>({ get, subscribe }: Pick<SharedValue<T>, "get" | "subscribe">): T =>
  useSyncExternalStore(subscribe, get)
