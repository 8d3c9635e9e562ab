/** Usage: the spending of a period, selected by pointer or keys, broken down, listed, and exported as CSV. */
import type { Page } from "@playwright/test"
import { readFile } from "node:fs/promises"
import {
  type ConsoleHub,
  expect,
  expectAccessible,
  type Person,
  type PersonApi,
  signIn,
  test
} from "../../support/console.ts"

const total = (page: Page) => page.getByRole("group", { name: "Spent" })
const chart = (page: Page) => page.getByRole("application", { name: /^Cost per day/ })
const records = (page: Page) =>
  page.getByRole("grid", { name: "Executed requests, newest first" }).getByRole("row").filter({
    has: page.getByRole("gridcell")
  })
const day = (millis: number) => new Date(millis).toISOString().slice(0, 10)
const dayMillis = 86_400_000

const open = async (page: Page, hub: ConsoleHub, owner: Person, query = "") => {
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/usage${query}`)
}

/** Two agents, two services: $4.03 today, one request blocked. `today` is the hub's. */
const spent = async (api: PersonApi, origin: string) => {
  await api.topUp(10_000)
  await api.call("POST", "/services", 201, {
    name: "maps",
    title: "Maps",
    kind: "http",
    base_url: origin,
    operations: [{
      name: "route",
      method: "POST",
      path: "/route",
      price: { type: "fixed", cents: 200 },
      payload_schema: { type: "object" }
    }]
  })
  const scout = await api.agent({
    name: "Scout",
    bindings: [{ service: "maps", operations: ["*"] }, { service: "echo", operations: ["*"], daily_request_limit: 3 }]
  })
  const quill = await api.agent({ name: "Quill", bindings: [{ service: "maps", operations: ["*"] }] })
  for (let count = 0; count < 3; count++) await api.send(scout, { service: "echo", operation: "say" })
  await api.send(scout, { service: "echo", operation: "say" })
  await api.send(scout, { service: "maps", operation: "route" })
  const last = await api.send(quill, { service: "maps", operation: "route" })
  return { scout, quill, today: String(last.created_at).slice(0, 10) }
}

test("a period is selected by dragging over the bars and by keys, and is in the address", async ({ api, hub, owner, page, upstream }) => {
  const { today } = await spent(api, (await upstream()).origin)
  const at = Date.parse(today)
  await open(page, hub, owner)
  await expect(total(page)).toContainText("$4.03")
  await expect(total(page)).toContainText("nothing in the 30 days before")
  await expect(total(page)).toContainText("5 requests executed · 1 blocked")
  await expectAccessible(page)
  await page.emulateMedia({ colorScheme: "dark" })
  await expectAccessible(page)

  const box = await chart(page).boundingBox()
  if (box === null) throw new Error("the chart is not drawn")
  const step = (box.width - 56) / 30
  const x = (index: number) => box.x + 56 + step * (index + 0.5)
  const y = box.y + box.height / 2
  await page.mouse.move(x(20), y)
  await page.mouse.down()
  await page.mouse.move(x(23), y, { steps: 4 })
  await page.mouse.move(x(27), y, { steps: 4 })
  await expect(page).not.toHaveURL(/from=/)
  await page.mouse.up()
  await expect(page).toHaveURL(new RegExp(`\\?from=${day(at - 9 * dayMillis)}&to=${day(at - 2 * dayMillis)}$`))
  await expect(total(page)).toContainText("$0.00")
  await expect(total(page)).toContainText("nothing in the 8 days before")
  await expect(page.getByText("No record matches these filters.")).toBeVisible()
  await page.goBack()
  await expect(page).not.toHaveURL(/from=/)
  await expect(total(page)).toContainText("$4.03")

  await chart(page).focus()
  await page.keyboard.press("End")
  await expect(chart(page)).toContainText("$4.03")
  await page.keyboard.press("ArrowLeft")
  await expect(chart(page)).toContainText("$0.00")
  await page.keyboard.press("End")
  await page.keyboard.press("Shift+ArrowLeft")
  await page.keyboard.press("Shift+ArrowLeft")
  await expect(page).toHaveURL(new RegExp(`\\?from=${day(at - 2 * dayMillis)}&to=${today}$`))
  await expect(total(page)).toContainText("nothing in the 3 days before")
  await page.keyboard.press("Escape")
  await expect(page).not.toHaveURL(/from=/)
})

test("every filter works by its link and by its chip", async ({ api, hub, owner, page, upstream }) => {
  const { quill, today } = await spent(api, (await upstream()).origin)
  await signIn(page, hub, owner)
  const links: ReadonlyArray<readonly [query: string, sum: string, count: number]> = [
    [`agent_id=${quill.id}`, "$2.00", 1],
    ["service=maps", "$4.00", 2],
    ["service=echo&operation=say", "$0.03", 3],
    ["mode=live", "$4.03", 5],
    ["mode=test", "$0.00", 0],
    [`from=${today}&to=${today}`, "$4.03", 5],
    [`from=${today}`, "$4.03", 5],
    ["from=2020-01-01&to=2020-01-31", "$0.00", 0]
  ]
  for (const [query, sum, count] of links) {
    await page.goto(`/w/${owner.org}/usage?${query}`)
    await expect(total(page), query).toContainText(sum)
    await expect(records(page), query).toHaveCount(count)
  }
  await page.goto(`/w/${owner.org}/usage`)
  const chip = (name: string) =>
    page.getByRole("search", { name: "Filters" }).getByRole("button", { name, exact: true })
  await chip("Agent").click()
  await page.getByRole("radio", { name: "Scout" }).click()
  await expect(total(page)).toContainText("$2.03")
  await chip("Service").click()
  await page.getByRole("radio", { name: "echo" }).click()
  await expect(total(page)).toContainText("$0.03")
  await chip("Period").click()
  await page.getByRole("button", { name: "Last 7 days" }).click()
  await expect(page).toHaveURL(/from=\d{4}-\d\d-\d\d&to=/)
  await page.goBack()
  await page.goBack()
  await expect(total(page)).toContainText("$2.03")
  await page.goForward()
  await expect(total(page)).toContainText("$0.03")
  await page.getByRole("button", { name: "Clear filters" }).click()
  await expect(total(page)).toContainText("$4.03")
})

test("usage is counted in requests, broken down three ways on one scale, and shown as a table", async ({ api, hub, owner, page, upstream }) => {
  await spent(api, (await upstream()).origin)
  await open(page, hub, owner)
  const part = (name: string) => page.getByRole("listitem").filter({ has: page.getByText(name, { exact: true }) })
  await expect(part("maps")).toContainText("$4.00")
  await expect(part("echo")).toContainText("$0.03")
  await page.getByRole("tab", { name: "By agent" }).click()
  await expect(page).toHaveURL(/by=agent/)
  await expect(part("Scout")).toContainText("$2.03")
  await page.getByRole("tab", { name: "By operation" }).click()
  await expect(part("maps.route")).toContainText("$4.00")
  await page.getByRole("tab", { name: "Requests" }).click()
  await expect(page).toHaveURL(/measure=requests/)
  await expect(page.getByRole("group", { name: "Executed" })).toContainText("5")
  await expect(part("echo.say")).toContainText("3")
  await page.getByRole("button", { name: "As table" }).click()
  const table = page.getByRole("table").filter({ hasText: "Blocked" })
  await expect(table.getByRole("row")).toHaveCount(31)
  await expect(table.getByRole("row").last()).toContainText("516")
  await expectAccessible(page)
})

test("records link to their requests, update live, and are exported as CSV of this workspace", async ({ api, hub, owner, page, upstream }) => {
  const { scout } = await spent(api, (await upstream()).origin)
  const elsewhere = await hub.workspace("Elsewhere")
  await hub.join(owner, elsewhere)
  expect(
    (await hub.api("POST", "/workspaces/switch", { cookie: owner.cookie, body: { workspace_id: elsewhere } })).status
  ).toBe(200)
  await open(page, hub, owner, "?service=echo")
  await expect(records(page)).toHaveCount(3)
  const loading = page.waitForEvent("download")
  await page.getByRole("link", { name: "Export CSV" }).click()
  const file = await loading
  expect(file.suggestedFilename()).toBe(`usage-${owner.org}.csv`)
  const lines = (await readFile(await file.path(), "utf8")).trim().split("\r\n")
  expect(lines).toHaveLength(4)
  expect(lines[0]).toBe("id,service_request_id,agent_id,mode,service,operation,cost_cents,created_at")
  await page.goto(`/w/${owner.org}/usage`)
  await expect(page.locator("[data-phase=online]")).toBeVisible()
  await expect(total(page)).toContainText("$4.03")
  await api.send(scout, { service: "maps", operation: "route" })
  await expect(total(page)).toContainText("$6.03")
  await records(page).first().click()
  await expect(page).toHaveURL(/\/requests\/req_/)
})

test("on a phone nothing is cut off, and a workspace without usage explains itself", async ({ api, hub, owner, page, upstream }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await open(page, hub, owner)
  await expect(page.getByText("No agent has executed anything in the last 30 days.")).toBeVisible()
  await expectAccessible(page)
  await spent(api, (await upstream()).origin)
  await page.reload()
  await expect(total(page)).toContainText("$4.03")
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false)
  await expectAccessible(page)
})
