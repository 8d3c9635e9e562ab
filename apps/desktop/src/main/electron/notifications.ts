/** Notifications of Electron. A click opens; there are no buttons: nothing is decided from a notification. */
import type { NoticeScreen } from "../notices/bell.ts"

interface NativeNotification {
  readonly show: () => void
  readonly close: () => void
  readonly on: (event: "click" | "close" | "failed", listener: () => void) => unknown
}

/** Electron's parts. */
export interface NotificationParts {
  readonly isSupported: () => boolean
  readonly newNotification: (
    options: { readonly title: string; readonly body: string; readonly silent: boolean }
  ) => NativeNotification
}

/** More stand on no screen; the references of older ones are let go. */
const heldMax = 100

export const notificationScreen = (
  { isSupported, newNotification }: NotificationParts, log: (event: string) => void
): NoticeScreen => {
  /** Held while they stand, or the click on them is lost with them. */
  const standing = new Map<NativeNotification, Set<string>>()
  return {
    show: ({ body, keys, reminder, title }, onClick) => {
      if (!isSupported()) return log("no_notifications")
      const notification = newNotification({ title, body, silent: reminder })
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
      notification.on("failed", () => {
        standing.delete(notification)
        log("notification_failed")
      })
      notification.show()
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
