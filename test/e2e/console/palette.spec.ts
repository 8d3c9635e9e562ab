/** The palette opens from scripts, data, and rows that the page already has. */
import type { Page, Request } from "@playwright/test"
import { expect, signIn, test } from "../../support/console.ts"

interface Opened {
  readonly focusedMillis: number
  readonly paintedMillis: number
}

interface Watched {
  opened?: Opened
  /** Rows in the first part that opening adds to the page. */
  rowsAtOnce?: number
}

// The scripts that it loads are counted.
test.use({ isContextNew: true })

/** The browser has nothing else to do, several times in a row: what is prepared in idle time is prepared. */
const idle = (page: Page) =>
  page.evaluate(async () => {
    for (let times = 0; times < 4; times++) {
      await new Promise<void>((resolve) => requestIdleCallback(() => requestAnimationFrame(() => resolve())))
    }
  })

test(
  "opening the palette for the first time loads no script, sends no call to the hub, and only attaches prepared rows",
  async ({ api, hub, owner, page, upstream }, info) => {
    await api.waiting(await upstream(), 3)
    await signIn(page, hub, owner)
    const loaded: Array<string> = []
    const open = new Set<Request>()
    page.on("request", (request) => void (request.url().includes("/events") || open.add(request)))
    const ended = (request: Request) => void (open.delete(request) && loaded.push(request.url()))
    page.on("requestfinished", ended)
    page.on("requestfailed", ended)
    await page.goto(`/w/${owner.org}/inbox`)
    await expect(page.locator("[data-phase=online]").first()).toBeVisible()
    await expect.poll(() => loaded.some((url) => /\/palette-[\w-]+\.js$/u.test(url)), "preloaded").toBe(true)
    // The inbox reads its views last, once their menu is loaded.
    await expect.poll(() => loaded.some((url) => url.includes("/api/v1/views?")), "views are read").toBe(true)
    // The page is idle: its own reads and preloads are done.
    await expect.poll(() => open.size).toBe(0)
    await idle(page)
    expect(
      await page.locator("input[role=combobox], [role=dialog], [role=option]").count(),
      "the prepared palette is not in the page"
    ).toBe(0)
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(request.url()))
    await page.evaluate(() => {
      const watched = globalThis as Watched
      new MutationObserver((changes) => {
        for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
          if (node instanceof Element && node.querySelector("[role=dialog]") !== null) {
            watched.rowsAtOnce ??= node.querySelectorAll("[role=option]").length
          }
        }
      }).observe(document.body, { childList: true })
      addEventListener("keydown", (event) => {
        const began = event.timeStamp
        const look = () => {
          if (!(document.activeElement instanceof HTMLInputElement)) return requestAnimationFrame(look)
          const focusedMillis = performance.now() - began
          requestAnimationFrame(() =>
            setTimeout(() => {
              watched.opened = { focusedMillis, paintedMillis: performance.now() - began }
            })
          )
        }
        requestAnimationFrame(look)
      }, { once: true, capture: true })
    })
    await page.keyboard.press("Control+k")
    await expect(page.getByRole("combobox", { name: "Search or act" })).toBeFocused()
    await expect.poll(() => page.evaluate(() => (globalThis as Watched).opened?.paintedMillis ?? 0))
      .toBeGreaterThan(0)
    const { opened: figures, rowsAtOnce } = await page.evaluate(() => {
      const { opened, rowsAtOnce } = globalThis as Watched
      return { opened, rowsAtOnce }
    })
    await info.attach("figures", { body: JSON.stringify(figures) })
    if (process.env["PALETTE_FIGURES"] !== undefined) console.log(JSON.stringify(figures))
    await expect(page.getByRole("option").first()).toBeVisible()
    expect(asked).toEqual([])
    expect(rowsAtOnce).toBeGreaterThan(0)
    expect(rowsAtOnce).toBe(await page.getByRole("option").count())
    await page.keyboard.press("Escape")
    await expect(page.getByRole("dialog")).toHaveCount(0)
    await idle(page)
    await page.keyboard.press("Control+k")
    await page.keyboard.type("aud")
    await expect(page.getByRole("combobox", { name: "Search or act" })).toHaveValue("aud")
    await page.keyboard.press("Enter")
    await expect(page.getByRole("heading", { level: 1, name: "Audit" })).toBeVisible()
  }
)
