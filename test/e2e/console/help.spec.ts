/** Help in context: links to the documentation that the hub serves, and the keys of the open screen. */
import type { Page } from "@playwright/test"
import { expect, expectAccessible, signIn, test } from "../../support/console.ts"

const learnMore = (page: Page) => page.getByRole("link", { name: /^Learn more about / })

test("Learn more leads to an existing page or section of the hub's documentation from every screen that offers it", async ({ api, hub, owner, page }) => {
  const agent = await api.agent({ monthly_budget_cents: 500 })
  await signIn(page, hub, owner)
  const topics: Array<string> = []
  for (
    const [path, count] of [["inbox", 1], ["standing", 1], ["policies", 1], ["catalog", 1], ["devices", 1], [
      "money",
      1
    ], [`agents/${agent.id}`, 2]] as const
  ) {
    await page.goto(`/w/${owner.org}/${path}`)
    await expect(learnMore(page), path).toHaveCount(count)
    for (const link of await learnMore(page).all()) topics.push(await link.getAttribute("href") ?? "")
  }
  const guide = await page.context().newPage()
  for (const address of new Set(topics)) {
    const response = await guide.goto(address)
    if (response !== null) expect(response.status(), address).toBe(200)
    const place = new URL(address).hash === "" ? guide.getByRole("heading", { level: 1 }) : guide.locator(":target")
    await expect(place, address).toBeVisible()
  }
  const places = topics.map((address) => new URL(address)).map(({ hash, pathname }) => pathname + hash)
  expect(new Set(places)).toEqual(
    new Set([
      "/docs/approve-requests",
      "/docs/set-budgets",
      "/docs/concepts#bindings",
      "/docs/write-policies",
      "/docs/concepts#services",
      "/docs/connect-devices"
    ])
  )
  await expectAccessible(guide)
})

test("? lists the keys of the open screen, and each of them is bound there", async ({ api, hub, owner, page, upstream }) => {
  const { approvals: [approval = ""] } = await api.waiting(await upstream())
  await signIn(page, hub, owner)
  const keysOf = async (path: string, part = page.getByRole("heading", { level: 1 })) => {
    await page.goto(`/w/${owner.org}/${path}`)
    await expect(part).toBeVisible()
    await expect(page.locator("[data-phase=online]").first()).toBeVisible()
    await page.keyboard.press("?")
    const here = page.getByRole("region", { name: "On this screen" })
    await expect(here).toBeVisible()
    const names = await here.getByRole("listitem").locator("span:first-child").allInnerTexts()
    await page.keyboard.press("Escape")
    await expect(here).toHaveCount(0)
    return names
  }
  const inbox = await keysOf(`inbox?open=${approval}`, page.getByRole("button", { name: /^Approve \$/u }))
  expect(inbox).toEqual(
    expect.arrayContaining([
      "Next row",
      "Previous row",
      "Approve the open request (hold)",
      "Reject the open request",
      "As JSON"
    ])
  )
  const usage = await keysOf("usage")
  expect(usage).toEqual(["Back, or close", "Search or act", "Show these keys"].filter((name) => usage.includes(name)))
  expect(usage).not.toContain("Approve the open request (hold)")
  const audit = await keysOf("audit")
  expect(audit).toContain("Search this list")
  expect(audit).not.toContain("As JSON")
})
