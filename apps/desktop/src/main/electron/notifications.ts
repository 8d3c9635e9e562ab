/** Electron's notifications. A click opens a screen; without buttons, a notification decides nothing. */
import type { NoticeProblem } from "../../bridge/this-computer.ts"
import type { NoticeScreen } from "../notices/scheduler.ts"
import { after } from "../platform/timers.ts"

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
  title: "Test notification from Countersign",
  body: "Pending approvals and requests are shown like this. Click to open; a notification decides nothing.",
  silent: false
}
/** Not the key of an approval or a request. */
const trialKey = "test"
/** Some systems do not report whether a notification was displayed. */
const trialMillis = 2_000

/** A screen shows fewer; references to older notifications are dropped. */
const heldMax = 100

export const notificationScreen = (
  { isSupported, newNotification }: NotificationParts,
  log: (event: string) => void
): NoticeScreen => {
  /** Referenced while visible; otherwise garbage collection would lose the click handler. */
  const visible = new Map<NativeNotification, Set<string>>()
  const listeners = new Set<() => void>()
  let problem: NoticeProblem | null = null
  const setProblem = (next: NoticeProblem | null): void => {
    if (next === "none_here") log("no_notifications")
    if (next === "failed") log("notification_failed")
    if (next === problem) return
    problem = next
    for (const listener of listeners) listener()
  }

  /** `onResult`: receives the result that the system reports, if any. */
  const show = (
    words: { readonly title: string; readonly body: string; readonly silent: boolean },
    keys: ReadonlyArray<string>,
    onClick: () => void,
    onResult: (problem: NoticeProblem | null) => void = () => {}
  ): void => {
    const report = (next: NoticeProblem | null): void => {
      setProblem(next)
      onResult(next)
    }
    if (!isSupported()) return report("none_here")
    const notification = newNotification(words)
    visible.set(notification, new Set(keys))
    for (const oldest of visible.keys()) {
      if (visible.size <= heldMax) break
      visible.delete(oldest)
    }
    notification.on("click", () => {
      visible.delete(notification)
      onClick()
    })
    notification.on("close", () => void visible.delete(notification))
    notification.on("show", () => report(null))
    notification.on("failed", () => {
      visible.delete(notification)
      report("failed")
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
      for (const [notification, left] of visible) {
        for (const key of keys) left.delete(key)
        // A combined notification closes with the last of its approvals and requests.
        if (left.size > 0) continue
        visible.delete(notification)
        notification.close()
      }
    }
  }
}
