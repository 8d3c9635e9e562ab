/** Rules of a workspace: written, tried, switched, moved, and seen to decide. */
import type { Page } from "@playwright/test"
import { expect, password, type Person, signIn, test } from "../../support/console.ts"
import { expectNothingSideways, lookedAt } from "../../support/console-looks.ts"

/** Axe in every look takes its time where the machine is shared. */
test.describe.configure({ timeout: 150_000 })

const place = (person: Person, rest = "") => `/w/${person.org}/policies${rest}`
const rules = (page: Page) => page.getByRole("list", { name: "Rules, in the order in which they are read" }).getByRole("listitem")
const sample = (page: Page, name = "On a sample") => page.getByRole("region", { name })

test("a rule that blocks is tried on a sample and on recent requests before it stands, and then blocks", async ({
  desk,
  hub,
  owner,
  page
}) => {
  await desk.topUp(1_000)
  const agent = await desk.agent()
  const said = (text: string) => desk.send(agent, { service: "echo", operation: "say", payload: { text } })
  await said("a secret")
  await said("hello")
  await signIn(page, hub, owner)
  await page.goto(place(owner))
  await expect(page.getByText("No rule stands: caps, limits and thresholds alone decide.")).toBeVisible()
  await lookedAt(page)
  await page.getByRole("main").getByRole("link", { name: "New rule" }).click()
  await page.getByLabel("Name").fill("No secrets")
  await page.getByRole("radio", { name: "CEL" }).check()
  await page.getByLabel("When").fill("payload.text.contains(")
  await expect(page.getByLabel("When")).toHaveAttribute("aria-invalid", "true")
  await lookedAt(page)
  await page.getByLabel("When").fill('payload.text.contains("secret")')
  await expect(page.getByText("This condition is valid.")).toBeVisible()
  await page.getByRole("radio", { name: "Block" }).check()
  await page.getByLabel("Reason").fill("Secrets stay here.")
  const panel = sample(page)
  await panel.getByLabel("Service").selectOption("echo")
  await panel.getByLabel("Payload").fill('{"text":"my secret"}')
  await panel.getByRole("button", { name: "Try" }).click()
  await expect(panel).toContainText("It matches.")
  await expect(panel).toContainText("This rule would decide: Block.")
  await panel.getByLabel("Payload").fill('{"text":"hello"}')
  await expect(panel).toContainText("Something was changed since.")
  await panel.getByRole("button", { name: "Try" }).click()
  await expect(panel).toContainText("It does not match.")
  await expect(panel).toContainText("No rule speaks of it")
  await panel.getByLabel("Payload").fill("{}")
  await panel.getByRole("button", { name: "Try" }).click()
  await expect(panel).toContainText("It can not be read, which blocks")
  const replay = page.getByRole("region", { name: "On recent requests" })
  await expect(replay).toContainText("Of the last 2 requests")
  await expect(
    replay.getByRole("list", { name: "Requests with another outcome" }).getByRole("listitem")
  ).toHaveCount(1)
  await expect(replay).toContainText("would be blocked")
  await lookedAt(page)
  await page.getByRole("button", { name: "Create rule" }).click()
  const warnings = page.getByRole("region", { name: /^Saved with \d+ warning/u })
  await expect(warnings).toContainText("payload.text is optional in echo.say")
  await lookedAt(page)
  await warnings.getByRole("button", { name: "Dismiss" }).click()
  await expect(warnings).toHaveCount(0)
  await page.goto(place(owner))
  await expect(rules(page)).toHaveCount(1)
  await expect(rules(page).first()).toContainText("No secrets")
  await expect(rules(page).first()).toContainText("Block")
  await lookedAt(page)
  expect(await said("a secret")).toMatchObject({ status: "blocked", reason_code: "policy_violation" })
  expect(await said("hello")).toMatchObject({ status: "executed" })
})

test("rules are moved and switched; which one decides is told in their order, as the hub then decides", async ({
  desk,
  hub,
  owner,
  page
}) => {
  await desk.topUp(1_000)
  const agent = await desk.agent()
  const said = () => desk.send(agent, { service: "echo", operation: "say", payload: { text: "hello" } })
  await desk.policy({ name: "Let Scout", when: 'agent.name == "Scout"', then: "allow" })
  await desk.policy({ name: "No echo", when: 'service == "echo"', then: "block" })
  await signIn(page, hub, owner)
  await page.goto(place(owner))
  await expect(rules(page)).toHaveText([/Let Scout/, /No echo/])
  const panel = sample(page, "Which rule would decide?")
  await panel.getByLabel("Service").selectOption("echo")
  const tried = async () => {
    await panel.getByRole("button", { name: "Try" }).click()
    return panel.getByRole("status")
  }
  await expect(await tried()).toContainText("Let Scout would decide: Allow.")
  expect(await said()).toMatchObject({ status: "executed" })
  await page.getByRole("button", { name: "Move No echo up" }).focus()
  await page.keyboard.press("Enter")
  await expect(rules(page)).toHaveText([/No echo/, /Let Scout/])
  await expect(page.getByRole("button", { name: "Move No echo up" })).toBeFocused()
  await expect(await tried()).toContainText("No echo would decide: Block.")
  expect(await said()).toMatchObject({ status: "blocked", reason_code: "policy_violation" })
  await page.getByRole("switch", { name: "No echo is on" }).click()
  await expect(page.getByRole("switch", { name: "No echo is on" })).not.toBeChecked()
  await expect(page.getByText("No echo is off")).toBeVisible()
  await expect(panel.getByRole("status")).toContainText("Something was changed since.")
  await expect(await tried()).toContainText("Let Scout would decide: Allow.")
  expect(await said()).toMatchObject({ status: "executed" })
})

test("a rule that asks a person says how many, who and how long, is changed, and goes only when asked twice", async ({
  desk,
  hub,
  owner,
  page
}) => {
  await desk.policy({ name: "Dear things", when: "ceiling_cents > 5000", then: "require_approval" })
  await signIn(page, hub, owner)
  await page.goto(place(owner))
  await rules(page).getByRole("link", { name: "Dear things" }).click()
  await page.getByLabel("Approvals needed").fill("2")
  await page.getByLabel("Waits at most").fill("2")
  await page.getByLabel("Unit").selectOption("days")
  await page.getByRole("radio", { name: "Only these" }).check()
  await page.getByRole("button", { name: "Save" }).click()
  await expect(page.getByText("Pick at least one role or person.")).toBeVisible()
  await page.getByRole("checkbox", { name: "Administrators" }).check()
  await page.getByRole("checkbox", { name: "Ada" }).check()
  await lookedAt(page)
  await page.getByRole("button", { name: "Save" }).click()
  await expect(rules(page).first()).toContainText("2 approvals")
  const [stands] = (await desk.call("GET", "/policies", 200)).data
  expect(stands).toMatchObject({
    required_approvals: 2,
    expires_in_seconds: 172_800,
    deciders: { roles: ["admin"], user_ids: [owner.id] }
  })
  await rules(page).getByRole("link", { name: "Dear things" }).click()
  await expect(page.getByLabel("Waits at most")).toHaveValue("2")
  await page.getByLabel("Name").fill("Unsaved")
  await page.getByRole("link", { name: "Agents" }).first().click()
  await expect(page.getByRole("alertdialog")).toContainText("Leave without saving?")
  await page.getByRole("alertdialog").getByRole("button", { name: "Stay" }).click()
  await expect(page.getByLabel("Name")).toHaveValue("Unsaved")
  await page.getByRole("button", { name: "Delete" }).click()
  await lookedAt(page, ["light"])
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete rule" }).click()
  // Fewer approvals are a weaker protection: the password comes first.
  await page.getByRole("dialog", { name: "Confirm your password" }).getByLabel("Password").fill(password)
  await page.keyboard.press("Enter")
  await expect(page.getByText("No rule stands: caps, limits and thresholds alone decide.")).toBeVisible()
})

test("what the hub refuses of a rule stands at its field", async ({ hub, owner, page }) => {
  await signIn(page, hub, owner)
  await page.goto(place(owner, "/new"))
  await page.getByRole("button", { name: "Create rule" }).click()
  await expect(page.getByLabel("Name")).toHaveAttribute("aria-invalid", "true")
  await page.getByLabel("Name").fill("Ni\u202eght")
  await page.getByRole("radio", { name: "CEL" }).check()
  await page.getByLabel("When").fill("true")
  await expect(page.getByText("This condition is valid.")).toBeVisible()
  await page.getByRole("button", { name: "Create rule" }).click()
  await expect(page.getByText("expected text without bidirectional overrides")).toBeVisible()
  await expect(page.getByLabel("Name")).toHaveAttribute("aria-invalid", "true")
})

test("who may not change the workspace is told so", async ({ hub, owner, pageOf }) => {
  const page = await pageOf(await hub.person({ org: owner.org, role: "operator", name: "Olga" }))
  for (const rest of ["", "/new"]) {
    await page.goto(place(owner, rest))
    await expect(page.getByText("You need permission to change the workspace to see rules.")).toBeVisible()
  }
  await lookedAt(page)
})

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test("rules and their form keep within the width", async ({ desk, hub, owner, page }) => {
    await desk.policy({
      name: "A long name of a rule that does not fit on one line of a phone",
      when: 'payload.items.all(item, item.price_cents < 1000) && service == "shop"',
      then: "require_approval",
      required_approvals: 3
    })
    await signIn(page, hub, owner)
    await page.goto(place(owner))
    await expect(rules(page)).toHaveCount(1)
    await expectNothingSideways(page)
    await lookedAt(page)
    await rules(page).getByRole("link").click()
    await expect(page.getByLabel("When")).toBeVisible()
    await page.getByRole("radio", { name: "Only these" }).check()
    await expectNothingSideways(page)
    await lookedAt(page)
  })
})

test("a rule's condition is built in a form beside its text, and shows at once which requests it would have held", async ({
  desk, hub, owner, page
}) => {
  await desk.topUp(1_000)
  const agent = await desk.agent()
  for (const text of ["one", "two"]) await desk.send(agent, { service: "echo", operation: "say", payload: { text } })
  await signIn(page, hub, owner)
  await page.goto(place(owner, "/new"))
  await page.getByLabel("Name").fill("Paid calls")
  const test = (position: number) => page.getByRole("group", { name: `Condition ${position}` })
  await page.getByRole("button", { name: "Add condition" }).click()
  await test(1).getByLabel("Field", { exact: true }).selectOption("Service")
  await test(1).getByLabel("Value", { exact: true }).fill('ec"ho')
  await expect(page.getByText('service == "ec\\"ho"')).toBeVisible()
  const replay = page.getByRole("region", { name: "On recent requests" })
  await expect(replay).toContainText("Every request would have had the same outcome.")
  await page.getByRole("button", { name: "Add condition" }).click()
  await test(2).getByLabel("Field", { exact: true }).selectOption("Payload field…")
  await test(2).getByLabel("Payload field").fill("text")
  await test(2).getByLabel("Value", { exact: true }).fill("two")
  await page.getByLabel("Match", { exact: true }).selectOption("any of these")
  await expect(page.getByText('service == "ec\\"ho" || (has(payload.text) && payload.text == "two")')).toBeVisible()
  await expect(replay.getByRole("list", { name: "Requests with another outcome" }).getByRole("link")).toHaveCount(1)
  await expect(replay).toContainText("would require approval")
  await lookedAt(page)
  await page.getByRole("radio", { name: "CEL" }).check()
  await expect(page.getByLabel("When")).toHaveValue('service == "ec\\"ho" || (has(payload.text) && payload.text == "two")')
  await page.getByLabel("When").fill("service == nobody")
  await expect(page.getByText("Line 1, column 12")).toBeVisible()
  await lookedAt(page, ["light"])
  await page.getByLabel("When").fill("ceiling_cents > 0")
  await expect(replay.getByRole("list", { name: "Requests with another outcome" }).getByRole("link")).toHaveCount(2)
  await page.getByRole("radio", { name: "Form" }).check()
  await expect(test(1).getByLabel("Value", { exact: true })).toHaveValue("0.00")
  await test(1).getByLabel("Value", { exact: true }).fill("5.00")
  await page.getByRole("button", { name: "Create rule" }).click()
  await expect(rules(page)).toHaveCount(1)
  expect((await desk.call("GET", "/policies", 200)).data[0].when).toBe("ceiling_cents > 500")
})
