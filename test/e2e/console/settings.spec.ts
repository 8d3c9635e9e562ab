/** Settings of a person and of a workspace. */
import type { Page } from "@playwright/test"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expectNoBreaches, expectNothingSideways } from "../../support/console-looks.ts"
import { type ConsoleHub, expect, password, type Person, signIn, test } from "../../support/console.ts"
import { cookieOf, expectStatus } from "../../support/hub.ts"

const run = promisify(execFile)
const live = "[data-phase=online]"
const next = "a longer horse battery"

/** The same person in another browser. */
const elsewhere = async (hub: ConsoleHub, person: Person): Promise<Person> => {
  const answer = expectStatus(await hub.api("POST", "/auth/login", { body: { email: person.email, password } }), 200)
  return { ...person, cookie: cookieOf(answer) }
}

const open = async (page: Page, person: Person, section: string) => {
  await page.goto(`/w/${person.org}/settings/${section}`)
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
}

test.describe("account", () => {
  test("a new password ends every other session; the current one continues", async ({ hub, owner, page, pageOf }) => {
    const other = await pageOf(await elsewhere(hub, owner))
    await other.goto(`/w/${owner.org}/audit`)
    await expect(other.locator(live)).toBeVisible()
    await signIn(page, hub, owner)
    await open(page, owner, "account")
    await expectNoBreaches(page)
    await page.getByLabel("Current password").fill("not my password")
    await page.getByLabel("New password").fill(next)
    await page.getByRole("button", { name: "Change the password" }).click()
    await expect(page.getByText("That is not your current password.")).toBeVisible()
    await expect(page.getByLabel("New password")).toHaveValue(next)
    await page.getByLabel("Current password").fill(password)
    await page.getByRole("button", { name: "Change the password" }).click()
    await expect(page.getByText("The password is changed.")).toBeVisible()
    await expect(page.getByText("You are signed in here only.")).toBeVisible()
    await expect(other).toHaveURL(/\/sign-in\?to=/)
    await page.reload()
    await expect(page.getByRole("heading", { name: "Profile" })).toBeVisible()
    expect((await hub.api("POST", "/auth/login", { body: { email: owner.email, password } })).status).toBe(401)
    expect((await hub.api("POST", "/auth/login", { body: { email: owner.email, password: next } })).status).toBe(200)
  })

  test("one session is ended, then all others; the current one is marked and stays", async ({ hub, owner, page, pageOf }) => {
    const other = await pageOf(await elsewhere(hub, owner))
    for (let more = 0; more < 2; more++) await elsewhere(hub, owner)
    await signIn(page, hub, owner)
    await open(page, owner, "account")
    const sessions = page.getByRole("list", { name: "Where you are signed in" }).getByRole("listitem")
    await expect(sessions).toHaveCount(4)
    await expect(sessions.filter({ hasText: "this one" })).toHaveCount(1)
    await sessions.filter({ hasNotText: "this one" }).first().getByRole("button", { name: /^End/ }).click()
    await expect(sessions).toHaveCount(3)
    await other.goto(`/w/${owner.org}/audit`)
    await expect(other.locator(live)).toBeVisible()
    await page.getByRole("button", { name: "End all others" }).click()
    await expect(page.getByRole("alertdialog")).toBeVisible()
    await expectNoBreaches(page)
    await page.getByRole("alertdialog").getByRole("button", { name: "End all others" }).click()
    await expect(page.getByText("2 sessions ended.")).toBeVisible()
    await expect(sessions).toHaveCount(1)
    await expect(other).toHaveURL(/\/sign-in\?to=/)
  })
})

test.describe("tokens", () => {
  const ask = async (command: string) => {
    const { stdout } = await run("/bin/sh", ["-c", `${command} -o /dev/null -w '%{http_code}'`])
    return stdout
  }

  test("one is created, shown once, works from a shell, is disabled and enabled, and stops when it is revoked", async ({ context, api, hub, owner, page }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    await api.agent()
    await signIn(page, hub, owner)
    await open(page, owner, "tokens")
    await expect(page.getByText("You have no tokens in this workspace.")).toBeVisible()
    await expectNoBreaches(page)
    await page.getByRole("button", { name: "New token" }).first().click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("button", { name: "Create token" }).click()
    await expect(dialog.getByText("Enter its purpose.")).toBeVisible()
    await expect(dialog.getByText("Pick at least one.")).toBeVisible()
    await dialog.getByLabel("Name").fill("Nightly report")
    await dialog.getByLabel("Ends after").selectOption("30 days")
    await dialog.getByRole("checkbox", { name: "agents:read" }).check()
    await expectNoBreaches(page)
    await dialog.getByRole("button", { name: "Create token" }).click()

    const token = await page.getByRole("group", { name: "Token", exact: true }).innerText()
    expect(token).toMatch(/^svc_pat_live_\w+$/)
    await expectNoBreaches(page)
    // Only its own button dismisses a secret that is shown once.
    await page.keyboard.press("Escape")
    await expect(page.getByRole("group", { name: "Token", exact: true })).toBeVisible()
    await page.getByRole("button", { name: "Copy the command" }).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(token)
    const command = await page.evaluate(() => navigator.clipboard.readText())
    await page.getByRole("button", { name: "I have it" }).click()
    await expect(page.getByRole("dialog")).toHaveCount(0)
    await expect(page.getByText(token)).toHaveCount(0)

    expect(await ask(command)).toBe("200")
    expect(await ask(command.replace("/workspaces", "/agents"))).toBe("200")
    expect(await ask(command.replace("/workspaces", "/audit-logs"))).toBe("403")
    await page.reload()
    const row = page.getByRole("listitem").filter({ hasText: "Nightly report" })
    await expect(row).toContainText("from 127.0.0.1")
    const on = row.getByRole("switch", { name: "Nightly report: on" })
    await on.click()
    await expect(on).not.toBeChecked()
    expect(await ask(command)).toBe("401")
    await on.click()
    await expect(on).toBeChecked()
    expect(await ask(command)).toBe("200")
    await row.getByRole("button", { name: "Revoke Nightly report" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click()
    await expect(page.getByText("You have no tokens in this workspace.")).toBeVisible()
    expect(await ask(command)).toBe("401")
  })

  test("a permission that the person's role lacks cannot be given to a token", async ({ hub, owner, pageOf }) => {
    const page = await pageOf(await hub.person({ org: owner.org, role: "operator", name: "Olga" }))
    await open(page, owner, "tokens")
    await page.getByRole("button", { name: "New token" }).first().click()
    await expect(page.getByRole("checkbox", { name: "approvals:decide" })).toBeEnabled()
    await expect(page.getByRole("checkbox", { name: "budgets:write" })).toBeDisabled()
    await page.getByRole("button", { name: "All that reads" }).click()
    await expect(page.getByRole("checkbox", { name: "audit:read" })).toBeChecked()
    await expect(page.getByRole("checkbox", { name: "approvals:decide" })).not.toBeChecked()
  })
})

test.describe("the workspace", () => {
  test("settings show the hub's answer after a save, and only changed ones are sent", async ({ hub, owner, page }) => {
    const sent: Array<string> = []
    page.on("request", (request) => void (request.method() === "PATCH" && sent.push(request.postData() ?? "")))
    await signIn(page, hub, owner)
    await open(page, owner, "workspace")
    await expectNoBreaches(page)
    const save = page.getByRole("button", { name: "Save changes" })
    await expect(save).toBeDisabled()
    await page.getByLabel("Name").fill("Acme & Co")
    await page.getByLabel("Approval threshold").fill("25")
    await page.getByLabel("An approval expires after").fill("90")
    await page.getByLabel("Unit").selectOption("minutes")
    await page.getByRole("checkbox", { name: /Require the password or second factor again/ }).check()
    await page.getByLabel("Require confirmation above").fill("500")
    await page.getByRole("checkbox", { name: "Separation of duties" }).check()
    await page.getByLabel("Alert levels").fill("75, 90")
    await page.getByLabel("Keep contents of requests for").fill("365")
    await page.getByLabel("Keep contents of device commands for").fill("")
    await expect(page.getByText("A whole number from 1 to 3650")).toBeVisible()
    await expect(save).toBeDisabled()
    await page.getByLabel("Keep contents of device commands for").fill("30")
    await save.click()
    await expect(page.getByText("Saved.")).toBeVisible()
    await expect(page.getByRole("button", { name: "Workspace Acme & Co" })).toBeVisible()
    await expect(save).toBeDisabled()
    const stored = (await hub.api("GET", `/workspaces/${owner.org}`, { cookie: owner.cookie })).body
    expect(stored).toMatchObject({
      name: "Acme & Co",
      approval_threshold_cents: 2_500,
      approval_life_seconds: 5_400,
      step_up_cents: 50_000,
      separation_of_duties: true,
      alert_levels: [75, 90],
      retention_days: 365,
      device_output_days: 30
    })
    await page.reload()
    await expect(page.getByLabel("An approval expires after")).toHaveValue("90")
    await page.getByRole("checkbox", { name: /Require the password or second factor again/ }).uncheck()
    await save.click()
    // A weaker protection requires the password first; going back changes nothing.
    const dialog = page.getByRole("dialog", { name: "Confirm that it's you" })
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await expect(dialog).toHaveCount(0)
    expect((await hub.api("GET", `/workspaces/${owner.org}`, { cookie: owner.cookie })).body.step_up_cents).toBe(50_000)
    await save.click()
    await dialog.getByLabel("Password").fill(password)
    await page.keyboard.press("Enter")
    await expect(page.getByText("Saved.")).toBeVisible()
    expect(sent.slice(1).map((body) => JSON.parse(body))).toEqual(
      Array.from({ length: 3 }, () => ({ step_up_cents: null, expected_version: 2 }))
    )
    expect((await hub.api("GET", `/workspaces/${owner.org}`, { cookie: owner.cookie })).body).not.toHaveProperty(
      "step_up_cents"
    )
  })

  test("an invalid value is an error at its field and is not sent", async ({ hub, owner, page }) => {
    await signIn(page, hub, owner)
    await open(page, owner, "workspace")
    const save = page.getByRole("button", { name: "Save changes" })
    await page.getByLabel("Name").fill(" ")
    await expect(page.getByText("A workspace has a name.")).toBeVisible()
    await page.getByLabel("Alert levels").fill("90, 50")
    await expect(page.getByText("Whole percentages from 1 to 1000, increasing, separated by commas")).toBeVisible()
    await page.getByLabel("Approval threshold").fill("ten")
    await expect(page.getByText("An amount such as 25.00")).toBeVisible()
    await expect(save).toBeDisabled()
    await expectNoBreaches(page)
    await page.getByRole("button", { name: "Undo" }).click()
    await expect(page.getByLabel("Name")).toHaveValue("Acme")
    await expect(page.getByLabel("Approval threshold")).toHaveValue("10.00")
  })

  test("an operator reads the settings and changes only the freeze", async ({ hub, owner, pageOf }) => {
    const page = await pageOf(await hub.person({ org: owner.org, role: "operator", name: "Olga" }))
    await open(page, owner, "workspace")
    await expect(page.getByLabel("Name")).toBeDisabled()
    await expect(page.getByRole("button", { name: "Save changes" })).toHaveCount(0)
    await expect(page.locator("#content").getByRole("button", { name: "Freeze spending" })).toBeEnabled()
    await expectNoBreaches(page)
  })
})

test.describe("people", () => {
  test("roles are changed and people removed, but never the last owner", async ({ hub, owner, page }) => {
    const olga = await hub.person({ org: owner.org, role: "operator", name: "Olga" })
    await signIn(page, hub, owner)
    await open(page, owner, "members")
    await expectNoBreaches(page)
    await page.getByLabel("Role of Olga").selectOption("Admin")
    await expect(page.getByRole("alertdialog")).toContainText("Make Olga an admin?")
    await page.getByRole("button", { name: "Change the role" }).click()
    await expect(page.getByText("Olga is now an admin.")).toBeVisible()
    expect((await hub.api("GET", "/auth/me", { cookie: olga.cookie })).body.permissions).toContain("workspace:write")

    await page.getByLabel("Role of Ada").selectOption("Viewer")
    await page.getByRole("button", { name: "Change the role" }).click()
    await expect(page.getByText("A workspace must have at least one owner.")).toBeVisible()
    await expectNoBreaches(page)
    await page.getByRole("button", { name: "Cancel" }).click()
    await expect(page.getByLabel("Role of Ada")).toHaveValue("owner")

    await page.getByRole("button", { name: "Remove Olga" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click()
    await expect(page.getByText("Olga is removed.")).toBeVisible()
    await expect(page.getByLabel("Role of Olga")).toHaveCount(0)
    expect((await hub.api("GET", "/auth/me", { cookie: olga.cookie })).status).toBe(401)
  })

  test("an admin cannot create or change owners; everyone sees the permissions of each role", async ({ hub, owner, pageOf }) => {
    const page = await pageOf(await hub.person({ org: owner.org, role: "admin", name: "Abe" }))
    await open(page, owner, "members")
    await expect(page.getByLabel("Role of Ada")).toHaveCount(0)
    await expect(page.getByLabel("Role of Abe").locator("option", { hasText: "Owner" })).toBeDisabled()
    const decides = page.getByRole("row").filter({ hasText: "approvals:decide" })
    await expect(decides.getByRole("img", { name: "yes" })).toHaveCount(3)
  })
})

test.describe("appearance", () => {
  test("is kept over a reload, sent to other tabs, and otherwise as the system has it", async ({ context, hub, owner, page }) => {
    await signIn(page, hub, owner)
    const canvas = (of: Page) => of.evaluate(() => getComputedStyle(document.body).backgroundColor)
    await page.emulateMedia({ colorScheme: "light" })
    await open(page, owner, "appearance")
    const light = await canvas(page)
    await page.getByRole("radio", { name: "Dark" }).check()
    const dark = await canvas(page)
    expect(dark).not.toBe(light)
    await page.reload()
    await expect(page.getByRole("radio", { name: "Dark" })).toBeChecked()
    expect(await canvas(page)).toBe(dark)

    const other = await context.newPage()
    await other.emulateMedia({ colorScheme: "light" })
    await open(other, owner, "account")
    expect(await canvas(other)).toBe(dark)
    await page.getByRole("radio", { name: "High contrast" }).check()
    await expect(other.locator("html")).toHaveAttribute("data-contrast", "more")
    await expectNoBreaches(page, ["dark"])
    await page.getByRole("radio", { name: "Light" }).check()
    await expectNoBreaches(page, ["light"])

    await page.getByRole("radio", { name: "Compact" }).check()
    const row = page.getByRole("row").last()
    await expect.poll(async () => Math.round((await row.boundingBox())?.height ?? 0)).toBeLessThanOrEqual(30)
    await page.getByRole("switch", { name: "Narrow rail" }).check()
    await page.reload()
    await expect(page.getByRole("switch", { name: "Narrow rail" })).toBeChecked()
    await expect(page.getByRole("radio", { name: "Compact" })).toBeChecked()

    await page.getByRole("radiogroup", { name: "Theme" }).getByRole("radio", { name: "As the system" }).check()
    await page.getByRole("radiogroup", { name: "Contrast" }).getByRole("radio", { name: "As the system" }).check()
    await page.emulateMedia({ colorScheme: "light" })
    await expect.poll(() => canvas(page)).toBe(light)
    await page.emulateMedia({ colorScheme: "dark" })
    await expect.poll(() => canvas(page)).toBe(dark)
    await expectNoBreaches(page)
  })
})

test.describe("keys", () => {
  test("one is changed, a used one is refused, all single ones are disabled", async ({ hub, owner, page }) => {
    await signIn(page, hub, owner)
    await open(page, owner, "keys")
    await expectNoBreaches(page)
    const set = page.locator("#content").getByRole("button", { name: /: Audit/ })
    await set.click()
    await page.keyboard.press("g")
    await page.keyboard.press("a")
    await page.keyboard.press("Enter")
    await expect(page.getByText("Already used for: Agents")).toBeVisible()
    await page.keyboard.press("Escape")
    await set.click()
    await page.keyboard.press("g")
    await page.keyboard.press("y")
    await page.keyboard.press("Enter")
    await expect(set.locator("kbd")).toHaveText(["g", "y"])
    await page.reload()
    await expect(set.locator("kbd")).toHaveText(["g", "y"])
    await page.getByRole("heading", { level: 1 }).click()
    await page.keyboard.press("g")
    await page.keyboard.press("y")
    await expect(page).toHaveURL(/\/audit$/)

    await open(page, owner, "keys")
    await page.getByRole("switch", { name: "Switch single keys off" }).check()
    await page.getByRole("heading", { level: 1 }).click()
    await page.keyboard.press("g")
    await page.keyboard.press("y")
    await page.keyboard.press("Control+k")
    // Shortcuts with Ctrl still work, so the two before had no effect.
    await expect(page.getByRole("dialog")).toBeVisible()
    await expect(page).toHaveURL(/\/settings\/keys$/)
    await page.keyboard.press("Escape")
    await expect(set).toContainText("off")
    await page.getByRole("button", { name: "Reset all" }).click()
    await page.getByRole("switch", { name: "Switch single keys off" }).uncheck()
    await expect(set.locator("kbd")).toHaveText(["g", "l"])
  })
})

test("about shows the identity of this hub", async ({ hub, owner, page }) => {
  await signIn(page, hub, owner)
  await open(page, owner, "about")
  const health = (await hub.api("GET", "/health")).body
  await expect(page.getByText(health.version, { exact: true })).toBeVisible()
  await expect(page.getByRole("button", { name: `${health.hub_id}, Copy` })).toBeVisible()
  await expect(page.getByRole("button", { name: `${hub.url}/api/v1, Copy` })).toBeVisible()
  await expect(page.getByRole("link", { name: "Documentation" })).toHaveAttribute("href", `${hub.url}/docs`)
  await expectNoBreaches(page)
})

test("on a phone the sections are a separate page, and nothing scrolls sideways", async ({ hub, owner, page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await hub.person({ org: owner.org, role: "operator", name: "Olga the Operator of the Night" })
  expectStatus(
    await hub.api("POST", "/tokens", {
      cookie: owner.cookie,
      body: { name: "A token with a rather long name", scopes: ["agents:read"] }
    }),
    201
  )
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/settings`)
  const parts = {
    account: "Account and sessions",
    tokens: "Access tokens",
    appearance: "Appearance",
    keys: "Keyboard",
    workspace: "Workspace",
    members: "People and roles",
    workspaces: "Workspaces",
    about: "About"
  }
  for (const [path, name] of Object.entries(parts)) {
    await page.getByRole("navigation", { name: "Settings" }).locator(`a[href$="/settings/${path}"]`).click()
    await expect(page.getByRole("heading", { level: 1, name, exact: true })).toBeVisible()
    await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0)
    await expectNothingSideways(page)
    await expectNoBreaches(page)
    await page.getByRole("link", { name: "Settings", exact: true }).click()
  }
})
