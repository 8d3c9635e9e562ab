/** Small settings of a person in localStorage, shared by all tabs. Never a credential or data from the hub. */

export interface Kept<T> {
  readonly get: () => T | undefined
  readonly set: (value: T | undefined) => void
  /** Also called for changes by another tab. */
  readonly subscribe: (listener: () => void) => () => void
}

const prefix = "countersign."

/**
 * `read` validates the stored value: people and other versions write it too. Without storage the value lasts for this
 * page.
 */
export const kept = <T>(name: string, read: (value: unknown) => T | undefined): Kept<T> => {
  const listeners = new Set<() => void>()
  let value: T | undefined
  let known = false

  const load = (): T | undefined => {
    try {
      const text = localStorage.getItem(prefix + name)
      return text === null ? undefined : read(JSON.parse(text))
    } catch {
      return undefined
    }
  }
  const notify = () => listeners.forEach((listener) => listener())
  const onStorage = (event: StorageEvent) => {
    if (event.key !== prefix + name && event.key !== null) return
    value = load()
    notify()
  }

  return {
    get: () => {
      if (!known) value = load()
      known = true
      return value
    },
    set: (next) => {
      value = next
      known = true
      try {
        if (next === undefined) localStorage.removeItem(prefix + name)
        else localStorage.setItem(prefix + name, JSON.stringify(next))
      } catch {
        // Storage may be full or blocked.
      }
      notify()
    },
    subscribe: (listener) => {
      if (listeners.size === 0) window.addEventListener("storage", onStorage)
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) window.removeEventListener("storage", onStorage)
      }
    }
  }
}
