/** The palette opens from scripts and data that the page already has. */
import type { Request } from "@playwright/test"
import { expect, signIn, test } from "../../support/console.ts"

interface Opened {
  readonly focusedMillis: number
  readonly paintedMillis: number
}

test(
  "opening the palette for the first time loads no script and sends no call to the hub",
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
    // The page is idle: its own reads and preloads are done.
    await expect.poll(() => open.size).toBe(0)
    await page.evaluate(() => new Promise<void>((resolve) => requestIdleCallback(() => resolve())))
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(request.url()))
    await page.evaluate(() => {
      addEventListener("keydown", (event) => {
        const began = event.timeStamp
        const look = () => {
          if (!(document.activeElement instanceof HTMLInputElement)) return requestAnimationFrame(look)
          const focusedMillis = performance.now() - began
          requestAnimationFrame(() =>
            setTimeout(() => {
              ;(globalThis as { opened?: Opened }).opened = { focusedMillis, paintedMillis: performance.now() - began }
            })
          )
        }
        requestAnimationFrame(look)
      }, { once: true, capture: true })
    })
    await page.keyboard.press("Control+k")
    await expect(page.getByRole("combobox", { name: "Search or act" })).toBeFocused()
    await expect.poll(() => page.evaluate(() => (globalThis as { opened?: Opened }).opened?.paintedMillis ?? 0))
      .toBeGreaterThan(0)
    const figures = await page.evaluate(() => (globalThis as { opened?: Opened }).opened)
    await info.attach("figures", { body: JSON.stringify(figures) })
    if (process.env["PALETTE_FIGURES"] !== undefined) console.log(JSON.stringify(figures))
    await expect(page.getByRole("option").first()).toBeVisible()
    expect(asked).toEqual([])
  }
)
