/**
 * The console in the app's window against a real hub: the first run, an approval, saved files, and the values that the
 * page never holds.
 */
import { shellChannel } from "@countersign/desktop/bridge/channels"
import { expect as seen } from "@playwright/test"
import { Effect } from "effect"
import { createServer, request, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect } from "vitest"
import { breaches } from "../../support/axe.ts"
import { type DesktopApp, executablePath, startDesktop } from "../../support/desktop-app.ts"
import { expectStatus, firstOwner, type HubInTest, type OwnerInTest, startHub } from "../../support/hub.ts"
import { testWith } from "../../support/required.ts"
import { missingChromium } from "../../support/requirements.mjs"
import { makeShop } from "../../support/shop.ts"

const there = testWith(missingChromium())

let app: DesktopApp
let hub: HubInTest
let owner: OwnerInTest
let approval = ""
/** A proxy before the hub: it records the session that the app sends. */
let front: Server
const sessions = new Set<string>()

const frontOf = async (url: string): Promise<Server> => {
  const { port } = new URL(url)
  const server = createServer((incoming, answer) => {
    const session = /svc_session=([^;]+)/u.exec(incoming.headers.cookie ?? "")?.[1]
    if (session !== undefined) sessions.add(session)
    const sent = request({
      host: "127.0.0.1",
      port,
      path: incoming.url,
      method: incoming.method,
      headers: incoming.headers
    }, (from) => {
      answer.writeHead(from.statusCode ?? 502, from.headers)
      from.pipe(answer)
    })
    sent.on("error", () => answer.destroy())
    answer.on("close", () => sent.destroy())
    incoming.pipe(sent)
  })
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done))
  return server
}

beforeAll(async () => {
  if (executablePath === undefined) return
  app = await startDesktop()
  hub = await app.run(startHub({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } }))
  front = await frontOf(hub.url)
  owner = await app.run(firstOwner(hub))
  approval = await app.run(Effect.flatMap(makeShop(hub, owner), ({ ask }) => ask({ item: "Lamp" })))
}, 900_000)

afterAll(async () => {
  await app?.end()
  front?.closeAllConnections()
  front?.close()
}, 120_000)

const clean = async () => expect(await breaches(app.page, ["light"])).toEqual([])

there(
  "first run: a hub is checked and added, a person signs in, the inbox shows, and one request is approved",
  async () => {
    const { page, window: { problems } } = app
    await app.go("/")
    await seen(page.getByRole("heading", { name: "Add a hub" })).toBeVisible({ timeout: 60_000 })
    await clean()
    await page.getByLabel("Address of the hub").fill("http://hub.example.com")
    await page.getByRole("button", { name: "Check address" }).click()
    await seen(page.getByText(/http:\/\/ would send the credential unencrypted/u)).toBeVisible({ timeout: 60_000 })
    await page.getByLabel("Address of the hub").fill(`http://127.0.0.1:${(front.address() as AddressInfo).port}`)
    await page.getByRole("button", { name: "Check address" }).click()
    await seen(page.getByRole("heading", { name: "Hub found" })).toBeVisible({ timeout: 60_000 })
    await clean()
    const before = app.sent().length
    await page.getByRole("button", { name: "Add hub" }).click()
    await seen(page.getByRole("heading", { name: "Hub added" })).toBeVisible()
    await seen(page.getByRole("button", { name: "Show a test notification" })).toBeVisible()
    await seen(page.getByRole("button", { name: "Connect this computer…" })).toBeVisible()
    await clean()
    await page.getByRole("button", { name: "Sign in" }).click()
    await app.follow(before)

    await page.getByLabel("E-mail").fill(owner.email)
    await page.getByLabel("Password").fill(owner.password)
    await clean()
    await page.getByRole("button", { name: "Sign in" }).click()
    await seen(page.getByRole("heading", { name: /Scout wants to call shop\.buy/u })).toBeVisible({ timeout: 60_000 })
    await clean()

    await page.getByRole("button", { name: /^Approve \$/u }).click()
    await seen(page.locator("footer[aria-label=Decide]")).toContainText("Executed, $42.00 debited.", {
      timeout: 60_000
    })
    const { body } = expectStatus(
      await app.run(hub.api("GET", `/approvals/${approval}`, { cookie: owner.cookie })),
      200
    )
    expect(body.status).toBe("approved")
    expect(problems).toEqual([])
  },
  600_000
)

there("E2: a download link saves the hub's file, fetched by the main process with its session", async () => {
  const { page } = app
  const saved = (path: string) =>
    page.evaluate(
      `fetch(${
        JSON.stringify(path)
      }).then(async (answer) => ({ status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() }))`
    ) as Promise<{
      readonly status: number
      readonly type: string
      readonly text: string
    }>
  const log = await saved(`/api/v1/audit-logs/export?format=csv&workspace=${owner.org}`)
  expect([log.status, log.type.split(";")[0]]).toEqual([200, "text/csv"])
  expect(log.text).toContain("service_request.executed")
  const document = await saved("/api/v1/openapi.json")
  expect([document.status, JSON.parse(document.text).info.title]).toEqual([200, expect.stringContaining("Countersign")])
  const usage = await saved(`/api/v1/usage?format=csv&workspace=${owner.org}`)
  expect([usage.status, usage.type.split(";")[0]]).toEqual([200, "text/csv"])
}, 300_000)

there("E10: the page never holds the session and cannot send requests by address", async () => {
  const { main, page } = app
  const kept = await page.evaluate(`JSON.stringify([
    document.cookie, { ...localStorage }, { ...sessionStorage }, Object.keys(window.countersign.hub), document.documentElement.outerHTML
  ])`) as string
  expect(sessions.size).toBe(1)
  for (const session of sessions) {
    expect(session.length).toBeGreaterThan(20)
    expect(kept).not.toContain(session)
    expect(JSON.stringify(main.record.windows.map(({ sent, urls }) => [sent, urls]))).not.toContain(session)
  }
  expect(await page.context().cookies()).toEqual([])
  const reached = await page.evaluate(
    `fetch(${JSON.stringify(`${hub.url}/api/v1/health`)}).then(() => "reached", () => "refused")`
  )
  expect(reached).toBe("refused")
  expect(await page.evaluate(`fetch("/api/v1/workspaces").then((answer) => answer.status)`)).toBe(404)
}, 300_000)

there("a window without an answer from the main process shows that, and loads again", async () => {
  const { main: { record }, page } = app
  const channel = shellChannel("state")
  const answers = record.handlers.get(channel)
  record.handlers.set(
    channel,
    () => ({ ok: false, error: { status: 0, code: "internal_error", message: "The app couldn't do this." } })
  )
  await app.go("/")
  await seen(page.getByRole("heading", { name: "This window couldn't load" })).toBeVisible({ timeout: 60_000 })
  await seen(page.getByRole("alert")).toHaveText("The app couldn't do this.")
  await clean()
  record.handlers.set(channel, answers!)
  await page.getByRole("button", { name: "Reload" }).click()
  await seen(page.getByRole("heading", { level: 1, name: /Inbox/u })).toBeVisible({ timeout: 60_000 })
}, 300_000)

there(
  "required notices appear above the console until they are hidden, and always on the hubs' page",
  async () => {
    const { main: { record }, page } = app
    const channel = shellChannel("state")
    const answers = record.handlers.get(channel)!
    const notice = "No keychain answers on this computer (a test)."
    record.handlers.set(channel, async (...args: ReadonlyArray<unknown>) => {
      const answer = await answers(...args)
      return { ...answer, value: { ...answer.value, notices: [notice] } }
    })
    const inbox = () => seen(page.getByRole("heading", { level: 1, name: /Inbox/u })).toBeVisible({ timeout: 60_000 })
    const line = page.getByRole("status").filter({ hasText: notice })
    await app.go("/")
    await inbox()
    await seen(line).toBeVisible()
    await clean()
    await line.getByRole("button", { name: "Hide" }).click()
    await seen(line).toBeHidden()
    await app.go("/")
    await inbox()
    await seen(line).toBeHidden()
    await app.go("/hubs")
    await seen(line).toBeVisible({ timeout: 60_000 })
    record.handlers.set(channel, answers)
  },
  300_000
)
