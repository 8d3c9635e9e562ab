/** Every screen can be reached from every other, whatever the previous screens have cached. */
import type { Page } from "@playwright/test"
import type { QueryClient } from "@tanstack/react-query"
import { addressOf, makeExampleWorkspace, routesOf, settled } from "../../support/console-routes.ts"
import { expect, signIn, test } from "../../support/console.ts"

test.describe.configure({ timeout: 300_000 })

interface RoutedPage {
  readonly __TSR_ROUTER__: {
    readonly navigate: (to: { readonly to: string }) => Promise<void>
    readonly options: { readonly context: { readonly queries: QueryClient } }
  }
}

interface Walked {
  /** Steps that ended at an error or an empty page. */
  readonly broken: ReadonlyArray<string>
  /** The cached answers that each step showed, in the order of the path. */
  readonly shown: ReadonlyArray<ReadonlyArray<string>>
}

/** Follows the path within the page, as links do. */
const walk = (page: Page, path: ReadonlyArray<string>): Promise<Walked> =>
  page.evaluate(async (path) => {
    const router = (globalThis as unknown as RoutedPage).__TSR_ROUTER__
    const stepMillisMax = 10_000
    // More of the same kind add nothing and cost time.
    const brokenMax = 10
    const isReading = () =>
      document.querySelector("[role=status][aria-busy=true], [role=progressbar], [aria-label=Loading][role=status]") !==
        null
    const broken: Array<string> = []
    const shown: Array<ReadonlyArray<string>> = []
    let before = "the first load"
    for (const to of path) {
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
      shown.push(
        router.options.context.queries.getQueryCache().findAll({ type: "active" }).map(({ queryHash }) => queryHash)
      )
      if (broken.length === brokenMax) break
      before = to
    }
    return { broken, shown }
  }, path)

/**
 * A path over each ordered pair of screens that show the same cached answer, apart from the shell's, which every screen
 * has. All other pairs are followed by the two passes before it, with the caches of all screens between them.
 */
const pathOverSharing = (stops: ReadonlyArray<string>, shown: Walked["shown"]): ReadonlyArray<string> => {
  const ofShell = shown.reduce((all, each) => all.filter((answer) => each.includes(answer)), shown[0] ?? [])
  const own = shown.map((each) => each.filter((answer) => !ofShell.includes(answer)))
  return stops.flatMap((start, at) => {
    const sharing = stops.filter((_, other) => other > at && own[at]?.some((answer) => own[other]?.includes(answer)))
    return sharing.length === 0 ? [] : sharing.flatMap((stop) => [start, stop]).concat(start)
  })
}

test("every screen opens after every other, and directly after each that shares an answer of the hub", async ({ api, hub, owner, page, upstream }) => {
  const example = await makeExampleWorkspace(api, await upstream())
  const routes = (await routesOf(page)).filter((route) => route.startsWith("/w/$workspace/"))
  const stops = routes.map((route) => addressOf(route, example))
  await signIn(page, hub, owner)
  await page.goto(stops[0] ?? "")
  await settled(page)
  const there = await walk(page, stops)
  const back = await walk(page, stops.toReversed())
  expect([...there.broken, ...back.broken]).toEqual([])
  const path = pathOverSharing(stops, there.shown)
  expect(path.length, "screens that share answers").toBeGreaterThan(stops.length)
  expect((await walk(page, path)).broken).toEqual([])
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
