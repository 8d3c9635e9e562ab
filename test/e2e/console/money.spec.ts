/** Money: the wallet, the budgets of agents, every transfer, and a top-up that happens once. */
import type { Page } from "@playwright/test"
import { type ConsoleHub, expect, expectAccessible, type Person, signIn, test } from "../../support/console.ts"

const rows = (page: Page) =>
  page.getByRole("grid", { name: "Entries of the ledger, newest first" }).getByRole("row").filter({
    has: page.getByRole("gridcell")
  })
const wallet = (page: Page) => page.getByRole("region", { name: "Wallet" })

const open = async (page: Page, hub: ConsoleHub, person: Person, path = "") => {
  await signIn(page, hub, person)
  await page.goto(`/w/${person.org}/money${path}`)
}

test("a top-up that is clicked twice happens once, and both of its entries are in the ledger", async ({ api, hub, owner, page }) => {
  await open(page, hub, owner)
  await expect(wallet(page)).toContainText("$0.00")
  await expect(page.getByText("No transfers yet.")).toBeVisible()
  await expectAccessible(page)
  await page.getByRole("button", { name: "Add funds" }).click()
  const asking = page.getByRole("dialog", { name: "Add funds to the wallet" })
  await expect(page).toHaveURL(/act=top-up/)
  await expectAccessible(page)
  await asking.getByRole("button", { name: "Add funds", exact: true }).click()
  await expect(asking.getByText("Enter an amount such as 25.00")).toBeVisible()
  await asking.getByLabel("Amount").fill("12.345")
  await expect(asking.getByText("Enter an amount such as 25.00")).toBeVisible()
  await asking.getByLabel("Amount").fill("1,000,000,000.01")
  await expect(asking.getByText("At most $1,000,000,000.00 at a time.")).toBeVisible()
  await asking.getByLabel("Amount").fill("1,250.00")
  await asking.getByLabel("Note").fill("Invoice 7")
  await expect(asking.getByText("$1,250.00 available afterwards")).toBeVisible()
  await asking.getByRole("button", { name: "Add $1,250.00" }).dblclick()
  await expect(asking).toHaveCount(0)
  await expect(page.getByText("$1,250.00 added. $1,250.00 available.")).toBeVisible()
  await expect(wallet(page)).toContainText("$1,250.00")
  await expect(rows(page)).toHaveCount(2)
  await expect(rows(page).filter({ hasText: "Wallet" })).toContainText("+$1,250.00")
  await expect(rows(page).filter({ hasText: "Outside" })).toContainText("−$1,250.00")
  await expect(rows(page).first()).toContainText("Invoice 7")
  expect((await api.call("GET", "/balance", 200)).balance_cents).toBe(125_000)
})

test("a top-up whose answer was lost is sent again under the same key", async ({ api, hub, owner, page, problems }) => {
  problems.expected.push(/./)
  await open(page, hub, owner, "?act=top-up")
  const keys: Array<string | undefined> = []
  let isLost = true
  await page.route("**/api/v1/balance/top-up", async (route) => {
    keys.push(route.request().headers()["idempotency-key"])
    if (!isLost) return route.continue()
    // The hub has added the funds; its answer never arrives, for all automatic retries of the client.
    await route.fetch()
    await route.abort()
  })
  const asking = page.getByRole("dialog", { name: "Add funds to the wallet" })
  await asking.getByRole("button", { name: "$50.00" }).click()
  await asking.getByLabel("Amount").press("Enter")
  await expect(asking.getByText("No response from the hub")).toBeVisible({ timeout: 45_000 })
  await expect(asking.getByText("The hub may have acted. Check the list before you try again.")).toBeVisible()
  isLost = false
  await asking.getByRole("button", { name: "Add $50.00" }).click()
  await expect(asking).toHaveCount(0)
  expect(keys.length).toBeGreaterThan(1)
  expect(new Set(keys).size).toBe(1)
  expect((await api.call("GET", "/balance", 200)).balance_cents).toBe(5_000)
})

test("budgets are bars with the remaining amount, operations below them, and a freeze is shown", async ({ api, hub, owner, page, upstream }) => {
  await api.topUp(100_000)
  const shop = await api.service(await upstream(), { cents: 300 })
  const scout = await api.agent({
    name: "Scout",
    monthly_budget_cents: 1_000,
    bindings: [{ service: shop, operations: ["*"], monthly_cap_cents: 700, daily_request_limit: 5 }]
  })
  await api.agent({ name: "Quill" })
  await api.send(scout, { service: shop, operation: "buy" })
  await open(page, hub, owner)
  const budgets = page.getByRole("region", { name: "Budgets this month" })
  await expect(budgets.getByRole("img", { name: "Scout: $3.00 spent and $0.00 held of $10.00" })).toBeVisible()
  await expect(budgets).toContainText("$7.00 left · $3.00 spent")
  await expect(budgets.getByRole("listitem").filter({ hasText: "Quill" })).toContainText("no budget")
  await budgets.getByRole("button", { name: "Scout: Operations" }).click()
  await expect(budgets.getByRole("img", { name: `${shop}.buy: $3.00 spent and $0.00 held of $7.00` })).toBeVisible()
  await expect(budgets).toContainText("1 of 5 requests today")
  await expect(wallet(page)).toContainText("SpendingActive")
  await expectAccessible(page)
  await page.emulateMedia({ colorScheme: "dark" })
  await expectAccessible(page)

  await expect(page.locator("[data-phase=online]")).toBeVisible()
  await api.send(scout, { service: shop, operation: "buy" })
  await expect(budgets).toContainText("$4.00 left · $6.00 spent")
  await expect(wallet(page)).toContainText("$994.00")
  await api.call("PATCH", `/workspaces/${owner.org}`, 200, { frozen: true })
  await expect(wallet(page)).toContainText("Frozen for the whole workspace")
})

test("the ledger is filtered by account, by link and by chip, and links to the request", async ({ api, hub, owner, page }) => {
  await api.topUp(500)
  const agent = await api.agent({ name: "Scout" })
  const { id } = await api.send(agent, { service: "echo", operation: "say" })
  await signIn(page, hub, owner)
  for (const [account, count] of [["org", 2], ["external", 1], ["revenue", 1]] as const) {
    await page.goto(`/w/${owner.org}/money?account=${account}`)
    await expect(rows(page), account).toHaveCount(count)
  }
  await page.goto(`/w/${owner.org}/money?account=team`)
  await expect(page.getByText("No entries of this account.")).toBeVisible()
  await page.goto(`/w/${owner.org}/money`)
  await expect(rows(page)).toHaveCount(4)
  await page.getByRole("button", { name: "Account", exact: true }).click()
  await page.getByRole("radio", { name: "Providers" }).click()
  await expect(page).toHaveURL(/\?account=revenue$/)
  await expect(rows(page)).toHaveCount(1)
  await page.goBack()
  await expect(rows(page)).toHaveCount(4)
  await page.goForward()
  await expect(rows(page)).toHaveCount(1)
  await rows(page).getByRole("link", { name: /^Request/ }).click()
  await expect(page).toHaveURL(new RegExp(`/requests/${id}$`))
})

test("a viewer is offered no top-up, and on a phone nothing is cut off", async ({ api, hub, owner, page }) => {
  await api.topUp(500)
  const viewer = await hub.person({ name: "Vera", org: owner.org, role: "viewer" })
  await page.setViewportSize({ width: 390, height: 844 })
  await open(page, hub, viewer, "?act=top-up")
  await expect(wallet(page)).toContainText("$5.00")
  await expect(rows(page)).toHaveCount(2)
  await expect(page.getByRole("button", { name: "Add funds" })).toHaveCount(0)
  await expect(page.getByRole("dialog")).toHaveCount(0)
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false)
  await expectAccessible(page)
})
