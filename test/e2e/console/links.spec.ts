/**
 * A link carries the filters of a list: rows and export use the same filters, and filters that the list cannot apply
 * are named.
 */
import { expect, expectAccessible, signIn, test } from "../../support/console.ts"

test("the inbox searches in the hub, and the export has the same rows", async ({ api, hub, owner, page, upstream }) => {
  const { agent, service } = await api.waiting(await upstream(), 2)
  const wanted = await api.send(agent, { service, operation: "buy", payload: { item: "Lighthouse" } })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/inbox`)
  const rows = page.locator("[data-row]")
  await expect(page).toHaveURL(/open=apr_/)
  await expect(rows).toHaveCount(3)
  const asked = page.waitForRequest((request) => new URL(request.url()).searchParams.get("q") === "lighthouse")
  await page.getByPlaceholder("Search agent, operation, payload, seal").fill("lighthouse")
  expect(new URL((await asked).url()).pathname).toBe("/api/v1/approvals")
  await expect(rows).toHaveCount(1)
  // The open item does not match, so the first match replaces it.
  await expect(page).toHaveURL(new RegExp(`open=${wanted.approval_id}`))
  await page.getByRole("button", { name: "Export" }).click()
  const href = await page.getByRole("menuitem", { name: "CSV" }).getAttribute("href")
  expect(new URL(href ?? "", hub.url).searchParams.get("q")).toBe("lighthouse")
  const file = await (await page.request.get(new URL(href ?? "", hub.url).href)).text()
  expect(file.trim().split("\r\n").slice(1).map((line) => line.split(",")[0])).toEqual([wanted.approval_id])
  await page.keyboard.press("Escape")
  await page.reload()
  await expect(rows).toHaveCount(1)
  await expect(page.locator(`[data-row="${wanted.approval_id}"]`)).toBeVisible()
})

test.describe("a mistyped filter in a link", () => {
  for (
    const [screen, query, named, endpoint] of [
      ["inbox", "agent_id=scout&min_cents=ten", ["agent_id=scout", "min_cents=ten"], "approvals"],
      ["inbox", "workspace=org_01m7yv35bpezt9xwsd437r9jg8", ["workspace=org_01m7yv35bpezt9xwsd437r9jg8"], "approvals"],
      ["requests", "status=broken&agent=Scout", ["status=broken", "agent=Scout"], "service-requests"],
      ["audit", "agent_id=scout&from=tomorrow", ["agent_id=scout", "from=tomorrow"], "audit-logs"],
      ["agents", "status=sleeping&sort=color", ["status=sleeping", "sort=color"], "agents"]
    ] as const
  ) {
    test(`of ${screen} is named, does not filter rows or export, and is removed by one press: ${query}`, async ({ api, hub, owner, page, upstream }) => {
      const { approvals } = await api.waiting(await upstream(), 2)
      await signIn(page, hub, owner)
      await page.goto(`/w/${owner.org}/${screen}?${query}`)
      const notice = page.getByRole("status").filter({ hasText: "can't be used here" })
      for (const each of named) await expect(notice.getByText(each, { exact: true })).toBeVisible()
      const rows = screen === "inbox"
        ? page.locator("[data-row]")
        : page.getByRole("grid").getByRole("row").filter({ hasNot: page.getByRole("columnheader") })
      await expect(rows.first()).toBeVisible()
      const before = await rows.count()
      expect(before).toBeGreaterThanOrEqual(screen === "agents" ? 1 : approvals.length)
      await page.getByRole("button", { name: "Export" }).click()
      const href = await page.getByRole("menuitem", { name: "CSV" }).getAttribute("href")
      expect(href).toContain(endpoint)
      for (const each of named) expect(href).not.toContain(each.split("=")[1])
      await page.keyboard.press("Escape")
      await expectAccessible(page)
      await notice.getByRole("button", { name: "Remove from link" }).click()
      await expect(notice).toHaveCount(0)
      await expect(rows).toHaveCount(before)
      expect(new URL(page.url()).search).not.toContain("ignored")
      for (const each of named) expect(page.url()).not.toContain(each.split("=")[1])
    })
  }
})
