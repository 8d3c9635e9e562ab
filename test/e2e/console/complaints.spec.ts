/** Complaints about similar products that no other journey covers. packages/ui/README.md has the whole list. */
import { apiFor, expect, expectAccessible, signIn, test } from "../../support/console.ts"

test("another screen or tab shows that approvals are pending", async ({ api, hub, owner, page, upstream }) => {
  const { agent, service } = await api.waiting(await upstream())
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/policies`)
  const count = page.locator("nav[aria-label=Main]:visible").getByLabel("1 pending approval")
  await expect(count).toHaveText("1")
  await expect(page).toHaveTitle("(1) Policies · Acme · Countersign")
  const { approval_id } = await api.send(agent, { service, operation: "buy", payload: { item: "Another" } })
  await expect(page).toHaveTitle("(2) Policies · Acme · Countersign")
  await api.call("POST", `/approvals/${approval_id}/reject`, 200, {})
  await expect(page).toHaveTitle("(1) Policies · Acme · Countersign")
  await page.goto(`/w/${owner.org}/inbox`)
  await expect(page).toHaveTitle("(1) Inbox · Acme · Countersign")
})

test("requests that arrive while the connection is lost are in the inbox after a reconnect and after a reload", async ({ browser, newHub, upstream }) => {
  const hub = await newHub()
  const person = await hub.setUp()
  const api = apiFor(hub, person)
  const { agent, service, approvals: [first = ""] } = await api.waiting(await upstream())
  const context = await browser.newContext({ baseURL: hub.url })
  await signIn(context, hub, person)
  const page = await context.newPage()
  await page.goto(`/w/${person.org}/inbox`)
  await expect(page.locator(`[data-row="${first}"]`)).toBeVisible()
  // The hub stays up for everyone else: only this browser cannot reach it.
  await context.route("**/api/**", (route) => route.abort())
  await hub.kill()
  await hub.restart()
  await expect(page.getByText(/Not connected since/)).toBeVisible()
  await api.topUp(10_000)
  const { approval_id: second } = await api.send(agent, { service, operation: "buy", payload: { item: "Unheard" } })
  await api.call("POST", `/approvals/${first}/reject`, 200, {})
  await context.unroute("**/api/**")
  await expect(page.locator(`[data-row="${first}"]`), "decided elsewhere").toContainText("Rejected by Ada", {
    timeout: 30_000
  })
  // New rows stay behind their bar, so that nothing moves under the pointer.
  await page.getByRole("button", { name: /^1 new/ }).click()
  await expect(page.locator(`[data-row="${second}"]`)).toBeVisible()
  await page.reload()
  await expect(page.locator(`[data-row="${second}"]`)).toBeVisible()
  await expect(page.locator(`[data-row="${first}"]`)).toHaveCount(0)
  await context.close()
})

test("a whole payload is readable before its approval, at any length and width", async ({ api, hub, owner, page, upstream }) => {
  const { agent, service } = await api.waiting(await upstream())
  const note = `begin ${"rm -rf /srv/archive/2026 && ".repeat(60)}${"x".repeat(400)} the-very-end`
  const { approval_id } = await api.send(agent, {
    service,
    operation: "buy",
    payload: { item: "Broom", quantity: 1, note }
  })
  await signIn(page, hub, owner)
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await page.goto(`/w/${owner.org}/approvals/${approval_id}`)
    const article = page.getByRole("article")
    await expect(article.getByText("the-very-end")).toBeVisible()
    const end = await article.getByText("the-very-end").evaluate((element) => {
      const { clientWidth, scrollWidth } = element as HTMLElement
      return {
        cut: scrollWidth > clientWidth + 1,
        clamped: getComputedStyle(element).textOverflow === "ellipsis" && scrollWidth > clientWidth
      }
    })
    expect(end).toEqual({ cut: false, clamped: false })
    await expect(article).toContainText(agent.name)
    await expect(article).toContainText(`${service}.buy`)
    await expect(article).toContainText("$42.00")
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    // The raw JSON is one key away.
    await page.keyboard.press("v")
    await page.keyboard.press("j")
    await expect(page.getByRole("tab", { name: "JSON" })).toHaveAttribute("aria-selected", "true")
    await expect(article.getByText("the-very-end")).toBeVisible()
    await expectAccessible(page)
  }
})
