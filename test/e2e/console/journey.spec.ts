/** Every screen can be reached from every other, whatever the previous screens have cached. */
import type { Page } from "@playwright/test"
import { addressOf, makeExampleWorkspace, routesOf, settled } from "../../support/console-routes.ts"
import { expect, signIn, test } from "../../support/console.ts"

test.describe.configure({ timeout: 300_000 })

const parts = 3

/** A path from each of `starts` to every stop behind it in `stops` and back: each ordered pair of `stops` once. */
const pathOver = (starts: ReadonlyArray<string>, stops: ReadonlyArray<string>): ReadonlyArray<string> =>
  starts.flatMap((start) => stops.slice(stops.indexOf(start) + 1).flatMap((stop) => [start, stop]).concat(start))

interface RoutedPage {
  readonly __TSR_ROUTER__: { readonly navigate: (to: { readonly to: string }) => Promise<void> }
}

/** Follows the path within the page, as links do; returns the steps that ended at an error or an empty page. */
const walk = (page: Page, way: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
  page.evaluate(async (way) => {
    const router = (globalThis as unknown as RoutedPage).__TSR_ROUTER__
    const stepMillisMax = 10_000
    // More of the same kind add nothing and cost time.
    const brokenMax = 10
    const isReading = () =>
      document.querySelector("[role=status][aria-busy=true], [role=progressbar], [aria-label=Loading][role=status]") !==
        null
    const broken: Array<string> = []
    let before = "the first load"
    for (const to of way) {
      await router.navigate({ to })
      const began = performance.now()
      const failure = () =>
        [...document.querySelectorAll("[role=alert]")].map(({ textContent }) => textContent).find((text) => text !== "")
      while (
        failure() === undefined && (document.querySelector("h1") === null || isReading()) &&
        performance.now() - began < stepMillisMax
      ) {
        await new Promise((resolve) => requestAnimationFrame(resolve))
      }
      const problem = failure() ??
        (document.querySelector("h1") === null ? "no heading" : isReading() ? "still loading" : undefined)
      if (problem !== undefined) broken.push(`${before} -> ${to}: ${problem}`)
      if (broken.length === brokenMax) break
      before = to
    }
    return broken
  }, way)

for (let part = 0; part < parts; part++) {
  test(`every ordered pair of screens, part ${part + 1} of ${parts}`, async ({ api, hub, owner, page, upstream }) => {
    const example = await makeExampleWorkspace(api, await upstream())
    const routes = (await routesOf(page)).filter((route) => route.startsWith("/w/$workspace/"))
    const stops = routes.map((route) => addressOf(route, example))
    const starts = stops.filter((_, at) => at % parts === part)
    expect(starts.length).toBeGreaterThan(3)
    await signIn(page, hub, owner)
    await page.goto(starts[0] ?? "")
    await settled(page)
    expect(await walk(page, pathOver(starts, stops))).toEqual([])
    // Lists shared by screens still offer their entries.
    await page.evaluate(
      (to) => (globalThis as unknown as RoutedPage).__TSR_ROUTER__.navigate({ to }),
      `/w/${owner.org}/requests`
    )
    const filters = page.getByRole("search")
    for (const [filter, option] of [["Service", example.examples["catalog"] ?? ""], ["Agent", "Echo agent"]] as const) {
      await filters.getByRole("button", { name: filter, exact: true }).click()
      await expect(page.getByRole("dialog").getByText(option)).toBeVisible()
      await page.keyboard.press("Escape")
    }
  })
}

test("Try again after a broken answer reads everything again and shows the screen", async ({ hub, owner, page }) => {
  await signIn(page, hub, owner)
  await page.route(
    "**/api/v1/policies?*",
    (route) => route.fulfill({ json: { data: 7, next_cursor: null, as_of: "x" } })
  )
  await page.goto(`/w/${owner.org}/policies`)
  await expect(page.getByRole("button", { name: "Try again" })).toBeVisible()
  await page.unrouteAll()
  await page.getByRole("button", { name: "Try again" }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Policies" })).toBeVisible()
  await expect(page.getByRole("button", { name: "Try again" })).toHaveCount(0)
})
