/**
 * Browser contexts that the tests of a worker use one after the other. A new context, or Playwright's `reuseContext`,
 * costs each test a renderer process and the compilation of the console. Pages are new for each test, so that routes,
 * scripts, listeners, history, focus and emulation end with it; the rest of a context is reset here.
 */
import type { Browser, BrowserContext, Page, ViewportSize } from "@playwright/test"

/** Tests may listen to these events of a context. */
const events = ["console", "dialog", "page", "request", "requestfailed", "requestfinished", "response"] as const

const desktop = { width: 1440, height: 900 }

/** Reports to the test that uses the context. */
export interface Reports {
  readonly violation: (text: string) => void
  readonly error: (text: string) => void
}

export interface PooledContext {
  readonly context: BrowserContext
  /** `null` keeps the size of a desktop. */
  readonly newPage: (size: ViewportSize | null) => Promise<Page>
  /** Closes the pages of the test and resets the context. */
  readonly release: () => Promise<void>
}

/** Reports every violation of the content security policy and every uncaught error of a context's pages. */
export const watch = async (context: BrowserContext, reports: () => Reports): Promise<void> => {
  await context.exposeBinding("reportViolation", (_, violation: string) => reports().violation(violation))
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const violation =
        `${event.effectiveDirective} refused ${event.blockedURI} ${event.sample} at ${event.sourceFile}:${event.lineNumber}`
      ;(globalThis as unknown as { reportViolation: (text: string) => void }).reportViolation(violation)
    })
  })
  context.on("weberror", (error) => reports().error(error.error().stack ?? error.error().message))
}

/**
 * An empty document of the console's origin. Pages that it opens stay in its process, which has compiled the console
 * already; its opener policy must be the console's.
 */
const openAnchor = async (context: BrowserContext, origin: string): Promise<Page> => {
  const anchor = await context.newPage()
  const headers = { "content-type": "text/html", "cross-origin-opener-policy": "same-origin" }
  await anchor.route("**", (route) => route.fulfill({ headers, body: "<!doctype html><title>Anchor</title>" }))
  await anchor.goto(origin)
  await anchor.unrouteAll()
  return anchor
}

export class ContextPool {
  readonly #browser: Browser
  readonly #origin: string
  readonly #free: Array<{ readonly context: BrowserContext; readonly anchor: Page; reports: Reports }> = []

  constructor(browser: Browser, origin: string) {
    this.#browser = browser
    this.#origin = origin
  }

  /** A context with the default options, without cookies and storage. */
  async acquire(reports: Reports): Promise<PooledContext> {
    const held = this.#free.pop() ?? await this.#make(reports)
    held.reports = reports
    const { anchor, context } = held
    await anchor.evaluate(() => localStorage.clear())
    return {
      context,
      newPage: async (size) => {
        const [page] = await Promise.all([
          context.waitForEvent("page"),
          anchor.evaluate(() => {
            const opened = window.open("about:blank")
            if (opened !== null) opened.opener = null
          })
        ])
        if (size !== null && size.width !== desktop.width) await page.setViewportSize(size)
        return page
      },
      release: async () => {
        await Promise.all(context.pages().map((page) => page === anchor ? undefined : page.close()))
        for (const event of events) context.removeAllListeners(event)
        await context.unrouteAll({ behavior: "ignoreErrors" })
        await context.clearCookies()
        await context.clearPermissions()
        await context.setOffline(false)
        this.#free.push(held)
      }
    }
  }

  async #make(reports: Reports) {
    // Explicit, because the options of the first test would hold for all.
    const context = await this.#browser.newContext({ baseURL: this.#origin, hasTouch: false, viewport: desktop })
    const held = { context, anchor: await openAnchor(context, this.#origin), reports }
    await watch(context, () => held.reports)
    return held
  }
}
