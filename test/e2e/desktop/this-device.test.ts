/**
 * This computer as a device of the app: connected from its screen, shown, paused, stopped at once, and disconnected.
 * The agent is a separate Node process instead of Electron's utility process; the hub is real.
 */
import { shellChannel } from "@countersign/desktop/bridge/channels"
import { ownerChannel, type OwnerState } from "@countersign/desktop/bridge/owner"
import { expect as seen } from "@playwright/test"
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { breaches } from "../../support/axe.ts"
import { eventually } from "../../support/built-main.ts"
import { type DesktopApp, executablePath, startDesktop } from "../../support/desktop-app.ts"
import { expectStatus, firstOwner, type HubInTest, type OwnerInTest, startHub } from "../../support/hub.ts"
import { testWith } from "../../support/required.ts"
import { missingChromium } from "../../support/requirements.mjs"

const there = testWith(missingChromium())
const stepMillis = 120_000

let app: DesktopApp
let hub: HubInTest
let owner: OwnerInTest
let device = ""
/** The answer of the system's session manager, a stub found by name in PATH. */
let manager = ""
const lock = (locked: boolean) => writeFileSync(join(manager, "answer"), locked ? "yes" : "no")

const ask = (method: string, path: string, body?: unknown) =>
  app.run(hub.api(method, path, { cookie: owner.cookie, ...body === undefined ? {} : { body } }))
const home = () => join(process.env["TEST_USER_DATA"] ?? "", "device")
const ownerWindow = () =>
  eventually(() =>
    app.main.record.windows.findLast(({ options, window }) =>
      options.webPreferences.partition === "countersign-owner" && !window.destroyed
    )
  )
const clean = async () => expect(await breaches(app.page, ["light", "dark", "high contrast, light"])).toEqual([])

beforeAll(async () => {
  if (executablePath === undefined) return
  manager = mkdtempSync(join(tmpdir(), "loginctl-"))
  lock(false)
  writeFileSync(join(manager, "loginctl"), `#!/bin/sh\ncat ${join(manager, "answer")}\n`, { mode: 0o755 })
  process.env["PATH"] = `${manager}:${process.env["PATH"] ?? ""}`
  app = await startDesktop()
  hub = await app.run(startHub())
  owner = await app.run(firstOwner(hub))
  await app.go("/")
  await app.addHub(hub.url)
  await app.signIn(owner)
}, 900_000)

afterAll(async () => {
  await app?.end()
  if (manager !== "") rmSync(manager, { recursive: true, force: true })
}, 120_000)

there(
  "4.1.13: an operator compares a code to connect it, its key goes to the keychain and to no file, and it becomes ready by itself",
  async () => {
    const { page } = app
    await app.go("/device")
    await seen(page.getByRole("heading", { name: "This computer isn't connected to a hub." })).toBeVisible()
    await clean()
    await page.getByLabel("Name on the hub").fill("desk-1")
    await page.getByRole("button", { name: "Start pairing" }).click()
    const code = await page.getByLabel("Code", { exact: true }).textContent({ timeout: 60_000 })
    const asked = expectStatus(await ask("GET", `/devices/pair/${code}`), 200).body
    await seen(page.getByText(asked.fingerprint)).toBeVisible()
    await clean()
    const confirmed =
      expectStatus(await ask("POST", `/devices/pair/${code}/confirm`, { granted: ["system.info", "shell.run"] }), 200)
        .body
    device = confirmed.id
    await seen(page.getByRole("heading", { name: "Ready: the hub can send commands" })).toBeVisible({ timeout: 60_000 })
    await seen(page.getByText(device, { exact: true })).toBeVisible()
    await seen(page.getByText("Commands without a rule require your approval here")).toBeVisible()
    await clean()
    expect(readdirSync(home()).sort()).toEqual(expect.arrayContaining(["device.json", "device.rules.json"]))
    expect(existsSync(join(home(), "device.key"))).toBe(false)
  },
  stepMillis
)

// oxlint-disable-next-line typescript/no-explicit-any -- the wire, as it came
type Wire = any

/** Waits until the hub's answer satisfies `enough`; the test's own timeout limits it. */
const reaches = async (path: string, enough: (body: Wire) => boolean): Promise<Wire> => {
  for (;;) {
    const { body } = expectStatus(await ask("GET", path), 200)
    if (enough(body)) return body
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
const session = async () =>
  (await reaches(`/devices/${device}`, ({ presence, session }) => presence === "online" && session !== undefined))
    .session.id as string
const queue = async (tool: string, input: object) =>
  expectStatus(await ask("POST", `/devices/sessions/${await session()}/commands`, { tool, input }), 201).body
    .id as string
const ending = (id: string) => reaches(`/devices/commands/${id}`, ({ done_at }) => done_at !== undefined)

there("commands that its rules allow run and appear in its log; others require approval on this screen", async () => {
  const { page } = app
  expect(await ending(await queue("system.info", {}))).toMatchObject({ outcome: "succeeded" })
  await seen(page.getByText("command ended").first()).toBeVisible()
  // Folders are opened in the owner's window only, in the system's own dialog.
  await page.getByRole("button", { name: "Edit rules and folders…" }).click()
  const ownerWindow = await eventually(() =>
    app.main.record.windows.find(({ urls }) => urls.includes("app://countersign/owner.html"))
  )
  app.main.record.picks.push(realpathSync(tmpdir()))
  expect(await app.main.invoke(ownerWindow.id, "countersign:owner/addRoot", [])).toMatchObject({
    ok: true,
    value: { added: realpathSync(tmpdir()) }
  })
  await seen(page.getByText(realpathSync(tmpdir()), { exact: true })).toBeVisible({ timeout: 60_000 })
  await seen(page.getByRole("heading", { name: "Ready: the hub can send commands" })).toBeVisible({ timeout: 60_000 })
  const asked = await queue("shell.run", { argv: ["true"] })
  await seen(page.getByText("1 command requires your approval")).toBeVisible({ timeout: 60_000 })
  expect(app.main.record.trays[0].menu.map(({ label }: { readonly label?: string }) => label)).toContain(
    "desk-1: online, 1 running"
  )
  // The event that macOS and Windows send.
  app.main.electron.powerMonitor.emit("lock-screen")
  expect(await ending(asked)).toMatchObject({ outcome: "denied" })
  app.main.electron.powerMonitor.emit("unlock-screen")
}, stepMillis)

there(
  "a chat calls this computer's tools by its rules, and a denied call is an answer that the model reads",
  async () => {
    const { page } = app
    const agent = expectStatus(await ask("POST", "/agents", { name: "Helper" }), 201).body.id
    expectStatus(await ask("POST", `/agents/${agent}/services`, { service: "llm", operations: ["chat"] }), 201)
    const chat =
      expectStatus(await ask("POST", "/chat/sessions", { agent_id: agent, model: "offline/echo" }), 201).body.id
    await app.go(`/w/${owner.org}/chat/${chat}`)
    const message = page.getByRole("textbox", { name: "Message" })
    await message.fill(
      ["#script", "local system_info {}", "local shell_run {\"argv\":[\"true\"]}", "---", "say All read."].join("\n")
    )
    await message.press("Enter")
    const answer = page.getByRole("region", { name: "Messages" }).locator("[data-role=assistant]").last()
    // The rules allow the first call; the other one requires the approval of the person at this computer.
    await seen(answer.getByText("Runs on a computer").last()).toBeVisible({ timeout: 60_000 })
    const { id } = await ownerWindow()
    await expect.poll(
      async () =>
        (await app.main.invoke(id, ownerChannel("state"), []) as { readonly value: OwnerState }).value.question,
      { timeout: stepMillis }
    ).toBeDefined()
    await seen(answer).not.toContainText("All read.")
    app.main.electron.powerMonitor.emit("lock-screen")
    await seen(answer).toContainText("All read.", { timeout: 60_000 })
    app.main.electron.powerMonitor.emit("unlock-screen")
    const callOf = (name: string) => answer.getByRole("group", { name: `Call of Local tool ${name}` })
    const resultOf = async (name: string) => {
      await callOf(name).locator("summary", { hasText: "Result" }).click()
      return callOf(name).getByRole("group", { name: "Result" })
    }
    await seen(callOf("system_info")).toContainText("Executed")
    await seen(await resultOf("system_info")).toContainText(process.platform)
    await seen(callOf("shell_run")).toContainText("Denied on the computer")
    await seen(await resultOf("shell_run")).toContainText("denied")
    await clean()
    await app.go("/device")
  },
  stepMillis
)

const onLinux = process.platform === "linux" ? there : test.skip
onLinux(
  "D10: a locked screen is detected without a system event: before, during, and after a question",
  async () => {
    const { page } = app
    const { record } = app.main
    const waits = page.getByText("1 command requires your approval")
    const opened = () =>
      record.windows.filter(({ options }) => options.webPreferences.partition === "countersign-owner").length
    const asked = await queue("shell.run", { argv: ["true"] })
    await seen(waits).toBeVisible({ timeout: 60_000 })
    lock(true)
    expect(await ending(asked)).toMatchObject({ outcome: "denied" })
    await seen(waits).toHaveCount(0)
    const before = opened()
    expect(await ending(await queue("shell.run", { argv: ["true"] }))).toMatchObject({ outcome: "denied" })
    expect(opened()).toBe(before)
    lock(false)
    const next = await queue("shell.run", { argv: ["true"] })
    await seen(waits).toBeVisible({ timeout: 60_000 })
    const owner = await ownerWindow()
    const { digest, question } =
      (await app.main.invoke(owner.id, ownerChannel("state"), []) as { readonly value: OwnerState }).value.question!
    lock(true)
    expect(await app.main.invoke(owner.id, ownerChannel("allow"), [{ question, digest }])).toMatchObject({
      ok: true,
      value: { refusal: "other_question" }
    })
    expect(await ending(next)).toMatchObject({ outcome: "denied" })
    lock(false)
  },
  stepMillis
)

there("4.2: paused, it accepts nothing; it continues after a resume", async () => {
  const { page } = app
  await page.getByRole("button", { name: "Pause for 1 h" }).click()
  await seen(page.getByRole("heading", { name: /^Paused: no new commands are accepted until/u })).toBeVisible()
  await reaches(`/devices/${device}`, ({ paused_by }) => paused_by === "device")
  await page.getByRole("button", { name: "Resume" }).click()
  await seen(page.getByRole("heading", { name: "Ready: the hub can send commands" })).toBeVisible({ timeout: 60_000 })
}, stepMillis)

there("reports that another copy replaced it, and is brought back here", async () => {
  const { page } = app
  // The file that the agent writes when the hub reports a newer copy.
  writeFileSync(join(home(), "superseded.json"), "{}", { mode: 0o600 })
  const works = page.getByRole("switch", { name: "Accept commands while this app runs" })
  await works.click()
  await seen(page.getByRole("heading", { name: "Off: no commands are accepted" })).toBeVisible({ timeout: 40_000 })
  await works.click()
  await seen(page.getByText("Another copy of this device took over, and only one can run.")).toBeVisible({
    timeout: 60_000
  })
  await clean()
  await page.getByRole("button", { name: "Reactivate here" }).click()
  await seen(page.getByRole("heading", { name: "Ready: the hub can send commands" })).toBeVisible({ timeout: 60_000 })
  expect(existsSync(join(home(), "superseded.json"))).toBe(false)
}, stepMillis)

there(
  "4.2: panic stop denies every question, kills running commands, and only the owner's window resumes",
  async () => {
    const { page } = app
    const asked = await queue("shell.run", { argv: ["true"] })
    await seen(page.getByText("1 command requires your approval")).toBeVisible({ timeout: 60_000 })
    await page.getByRole("button", { name: "Stop everything" }).click()
    await seen(page.getByRole("heading", { name: "Stopped: nothing runs until you resume" })).toBeVisible()
    await seen(page.getByRole("button", { name: "Resume…" })).toBeVisible()
    expect(await page.evaluate("Object.keys(window.countersign.shell).filter((name) => /resume$/iu.test(name))"))
      .toEqual(
        []
      )
    expect(await ending(asked)).toMatchObject({ outcome: "denied" })
    await clean()
  },
  stepMillis
)

there("4.1.16: the connection log shows each change, and its text for support names no hub and no device", async () => {
  const { page } = app
  await app.go("/log")
  await seen(page.getByText("device panic stop")).toBeVisible()
  const text = await page.locator("pre").textContent() ?? ""
  expect(text).toMatch(/^Countersign 0\.1\.0/u)
  expect(text).toContain("hub 1  connected")
  for (const known of [new URL(hub.url).host, "desk-1", device]) expect(text, known).not.toContain(known)
  await clean()
}, stepMillis)

there("4.1: settings apply at once, and a shortcut of another program is reported", async () => {
  const { page } = app
  const { record } = app.main
  await app.go("/app-settings")
  await page.getByRole("switch", { name: "Start with this computer" }).click()
  const autostart = join(process.env["XDG_CONFIG_HOME"] ?? "", "autostart", "countersign.desktop")
  await eventually(() =>
    (process.platform === "linux" ? existsSync(autostart) : record.loginItem?.openAtLogin === true) ? true : undefined
  )
  await page.getByRole("button", { name: "Show a test notification" }).click()
  await seen(page.getByText(/^Sent to the system\./u)).toBeVisible()
  expect(record.notifications.at(-1).options.title).toBe("Test notification from Countersign")
  await page.getByLabel("Open Countersign").fill("CommandOrControl+Shift+K")
  await page.getByRole("button", { name: "Save" }).first().click()
  await seen(page.getByText("Active.")).toBeVisible()
  expect([...record.shortcuts.keys()]).toEqual(["CommandOrControl+Shift+K"])
  await page.getByLabel("Stop everything on this device").fill("K")
  await page.getByRole("button", { name: "Save" }).nth(1).click()
  await seen(page.getByRole("alert")).toBeVisible()
  await page.getByRole("button", { name: "Add quiet hours" }).click()
  await seen(page.getByText("Every day, 22:00 to 07:00")).toBeVisible()
  await clean()
}, stepMillis)

there("disconnected: its keys are deleted here, and the app starts no agent any more", async () => {
  const { page } = app
  await app.go("/device")
  await page.getByRole("button", { name: "Disconnect this computer…" }).click()
  await page.getByRole("button", { name: "Disconnect", exact: true }).click()
  await seen(page.getByRole("heading", { name: "This computer isn't connected to a hub." })).toBeVisible({
    timeout: 60_000
  })
  for (const name of ["device.json", "device.ed25519"]) expect(existsSync(join(home(), name)), name).toBe(false)
  await seen(page.getByText("Your existing rules apply to this hub too.")).toBeVisible()
  await clean()
  await app.go("/log")
  await seen(page.getByText("device unpaired")).toBeVisible()
  const text = await page.locator("pre").textContent() ?? ""
  for (const known of [new URL(hub.url).host, "desk-1", device]) expect(text, known).not.toContain(known)
  await app.go("/device")
  expect(app.window.problems).toEqual([])
}, stepMillis)

const connectAgain = async () => {
  const { page } = app
  await page.getByRole("button", { name: "Start pairing" }).click()
  const code = await page.getByLabel("Code", { exact: true }).textContent({ timeout: 60_000 })
  const { id } =
    expectStatus(await ask("POST", `/devices/pair/${code}/confirm`, { granted: ["system.info"] }), 200).body
  await seen(page.getByRole("heading", { name: "Ready: the hub can send commands" })).toBeVisible({ timeout: 60_000 })
  return id as string
}

there("shows that a hub revoked it, and is connected again from there", async () => {
  const { page } = app
  await app.main.invoke(app.main.record.windows[0]!.id, shellChannel("showOwner"), [])
  expect(await app.main.invoke((await ownerWindow()).id, ownerChannel("resume"), [])).toMatchObject({ ok: true })
  const id = await connectAgain()
  expectStatus(await ask("PATCH", `/devices/${id}`, { state: "revoked" }), 200)
  await seen(page.getByText("The hub has revoked this device.")).toBeVisible({ timeout: 60_000 })
  await seen(page.getByRole("button", { name: "Pause for 1 h" })).toHaveCount(0)
  await clean()
  await page.getByRole("button", { name: "Connect again" }).click()
  await seen(page.getByRole("button", { name: "Start pairing" })).toBeVisible({ timeout: 60_000 })
  expect(existsSync(join(home(), "device.json"))).toBe(false)
}, stepMillis)

there("removing its hub shows that it is connected, and disconnects it too", async () => {
  const { page } = app
  await connectAgain()
  await app.go("/hubs")
  await page.getByRole("button", { name: "Remove…" }).click()
  await seen(page.getByText(/^This computer is connected to it as .+ and would continue to run its commands\.$/u))
    .toBeVisible()
  await seen(page.getByRole("checkbox", { name: "Also disconnect this computer" })).toBeChecked()
  await clean()
  await page.getByRole("button", { name: "Remove hub" }).click()
  await eventually(() => existsSync(join(home(), "device.json")) ? undefined : true)
  // The hub leaves the list after its device is disconnected.
  await expect.poll(
    () => app.main.invoke(app.main.record.windows[0]!.id, shellChannel("state"), []),
    { timeout: stepMillis }
  ).toMatchObject({ ok: true, value: { hubs: [] } })
  expect(app.window.problems).toEqual([])
}, stepMillis)
