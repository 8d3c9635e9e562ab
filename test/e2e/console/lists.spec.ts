/** Lists in the order of a column's head, and the chips of requests and of the audit log. */
import type { Page } from "@playwright/test"
import { readFile } from "node:fs/promises"
import { type Desk, expect, expectAccessible, signIn, test } from "../../support/console.ts"

const rowsOf = (page: Page, grid: string) =>
  page.getByRole("grid", { name: grid }).getByRole("row").filter({ has: page.getByRole("gridcell") })
const head = (page: Page, name: string) => page.getByRole("columnheader", { name, exact: true })
const chip = (page: Page, name: string) =>
  page.getByRole("search", { name: "Filters" }).getByRole("button", { name, exact: true })

/** Requests that cost 300, 1 and 20 cents, one that waits at $42.00, and one that is blocked. */
const requests = async (desk: Desk, origin: string) => {
  await desk.topUp(100_000)
  const operation = (name: string, cents: number) => ({
    name,
    method: "POST",
    path: `/${name}`,
    price: { type: "fixed", cents },
    payload_schema: { type: "object" }
  })
  await desk.call("POST", "/services", 201, {
    name: "desks",
    title: "Desks",
    kind: "http",
    base_url: origin,
    operations: [operation("large", 300), operation("small", 20), operation("buy", 4_200)]
  })
  const agent = await desk.agent({
    name: "Scout",
    bindings: [{ service: "desks", operations: ["*"] }, { service: "echo", operations: ["*"] }]
  })
  const send = (service: string, operation: string) => desk.send(agent, { service, operation })
  const large = await send("desks", "large")
  const cent = await send("echo", "say")
  const small = await send("desks", "small")
  const waiting = await send("desks", "buy")
  const blocked = await send("echo", "none")
  return { agent, large, cent, small, waiting, blocked }
}

test("requests are sorted by the head of a column, by pointer and by keyboard, and a link and a view keep the order", async ({ desk, hub, owner, page, upstream }) => {
  await requests(desk, (await upstream()).origin)
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/requests?status=executed`)
  const rows = rowsOf(page, "Requests")
  await expect(rows).toHaveCount(3)
  await expect(head(page, "Asked")).toHaveAttribute("aria-sort", "descending")
  await expect(head(page, "Cost")).toHaveAttribute("aria-sort", "none")
  await expect(head(page, "State")).not.toHaveAttribute("aria-sort")
  await head(page, "Cost").getByRole("button").click()
  await expect(page).toHaveURL(/sort=-cost_cents/)
  await expect(head(page, "Cost")).toHaveAttribute("aria-sort", "descending")
  await expect(head(page, "Asked")).toHaveAttribute("aria-sort", "none")
  await expect(rows.first()).toContainText("desks.large")
  await expect(rows.last()).toContainText("echo.say")
  await expectAccessible(page)

  await head(page, "Cost").getByRole("button").focus()
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL(/sort=cost_cents/)
  await expect(head(page, "Cost")).toHaveAttribute("aria-sort", "ascending")
  await expect(rows.first()).toContainText("echo.say")
  await page.getByRole("button", { name: "Views" }).click()
  await page.getByRole("menuitem", { name: "Save as new view…" }).click()
  await page.getByRole("dialog", { name: "Save view" }).getByLabel("Name").fill("Cheapest")
  await page.keyboard.press("Enter")
  await expect(page.getByRole("button", { name: "View: Cheapest" })).toBeVisible()
  await head(page, "Cost").getByRole("button").click()
  await expect(page).not.toHaveURL(/sort=/)
  await expect(rows.first()).toContainText("desks.small")
  await head(page, "Asked").getByRole("button").click()
  await expect(page).toHaveURL(/sort=created_at/)
  await expect(rows.first()).toContainText("desks.large")
  await page.goBack()
  await expect(rows.first()).toContainText("desks.small")

  await page.goto(`/w/${owner.org}/requests`)
  await page.getByRole("button", { name: "Views" }).click()
  await page.getByRole("menuitem", { name: "Cheapest" }).click()
  await expect(page).toHaveURL(/sort=cost_cents/)
  await expect(rows.first()).toContainText("echo.say")
  await page.getByRole("button", { name: "Clear filters" }).click()
  await expect(page, "clearing the filters keeps the order").toHaveURL(/\?sort=cost_cents(?:&hide=none)?$/)

  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole("button", { name: "Lowest cost first" }).click()
  await page.getByRole("menuitemradio", { name: "Highest cost first" }).click()
  await expect(rows.first()).toContainText("desks.large")
})

test("agents are sorted by name, by when they were seen, and by what they spent", async ({ desk, hub, owner, page }) => {
  await desk.topUp(1_000)
  await desk.agent({ name: "beta" })
  const spender = await desk.agent({ name: "Gamma" })
  await desk.agent({ name: "Alpha" })
  await desk.send(spender, { service: "echo", operation: "say" })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/agents`)
  const names = async () =>
    (await rowsOf(page, "Agents").getByRole("link").allTextContents()).map((name) => name.trim())
  await expect(rowsOf(page, "Agents")).toHaveCount(3)
  await head(page, "Agent").getByRole("button").click()
  await expect(head(page, "Agent")).toHaveAttribute("aria-sort", "ascending")
  await expect.poll(names).toEqual(["Alpha", "beta", "Gamma"])
  await head(page, "Spent this month").getByRole("button").click()
  await expect(page).toHaveURL(/sort=-spent_this_month_cents/)
  await expect.poll(async () => (await names())[0]).toBe("Gamma")
  await page.goto(`/w/${owner.org}/agents?sort=-name`)
  await expect.poll(names).toEqual(["Gamma", "beta", "Alpha"])
  await expectAccessible(page)
})

test("decided approvals are sorted by time and by amount", async ({ desk, hub, owner, page, upstream }) => {
  const { waiting } = await requests(desk, (await upstream()).origin)
  const cheap = await desk.agent({
    name: "Kestrel",
    bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
  })
  const { approval_id } = await desk.send(cheap, { service: "echo", operation: "say" })
  await desk.call("POST", "/approvals/decide", 200, { decision: "reject", ids: [waiting.approval_id, approval_id] })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/inbox?show=decided`)
  const rows = page.locator("[data-row]")
  await expect(rows.first()).toContainText("Kestrel")
  await page.getByRole("button", { name: "Sort" }).click()
  await page.getByRole("menuitemradio", { name: "Highest amount first" }).click()
  await expect(page).toHaveURL(/sort=-cost_cents/)
  await expect(rows.first()).toContainText("Scout")
  await page.getByRole("button", { name: "Highest amount first" }).click()
  await page.getByRole("menuitemradio", { name: "Oldest first" }).click()
  await expect(rows.first()).toContainText("Scout")
  await page.getByRole("link", { name: "Waiting" }).click()
  await expect(page).not.toHaveURL(/sort=/)
})

test("requests are narrowed by amount and reason, by chips, links, and a row's menu, and the export has the same filter", async ({ desk, hub, owner, page, upstream }) => {
  const { waiting } = await requests(desk, (await upstream()).origin)
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/requests`)
  const rows = rowsOf(page, "Requests")
  await expect(rows).toHaveCount(5)
  await chip(page, "Amount").click()
  await page.getByLabel("At least").fill("3")
  await page.getByRole("button", { name: "Apply" }).click()
  await expect(page).toHaveURL(/min_cents=300/)
  await expect(rows).toHaveCount(2)
  await expect(chip(page, "Amount: at least $3.00")).toBeVisible()
  await chip(page, "Reason").click()
  await page.getByRole("radio", { name: "Above the threshold" }).click()
  await expect(rows).toHaveCount(1)
  await page.getByRole("button", { name: "Export" }).click()
  const link = page.getByRole("menuitem", { name: /^CSV/ })
  await expect(page.getByText("Requests that match the filters")).toBeVisible()
  const [file] = await Promise.all([page.waitForEvent("download"), link.click()])
  const text = await readFile(await file.path(), "utf8")
  expect(text.trim().split("\r\n").slice(1).map((line) => line.split(",")[0])).toEqual([waiting.id])
  await page.goto(`/w/${owner.org}/requests?max_cents=20&sort=cost_cents`)
  await expect(rows.filter({ hasText: "desks.small" })).toHaveCount(1)
  await expect(rows.filter({ hasText: "desks.large" })).toHaveCount(0)
  await page.goto(`/w/${owner.org}/requests`)
  await rows.filter({ hasText: "echo.none" }).getByRole("button", { name: "Acts on echo.none" }).click()
  await page.getByRole("menuitem", { name: "Only this reason" }).click()
  await expect(page).toHaveURL(/reason_code=policy_violation/)
  await expect(rows).toHaveCount(1)
  await expect(chip(page, "Reason: Not allowed")).toBeVisible()
})

test("the audit log is narrowed by outcome, amount, and operation, by chips and links, in its export too", async ({ desk, hub, owner, page, upstream }) => {
  await requests(desk, (await upstream()).origin)
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/audit?action=service_request.*`)
  const rows = rowsOf(page, "Entries of the log")
  await expect(rows.first()).toBeVisible()
  await chip(page, "Outcome").click()
  await page.getByRole("radio", { name: "Blocked", exact: true }).click()
  await expect(page).toHaveURL(/outcome=blocked/)
  await expect(rows).toHaveCount(1)
  await chip(page, "Remove the filter Outcome").click()
  await chip(page, "Operation").click()
  await page.getByRole("textbox", { name: "service.operation" }).fill("desks.large")
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL(/service=desks&operation=large/)
  await expect(chip(page, "Operation: desks.large")).toBeVisible()
  await expect(rows.filter({ hasText: "Request executed" })).toHaveCount(1)
  await expect(rows.filter({ hasText: "Request blocked" })).toHaveCount(0)
  await chip(page, "Remove the filter Operation").click()
  await expect(page).not.toHaveURL(/service=desks/)
  await chip(page, "Amount").click()
  await page.getByLabel("At least").fill("3")
  await page.getByRole("button", { name: "Apply" }).click()
  await expect(rows).toHaveCount(1)
  await expect(rows).toContainText("Request executed")
  await rows.getByRole("button", { name: /^Acts on/ }).click()
  await page.getByRole("menuitem", { name: "Only this operation" }).click()
  await expect(page).toHaveURL(/service=desks&operation=large/)
  await page.getByRole("button", { name: "Export" }).click()
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: /^CSV/ }).click()
  ])
  expect((await readFile(await file.path(), "utf8")).trim().split("\r\n")).toHaveLength(2)
  await expectAccessible(page)
})

test("several agents are paused and resumed at once, and each outcome is shown", async ({ desk, hub, owner, page }) => {
  await desk.agent({ name: "Scout" })
  await desk.agent({ name: "Quill" })
  const kestrel = await desk.agent({ name: "Kestrel" })
  const change = (body: object) =>
    hub.api("PATCH", `/agents/${kestrel.id}`, { cookie: owner.cookie, headers: { "svc-workspace": owner.org }, body })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/agents`)
  const rows = rowsOf(page, "Agents")
  await page.getByRole("checkbox", { name: "Select Scout" }).check()
  await expect(page).toHaveURL(/\/agents$/)
  await page.getByRole("grid").focus()
  await page.keyboard.press("Home")
  await page.keyboard.press("x")
  await expect(page.getByRole("checkbox", { name: "Select Kestrel" })).toBeChecked()
  await expect(page.getByRole("checkbox", { name: "Select Quill" })).not.toBeChecked()
  await page.keyboard.press("?")
  await expect(
    page.getByRole("dialog").getByText("Select the row", { exact: true }),
    "among the keys of this screen and among all"
  ).toHaveCount(2)
  await page.keyboard.press("Escape")
  await page.getByRole("region", { name: "2 agents selected" }).getByRole("button", { name: "Pause" }).click()
  const dialog = page.getByRole("dialog", { name: "Pause 2 agents?" })
  await expect(dialog).toBeVisible()
  await expectAccessible(page)
  // Someone else changes one of them while the dialog is open.
  expect((await change({ description: "Changed meanwhile" })).status).toBe(200)
  await dialog.getByRole("button", { name: "Pause 2 agents" }).click()
  await expect(page.getByText("Paused 1 agent. 1 failed.")).toBeVisible()
  const outcomes = page.getByRole("list", { name: "Selected agents" }).getByRole("listitem")
  await expect(outcomes.filter({ hasText: "Scout" })).toContainText("Paused")
  await expect(outcomes.filter({ hasText: "Kestrel" })).toContainText("Not paused")
  await expect(outcomes.filter({ hasText: "Kestrel" })).toContainText("Someone changed this agent.")
  await page.getByRole("button", { name: "Done" }).click()
  await expect(rows.filter({ hasText: "Scout" })).toContainText("Paused")
  await expect(page.getByRole("checkbox", { name: "Select Kestrel" }), "what failed stays selected").toBeChecked()
  await expect(page.getByRole("checkbox", { name: "Select Scout" })).not.toBeChecked()

  await page.getByRole("checkbox", { name: "Select all agents shown" }).check()
  await page.getByRole("region", { name: "3 agents selected" }).getByRole("button", { name: "Resume" }).click()
  const resume = page.getByRole("dialog", { name: "Resume 1 agent?" })
  await expect(resume.getByRole("listitem").filter({ hasText: "Quill" })).toContainText("Active, stays as it is")
  await resume.getByRole("button", { name: "Resume 1 agent" }).click()
  await expect(page.getByText("Resumed 1 agent.")).toBeVisible()
  await page.getByRole("button", { name: "Done" }).click()
  await expect(rows.filter({ hasText: "Paused" })).toHaveCount(0)
  await expect(page.getByRole("region", { name: /selected/ })).toHaveCount(0)

  const viewer = await hub.person({ org: owner.org, role: "viewer", name: "Vera" })
  await page.context().clearCookies()
  await signIn(page, hub, viewer)
  await page.goto(`/w/${owner.org}/agents`)
  await expect(rows).toHaveCount(3)
  await expect(page.getByRole("checkbox")).toHaveCount(0)
})

test("agents and approvals are saved as CSV with the filters and the order of the screen", async ({ desk, hub, owner, page, upstream }) => {
  const { waiting } = await requests(desk, (await upstream()).origin)
  const cheap = await desk.agent({
    name: "Kestrel",
    bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
  })
  const { approval_id } = await desk.send(cheap, { service: "echo", operation: "say" })
  await signIn(page, hub, owner)
  const save = async () => {
    await page.getByRole("button", { name: "Export" }).click()
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: /^CSV/ }).click()
    ])
    return (await readFile(await file.path(), "utf8")).trim().split("\r\n").slice(1).map((line) => line.split(","))
  }
  await page.goto(`/w/${owner.org}/agents?sort=name`)
  expect((await save()).map(([, name]) => name)).toEqual(["Kestrel", "Scout"])
  await page.goto(`/w/${owner.org}/agents?q=kes`)
  expect((await save()).map(([, name]) => name)).toEqual(["Kestrel"])
  await page.goto(`/w/${owner.org}/inbox`)
  expect((await save()).map(([id]) => id)).toEqual([waiting.approval_id, approval_id])
  await page.goto(`/w/${owner.org}/inbox?operation=desks.buy&min_cents=4200`)
  expect((await save()).map(([id]) => id)).toEqual([waiting.approval_id])
  await desk.call("POST", "/approvals/decide", 200, { decision: "reject", ids: [waiting.approval_id, approval_id] })
  await page.goto(`/w/${owner.org}/inbox?show=decided&sort=cost_cents`)
  expect((await save()).map(([id]) => id)).toEqual([approval_id, waiting.approval_id])
})

test("a person's saved views are reordered by keyboard", async ({ desk, hub, owner, page }) => {
  for (const name of ["One", "Two", "Three"]) {
    await desk.call("POST", "/views", 201, { screen: "agents", name, query: `q=${name}` })
  }
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/agents`)
  const names = () => page.getByRole("group", { name: "Your views" }).getByRole("menuitem").allTextContents()
  await page.getByRole("button", { name: "Views" }).click()
  expect(await names()).toEqual(["One", "Two", "Three"])
  await page.getByRole("menuitem", { name: "Reorder your views…" }).click()
  const dialog = page.getByRole("dialog", { name: "Reorder your views" })
  await expect(dialog.getByRole("button", { name: "Move “One” up" })).toBeDisabled()
  await expect(dialog.getByRole("button", { name: "Save" })).toBeDisabled()
  await dialog.getByRole("button", { name: "Move “Three” up" }).focus()
  await page.keyboard.press("Enter")
  await expect(dialog.getByRole("status")).toHaveText("“Three” is now 2 of 3.")
  await expect(dialog.getByRole("button", { name: "Move “Three” up" })).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(dialog.getByRole("button", { name: "Move “Three” down" }), "the focus stays on the view").toBeFocused()
  await expectAccessible(page)
  await dialog.getByRole("button", { name: "Save" }).click()
  await expect(dialog).toHaveCount(0)
  await page.getByRole("button", { name: "Views" }).click()
  await expect.poll(names).toEqual(["Three", "One", "Two"])
  const { data } = await desk.call("GET", "/views?screen=agents", 200)
  expect(data.map(({ name }: { readonly name: string }) => name)).toEqual(["Three", "One", "Two"])
})
