/**
 * The addresses that a page may open: its own pages, and after a click a few external addresses in the person's
 * browser. Spec: reference/desktop.md "E6: navigation", "E7: external addresses".
 */
import type { App, WebContents } from "electron"
import { isOwnPage } from "../windows/own-page.ts"

/** Maximum time between an input and the window that it opens. */
const clickMillis = 2_000

/** Where Stripe's payment pages are. Payment pages elsewhere are opened by a copied link. */
const paymentOrigin = "https://checkout.stripe.com"

/**
 * An allowlist: the hubs' addresses, payment pages of Stripe, and `mailto:` with an address only. Profiles use `http:` only on this computer.
 * Null for other addresses. The app's path `/docs`, which is not a screen, leads to the hub's page.
 */
export const externalAddress = (
  url: string,
  hubs: ReadonlyArray<string>,
  current: string | undefined
): string | null => {
  const parsed = URL.parse(url)
  if (parsed === null || parsed.username !== "" || parsed.password !== "") return null
  if (parsed.protocol === "mailto:") return /^mailto:[^\s?&@]+@[\w.-]+$/u.test(url) ? url : null
  if (isOwnPage(url)) {
    return current === undefined || parsed.pathname !== "/docs"
      ? null
      : externalAddress(`${current}/docs`, hubs, undefined)
  }
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") return null
  return parsed.origin === paymentOrigin || hubs.some((hub) => URL.parse(hub)?.origin === parsed.origin)
    ? parsed.href
    : null
}

export interface NavigationParts {
  readonly app: Pick<App, "on">
  readonly openExternal: (url: string) => Promise<void>
  /** Addresses of the profiles' hubs, and of the displayed one. */
  readonly hubs: () => Promise<{ readonly all: ReadonlyArray<string>; readonly current: string | undefined }>
  readonly now?: () => number
}

export const guardNavigation = ({ app, hubs, now = Date.now, openExternal }: NavigationParts): void => {
  const open = async (url: string) => {
    const { all, current } = await hubs()
    const address = externalAddress(url, all, current)
    if (address !== null) await openExternal(address)
  }
  app.on("web-contents-created", (_, contents: WebContents) => {
    let pressedAt = Number.NEGATIVE_INFINITY
    contents.on("input-event", (_event, input) => {
      if (["mouseDown", "mouseUp", "keyDown", "rawKeyDown", "touchEnd", "gestureTap"].includes(input.type)) {
        pressedAt = now()
      }
    })
    const refuse = (event: { readonly preventDefault: () => void; readonly url: string }) => {
      if (!isOwnPage(event.url)) event.preventDefault()
    }
    contents.on("will-navigate", refuse)
    contents.on("will-redirect", refuse)
    contents.on("will-frame-navigate", refuse)
    contents.on("will-attach-webview", (event) => event.preventDefault())
    contents.setWindowOpenHandler(({ url }) => {
      if (now() - pressedAt <= clickMillis) void open(url).catch(() => {})
      return { action: "deny" }
    })
  })
}
