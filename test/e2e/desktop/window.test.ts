/** The console in the app's window against a real hub: the first run, a yes, and what the page never holds. */
import { type Browser, chromium, expect as seen } from "@playwright/test"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type BuiltMain, ensureBuilt, eventually, loadBuiltMain, quit } from "../../support/built-main.ts"
import { findChromium } from "../../support/chromium.mjs"
import { breaches, type DesktopWindow, openWindow, origin } from "../../support/desktop-window.ts"
import { expectStatus, firstOwner, type HubInTest, makeAgent, makeService, type OwnerInTest, startHub, topUp } from "../../support/hub.ts"
import { httpUpstream } from "../../support/upstream.ts"

const executablePath = findChromium()

let scope: Scope.Closeable
let hub: HubInTest
let owner: OwnerInTest
let approval = ""
let main: BuiltMain
let browser: Browser
let window: DesktopWindow

const run = <A>(effect: Effect.Effect<A, never, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))

beforeAll(async () => {
  if (executablePath === undefined) return
  ensureBuilt()
  scope = await Effect.runPromise(Scope.make())
  hub = await run(startHub({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } }))
  owner = await run(firstOwner(hub))
  approval = await run(Effect.gen(function*() {
    const upstream = yield* httpUpstream((_, response) => void response.writeHead(200, { "content-type": "application/json" }).end("{}"))
    yield* makeService(hub, owner, {
      name: "shop", title: "Shop", kind: "http", base_url: upstream.origin,
      operations: [{ name: "buy", title: "Buy", method: "POST", path: "/buy", price: { type: "fixed", cents: 4_200 }, payload_schema: { type: "object", additionalProperties: true } }]
    })
    yield* topUp(hub, owner, 100_000)
    const agent = yield* makeAgent(hub, owner, { name: "Scout", bindings: [{ service: "shop", operations: ["*"] }] })
    const sent = yield* hub.api("POST", "/service-requests", { key: agent.key, body: { service: "shop", operation: "buy", payload: { item: "Lamp" } } })
    return String(sent.body.approval_id)
  }))
  main = await loadBuiltMain()
  const { id } = await eventually(() => main.record.windows[0])
  browser = await chromium.launch({ ...executablePath === undefined ? {} : { executablePath }, args: ["--no-sandbox", "--disable-dev-shm-usage"] })
  window = await openWindow(main, browser, { id, preload: "index", session: "default" })
}, 900_000)

afterAll(async () => {
  await browser?.close()
  if (main !== undefined) await quit(main)
  if (scope !== undefined) await Effect.runPromise(Scope.close(scope, Exit.void))
}, 120_000)

const clean = async () => expect(await breaches(window.page)).toEqual([])
const sent = () => main.record.windows[0]?.urls ?? []
/** Where main sent the window, the page goes. */
const follow = async (after: number) => {
  const url = await eventually(() => sent().length > after ? sent().at(-1) : undefined)
  await window.page.goto(url.replace("app://countersign", origin))
}

test.skipIf(executablePath === undefined)("first run: a hub is looked at and added, a person signs in, the inbox shows, one is approved", async () => {
  const { page, problems } = window
  await page.goto(`${origin}/`)
  await seen(page.getByRole("heading", { name: "Add a hub" })).toBeVisible({ timeout: 60_000 })
  await clean()
  await page.getByLabel("Address of the hub").fill("http://hub.example.com")
  await page.getByRole("button", { name: "Look who answers" }).click()
  await seen(page.getByText(/over http:\/\/ the session would go in clear/u)).toBeVisible({ timeout: 60_000 })
  await page.getByLabel("Address of the hub").fill(hub.url)
  await page.getByRole("button", { name: "Look who answers" }).click()
  await seen(page.getByRole("heading", { name: "A hub answers" })).toBeVisible({ timeout: 60_000 })
  await clean()
  const before = sent().length
  await page.getByRole("button", { name: "Add this hub" }).click()
  await seen(page.getByRole("heading", { name: "The hub is added" })).toBeVisible()
  await seen(page.getByRole("button", { name: "Show a test notification" })).toBeVisible()
  await seen(page.getByRole("button", { name: "Lend this computer to it…" })).toBeVisible()
  await clean()
  await page.getByRole("button", { name: "Sign in" }).click()
  await follow(before)

  await page.getByLabel("E-mail").fill(owner.email)
  await page.getByLabel("Password").fill(owner.password)
  await clean()
  await page.getByRole("button", { name: "Sign in" }).click()
  await seen(page.getByRole("heading", { name: /Scout wants to call shop\.buy/u })).toBeVisible({ timeout: 60_000 })
  await clean()

  await page.getByRole("button", { name: /^Approve \$/u }).click()
  await seen(page.locator("footer[aria-label=Decide]")).toContainText("Executed, $42.00 debited.", { timeout: 60_000 })
  const { body } = expectStatus(await run(hub.api("GET", `/approvals/${approval}`, { cookie: owner.cookie })), 200)
  expect(body.status).toBe("approved")
  expect(problems).toEqual([])
}, 600_000)

test.skipIf(executablePath === undefined)("E10: nowhere in the page is the session, and the page may not ask by address", async () => {
  const { page } = window
  const kept = await page.evaluate(`JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, Object.keys(window.countersign.hub)])`) as string
  expect(kept).not.toContain("svc_session")
  expect(await page.context().cookies()).toEqual([])
  const reached = await page.evaluate(`fetch(${JSON.stringify(`${hub.url}/api/v1/health`)}).then(() => "reached", () => "refused")`)
  expect(reached).toBe("refused")
  expect(await page.evaluate(`fetch("/api/v1/workspaces").then((answer) => answer.status)`)).toBe(404)
}, 300_000)
