/**
 * Takes screenshots of every screen of a running hub's demo workspace into `resources/screenshots`, and prints their
 * table for `packages/ui/README.md`: `node test/e2e/console/screenshots.ts <hub> <email> <password> [<screen>,…]`, with
 * the hub started with `HUB_DEMO=1` and `HUB_EGRESS_ALLOW=127.0.0.1`. Its devices are an example fleet without real
 * agents.
 */
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from "@playwright/test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { findChromium } from "../../support/chromium.mjs"
import { makeExampleChannels } from "../../support/example-channel.ts"
import { type ExampleChats, makeExampleChats, makeExampleTools } from "../../support/example-chat.ts"
import { type ExampleFamily, makeExampleFamily } from "../../support/example-family.ts"
import { makeExampleFiles, type Store } from "../../support/example-files.ts"
import { type Ask, type ExampleFleet, makeExampleFleet } from "../../support/example-fleet.ts"
import { makeExampleKnowledge } from "../../support/example-knowledge.ts"
import { makeExamplePublications } from "../../support/example-publications.ts"
import { type ExampleTeam, makeExampleTeam } from "../../support/example-team.ts"
import { makeExampleWebhook } from "../../support/example-webhook.ts"

const [hub = "", email = "", password = "", only = ""] = process.argv.slice(2)
const folder = join(import.meta.dirname, "..", "..", "..", "resources", "screenshots")

const looks: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  contrast: { colorScheme: "light", contrast: "more" }
}
/** Placeholders during a first read. */
const reading =
  "[role=status][aria-busy=true], [role=progressbar], [aria-label=Loading][role=status], [data-phase=reading], [data-phase=connecting]"
const widths = { 1440: 900, 390: 844 } as const

interface List {
  readonly data: ReadonlyArray<{ readonly id: string; readonly name?: string; readonly status?: string }>
}

const read = async (context: BrowserContext, path: string, workspace?: string): Promise<List> =>
  await (await context.request.get(`${hub}/api/v1${path}`, {
    headers: workspace === undefined ? {} : { "svc-workspace": workspace }
  })).json() as List

const demoOf = async (context: BrowserContext): Promise<string> => {
  const { data } = await read(context, "/workspaces")
  return data.find(({ name }) => name === "Demo")?.id ?? data[0]!.id
}

/** The last screen, taken without a session. */
const signedOut = "invite"

interface Examples {
  readonly fleet: ExampleFleet
  readonly family: ExampleFamily
  readonly team: ExampleTeam
  readonly object: string
  readonly collection: string
  readonly webhook: string
  readonly chats: ExampleChats
  readonly tools: string
}

/** Creates the workspace's example fleet, family, team, publications, files, and documents once. */
const examplesOf = async (context: BrowserContext): Promise<Examples> => {
  const workspace = await demoOf(context)
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ")
  const ask: Ask = async (method, path, { body, headers, key } = {}) => {
    const response = await fetch(`${hub}/api/v1${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...headers,
        ...key === undefined ? { cookie, origin: hub, "svc-workspace": workspace } : { authorization: `Bearer ${key}` }
      },
      ...body === undefined ? {} : { body: JSON.stringify(body) }
    })
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`)
    if (response.status === 204) return undefined
    // The stream of a turn, to its end.
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true
    return isStream ? await response.text() : await response.json()
  }
  await makeExamplePublications(ask)
  await makeExampleChannels(ask)
  const store: Store = async (key, content_type, text) => {
    const body = { key, content_type, size_bytes: Buffer.byteLength(text) }
    const { object_id: id, url } = await ask("POST", "/storage/objects/presign-upload", { body })
    await fetch(url, { method: "PUT", headers: { "content-type": content_type }, body: text })
    await ask("POST", `/storage/objects/${id}/confirm`)
    return id
  }
  const { last, object } = await makeExampleFiles(store)
  await ask("DELETE", `/storage/objects/${last}`)
  const collection = await makeExampleKnowledge(ask)
  return {
    fleet: await makeExampleFleet(ask),
    family: await makeExampleFamily(ask),
    team: await makeExampleTeam(ask, workspace),
    object,
    collection,
    webhook: await makeExampleWebhook(ask),
    chats: await makeExampleChats(ask, hub, collection),
    tools: await makeExampleTools(ask)
  }
}

interface Screen {
  /** Of the file and of the row. */
  readonly name: string
  readonly path: string
  /** Opens a part of the screen. */
  readonly open?: (page: Page) => Promise<void>
}

/** What a screen shows only after a press. */
const opened: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  "chat-models": async (page) => {
    await page.getByRole("button", { name: /^Model: /u }).click()
    await page.getByRole("list", { name: "Models, favorites first" }).getByRole("listitem").first().waitFor()
  },
  "chat-artifact": async (page) => {
    await page.locator("summary", { hasText: "Result" }).click()
    await page.getByRole("link", { name: "Download the whole result" }).scrollIntoViewIfNeeded()
  },
  "chat-new": async (page) => {
    await page.getByRole("button", { name: "New chat" }).click()
    await page.getByRole("dialog").waitFor()
  },
  "tool-review": async (page) => {
    await page.getByRole("button", { name: "Review search" }).click()
    await page.getByRole("dialog").getByText("description").first().waitFor()
  }
}

const screensOf = async (
  context: BrowserContext,
  { chats, collection, family, fleet, object, team, tools, webhook }: Examples
): Promise<ReadonlyArray<Screen>> => {
  const workspace = await demoOf(context)
  const first = async (path: string) => (await read(context, path, workspace)).data[0]?.id ?? ""
  const at = `/w/${workspace}`
  return [
    ["inbox", `${at}/inbox`],
    ["approval", `${at}/approvals/${await first("/approvals")}`],
    ["standing", `${at}/standing`],
    ["requests", `${at}/requests`],
    ["request", `${at}/requests/${await first("/service-requests?status=executed")}`],
    ["agents", `${at}/agents`],
    ["agent", `${at}/agents/${family.agent}`],
    ["memories", `${at}/agents/${family.agent}/memories`],
    ["memory-graph", `${at}/agents/${family.agent}/memories?view=graph`],
    ["families", `${at}/agents/families?root=${family.agent}`],
    ["tasks", `${at}/tasks`],
    ["task", `${at}/agents/${family.agent}/tasks/${family.task}`],
    ["teams", `${at}/teams`],
    ["team", `${at}/teams/${team.team}`],
    ["members", `${at}/settings/members`],
    ["channels", `${at}/settings/channels`],
    ["linked-accounts", `${at}/settings/linked-accounts`],
    ["chats", `${at}/chat`],
    ["chat-new", `${at}/chat`],
    ["chat", `${at}/chat/${chats.answered}`],
    ["chat-models", `${at}/chat/${chats.answered}`],
    ["chat-approval", `${at}/chat/${chats.pending}`],
    ["chat-sources", `${at}/chat/${chats.sources}`],
    ["chat-artifact", `${at}/chat/${chats.artifact}`],
    ["chat-paused", `${at}/chat/${chats.paused}`],
    ["chat-failed", `${at}/chat/${chats.failed}`],
    ["webhooks", `${at}/settings/webhooks`],
    ["webhook", `${at}/settings/webhooks/${webhook}`],
    ["devices", `${at}/devices`],
    ["device", `${at}/devices/${fleet.device}`],
    ["command", `${at}/devices/${fleet.device}/commands/${fleet.command}`],
    ["queue", `${at}/devices/${fleet.device}/queue`],
    ["pair", `${at}/devices/pair/${fleet.code ?? ""}`],
    ["consent", `${at}/approvals/${fleet.approval}`],
    ["catalog", `${at}/catalog`],
    ["service", `${at}/catalog/echo`],
    ["tools", `${at}/catalog/${tools}/tools`],
    ["tool-review", `${at}/catalog/${tools}/tools`],
    ["apps", `${at}/apps`],
    ["publications", `${at}/publications`],
    ["published", `${at}/publications?view=published`],
    ["review", `${at}/publications?view=review`],
    ["storage", `${at}/storage`],
    ["file", `${at}/storage?object=${object}`],
    ["knowledge", `${at}/knowledge`],
    ["collection", `${at}/knowledge/${collection}`],
    ["answers", `${at}/knowledge/${collection}?q=How+long+may+a+customer+return+a+product%3F`],
    ["secrets", `${at}/secrets`],
    ["policies", `${at}/policies`],
    ["money", `${at}/money`],
    ["usage", `${at}/usage`],
    ["audit", `${at}/audit`],
    ["start", `${at}/start`],
    ["account", `${at}/settings/account`],
    ["security", `${at}/settings/security`],
    ["workspace", `${at}/settings/workspace`],
    ["notifications", `${at}/settings/notifications`],
    ["mail", `${at}/settings/notifications/mail`],
    ["appearance", `${at}/settings/appearance`],
    [signedOut, `/invite#token=${team.token}`]
  ].map(([name = "", path = ""]) => ({ name, path, ...opened[name] === undefined ? {} : { open: opened[name] } }))
}

const executablePath = findChromium()
const browser = await chromium.launch(executablePath === undefined ? {} : { executablePath })
mkdirSync(folder, { recursive: true })
const names = new Set<string>()
const wanted = only === "" ? undefined : new Set(only.split(","))
let examples: Examples | undefined
for (const [look, options] of Object.entries(looks)) {
  for (const [width, height] of Object.entries(widths)) {
    const context = await browser.newContext({
      ...options,
      viewport: { width: Number(width), height },
      reducedMotion: "reduce"
    })
    const entered = await context.request.post(`${hub}/api/v1/auth/login`, { data: { email, password } })
    if (!entered.ok()) throw new Error(`the hub answered ${entered.status()} to the sign-in`)
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    examples ??= await examplesOf(context)
    for (const { name, open, path } of await screensOf(context, examples)) {
      if (wanted?.has(name) === false) continue
      await examples.fleet.beat()
      if (name === signedOut) await context.clearCookies()
      await page.goto(hub + path)
      await page.locator("main h1, header h1").first().waitFor()
      await page.waitForLoadState("networkidle", { timeout: 2_000 }).catch(() => {})
      await page.waitForFunction((reading) => document.querySelector(reading) === null, reading)
      await open?.(page)
      await page.evaluate(() => document.fonts.ready.then(() => undefined))
      const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 60 })
      writeFileSync(join(folder, `${name}-${look}-${width}.webp`), Buffer.from(data, "base64"))
      names.add(name)
    }
    await context.close()
  }
}
await browser.close()

const cell = (name: string, look: string, width: string) =>
  `[${width === "390" ? "narrow" : "wide"}](../../resources/screenshots/${name}-${look}-${width}.webp)`
console.log("| screen | light | dark | high contrast |\n| --- | --- | --- | --- |")
for (const name of names) {
  console.log(
    `| ${name} | ${
      Object.keys(looks).map((look) => Object.keys(widths).map((width) => cell(name, look, width)).join(" · ")).join(
        " | "
      )
    } |`
  )
}
