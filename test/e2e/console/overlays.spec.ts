/** Accessibility of every kind of dialog, menu, popover, and palette. */
import type { Page } from "@playwright/test"
import { breaches } from "../../support/axe.ts"
import { makeExampleWorkspace, visit } from "../../support/console-routes.ts"
import { expect, signIn, test } from "../../support/console.ts"

test.describe.configure({ timeout: 240_000 })

const press = (name: string | RegExp) => (page: Page) => page.getByRole("button", { name }).first().click()

/** Opens each on its page; Escape closes it. */
const overlays: ReadonlyArray<readonly [route: string, name: string, open: (page: Page) => Promise<void>]> = [
  ["approvals/$id", "edit dialog", press("Edit as a new request")],
  ["approvals/$id", "standing approval dialog", press("Approve similar requests from now on")],
  ["inbox", "palette", (page) => page.keyboard.press("Control+k")],
  ["inbox", "keyboard dialog", (page) => page.keyboard.press("?")],
  ["inbox", "workspace menu", press(/^Workspace ?Acme/u)],
  ["inbox", "person menu", press(/Appearance, keys, sign out/u)],
  ["inbox", "freeze dialog", press("Freeze spending")],
  ["inbox", "confirmation popover", press("Confirmation")],
  ["requests", "state filter", press(/^State/u)],
  ["requests", "period filter", press(/^Period/u)],
  ["agents", "agent dialog", press("New agent")],
  ["money", "funds dialog", press(/^(?:Top up|Add funds|Add money)/u)]
]

test("axe finds no violation in any overlay, in light and dark", async ({ api, hub, owner, page, upstream }) => {
  const example = await makeExampleWorkspace(api, await upstream())
  await signIn(page, hub, owner)
  const problems: Array<string> = []
  for (const [route, name, open] of overlays) {
    await test.step(name, async () => {
      await visit(page, `/w/$workspace/${route}`, example)
      await open(page)
      const overlay = page.locator("[role=dialog], [role=alertdialog], [role=menu]").first()
      await expect(overlay).toBeVisible()
      problems.push(...(await breaches(page)).map((breach) => `${name}: ${breach}`))
      await page.keyboard.press("Escape")
      await expect(overlay).toHaveCount(0)
    })
  }
  expect(problems).toEqual([])
})

test("the previewed requests of a standing approval scroll by keyboard", async ({ api, hub, owner, page, upstream }) => {
  const { approvals: [id = ""] } = await api.waiting(await upstream(), 12)
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/approvals/${id}`)
  await press("Approve similar requests from now on")(page)
  const tried = page.getByRole("list", { name: "The last requests, newest first" })
  await expect(tried).toBeVisible()
  expect(await tried.evaluate((list) => list.scrollHeight > list.clientHeight), "the list is longer than its box").toBe(
    true
  )
  await tried.focus()
  await expect(tried).toBeFocused()
  await page.keyboard.press("End")
  await expect.poll(() => tried.evaluate((list) => list.scrollTop)).toBeGreaterThan(0)
  expect(await breaches(page, ["light"])).toEqual([])
})
