/** From the printed link to the first approved request, as a new user without instructions. */
import type { Page } from "@playwright/test"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expectNoBreaches, expectNothingSideways } from "../../support/console-looks.ts"
import { type BareHub, expect, signIn, test } from "../../support/console.ts"
import { cookieOf, expectStatus } from "../../support/hub.ts"

const run = promisify(execFile)

/** Runs the command in a shell, as a person who pastes it. */
const paste = async (command: string) => JSON.parse((await run("/bin/sh", ["-c", command])).stdout)

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

const owner = { email: "ada@countersign.test", password: "correct horse battery", name: "Ada" }

const fillOwner = async (page: Page, { workspace = "Acme" } = {}) => {
  await page.getByLabel("E-mail").fill(owner.email)
  await page.getByLabel("Password", { exact: true }).fill(owner.password)
  await page.getByText("Name and workspace (optional)").click()
  await page.getByLabel("Your name").fill(owner.name)
  await page.getByLabel("First workspace").fill(workspace)
}
const create = (page: Page) => page.getByRole("button", { name: "Create owner" })
const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name })
const currentStep = (page: Page) => page.locator("[aria-current=step]")

const madeOwner = async (hub: BareHub) => {
  const [, token] = (await hub.setupLink()).split("#token=")
  const answer = expectStatus(await hub.api("POST", "/auth/setup", { body: { ...owner, token } }), 201)
  return { cookie: cookieOf(answer), org: answer.body.active_workspace as string }
}

test("a new user gets from the printed link to an approved request with 2 fields, 5 presses, and 1 pasted command", async ({ context, newHub, page }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  const hands = { fields: 0, presses: 0, pastes: 0 }
  const fill = async (label: string, text: string) => {
    hands.fields++
    await page.getByLabel(label, { exact: true }).fill(text)
  }
  const press = async (role: "button" | "link", name: string | RegExp) => {
    hands.presses++
    await page.getByRole(role, { name }).click()
  }
  const hub = await newHub()
  await page.goto(await hub.setupLink())
  await expect(page).toHaveURL(`${hub.url}/setup`)
  await expect(heading(page, "Set up this hub")).toBeVisible()
  await expect(page.getByRole("textbox")).toHaveCount(2)
  await expectNoBreaches(page)
  await fill("E-mail", owner.email)
  await fill("Password", owner.password)
  await expect(page.getByText("Long enough")).toBeVisible()
  await press("button", "Create owner")

  await expect(page).toHaveURL(/\/w\/org_\w+\/start$/)
  await expect(page.getByRole("link", { name: "First steps" }), "in the rail").toHaveAttribute("aria-current", "page")
  await expect(currentStep(page)).toContainText("Create an agent")
  await expectNoBreaches(page)
  await press("button", "Create agent Scout")

  await expect(currentStep(page)).toContainText("Send the first request")
  await expect(heading(page, "Agent key, shown once")).toBeVisible()
  await expect(page.getByText("$10.00 available")).toBeVisible()
  await expect(page.getByText("Can use echo.say")).toBeVisible()
  await expect(page.getByText("Waiting for a request from Scout…")).toBeVisible()
  const key = await page.getByRole("group", { name: "Key", exact: true }).innerText()
  expect(key).toMatch(/^agent_key_live_\w+$/)
  await expectNoBreaches(page)
  await press("button", "Copy the command")
  await expect.poll(() => clipboard(page)).toContain("curl")
  const command = await clipboard(page)
  expect(command).toContain(`${hub.url}/api/v1/service-requests`)
  hands.pastes++
  const pending = await paste(command)
  expect(pending).toMatchObject({ status: "approval_required", cost_cents: 0 })

  // Without a press: the request appears by itself.
  await expect(page.getByText("Scout wants to call echo.say")).toBeVisible()
  await expect(page.getByRole("tabpanel").getByText("hello"), "its payload").toBeVisible()
  await expect(page.getByText("$9.99 is left in the wallet after this one.")).toBeVisible()
  await expectNoBreaches(page)
  await press("button", "Approve $0.01")

  await expect(heading(page, "You approved your first request")).toBeVisible()
  await expect(page.getByText("Decided: executed")).toBeVisible()
  await expect(page.getByText("$9.99 available")).toBeVisible()
  await expectNoBreaches(page)
  const decided = await hub.api("GET", `/service-requests/${pending.id}`, { key })
  expect(decided.body).toMatchObject({ status: "executed", cost_cents: 1 })
  await expect(page.getByRole("link", { name: "First steps" }), "done: no longer in the rail").toHaveCount(0)
  await press("link", "Open the inbox")
  await expect(page).toHaveURL(/\/inbox$/)
  expect(hands).toEqual({ fields: 2, presses: 5, pastes: 1 })
})

test("each part can be set up by hand, with a threshold that the second request exceeds", async ({ context, api: _, hub, owner: person, page }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  await signIn(page, hub, person)
  await page.goto(`/w/${person.org}/start`)
  await page.getByLabel("Name").fill("Scout")
  await page.getByRole("button", { name: "Create agent and key" }).click()
  await page.getByRole("button", { name: "Add $10.00" }).click()
  await expect(currentStep(page)).toContainText("Connect a service")
  await expect(page.getByRole("radio", { name: "Echo" })).toBeChecked()
  await expectNoBreaches(page)
  await page.getByRole("button", { name: "Connect service" }).click()
  await page.getByRole("button", { name: "Copy the command" }).click()
  await expect.poll(() => clipboard(page)).toContain("curl")
  const command = await clipboard(page)
  expect(await paste(command)).toMatchObject({ status: "executed", cost_cents: 1 })
  await expect(currentStep(page)).toContainText("Require approval for the next one")
  await expect(page.getByText("executed for $0.01")).toBeVisible()
  await page.getByRole("button", { name: "Require approval above $0.00" }).click()
  await expect(page.getByText("Waiting for another request from Scout…")).toBeVisible()
  expect(await paste(command)).toMatchObject({ status: "approval_required" })
  await page.getByRole("button", { name: "Approve $0.01" }).click()
  await expect(heading(page, "You approved your first request")).toBeVisible()
  await page.reload()
  await expect(heading(page, "You approved your first request")).toBeVisible()
})

test("a setup link opened in a tab that is already on the setup page is used", async ({ newHub, page }) => {
  const hub = await newHub()
  await page.goto(`${hub.url}/setup`)
  await expect(heading(page, "This address has no setup token")).toBeVisible()
  await page.goto(await hub.setupLink())
  await expect(page.getByLabel("E-mail")).toBeVisible()
  await expect(page).toHaveURL(`${hub.url}/setup`)
  await fillOwner(page)
  await create(page).click()
  await expect(page).toHaveURL(/\/start$/)
  await expect(page.getByRole("button", { name: "Workspace Acme" })).toBeVisible()
})

test("the token is removed from the address, and is stored nowhere in the browser", async ({ newHub, page }) => {
  const hub = await newHub()
  const link = await hub.setupLink()
  const token = link.split("#token=")[1] ?? ""
  const asked: Array<string> = []
  page.on("request", (request) => asked.push(`${request.url()} ${request.headers()["referer"] ?? ""}`))
  await page.goto(link)
  await expect(create(page)).toBeVisible()
  await expect(page).toHaveURL(`${hub.url}/setup`)
  const stored = await page.evaluate(() =>
    JSON.stringify([
      { ...localStorage },
      { ...sessionStorage },
      history.state,
      document.title
    ])
  )
  expect(stored).not.toContain(token)
  expect(asked.join(" ")).not.toContain(token)
  await page.reload()
  await expect(heading(page, "This address has no setup token")).toBeVisible()
})

test("a used link explains itself, before and after its form", async ({ context, newHub, page }) => {
  const hub = await newHub()
  const link = await hub.setupLink()
  const late = await context.newPage()
  await late.goto(link)
  await fillOwner(late)
  await madeOwner(hub)

  await create(late).click()
  await expect(heading(late, "This hub already has an owner")).toBeVisible()
  await expect(late.getByText("Nothing was created.")).toBeVisible()

  await page.goto(link)
  await expect(heading(page, "This hub already has an owner")).toBeVisible()
  await expect(page.getByText("npm run hub -- reset-password")).toBeVisible()
  await expectNoBreaches(page)
  await page.getByRole("link", { name: "Sign in" }).click()
  await expect(page).toHaveURL(/\/sign-in/)
  await page.getByLabel("E-mail").fill(owner.email)
  await page.getByLabel("Password").fill(owner.password)
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL(/\/w\/org_\w+/)
})

test("a wrong token and one replaced by a restart explain the fix, and typed text stays", async ({ newHub, page }) => {
  const hub = await newHub()
  const old = await hub.setupLink()
  await page.goto(`${hub.url}/setup#token=${"x".repeat(43)}`)
  await fillOwner(page)
  await create(page).click()
  await expect(heading(page, "This setup link no longer works")).toBeVisible()
  await expectNoBreaches(page)

  await hub.kill("SIGTERM")
  await hub.restart()
  await page.getByLabel("Setup link").fill("http://example.test/")
  await page.getByRole("button", { name: "Use this link" }).click()
  await expect(page.getByText("This isn't a setup link.")).toBeVisible()
  await page.getByLabel("Setup link").fill(old)
  await page.keyboard.press("Enter")
  await expect(page.getByLabel("E-mail")).toHaveValue(owner.email)
  await create(page).click()
  await expect(heading(page, "This setup link no longer works")).toBeVisible()

  await page.getByLabel("Setup link").fill(await hub.setupLink())
  await page.keyboard.press("Enter")
  await expect(page.getByLabel("First workspace")).toHaveValue("Acme")
  await create(page).click()
  await expect(page).toHaveURL(/\/start$/)
})

test("a password that is too short shows the missing length, and nothing is sent", async ({ newHub, page }) => {
  const hub = await newHub()
  const sent: Array<string> = []
  page.on("request", (request) => void (request.method() === "POST" && sent.push(request.url())))
  await page.goto(await hub.setupLink())
  await page.getByLabel("E-mail").fill("ada")
  await page.getByLabel("Password", { exact: true }).fill("horse")
  await expect(page.getByText("7 more characters")).toBeVisible()
  await create(page).click()
  await expect(page.getByText("Choose a longer password.")).toBeVisible()
  await expect(page.getByText("An e-mail address, such as you@example.com")).toBeVisible()
  await page.getByRole("button", { name: "Show the password" }).click()
  await expect(page.getByLabel("Password", { exact: true })).toHaveAttribute("type", "text")
  await expectNoBreaches(page)
  expect(sent).toEqual([])
})

test("the steps continue after a reload: a new key works and the old one does not", async ({ context, api, hub, owner, page }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  await api.topUp(500)
  const agent = await api.agent()
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/start`)
  await expect(currentStep(page)).toContainText("Send the first request")
  await expect(page.getByRole("group", { name: "Command" })).toContainText("$AGENT_KEY")
  await page.getByRole("button", { name: "Create a new key" }).click()
  await expect(page.getByRole("group", { name: "Command" })).toContainText("agent_key_live_")
  const command = await page.getByRole("group", { name: "Command" }).innerText()
  expect(
    (await hub.api("POST", "/service-requests", {
      key: agent.key,
      body: { service: "echo", operation: "say", payload: {} }
    })).status
  ).toBe(401)
  expect(await paste(command)).toMatchObject({ status: "executed" })
  await expect(currentStep(page)).toContainText("Require approval for the next one")
})

test("a blocked first request shows the reason, and the step stays", async ({ api, hub, owner, page }) => {
  await api.topUp(500)
  const agent = await api.agent()
  await api.call("PATCH", `/agents/${agent.id}`, 200, { frozen: true })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/start`)
  await expect(page.getByText("Waiting for a request from Scout…")).toBeVisible()
  await api.send(agent, { service: "echo", operation: "say" })
  await expect(page.getByText("spending_frozen")).toBeVisible()
  await expect(currentStep(page)).toContainText("Send the first request")
  await expectNoBreaches(page)
})

test("the first decision may be a rejection, and on another service of the workspace", async ({ api, hub, owner, page, upstream }) => {
  const shop = await upstream()
  const service = await api.service(shop, { cents: 4_200 })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/start`)
  await page.getByLabel("Name").fill("Buyer")
  await page.getByRole("button", { name: "Create agent and key" }).click()
  await page.getByLabel("Amount").fill("100")
  await page.getByRole("button", { name: "Add $100.00" }).click()
  await page.getByRole("radio", { name: "Another service of this workspace" }).check()
  await page.getByLabel("Which one").selectOption(service)
  await page.getByRole("button", { name: "Connect service" }).click()
  const command = await page.getByRole("group", { name: "Command" }).innerText()
  // Above the workspace's own threshold: the step between is already done.
  expect(await paste(command)).toMatchObject({ status: "approval_required" })
  await expect(page.getByText(`Buyer wants to call ${service}.buy`)).toBeVisible()
  await page.getByRole("button", { name: "Reject" }).click()
  await expect(heading(page, "You decided your first request")).toBeVisible()
  await expect(page.getByText("Decided: rejected")).toBeVisible()
  expect(shop.received).toEqual([])
})

test("the demo workspace is offered, and opens", async ({ newHub, page }) => {
  const hub = await newHub({ HUB_DEMO: "1" })
  const { cookie, org } = await madeOwner(hub)
  await signIn(page, hub, { cookie })
  await page.goto(`${hub.url}/w/${org}/start`)
  await page.getByRole("link", { name: "Open Demo" }).click()
  await expect(page.getByRole("button", { name: "Workspace Demo" })).toBeVisible()
})

test("the steps can be skipped, and reopened", async ({ hub, owner, page }) => {
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/start`)
  await page.getByRole("link", { name: "Skip to the inbox" }).click()
  await expect(page).toHaveURL(/\/inbox$/)
  await page.goto(`/w/${owner.org}/settings/about`)
  await page.getByRole("main").getByRole("link", { name: "First steps" }).click()
  await expect(currentStep(page)).toContainText("Create an agent")
})

test("a person without the right to create agents sees the steps and who can do them", async ({ hub, owner, pageOf }) => {
  const viewer = await hub.person({ org: owner.org, role: "viewer", name: "Vera" })
  const page = await pageOf(viewer)
  await page.goto(`/w/${owner.org}/start`)
  await expect(page.getByText("These steps require permission to create agents and to add funds.")).toBeVisible()
  await expect(page.getByRole("button", { name: "Create agent and key" })).toHaveCount(0)
  await expectNoBreaches(page)
})

test("on a phone nothing is cut off and nothing scrolls sideways", async ({ api, hub, newHub, owner, page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const bare = await newHub()
  await page.goto(await bare.setupLink())
  await expect(create(page)).toBeVisible()
  await expectNothingSideways(page)
  await api.topUp(500)
  const agent = await api.agent()
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/start`)
  await expect(page.getByText("Waiting for a request from Scout…")).toBeVisible()
  await expectNothingSideways(page)
  await api.send(agent, { service: "echo", operation: "say" })
  await page.getByRole("button", { name: "Require approval above $0.00" }).click()
  await expect(page.getByText("Waiting for another request from Scout…")).toBeVisible()
  await api.send(agent, { service: "echo", operation: "say" })
  await expect(page.getByRole("button", { name: "Approve $0.01" })).toBeVisible()
  await expectNothingSideways(page)
  await expectNoBreaches(page)
})
