/** Calls set the connection state too: the event stream may be open while every call fails. */
import type { Page, Route } from "@playwright/test"
import { addressOf, makeExampleWorkspace, routesOf, settled } from "../../support/console-routes.ts"
import { expect, signIn, test } from "../../support/console.ts"

test.describe.configure({ timeout: 240_000 })

const mark = (page: Page) => page.locator("nav [data-phase]")
const calls = /\/api\/v1\/(?!events)/

/** Every call fails; the open stream stays open. */
const refuse = (route: Route) => route.abort("connectionrefused")
const answer503 = (route: Route) =>
  route.fulfill({
    status: 503,
    json: { error: { code: "unavailable", message: "The database is unavailable.", request_id: "r-1" } }
  })

interface RoutedPage {
  readonly __TSR_ROUTER__: {
    readonly navigate: (to: { readonly to: string }) => Promise<void>
    readonly options: {
      readonly context: {
        readonly queries: { readonly removeQueries: (filter: { readonly type: "inactive" }) => void }
      }
    }
  }
}

/** Navigates within the page, as a link does: without waiting for the screen, whose script may be out of reach. */
const goTo = (page: Page, to: string) =>
  page.evaluate((to) => void (globalThis as unknown as RoutedPage).__TSR_ROUTER__.navigate({ to }), to)

/** Drops the cached answers of other screens, so that the next one reads everything. */
const forgetAnswers = (page: Page) =>
  page.evaluate(() =>
    (globalThis as unknown as RoutedPage).__TSR_ROUTER__.options.context.queries.removeQueries({ type: "inactive" })
  )

test("a network that refuses every call ends \"Live\", and the screen is read again once it answers", async ({ api, hub, owner, page }) => {
  const agent = await api.agent()
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/inbox`)
  await expect(mark(page)).toHaveAttribute("data-phase", "online")
  await page.route(calls, refuse)
  await goTo(page, `/w/${owner.org}/agents/${agent.id}`)
  await expect(mark(page)).toHaveAttribute("data-phase", "offline")
  await expect(mark(page)).toHaveText("Not connected")
  await expect(page.getByText(/^Not connected since \d\d:\d\d:\d\d/)).toBeVisible()
  // While the calls still fail: the console also tries again by itself, and the button leaves with the first answer.
  const tried = page.waitForRequest(calls)
  await page.getByRole("button", { name: "Retry", exact: true }).click()
  await tried
  await page.unrouteAll()
  await expect(mark(page)).toHaveAttribute("data-phase", "online")
  await expect(page.getByRole("heading", { level: 1, name: "Scout" })).toBeVisible()
})

test("a hub that answers every call with 503 is shown as failing and decisions are disabled, until it recovers", async ({ api, hub, owner, page, upstream }) => {
  const { approvals: [approval = ""] } = await api.waiting(await upstream())
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/approvals/${approval}`)
  const approve = page.getByRole("button", { name: /^Approve \$/ })
  await expect(approve).toBeEnabled()
  await page.route(calls, answer503)
  await goTo(page, `/w/${owner.org}/usage`)
  await expect(mark(page)).toHaveText("The hub is failing")
  await expect(page.getByText(/^The hub has been failing since \d\d:\d\d:\d\d/)).toBeVisible()
  await page.goBack()
  await expect(approve).toBeDisabled()
  await page.unrouteAll()
  await expect(mark(page)).toHaveText("Live")
  await expect(approve).toBeEnabled()
})

test("one failing endpoint leaves the console live while others answer", async ({ hub, owner, page }) => {
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/inbox`)
  await expect(mark(page)).toHaveAttribute("data-phase", "online")
  await page.route(/\/api\/v1\/usage/, answer503)
  const checked = page.waitForResponse((response) => response.url().endsWith("/api/v1/auth/me") && response.ok())
  await goTo(page, `/w/${owner.org}/usage`)
  await expect(page.getByText("The database is unavailable.").first()).toBeVisible()
  await checked
  await expect(mark(page)).toHaveText("Live")
})

test.describe("offline", () => {
  // Otherwise the worker's other page in the same process reports the change first, while calls still succeed.
  test.use({ isContextNew: true })

  test("every screen opened while offline shows its content once the connection is back", async ({ api, hub, owner, page, upstream }) => {
    const example = await makeExampleWorkspace(api, await upstream())
    const stops = (await routesOf(page)).filter((route) => route.startsWith("/w/$workspace/")).map((route) =>
      addressOf(route, example)
    )
    await signIn(page, hub, owner)
    await page.goto(`/w/${owner.org}/settings/about`)
    const broken: Array<string> = []
    for (const stop of stops) {
      await expect(mark(page)).toHaveAttribute("data-phase", "online")
      const before = page.url()
      await page.context().setOffline(true)
      await forgetAnswers(page)
      await goTo(page, stop)
      await expect(mark(page), stop).toHaveAttribute("data-phase", "offline")
      await page.context().setOffline(false)
      await expect(mark(page), stop).toHaveAttribute("data-phase", "online")
      await expect(page).not.toHaveURL(before)
      const problem = page.getByRole("main").getByText(/couldn't be reached|could(?:n't| not) be (?:read|loaded)/)
      await expect(problem).toHaveCount(0, { timeout: 5_000 }).catch(() => broken.push(stop))
      await settled(page)
    }
    expect(stops.length).toBeGreaterThan(20)
    expect(broken).toEqual([])
  })
})
