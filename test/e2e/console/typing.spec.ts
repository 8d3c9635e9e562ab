/**
 * Typed text never decides: it goes to the overlay, the field, or the chord that was requested, however late that
 * loads.
 */
import type { Page } from "@playwright/test"
import { expect, type Person, type PersonApi, signIn, test } from "../../support/console.ts"

test.describe.configure({ retries: 0 })

const inbox = (person: Person) => `/w/${person.org}/inbox`
const keysLive = (page: Page) =>
  expect(
    page.locator("footer[aria-label=Decide]").getByRole("button", { name: /^Approve/ }).locator(
      "xpath=self::*[not(@data-keys)]"
    )
  ).toBeVisible()

const statuses = (api: PersonApi, approvals: ReadonlyArray<string>) =>
  Promise.all(approvals.map(async (id) => (await api.call("GET", `/approvals/${id}`, 200)).status))

/** Delays matching scripts until the returned function is called. */
const hold = async (page: Page, scripts: RegExp): Promise<() => void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(scripts, async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}
const holdScripts = (page: Page) => hold(page, /\.js$/u)
/** The state of the first key press after a load, before the preload. */
const holdPalette = (page: Page) => hold(page, /palette[^/]*\.js$/u)

/** Decisions that the page has sent. */
const decisionsOf = (page: Page): ReadonlyArray<string> => {
  const sent: Array<string> = []
  page.on("request", (request) => {
    if (request.method() === "POST" && /\/approvals\//u.test(request.url())) sent.push(request.url())
  })
  return sent
}

test.describe("text typed on the inbox", () => {
  for (const word of ["agents", "audit", "Agents", "Audit Requests"]) {
    test(`goes to the palette while it loads: ${word}`, async ({ api, hub, owner, page, upstream }) => {
      const { approvals } = await api.waiting(await upstream(), 3)
      await signIn(page, hub, owner)
      const sent = decisionsOf(page)
      const release = await holdPalette(page)
      await page.goto(inbox(owner))
      await keysLive(page)
      await page.keyboard.press("Control+K")
      await page.keyboard.type(word)
      await page.keyboard.press("Backspace")
      release()
      await expect(page.getByRole("dialog").getByRole("combobox")).toHaveValue(word.slice(0, -1))
      await page.keyboard.type(word.slice(-1))
      await expect(page.getByRole("dialog").getByRole("combobox")).toHaveValue(word)
      expect(sent).toEqual([])
      expect(await statuses(api, approvals)).toEqual(["pending", "pending", "pending"])
    })
  }

  test("decides nothing at any delay after Ctrl+K", async ({ api, hub, owner, page, upstream }) => {
    const { approvals } = await api.waiting(await upstream(), 3)
    await signIn(page, hub, owner)
    const sent = decisionsOf(page)
    for (const delay of [0, 50, 150, 300, 600, 1_000, 1_500]) {
      await page.goto(inbox(owner))
      await keysLive(page)
      await page.keyboard.press("Control+K")
      // The person's pause, not a wait for the page.
      await page.waitForTimeout(delay)
      await page.keyboard.type("audit", { delay: 20 })
      await expect(page.getByRole("dialog").getByRole("combobox"), `after ${delay} ms`).toHaveValue("audit")
      await page.keyboard.press("Escape")
      await expect(page.getByRole("dialog")).toHaveCount(0)
    }
    expect(sent).toEqual([])
    expect(await statuses(api, approvals)).toEqual(["pending", "pending", "pending"])
  })

  test("decides nothing without any overlay, capitals and held Shift included", async ({ api, hub, owner, page, upstream }) => {
    const { approvals } = await api.waiting(await upstream(), 3)
    await signIn(page, hub, owner)
    const sent = decisionsOf(page)
    for (const [words, delay] of [["approve AAA Audit", 0], ["Approve all", 40], ["AARDVARK a a A", 120]] as const) {
      await page.goto(inbox(owner))
      await keysLive(page)
      await page.keyboard.type(words, { delay })
    }
    expect(sent).toEqual([])
    expect(await statuses(api, approvals)).toEqual(["pending", "pending", "pending"])
  })
})

test.describe("keys after a request for something else", () => {
  test("e then a opens the editor and approves nothing", async ({ api, hub, owner, page, upstream }) => {
    const { approvals } = await api.waiting(await upstream(), 1)
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    await keysLive(page)
    const release = await holdScripts(page)
    await page.keyboard.press("e")
    await page.keyboard.type("aAr")
    release()
    await expect(page.getByRole("dialog")).toBeVisible()
    expect(await statuses(api, approvals)).toEqual(["pending"])
  })

  test("a slow second key of a chord approves nothing", async ({ api, hub, owner, page, upstream }) => {
    const { approvals } = await api.waiting(await upstream(), 1)
    await signIn(page, hub, owner)
    const sent = decisionsOf(page)
    await page.goto(inbox(owner))
    for (const delay of [0, 600, 1_400]) {
      await keysLive(page)
      await page.keyboard.press("g")
      await page.waitForTimeout(delay)
      await page.keyboard.press("a")
      if (delay < 1_000) await page.waitForURL(/\/agents/u)
      await page.goto(inbox(owner))
    }
    expect(sent).toEqual([])
    expect(await statuses(api, approvals)).toEqual(["pending"])
  })

  test("/ focuses the inbox search, so that a is typed there", async ({ api, hub, owner, page, upstream }) => {
    const { approvals } = await api.waiting(await upstream(), 1)
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    await keysLive(page)
    await page.keyboard.press("/")
    await expect(page.getByRole("searchbox")).toBeFocused()
    await page.keyboard.type("aA")
    await expect(page.getByRole("searchbox")).toHaveValue("aA")
    expect(await statuses(api, approvals)).toEqual(["pending"])
  })
})

test.describe("the approving key", () => {
  test("approves once it is held, and not when it is only pressed", async ({ api, hub, owner, page, upstream }) => {
    const { approvals } = await api.waiting(await upstream(), 1)
    await signIn(page, hub, owner)
    const sent = decisionsOf(page)
    await page.goto(inbox(owner))
    await keysLive(page)
    const foot = page.locator("footer[aria-label=Decide]")
    await page.keyboard.press("Shift+A")
    await expect(foot).toContainText("Hold ⇧ A to approve.")
    expect(sent).toEqual([])
    await page.keyboard.down("Shift")
    await page.keyboard.down("A")
    // Another key means typing.
    await page.keyboard.press("u")
    await page.keyboard.up("A")
    await page.keyboard.up("Shift")
    expect(await statuses(api, approvals)).toEqual(["pending"])
    await page.keyboard.down("Shift")
    await page.keyboard.down("A")
    await expect(foot).toContainText("Executed, $42.00 debited.")
    await page.keyboard.up("A")
    await page.keyboard.up("Shift")
    expect(sent).toHaveLength(1)
    expect(await statuses(api, approvals)).toEqual(["approved"])
  })

  test("with an undo window, sends nothing until five seconds are over, and nothing at all after Undo", async ({ api, hub, owner, page, upstream }) => {
    const { approvals } = await api.waiting(await upstream(), 1)
    await signIn(page, hub, owner)
    const sent = decisionsOf(page)
    await page.goto(inbox(owner))
    await page.getByRole("button", { name: "Confirmation" }).click()
    await page.getByRole("switch", { name: "Undo window" }).click()
    await page.keyboard.press("Escape")
    const foot = page.locator("footer[aria-label=Decide]")
    await foot.getByRole("button", { name: /^Approve/ }).click()
    const notice = page.getByRole("listitem").filter({ hasText: "Approving $42.00" })
    await expect(notice).toBeVisible()
    await notice.getByRole("button", { name: "Undo" }).click()
    await expect(notice).toHaveCount(0)
    expect(sent).toEqual([])
    expect(await statuses(api, approvals)).toEqual(["pending"])
    await foot.getByRole("button", { name: /^Approve/ }).click()
    await expect(foot).toContainText("Executed, $42.00 debited.")
    expect(sent).toHaveLength(1)
  })
})
