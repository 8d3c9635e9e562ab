/** Sorting of lists by column, and the filter chips of requests and of the audit log. */
import type { Page } from "@playwright/test"
import { readFile } from "node:fs/promises"
import { expect, expectAccessible, type PersonApi, signIn, test } from "../../support/console.ts"

const rowsOf = (page: Page, grid: string) =>
  page.getByRole("grid", { name: grid }).getByRole("row").filter({ has: page.getByRole("gridcell") })
const head = (page: Page, name: string) => page.getByRole("columnheader", { name, exact: true })
const chip = (page: Page, name: string) =>
  page.getByRole("search", { name: "Filters" }).getByRole("button", { name, exact: true })

/** Executed requests of 300, 1, and 20 cents, a pending one of $42.00, and a blocked one. */
const requests = async (api: PersonApi, origin: string) => {
  await api.topUp(100_000)
  const operation = (name: string, cents: number) => ({
    name,
    method: "POST",
    path: `/${name}`,
    price: { type: "fixed", cents },
    payload_schema: { type: "object" }
  })
  await api.call("POST", "/services", 201, {
    name: "desks",
    title: "Desks",
    kind: "http",
    base_url: origin,
    operations: [operation("large", 300), operation("small", 20), operation("buy", 4_200)]
  })
  const agent = await api.agent({
    name: "Scout",
    bindings: [{ service: "desks", operations: ["*"] }, { service: "echo", operations: ["*"] }]
  })
  const send = (service: string, operation: string) => api.send(agent, { service, operation })
  const large = await send("desks", "large")
  const cent = await send("echo", "say")
  const small = await send("desks", "small")
  const waiting = await send("desks", "buy")
  const blocked = await send("echo", "none")
  return { agent, large, cent, small, waiting, blocked }
}

test("requests are sorted by a column header, by pointer and by keyboard, and a link and a view keep the order", async ({ api, hub, owner, page, upstream }) => {
  await requests(api, (await upstream()).origin)
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/requests?status=executed`)
  const rows = rowsOf(page, "Requests")
  await expect(rows).toHaveCount(3)
  await expect(head(page, "Requested")).toHaveAttribute("aria-sort", "descending")
  await expect(head(page, "Cost")).toHaveAttribute("aria-sort", "none")
  await expect(head(page, "State")).not.toHaveAttribute("aria-sort")
  await head(page, "Cost").getByRole("button").click()
  await expect(page).toHaveURL(/sort=-cost_cents/)
  await expect(head(page, "Cost")).toHaveAttribute("aria-sort", "descending")
  await expect(head(page, "Requested")).toHaveAttribute("aria-sort", "none")
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
  await head(page, "Requested").getByRole("button").click()
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
  await page.getByRole("button", { name: "Filters", exact: true }).click()
  await page.getByRole("button", { name: "Lowest cost first" }).click()
  await page.getByRole("menuitemradio", { name: "Highest cost first" }).click()
  await expect(rows.first()).toContainText("desks.large")
})

test("agents are sorted by name, last seen, and spending", async ({ api, hub, owner, page }) => {
  await api.topUp(1_000)
  await api.agent({ name: "beta" })
  const spender = await api.agent({ name: "Gamma" })
  await api.agent({ name: "Alpha" })
  await api.send(spender, { service: "echo", operation: "say" })
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

test("decided approvals are sorted by time and by amount", async ({ api, hub, owner, page, upstream }) => {
  const { waiting } = await requests(api, (await upstream()).origin)
  const cheap = await api.agent({
    name: "Kestrel",
    bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
  })
  const { approval_id } = await api.send(cheap, { service: "echo", operation: "say" })
  await api.call("POST", "/approvals/decide", 200, { decision: "reject", ids: [waiting.approval_id, approval_id] })
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
  await page.getByRole("link", { name: "Pending", exact: true }).click()
  await expect(page).not.toHaveURL(/sort=/)
})

test("requests are filtered by amount and reason, by chips, links, and a row's menu, and the export has the same filter", async ({ api, hub, owner, page, upstream }) => {
  const { waiting } = await requests(api, (await upstream()).origin)
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/requests`)
  const rows = rowsOf(page, "Requests")
  await expect(rows).toHaveCount(5)
  await chip(page, "Amount").click()
  for (const wrong of ["abc", "-5", "0.125", "99999999999999"]) {
    await page.getByLabel("At least").fill(wrong)
    await page.getByRole("button", { name: "Apply" }).click()
    await expect(page.getByText("Enter an amount like 25.00."), wrong).toBeVisible()
    await expect(page).not.toHaveURL(/min_cents/)
  }
  await page.getByLabel("At least").fill("3")
  await page.getByRole("button", { name: "Apply" }).click()
  await expect(page).toHaveURL(/min_cents=300/)
  await expect(rows).toHaveCount(2)
  await expect(chip(page, "Amount: at least $3.00")).toBeVisible()
  await chip(page, "Reason").click()
  await page.getByRole("radio", { name: "Requires approval" }).click()
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
  await rows.filter({ hasText: "echo.none" }).getByRole("button", { name: "Actions for echo.none" }).click()
  await page.getByRole("menuitem", { name: "Only this reason" }).click()
  await expect(page).toHaveURL(/reason_code=policy_violation/)
  await expect(rows).toHaveCount(1)
  await expect(chip(page, "Reason: Not allowed")).toBeVisible()
})

test("the audit log is filtered by outcome, amount, and operation, by chips and links, in its export too", async ({ api, hub, owner, page, upstream }) => {
  await requests(api, (await upstream()).origin)
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
  await rows.getByRole("button", { name: /^Actions for/ }).click()
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

test("several agents are paused and resumed at once, and each outcome is shown", async ({ api, hub, owner, page }) => {
  await api.agent({ name: "Scout" })
  await api.agent({ name: "Quill" })
  const kestrel = await api.agent({ name: "Kestrel" })
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
  await dialog.getByRole("button", { name: "Cancel" }).click()
  await expect(dialog).toHaveCount(0)
  await page.getByRole("region", { name: "2 agents selected" }).getByRole("button", { name: "Pause" }).click()
  // Another person changes one of them while the dialog is open.
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

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isContextNew: true })

  test("agents are selected, paused, and resumed, and the bar covers no row", async ({ api, hub, owner, page }) => {
    for (let n = 1; n <= 14; n++) await api.agent({ name: `Agent ${n}` })
    await signIn(page, hub, owner)
    await page.goto(`/w/${owner.org}/agents`)
    const rows = rowsOf(page, "Agents")
    const box = page.getByRole("checkbox", { name: "Select Agent 14" })
    const target = await box.evaluate((input) => {
      const { left, top, height, width } = input.getBoundingClientRect()
      const [x, y] = [left + width / 2, top + height / 2]
      const edge = 44 / 2 - 1
      return [[x - edge, y], [x + edge, y], [x, y - edge], [x, y + edge]].every(([at, down]) =>
        document.elementFromPoint(at!, down!) === input
      )
    })
    expect(target, "44 px take the press").toBe(true)
    await box.tap()
    await expect(page).toHaveURL(/\/agents$/)
    const grid = page.getByRole("grid")
    const bar = page.getByRole("region", { name: "1 agent selected" })
    for (const button of await bar.getByRole("button").all()) {
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44)
    }
    await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    const last = rows.filter({ hasText: /Agent 1(?!\d)/ })
    await expect(last).toBeVisible()
    const [lastBox, barBox] = [await last.boundingBox(), await bar.boundingBox()]
    expect(lastBox!.y + lastBox!.height).toBeLessThanOrEqual(barBox!.y + 1)
    await last.getByRole("checkbox").tap()
    await expectAccessible(page)
    await page.getByRole("region", { name: "2 agents selected" }).getByRole("button", { name: "Pause" }).tap()
    const dialog = page.getByRole("dialog", { name: "Pause 2 agents?" })
    await expect(dialog).toBeVisible()
    await expectAccessible(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    await dialog.getByRole("button", { name: "Pause 2 agents" }).tap()
    await expect(page.getByText("Paused 2 agents.")).toBeVisible()
    await page.getByRole("button", { name: "Done" }).tap()
    await expect(page.getByRole("region", { name: /selected/ })).toHaveCount(0)
    const { data } = await api.call("GET", "/agents?status=paused&sort=name", 200)
    expect(data.map(({ name }: { readonly name: string }) => name)).toEqual(["Agent 1", "Agent 14"])
  })

  test("saved views are reordered", async ({ api, hub, owner, page }) => {
    for (const name of ["One", "Two"]) {
      await api.call("POST", "/views", 201, { screen: "agents", name, query: `q=${name}` })
    }
    await signIn(page, hub, owner)
    await page.goto(`/w/${owner.org}/agents`)
    await page.getByRole("button", { name: "Views" }).tap()
    await page.getByRole("menuitem", { name: "Reorder your views…" }).tap()
    const dialog = page.getByRole("dialog", { name: "Reorder your views" })
    const up = dialog.getByRole("button", { name: "Move “Two” up" })
    const size = await up.boundingBox()
    expect(Math.min(size!.width, size!.height)).toBeGreaterThanOrEqual(44)
    await up.tap()
    await expect(dialog.getByRole("listitem").first()).toContainText("Two")
    await expectAccessible(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    await dialog.getByRole("button", { name: "Save" }).tap()
    await expect(dialog).toHaveCount(0)
    const { data } = await api.call("GET", "/views?screen=agents", 200)
    expect(data.map(({ name }: { readonly name: string }) => name)).toEqual(["Two", "One"])
  })
})

test("agents and approvals are exported as CSV with the filters and the order of the screen", async ({ api, hub, owner, page, upstream }) => {
  const { waiting } = await requests(api, (await upstream()).origin)
  const cheap = await api.agent({
    name: "Kestrel",
    bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
  })
  const { approval_id } = await api.send(cheap, { service: "echo", operation: "say" })
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
  await api.call("POST", "/approvals/decide", 200, { decision: "reject", ids: [waiting.approval_id, approval_id] })
  await page.goto(`/w/${owner.org}/inbox?show=decided&sort=cost_cents`)
  expect((await save()).map(([id]) => id)).toEqual([approval_id, waiting.approval_id])
})

test("a person's saved views are reordered by keyboard", async ({ api, hub, owner, page }) => {
  for (const name of ["One", "Two", "Three"]) {
    await api.call("POST", "/views", 201, { screen: "agents", name, query: `q=${name}` })
  }
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/agents`)
  const names = () => page.getByRole("group", { name: "Your views" }).getByRole("menuitem").allTextContents()
  await page.getByRole("button", { name: "Views" }).click()
  await expect.poll(names).toEqual(["One", "Two", "Three"])
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
  const { data } = await api.call("GET", "/views?screen=agents", 200)
  expect(data.map(({ name }: { readonly name: string }) => name)).toEqual(["Three", "One", "Two"])
})

test("the keys of a list move, turn pages, and open rows on every list, wherever the focus is", async ({ api, hub, owner, page }) => {
  for (let number = 1; number <= 40; number++) await api.agent({ name: `Agent ${String(number).padStart(2, "0")}` })
  const agent = await api.agent({ name: "Zulu" })
  await api.topUp(1_000)
  const sent = [
    await api.send(agent, { service: "echo", operation: "say" }),
    await api.send(agent, { service: "echo", operation: "say" })
  ]
  await signIn(page, hub, owner)
  const focused = (): Promise<string | null> =>
    page.getByRole("grid").evaluate((grid) => {
      const row = document.getElementById(grid.getAttribute("aria-activedescendant") ?? "")
      return document.activeElement === grid ? row?.getAttribute("aria-rowindex") ?? null : null
    })
  const open = async (place: string) => {
    await page.goto(`/w/${owner.org}/${place}`)
    await expect(page.getByRole("row").nth(1)).toBeVisible()
  }
  for (const place of ["requests", "audit", "catalog", "money", "agents"]) {
    await open(place)
    await page.keyboard.press("j")
    await expect.poll(focused, place).toBe("2")
    await page.keyboard.press("j")
    await expect.poll(focused, place).toBe("3")
    await page.keyboard.press("k")
    await expect.poll(focused, place).toBe("2")
    await page.keyboard.press("?")
    const listed = page.getByRole("dialog").getByRole("region", { name: "On this screen" })
    await expect(listed.getByText("Next row"), place).toBeVisible()
    await expect(listed.getByText("Next page"), place).toBeVisible()
    await page.keyboard.press("Escape")
    await expect(page.getByRole("dialog")).toHaveCount(0)
  }
  await page.keyboard.press("]")
  const far = Number(await focused())
  expect(far).toBeGreaterThan(5)
  await page.keyboard.press("[")
  await expect.poll(focused).toBe("2")

  await open("requests")
  await page.keyboard.press("j")
  await page.keyboard.press("j")
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL(new RegExp(`/requests/${sent[0].id}`, "u"))

  await open("audit?entry=2")
  const entry = page.getByRole("complementary", { name: /2$/u })
  await expect(entry).toBeVisible()
  await page.keyboard.press("k")
  await expect(page, "beside an open entry the keys open its neighbors").toHaveURL(/entry=3/u)
})
