/**
 * A window of the built app in Chromium: the built page and preload, with the built main's handlers and its handler of
 * the `app:` scheme. Chromium gets `app:` as an address that it may open.
 */
import type { Browser, BrowserContext, Page } from "@playwright/test"
import { type BuiltMain, preloadText } from "./built-main.ts"

export const origin = "https://countersign.test"

export interface DesktopWindow {
  readonly page: Page
  readonly context: BrowserContext
  /** Uncaught errors and policy violations. */
  readonly problems: ReadonlyArray<string>
}

export interface DesktopWindowOptions {
  /** The id of its web contents. */
  readonly id: number
  readonly preload: "confirm" | "index" | "owner"
  /** The name of its session in the stub. */
  readonly session: string
  readonly viewport?: { readonly width: number; readonly height: number }
}

/** The preload's `require("electron")` here. Text, because it runs in the page. */
const electronInPage = `{
  contextBridge: { exposeInMainWorld: (name, value) => { window[name] = value } },
  ipcRenderer: {
    invoke: (channel, ...args) => window.__invoke(channel, args),
    on: (channel, listener) => { (window.__listeners ??= []).push([channel, listener]) },
    removeListener: (channel, listener) => { window.__listeners = window.__listeners.filter((each) => each[1] !== listener) }
  }
}`

const shown = new WeakMap<BuiltMain, Map<number, Page>>()

/** Delivers main's messages for a window to its page. */
const pagesOf = (main: BuiltMain): Map<number, Page> => {
  const known = shown.get(main)
  if (known !== undefined) return known
  const pages = new Map<number, Page>()
  shown.set(main, pages)
  main.record.onSend = (window, channel, value) => {
    const message = JSON.stringify([channel, value])
    void pages.get(window)?.evaluate(
      `((message) => { for (const [channel, listener] of window.__listeners ?? []) if (channel === message[0]) listener({}, message[1]) })(${message})`
    ).catch(() => {})
  }
  return pages
}

/** The page is not loaded yet: go to an address of `origin`. */
export const openWindow = async (
  main: BuiltMain,
  browser: Browser,
  { id, preload, session, viewport = { width: 1_440, height: 900 } }: DesktopWindowOptions
): Promise<DesktopWindow> => {
  const problems: Array<string> = []
  const context = await browser.newContext({ viewport, locale: "en-US", timezoneId: "UTC" })
  context.setDefaultTimeout(60_000)
  await context.exposeBinding(
    "__invoke",
    (_, channel: string, args: ReadonlyArray<unknown>) => main.invoke(id, channel, args)
  )
  await context.exposeBinding("__violation", (_, text: string) => void problems.push(text))
  await context.addInitScript(
    `document.addEventListener("securitypolicyviolation", (event) => window.__violation(event.effectiveDirective + " refused " + event.blockedURI))`
  )
  await context.addInitScript(
    `(() => { const require = () => (${electronInPage}); const module = { exports: {} }; const exports = module.exports; ${
      preloadText(preload)
    } })()`
  )
  context.on("weberror", (error) => problems.push(String(error.error().stack)))
  const page = await context.newPage()
  await context.route(`${origin}/**`, async (route) => {
    const { pathname, search } = new URL(route.request().url())
    const answer: Response = await main.record.sessions.get(session).pages({
      url: `app://countersign${pathname}${search}`,
      method: route.request().method(),
      headers: new Headers(route.request().headers()),
      signal: new AbortController().signal
    })
    await route.fulfill({
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: Buffer.from(await answer.arrayBuffer())
    })
  })
  pagesOf(main).set(id, page)
  return { page, context, problems }
}
