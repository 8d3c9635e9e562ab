/** Workflows: templates, the editor by keyboard and pointer, versions, publishing, and access. */
import type { Page } from "@playwright/test"
import { expectNoBreaches, expectNothingSideways } from "../../support/console-looks.ts"
import { expect, signIn, test } from "../../support/console.ts"

test.describe.configure({ timeout: 180_000 })

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
  expect(await templates.getByRole("heading").count()).toBeGreaterThanOrEqual(10)
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
