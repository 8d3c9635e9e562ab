/** Notifications of Electron. A click opens; there are no buttons: nothing is decided from a notification. */
import type { NoticeProblem, NoticeScreen } from "../notices/bell.ts"
import { after } from "../timers.ts"

interface NativeNotification {
  readonly show: () => void
  readonly close: () => void
  readonly on: (event: "click" | "close" | "failed" | "show", listener: () => void) => unknown
}

/** Electron's parts. */
export interface NotificationParts {
  readonly isSupported: () => boolean
  readonly newNotification: (
    options: { readonly title: string; readonly body: string; readonly silent: boolean }
  ) => NativeNotification
}

const trial = {
  title: "A test from Countersign",
  body: "What waits for you is told like this. A click opens it; nothing is decided from here.",
  silent: false
}
/** Of no approval. */
const trialKey = "test"
/** Some systems say neither that it is shown nor that it is not. */
const trialMillis = 2_000

/** More stand on no screen; the references of older ones are let go. */
const heldMax = 100

export const notificationScreen = (
  { isSupported, newNotification }: NotificationParts,
  log: (event: string) => void
): NoticeScreen => {
  /** Held while they stand, or the click on them is lost with them. */
  const standing = new Map<NativeNotification, Set<string>>()
  const listeners = new Set<() => void>()
  let problem: NoticeProblem | null = null
  const say = (next: NoticeProblem | null): void => {
    if (next === "none_here") log("no_notifications")
    if (next === "failed") log("notification_failed")
    if (next === problem) return
    problem = next
    for (const listener of listeners) listener()
  }

  /** `told`: what the system said of it; nothing, where it says nothing. */
  const show = (
    words: { readonly title: string; readonly body: string; readonly silent: boolean },
    keys: ReadonlyArray<string>,
    onClick: () => void,
    told: (problem: NoticeProblem | null) => void = () => {}
  ): void => {
    const tell = (next: NoticeProblem | null): void => {
      say(next)
      told(next)
    }
    if (!isSupported()) return tell("none_here")
    const notification = newNotification(words)
    standing.set(notification, new Set(keys))
    for (const oldest of standing.keys()) {
      if (standing.size <= heldMax) break
      standing.delete(oldest)
    }
    notification.on("click", () => {
      standing.delete(notification)
      onClick()
    })
    notification.on("close", () => void standing.delete(notification))
    notification.on("show", () => tell(null))
    notification.on("failed", () => {
      standing.delete(notification)
      tell("failed")
    })
    notification.show()
  }

  return {
    show: ({ body, keys, reminder, title }, onClick) => show({ title, body, silent: reminder }, keys, onClick),
    tryOut: (onClick) =>
      new Promise((resolve) => {
        show(trial, [trialKey], onClick, resolve)
        after(trialMillis, () => resolve(null))
      }),
    problem: () => problem,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: (keys) => {
      for (const [notification, left] of standing) {
        for (const key of keys) left.delete(key)
        // One that tells of several goes with the last of them.
        if (left.size > 0) continue
        standing.delete(notification)
        notification.close()
      }
    }
  }
}
