/**
 * Budget alerts: shown once to people in the console, marked beside Agents until seen there, and on the budget while
 * its level is exceeded.
 */
import type { Page } from "@playwright/test"
import { expect, expectAccessible, signIn, test } from "../../support/console.ts"

const echo = { service: "echo", operation: "say" }
const live = "[data-phase=online]"
const mark = (page: Page) =>
  page.locator("nav[aria-label=Main]:visible").getByLabel(/budgets? ha(s|ve) reached a level/)
const notices = (page: Page) => page.getByRole("region", { name: "Notices" })

test("a budget above a level is shown once, is marked until it was seen, and stays marked on the agent", async ({ api, hub, owner, page }) => {
  await api.topUp(1_000)
  const agent = await api.agent({ monthly_budget_cents: 4 })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/requests`)
  await expect(page.locator(live)).toBeVisible()
  await expect(mark(page)).toHaveCount(0)
  for (let sent = 0; sent < 2; sent++) await api.send(agent, echo)
  await expect(notices(page)).toContainText("Scout: 50 % of its monthly budget is used, $0.02 of $0.04.")
  await expect(mark(page)).toHaveText("1")
  await page.reload()
  await expect(mark(page), "it is remembered until it was seen").toHaveText("1")
  await expect(notices(page), "and not shown again").not.toContainText("Scout")
  await page.getByRole("link", { name: /Agents/ }).first().click()
  const row = page.getByRole("row", { name: /Scout/ })
  await expect(row.getByRole("img", { name: "50 % of its monthly budget is used: $0.02 of $0.04" })).toHaveText(
    "50 % of monthly budget"
  )
  await expect(page.getByLabel("Fleet health")).toContainText("1 budget has reached a level")
  await expect(mark(page)).toHaveCount(0)
  await expectAccessible(page)
  await page.goto(`/w/${owner.org}/money`)
  await expect(page.locator(live)).toBeVisible()
  await expect(page.getByRole("img", { name: "50 % of its monthly budget is used: $0.02 of $0.04" })).toBeVisible()
  await expect(mark(page), "seen is seen, after a reload too").toHaveCount(0)
  // At the end of the budget the alert is shown again, and links to the agent.
  for (let sent = 0; sent < 2; sent++) await api.send(agent, echo)
  await expect(mark(page)).toHaveText("1")
  await notices(page).getByRole("listitem").filter({ hasText: "100 % of its monthly budget is used" }).getByRole(
    "button",
    { name: "Open" }
  ).click()
  await expect(page).toHaveURL(`/w/${owner.org}/agents/${agent.id}`)
  await expect(page.getByText("Level reached")).toBeVisible()
  await expect(mark(page)).toHaveCount(0)
  await expectAccessible(page)
  // A higher budget removes the mark without a reload.
  await api.call("PATCH", `/agents/${agent.id}/budget`, 200, { monthly_budget_cents: 1_000 })
  await expect(page.getByText("Level reached")).toHaveCount(0)
})

test("an operation's caps are marked in place, and a person who was away finds the mark", async ({ api, hub, owner, page }) => {
  await api.topUp(1_000)
  const agent = await api.agent({
    bindings: [{ service: "echo", operations: ["say"], monthly_cap_cents: 2, daily_request_limit: 1 }]
  })
  await api.send(agent, echo)
  await expect.poll(async () => (await api.call("GET", "/budget-alerts", 200)).data.length).toBe(2)
  await page.setViewportSize({ width: 390, height: 844 })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/inbox`)
  await expect(mark(page)).toBeVisible()
  await page.goto(`/w/${owner.org}/agents/${agent.id}`)
  await expect(page.getByRole("img", { name: "50 % of the monthly cap of echo.say is used: $0.01 of $0.02" }))
    .toBeVisible()
  await expect(page.getByRole("img", { name: "100 % of the daily limit of echo.say is used: 1 of 1" })).toBeVisible()
  await expect(mark(page)).toHaveCount(0)
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  await expectAccessible(page)
})

test("test requests set no mark, and the workspace's own levels apply", async ({ api, hub, owner, page }) => {
  await api.topUp(1_000)
  await api.call("PATCH", `/workspaces/${owner.org}`, 200, { alert_levels: [25] })
  const trial = await api.agent({ name: "Trial", mode: "test", monthly_budget_cents: 1 })
  await api.send(trial, echo)
  const agent = await api.agent({ monthly_budget_cents: 4 })
  await api.send(agent, echo)
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/audit?action=budget.alert`)
  await expect(page.getByText("Budget alert level reached").first()).toBeVisible()
  await expect(mark(page)).toHaveText("1")
  const { data } = await api.call("GET", "/budget-alerts", 200)
  expect(data.map(({ agent, level }: { agent: { name: string }; level: number }) => [agent.name, level])).toEqual([[
    "Scout",
    25
  ]])
})
