/** Decisions on many approvals: the rows, the preview and result of a batch, and successive decisions by keyboard. */
import type { Locator, Page } from "@playwright/test"
import {
  expect,
  expectAccessible,
  holdToApprove,
  type Person,
  type PersonApi,
  signIn,
  test
} from "../../support/console.ts"

test.describe.configure({ retries: 0 })

const inbox = (person: Person, search = "") => `/w/${person.org}/inbox${search}`
const detail = (page: Page): Locator => page.getByRole("article")
const foot = (page: Page): Locator => page.locator("footer[aria-label=Decide]")
const approve = (page: Page): Locator => foot(page).getByRole("button", { name: /^Approve/ })
const rowOf = (page: Page, approval: string): Locator => page.locator(`[data-row="${approval}"]`)
const keysAct = (page: Page) => expect(approve(page).locator("xpath=self::*[not(@data-keys)]")).toBeVisible()
const statuses = (api: PersonApi, approvals: ReadonlyArray<string>) =>
  Promise.all(approvals.map(async (id) => (await api.call("GET", `/approvals/${id}`, 200)).status))

/** Requests of $42.00 each, under a monthly cap of $200.00. */
const underCap = async (api: PersonApi, upstream: Parameters<PersonApi["waiting"]>[0], count: number) => {
  const made = await api.waiting(upstream, count)
  await api.call("POST", `/agents/${made.agent.id}/services`, 200, {
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
  test("shows before the press what fits and which limit blocks the rest, and sends what fits", async ({ api, hub, owner, page, upstream }) => {
    const shop = await upstream()
    const { approvals } = await underCap(api, shop, 6)
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
    expect(await statuses(api, approvals)).toEqual([
      "approved",
      "approved",
      "approved",
      "approved",
      "pending",
      "pending"
    ])
    expect(shop.received).toHaveLength(4)
  })

  test("shows blocked requests first after the press, with their limit, and keeps them selected", async ({ api, hub, owner, page, upstream }) => {
    const { approvals } = await underCap(api, await upstream(), 6)
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
  test("summarize each payload without masked fields, and are found by payload and digest", async ({ api, hub, owner, page, upstream }) => {
    const { agent, approvals, service } = await api.waiting(await upstream(), 2)
    await api.call("PATCH", `/services/${service}`, 200, {
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
    const payload = { payee: "Globex", amount_cents: 123_456, pin: "pin-of-ada", memo: "Invoice zx-81" }
    const { approval_id: third } = await api.send(agent, { service, operation: "buy", payload })
    const { payload_digest: digest } = await api.call("GET", `/approvals/${third}`, 200)
    await signIn(page, hub, owner)
    await page.goto(inbox(owner, `?open=${approvals[0]}`))
    await expect(rowOf(page, third)).toContainText("Globex · $1,234.56")
    await expect(rowOf(page, third)).not.toContainText("pin-of-ada")
    await expect(detail(page)).toBeVisible()
    const search = page.getByPlaceholder("Search agent, operation, payload, seal")
    await search.fill("ZX-81")
    await expect(page.locator("[data-row]")).toHaveCount(1)
    // The open one does not match: the first match replaces it.
    await expect(page).toHaveURL(new RegExp(`open=${third}`))
    await search.fill("pin-of-ada")
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
  test("keeps its title and amount in view when the comment gets focus and when the next opens, and its row keeps its size", async ({ api, hub, owner, page, upstream }) => {
    const { agent, service } = await api.waiting(await upstream(), 1)
    const long = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`field_${at}`, `value ${at}`]))
    const { approval_id: first } = await api.send(agent, {
      service,
      operation: "buy",
      payload: { item: "First", ...long }
    })
    const { approval_id: second } = await api.send(agent, {
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
    // During the call and after it, the row's text keeps its space.
    const release = Promise.withResolvers<void>()
    await page.route("**/approve", async (route) => {
      await release.promise
      await route.continue()
    })
    const words = rowOf(page, second).locator("a > span").nth(1)
    const room = await words.boundingBox()
    await approve(page).click()
    await expect(rowOf(page, second)).toContainText("Sending…")
    expect(await words.boundingBox()).toEqual(room)
    release.resolve()
    await expect(rowOf(page, second)).toContainText("Countersigned by Ada")
    expect(await words.boundingBox()).toEqual(room)
  })

  test("is updated with the facts that a decision on another one changed", async ({ api, hub, owner, page, upstream }) => {
    const { approvals: [first = "", second = "", third = ""] } = await underCap(api, await upstream(), 3)
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
    // The older one was opened before.
    await rowOf(page, first).getByRole("link").click()
    await expect(detail(page).getByText(/^(1 value differs|2 values differ) from the last approval/)).toBeVisible()
    await expect(detail(page).getByText("First time: nothing of Scout")).toHaveCount(0)
    await expect(detail(page).getByText("$116.00 left after this").first()).toBeVisible()
    // Another person decides while it is open.
    await api.call("POST", `/approvals/${third}/approve`, 200, {})
    await expect(detail(page).getByText("$74.00 left after this").first()).toBeVisible()
  })
})

test.describe("successive decisions by keyboard", () => {
  test("decide thirty approvals, each with the digest that was shown, and nothing else", async ({ api, hub, owner, page, upstream }) => {
    test.setTimeout(240_000)
    const shop = await upstream()
    const { approvals } = await api.waiting(shop, 30)
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
      // A held key does not decide the next one.
      await page.keyboard.down("A")
      await page.keyboard.up("A")
      await page.keyboard.up("Shift")
      // The previous row stays marked; the one before it is gone.
      await expect(page.locator("[data-row]")).toHaveCount(Math.max(2, 31 - seen.length))
    }
    await expect(foot(page)).toContainText("Executed, $42.00 debited.")
    expect(sent.map(({ id }) => id)).toEqual(approvals)
    expect(sent.map(({ digest, id }) => ({ id, seal: digest.slice(0, 8) }))).toEqual(seen)
    expect(new Set(await statuses(api, approvals))).toEqual(new Set(["approved"]))
    expect(shop.received).toHaveLength(30)
  })

  test("continue after a rejection, stay where a request was blocked, and stay everywhere once this is disabled", async ({ api, hub, owner, page, upstream }) => {
    const { agent, approvals: [first = "", second = "", third = "", fourth = "", fifth = ""], service } = await api
      .waiting(await upstream(), 5)
    await api.call("POST", `/agents/${agent.id}/services`, 200, {
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
    expect(await statuses(api, [first, second, third, fourth, fifth])).toEqual([
      "rejected",
      "approved",
      "approved",
      "rejected",
      "pending"
    ])
  })
})
