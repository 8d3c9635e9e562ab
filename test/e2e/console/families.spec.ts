/** Families of agents: the tree, an agent's place in it, and the workspace's assistant. */
import type { Page } from "@playwright/test"
import { expectNoBreaches, expectNothingSideways } from "../../support/console-looks.ts"
import { expect, type Person, signIn, test } from "../../support/console.ts"

test.describe.configure({ timeout: 150_000 })

const echo = { service: "echo", operations: ["*"] }
const families = (person: Person, search = "") => `/w/${person.org}/agents/families${search}`
const node = (page: Page, name: string) =>
  page.getByRole("treegrid").getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) })

test("a family is a tree that arrow keys walk, with what is set aside and left at each agent", async ({ api, hub, owner, page }) => {
  await api.topUp(1_000)
  const root = await api.agent({ name: "Planner", monthly_budget_cents: 10_000, bindings: [echo] })
  const child = await api.spawn(root, { name: "Researcher", monthly_budget_cents: 4_000 })
  await api.spawn(child, { name: "Reader", monthly_budget_cents: 1_500, ttl_seconds: 86_400 })
  await api.spawn(root, {
    name: "Writer with a name that is far too long for one line of the tree",
    monthly_budget_cents: 0
  })
  await api.send(child, { service: "echo", operation: "say" })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/agents`)
  await page.getByRole("navigation", { name: "Views of agents" }).getByRole("link", { name: "Families" }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Families" })).toBeVisible()
  await expect(node(page, "Planner")).toHaveAttribute("aria-expanded", "false")
  await expect(node(page, "Planner")).toContainText("2 children")
  await expect(node(page, "Planner").getByRole("gridcell")).toContainText(
    ["Active", "$100.00", "$0.00", "$0.00", "$40.00", "$60.00", "–"]
  )
  await node(page, "Planner").focus()
  await page.keyboard.press("ArrowRight")
  await expect(node(page, "Researcher")).toHaveAttribute("aria-level", "2")
  await page.keyboard.press("ArrowRight")
  await expect(node(page, "Researcher")).toBeFocused()
  await expect(node(page, "Researcher").getByRole("gridcell")).toContainText(
    ["Active", "$40.00", "$0.01", "$0.00", "$15.00", "$24.99", "–"]
  )
  await page.keyboard.press("ArrowRight")
  await expect(node(page, "Reader")).toHaveAttribute("aria-level", "3")
  await expect(node(page, "Reader").getByRole("gridcell").last()).not.toContainText("–")
  await expectNoBreaches(page, ["light", "dark", "high contrast, light", "high contrast, dark"])
  await page.keyboard.press("ArrowDown")
  await expect(node(page, "Reader")).toBeFocused()
  await page.keyboard.press("ArrowLeft")
  await expect(node(page, "Researcher")).toBeFocused()
  await page.keyboard.press("ArrowLeft")
  await expect(node(page, "Reader")).toHaveCount(0)
  await page.keyboard.press("Home")
  await expect(node(page, "Planner")).toBeFocused()
  await page.keyboard.press("End")
  await expect(page.getByRole("row").filter({ hasText: "far too long" })).toBeFocused()

  // Changes of others are shown in place, and new agents on request.
  await api.call("PATCH", `/agents/${child.id}`, 200, { status: "paused" })
  await expect(node(page, "Researcher")).toContainText("Paused")
  await api.spawn(root, { name: "Critic", monthly_budget_cents: 500 })
  await expect(node(page, "Planner")).toContainText("3 children")
  await expect(node(page, "Planner")).toContainText("$45.00")
  await expect(node(page, "Critic")).toHaveCount(0)
  await page.getByRole("button", { name: "1 new agent" }).click()
  await expect(node(page, "Critic")).toBeVisible()

  await page.setViewportSize({ width: 390, height: 844 })
  await expectNothingSideways(page)
  await expectNoBreaches(page)
  await page.setViewportSize({ width: 1440, height: 900 })

  await node(page, "Researcher").focus()
  await page.keyboard.press("Enter")
  await expect(page.getByRole("heading", { level: 1, name: "Researcher" })).toBeVisible()
  const panel = page.getByRole("region", { name: "Family" })
  await expect(panel).toContainText("1 level below the root")
  await expect(panel.getByRole("link", { name: "Planner" })).toBeVisible()
  await expect(panel).toContainText("$15.00")
  await expect(panel).toContainText("$15.00 left")
  await expectNoBreaches(page, ["light"])
  await panel.getByRole("link", { name: "Open family" }).click()
  await expect(node(page, "Researcher")).toHaveAttribute("aria-level", "1")
  await expect(node(page, "Reader")).toBeVisible()
  await page.getByRole("link", { name: "One level up" }).click()
  await expect(node(page, "Planner")).toHaveAttribute("aria-level", "1")
  await expect(node(page, "Critic")).toBeVisible()
})

test("a wide family is read in pages of 50, and a deleted parent's children move up", async ({ api, hub, owner, page }) => {
  const root = await api.agent({ name: "Planner", bindings: [echo] })
  const names = Array.from({ length: 52 }, (_, at) => `Child ${String(at + 1).padStart(2, "0")}`)
  for (const name of names) await api.spawn(root, { name, monthly_budget_cents: 0 })
  await signIn(page, hub, owner)
  await page.goto(families(owner, `?root=${root.id}`))
  await expect(node(page, "Child 50")).toHaveAttribute("aria-setsize", "52")
  await expect(node(page, "Child 51")).toHaveCount(0)
  await page.getByRole("button", { name: "Show more children of Planner" }).click()
  await expect(node(page, "Child 52")).toHaveAttribute("aria-posinset", "52")
  await expect(page.getByRole("button", { name: "Show more children of Planner" })).toHaveCount(0)
  await page.goto(families(owner))
  await node(page, "Planner").waitFor()
  await api.call("DELETE", `/agents/${root.id}`, 204)
  await expect(node(page, "Child 01")).toHaveAttribute("aria-level", "1")
  await expect(node(page, "Planner")).toHaveCount(0)
})

test("an empty workspace offers the first step, and an owner creates the assistant, which nobody deletes", async ({ hub, owner, page, pageOf }) => {
  await signIn(page, hub, owner)
  await page.goto(families(owner))
  await expect(page.getByText("No agent works here yet.")).toBeVisible()
  await expectNoBreaches(page, ["light"])
  await page.getByRole("link", { name: "Go to agents" }).click()
  await page.getByRole("main").getByRole("button", { name: "New agent" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Name").fill("Yupi")
  await dialog.getByRole("radio", { name: "Workspace assistant" }).check()
  await dialog.getByRole("button", { name: "Create agent" }).click()
  await dialog.getByLabel("I have kept it").check()
  await dialog.getByRole("button", { name: "Done" }).click()
  await expect(page.getByText("The workspace's assistant can't be deleted.")).toBeVisible()
  await expect(page.getByRole("button", { name: "Delete agent" })).toHaveCount(0)
  await page.keyboard.press("Escape")
  await expect(page.getByRole("region", { name: "Fleet health" }).getByRole("link", { name: "Yupi" })).toBeVisible()
  await expect(page.getByRole("grid").getByRole("row").filter({ hasText: "Yupi" })).toContainText("Assistant")
  await page.getByRole("button", { name: "New agent" }).click()
  await expect(dialog.getByLabel("Name")).toBeVisible()
  await expect(dialog.getByRole("radio", { name: "Workspace assistant" })).toHaveCount(0)

  const viewer = await hub.person({ org: owner.org, role: "member", name: "Mia" })
  const other = await pageOf(viewer)
  await other.goto(families(viewer))
  await expect(other.getByText("No agent works here yet.")).toBeVisible()
})

test("a delegated task is found in the list, and followed live to its end", async ({ api, hub, owner, page, pageOf }) => {
  await api.topUp(1_000)
  const root = await api.agent({ name: "Planner", monthly_budget_cents: 10_000, bindings: [echo] })
  const child = await api.spawn(root, { name: "Researcher", monthly_budget_cents: 0 })
  const delegate = (goal: string) =>
    api.asAgent(root, "POST", `/agents/${root.id}/delegated-tasks`, 201, {
      to_agent_id: child.id,
      goal,
      input: { region: "EU", at_most: 3 },
      budget_cents: 300,
      services: ["echo"],
      deadline_at: "2999-01-01T00:00:00.000Z"
    })
  const set = (task: { readonly id: string }, body: unknown) =>
    api.asAgent(child, "PATCH", `/agents/${child.id}/delegated-tasks/${task.id}`, 200, body)
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/tasks`)
  await expect(page.getByText("No agent has delegated a task yet.")).toBeVisible()
  await expectNoBreaches(page, ["light"])
  const failed = await delegate("Book a hotel")
  await set(failed, { status: "failed", error: { code: "no_room", message: "Every hotel is full." } })
  const task = await delegate("Find three suppliers\nand compare their prices, delivery times, and terms of payment.")
  await page.reload()
  const row = (name: string) => page.getByRole("grid").getByRole("row").filter({ hasText: name })
  await expect(row("Book a hotel")).toContainText("Failed")
  await expect(row("Find three")).toContainText("$0.00 of $3.00")
  await expectNoBreaches(page, ["light", "dark", "high contrast, light", "high contrast, dark"])

  await row("Find three").getByRole("link", { name: /^Find three/ }).click()
  await expect(page.getByText("Only the two agents change a task.")).toBeVisible()
  const steps = page.getByRole("list", { name: "Steps of this task" }).getByRole("listitem")
  await expect(steps).toContainText(["Delegated", "Started", "End"])
  await expect(steps.first()).toHaveAttribute("aria-current", "step")
  await set(task, { status: "in_progress" })
  await expect(steps.nth(1)).toHaveAttribute("aria-current", "step")
  await api.send(child, { service: "echo", operation: "say" }, { "x-delegated-task": task.id })
  await api.send(child, { service: "search", operation: "web", payload: { query: "beds" } }, {
    "x-delegated-task": task.id
  })
  await expect(page.getByRole("region", { name: "Budget" })).toContainText("$2.99 left")
  const requests = page.getByRole("region", { name: "Requests of this task" })
  await requests.getByRole("button", { name: "2 new" }).click()
  await expect(requests.getByRole("listitem")).toHaveCount(2)
  await expect(requests).toContainText("search.web")
  await expectNoBreaches(page, ["light", "dark", "high contrast, light", "high contrast, dark"])
  await set(task, { status: "completed", result: { suppliers: ["A", "B", "C"] } })
  await expect(steps.nth(2)).toContainText("Completed")
  await expect(page.getByRole("region", { name: "Result" })).toContainText("suppliers")
  await expect(page.getByRole("region", { name: "Budget" })).toContainText("$2.99 not used")
  await expect(page.getByText("Only the two agents change a task.")).toHaveCount(0)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNothingSideways(page)
  await expectNoBreaches(page)
  await page.keyboard.press("Escape")
  await expect(page.getByRole("heading", { level: 1, name: "Delegated tasks" })).toBeVisible()
  await expectNothingSideways(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await row("Book a hotel").getByRole("link", { name: "Researcher" }).click()
  const panel = page.getByRole("region", { name: "Delegated tasks" })
  await expect(panel).toContainText("from Planner")
  await panel.getByRole("link", { name: "Book a hotel" }).click()
  await expect(page.getByRole("region", { name: "Error" })).toContainText("Every hotel is full.")

  await page.goto(`/w/${owner.org}/requests`)
  await row("echo.say").getByRole("link", { name: "echo.say" }).click()
  await page.getByRole("link", { name: task.id.slice(-8) }).click()
  await expect(page).toHaveURL(new RegExp(`/agents/${root.id}/tasks/${task.id}$`))
  await expect(page.getByText("$2.99 not used")).toBeVisible()
  await page.keyboard.press("Escape")
  await expect(page.getByRole("heading", { level: 1, name: "Delegated tasks" })).toBeVisible()
  await page.keyboard.press("Control+k")
  await expect(page.getByRole("dialog")).toBeVisible()
  await page.keyboard.type(task.id)
  await page.getByRole("option", { name: new RegExp(task.id) }).first().click()
  await expect(page).toHaveURL(new RegExp(`/agents/${root.id}/tasks/${task.id}$`))
  await expect(page.getByRole("navigation").getByRole("link", { name: "Agents" }).first())
    .toHaveAttribute("aria-current", "page")

  const stranger = await hub.person({ org: owner.org, role: "member", name: "Mia" })
  const other = await pageOf(stranger)
  await other.goto(`/w/${owner.org}/agents/${root.id}/tasks/${task.id}`)
  await expect(other.getByText("Page not found")).toBeVisible()
})

test("an agent is cloned with a new key, and transferred to a team with who pays in words", async ({ api, hub, owner, page }) => {
  const agent = await api.agent({ name: "Scout", monthly_budget_cents: 2_500, bindings: [echo] })
  const { id: team } = await api.call("POST", "/teams", 201, { name: "Research" })
  const ben = await hub.person({ org: owner.org, role: "admin", name: "Ben" })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/agents/${agent.id}`)
  const dialog = page.getByRole("dialog")
  const act = async (name: string) => {
    await page.getByRole("button", { name: /^More acts on / }).click()
    await page.getByRole("menuitem", { name }).click()
  }
  await act("Clone…")
  await expect(dialog.getByLabel("Name")).toHaveValue("Scout (copy)")
  await expectNoBreaches(page, ["light"])
  await dialog.getByLabel("Name").fill("Second scout")
  await dialog.getByRole("button", { name: "Clone agent" }).click()
  await expect(dialog.getByLabel("Key", { exact: true })).toHaveText(/^agent_key_live_\w+$/)
  await dialog.getByLabel("I have kept it").check()
  await dialog.getByRole("button", { name: "Done" }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Second scout" })).toBeVisible()
  await expect(page.getByText("$25.00 left")).toBeVisible()
  await act("Transfer…")
  await expect(dialog.getByText("Afterwards the workspace's wallet pays for its requests.")).toBeVisible()
  await expect(dialog.getByRole("button", { name: "Transfer agent" })).toBeDisabled()
  await dialog.getByLabel("Owner").selectOption("Ben")
  await dialog.getByLabel("Team").selectOption("Research")
  await expect(dialog.getByText("Ben's allocation in Research pays")).toBeVisible()
  await expectNoBreaches(page)
  await dialog.getByRole("button", { name: "Transfer agent" }).click()
  await expect(page.getByText("Second scout was transferred")).toBeVisible()
  await expect(page.getByRole("region", { name: "About" })).toContainText("Research")
  const clone = (await api.call("GET", "/agents?q=Second", 200)).data[0]
  expect([clone.team_id, clone.owner_user_id, clone.monthly_budget_cents]).toEqual([team, ben.id, 2_500])
})

test("skills that an agent proposes are read and decided, its conversations read, and its changes chosen by type", async ({ api, hub, owner, page, pageOf }) => {
  const agent = await api.agent({ name: "Scout", bindings: [echo] })
  const propose = (name: string) =>
    api.asAgent(agent, "POST", `/agents/${agent.id}/skill-proposals`, 201, {
      name,
      description: "Answers in the tone of the caller.",
      instructions: "1. Read the request.\n2. Answer with echo.say.",
      operations: ["echo.say"],
      rationale: "People asked for it three times."
    })
  await propose("Polite answers")
  await propose("Rude answers")
  const { id: talk } = await api.asAgent(agent, "POST", `/agents/${agent.id}/conversations`, 201, {
    title: "Order 1042"
  })
  for (let at = 1; at <= 52; at++) {
    const role = at % 2 === 1 ? "user" : "assistant"
    await api.asAgent(agent, "POST", `/agents/${agent.id}/conversations/${talk}/messages`, 201, {
      role,
      content: `Message ${String(at)} of the conversation`
    })
  }
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/agents/${agent.id}`)
  const skills = page.getByRole("region", { name: "Skills" })
  const dialog = page.getByRole("dialog")
  await expect(skills.getByRole("tab", { name: /^Proposals/ })).toHaveAttribute("aria-selected", "true")
  await expectNoBreaches(page, ["light", "dark", "high contrast, light", "high contrast, dark"])
  await skills.getByRole("button", { name: "Review Polite answers" }).click()
  await expect(dialog).toContainText("2. Answer with echo.say.")
  await expect(dialog).toContainText("People asked for it three times.")
  await expectNoBreaches(page)
  await dialog.getByLabel("Comment").fill("Good idea")
  await dialog.getByRole("button", { name: "Accept skill" }).click()
  await expect(page.getByText("Polite answers was accepted")).toBeVisible()
  await skills.getByRole("button", { name: "Review Rude answers" }).click()
  await dialog.getByRole("button", { name: "Reject" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Reject proposal" }).click()
  await expect(skills.getByRole("listitem").filter({ hasText: "Rude answers" })).toContainText("Rejected")
  await skills.getByRole("button", { name: "Read Polite answers" }).click()
  await expect(dialog).toContainText("Accepted by")
  await expect(dialog).toContainText("Good idea")
  await page.keyboard.press("Escape")
  await skills.getByRole("tab", { name: "Skills" }).click()
  await expect(skills.getByRole("listitem")).toHaveCount(2)
  await skills.getByRole("button", { name: "Delete skill" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete skill" }).click()
  await expect(skills.getByRole("listitem")).toHaveCount(1)

  const activity = page.getByRole("region", { name: "Activity" })
  await activity.getByRole("tab", { name: "Changes" }).click()
  await expect(activity.getByRole("listitem").filter({ hasText: "by Scout" }).first()).toBeVisible()
  await activity.getByLabel("Type of change").selectOption("Services")
  await expect(activity.getByRole("listitem")).toHaveCount(1)
  await activity.getByLabel("Type of change").selectOption("Budget requests")
  await expect(activity.getByText("Nothing of this type yet.")).toBeVisible()

  await page.setViewportSize({ width: 390, height: 844 })
  await expectNothingSideways(page)
  await page.getByRole("link", { name: "Order 1042" }).click()
  await expect(page.getByText("Message 52 of the conversation")).toBeVisible()
  await expectNothingSideways(page)
  await expectNoBreaches(page)
  await expect(page.getByText("Message 2 of the conversation", { exact: true })).toHaveCount(0)
  await page.getByRole("button", { name: "Show earlier messages" }).click()
  await expect(page.getByRole("list", { name: "Messages, oldest first" }).getByRole("listitem").first())
    .toContainText("Message 1 of the conversation")

  const viewer = await hub.person({ org: owner.org, role: "viewer", name: "Vera" })
  const other = await pageOf(viewer)
  await other.goto(`/w/${owner.org}/agents/${agent.id}`)
  await expect(other.getByRole("region", { name: "Skills" }).getByRole("tab", { name: "Skills" })).toBeVisible()
  await expect(other.getByRole("button", { name: /^More acts on / })).toHaveCount(0)
  await other.getByRole("tab", { name: /^Proposals/ }).click()
  await expect(other.getByRole("button", { name: /^Review/ })).toHaveCount(0)
})
