/**
 * An operator's day in one journey, on a separate hub: 30 pending approvals of three agents, typing into the palette, a
 * batch over a cap, two windows on one approval, a restart, an offline period, a phone, and forced colors. At the end
 * the money adds up.
 */
import type { Page } from "@playwright/test"
import { expectNothingSideways } from "../../support/console-looks.ts"
import { apiFor, expect, expectAccessible, signIn, test } from "../../support/console.ts"

test.describe.configure({ timeout: 300_000, retries: 0 })

const cents = 4_200
const perAgent = 10
/** Three of the ten fit. */
const buyerBudget = 3 * cents + 100

const mark = (page: Page) => page.locator("nav [data-phase]")
const foot = (page: Page) => page.locator("footer[aria-label=Decide]")
const approve = (page: Page) => foot(page).getByRole("button", { name: /^Approve/ })
const palette = (page: Page) => page.getByRole("combobox", { name: "Search or act" })

test("an operator decides 30 approvals through every disruption, and nothing is charged twice or over a cap", async ({ browser, newHub, upstream }) => {
  // A long journey, which on a loaded machine exceeds the default timeout.
  test.setTimeout(240_000)
  const shop = await upstream()
  const hub = await newHub()
  const person = await hub.setUp()
  const api = apiFor(hub, person)
  await api.topUp(200_000)
  const service = await api.service(shop, { cents })
  const pending: Record<string, Array<string>> = {}
  const agents: Record<string, string> = {}
  for (const name of ["Scout", "Buyer", "Courier"]) {
    const agent = await api.agent({ name, bindings: [{ service, operations: ["*"] }] })
    agents[name] = agent.id
    const sent = Array.from(
      { length: perAgent },
      (_, at) =>
        api.send(agent, {
          service,
          operation: "buy",
          payload: { item: `${name} ${at}`, note: `for ${name}`, quantity: at + 1 }
        })
    )
    pending[name] = (await Promise.all(sent)).map(({ approval_id }) => approval_id as string)
  }
  const [scout = [], courier = []] = [pending["Scout"], pending["Courier"]]
  await api.call("PATCH", `/agents/${agents["Buyer"]}/budget`, 200, { monthly_budget_cents: buyerBudget })
  const context = await browser.newContext({ baseURL: hub.url, viewport: { width: 1440, height: 900 } })
  await signIn(context, hub, person)
  const page = await context.newPage()
  const open = async (approval: string, where = page) => {
    await where.goto(`/w/${person.org}/approvals/${approval}`)
    await expect(approve(where)).toBeEnabled()
  }
  const statusOf = async (approval: string) => (await api.call("GET", `/approvals/${approval}`, 200)).status as string

  await test.step("text typed into the palette at any delay goes to the screen, and decides nothing", async () => {
    for (const delay of [0, 200, 600, 1_500]) {
      await page.goto(`/w/${person.org}/inbox`)
      await expect(page.getByRole("link", { name: /Inbox/ }).first()).toContainText("30")
      await page.keyboard.press("Control+k")
      // The person's pause, not a wait for the page.
      await page.waitForTimeout(delay)
      await page.keyboard.type("Audit")
      await expect(palette(page), `after ${delay} ms`).toHaveValue("Audit")
      await page.keyboard.press("Enter")
      await expect(page).toHaveURL(/\/audit$/)
    }
    expect((await api.call("GET", "/approvals?limit=200", 200)).data).toHaveLength(3 * perAgent)
  })

  await test.step("a batch over a cap executes what fits and names the rest", async () => {
    await page.goto(`/w/${person.org}/inbox?q=Buyer`)
    await page.getByRole("button", { name: "Select all" }).click()
    await expect(page.getByText("10 selected, $420.00")).toBeVisible()
    await page.keyboard.press("b")
    const dialog = page.getByRole("dialog", { name: "Decide 10 approvals" })
    await expect(dialog.getByText("3 requests fit the limits, $126.00 in all. 7 would be blocked.")).toBeVisible()
    await dialog.getByLabel("Approve the 7 that would be blocked too").check()
    await dialog.getByRole("button", { name: /^Approve 10 for \$420\.00/ }).click()
    await expect(dialog.getByRole("button", { name: "Done" })).toBeVisible({ timeout: 60_000 })
    await dialog.getByRole("button", { name: "Done" }).click()
    const requests = (await api.call("GET", `/service-requests?agent_id=${agents["Buyer"]}&limit=200`, 200))
      .data as ReadonlyArray<{ readonly status: string }>
    expect(requests.filter(({ status }) => status === "executed")).toHaveLength(3)
    expect(requests.filter(({ status }) => status === "blocked")).toHaveLength(perAgent - 3)
  })

  await test.step("one approval in two windows is executed once, and both show the decision", async () => {
    const other = await context.newPage()
    await Promise.all([open(scout[0] ?? ""), open(scout[0] ?? "", other)])
    await Promise.all([approve(page).click(), approve(other).click().catch(() => {})])
    for (const each of [page, other]) {
      await expect(foot(each)).toContainText(/Executed, \$42\.00 debited|in progress at the provider/)
    }
    expect(await statusOf(scout[0] ?? "")).toBe("approved")
    await other.close()
  })

  await test.step("a restarted hub reconnects by itself, with the approval unchanged", async () => {
    await open(courier[0] ?? "")
    await hub.kill()
    await expect(page.getByText(/^Not connected since/)).toBeVisible()
    await expect(approve(page)).toBeDisabled()
    await hub.restart()
    await expect(mark(page)).toHaveText("Live", { timeout: 60_000 })
    await expect(approve(page)).toBeEnabled()
    await approve(page).click()
    await expect(foot(page)).toContainText("Executed, $42.00 debited.")
  })

  await test.step("all decisions are disabled offline, and enabled back online", async () => {
    await open(courier[1] ?? "")
    await context.setOffline(true)
    await expect(mark(page)).toHaveText("Not connected")
    await expect(approve(page)).toBeDisabled()
    await context.setOffline(false)
    await expect(mark(page)).toHaveText("Live")
    await approve(page).click()
    await expect(foot(page)).toContainText("Executed, $42.00 debited.")
  })

  await test.step("on a phone", async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await open(courier[2] ?? "")
    await expectNothingSideways(page)
    await approve(page).click()
    await expect(foot(page)).toContainText("Executed, $42.00 debited.")
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  await test.step("in forced colors", async () => {
    await page.emulateMedia({ forcedColors: "active" })
    await open(courier[3] ?? "")
    await expectAccessible(page)
    await approve(page).click()
    await expect(foot(page)).toContainText("Executed, $42.00 debited.")
  })

  await test.step("the money adds up", async () => {
    const executed = 3 + 1 + 4
    const balance = await api.call("GET", "/balance", 200)
    expect(balance).toMatchObject({ balance_cents: 200_000 - executed * cents, held_cents: 0 })
    expect(shop.received).toHaveLength(executed)
    expect((await api.call("GET", "/approvals?limit=200", 200)).data, "the rest is still pending").toHaveLength(
      3 * perAgent - perAgent - 1 - 4
    )
  })
  await context.close()
})
