/**
 * The service worker of notices. It shows what the hub pushed and opens its screen, and nothing else: without a `fetch`
 * listener and without a cache, the console is always loaded from the hub, with its own content policy.
 */

/** A new version takes over at once: there is nothing of the old one to keep. */
self.addEventListener("install", () => self.skipWaiting())

const noticeOf = (data) => {
  try {
    return data?.json() ?? {}
  } catch {
    return {}
  }
}

const text = (value, fallback) => typeof value === "string" && value !== "" ? value : fallback

self.addEventListener("push", (event) => {
  const { body, path, tag, title } = noticeOf(event.data)
  event.waitUntil(
    self.registration.showNotification(text(title, "Countersign"), {
      body: text(body, "Open the console to see what is pending."),
      tag: text(tag, "countersign"),
      icon: "/icon-192.png",
      // Only a path of this hub: the notice never leads elsewhere.
      data: { path: /^\/(?![/\\])/.test(text(path, "")) ? path : "/" }
    })
  )
})

self.addEventListener("notificationclick", (event) => {
  event.notification.close()
  const url = new URL(event.notification.data?.path ?? "/", self.location.origin).href
  event.waitUntil(
    self.clients.matchAll({ type: "window", includeUncontrolled: true }).then(async (windows) => {
      const open = windows.find((client) => client.url === url) ?? windows[0]
      if (open === undefined) return self.clients.openWindow(url)
      await open.focus()
      if (open.url === url) return undefined
      // A page that this worker does not control cannot be navigated by it.
      return open.navigate(url).catch(() => self.clients.openWindow(url))
    })
  )
})
