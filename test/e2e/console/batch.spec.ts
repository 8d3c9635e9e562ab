/** Many approvals at once: what rows tell, what a batch will do and did, and one decision after the other by keyboard. */
import type { Locator, Page } from "@playwright/test"
import { type Desk, expect, expectAccessible, holdToApprove, type Person, signIn, test } from "../../support/console.ts"

const inbox = (person: Person, search = "") => `/w/${person.org}/inbox${search}`
const detail = (page: Page): Locator => page.getByRole("article")
const foot = (page: Page): Locator => page.locator("footer[aria-label=Decide]")
const approve = (page: Page): Locator => foot(page).getByRole("button", { name: /^Approve/ })
const rowOf = (page: Page, approval: string): Locator => page.locator(`[data-row="${approval}"]`)
const keysAct = (page: Page) => expect(approve(page).locator("xpath=self::*[not(@data-keys)]")).toBeVisible()
const statuses = (desk: Desk, approvals: ReadonlyArray<string>) =>
  Promise.all(approvals.map(async (id) => (await desk.call("GET", `/approvals/${id}`, 200)).status))

/** Requests of $42.00 each, under a monthly cap of $200.00. */
const underCap = async (desk: Desk, upstream: Parameters<Desk["waiting"]>[0], count: number) => {
  const made = await desk.waiting(upstream, count)
  await desk.call("POST", `/agents/${made.agent.id}/services`, 200, {
    service: made.service,
    operations: ["*"],
    monthly_cap_cents: 20_000
  })
  return made
}

const openBatch = async (page: Page, count: number): Promise<Locator> => {
  await page.getByRole("button", { name: "Select all" }).click()
  await page.keyboard.press("b")
  return page.getByRole("dialog", { name: `Decide ${count} approvals` })
}

test.describe("a batch over a cap", () => {
  test("says before the press what fits and which limit blocks the rest, and sends what fits", async ({ desk, hub, owner, page, upstream }) => {
    const shop = await upstream()
    const { approvals } = await underCap(desk, shop, 6)
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    const dialog = await openBatch(page, 6)
    await expect(dialog.getByText("4 requests fit the limits, $168.00 in all. 2 would be blocked.")).toBeVisible()
    await expect(dialog.getByText(/^2 requests, \$84\.00: monthly cap of shop-/)).toBeVisible()
    await expect(dialog.locator("[data-end=blocked]")).toHaveCount(2)
    await expect(dialog.locator("[data-end=blocked]").first()).toContainText("$32.00 left")
    await expect(dialog.locator("[data-end=fits]").first()).toContainText("Item 1 · Quantity 1")
    await expect(dialog.getByText("By Item")).toBeVisible()
    await expectAccessible(page)
    await dialog.getByRole("button", { name: "Approve 4 for $168.00" }).click()
    await expect(dialog.getByText("4 executed, $168.00 debited; 2 not sent.")).toBeVisible()
    await expect(dialog.locator("tbody tr").first()).toContainText("not sent, still pending")
    await dialog.getByRole("button", { name: "Done" }).click()
    await expect(page.getByText("2 selected, $84.00")).toBeVisible()
    expect(await statuses(desk, approvals)).toEqual([
      "approved",
      "approved",
      "approved",
      "approved",
      "pending",
      "pending"
    ])
    expect(shop.received).toHaveLength(4)
  })

  test("shows what was blocked after the press first, with its limit, and keeps it selected", async ({ desk, hub, owner, page, upstream }) => {
    const { approvals } = await underCap(desk, await upstream(), 6)
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    const dialog = await openBatch(page, 6)
    await dialog.getByLabel("Approve the 2 that would be blocked too").check()
    await dialog.getByRole("button", { name: "Approve 6 for $252.00" }).click()
    await expect(dialog.getByText("4 executed, $168.00 debited; 2 blocked.")).toBeVisible()
    const rows = dialog.locator("tbody tr")
    await expect(rows.nth(0)).toContainText(/blocked.*monthly cap of shop-/)
    await expect(rows.nth(1)).toContainText(/blocked.*monthly cap of shop-/)
    await expect(rows.nth(2)).toContainText("executed")
    await expectAccessible(page)
    await dialog.getByRole("button", { name: "Done" }).click()
    await expect(page.getByText("2 selected, $84.00")).toBeVisible()
    await expect(rowOf(page, approvals[5]!)).toContainText(
      "Blocked after approval: the operation's monthly cap is used up"
    )
    await expect(rowOf(page, approvals[1]!)).toContainText("Countersigned by Ada")
    await expect(page.getByRole("region", { name: /^Decide 2/ }).getByRole("button", { name: /^Decide/ }))
      .toBeDisabled()
  })
})

test.describe("the rows of the inbox", () => {
  test("show what each payload is about, masked fields never, and are found by payload and seal", async ({ desk, hub, owner, page, upstream }) => {
    const { agent, approvals, service } = await desk.waiting(await upstream(), 2)
    await desk.call("PATCH", `/services/${service}`, 200, {
      operations: [{
        name: "buy",
        method: "POST",
        path: "/buy",
        price: { type: "fixed", cents: 4_200 },
        summary: ["/payee", "/amount_cents", "/pin"],
        payload_schema: {
          type: "object",
          properties: {
            payee: { type: "string" },
            amount_cents: { type: "integer" },
            pin: { type: "string", writeOnly: true },
            memo: { type: "string" }
          }
        }
      }]
    })
    const payload = { payee: "Globex", amount_cents: 123_456, pin: "9917", memo: "Invoice zx-81" }
    const { approval_id: third } = await desk.send(agent, { service, operation: "buy", payload })
    const { payload_digest: digest } = await desk.call("GET", `/approvals/${third}`, 200)
    await signIn(page, hub, owner)
    await page.goto(inbox(owner, `?open=${approvals[0]}`))
    await expect(rowOf(page, third)).toContainText("Globex · $1,234.56")
    await expect(rowOf(page, third)).not.toContainText("9917")
    await expect(detail(page)).toBeVisible()
    const search = page.getByPlaceholder("Search agent, operation, payload, seal")
    await search.fill("ZX-81")
    await expect(page.locator("[data-row]")).toHaveCount(1)
    // What was open does not match: the match takes its place.
    await expect(page).toHaveURL(new RegExp(`open=${third}`))
    await search.fill("9917")
    await expect(page.locator("[data-row]")).toHaveCount(0)
    await expect(detail(page)).toHaveCount(0)
    await search.fill(digest.slice(0, 8).toUpperCase())
    await expect(page.locator("[data-row]")).toHaveCount(1)
    await expect(rowOf(page, third)).toBeVisible()
    await page.goto(`/w/${owner.org}/requests`)
    await expect(page.getByRole("row", { name: /Globex · \$1,234\.56/ })).toBeVisible()
  })
})

test.describe("an open approval", () => {
  test("keeps its title and amount in view when the comment gets focus and when the next opens, and its row keeps its shape", async ({desk,hub,owner,page,upstream}) => {
    const { agent, service } = await desk.waiting(await upstream(), 1)
    const long = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`field_${at}`, `value ${at}`]))
    const { approval_id: first } = await desk.send(agent, {
      service,
      operation: "buy",
      payload: { item: "First", ...long }
    })
    const { approval_id: second } = await desk.send(agent, {
      service,
      operation: "buy",
      payload: { item: "Second", ...long }
    })
    await signIn(page, hub, owner)
    await page.goto(inbox(owner, `?open=${first}`))
    await keysAct(page)
    const title = detail(page).locator("[data-detail-title]")
    const amount = detail(page).locator("header").getByText("$42.00").first()
    const before = await Promise.all([title, amount, foot(page)].map((each) => each.boundingBox()))
    await detail(page).getByText("value 59").scrollIntoViewIfNeeded()
    await expect(detail(page).getByText("value 59")).toBeInViewport()
    await foot(page).getByLabel("Comment").focus()
    await page.keyboard.type("Looks right")
    expect(await Promise.all([title, amount, foot(page)].map((each) => each.boundingBox()))).toEqual(before)
    await page.keyboard.press("Escape")
    await page.keyboard.press("j")
    await expect(page).toHaveURL(new RegExp(`open=${second}`))
    await expect(detail(page).getByText("Second", { exact: true })).toBeInViewport()
    await expect(title).toBeInViewport()
    await expectAccessible(page)
    await detail(page).getByText("value 9", { exact: true }).evaluate((element) => {
      for (let each: Element | null = element; each !== null; each = each.parentElement) {
        each.scrollTo({ top: each.scrollHeight })
      }
    })
    await expect(title).toBeInViewport()
    // While the hub is asked, and after that, the row's words have the room that they had.
    const letThrough = Promise.withResolvers<void>()
    await page.route("**/approve", async (route) => {
      await letThrough.promise
      await route.continue()
    })
    const words = rowOf(page, second).locator("a > span").nth(1)
    const room = await words.boundingBox()
    await approve(page).click()
    await expect(rowOf(page, second)).toContainText("Sending…")
    expect(await words.boundingBox()).toEqual(room)
    letThrough.resolve()
    await expect(rowOf(page, second)).toContainText("Countersigned by Ada")
    expect(await words.boundingBox()).toEqual(room)
  })

  test("is shown with the facts that a decision on another one changed", async ({ desk, hub, owner, page, upstream }) => {
    const { approvals: [first = "", second = "", third = ""] } = await underCap(desk, await upstream(), 3)
    await signIn(page, hub, owner)
    await page.goto(inbox(owner, `?open=${first}`))
    await expect(detail(page).getByText("First time: nothing of Scout")).toBeVisible()
    await rowOf(page, second).getByRole("link").click()
    await expect(detail(page).getByText("First time: nothing of Scout")).toBeVisible()
    await expect(detail(page).getByText("may approve")).toBeVisible()
    await approve(page).click()
    await expect(foot(page)).toContainText("Executed, $42.00 debited.")
    await expect(detail(page).getByText("may approve")).toHaveCount(0)
    await expect(detail(page).getByText("has approved")).toBeVisible()
    // The older one was read before.
    await rowOf(page, first).getByRole("link").click()
    await expect(detail(page).getByText(/^(1 value differs|2 values differ) from the last approval/)).toBeVisible()
    await expect(detail(page).getByText("First time: nothing of Scout")).toHaveCount(0)
    await expect(detail(page).getByText("$116.00 left after this").first()).toBeVisible()
    // Another person decides while it is open.
    await desk.call("POST", `/approvals/${third}/approve`, 200, {})
    await expect(detail(page).getByText("$74.00 left after this").first()).toBeVisible()
  })
})

test.describe("one decision after the other by keyboard", () => {
  test("decides thirty approvals, each with the digest that was shown, and nothing else", async ({ desk, hub, owner, page, upstream }) => {
    test.setTimeout(240_000)
    const shop = await upstream()
    const { approvals } = await desk.waiting(shop, 30)
    const sent: Array<{ readonly id: string; readonly digest: string }> = []
    page.on("request", (request) => {
      const [, id = ""] = /\/approvals\/(apr_\w+)\/(?:approve|reject)$/u.exec(request.url()) ?? []
      if (id !== "") sent.push({ id, digest: request.postDataJSON().payload_digest })
    })
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    const seen: Array<{ readonly id: string; readonly seal: string }> = []
    for (const expected of approvals) {
      await expect(page).toHaveURL(new RegExp(`open=${expected}`))
      await keysAct(page)
      const seal = await foot(page).locator("form").getByText(/^[0-9a-f]{8}$/u).innerText()
      seen.push({ id: expected, seal })
      await page.keyboard.down("Shift")
      await page.keyboard.down("A")
      await expect(rowOf(page, expected)).toContainText("Countersigned by Ada")
      // Held on: the next one is not decided by it.
      await page.keyboard.down("A")
      await page.keyboard.up("A")
      await page.keyboard.up("Shift")
      // The row that was left stays marked; the one before it is gone.
      await expect(page.locator("[data-row]")).toHaveCount(Math.max(2, 31 - seen.length))
    }
    await expect(foot(page)).toContainText("Executed, $42.00 debited.")
    expect(sent.map(({ id }) => id)).toEqual(approvals)
    expect(sent.map(({ digest, id }) => ({ id, seal: digest.slice(0, 8) }))).toEqual(seen)
    expect(new Set(await statuses(desk, approvals))).toEqual(new Set(["approved"]))
    expect(shop.received).toHaveLength(30)
  })

  test("goes on after a rejection, stays where a request was blocked, and stays everywhere once it is switched off", async ({desk,hub,owner,page,upstream}) => {
    const { agent, approvals: [first = "", second = "", third = "", fourth = "", fifth = ""], service } = await desk
      .waiting(await upstream(), 5)
    await desk.call("POST", `/agents/${agent.id}/services`, 200, {
      service,
      operations: ["*"],
      monthly_cap_cents: 4_200
    })
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    await keysAct(page)
    await page.keyboard.press("Shift+R")
    await page.keyboard.press("Enter")
    await expect(page).toHaveURL(new RegExp(`open=${second}`))
    await expect(rowOf(page, first)).toContainText("Rejected by Ada")
    await keysAct(page)
    await holdToApprove(page)
    await expect(page).toHaveURL(new RegExp(`open=${third}`))
    await keysAct(page)
    await holdToApprove(page)
    await expect(foot(page)).toContainText("Approved, and then blocked")
    await expect(page).toHaveURL(new RegExp(`open=${third}`))
    await page.keyboard.press("j")
    await expect(page).toHaveURL(new RegExp(`open=${fourth}`))
    await page.getByRole("button", { name: "Confirmation" }).click()
    await page.getByRole("switch", { name: "Open the next approval" }).click()
    await page.keyboard.press("Escape")
    await expect(page.getByRole("switch")).toHaveCount(0)
    await keysAct(page)
    await page.keyboard.press("Shift+R")
    await page.keyboard.press("Enter")
    await expect(foot(page)).toContainText("Nothing was executed, no money moved.")
    await expect(page).toHaveURL(new RegExp(`open=${fourth}`))
    expect(await statuses(desk, [first, second, third, fourth, fifth])).toEqual([
      "rejected",
      "approved",
      "approved",
      "rejected",
      "pending"
    ])
  })
})
