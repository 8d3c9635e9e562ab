/**
 * Several hubs in one app: notifications for pending approvals, links and clicks that open screens, and hubs that are
 * unreachable, unknown, or replaced.
 */
import { FirstOwner } from "@countersign/hub/auth/first-owner"
import { expect as seen } from "@playwright/test"
import { Effect, Option } from "effect"
import { afterAll, beforeAll, expect } from "vitest"
import { makeAuthority } from "../../support/authority.ts"
import { breaches } from "../../support/axe.ts"
import { eventually } from "../../support/built-main.ts"
import { type DesktopApp, executablePath, startDesktop } from "../../support/desktop-app.ts"
import { openWindow, origin } from "../../support/desktop-window.ts"
import { expectStatus, firstOwner, type HubInTest, type OwnerInTest, startHub } from "../../support/hub.ts"
import { testWith } from "../../support/required.ts"
import { missingChromium } from "../../support/requirements.mjs"
import { secureFront } from "../../support/secure-front.ts"
import { makeShop } from "../../support/shop.ts"

const there = testWith(missingChromium())
const stepMillis = 120_000

let app: DesktopApp
let first: HubInTest
let second: HubInTest
let owner: OwnerInTest
let ask: () => Promise<string>

const hubIdOf = async ({ url }: { readonly url: string }) =>
  ((await (await fetch(`${url}/api/v1/health`)).json()) as { hub_id: string }).hub_id
const tray = () => app.main.record.trays[0]
const menu = (): ReadonlyArray<string> => tray().menu.map(({ label }: { readonly label?: string }) => label ?? "")
const press = (label: string | RegExp) =>
  tray().menu.find((item: { readonly label?: string }) => item.label?.match(label) != null)?.click()
const openLink = (...links: ReadonlyArray<string>) =>
  app.main.electron.app.emit("second-instance", {}, ["countersign", ...links], "/")
const screens = () =>
  app.main.record.windows[0]!.sent.filter(([channel]) => channel === "countersign:push/screen").map(([, path]) => path)

beforeAll(async () => {
  if (executablePath === undefined) return
  app = await startDesktop()
  first = await app.run(startHub({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } }))
  second = await app.run(startHub())
  owner = await app.run(firstOwner(first))
  const shop = await app.run(makeShop(first, owner))
  ask = () => app.run(shop.ask({ item: "a secret lamp" }))
  await app.go("/")
  await app.addHub(first.url, "Acme")
  await app.signIn(owner)
}, 600_000)

afterAll(() => app?.end(), 120_000)

there(
  "4.1.17, E14: a pending approval is counted in the tray and notified once, without its payload; a click opens it and decides nothing",
  async () => {
    const id = await ask()
    await eventually(() => app.main.record.badge === 1 ? true : undefined)
    expect(menu()).toContainEqual(expect.stringMatching(/^Scout wants to call shop\.buy · \$42\.00 · .* left$/u))
    const notice = await eventually(() => app.main.record.notifications[0])
    expect(JSON.stringify(notice.options)).not.toContain("lamp")
    expect(JSON.stringify(menu())).not.toContain("lamp")
    notice.emit("click")
    await eventually(() => screens().find((path) => String(path).endsWith(`/approvals/${id}`)))
    await seen(app.page.getByRole("heading", { name: /Scout wants to call shop\.buy/u })).toBeVisible({
      timeout: 60_000
    })
    await app.page.getByRole("button", { name: /^Approve \$/u }).click()
    await seen(app.page.getByText("Executed, $42.00 debited.")).toBeVisible({ timeout: 60_000 })
    // A decision anywhere removes the notification.
    await eventually(() => app.main.record.badge === 0 ? true : undefined)
    expect(app.main.record.notifications).toHaveLength(1)
  },
  stepMillis
)

there(
  "E10: above this computer's limit the main process requires a second confirmation in a separate window; a rejection there leaves it pending, an approval sends it",
  async () => {
    const { browser, main, page } = app
    await app.go("/hubs")
    await page.getByLabel("Require a second confirmation above").fill("10")
    await page.getByRole("button", { name: "Save" }).click()
    await seen(page.getByText("Saved.")).toBeVisible()
    const id = await ask()
    await app.go(`/w/${owner.org}/approvals/${id}`)
    const asked = async (before: number) => {
      await page.getByRole("button", { name: /^Approve \$/u }).click()
      const made = await eventually(() =>
        main.record.windows.slice(before).find(({ urls }) => urls.includes("app://countersign/confirm.html"))
      )
      const confirming = await openWindow(main, browser, {
        id: made.id,
        preload: "confirm",
        session: "countersign-confirm",
        viewport: { width: 560, height: 620 }
      })
      await confirming.page.goto(`${origin}/confirm.html`)
      await seen(confirming.page.getByRole("heading", { name: "Scout wants to call shop.buy" })).toBeVisible({
        timeout: 60_000
      })
      await seen(confirming.page.getByText("This is above your limit of $10.00 on this computer.")).toBeVisible()
      await seen(confirming.page.getByRole("button", { name: "Do not approve" })).toBeFocused()
      // The approval's facts: payload, workspace, time left, and the seal that the console draws.
      await seen(confirming.page.getByText("a secret lamp")).toBeVisible()
      const { workspaces } =
        expectStatus(await app.run(first.api("GET", "/auth/me", { cookie: owner.cookie })), 200).body
      await seen(confirming.page.getByText(workspaces[0].name, { exact: true })).toBeVisible()
      await seen(confirming.page.getByText(/^\d+ (?:min|h) left$/u)).toBeVisible()
      const { payload_digest: digest } =
        expectStatus(await app.run(first.api("GET", `/approvals/${id}`, { cookie: owner.cookie })), 200).body
      await seen(confirming.page.getByText(String(digest).slice(0, 8))).toBeVisible()
      return confirming
    }
    const refused = await asked(main.record.windows.length)
    expect(await breaches(refused.page, ["light", "dark", "high contrast, light"])).toEqual([])
    await refused.page.keyboard.press("Escape")
    await seen(page.getByText("Not approved: the approval was not confirmed in the app's window.")).toBeVisible({
      timeout: 60_000
    })
    await refused.context.close()
    const second = await asked(main.record.windows.length)
    await second.page.getByRole("button", { name: "Approve", exact: true }).click()
    await seen(page.getByText("Executed, $42.00 debited.")).toBeVisible({ timeout: 60_000 })
    expect([...refused.problems, ...second.problems]).toEqual([])
    await second.context.close()
  },
  stepMillis
)

there(
  "E12: a link opens a screen of an added hub; a link to another hub or with anything more opens nothing",
  async () => {
    const hubId = await hubIdOf(first)
    openLink(`countersign://${hubId}/requests`)
    await seen(app.page.getByRole("heading", { level: 1, name: "Requests" })).toBeVisible({ timeout: 60_000 })
    // A window also opens at a screen's own address.
    await app.go(`/w/${owner.org}/agents`)
    await seen(app.page.getByRole("heading", { level: 1, name: "Agents" })).toBeVisible({ timeout: 60_000 })
    const before = screens().length
    for (
      const link of [
        `countersign://${hubId}/approve/apr_01m7zt4m4hehqtty0f0b3hkexr`,
        `countersign://${hubId}/hubs`,
        `countersign://${hubId}/requests?token=x`,
        `countersign://user@${hubId}/requests`,
        `countersign://${hubId}/../requests`,
        "countersign://https://hub.example.com"
      ]
    ) openLink(link)
    openLink(`countersign://${hubId}/agents`, `countersign://${hubId}/devices`)
    openLink("countersign://00000000-0000-4000-8000-000000000000/inbox")
    // The last of the links: the earlier ones have been handled.
    await seen(app.page.getByText("A link refers to the hub 00000000-0000-4000-8000-000000000000")).toBeVisible({
      timeout: 60_000
    })
    expect(screens().slice(before)).toEqual(["/hubs?unknown=00000000-0000-4000-8000-000000000000"])
  },
  stepMillis
)

there("3: a second hub has its own profile; an unreachable hub is one gray line, and the other works", async () => {
  const { page } = app
  await app.go("/hubs")
  await page.getByRole("button", { name: "Add another hub" }).click()
  // As printed at that hub's start: it creates the owner.
  const token = await app.run(second.run(Effect.flatMap(FirstOwner, ({ newSetupToken }) => newSetupToken)))
  await app.addHub(`${second.url}/setup#token=${Option.getOrThrow(token)}`, "Beta")
  await seen(page.getByRole("heading", { name: "Set up this hub" })).toBeVisible({ timeout: 60_000 })
  expect(page.url()).toBe(`${origin}/setup`)
  await page.getByLabel("E-mail").fill("bo@countersign.test")
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery")
  await page.getByText("Name and workspace (optional)").click()
  await page.getByLabel("Your name").fill("Bo")
  await page.getByLabel("First workspace").fill("Beta")
  await page.getByRole("button", { name: "Create owner" }).click()
  await seen(page.getByRole("button", { name: "Workspace Beta" })).toBeVisible({ timeout: 60_000 })
  await app.go("/hubs")
  for (const name of ["Acme", "Beta"]) await seen(page.getByRole("heading", { name })).toBeVisible()
  expect(await breaches(page, ["light", "dark", "high contrast, light"])).toEqual([])
  await app.run(second.stop)
  await seen(page.getByText(/^Not connected/u)).toBeVisible({ timeout: 60_000 })
  await eventually(() => menu().find((label) => label.startsWith("Beta: not connected since")))
  expect(menu()).toContain("Try again now")
  const before = app.sent().length
  await page.getByRole("button", { name: "Open" }).click()
  await app.follow(before)
  await seen(page.getByRole("heading", { level: 1, name: /Inbox/u })).toBeVisible({ timeout: 60_000 })
  const id = await ask()
  await eventually(() => app.main.record.badge === 1 ? true : undefined)
  press(/^Scout wants to call/u)
  await eventually(() => screens().find((path) => String(path).endsWith(`/approvals/${id}`)))
}, stepMillis)

there(
  "E13: an unknown authority is shown with its fingerprint and can be imported; no other way past it exists",
  async () => {
    const { page } = app
    const shown = (sha256: string) => sha256.toUpperCase().match(/../gu)!.join(":")
    const [authority, renewed] = [makeAuthority("Acme private CA"), makeAuthority("Acme private CA 2")]
    const front = await secureFront(first, authority.server)
    try {
      await app.go("/hubs")
      await page.getByRole("button", { name: "Add another hub" }).click()
      await page.getByLabel("Address of the hub").fill(front.url)
      await page.getByRole("button", { name: "Check address" }).click()
      await seen(page.getByRole("heading", { name: "The certificate of this hub isn't trusted" })).toBeVisible({
        timeout: 60_000
      })
      await seen(page.getByText("CN=Acme private CA", { exact: true })).toBeVisible()
      await seen(page.getByText(shown(authority.sha256))).toBeVisible()
      expect(await page.getByRole("button", { name: /continue|anyway|trust/iu }).count()).toBe(0)
      expect(await breaches(page, ["light", "dark"])).toEqual([])
      expect(front.seen).toEqual([])
      await page.getByRole("button", { name: "Import authority" }).click()
      await seen(page.getByRole("heading", { name: "Hub found" })).toBeVisible({ timeout: 60_000 })
      await page.getByLabel("Name on this computer").fill("Private")
      const before = app.sent().length
      await page.getByRole("button", { name: "Add hub" }).click()
      await app.follow(before)
      await app.signIn(owner)
      expect(front.seen.some(({ cookie }) => cookie?.startsWith("svc_session=") === true)).toBe(true)

      // After the hub's authority is renewed, its card offers the import.
      front.renew(renewed.server)
      await app.go("/hubs")
      await seen(page.getByText(/^Stopped: its certificate is not trusted/u)).toBeVisible({ timeout: 60_000 })
      await seen(page.getByText("CN=Acme private CA 2", { exact: true })).toBeVisible()
      await seen(page.getByText(shown(renewed.sha256))).toBeVisible()
      expect(await breaches(page, ["light", "dark"])).toEqual([])
      await page.getByRole("button", { name: "Import authority" }).click()
      await seen(page.getByText(/^Stopped: its certificate is not trusted/u)).toBeHidden({ timeout: 60_000 })
      await seen(page.getByText(shown(renewed.sha256))).toBeVisible()
      await seen(page.getByText("Connected", { exact: true })).toHaveCount(2, { timeout: 60_000 })
    } finally {
      front.close()
    }
  },
  stepMillis
)

there("E13: another hub at a known address stops the profile before it receives the session", async () => {
  const { page } = app
  const { port } = new URL(first.url)
  await app.run(first.stop)
  const other = await app.run(startHub({ env: { HUB_PORT: port } }))
  expect(await hubIdOf(other)).not.toBe("")
  await app.go("/hubs")
  await seen(page.getByText(/^Stopped: another hub responds at this address/u)).toBeVisible({ timeout: 60_000 })
  await eventually(() => menu().find((label) => label.startsWith("Acme: stopped, another hub responds at its address")))
  expect(app.window.problems).toEqual([])
}, stepMillis)
