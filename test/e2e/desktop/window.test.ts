/**
 * The built renderer and the built preload in Chromium, against the built main's own handlers and a real hub: everything but Electron.
 * Its scheme `app:` is given to Chromium as an address that it may open; what answers there is main's own handler.
 */
import { AxeBuilder } from "@axe-core/playwright"
import { type Browser, type BrowserContext, chromium, expect as seen, type Page } from "@playwright/test"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type BuiltMain, ensureBuilt, eventually, loadBuiltMain, preloadText } from "../../support/built-main.ts"
import { findChromium } from "../../support/chromium.mjs"
import { expectStatus, firstOwner, type HubInTest, makeAgent, makeService, type OwnerInTest, startHub, topUp } from "../../support/hub.ts"
import { httpUpstream } from "../../support/upstream.ts"

const executablePath = findChromium()
const origin = "https://countersign.test"

let scope: Scope.Closeable
let hub: HubInTest
let owner: OwnerInTest
let approval = ""
let main: BuiltMain
let browser: Browser
let context: BrowserContext
let page: Page
const problems: Array<string> = []

const run = <A>(effect: Effect.Effect<A, never, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))

/** What `require("electron")` gives the preload here. Text: it runs in the page. */
const electronInPage = `{
  contextBridge: { exposeInMainWorld: (name, value) => { window[name] = value } },
  ipcRenderer: {
    invoke: (channel, ...args) => window.__invoke(channel, args),
    on: (channel, listener) => { (window.__listeners ??= []).push([channel, listener]) },
    removeListener: (channel, listener) => { window.__listeners = window.__listeners.filter((each) => each[1] !== listener) }
  }
}`

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
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] })
  context = await browser.newContext({ viewport: { width: 1_440, height: 900 }, locale: "en-US", timezoneId: "UTC" })
  context.setDefaultTimeout(60_000)
  await context.exposeBinding("__invoke", (_, channel: string, args: ReadonlyArray<unknown>) => main.invoke(id, channel, args))
  await context.exposeBinding("__violation", (_, text: string) => void problems.push(text))
  await context.addInitScript(`document.addEventListener("securitypolicyviolation", (event) => window.__violation(event.effectiveDirective + " refused " + event.blockedURI))`)
  await context.addInitScript(`(() => { const require = () => (${electronInPage}); const module = { exports: {} }; const exports = module.exports; ${preloadText("index")} })()`)
  context.on("weberror", (error) => problems.push(String(error.error().stack)))
  page = await context.newPage()
  await context.route(`${origin}/**`, async (route) => {
    const { pathname, search } = new URL(route.request().url())
    const answer: Response = await main.record.sessions.get("default").pages({
      url: `app://countersign${pathname}${search}`, method: route.request().method(), signal: new AbortController().signal
    })
    await route.fulfill({ status: answer.status, headers: Object.fromEntries(answer.headers), body: Buffer.from(await answer.arrayBuffer()) })
  })
  main.record.onSend = (window, channel, value) => {
    if (window !== id) return
    const told = JSON.stringify([channel, value])
    void page.evaluate(`((said) => { for (const [channel, listener] of window.__listeners ?? []) if (channel === said[0]) listener({}, said[1]) })(${told})`).catch(() => {})
  }
}, 900_000)

afterAll(async () => {
  await browser?.close()
  main?.electron.app.emit("will-quit")
  if (scope !== undefined) await Effect.runPromise(Scope.close(scope, Exit.void))
}, 120_000)

const clean = async () => {
  const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]).analyze()
  expect(violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }))).toEqual([])
}

/** Where main sent the window, the page goes. */
const follow = async (count: number) => {
  const urls = await eventually(() => main.record.windows[0]!.urls.length > count ? main.record.windows[0]!.urls : undefined)
  await page.goto((urls.at(-1) ?? "").replace("app://countersign", origin))
}

test.skipIf(executablePath === undefined)("first run: a hub is looked at and added, a person signs in, the inbox shows, one is approved", async () => {
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
  const before = main.record.windows[0]!.urls.length
  await page.getByRole("button", { name: "Add this hub" }).click()
  await follow(before)

  await page.getByLabel("E-mail").fill(owner.email)
  await page.getByLabel("Password").fill(owner.password)
  await clean()
  await page.getByRole("button", { name: "Sign in" }).click()
  await seen(page.getByRole("heading", { name: /Scout wants to call shop\.buy/u })).toBeVisible({ timeout: 60_000 })
  await clean()

  await page.getByRole("button", { name: /^Approve/u }).click()
  await seen(page.locator("footer[aria-label=Decide]")).toContainText("Executed, $42.00 debited.", { timeout: 60_000 })
  const { body } = expectStatus(await run(hub.api("GET", `/approvals/${approval}`, { cookie: owner.cookie })), 200)
  expect(body.status).toBe("approved")
  expect(problems).toEqual([])
}, 600_000)

test.skipIf(executablePath === undefined)("E10: nowhere in the page is the session, and the page may not ask by address", async () => {
  const kept = await page.evaluate(`JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, Object.keys(window.countersign.hub)])`) as string
  expect(kept).not.toContain("svc_session")
  expect(await context.cookies()).toEqual([])
  const reached = await page.evaluate(`fetch(${JSON.stringify(`${hub.url}/api/v1/health`)}).then(() => "reached", () => "refused")`)
  expect(reached).toBe("refused")
  expect(await page.evaluate(`fetch("/api/v1/workspaces").then((answer) => answer.status)`)).toBe(404)
}, 300_000)
