/** Channels in Slack and linked accounts, with a fake Slack: from the manifest to an approval by a button. */
import type { Page } from "@playwright/test"
import { Effect, Exit, Scope } from "effect"
import { expectNoBreaches, expectNothingSideways } from "../../support/console-looks.ts"
import { expect, signIn, test } from "../../support/console.ts"
import { botToken, slackFake } from "../../support/messengers.ts"

/** Axe in every look takes long on a shared machine. */
test.describe.configure({ timeout: 240_000 })

const dialog = (page: Page) => page.getByRole("dialog")
const account = { team: "T1", id: "U1", name: "ada.l" }

test("a channel is created, tested, edited, and deleted; a linked account approves there", async ({ newHub, page }) => {
  const scope = Scope.makeUnsafe()
  const slack = await Effect.runPromise(Scope.provide(slackFake, scope))
  try {
    const hub = await newHub(slack.env)
    const owner = await hub.setUp()
    const as = { cookie: owner.cookie }
    const call = async (method: string, path: string, body?: unknown) =>
      (await hub.api(method, path, body === undefined ? as : { ...as, body })).body
    await call("PUT", "/secrets/slack_bot", { value: botToken })
    await call("POST", "/balance/top-up", { amount_cents: 1_000 })
    await call("POST", "/policies", { name: "All", when: "true", then: "require_approval", reason: "Every request" })
    const agent = await call("POST", "/agents", { name: "Scout" })
    await call("POST", `/agents/${agent.id}/services`, { service: "echo", operations: ["*"] })
    await signIn(page, hub, owner)
    const at = `${hub.url}/w/${owner.org}`

    await page.goto(`${at}/settings/channels`)
    await expect(page.getByText("A channel shows pending approvals in Slack or Discord")).toBeVisible()
    await page.getByRole("button", { name: "Create channel" }).first().click()
    await expect(dialog(page).getByRole("group", { name: "Manifest of the Slack app" })).toContainText("chat:write")
    await dialog(page).getByLabel("Discord", { exact: true }).check()
    await expect(dialog(page).getByRole("group", { name: "Interactions endpoint URL" })).toContainText(
      "/api/v1/webhooks/discord"
    )
    await dialog(page).getByLabel("Slack", { exact: true }).check()
    await dialog(page).getByRole("button", { name: "Create channel" }).click()
    await expect(dialog(page)).toContainText("Choose the secret that holds the bot's token.")
    await expect(dialog(page)).toContainText("Enter the ID of the channel.")
    await dialog(page).getByLabel("Secret with the bot's token").selectOption("slack_bot")
    await dialog(page).getByLabel("Channel ID").fill("C0123456789")
    await dialog(page).getByLabel("Budget requests").check()
    await expectNoBreaches(page)
    await dialog(page).getByRole("button", { name: "Create channel" }).click()
    await expect(dialog(page)).toHaveCount(0)
    const row = page.getByRole("list", { name: "Channels" }).getByRole("listitem")
    await expect(row).toContainText("Slack C0123456789")
    await expect(row).toContainText("Approvals, Budget requests")
    await expect(row).toContainText("Not tested")
    await page.getByRole("button", { name: "Send test to Slack C0123456789" }).click()
    await expect(page.getByText("Test delivered.")).toBeVisible()
    await expect(row).toContainText("Last message")
    await expect(row).toContainText("Working")
    await page.getByRole("button", { name: "Edit Slack C0123456789" }).click()
    await dialog(page).getByLabel("Selected agents").check()
    await dialog(page).getByRole("button", { name: "Save" }).click()
    await expect(dialog(page)).toContainText("Select at least one agent.")
    await dialog(page).getByLabel("Scout").check()
    await dialog(page).getByRole("button", { name: "Save" }).click()
    await expect(row).toContainText("1 agent")
    await expectNoBreaches(page)

    await page.goto(`${at}/settings/linked-accounts`)
    await page.getByRole("button", { name: "Link account" }).first().click()
    const command = await dialog(page).getByRole("group", { name: "Command" }).textContent() ?? ""
    expect(command).toMatch(/^\/countersign link [0-9A-Z]{4}-[0-9A-Z]{4}$/)
    await expectNoBreaches(page, ["light"])
    await Effect.runPromise(slack.command(hub, account, command.replace("/countersign ", "")))
    const confirm = page.getByRole("alertdialog")
    await expect(confirm).toContainText("ada.l (Slack, Workspace acme) entered your code.")
    await confirm.getByRole("button", { name: "Yes, it's mine" }).click()
    await page.getByLabel("Password").fill(owner.password)
    await page.getByRole("dialog").getByRole("button", { name: /Confirm|Continue/ }).click()
    const accounts = page.getByRole("list", { name: "Linked accounts" }).getByRole("listitem")
    await expect(accounts).toContainText("Linked")
    await expect(accounts).toContainText("Never used")
    await expectNoBreaches(page)

    const { body: request } = await hub.api("POST", "/service-requests", {
      key: agent.api_key,
      body: { service: "echo", operation: "say", payload: { text: "Hello" } }
    })
    const message = await Effect.runPromise(slack.shows(request.approval_id))
    await Effect.runPromise(slack.press(hub, account, message, "Approve"))
    await Effect.runPromise(slack.shows("Approved by Ada"))
    await page.goto(`${at}/approvals/${request.approval_id}`)
    await expect(page.getByText("Approved").first()).toBeVisible()

    await page.goto(`${at}/settings/linked-accounts`)
    await expect(accounts).toContainText("Last used")
    await page.setViewportSize({ width: 390, height: 844 })
    await expectNothingSideways(page)
    await page.getByRole("button", { name: "Remove ada.l" }).click()
    await confirm.getByRole("button", { name: "Remove" }).click()
    await expect(page.getByText("Link your Slack or Discord account")).toBeVisible()
    await page.goto(`${at}/settings/channels`)
    await expectNothingSideways(page)
    await page.getByRole("button", { name: "Delete Slack C0123456789" }).click()
    await confirm.getByRole("button", { name: "Delete" }).click()
    await expect(page.getByText("A channel shows pending approvals in Slack or Discord")).toBeVisible()
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
})

test("channels are offered to people who manage the workspace only, linked accounts to everybody", async ({ hub, page }) => {
  const viewer = await hub.person({ role: "viewer" })
  await signIn(page, hub, viewer)
  await page.goto(`/w/${viewer.org}/settings/account`)
  await expect(page.getByRole("link", { name: "Linked accounts" })).toBeVisible()
  await expect(page.getByRole("link", { name: "Channels" })).toHaveCount(0)
  await page.goto(`/w/${viewer.org}/settings/channels`)
  await expect(page.getByText("Your role here can't manage channels.")).toBeVisible()
})
