/** Workflows: templates, the editor by keyboard and pointer, versions, publishing, and access. */
import type { Page } from "@playwright/test"
import { expectNoBreaches, expectNothingSideways } from "../../support/console-looks.ts"
import { expect, signIn, test } from "../../support/console.ts"

const dialog = (page: Page) => page.getByRole("dialog")
const steps = (page: Page) => page.getByRole("list", { name: "Steps in the order in which they run" })
const problems = (page: Page) => page.getByRole("region", { name: "Problems" })
const unsaved = (page: Page) => page.getByText("Unsaved changes", { exact: true })

test("a template becomes a workflow, whose version is published after a review of its changes and granted to an agent", async ({ api, hub, owner, page }) => {
  const scout = await api.agent({ name: "Scout" })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/workflows`)
  await expect(page.getByText(/^A workflow is a graph of steps/u)).toBeVisible()
  await page.getByRole("navigation", { name: "Views of workflows" }).getByRole("link", { name: "Templates" }).click()
  const templates = page.getByRole("list", { name: "Templates", exact: true })
  await expect(templates.getByRole("heading").nth(9), "there are ten at least").toBeVisible()
  await expectNoBreaches(page, ["light"])
  await page.getByRole("button", { name: "Use template Approved call" }).click()
  await dialog(page).getByLabel("Name").fill("Call the supplier")
  await dialog(page).getByRole("button", { name: "Create workflow" }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Call the supplier" })).toBeVisible()
  await expect(page.getByText(/^Version 1 by /u)).toBeVisible()

  await page.getByRole("button", { name: "Add agent" }).click()
  await dialog(page).getByLabel("Agent").selectOption({ label: scout.name })
  await dialog(page).getByRole("button", { name: "Add agent" }).click()
  await expect(page.getByRole("button", { name: "Remove Scout" })).toBeVisible()

  await page.getByRole("button", { name: "Publish version 1" }).click()
  await expect(dialog(page)).toContainText("This is the first version to be published.")
  await expectNoBreaches(page)
  await dialog(page).getByRole("button", { name: "Request publication" }).click()
  await expect(page.getByText("in review", { exact: true })).toBeVisible()
  await page.getByRole("link", { name: "Open the publish request" }).click()
  await page.getByRole("row").filter({ hasText: "Call the supplier" }).first().click()
  await dialog(page).getByRole("button", { name: "Approve" }).click()
  await expect(dialog(page)).toHaveCount(0)
  await page.goBack()
  await expect(page.getByText("live", { exact: true })).toBeVisible()
  await expectNothingSideways(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNothingSideways(page)
})

test("the editor adds, connects, and removes steps by keyboard alone, in the list and in the graph, and keeps unsaved changes over a reload", async ({ hub, owner, api, page }) => {
  const { id } = await api.call("POST", "/workflows", 201, { name: "By keyboard" })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/workflows/${id}/edit`)
  await page.getByRole("button", { name: "Add step" }).press("Enter")
  await page.getByRole("menuitem", { name: "Condition" }).press("Enter")
  const row = (label: string) => steps(page).getByRole("button", { name: new RegExp(`^${label}\\b`, "u") })
  await expect(row("Check")).toBeFocused()
  await expect(problems(page)).toContainText("Check")
  // `n` adds behind the focused step; the new one has the focus.
  await page.keyboard.press("n")
  await page.getByRole("menuitem", { name: "Delay" }).press("Enter")
  await expect(row("Wait")).toBeFocused()
  await expect(row("Wait")).toContainText("after Check")
  await page.keyboard.press("ArrowUp")
  await expect(row("Check")).toBeFocused()
  await page.keyboard.press("n")
  await page.getByRole("menuitem", { name: "Webhook" }).press("Enter")
  await expect(row("Webhook")).toContainText("after Check")
  await expect(row("Webhook")).toBeFocused()
  // `c` offers only the targets that close no cycle.
  await page.keyboard.press("c")
  await expect(page.getByRole("menuitem")).toHaveText(["Wait"])
  await page.getByRole("menuitem", { name: "Wait" }).press("Enter")
  await expect(row("Wait")).toContainText("after Check, Webhook")
  await expect(row("Webhook")).toBeFocused()
  await page.keyboard.press("Delete")
  await expect(row("Webhook")).toHaveCount(0)

  // Enter opens the step; the browser checks while a person types, and the hub confirms.
  await row("Check").press("Enter")
  await page.getByLabel("Expression").fill("input.")
  await expect(problems(page).getByRole("button", { name: "Open Check" })).toBeVisible()
  await expect(page.getByRole("button", { name: "Save version" })).toBeDisabled()
  await page.getByLabel("Expression").fill("input.amount > 100")
  await expect(problems(page)).toContainText("No problems. The hub accepts this definition.")

  // The graph is one tab stop, whose arrows follow the connections.
  await page.getByRole("tab", { name: "Graph" }).click()
  const node = (name: string) =>
    page.getByRole("group", { name: "Steps and connections" }).getByRole("button", { name })
  await node("Check Condition").focus()
  await page.keyboard.press("ArrowDown")
  await expect(node("Wait Delay")).toBeFocused()
  await page.keyboard.press("ArrowUp")
  await expect(node("Check Condition")).toBeFocused()
  await expect(node("Wait Delay")).toBeInViewport()
  await expectNoBreaches(page, ["light"])

  await expect(unsaved(page)).toBeVisible()
  await page.reload()
  await expect(page.getByText("Unsaved changes of this browser are restored.")).toBeVisible()
  await expect(problems(page)).toContainText("No problems. The hub accepts this definition.")
  await page.getByRole("button", { name: "Save version" }).click()
  await expect(page.getByText("Based on version 1")).toBeVisible()
  await expect(unsaved(page)).toHaveCount(0)
})

test("a version that another person saved meanwhile is merged, and both changes to one step are shown before the next save", async ({ hub, owner, api, page }) => {
  const { id } = await api.call("POST", "/workflows", 201, { name: "Shared" })
  const version = (expression: string, seconds: number) => ({
    steps: [
      { label: "Check", type: "condition", config: { expression } },
      { label: "Wait", type: "delay", config: { seconds } }
    ],
    edges: [{ from: "Check", to: "Wait" }]
  })
  await api.call("POST", `/workflows/${id}/versions`, 201, version("true", 1))
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/workflows/${id}/edit`)
  await steps(page).getByRole("button", { name: /^Check/u }).click()
  await page.getByLabel("Expression").fill("input.mine")
  await api.call("POST", `/workflows/${id}/versions`, 201, version("input.theirs", 2))
  await page.getByRole("button", { name: "Save version" }).click()
  await expect(page.getByRole("radiogroup", { name: "Step Check" })).toBeVisible()
  await expect(page.getByRole("button", { name: "Save version" })).toBeDisabled()
  await page.getByRole("radiogroup", { name: "Step Check" }).getByRole("radio").first().check()
  await page.getByRole("button", { name: "Save version" }).click()
  await expect(page.getByText("Based on version 3")).toBeVisible()
  const { data: [newest] } = await api.call("GET", `/workflows/${id}/versions`, 200)
  expect(newest.steps.map(({ config }: { config: unknown }) => config)).toEqual([
    { expression: "input.mine" },
    { seconds: 2 }
  ])
})

test("a run waits for its approval in the inbox, continues live on its page, and a failed step is started again", async ({ hub, owner, api, page }) => {
  await api.topUp(10_000)
  const scout = await api.agent({ name: "Scout" })
  const { id } = await api.call("POST", "/workflows", 201, { name: "Ask first", max_cost_cents: 500 })
  await api.call("POST", `/workflows/${id}/versions`, 201, {
    input_schema: { type: "object", properties: { topic: { type: "string", title: "Topic" } }, required: ["topic"] },
    steps: [
      {
        label: "Approve",
        type: "approval",
        config: { title: "Write about ${input.topic}?", body: "Nothing is sent before." }
      },
      {
        label: "Say",
        type: "service_call",
        config: { service: "echo", operation: "say", payload: { text: "${input.topic}" } }
      },
      {
        label: "Search",
        type: "service_call",
        config: { service: "search", operation: "web", payload: { query: "x" } }
      }
    ],
    edges: [{ from: "Approve", to: "Say" }, { from: "Say", to: "Search" }]
  })
  await api.call("POST", `/workflows/${id}/agents`, 201, { agent_id: scout.id })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/workflows/${id}`)
  await page.getByRole("button", { name: "Start run" }).click()
  await dialog(page).getByLabel("Topic").fill("prices")
  await dialog(page).getByRole("button", { name: "Estimate" }).click()
  await expect(dialog(page).getByRole("region", { name: "Estimate" })).toContainText("Say")
  await expectNoBreaches(page)
  await dialog(page).getByRole("button", { name: "Start run" }).click()
  const timeline = page.getByRole("list", { name: "Steps of this run" })
  const line = (label: string) => timeline.getByRole("listitem").filter({ hasText: label }).first()
  await expect(line("Approve")).toContainText("Waiting")
  const address = page.url()
  await expectNoBreaches(page)

  await line("Approve").getByRole("link", { name: "Approval" }).click()
  await expect(page.getByRole("heading", { level: 2 }).first()).toContainText("Write about prices?")
  await expect(page.getByText("Approval debits nothing: the run continues.")).toBeVisible()
  await expectNoBreaches(page, ["light"])
  const [{ id: approval }] = (await api.call("GET", "/approvals?status=pending", 200)).data
  await page.goto(address)
  await expect(line("Approve")).toContainText("Waiting")
  await api.call("POST", `/approvals/${approval}/approve`, 200, {})
  // Without a reload: the page follows the run.
  await expect(line("Say")).toContainText("Succeeded")
  await expect(line("Search")).toContainText("Failed")
  await page.getByRole("tab", { name: "Graph" }).click()
  await expect(page.getByRole("button", { name: /^Search Failed/u })).toBeInViewport()
  await expectNoBreaches(page, ["light"])
  await page.getByRole("tab", { name: "Timeline" }).click()
  await page.getByRole("button", { name: "Rerun failed steps" }).click()
  await expect(page.getByRole("alertdialog").getByRole("list", { name: "Steps that start again" })).toContainText(
    "Search"
  )
  await expectNoBreaches(page, ["light"])
  await page.getByRole("alertdialog").getByRole("button", { name: "Start again" }).click()
  await expect(page.getByRole("alertdialog")).toHaveCount(0)
  await expect(line("Search")).toContainText("Failed")
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNothingSideways(page)
})

test("a schedule is created with its times in words, runs now, and pauses; a trigger shows its secret once and a signed call", async ({ hub, owner, api, page }) => {
  const scout = await api.agent({ name: "Scout" })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/schedules`)
  await page.getByRole("button", { name: "Create schedule" }).first().click()
  await dialog(page).getByLabel("Name").fill("Morning")
  await dialog(page).getByLabel("Agent").selectOption({ label: scout.name })
  await dialog(page).getByLabel("Service", { exact: true }).selectOption("echo")
  await dialog(page).getByLabel("Operation").selectOption("say")
  await dialog(page).getByLabel("Cron expression").fill("61 9 * * *")
  await expect(dialog(page)).toContainText("Expected a valid expression")
  await dialog(page).getByLabel("Cron expression").fill("30 2 * * *")
  await dialog(page).getByLabel("Time zone").selectOption("Europe/Berlin")
  await expect(dialog(page)).toContainText("At 02:30 every day.")
  await expect(dialog(page).getByRole("table", { name: "The next times" }).getByRole("row")).toHaveCount(6)
  await dialog(page).getByRole("tab", { name: "JSON" }).click()
  await dialog(page).getByLabel("Payload", { exact: true }).fill("{\"text\": \"hello\"}")
  await expectNoBreaches(page)
  await dialog(page).getByRole("button", { name: "Create schedule" }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Morning" })).toBeVisible()
  await page.getByRole("button", { name: "Run now" }).click()
  await expect(page.getByRole("list", { name: "Runs of this schedule, newest first" })).toContainText("Started")
  await page.getByRole("button", { name: "Pause" }).click()
  await expect(page.getByText("Paused by a person")).toBeVisible()
  await expectNoBreaches(page, ["light"])

  await page.goto(`/w/${owner.org}/triggers`)
  await page.getByRole("button", { name: "Create trigger" }).first().click()
  await dialog(page).getByLabel("Name").fill("Orders")
  await dialog(page).getByLabel("Agent").selectOption({ label: scout.name })
  await dialog(page).getByLabel("Service", { exact: true }).selectOption("echo")
  await dialog(page).getByLabel("Operation").selectOption("say")
  await dialog(page).getByLabel("Make the payload from the delivery").check()
  await dialog(page).getByLabel("Payload template").fill("{\"text\": \"${body.order}\"}")
  await expectNoBreaches(page, ["light"])
  await dialog(page).getByRole("button", { name: "Create trigger" }).click()
  await expect(dialog(page).getByRole("group", { name: "Signing secret" })).toContainText("whsec_")
  await dialog(page).getByLabel("I have kept it").check()
  await dialog(page).getByRole("button", { name: "Done" }).click()
  await expect(page.getByRole("group", { name: "Signed call" })).toContainText("X-Svc-Signature: sha256=")
  await page.getByLabel("Body").fill("{\"order\": \"42\"}")
  await page.getByRole("button", { name: "Test", exact: true }).click()
  await expect(page.getByRole("region", { name: "Result" })).toContainText("echo.say")
  await expect(page.getByRole("region", { name: "Rendered payload" })).toContainText("42")
  await expectNoBreaches(page)
  await page.getByRole("button", { name: "Rotate secret" }).click()
  await dialog(page).getByRole("button", { name: "Rotate secret" }).click()
  await expect(dialog(page)).toContainText("The previous secret works until")
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNothingSideways(page)
})
