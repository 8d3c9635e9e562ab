/**
 * Draws the app's own screens and windows into `resources/screenshots`, and prints their table for
 * `apps/desktop/README.md`: `node_modules/.bin/node test/e2e/desktop/screenshots.ts`. The built main process runs with
 * a stub of `electron`, against a real hub.
 */
import { type Page } from "@playwright/test"
import { Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { eventually } from "../../support/built-main.ts"
import { startDesktop } from "../../support/desktop-app.ts"
import { openWindow, origin } from "../../support/desktop-window.ts"
import serveDatabases from "../../support/global-setup.ts"
import { expectStatus, firstOwner, startHub } from "../../support/hub.ts"
import { makeShop } from "../../support/shop.ts"

const folder = join(import.meta.dirname, "..", "..", "..", "resources", "screenshots")
const looks = {
  light: { colorScheme: "light", contrast: "no-preference" },
  dark: { colorScheme: "dark", contrast: "no-preference" },
  contrast: { colorScheme: "light", contrast: "more" }
} as const
mkdirSync(folder, { recursive: true })

const names: Array<string> = []
const draw = async (name: string, page: Page): Promise<void> => {
  const devtools = await page.context().newCDPSession(page)
  for (const [look, media] of Object.entries(looks)) {
    await page.emulateMedia({ ...media, reducedMotion: "reduce" })
    await page.evaluate(
      "document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))"
    )
    const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 60 })
    writeFileSync(join(folder, `desktop-${name}-${look}.webp`), Buffer.from(data, "base64"))
  }
  await page.emulateMedia({ ...looks.light, reducedMotion: "reduce" })
  names.push(name)
  await devtools.detach()
}

const stopDatabases = await serveDatabases()
const app = await startDesktop()
const { main, page } = app
await page.setViewportSize({ width: 1_200, height: 800 })
const hub = await app.run(startHub({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } }))
const owner = await app.run(firstOwner(hub))
const ask = (method: string, path: string, body?: unknown) =>
  app.run(hub.api(method, path, { cookie: owner.cookie, ...body === undefined ? {} : { body } }))
const approval = await app.run(
  Effect.flatMap(
    makeShop(hub, owner, { service: "flights", operation: "book", cents: 42_000 }),
    ({ ask }) => ask({ flight: "CS 508", date: "2026-12-19", passenger: "Alan Turing" })
  )
)

await app.go("/")
await page.getByLabel("Address of the hub").waitFor()
await draw("first-run", page)
await app.addHub(hub.url, "Acme")
await app.signIn(owner)
await page.getByRole("heading", { name: /Scout wants to call/u }).waitFor()
await draw("console", page)
await app.go("/hubs")
await page.getByLabel("Require a second confirmation above").fill("100")
await page.getByRole("button", { name: "Save" }).click()
await page.getByText("Saved.").waitFor()
await draw("hubs", page)

await app.go("/device")
await page.getByLabel("Name on the hub").fill("desk-1")
await draw("connect", page)
await page.getByRole("button", { name: "Start pairing" }).click()
const code = await page.getByLabel("Code", { exact: true }).textContent({ timeout: 60_000 })
await draw("pairing", page)
const { id: device } = expectStatus(
  await ask("POST", `/devices/pair/${code}/confirm`, { granted: ["system.info", "shell.run", "fs.read"] }),
  200
).body
await page.getByRole("heading", { name: /^Ready/u }).waitFor()
const sessionOf = async (): Promise<string> => {
  for (;;) {
    const { body } = await ask("GET", `/devices/${device}`)
    if (body.presence === "online" && body.session !== undefined) return String(body.session.id)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
const queue = async (tool: string, input: object) =>
  ask("POST", `/devices/sessions/${await sessionOf()}/commands`, { tool, input, reason: "to build the site" })
await queue("system.info", {})
await page.getByText("command ended").first().waitFor()
await draw("device", page)

const ownerPage = async () => {
  const { id } = await eventually(() =>
    main.record.windows.find(({ options, window }) =>
      options.webPreferences.partition === "countersign-owner" && !window.destroyed
    )
  )
  const opened = await openWindow(main, app.browser, {
    id,
    preload: "owner",
    session: "countersign-owner",
    viewport: { width: 640, height: 720 }
  })
  await opened.page.goto(`${origin}/owner.html`)
  return { ...opened, id }
}
await page.getByRole("button", { name: "Edit rules and folders…" }).click()
const desk = await ownerPage()
const root = join(process.env["TEST_USER_DATA"] ?? "", "site")
mkdirSync(root)
main.record.picks.push(root)
await desk.page.getByRole("button", { name: /folder/iu }).first().click()
await desk.page.getByText(root).first().waitFor()
await draw("rules", desk.page)
await queue("shell.run", { argv: ["make", "--jobs=4", "site"] })
await desk.page.getByRole("button", { name: "Deny" }).waitFor()
await draw("question", desk.page)
await desk.page.getByRole("button", { name: "Deny" }).click()
await desk.page.getByRole("heading", { name: "Rules" }).waitFor()
await page.getByRole("button", { name: "Stop everything" }).click()
await desk.page.getByRole("heading", { name: "Everything is stopped" }).waitFor()
await draw("stopped", desk.page)
await desk.page.getByRole("button", { name: "Resume" }).click()
await desk.context.close()

await app.go(`/w/${owner.org}/approvals/${approval}`)
await page.getByRole("button", { name: /^Approve \$/u }).click()
const { id: confirming } = await eventually(() =>
  main.record.windows.find(({ urls }) => urls.some((url) => url.startsWith("app://countersign/confirm.html")))
)
const confirm = await openWindow(main, app.browser, {
  id: confirming,
  preload: "confirm",
  session: "countersign-confirm",
  viewport: { width: 560, height: 620 }
})
await confirm.page.goto(`${origin}/confirm.html`)
await confirm.page.getByRole("button", { name: "Do not approve" }).waitFor()
await draw("confirm", confirm.page)
await confirm.page.getByRole("button", { name: "Do not approve" }).click()
await confirm.context.close()

for (const [name, path] of [["log", "/log"], ["settings", "/app-settings"]] as const) {
  await app.go(path)
  await page.getByRole("heading", { level: 1 }).waitFor()
  await page.waitForLoadState("networkidle")
  await draw(name, page)
}
await app.end()
await stopDatabases()

const cell = (name: string, look: string) => `[${look}](../../resources/screenshots/desktop-${name}-${look}.webp)`
console.log("| screen | |\n| --- | --- |")
for (const name of names) console.log(`| ${name} | ${Object.keys(looks).map((look) => cell(name, look)).join(" · ")} |`)
process.exit(0)
