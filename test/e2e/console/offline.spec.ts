/**
 * The hub becomes unreachable while people read: the screens keep their content and show its age, every action is
 * disabled, and everything recovers by itself.
 */
import type { BrowserContext, Page } from "@playwright/test"
import {
  apiFor,
  type BareHub,
  expect,
  expectAccessible,
  holdToApprove,
  type Person,
  signIn,
  test
} from "../../support/console.ts"

const live = "[data-phase=online]"
const lost = (page: Page) => page.getByText(/Not connected since \d\d:\d\d:\d\d/)
const echo = { service: "echo", operation: "say", payload: { text: "hello" } }

/** A workspace with an item in each list. */
const makeContent = async (hub: BareHub, person: Person) => {
  const api = apiFor(hub, person)
  await api.topUp(1_000)
  const agent = await api.agent({ monthly_budget_cents: 500 })
  await api.send(agent, echo)
  await api.policy({ name: "No gifts", when: "operation == \"gift\"", then: "block", reason: "No gifts" })
  await api.call("PUT", "/secrets/shop-key", 201, { value: "s3cret" })
  await api.call("POST", "/tokens", 201, { name: "shell", scopes: ["agents:read"] })
  await api.call("PATCH", `/workspaces/${person.org}`, 200, { approval_threshold_cents: 0 })
  const { approval_id } = await api.send(agent, echo)
  return { agent, approval: approval_id as string, api }
}

interface Place {
  readonly path: string
  /** Content from the hub, which stays. */
  readonly said: string | RegExp
  /** Controls that change something. */
  readonly act?: string | RegExp
}

/** Requests to the hub other than reads. */
const watchActs = (context: BrowserContext) => {
  const sent: Array<string> = []
  context.on("request", (request) => {
    if (request.url().includes("/api/") && request.method() !== "GET") {
      sent.push(`${request.method()} ${new URL(request.url()).pathname}`)
    }
  })
  return sent
}

test("every list keeps its rows, shows its age, disables its buttons, and recovers by itself", async ({ browser, newHub }) => {
  const hub = await newHub()
  const person = await hub.setUp()
  const { agent, approval, api } = await makeContent(hub, person)
  const context = await browser.newContext({ baseURL: hub.url })
  await signIn(context, hub, person)
  const places: ReadonlyArray<Place> = [
    { path: `inbox?open=${approval}`, said: "echo.say", act: /^Approve \$/ },
    { path: `approvals/${approval}`, said: "echo.say", act: /^Approve \$/ },
    { path: "requests", said: "echo" },
    { path: "agents", said: "Scout" },
    { path: `agents/${agent.id}`, said: "Scout", act: /^Freeze$/ },
    { path: "catalog/echo", said: "echo" },
    { path: "secrets", said: "shop-key", act: "New secret" },
    { path: "policies", said: "No gifts" },
    { path: "money", said: "$9.99", act: "Add funds" },
    { path: "usage", said: "echo" },
    { path: "audit", said: "Agent created" },
    { path: "settings/tokens", said: "shell", act: "New token" },
    { path: "settings/members", said: "Ada" },
    { path: "settings/workspace", said: "Alerts and retention" },
    { path: "settings/workspaces", said: "Default", act: "Create workspace" }
  ]
  const pages: Array<readonly [Page, Place]> = []
  for (const place of places) {
    const page = await context.newPage()
    await page.goto(`/w/${person.org}/${place.path}`)
    await expect(page.getByRole("main")).toContainText(place.said)
    pages.push([page, place])
  }
  await hub.kill()
  for (const [page, { act, path, said }] of pages) {
    await page.bringToFront()
    await expect(lost(page), path).toBeVisible()
    await expect(page.getByRole("main"), path).toContainText(said)
    if (act !== undefined) await expect(page.getByRole("button", { name: act }).first(), path).toBeDisabled()
  }
  await hub.restart()
  await api.call("PATCH", `/agents/${agent.id}`, 200, { name: "Ranger" })
  for (const [page, { path }] of pages) {
    await page.bringToFront()
    await expect(lost(page), path).toHaveCount(0)
  }
  for (const [page, { path }] of pages.filter(([, { path }]) => path.startsWith("agents"))) {
    await page.bringToFront()
    await expect(page.getByRole("main"), path).toContainText("Ranger")
  }
  await context.close()
})

test("a screen that was not read yet shows that the hub is unreachable, and loads once it is back", async ({ browser, newHub }) => {
  const hub = await newHub()
  const person = await hub.setUp()
  const { agent } = await makeContent(hub, person)
  const context = await browser.newContext({ baseURL: hub.url })
  await signIn(context, hub, person)
  const page = await context.newPage()
  await page.goto(`/w/${person.org}/inbox`)
  await expect(page.locator(live).first()).toBeVisible()
  const loads: Array<string> = []
  page.on("framenavigated", (frame) => loads.push(frame.url()))
  page.on("load", () => loads.push("loaded again"))
  await hub.kill()
  await expect(lost(page)).toBeVisible()
  // The screen's script and its rows were never loaded.
  await page.getByRole("link", { name: "Agents" }).first().click()
  await expect(page.getByText("The hub couldn't be reached.")).toBeVisible()
  await expect(page.getByRole("navigation", { name: "Main" }).first(), "the shell stays").toBeVisible()
  await expectAccessible(page)
  // A dialog whose script cannot load breaks nothing, and opens once it can.
  await page.keyboard.press("Control+k")
  await expect(page.getByText("The hub couldn't be reached.")).toBeVisible()
  await hub.restart()
  await expect(page.getByRole("combobox", { name: "Search or act" })).toBeVisible()
  await page.keyboard.press("Escape")
  await expect(page.getByRole("row", { name: /Scout/ })).toBeVisible()
  await expect(lost(page)).toHaveCount(0)
  await expect(page.getByText("The hub couldn't be reached.")).toHaveCount(0)
  expect(loads.filter((url) => !url.startsWith(hub.url)), "the page was never left").toEqual([])
  expect(agent.name).toBe("Scout")
  await context.close()
})

test("a style sheet that fails to load stops no other that is still loading", async ({ hub, owner, page }) => {
  const asked: Array<string> = []
  page.on("request", (request) => request.url().endsWith(".css") && asked.push(request.url()))
  const openKeys = () => page.keyboard.press("?")
  const openAgents = () => page.getByRole("link", { name: "Agents" }).first().click()
  const keys = page.getByRole("region", { name: "On this screen" })
  const agents = page.getByRole("heading", { name: "Agents", level: 1 })
  const begin = async () => {
    await page.goto(`/w/${owner.org}/inbox`)
    await expect(page.locator(live).first()).toBeVisible()
    // Afterwards the palette, which the browser loads when it is idle, asks for nothing more.
    await page.keyboard.press("Control+k")
    await expect(page.getByRole("combobox", { name: "Search or act" })).toBeVisible()
    await page.keyboard.press("Escape")
    asked.length = 0
  }
  await signIn(page, hub, owner)
  await begin()
  await openKeys()
  await expect(keys).toBeVisible()
  const failing = asked.at(-1)!
  await page.keyboard.press("Escape")
  asked.length = 0
  await openAgents()
  await expect(agents).toBeVisible()
  const slow = asked.at(-1)!
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(slow, async (route) => {
    await released
    await route.continue()
  })
  await page.route(failing, (route) => route.abort(), { times: 1 })
  await begin()
  const held = page.waitForRequest(slow)
  await openAgents()
  await held
  const failed = page.waitForEvent("requestfailed", (request) => request.url() === failing)
  await openKeys()
  await failed
  await expect(keys, "it was loaded again").toBeVisible()
  release()
  await page.keyboard.press("Escape")
  await expect(agents).toBeVisible()
})

test("nothing that was pressed or typed meanwhile is sent later", async ({ browser, newHub }) => {
  const hub = await newHub()
  const person = await hub.setUp()
  const { agent, approval, api } = await makeContent(hub, person)
  const context = await browser.newContext({ baseURL: hub.url })
  await signIn(context, hub, person)
  const page = await context.newPage()
  await page.goto(`/w/${person.org}/approvals/${approval}`)
  const approve = page.getByRole("button", { name: /^Approve \$/ })
  await expect(approve).toBeEnabled()
  const freezing = await context.newPage()
  await freezing.goto(`/w/${person.org}/agents/${agent.id}`)
  await freezing.getByRole("button", { name: "Freeze", exact: true }).click()
  const question = freezing.getByRole("alertdialog")
  await expect(question).toBeVisible()
  const token = await context.newPage()
  await token.goto(`/w/${person.org}/settings/tokens`)
  await token.getByRole("button", { name: "Revoke" }).click()
  await expect(token.getByRole("alertdialog")).toBeVisible()
  const sent = watchActs(context)
  await hub.kill()
  for (const each of [page, freezing, token]) {
    await each.bringToFront()
    await expect(lost(each)).toBeVisible()
  }
  await page.bringToFront()
  await holdToApprove(page)
  await page.keyboard.press("Control+Enter")
  await freezing.bringToFront()
  await question.getByRole("button", { name: "Freeze" }).click({ timeout: 2_000 }).catch(() => {})
  await token.bringToFront()
  await token.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click()
  await expect(token.getByText("Nothing was sent, because the hub isn't connected.")).toBeVisible()
  expect(sent).toEqual([])
  await hub.restart()
  for (const each of [page, freezing, token]) {
    await each.bringToFront()
    await expect(lost(each)).toHaveCount(0)
  }
  await page.bringToFront()
  await expect(approve).toBeEnabled()
  expect(sent, "and nothing was sent when it was back").toEqual([])
  expect((await api.call("GET", `/approvals/${approval}`, 200)).status).toBe("pending")
  expect((await api.call("GET", `/agents/${agent.id}`, 200)).frozen).toBe(false)
  expect((await api.call("GET", "/tokens", 200)).data).toHaveLength(1)
  await context.close()
})
