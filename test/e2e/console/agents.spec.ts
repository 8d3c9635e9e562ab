/** Agents: who they are, what they may use and spend, their keys, and the brake. */
import type { Page } from "@playwright/test"
import { type Agent, type ConsoleHub, deskOf, expect, type Person, signIn, test } from "../../support/console.ts"
import { expectNothingSideways, lookedAt } from "../../support/console-looks.ts"

/** Axe in every look takes its time where the machine is shared. */
test.describe.configure({ timeout: 150_000 })

const list = (person: Person, search = "") => `/w/${person.org}/agents${search}`
const detail = (person: Person, agent: Pick<Agent, "id">) => `/w/${person.org}/agents/${agent.id}`
const dialog = (page: Page) => page.getByRole("dialog")
const keyIn = async (page: Page): Promise<string> => {
  const shown = dialog(page).getByLabel("Key", { exact: true })
  await expect(shown).toHaveText(/^agent_key_(live|test)_\w+$/)
  return await shown.innerText()
}
/** How the hub takes a request with a key. */
const statusWith = async (hub: ConsoleHub, key: string): Promise<number> =>
  (await hub.api("POST", "/service-requests", { key, body: { service: "echo", operation: "say", payload: {} } })).status
const row = (page: Page, name: string) => page.getByRole("grid").getByRole("row").filter({ hasText: name })

test.describe("a test request", () => {
  test("is sent as the agent without its key, shows each outcome, and moves no money", async ({ desk, hub, owner, page }) => {
    await desk.topUp(100)
    const agent = await desk.agent({ name: "Scout", bindings: [{ service: "echo", operations: ["*"] }] })
    await signIn(page, hub, owner)
    await page.goto(detail(owner, agent))
    await page.getByRole("button", { name: "Acts on echo" }).click()
    await page.getByRole("menuitem", { name: "Send a test request" }).click()
    await expect(dialog(page).getByLabel("Payload")).not.toHaveValue("{}")
    await lookedAt(page)
    await dialog(page).getByRole("button", { name: "Send test request" }).click()
    const result = dialog(page).getByRole("region", { name: "Test result" })
    await expect(result).toContainText("Executed")
    await dialog(page).getByLabel("Outcome").click()
    await page.getByRole("option", { name: "The provider fails" }).click()
    await dialog(page).getByRole("button", { name: "Send test request" }).click()
    await expect(result).toContainText("Failed")
    await lookedAt(page)
    await dialog(page).getByLabel("Payload").fill("[1]")
    await expect(dialog(page).getByText("Enter a JSON object.")).toBeVisible()
    await expect(dialog(page).getByRole("button", { name: "Send test request" })).toBeDisabled()
    await dialog(page).getByLabel("Payload").fill("{}")
    await result.getByRole("link", { name: "Open request" }).click()
    await expect(page).toHaveURL(/\/requests\/req_/)
    expect((await hub.api("GET", "/balance", { cookie: owner.cookie })).body.balance_cents).toBe(100)
  })
})

test.describe("the list", () => {
  test("is empty, then has the first agent, whose key is shown once and kept before anything else", async ({
    context,
    hub,
    owner,
    page
  }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    await signIn(page, hub, owner)
    await page.goto(list(owner))
    await expect(page.getByText("No agent works here yet.")).toBeVisible()
    await lookedAt(page)
    await page.getByRole("main").getByRole("button", { name: "New agent" }).click()
    await expect(dialog(page).getByRole("button", { name: "Create agent" })).toBeDisabled()
    await dialog(page).getByLabel("Name").fill("Scout")
    await dialog(page).getByLabel("Description").fill("Looks things up")
    await dialog(page).getByLabel("Monthly budget").fill("25")
    await lookedAt(page)
    await dialog(page).getByRole("button", { name: "Create agent" }).click()
    const key = await keyIn(page)
    await lookedAt(page)
    await page.keyboard.press("Escape")
    await expect(dialog(page).getByRole("alert"), "the first Escape warns").toContainText("It can't be shown again.")
    await expect(dialog(page).getByRole("button", { name: "Done" })).toBeDisabled()
    await dialog(page).getByRole("button", { name: "Copy key" }).click()
    await expect(dialog(page).getByRole("status")).toHaveText("Copied")
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key)
    await dialog(page).getByLabel("I have kept it").check()
    await dialog(page).getByRole("button", { name: "Done" }).click()
    await expect(page.getByRole("heading", { level: 1, name: "Scout" })).toBeVisible()
    await expect(page.getByText("No service is bound: every request is blocked.")).toBeVisible()
    await expect(page.getByText("$25.00 left")).toBeVisible()
    await expect(page.locator("body")).not.toContainText(key)
    await page.reload()
    await expect(page.getByRole("heading", { level: 1, name: "Scout" })).toBeVisible()
    await expect(page.locator("body")).not.toContainText(key)
    expect(await statusWith(hub, key)).toBe(200)
  })

  test("tells what the hub refuses of a new agent at the field", async ({ hub, owner, page }) => {
    await signIn(page, hub, owner)
    await page.goto(list(owner))
    await page.getByRole("main").getByRole("button", { name: "New agent" }).click()
    await dialog(page).getByLabel("Name").fill("Sc\u202eout")
    await dialog(page).getByRole("button", { name: "Create agent" }).click()
    await expect(dialog(page).getByLabel("Name")).toHaveAttribute("aria-invalid", "true")
    await expect(dialog(page).getByText("expected text without bidirectional overrides")).toBeVisible()
    await lookedAt(page)
    await dialog(page).getByLabel("Monthly budget").fill("much")
    await expect(dialog(page).getByText("An amount like 25.00")).toBeVisible()
  })

  test("has the fleet's health, is searched and filtered by a link, and opens an agent by key", async ({
    desk,
    hub,
    owner,
    page
  }) => {
    await desk.topUp(1_000)
    const scout = await desk.agent()
    const paused = await desk.agent({ name: "Concierge", monthly_budget_cents: 5_000 })
    await desk.call("PATCH", `/agents/${paused.id}`, 200, { status: "paused" })
    await desk.send(scout, { service: "echo", operation: "say" })
    await signIn(page, hub, owner)
    await page.goto(list(owner))
    const health = page.getByRole("region", { name: "Fleet health" })
    await expect(health).toContainText("2 agents")
    await expect(health).toContainText("$0.01 spent this month")
    await expect(row(page, "Scout")).toContainText("Active")
    await expect(row(page, "Concierge")).toContainText("Paused")
    await expect(row(page, "Concierge")).toContainText("$0.00 of $50.00")
    await lookedAt(page, ["light", "dark", "high contrast, light", "high contrast, dark"])
    await page.getByLabel("Search agents").fill("conc")
    await expect(row(page, "Scout")).toHaveCount(0)
    await expect(page).toHaveURL(/\?q=conc$/)
    await page.goto(list(owner, "?status=disabled"))
    await expect(page.getByText("No agent matches these filters.")).toBeVisible()
    await page.getByRole("main").getByRole("button", { name: "Clear filters" }).click()
    await expect(row(page, "Scout")).toBeVisible()
    await page.getByRole("grid").focus()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(page.getByRole("heading", { level: 1, name: "Scout" })).toBeVisible()
    await page.keyboard.press("Escape")
    await expect(page.getByRole("heading", { level: 1, name: "Agents" })).toBeVisible()
  })
})

test.describe("a key", () => {
  test("is rotated with grace: the old one works until it ends, the new one from the start", async ({
    desk,
    hub,
    owner,
    page
  }) => {
    await desk.topUp(1_000)
    const agent = await desk.agent()
    await signIn(page, hub, owner)
    await page.goto(detail(owner, agent))
    await page.getByRole("button", { name: "Rotate key" }).click()
    await dialog(page).getByLabel("The old key works for").selectOption("another time")
    await dialog(page).getByLabel("Seconds").fill("8")
    await lookedAt(page, ["light"])
    await dialog(page).getByRole("button", { name: "Make new key" }).click()
    const key = await keyIn(page)
    expect(key).not.toBe(agent.key)
    expect(await statusWith(hub, agent.key)).toBe(200)
    expect(await statusWith(hub, key)).toBe(200)
    await expect(dialog(page)).toContainText("The key before it works until")
    await dialog(page).getByLabel("I have kept it").check()
    await dialog(page).getByRole("button", { name: "Done" }).click()
    await expect(page.getByText(`agent_key_live_…${key.slice(-4)}`)).toBeVisible()
    await expect.poll(() => statusWith(hub, agent.key), { timeout: 30_000 }).toBe(401)
    expect(await statusWith(hub, key)).toBe(200)
  })

  test("that leaked is ended at once; a first test key is made beside it", async ({ desk, hub, owner, page }) => {
    await desk.topUp(1_000)
    const agent = await desk.agent()
    await signIn(page, hub, owner)
    await page.goto(detail(owner, agent))
    await page.getByRole("button", { name: "Rotate key" }).click()
    await dialog(page).getByLabel("The old key works for").selectOption("no longer: it ends at once")
    await dialog(page).getByRole("button", { name: "Make new key" }).click()
    await expect(dialog(page)).toContainText("The key before it is dead.")
    const key = await keyIn(page)
    expect(await statusWith(hub, agent.key)).toBe(401)
    await dialog(page).getByLabel("I have kept it").check()
    await dialog(page).getByRole("button", { name: "Done" }).click()
    await page.getByRole("button", { name: "Rotate key" }).click()
    await dialog(page).getByRole("radio", { name: "Test" }).check()
    await expect(dialog(page).getByLabel("The old key works for")).toHaveCount(0)
    await dialog(page).getByRole("button", { name: "Make new key" }).click()
    expect(await keyIn(page)).toMatch(/^agent_key_test_/)
    expect(await statusWith(hub, key)).toBe(200)
  })
})

test.describe("what it may spend", () => {
  test("a service is bound with a cap; the cap is changed where it stands, and a spend shows against it", async ({
    desk,
    hub,
    owner,
    page
  }) => {
    await desk.topUp(1_000)
    const agent = await desk.agent({ bindings: [] })
    await signIn(page, hub, owner)
    await page.goto(detail(owner, agent))
    await page.getByRole("button", { name: "Bind a service" }).first().click()
    await dialog(page).getByLabel("Service", { exact: true }).selectOption("Echo (echo)")
    await dialog(page).getByLabel("Monthly cap").fill("0.02")
    await lookedAt(page)
    await dialog(page).getByRole("button", { name: "Bind", exact: true }).click()
    const say = page.getByRole("row").filter({ hasText: "say" })
    await expect(page.getByRole("button", { name: "Monthly cap of say: $0.02. Change" })).toBeVisible()
    for (let times = 0; times < 2; times++) await desk.send(agent, { service: "echo", operation: "say" })
    expect(await desk.send(agent, { service: "echo", operation: "say" })).toMatchObject({
      status: "blocked",
      reason_code: "monthly_budget_exceeded"
    })
    await expect(say).toContainText("$0.02")
    await lookedAt(page)
    await page.getByRole("button", { name: "Monthly cap of say: $0.02. Change" }).click()
    await expect(
      page
        .getByLabel("Monthly cap of say", { exact: true })
        .getByRole("textbox")
        .or(page.getByRole("textbox", { name: "Monthly cap of say" }))
    ).toBeFocused()
    await page.keyboard.type("5")
    await lookedAt(page, ["light"])
    await page.keyboard.press("Enter")
    await expect(page.getByRole("button", { name: "Monthly cap of say: $5.00. Change" })).toBeFocused()
    expect(await desk.send(agent, { service: "echo", operation: "say" })).toMatchObject({ status: "executed" })
    await expect(say).toContainText("$0.03")
    await expect(page.getByRole("button", { name: "Monthly cap of Each operation: $0.02. Change" })).toBeVisible()
  })

  test("a change of a cap is left by Escape, a limit of a day and a threshold hold for one operation", async ({
    desk,
    hub,
    owner,
    page
  }) => {
    const agent = await desk.agent({ bindings: [{ service: "echo", operations: ["say"], monthly_cap_cents: 500 }] })
    await signIn(page, hub, owner)
    await page.goto(detail(owner, agent))
    await page.getByRole("button", { name: "Monthly cap of Each operation: $5.00. Change" }).click()
    await page.keyboard.type("9")
    await page.keyboard.press("Escape")
    await expect(page.getByRole("button", { name: "Monthly cap of Each operation: $5.00. Change" })).toBeFocused()
    await page.getByRole("button", { name: "Daily limit of say: no limit. Change" }).click()
    await page.keyboard.type("0")
    await page.keyboard.press("Enter")
    await expect(page.getByRole("button", { name: "Daily limit of say: 0. Change" })).toBeVisible()
    expect(await desk.send(agent, { service: "echo", operation: "say" })).toMatchObject({
      status: "blocked",
      reason_code: "daily_limit_exceeded"
    })
    const [binding] = (await desk.call("GET", `/agents/${agent.id}`, 200)).bindings
    expect(binding).toMatchObject({ monthly_cap_cents: 500, per_operation: { say: { daily_request_limit: 0 } } })
  })

  test("its budget is set and read; below what is spent it is over and blocks", async ({ desk, hub, owner, page }) => {
    await desk.topUp(1_000)
    const agent = await desk.agent()
    await desk.send(agent, { service: "echo", operation: "say" })
    await signIn(page, hub, owner)
    await page.goto(detail(owner, agent))
    const budget = page.getByRole("region", { name: "Budget this month" })
    await expect(budget).toContainText("No cap of its own.")
    await budget.getByRole("button", { name: "Set" }).click()
    await budget.getByLabel("Monthly budget").fill("0")
    await expect(budget).toContainText("Below the amount already spent and held ($0.01)")
    await budget.getByLabel("Ask a person above").fill("3.50")
    await budget.getByRole("button", { name: "Save" }).click()
    await expect(budget).toContainText("$0.01 over the cap")
    await expect(budget).toContainText("$3.50")
    await lookedAt(page)
    expect(await desk.send(agent, { service: "echo", operation: "say" })).toMatchObject({
      status: "blocked",
      reason_code: "agent_budget_exceeded"
    })
    const activity = page.getByRole("region", { name: "Activity" })
    await activity.getByRole("button", { name: /new$/ }).click()
    await expect(activity).toContainText("Blocked")
    await expect(activity).toContainText("Budget of the agent")
  })

  test("a binding is switched off and on, its operations are chosen, its counters stay", async ({ desk, hub, owner, page }) => {
    await desk.topUp(1_000)
    const agent = await desk.agent()
    await desk.send(agent, { service: "echo", operation: "say" })
    await signIn(page, hub, owner)
    await page.goto(detail(owner, agent))
    const menu = page.getByRole("button", { name: "Acts on echo" })
    await menu.click()
    await page.getByRole("menuitem", { name: "Switch off" }).click()
    await expect(page.getByText("Its requests are blocked. Settings and counters stay.")).toBeVisible()
    expect(await desk.send(agent, { service: "echo", operation: "say" })).toMatchObject({
      status: "blocked",
      reason_code: "policy_violation"
    })
    await menu.click()
    await page.getByRole("menuitem", { name: "Switch on" }).click()
    await expect(page.getByText("Its requests are blocked. Settings and counters stay.")).toHaveCount(0)
    await menu.click()
    await page.getByRole("menuitem", { name: "Choose operations" }).click()
    await dialog(page).getByRole("radio", { name: "Only these" }).check()
    await dialog(page).getByRole("button", { name: "Save" }).click()
    await expect(dialog(page).getByRole("alert")).toHaveText("Pick at least one operation.")
    await dialog(page).getByRole("checkbox").first().check()
    await dialog(page).getByRole("button", { name: "Save" }).click()
    await expect(page.getByText("1 operation", { exact: true })).toBeVisible()
    await expect(page.getByRole("row").filter({ hasText: "say" })).toContainText("$0.01")
  })
})

test.describe("the brake and the end", () => {
  test("an agent is frozen: requests are blocked from the answer on; it is lifted, and they go on", async ({
    desk,
    hub,
    owner,
    page,
    pageOf
  }) => {
    await desk.topUp(1_000)
    const agent = await desk.agent()
    await signIn(page, hub, owner)
    await page.goto(detail(owner, agent))
    const other = await pageOf(owner)
    await other.goto(detail(owner, agent))
    await expect(other.locator("[data-phase=online]")).toBeVisible()
    await page.getByRole("banner").or(page.locator("header")).getByRole("button", { name: "Freeze", exact: true }).click()
    await expect(page.getByRole("alertdialog")).toContainText("Its requests are blocked from now on.")
    await lookedAt(page)
    await page.getByRole("alertdialog").getByRole("button", { name: "Freeze" }).click()
    await expect(page.getByText("Scout is frozen. It may read, and spends nothing.")).toBeVisible()
    expect(await desk.send(agent, { service: "echo", operation: "say" })).toMatchObject({
      status: "blocked",
      reason_code: "spending_frozen"
    })
    await expect(other.getByText("Scout is frozen. It may read, and spends nothing.")).toBeVisible()
    await lookedAt(page)
    await other.close()
    await page.getByRole("button", { name: "Lift the freeze" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Lift the freeze" }).click()
    await expect(page.getByText("Scout is frozen. It may read, and spends nothing.")).toHaveCount(0)
    expect(await desk.send(agent, { service: "echo", operation: "say" })).toMatchObject({ status: "executed" })
    await expect(page.getByText(/Owners, administrators, and operators can freeze an agent/)).toBeVisible()
  })

  test("an agent is edited, and deleted only by its typed name", async ({ desk, hub, owner, page }) => {
    const agent = await desk.agent()
    await signIn(page, hub, owner)
    await page.goto(detail(owner, agent))
    await page.getByRole("button", { name: "Edit" }).click()
    await dialog(page).getByLabel("Name").fill("Ranger")
    await dialog(page).getByRole("radio", { name: "Paused" }).check()
    await dialog(page).getByRole("button", { name: "Save" }).click()
    await expect(page.getByRole("heading", { level: 1, name: "Ranger" })).toBeVisible()
    await expect(page.getByText("Ranger is paused. Its requests fail with agent_disabled.")).toBeVisible()
    await page.getByRole("button", { name: "Delete agent" }).click()
    const confirm = page.getByRole("alertdialog")
    await expect(confirm.getByRole("button", { name: "Delete agent" })).toBeDisabled()
    await confirm.getByLabel("Type Ranger to confirm").fill("Scout")
    await expect(confirm.getByRole("button", { name: "Delete agent" })).toBeDisabled()
    await confirm.getByLabel("Type Ranger to confirm").fill("Ranger")
    await lookedAt(page, ["light"])
    await confirm.getByRole("button", { name: "Delete agent" }).click()
    await expect(page.getByText("No agent works here yet.")).toBeVisible()
    expect(await statusWith(hub, agent.key)).toBe(401)
  })

  test("who may not change agents reads them and is told what it takes", async ({ desk, hub, owner, pageOf }) => {
    const agent = await desk.agent({ bindings: [{ service: "echo", operations: ["*"], monthly_cap_cents: 500 }] })
    const page = await pageOf(await hub.person({ org: owner.org, role: "viewer", name: "Vera" }))
    await page.goto(list(owner))
    await expect(row(page, "Scout")).toBeVisible()
    await expect(page.getByRole("button", { name: "New agent" })).toHaveCount(0)
    await page.goto(detail(owner, agent))
    await expect(page.getByText("Binding needs the permission agents:write, caps need budgets:write.")).toBeVisible()
    await expect(page.getByText("Setting a budget needs the permission budgets:write.")).toBeVisible()
    await expect(page.getByText("Rotating needs the permission agents:keys.")).toBeVisible()
    for (const name of ["Freeze", "Delete agent", "Rotate key", "Edit", /Change$/])
      await expect(page.getByRole("button", { name })).toHaveCount(0)
    await lookedAt(page)
  })

  test("a member sees their own agents and changes them, but sets no caps", async ({ desk, hub, owner, pageOf }) => {
    await desk.agent({ name: "Of another" })
    const member = await hub.person({ org: owner.org, role: "member", name: "Mia" })
    const mine = await deskOf(hub, member).agent({ name: "Mine" })
    const page = await pageOf(member)
    await page.goto(list(owner))
    await expect(row(page, "Mine")).toBeVisible()
    await expect(row(page, "Of another")).toHaveCount(0)
    await page.goto(detail(owner, mine))
    await expect(page.getByRole("button", { name: "Rotate key" })).toBeVisible()
    await expect(page.getByRole("button", { name: /^Monthly cap/ })).toHaveCount(0)
  })

  test("an agent of nowhere is told as such", async ({ hub, owner, page }) => {
    await signIn(page, hub, owner)
    await page.goto(`/w/${owner.org}/agents/agt_01h00000000000000000000000`)
    await expect(page.getByText("Nothing is at this address")).toBeVisible()
  })
})

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test("list, detail and a change of a cap keep within the width", async ({ desk, hub, owner, page }) => {
    await desk.topUp(1_000)
    const agent = await desk.agent({
      monthly_budget_cents: 5_000,
      bindings: [{ service: "echo", operations: ["*"], monthly_cap_cents: 500 }]
    })
    await desk.send(agent, { service: "echo", operation: "say" })
    await signIn(page, hub, owner)
    await page.goto(list(owner))
    await expect(row(page, "Scout")).toBeVisible()
    await expectNothingSideways(page)
    await lookedAt(page)
    await row(page, "Scout").getByRole("link").click()
    await expect(page.getByText("Services it may use")).toBeVisible()
    await expectNothingSideways(page)
    await lookedAt(page)
    await page.getByRole("button", { name: "Monthly cap of say: $5.00. Change" }).click()
    await expectNothingSideways(page)
    await page.keyboard.type("7")
    await page.getByRole("button", { name: "Save" }).click()
    await expect(page.getByRole("button", { name: "Monthly cap of say: $7.00. Change" })).toBeVisible()
    await page.getByRole("button", { name: "Rotate key" }).click()
    await expectNothingSideways(page)
  })
})
