/**
 * Approvals on a phone: the payload comes first and must be read before approval, and the shell shows the pending ones.
 */
import type { Locator, Page } from "@playwright/test"
import { expect, expectAccessible, holdToApprove, type PersonApi, signIn, test } from "../../support/console.ts"
import type { Upstream } from "../../support/upstream.ts"

const phone = { width: 390, height: 844 }
const desktop = { width: 1440, height: 900 }

const foot = (page: Page): Locator => page.locator("footer[aria-label=Decide]")
const approve = (page: Page): Locator => foot(page).getByRole("button", { name: /^Approve/ })
const scrollHint = "Scroll to the end of the payload to approve."
const lastLine = "the last line of the note"

const statusOf = async (api: PersonApi, approval: string): Promise<string> =>
  (await api.call("GET", `/approvals/${approval}`, 200)).status

/** A pending approval of $42.00 whose payload has a note with this many lines. */
const pendingNote = async (api: PersonApi, upstream: Upstream, lines: number): Promise<string> => {
  await api.topUp(10_000)
  const service = await api.service(upstream)
  const agent = await api.agent({ bindings: [{ service, operations: ["*"] }] })
  const note = [...Array.from({ length: lines }, (_, at) => `line ${at + 1}`), lastLine].join("\n")
  const { approval_id } = await api.send(agent, {
    service,
    operation: "buy",
    payload: { item: "Paper", quantity: 2, note }
  })
  return approval_id
}

const topOf = (locator: Locator): Promise<number> =>
  locator.first().evaluate((element) => element.getBoundingClientRect().top)

test("shows amount, sentence, payload, limits, and the rest in this order, with the payload's first lines in view", async ({ api, hub, owner, page, upstream }) => {
  await page.setViewportSize(phone)
  const id = await pendingNote(api, await upstream(), 1)
  await signIn(page, hub, owner)
  for (const path of [`approvals/${id}`, `inbox?open=${id}`]) {
    await page.goto(`/w/${owner.org}/${path}`)
    const article = page.getByRole("article")
    const firstValue = article.getByText("Paper", { exact: true })
    await expect(firstValue).toBeVisible()
    const tops = [
      await topOf(article.getByText("$42.00")),
      await topOf(article.getByRole("heading", { level: 2 })),
      await topOf(firstValue),
      await topOf(article.getByRole("heading", { name: "After this one" })),
      await topOf(article.getByText("above the threshold of $10.00")),
      await topOf(article.getByText("Reason for approval")),
      await topOf(article.getByRole("heading", { name: "Last decisions" }))
    ]
    expect(tops).toEqual([...tops].sort((a, b) => a - b))
    const [value, bar] = [await firstValue.boundingBox(), await foot(page).boundingBox()]
    expect((value?.y ?? Infinity) + (value?.height ?? 0), "above the buttons, without scrolling").toBeLessThanOrEqual(
      bar?.y ?? 0
    )
  }
})

for (const [where, viewport] of [["on a phone", phone], ["in a large window", desktop]] as const) {
  test(`approves only once the end of a long payload was scrolled into view, ${where}`, async ({ api, hub, owner, page, upstream }) => {
    await page.setViewportSize(viewport)
    const id = await pendingNote(api, await upstream(), 120)
    await signIn(page, hub, owner)
    await page.goto(`/w/${owner.org}/approvals/${id}`)
    await expect(foot(page)).toContainText(scrollHint)
    await expect(approve(page)).toBeDisabled()
    await expect(foot(page).getByRole("button", { name: /^Reject/ })).toBeEnabled()
    await page.getByRole("tab", { name: /^JSON/ }).click()
    await expect(page.getByLabel("Search the payload")).toBeVisible()
    await expect(approve(page)).toBeDisabled()
    await page.getByRole("tab", { name: /^Form/ }).click()
    const end = page.getByText(lastLine)
    await expect(end).toBeAttached()
    // The key scrolls by one view instead of approving, so that the payload can be read by keyboard alone.
    const top = await topOf(end)
    await holdToApprove(page)
    await expect.poll(() => topOf(end)).toBeLessThan(top)
    expect(await statusOf(api, id)).toBe("pending")
    await end.evaluate((element) => {
      for (let each: Element | null = element; each !== null; each = each.parentElement) {
        each.scrollTo({ top: each.scrollHeight })
      }
    })
    await expect(approve(page)).toBeEnabled()
    await expect(foot(page)).not.toContainText(scrollHint)
    await page.getByRole("article").getByRole("heading", { level: 2 }).evaluate((element) => element.scrollIntoView())
    await expect(approve(page), "what was read stays read").toBeEnabled()
    await approve(page).click()
    await expect(foot(page)).toContainText("Executed, $42.00 debited.")
  })
}

test("approves at once a payload that fits above the buttons", async ({ api, hub, owner, page, upstream }) => {
  await page.setViewportSize(phone)
  const id = await pendingNote(api, await upstream(), 0)
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/approvals/${id}`)
  await expect(approve(page)).toBeEnabled()
  await expect(foot(page)).not.toContainText(scrollHint)
})

test("does not count the end of a payload as read while the buttons cover it", async ({ api, hub, owner, page, upstream }) => {
  await page.setViewportSize(phone)
  const id = await pendingNote(api, await upstream(), 120)
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/approvals/${id}`)
  await expect(foot(page)).toContainText(scrollHint)
  const end = page.getByText(lastLine)
  const scrollTo = (gap: number) =>
    end.evaluate((element, gap) => {
      const scroller = element.closest("main")!
      const bar = document.querySelector("footer")!.getBoundingClientRect()
      scroller.scrollTop += element.getBoundingClientRect().bottom - bar.top + gap
    }, gap)
  await scrollTo(-30)
  // Two frames later an intersection observer has reported.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  await expect(approve(page)).toBeDisabled()
  await scrollTo(30)
  await expect(approve(page)).toBeEnabled()
})

test("wraps filters instead of scrolling them sideways, on every list", async ({ api, hub, owner, page, upstream }) => {
  await page.setViewportSize(phone)
  await hub.join(owner, await hub.workspace("A second workspace with a rather long name"))
  await api.waiting(await upstream(), 1)
  await signIn(page, hub, owner)
  for (const place of ["inbox", "requests", "usage", "audit", "money", "agents", "catalog", "devices"]) {
    await page.goto(`/w/${owner.org}/${place}`)
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
    const fold = page.getByRole("button", { name: "Filters", exact: true })
    if (["inbox", "requests", "audit"].includes(place)) await fold.click()
    const bars = page.locator("section[aria-label=Filters], [role=search]")
    // The filter chips of a list load once the browser is idle.
    if (place !== "money") await expect(page.getByRole("search").getByRole("button").first()).toBeVisible()
    const wide = await bars.evaluateAll((elements) =>
      elements.filter((element) => element.scrollWidth > element.clientWidth).length
    )
    expect(wide, `filter lines of ${place} that scroll sideways`).toBe(0)
  }
})

test("keeps the list in place when the filters of the inbox load", async ({ api, hub, owner, page, upstream }) => {
  await page.setViewportSize(phone)
  const { approvals: [id = ""] } = await api.waiting(await upstream(), 1)
  let load: () => void = () => {}
  const asked = new Promise<void>((resolve) => {
    load = resolve
  })
  await page.route(/inbox-filters[^/]*\.js$/, async (route) => {
    await asked
    await route.continue()
  })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/inbox`)
  const row = page.locator(`[data-row="${id}"]`)
  await expect(row).toBeVisible()
  const before = await row.boundingBox()
  load()
  await expect(page.getByRole("search", { includeHidden: true }).getByRole("button", { includeHidden: true }).first())
    .toBeAttached()
  expect(await row.boundingBox()).toEqual(before)
})

test("folds the filters of inbox, requests, and audit into one line with the number of set filters", async ({ api, hub, owner, page, upstream }) => {
  await page.setViewportSize(phone)
  await hub.join(owner, await hub.workspace("A second workspace"))
  const { agent } = await api.waiting(await upstream(), 1)
  await signIn(page, hub, owner)
  const chip = page.getByRole("button", { name: "Amount", exact: true })
  for (const place of ["inbox", "requests", "audit"]) {
    await page.goto(`/w/${owner.org}/${place}`)
    const fold = page.getByRole("button", { name: "Filters", exact: true })
    await expect(fold).toHaveAttribute("aria-expanded", "false")
    await expect(chip).toBeHidden()
    const [button, line] = [
      await fold.boundingBox(),
      await page.locator(place === "inbox" ? "section[aria-label=Filters]" : "[role=search]").boundingBox()
    ]
    expect(line!.height, `${place} has one line`).toBeLessThan(2.5 * button!.height)
    await expectAccessible(page)
    await fold.click()
    await expect(fold).toHaveAttribute("aria-expanded", "true")
    await expect(chip).toBeVisible()
    await expectAccessible(page)
    await fold.click()
    await expect(chip).toBeHidden()
    await page.goto(`/w/${owner.org}/${place}?agent_id=${agent.id}&min_cents=100&max_cents=100000`)
    await expect(page.getByRole("button", { name: "Filters (2)", exact: true })).toBeVisible()
  }
})

test("the search key opens the folded filters of the inbox and focuses their search", async ({ api, hub, owner, page, upstream }) => {
  await page.setViewportSize(phone)
  await api.waiting(await upstream(), 1)
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/inbox`)
  await expect(page.getByRole("button", { name: "Filters", exact: true })).toBeVisible()
  await page.keyboard.press("/")
  await expect(page.getByRole("searchbox")).toBeFocused()
})

test("keeps title and amount in view while the payload is read, a comment is written, and when the next opens", async ({ api, hub, owner, page, upstream }) => {
  await page.setViewportSize(phone)
  const provider = await upstream()
  const { agent, approvals: [next = ""], service } = await api.waiting(provider, 1)
  const long = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`field_${at}`, `value ${at}`]))
  const { approval_id: first } = await api.send(agent, {
    service,
    operation: "buy",
    payload: { item: "First", ...long }
  })
  await signIn(page, hub, owner)
  for (const path of [`approvals/${first}`, `inbox?open=${first}`]) {
    await page.goto(`/w/${owner.org}/${path}`)
    const title = page.locator("[data-detail-title]")
    const amount = page.getByRole("article").getByText("$42.00").first()
    const top = await page.locator("main").evaluate((element) => element.getBoundingClientRect().top)
    await page.getByText("value 59").scrollIntoViewIfNeeded()
    await foot(page).getByLabel("Comment").focus()
    await page.keyboard.type("Looks right")
    const [one, two] = [await amount.boundingBox(), await title.boundingBox()]
    expect(one?.y, "the amount is at the top").toBeGreaterThanOrEqual(top - 1)
    expect(two?.y, "the title follows").toBeGreaterThanOrEqual((one?.y ?? 0) + (one?.height ?? 0) - 1)
    expect((two?.y ?? 0) + (two?.height ?? 0)).toBeLessThanOrEqual(top + 140)
    await expect(title).toBeInViewport({ ratio: 1 })
    await expect(amount).toBeInViewport({ ratio: 1 })
    await expectAccessible(page)
  }
  await page.keyboard.press("Escape")
  await page.keyboard.press("k")
  await expect(page).toHaveURL(new RegExp(`open=${next}`))
  await expect(page.locator("[data-detail-title]")).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole("article").getByText("$42.00").first()).toBeInViewport({ ratio: 1 })
})

test("counts pending approvals in the bottom bar, and updates the count", async ({ api, hub, owner, page, upstream }) => {
  await page.setViewportSize(phone)
  const { approvals: [first = ""] } = await api.waiting(await upstream(), 2)
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/requests`)
  const count = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /Inbox/ }).getByLabel(
    /pending/
  )
  await expect(count).toHaveText("2")
  await api.call("POST", `/approvals/${first}/reject`, 200, {})
  await expect(count).toHaveText("1")
})
