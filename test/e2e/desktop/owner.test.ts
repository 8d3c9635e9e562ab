/**
 * The owner's window in Chromium, against the built main process: everything but Electron, and the test takes the
 * agent's part. Spec: reference/devices.md "Security rules".
 */
import { shellChannel } from "@countersign/desktop/bridge/channels"
import { ownerChannel } from "@countersign/desktop/bridge/owner"
import { type Browser, chromium, expect as seen } from "@playwright/test"
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect } from "vitest"
import { spokenAgents } from "../../support/app-agent.ts"
import { breaches, everyLook } from "../../support/axe.ts"
import { type BuiltMain, ensureBuilt, eventually, loadBuiltMain, quit } from "../../support/built-main.ts"
import { findChromium } from "../../support/chromium.mjs"
import { type DesktopWindow, openWindow, origin } from "../../support/desktop-window.ts"
import { testWith } from "../../support/required.ts"
import { missingChromium } from "../../support/requirements.mjs"

const executablePath = findChromium()
const withChromium = testWith(missingChromium())

let main: BuiltMain
let browser: Browser
const agents = spokenAgents()
let data = ""
let root = ""

const file = (name: string) => join(data, "device", name)
const rulesNow = () => JSON.parse(readFileSync(file("device.rules.json"), "utf8"))

beforeAll(async () => {
  if (executablePath === undefined) return
  ensureBuilt()
  main = await loadBuiltMain((record) => {
    record.fork = agents.fork
    data = process.env["TEST_USER_DATA"]!
    mkdirSync(join(data, "device"), { mode: 0o700 })
    mkdirSync(join(data, "work"))
    mkdirSync(join(data, "more"))
    root = realpathSync(join(data, "work"))
    const write = (path: string, value: unknown) =>
      writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value), { mode: 0o600 })
    write(join(data, "settings.json"), { version: 1, device: true })
    // An earlier panic stop persists across this start.
    write(join(data, "panic.json"), { version: 1, stopped_at: Date.UTC(2026, 0, 2, 3, 4) })
    write(file("device.key"), "svc_device_of_a_test")
    write(file("device.rules.json"), {
      version: 1,
      rules: [{ effect: "allow", tool: "system.info" }, {
        effect: "deny",
        tool: "shell.run",
        argv: ["rm", "**"],
        note: "Nothing is deleted"
      }]
    })
    write(file("device.json"), {
      hub: "http://127.0.0.1:4780",
      device_id: "dev_00000000000000000000000000",
      name: "build-1",
      instance_id: "i1",
      roots: [root],
      paired_at: "2026-01-01T00:00:00Z"
    })
  })
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] })
}, 900_000)

afterAll(async () => {
  await browser?.close()
  if (main !== undefined) await quit(main)
}, 120_000)

const agent = () => eventually(() => agents.children.at(-1))
const answers = () =>
  agents.children.flatMap(({ messages }) => messages).filter(({ type }) => type === "answer").map((
    { answer, question }
  ) => [question, answer])
const answered = (question: string) => eventually(() => answers().find(([each]) => each === question)?.[1])

let asked = 0
const ask = async (argv: ReadonlyArray<string>, more: object = {}) => {
  const question = `question-${asked++}`
  const digest = createHash("sha256").update(question).digest("hex")
  const child = await agent()
  child.say({
    type: "ask",
    question,
    digest,
    command_id: `cmd_${asked}`,
    requested_by: { type: "agent", id: "agt_1", name: "Scout" },
    plan: {
      version: 1,
      tool: "shell.run",
      input: { argv },
      directory: root,
      program: { path: "/usr/bin/npm", real_path: "/usr/lib/node_modules/npm/bin/npm-cli.js" },
      sandbox: "none",
      timeout_seconds: 600
    },
    ...more
  })
  return { question, digest }
}

const ownerWindow = () =>
  eventually(() =>
    main.record.windows.find(({ options, window }) =>
      options.webPreferences.partition === "countersign-owner" && !window.destroyed
    )
  )

const opened = async (viewport = { width: 640, height: 560 }): Promise<DesktopWindow & { readonly id: number }> => {
  const { id, urls } = await ownerWindow()
  expect(urls).toEqual(["app://countersign/owner.html"])
  const window = await openWindow(main, browser, { id, preload: "owner", session: "countersign-owner", viewport })
  await window.page.goto(`${origin}/owner.html`)
  return { ...window, id }
}

const gone = (id: number) =>
  eventually(() => main.record.windows.find((each) => each.id === id)?.window.destroyed === true ? true : undefined)

withChromium("an earlier panic stop is shown, and a press resumes", async () => {
  const console = await eventually(() => main.record.windows[0])
  await main.invoke(console.id, shellChannel("showOwner"), [])
  const { context, id, page, problems } = await opened()
  await seen(page.getByRole("heading", { name: "Everything is stopped" })).toBeVisible()
  await seen(page.getByText(/^Since Jan 2, 2026/u)).toBeVisible()
  expect(await breaches(page, everyLook)).toEqual([])
  await page.getByRole("button", { name: "Resume" }).click()
  await seen(page.getByRole("heading", { name: "Everything is stopped" })).toHaveCount(0)
  expect(JSON.parse(readFileSync(join(data, "panic.json"), "utf8")).stopped_at).toBeNull()
  const child = await agent()
  await eventually(() => child.messages[0]?.type === "start" && child.messages[0].paused === false ? true : undefined)
  child.say({ type: "state", connected: true, status: "online", running: [] })
  await seen(page.getByText("Online")).toBeVisible()
  expect(problems).toEqual([])
  await context.close()
  main.record.windows.find((each) => each.id === id)!.window.close()
}, 300_000)

withChromium("this window can also stop everything", async () => {
  const console = await eventually(() => main.record.windows[0])
  await main.invoke(console.id, shellChannel("showOwner"), [])
  const { context, id, page, problems } = await opened()
  expect(await breaches(page, everyLook)).toEqual([])
  await page.getByRole("button", { name: "Stop everything on this device" }).click()
  await eventually(() => agents.children.at(-1)?.messages.at(-1)?.type === "panic" ? true : undefined)
  ;(await agent()).say({ type: "panicked" })
  await seen(page.getByRole("heading", { name: "Everything is stopped" })).toBeVisible()
  await seen(page.getByRole("button", { name: "Stop everything on this device" })).toHaveCount(0)
  expect(JSON.parse(readFileSync(join(data, "panic.json"), "utf8")).stopped_at).not.toBeNull()
  const before = agents.children.length
  await page.getByRole("button", { name: "Resume" }).click()
  await eventually(() => agents.children.length > before ? true : undefined)
  ;(await agent()).say({ type: "state", connected: true, status: "online", running: [] })
  await seen(page.getByText("Online")).toBeVisible()
  expect(problems).toEqual([])
  await context.close()
  main.record.windows.find((each) => each.id === id)!.window.close()
}, 300_000)

withChromium(
  "D11: Allow is disabled until the whole text was seen, a held key does not press it, and a new press does",
  async () => {
    const { digest, question } = await ask([
      "npm",
      "run",
      ...Array.from({ length: 60 }, (_, at) => `--option-${at}`),
      "аdmin"
    ], { reason: "to build the site" })
    const { context, id, page, problems } = await opened()
    const stub = main.record.windows.find((each) => each.id === id)!.window
    expect([stub.onTop, stub.focused]).toEqual([true, 1])
    await seen(page.getByRole("heading", { name: "Scout wants to use shell.run on this computer." })).toBeVisible()
    const [deny, allow] = [page.getByRole("button", { name: "Deny" }), page.getByRole("button", { name: "Allow" })]
    await seen(deny).toBeFocused()
    await seen(allow).toBeDisabled()
    await seen(page.getByRole("timer")).toHaveText(/^Denied in [45]:\d\d$/u)
    // After 1.5 s the main process still reports that the text was not read.
    for (;;) {
      const result = await main.invoke(id, ownerChannel("allow"), [{ question, digest }])
      expect(result.ok && result.value.refusal).toMatch(/^(?:not_drawn|too_soon|not_read)$/u)
      if (result.ok && result.value.refusal === "not_read") break
    }
    await seen(allow).toBeDisabled()
    expect(await breaches(page, everyLook)).toEqual([])
    // Characters that imitate other letters are boxed.
    await seen(page.getByText("U+0430")).toHaveCount(1)
    await page.keyboard.press("End")
    await seen(allow).toBeEnabled()
    await seen(page.getByText("U+0430")).toBeInViewport()
    expect(await breaches(page, everyLook)).toEqual([])
    // A key held for another purpose repeats on the button.
    await page.getByRole("region", { name: "Command to run" }).focus()
    await page.keyboard.down("Enter")
    await allow.focus()
    await page.keyboard.down("Enter")
    await page.keyboard.up("Enter")
    await page.keyboard.down(" ")
    await page.keyboard.down(" ")
    await deny.focus()
    await page.keyboard.up(" ")
    expect(answers()).toEqual([])
    await allow.focus()
    await page.keyboard.press("Enter")
    expect(await answered(question)).toBe("approved")
    // The question alone had opened the window.
    await gone(id)
    expect(problems).toEqual([])
    await context.close()
  },
  300_000
)

withChromium("D10: Escape denies, and the next pending question is shown with Allow disabled again", async () => {
  const first = await ask(["npm", "test"])
  const second = await ask(["npm", "publish"])
  const { context, id, page, problems } = await opened()
  await seen(page.getByText("1 more is queued")).toBeVisible()
  await seen(page.getByRole("button", { name: "Allow" })).toBeEnabled()
  await page.keyboard.press("Escape")
  expect(await answered(first.question)).toBe("denied")
  await seen(page.locator(`[data-question="${second.question}"]`)).toBeVisible()
  await seen(page.getByRole("button", { name: "Allow" })).toBeDisabled()
  await seen(page.getByRole("button", { name: "Deny" })).toBeFocused()
  await page.keyboard.press("Enter")
  expect(await answered(second.question)).toBe("denied")
  await gone(id)
  expect(problems).toEqual([])
  await context.close()
}, 300_000)

withChromium(
  "D10: a closed window denies its question, the next question gets a new window, and a crash denies all",
  async () => {
    const first = await ask(["npm", "one"])
    const second = await ask(["npm", "two"])
    const third = await ask(["npm", "three"])
    const before = await ownerWindow()
    before.window.close()
    expect(await answered(first.question)).toBe("denied")
    const after = await ownerWindow()
    expect(after.id).not.toBe(before.id)
    expect(answers().map(([question]) => question)).not.toContain(second.question)
    after.contents.emit("render-process-gone", {}, { reason: "crashed" })
    expect([await answered(second.question), await answered(third.question)]).toEqual(["denied", "denied"])
    expect(after.window.destroyed).toBe(true)
  },
  300_000
)

withChromium("D10: a locked screen denies the present and new questions until it is unlocked", async () => {
  const first = await ask(["npm", "one"])
  const { id } = await ownerWindow()
  main.electron.powerMonitor.emit("lock-screen")
  expect(await answered(first.question)).toBe("denied")
  await gone(id)
  const second = await ask(["npm", "two"])
  expect(await answered(second.question)).toBe("denied")
  main.electron.powerMonitor.emit("unlock-screen")
  const third = await ask(["npm", "three"])
  const after = await ownerWindow()
  expect(answers().map(([question]) => question)).not.toContain(third.question)
  after.window.close()
  expect(await answered(third.question)).toBe("denied")
}, 300_000)

withChromium("D5: rules and folders are changed in the window and saved to the agent's files", async () => {
  const console = await eventually(() => main.record.windows[0])
  await main.invoke(console.id, shellChannel("showOwner"), [])
  const { context, id, page, problems } = await opened({ width: 420, height: 900 })
  const rules = page.getByRole("region", { name: "Rules", exact: true })
  await seen(rules.getByRole("listitem")).toHaveCount(2)
  await seen(rules.getByText("rm **")).toBeVisible()
  expect(await breaches(page, everyLook)).toEqual([])

  await page.getByRole("button", { name: "Add a rule" }).click()
  await page.getByRole("combobox", { name: "Effect" }).selectOption("allow")
  await page.getByRole("textbox", { name: "Command" }).fill("bash -c 'echo hi'")
  await page.getByRole("combobox", { name: "Where" }).selectOption(root)
  expect(await breaches(page, everyLook)).toEqual([])
  await page.getByRole("button", { name: "Add", exact: true }).click()
  await seen(page.getByRole("alert")).toContainText("bash runs whatever its arguments say")
  expect(rulesNow().rules).toHaveLength(2)
  await page.getByRole("textbox", { name: "Command" }).fill("ls -l *")
  await page.getByRole("button", { name: "Add", exact: true }).click()
  await seen(rules.getByRole("listitem")).toHaveCount(3)
  expect(rulesNow().rules[2]).toEqual({ effect: "allow", tool: "shell.run", argv: ["ls", "-l", "*"], root })
  await page.getByRole("button", { name: /^Remove the rule: Deny/u }).click()
  await seen(rules.getByRole("listitem")).toHaveCount(2)
  await page.getByRole("button", { name: "Undo" }).click()
  await seen(rules.getByRole("listitem")).toHaveCount(3)
  // The choice changes only after it is saved.
  for (const choice of ["People of the hub, in their inbox", "Required"]) {
    await page.getByLabel(choice).click()
    await seen(page.getByLabel(choice)).toBeChecked()
  }
  await eventually(() => rulesNow().sandbox === "required" ? true : undefined)
  expect(rulesNow().ask_via).toBe("hub")

  await page.getByRole("button", { name: "As JSON" }).click()
  const json = page.getByLabel("Rules as JSON")
  await json.fill(
    JSON.stringify({ version: 1, rules: [{ effect: "alow", tool: "shell.run" }, { effect: "ask", tool: "shell" }] })
  )
  await page.getByRole("button", { name: "Save" }).click()
  await seen(page.getByRole("alert").getByText(/^rules\.0\.effect: /u)).toBeVisible()
  await seen(page.getByRole("alert").getByText(/^rules\.1\.tool: /u)).toBeVisible()
  expect(await breaches(page, everyLook)).toEqual([])
  // The file was edited by hand meanwhile: the app does not overwrite unseen content.
  writeFileSync(file("device.rules.json"), JSON.stringify({ version: 1, rules: [] }), { mode: 0o600 })
  await json.fill(JSON.stringify({ version: 1, rules: [{ effect: "deny", tool: "http.get" }] }))
  await page.getByRole("button", { name: "Save" }).click()
  await seen(page.getByRole("alert")).toContainText("has changed since it was shown")
  expect(rulesNow().rules).toEqual([])

  const folders = page.getByRole("region", { name: "Folders open to commands" })
  main.record.picks.push(join(data, "more"))
  await page.getByRole("button", { name: "Open a folder…" }).click()
  await seen(folders.getByRole("listitem")).toHaveCount(2)
  const identity = () => JSON.parse(readFileSync(file("device.json"), "utf8"))
  expect(identity().roots).toEqual([root, realpathSync(join(data, "more"))])
  expect(main.record.dialogs.at(-1).properties).toContain("openDirectory")
  await folders.getByRole("button", { name: `Close ${root}` }).click()
  await seen(folders.getByRole("listitem")).toHaveCount(1)
  expect(identity().roots).toEqual([realpathSync(join(data, "more"))])
  // The main process also refuses calls that the page cannot make: E4.
  for (
    const [method, wrong] of [
      ["addRoot", { path: "/etc" }],
      ["removeRoot", {}],
      ["saveRules", { text: "{}" }],
      ["saveRules", { text: 1, seen: null }],
      ["deny", { question: "q", cause: "closed" }],
      ["allow", { question: "q" }],
      ["allow", { question: "q", digest: "x" }],
      ["drawn", undefined],
      ["resume", { now: true }]
    ] as const
  ) {
    expect(await main.invoke(id, ownerChannel(method), [wrong]), method).toMatchObject({
      ok: false,
      error: { status: 400, code: "invalid_request" }
    })
  }
  await expect(main.invoke(id, shellChannel("state"), [])).rejects.toThrow("refused")
  await expect(main.invoke(id, "countersign:hub/auth.me", [{}, {}])).rejects.toThrow("refused")
  expect(problems).toEqual([])
  await context.close()
  main.record.windows.find((each) => each.id === id)!.window.close()
}, 300_000)

withChromium(
  "E1, E5, E10: the window is sandboxed with separate storage, and its page has ten functions and a listener",
  async () => {
    const { question } = await ask(["npm", "test"])
    const { context, id, page } = await opened()
    const { options } = await ownerWindow()
    expect(options.webPreferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      partition: "countersign-owner"
    })
    expect(options.webPreferences.preload).toMatch(/owner\.cjs$/u)
    expect(
      await page.evaluate(
        `Object.values(window.countersignOwner).every((each) => typeof each === "function") && Object.keys(window.countersignOwner).length`
      )
    ).toBe(11)
    expect(await page.evaluate(`typeof window.countersign`)).toBe("undefined")
    const kept = await page.evaluate(
      `JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])`
    ) as string
    expect(kept).not.toContain("svc_device")
    await page.getByRole("button", { name: "Deny" }).click()
    expect(await answered(question)).toBe("denied")
    await gone(id)
    await context.close()
  },
  300_000
)
