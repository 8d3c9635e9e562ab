/** Two people edit one object at the same time: no change is lost, and a person decides each conflict. */
import type { Page } from "@playwright/test"
import { expectNoBreaches, expectNothingSideways } from "../../support/console-looks.ts"
import { apiFor, expect, signIn, test } from "../../support/console.ts"

/** Axe in every look takes long on a shared machine. */
test.describe.configure({ timeout: 150_000 })

const dialog = (page: Page) => page.getByRole("dialog")
/** The review of a merge, which is announced. */
const review = (page: Page) => page.getByRole("alert").filter({ hasText: "while you were editing" })

test("an agent edited in two windows keeps both changes, and shows conflicts", async ({ api, hub, owner, page, pageOf }) => {
  const agent = await api.agent({ name: "Scout" })
  const place = `/w/${owner.org}/agents/${agent.id}`
  const bob = await pageOf(await hub.person({ org: owner.org, role: "admin", name: "Bob" }))
  await signIn(page, hub, owner)
  for (const window of [page, bob]) {
    await window.goto(place)
    await window.getByRole("button", { name: "Edit" }).click()
  }
  await dialog(page).getByLabel("Name").fill("Ranger")
  await dialog(page).getByLabel("Category").fill("ops")
  await dialog(bob).getByLabel("Name").fill("Pathfinder")
  await dialog(bob).getByLabel("Description").fill("Finds paths")
  await dialog(bob).getByRole("button", { name: "Save" }).click()
  await expect(dialog(bob)).toHaveCount(0)

  await dialog(page).getByRole("button", { name: "Save" }).click()
  await expect(review(page)).toContainText("Bob changed this")
  await expect(review(page)).toContainText("Nothing was saved yet.")
  // The form has the other person's values, one's own are kept, and the conflict needs a choice.
  await expect(dialog(page).getByLabel("Description")).toHaveValue("Finds paths")
  await expect(dialog(page).getByLabel("Category")).toHaveValue("ops")
  const collision = review(page).getByRole("radiogroup", { name: "Name" })
  await expect(collision.getByRole("radio", { name: "Yours" })).toHaveAccessibleDescription("Ranger")
  await expect(collision.getByRole("radio", { name: "Theirs" })).toHaveAccessibleDescription("Pathfinder")
  await expect(dialog(page).getByRole("button", { name: "Save" })).toBeDisabled()
  await expectNoBreaches(page)
  await expectNothingSideways(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNothingSideways(page)
  await collision.getByRole("radio", { name: "Theirs" }).check()
  await expect(dialog(page).getByLabel("Name")).toHaveValue("Pathfinder")
  await collision.getByRole("radio", { name: "Yours" }).check()
  await expect(dialog(page).getByLabel("Name")).toHaveValue("Ranger")
  await dialog(page).getByRole("button", { name: "Save" }).click()
  await expect(dialog(page)).toHaveCount(0)
  expect(await api.call("GET", `/agents/${agent.id}`, 200)).toMatchObject({
    name: "Ranger",
    description: "Finds paths",
    category: "ops"
  })
})

test("a change of a field that the form does not show is no conflict for the person", async ({ api, hub, owner, page }) => {
  const agent = await api.agent({ name: "Scout" })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/agents/${agent.id}`)
  await page.getByRole("button", { name: "Edit" }).click()
  await dialog(page).getByLabel("Name").fill("Ranger")
  await api.call("PATCH", `/agents/${agent.id}/budget`, 200, { monthly_budget_cents: 500 })
  await dialog(page).getByRole("button", { name: "Save" }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Ranger" })).toBeVisible()
  expect(await api.call("GET", `/agents/${agent.id}`, 200)).toMatchObject({
    name: "Ranger",
    monthly_budget_cents: 500
  })
})

test("a budget set by two people requires a choice between the amounts", async ({ api, hub, owner, page }) => {
  const agent = await api.agent({ monthly_budget_cents: 1_000 })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/agents/${agent.id}`)
  await page.getByRole("button", { name: "Set" }).click()
  const form = page.getByRole("form", { name: "Budget this month" })
  await form.getByLabel("Monthly budget").fill("20.00")
  await api.call("PATCH", `/agents/${agent.id}/budget`, 200, {
    monthly_budget_cents: 3_000,
    approval_threshold_cents: 700
  })
  await form.getByRole("button", { name: "Save" }).click()
  await expect(form.getByLabel("Approval threshold")).toHaveValue("7.00")
  await review(page).getByRole("radiogroup", { name: "Monthly budget" }).getByRole("radio", { name: "Yours" }).check()
  await expectNoBreaches(page)
  await form.getByRole("button", { name: "Save" }).click()
  await expect(form).toHaveCount(0)
  expect(await api.call("GET", `/agents/${agent.id}/budget`, 200)).toMatchObject({
    monthly_budget_cents: 2_000,
    approval_threshold_cents: 700
  })
})

test("a binding keeps the caps that another person set, and shows a conflict on the same cap", async ({ api, hub, owner, page }) => {
  const agent = await api.agent({ bindings: [{ service: "echo", operations: ["*"], monthly_cap_cents: 100 }] })
  const put = (body: object) =>
    api.call("POST", `/agents/${agent.id}/services`, 200, { service: "echo", operations: ["*"], ...body })
  const binding = async () => (await api.call("GET", `/agents/${agent.id}`, 200)).bindings[0]
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/agents/${agent.id}`)
  await page.getByRole("button", { name: /^Monthly cap of Each operation/ }).click()
  const cap = page.getByRole("textbox", { name: "Monthly cap of Each operation" })
  await cap.fill("2.00")
  // Another field: no conflict for the person, and the change stays.
  await put({ monthly_cap_cents: 100, daily_request_limit: 9 })
  await cap.press("Enter")
  await expect.poll(binding).toMatchObject({ monthly_cap_cents: 200, daily_request_limit: 9 })
  await page.getByRole("button", { name: /^Monthly cap of Each operation/ }).click()
  await cap.fill("3.00")
  await put({ monthly_cap_cents: 400, daily_request_limit: 9 })
  await cap.press("Enter")
  await expect(review(page)).toBeVisible()
  await expectNoBreaches(page)
  await dialog(page).getByRole("radio", { name: "Yours" }).check()
  await dialog(page).getByRole("button", { name: "Save" }).click()
  await expect.poll(binding).toMatchObject({ monthly_cap_cents: 300, daily_request_limit: 9 })

  await page.getByRole("button", { name: "Actions for echo" }).click()
  await page.getByRole("menuitem", { name: "Choose operations" }).click()
  await dialog(page).getByRole("radio", { name: "Only these" }).check()
  await dialog(page).getByRole("checkbox").first().check()
  await put({ monthly_cap_cents: 300, daily_request_limit: 8 })
  await dialog(page).getByRole("button", { name: "Save" }).click()
  await expect(review(page)).toContainText("Their changes, now in your form")
  await dialog(page).getByRole("button", { name: "Save" }).click()
  await expect(dialog(page)).toHaveCount(0)
  expect((await binding()).operations).not.toEqual(["*"])
  expect(await binding()).toMatchObject({ monthly_cap_cents: 300, daily_request_limit: 8 })
})

test("a policy rule edited by two people keeps both changes", async ({ api, hub, owner, page }) => {
  const policy = await api.policy({ name: "Nights", when: "false", then: "block", reason: "Old" })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/policies/${policy.id}`)
  await page.getByLabel("Name", { exact: true }).fill("Late nights")
  await api.call("PATCH", `/policies/${policy.id}`, 200, { name: "Dark nights", reason: "New" })
  await page.getByRole("button", { name: "Save" }).click()
  await review(page).getByRole("radiogroup", { name: "Name" }).getByRole("radio", { name: "Yours" }).check()
  await expectNoBreaches(page)
  await page.getByRole("button", { name: "Save" }).click()
  await expect(page.getByText("Late nights was saved")).toBeVisible()
  expect(await api.call("GET", `/policies/${policy.id}`, 200)).toMatchObject({ name: "Late nights", reason: "New" })
})

test("a service edited by two people keeps the operations of both", async ({ api, hub, owner, page, upstream }) => {
  const name = await api.service(await upstream())
  const path = `/services/${name}`
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/catalog/${name}/edit`)
  await page.getByLabel("Title").first().fill("My shop")
  const { operations } = await api.call("GET", path, 200)
  await api.call("PATCH", path, 200, {
    title: "Their shop",
    operations: [...operations, { ...operations[0], name: "sell", path: "/sell" }]
  })
  await page.getByRole("button", { name: "Save" }).click()
  await expect(review(page)).toContainText("Operation sell")
  await review(page).getByRole("radiogroup", { name: "Title" }).getByRole("radio", { name: "Yours" }).check()
  await expectNoBreaches(page)
  await page.getByRole("button", { name: "Save" }).click()
  await expect(page.getByRole("heading", { level: 1, name: "My shop" })).toBeVisible()
  const saved = await api.call("GET", path, 200)
  expect(saved.operations.map((each: { readonly name: string }) => each.name)).toEqual(["buy", "sell"])
})

test("a price set by two people requires a choice", async ({ api, hub, owner, page }) => {
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/catalog/echo`)
  await page.getByRole("button", { name: "Set price" }).first().click()
  await dialog(page).getByRole("textbox").first().fill("5.00")
  await api.call("PATCH", "/services/echo", 200, { prices: { say: { type: "fixed", cents: 300 } } })
  await dialog(page).getByRole("button", { name: "Save" }).click()
  await review(page).getByRole("radio", { name: "Theirs" }).check()
  await dialog(page).getByRole("button", { name: "Save" }).click()
  await expect(dialog(page)).toHaveCount(0)
  const { operations } = await api.call("GET", "/services/echo", 200)
  expect(operations[0].price).toEqual({ type: "fixed", cents: 300 })
})

test("workspace settings edited by two people keep both changes", async ({ api, hub, owner, page }) => {
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/settings/workspace`)
  await page.getByLabel("Approval threshold").fill("25.00")
  await page.getByLabel("Name", { exact: true }).fill("Mine")
  await api.call("PATCH", `/workspaces/${owner.org}`, 200, { name: "Theirs", separation_of_duties: true })
  await page.getByRole("button", { name: "Save changes" }).click()
  await review(page).getByRole("radiogroup", { name: "Name" }).getByRole("radio", { name: "Theirs" }).check()
  await expectNoBreaches(page)
  await page.getByRole("button", { name: "Save changes" }).click()
  await expect(review(page)).toHaveCount(0)
  await expect.poll(() => api.call("GET", `/workspaces/${owner.org}`, 200)).toMatchObject({
    name: "Theirs",
    separation_of_duties: true,
    approval_threshold_cents: 2_500
  })
})

test("the dialog that removes a person lists what they own and who can get it, and money that requests hold prevents it", async ({ api, hub, owner, page, upstream }) => {
  const lea = await hub.person({ org: owner.org, role: "admin", name: "Lea" })
  const bob = await hub.person({ org: owner.org, role: "member", name: "Bob" })
  await hub.person({ org: owner.org, role: "viewer", name: "Vic" })
  await api.topUp(5_000)
  const { id: team } = await api.call("POST", "/teams", 201, { name: "Research" })
  await api.call("POST", `/teams/${team}/members`, 201, { user_id: lea.id, role: "worker" })
  const allocate = (path: string, amount_cents: number) =>
    api.call("POST", path, 200, { amount_cents, direction: "allocate" })
  await allocate(`/teams/${team}/budget`, 3_000)
  await allocate(`/teams/${team}/workers/${lea.id}/budget/allocate`, 2_000)
  let answer = () => {}
  const arrived = Promise.withResolvers<void>()
  const provider = await upstream((_, response) => {
    answer = () => void response.writeHead(200, { "content-type": "application/json" }).end("{}")
    arrived.resolve()
  })
  const service = await api.service(provider, { cents: 500 })
  const leas = apiFor(hub, lea)
  const agent = await leas.agent({ name: "Lea's scout", bindings: [{ service, operations: ["*"] }] })
  await leas.call("POST", `/agents/${agent.id}/transfer`, 200, { team_id: team })
  const sent = leas.send(agent, { service, operation: "buy" })
  await arrived.promise
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/settings/members`)
  await page.getByRole("button", { name: "Remove Lea" }).click()
  const confirm = page.getByRole("alertdialog")
  await expect(confirm).toContainText("1 agent is paused.")
  await expect(confirm).toContainText("Lea's scout")
  await expect(confirm).toContainText("They leave 1 team. An allocation returns to the team's pool.")
  await expect(confirm).toContainText("Research, allocation of $20.00")
  const holds = confirm.getByText("Requests hold $5.00 of this person's allocations.")
  await expect(holds).toHaveCount(1)
  await expectNoBreaches(page)
  await expectNothingSideways(page)
  const recipient = confirm.getByLabel("Transfer agents, devices, apps, and workflows to")
  await expect(recipient.getByRole("option")).toHaveText([
    "No one: pause agents, drain devices, disconnect apps",
    "Bob",
    "Ada"
  ])
  await recipient.selectOption({ label: "Bob" })
  await expect(confirm).toContainText("1 agent is transferred and keeps working.")
  await expect(confirm).toContainText("Agent keys stay valid. Rotate them if this person has copies.")
  const remove = confirm.getByRole("button", { name: "Remove and transfer" })
  await remove.click()
  await expect(confirm.getByRole("alert")).toContainText("Requests hold $5.00")
  await expect(holds).toHaveCount(1)
  answer()
  expect(await sent).toMatchObject({ status: "executed" })
  await remove.click()
  await expect(page.getByText("Lea is removed.")).toBeVisible()
  expect(await api.call("GET", `/agents/${agent.id}`, 200)).toMatchObject({ owner_user_id: bob.id, status: "active" })
  expect(await api.call("GET", `/teams/${team}/budget`, 200)).toMatchObject({
    balance_cents: 2_500,
    allocated_cents: 0
  })
})
