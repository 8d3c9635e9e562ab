/** Pending approvals, and every way in which they end. */
import type { Locator, Page } from "@playwright/test"
import {
  apiFor,
  expect,
  expectAccessible,
  holdToApprove,
  password,
  type Person,
  type PersonApi,
  signIn,
  test
} from "../../support/console.ts"
import { cookieOf } from "../../support/hub.ts"

test.describe.configure({ retries: 0 })

const detail = (page: Page): Locator => page.getByRole("article")
const foot = (page: Page): Locator => page.locator("footer[aria-label=Decide]")
const approve = (page: Page): Locator => foot(page).getByRole("button", { name: /^Approve/ })
const reject = (page: Page): Locator => foot(page).getByRole("button", { name: /^Reject/ })
const rowOf = (page: Page, approval: string): Locator => page.locator(`[data-row="${approval}"]`)
/** The key caps are shown while the keys act. */
const keysAct = (page: Page) => expect(approve(page).locator("xpath=self::*[not(@data-keys)]")).toBeVisible()

const statusOf = async (api: PersonApi, approval: string): Promise<string> =>
  (await api.call("GET", `/approvals/${approval}`, 200)).status
const inbox = (person: Person, search = "") => `/w/${person.org}/inbox${search}`

test.describe("one approval", () => {
  test("is approved by its key; the next one opens, and the decided row stays until the selection moves", async ({ api, hub, owner, page, upstream }) => {
    const { approvals: [first = "", second = ""] } = await api.waiting(await upstream(), 2)
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    await expect(detail(page).getByRole("heading", { name: /Scout wants to call shop-\w+\.buy/ })).toBeVisible()
    await expect(page).toHaveURL(new RegExp(`open=${first}`))
    await keysAct(page)
    await expectAccessible(page)
    await holdToApprove(page)
    await expect(page).toHaveURL(new RegExp(`open=${second}`))
    await expect(rowOf(page, first)).toContainText("Countersigned by Ada")
    await expect(page.getByText("1 pending, $42.00")).toBeVisible()
    expect(await statusOf(api, first)).toBe("approved")
    expect(await statusOf(api, second)).toBe("pending")
    await page.keyboard.press("k")
    await expect(page).toHaveURL(new RegExp(`open=${first}`))
    await expect(foot(page)).toContainText("Executed, $42.00 debited.")
    await expect(foot(page)).toContainText("Countersigned by Ada")
    await expect(approve(page)).toHaveCount(0)
    await page.keyboard.press("j")
    await expect(page).toHaveURL(new RegExp(`open=${second}`))
    await expect(rowOf(page, first)).toHaveCount(0)
    await expect(rowOf(page, second)).toBeVisible()
  })

  test("is approved by pointer on its own page, which its link opens", async ({ api, hub, owner, page, upstream }) => {
    const { approvals: [id = ""] } = await api.waiting(await upstream(), 1)
    await signIn(page, hub, owner)
    await page.goto(`/w/${owner.org}/approvals/${id}`)
    await expect(page.getByText("$32.00 above the threshold of $10.00. Above it a person decides.")).toBeVisible()
    await expect(page.getByText("First time: nothing of Scout for")).toBeVisible()
    await expect(detail(page).getByText("$42.00 left after this")).toBeVisible()
    await approve(page).click()
    await expect(foot(page)).toContainText("Executed, $42.00 debited.")
    await page.reload()
    await expect(foot(page)).toContainText("Countersigned by Ada")
    await expectAccessible(page)
    await page.emulateMedia({ colorScheme: "dark" })
    await expectAccessible(page)
  })

  test("is not approved by Enter or Space alone, or by a key pressed too early", async ({ api, hub, owner, page, upstream }) => {
    const { approvals: [id = ""] } = await api.waiting(await upstream(), 1)
    await signIn(page, hub, owner)
    await page.goto(`/w/${owner.org}/approvals/${id}`)
    await expect(approve(page)).toBeVisible()
    await approve(page).focus()
    await page.keyboard.press("Enter")
    await expect(foot(page)).toContainText("Enter alone doesn't approve. Press Ctrl")
    await page.keyboard.press("Space")
    expect(await statusOf(api, id)).toBe("pending")
    // The tab was hidden: the keys are inactive until the approval is visible again.
    await page.evaluate(() => {
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "hidden" })
      document.dispatchEvent(new Event("visibilitychange"))
    })
    await holdToApprove(page)
    await expect(foot(page)).toContainText("Shortcuts work once this has been visible for half a second.")
    expect(await statusOf(api, id)).toBe("pending")
    await page.evaluate(() => {
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "visible" })
      document.dispatchEvent(new Event("visibilitychange"))
    })
    await keysAct(page)
    await page.keyboard.press("Control+Enter")
    await expect(foot(page)).toContainText("Executed, $42.00 debited.")
  })

  test("is rejected by its key with a comment, which the agent reads", async ({ api, hub, owner, page, upstream }) => {
    const { agent, approvals: [id = ""] } = await api.waiting(await upstream(), 1)
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    await keysAct(page)
    await page.keyboard.press("Shift+R")
    await expect(foot(page).getByLabel("Comment")).toBeFocused()
    await page.keyboard.type("Wrong item")
    await page.keyboard.press("Enter")
    await expect(foot(page)).toContainText("Nothing was executed, no money moved.")
    await expect(foot(page)).toContainText("Ada wrote: Wrong item")
    const read = await hub.api("GET", `/approvals/${id}`, { key: agent.key })
    expect(read.body).toMatchObject({ status: "rejected", comment: "Wrong item" })
  })

  test("is edited into a new request, which is pending in its place and is approved in the same view", async ({ api, hub, owner, page, upstream }) => {
    const shop = await upstream()
    const { approvals: [id = ""] } = await api.waiting(shop, 1)
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    await keysAct(page)
    await page.keyboard.press("e")
    const dialog = page.getByRole("dialog", { name: "Edit as a new request" })
    await dialog.getByLabel("Quantity").fill("7")
    await dialog.getByRole("tab", { name: "Difference" }).click()
    await expect(dialog.locator("del")).toHaveText("1")
    await expect(dialog.locator("ins")).toHaveText("7")
    await dialog.getByLabel("Comment").fill("Seven, not one")
    await expectAccessible(page)
    await dialog.getByRole("button", { name: "Reject and create new request" }).click()
    await expect(dialog).toHaveCount(0)
    await expect(page).not.toHaveURL(new RegExp(id))
    await expect(detail(page).getByText("7", { exact: true })).toBeVisible()
    await keysAct(page)
    await holdToApprove(page)
    await expect(foot(page)).toContainText("Executed, $42.00 debited.")
    expect(await statusOf(api, id)).toBe("rejected")
    expect(shop.received).toHaveLength(1)
  })

  test("shows the effective decision when another person decided first", async ({ api, hub, owner, pageOf, upstream }) => {
    const { approvals: [id = ""] } = await api.waiting(await upstream(), 1)
    const bob = await hub.person({ org: owner.org, role: "operator", name: "Bob" })
    const page = await pageOf(bob)
    await page.goto(`/w/${owner.org}/approvals/${id}`)
    await expect(approve(page)).toBeVisible()
    // The hub applies Ada's decision between Bob's press and his request.
    await page.route("**/approve", async (route) => {
      await api.call("POST", `/approvals/${id}/reject`, 200, { comment: "No" })
      await route.continue()
    })
    await approve(page).click()
    await expect(page.getByRole("alert")).toHaveText("Ada was first, and rejected it. Your decision changed nothing.")
    await expect(foot(page)).toContainText("Rejected by Ada")
    await expect(approve(page)).toHaveCount(0)
  })

  test("shows another person's decision without a click", async ({ api, hub, owner, pageOf, upstream }) => {
    const { approvals: [id = ""] } = await api.waiting(await upstream(), 1)
    const bob = await hub.person({ org: owner.org, role: "operator", name: "Bob" })
    const page = await pageOf(bob)
    await page.goto(inbox(bob))
    await keysAct(page)
    await api.call("POST", `/approvals/${id}/approve`, 200, {})
    await expect(foot(page)).toContainText("Countersigned by Ada")
    await expect(rowOf(page, id)).toContainText("Countersigned by Ada")
  })

  test("decided by another person is read again after a read older than the decision", async ({ api, hub, owner, page, upstream }) => {
    const { approvals: [id = ""] } = await api.waiting(await upstream(), 1)
    await signIn(page, hub, owner)
    // No event reports the decision.
    await page.route("**/events**", (route) => route.abort())
    await page.goto(inbox(owner))
    await expect(approve(page)).toBeVisible()
    const { body } = await hub.api("GET", `/approvals/${id}`, { cookie: owner.cookie })
    await api.call("POST", `/approvals/${id}/approve`, 200, {})
    await page.route(`**/approvals/${id}`, (route) => route.fulfill({ json: body }), { times: 1 })
    const first = page.waitForResponse(`**/approvals/${id}`)
    await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")))
    expect(await (await first).json()).toMatchObject({ status: "pending" })
    await expect(foot(page)).toContainText("Countersigned by Ada")
    await expect(rowOf(page, id)).toContainText("Countersigned by Ada")
  })

  test("expires while it is open, and its buttons disappear", async ({ api, hub, owner, page, upstream }) => {
    const { approvals: [id = ""] } = await api.waiting(await upstream(), 1)
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    await keysAct(page)
    await hub.expireApproval(id)
    await expect(foot(page)).toContainText("The agent can send the request again.")
    await expect(approve(page)).toHaveCount(0)
    await expect(rowOf(page, id)).toContainText("No person decided in time")
    await holdToApprove(page)
    expect(await statusOf(api, id)).toBe("expired")
  })

  test("above the workspace's limit requires the password, and above the person's own a second confirmation", async ({ api, hub, owner, page, upstream }) => {
    const { approvals: [id = ""] } = await api.waiting(await upstream(), 1)
    await api.call("PATCH", `/workspaces/${owner.org}`, 200, { step_up_cents: 1_000 })
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    await page.getByRole("button", { name: "Confirmation" }).click()
    await page.getByLabel("Require a second confirmation above").fill("20.00")
    await page.keyboard.press("Escape")
    await expect(page.getByLabel("Require a second confirmation above")).toHaveCount(0)
    await expect(foot(page)).toContainText("Asks for your password")
    await approve(page).click()
    await expect(foot(page)).toContainText("You require a second confirmation above $20.00.")
    expect(await statusOf(api, id)).toBe("pending")
    await foot(page).getByRole("button", { name: "Confirm $42.00" }).click()
    const dialog = page.getByRole("dialog", { name: "Confirm that it's you" })
    await dialog.getByLabel("Password").fill("not the password")
    await page.keyboard.press("Enter")
    await expect(dialog.getByLabel("Password")).toHaveAttribute("aria-invalid", "true")
    expect(await statusOf(api, id)).toBe("pending")
    await dialog.getByLabel("Password").fill(password)
    await page.keyboard.press("Enter")
    await expect(foot(page)).toContainText("Executed, $42.00 debited.")
  })

  test("with a quorum of two is approved by two people, and shows each the progress", async ({ api, hub, owner, page, pageOf, upstream }) => {
    const rule = {
      name: "two",
      when: "ceiling_cents > 1000.0",
      then: "require_approval",
      reason: "Two see what is dear"
    } as const
    await api.policy({ ...rule, required_approvals: 2 })
    const { approvals: [id = ""] } = await api.waiting(await upstream(), 1)
    const bob = await hub.person({ org: owner.org, role: "operator", name: "Bob" })
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    await expect(page.getByText("2 different people have to approve. 0 of 2 approvals given.")).toBeVisible()
    await approve(page).click()
    await expect(page.getByText("1 of 2 approvals given.").first()).toBeVisible()
    await expect(foot(page)).toContainText("You have approved it. Another person must approve it too.")
    await expect(approve(page)).toBeDisabled()
    await expectAccessible(page)
    const theirs = await pageOf(bob)
    await theirs.goto(`/w/${owner.org}/approvals/${id}`)
    await expect(foot(theirs)).toContainText("Countersigned by Ada")
    await approve(theirs).click()
    await expect(foot(theirs)).toContainText("Countersigned by Bob")
    await expect(foot(page)).toContainText("Countersigned by Bob")
    await expect(foot(page)).toContainText("Executed, $42.00 debited.")
  })

  test("of a person's own agent is for others under separation of duties", async ({ api, hub, owner, page, upstream }) => {
    await hub.person({ org: owner.org, role: "operator", name: "Bob" })
    await api.call("PATCH", `/workspaces/${owner.org}`, 200, { separation_of_duties: true })
    const { approvals: [id = ""] } = await api.waiting(await upstream(), 1)
    await signIn(page, hub, owner)
    await page.goto(`/w/${owner.org}/approvals/${id}`)
    await expect(foot(page)).toContainText("This workspace separates duties")
    await expect(foot(page)).toContainText("May approve: Bob.")
    await expect(approve(page)).toBeDisabled()
    await expect(reject(page)).toBeEnabled()
  })

  test("is readable for people without the right to decide", async ({ api, hub, owner, pageOf, upstream }) => {
    const { approvals: [id = ""] } = await api.waiting(await upstream(), 1)
    const page = await pageOf(await hub.person({ org: owner.org, role: "viewer", name: "Vic" }))
    await page.goto(`/w/${owner.org}/approvals/${id}`)
    await expect(foot(page)).toContainText("You may look at this, and others decide it.")
    await expect(approve(page)).toBeDisabled()
    await expect(reject(page)).toBeDisabled()
    await holdToApprove(page)
    expect(await statusOf(api, id)).toBe("pending")
  })

  test("is compared with the last approved payload, and names an equal one", async ({ api, hub, owner, page, upstream }) => {
    const { agent, approvals: [first = ""], service } = await api.waiting(await upstream(), 1)
    await api.topUp(20_000)
    await api.call("POST", `/approvals/${first}/approve`, 200, {})
    const same = await api.send(agent, { service, operation: "buy", payload: { item: "Item 1", quantity: 1 } })
    const other = await api.send(agent, { service, operation: "buy", payload: { item: "Item 1", quantity: 3 } })
    await signIn(page, hub, owner)
    await page.goto(`/w/${owner.org}/approvals/${same.approval_id}`)
    await expect(page.getByText(/This same action was approved once before/)).toBeVisible()
    await page.goto(`/w/${owner.org}/approvals/${other.approval_id}`)
    await expect(page.getByText("1 value differs from the last approval: quantity")).toBeVisible()
    await page.getByRole("button", { name: "Show the difference" }).click()
    await expect(page).toHaveURL(/view=diff/)
    await expect(page.locator("ins")).toHaveText("3")
    await page.keyboard.press("v")
    await page.keyboard.press("j")
    await expect(page).toHaveURL(/view=json/)
  })
})

test.describe("several", () => {
  test("are decided at once, each with its result, and one failure does not stop the others", async ({ api, hub, owner, page, upstream }) => {
    const { approvals: [first = "", second = "", third = ""] } = await api.waiting(await upstream(), 3)
    const bob = await hub.person({ org: owner.org, role: "operator", name: "Bob" })
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    // Three of one kind are grouped; the open one expands the group.
    await page.getByRole("button", { name: "Select all" }).click()
    await expect(page.getByText("3 selected, $126.00")).toBeVisible()
    await page.keyboard.press("b")
    const dialog = page.getByRole("dialog", { name: "Decide 3 approvals" })
    await expect(dialog.getByRole("row", { name: /Total/ })).toContainText("$126.00")
    await expectAccessible(page)
    await apiFor(hub, bob).call("POST", `/approvals/${second}/reject`, 200, {})
    await dialog.getByRole("button", { name: /^Approve 3 for \$126\.00/ }).click()
    await expect(dialog.getByText("2 executed, $84.00 debited; 1 not decided.")).toBeVisible()
    await expect(dialog.getByText("rejected by Bob before")).toBeVisible()
    await expect(dialog.getByText("executed", { exact: true })).toHaveCount(2)
    await dialog.getByRole("button", { name: "Done" }).click()
    const ends = await Promise.all([first, second, third].map((id) => statusOf(api, id)))
    expect(ends).toEqual(["approved", "rejected", "approved"])
    await expect(page.getByText("selected,")).toHaveCount(0)
  })

  test("are selected with x, one by one, and rejected together", async ({ api, hub, owner, page, upstream }) => {
    const { approvals: [first = "", second = ""] } = await api.waiting(await upstream(), 2)
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    await keysAct(page)
    await page.keyboard.press("x")
    await page.keyboard.press("j")
    await expect(page).toHaveURL(new RegExp(`open=${second}`))
    await page.keyboard.press("x")
    await page.keyboard.press("b")
    const dialog = page.getByRole("dialog", { name: "Decide 2 approvals" })
    await dialog.getByLabel("Comment").fill("Not today")
    await dialog.getByRole("button", { name: /^Reject 2/ }).click()
    await expect(dialog.getByText("2 decided.")).toBeVisible()
    await page.keyboard.press("Escape")
    await expect(dialog).toHaveCount(0)
    expect(await Promise.all([first, second].map((id) => statusOf(api, id)))).toEqual(["rejected", "rejected"])
  })
})

test.describe("the inbox", () => {
  test("moves nothing under the pointer when ten requests arrive, and shows them on request", async ({ api, hub, owner, page, upstream }) => {
    const { agent, service } = await api.waiting(await upstream(), 2)
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    await keysAct(page)
    const rows = page.locator("[data-row]")
    const watched = [rows.nth(0), rows.nth(1), detail(page).getByRole("heading").first(), reject(page), approve(page)]
    const before = await Promise.all(watched.map((each) => each.boundingBox()))
    for (let at = 0; at < 10; at++) {
      await api.send(agent, { service, operation: "buy", payload: { item: `More ${at}` } })
    }
    await expect(page.getByRole("button", { name: /^10 new/ })).toBeVisible()
    expect(await Promise.all(watched.map((each) => each.boundingBox()))).toEqual(before)
    await expect(page.locator("[data-row]")).toHaveCount(2)
    await page.getByRole("button", { name: /^10 new/ }).click()
    await expect(page.locator("[data-row]")).toHaveCount(12)
    await expect(page.getByText("12 pending, $504.00")).toBeVisible()
  })

  test("groups equal requests, shows first the ones that expire within the hour, and searches by words", async ({ api, hub, owner, page, upstream }) => {
    const shop = await upstream()
    const { agent, service } = await api.waiting(shop, 4)
    const rule = {
      name: "soon",
      when: "payload.item == 'Soon'",
      then: "require_approval",
      reason: "It is wanted soon"
    } as const
    await api.policy({ ...rule, expires_in_seconds: 600 })
    const soon = await api.send(agent, { service, operation: "buy", payload: { item: "Soon" } })
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    await expect(page).toHaveURL(new RegExp(`open=${soon.approval_id}`))
    await expect(page.getByRole("heading", { name: "Expires within the hour" })).toBeVisible()
    await expect(page.getByRole("link", { name: /4 × shop-\w+\.buy/ })).toContainText("$168.00")
    await expectAccessible(page)
    await page.emulateMedia({ colorScheme: "dark" })
    await expectAccessible(page)
    await page.getByPlaceholder("Search agent, operation, payload, seal").fill("wanted soon")
    await expect(page.getByRole("link", { name: /4 × / })).toHaveCount(0)
    await expect(page).toHaveURL(/q=wanted/)
    await page.getByPlaceholder("Search agent, operation, payload, seal").fill("nothing like it")
    await expect(page.getByText("No approvals match these filters.")).toBeVisible()
    await page.getByRole("main").getByRole("button", { name: "Clear filters" }).click()
    await page.getByRole("link", { name: /4 × / }).click()
    await expect(page.getByText(/^4 × shop/)).toBeVisible()
    await expect(page.locator("[data-row]")).toHaveCount(5)
  })

  test("lists every workspace of the person, and decides in each", async ({ api, hub, owner, page, upstream }) => {
    const org = await hub.workspace("Second")
    await hub.join(owner, org)
    const second = apiFor(hub, { ...owner, org })
    const { approvals: [there = ""] } = await second.waiting(await upstream(), 1)
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    await expect(detail(page).getByText("in Second")).toBeVisible()
    await approve(page).click()
    await expect(foot(page)).toContainText("Executed, $42.00 debited.")
    expect(await statusOf(second, there)).toBe("approved")
    await expect(page).toHaveURL(new RegExp(`/w/${owner.org}/inbox`))
    await page.getByRole("link", { name: "Decided" }).click()
    await expect(rowOf(page, there)).toContainText("Second")
    expect(await api.call("GET", "/approvals", 200)).toMatchObject({ data: [] })
  })

  test("shows the day's total and the approvers when empty, and new requests as they arrive", async ({ api, hub, owner, page, upstream }) => {
    await hub.person({ org: owner.org, role: "viewer", name: "Vic" })
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    await expect(page.getByText("No pending approvals.")).toBeVisible()
    await expect(page.getByText("Nothing was executed in Acme today.")).toBeVisible()
    await expect(page.getByText("Approvers here: Ada.")).toBeVisible()
    await expectAccessible(page)
    await expect(page.locator("[data-phase=online]").first()).toBeVisible()
    const { approvals: [id = ""] } = await api.waiting(await upstream(), 1)
    await expect(rowOf(page, id)).toBeVisible()
  })

  test("on a phone is a list and then a page, with the buttons at its foot", async ({ api, hub, owner, page, upstream }) => {
    await page.setViewportSize({ width: 390, height: 844 })
    const { approvals: [id = ""] } = await api.waiting(await upstream(), 1)
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    await expect(rowOf(page, id)).toBeVisible()
    await expect(detail(page)).toHaveCount(0)
    await expectAccessible(page)
    await rowOf(page, id).getByRole("link").click()
    await expect(detail(page)).toBeVisible()
    await expect(rowOf(page, id)).toBeHidden()
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth))
      .toBe(true)
    const [box, other] = [await approve(page).boundingBox(), await reject(page).boundingBox()]
    expect(box?.height).toBeGreaterThanOrEqual(44)
    expect(box?.x).toBeGreaterThan(other?.x ?? 0)
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(844)
    await expectAccessible(page)
    await approve(page).click()
    await expect(foot(page)).toContainText("Executed, $42.00 debited.")
    await page.getByRole("link", { name: "Inbox" }).first().click()
    await expect(page.getByText("No pending approvals.")).toBeVisible()
  })

  test("decides nothing while the hub is unreachable, and again once it is back", async ({ newHub, browser }) => {
    const hub = await newHub()
    const token = new URL(await hub.setupLink()).hash.replace("#token=", "")
    const email = "ada@countersign.test"
    const made = await hub.api("POST", "/auth/setup", { body: { token, email, password, name: "Ada" } })
    const cookie = cookieOf(made)
    const person: Person = {
      id: made.body.user.id,
      name: "Ada",
      email,
      password,
      cookie,
      org: made.body.active_workspace
    }
    const api = apiFor(hub, person)
    await api.call("PATCH", `/workspaces/${person.org}`, 200, { approval_threshold_cents: 0 })
    await api.topUp(1_000)
    const agent = await api.agent()
    const asked = await api.send(agent, { service: "echo", operation: "say", payload: { text: "hello" } })
    const context = await browser.newContext({ baseURL: hub.url })
    await signIn(context, hub, person)
    const page = await context.newPage()
    await page.goto(`/w/${person.org}/approvals/${asked.approval_id}`)
    await expect(approve(page)).toBeEnabled()
    await expect(page.locator("[data-phase=online]").first()).toBeVisible()
    await hub.kill()
    await expect(foot(page)).toContainText("Not connected. Decisions are off until the hub answers.")
    await expect(approve(page)).toBeDisabled()
    await holdToApprove(page)
    await hub.restart()
    await expect(approve(page)).toBeEnabled()
    expect(await statusOf(api, asked.approval_id)).toBe("pending")
    await approve(page).click()
    await expect(foot(page)).toContainText("Executed, $0.01 debited.")
    await context.close()
  })
})

test("creates a standing approval from an approval, which approves the next request until it is revoked", async ({ api, hub, owner, page, upstream }) => {
  const { agent, approvals: [id = ""], service } = await api.waiting(await upstream(), 1)
  await api.topUp(100_000)
  const ask = () => api.send(agent, { service, operation: "buy", payload: { item: "Again" } })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/approvals/${id}`)
  await keysAct(page)
  await page.keyboard.press("s")
  const dialog = page.getByRole("dialog", { name: "Approve similar requests from now on" })
  await expect(dialog.getByText("Would have covered 1 of the last 1 request. $42.00 in all.")).toBeVisible()
  await expect(dialog.getByRole("region", { name: "Payload of this request" })).toContainText("Item 1")
  await dialog.getByLabel("Maximum per request").fill("10.00")
  await expect(dialog.getByText("Would have covered 0 of the last 1 request.")).toBeVisible()
  await dialog.getByLabel("Maximum per request").fill("42.00")
  await dialog.getByLabel("Requests", { exact: true }).fill("3")
  await expect(dialog.getByText("Would have covered 1 of the last 1 request.")).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole("button", { name: /^Approve \$42\.00 and remember/ }).click()
  await expect(foot(page)).toContainText("Executed, $42.00 debited.")
  expect((await ask()).status).toBe("executed")

  await page.getByRole("link", { name: "Review" }).click()
  await expect(page).toHaveURL(/\/standing/)
  const row = page.getByRole("row", { name: /Scout/ })
  await expect(row).toContainText("1 of 3 requests, $42.00")
  await expect(row).toContainText("Ada")
  await expectAccessible(page)
  await row.getByRole("button", { name: "Revoke" }).click()
  const confirm = page.getByRole("alertdialog")
  await confirm.getByRole("button", { name: "Revoke" }).click()
  await expect(page.getByText("No standing approvals.")).toBeVisible()
  expect((await ask()).status).toBe("approval_required")
})

test("revokes all standing approvals at once", async ({ api, hub, owner, page, upstream }) => {
  const { approvals } = await api.waiting(await upstream(), 3)
  for (const id of approvals) {
    const expires_at = new Date(Date.now() + 86_400_000).toISOString()
    await api.call("POST", `/approvals/${id}/approve`, 200, {
      remember: { max_cost_cents: 4_200, max_uses: 5, expires_at }
    })
  }
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/standing`)
  await expect(page.getByRole("row", { name: /Scout/ })).toHaveCount(3)
  await page.getByRole("button", { name: "Revoke all" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke all" }).click()
  await expect(page.getByText("No standing approvals.")).toBeVisible()
  expect((await api.call("GET", "/standing-approvals", 200)).data).toEqual([])
  await expectAccessible(page)
})

test("a standing approval with a condition is built in a form, previewed, applied to pending requests, and lists its requests", async ({ api, hub, owner, page, upstream }) => {
  const { agent, approvals: [id = ""], service } = await api.waiting(await upstream(), 1)
  await api.topUp(100_000)
  const ask = (payload: object) => api.send(agent, { service, operation: "buy", payload })
  const { id: matching } = await ask({ item: "Pen", to: "ada@example.com" })
  const { id: other } = await ask({ item: "Pen", to: "eve@example.org" })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/approvals/${id}`)
  await keysAct(page)
  await page.keyboard.press("s")
  const dialog = page.getByRole("dialog", { name: "Approve similar requests from now on" })
  await expect(dialog.getByRole("list", { name: "The last requests, newest first" })).toHaveAttribute("tabindex", "0")
  await expect(dialog.getByLabel("Also approve the 2 pending requests that match ($84.00)")).toBeVisible()
  await dialog.getByRole("button", { name: "Add condition" }).click()
  const condition = dialog.getByRole("group", { name: "Condition 1" })
  await condition.getByLabel("Field", { exact: true }).selectOption({ label: "Payload field…" })
  await condition.getByLabel("Payload field").fill("to")
  await condition.getByLabel("Comparison").selectOption("ends with")
  await condition.getByLabel("Value", { exact: true }).fill("@example.com")
  await expect(dialog.getByText("(has(payload.to) && payload.to.endsWith(\"@example.com\"))")).toBeVisible()
  await expect(dialog.getByText("Would have covered 1 of the last 3 requests. $42.00 in all.")).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole("radio", { name: "CEL" }).check()
  await dialog.getByLabel("Only for payloads that match").fill("payload.to.endsWith(\"@example.com\") ||")
  await expect(dialog.getByText("Line 1, column 39")).toBeVisible()
  await expect(dialog.getByRole("button", { name: /^Approve \$42\.00 and remember/ })).toBeDisabled()
  await dialog.getByLabel("Only for payloads that match").fill(
    "has(payload.to) && payload.to.matches(\".*example[.]com\")"
  )
  await expect(dialog.getByText("The form has no function matches.")).toBeVisible()
  await expect(dialog.getByRole("radio", { name: "Form" })).toBeDisabled()
  await dialog.getByLabel("Also approve the 1 pending request that matches ($42.00)").check()
  await dialog.getByRole("button", { name: /^Approve \$42\.00 and remember/ }).click()
  await expect(page.getByText("Approved, and 1 of 1 pending request with it.")).toBeVisible()
  await expect.poll(async () => (await api.call("GET", `/service-requests/${matching}`, 200)).status).toBe("executed")
  expect((await api.call("GET", `/service-requests/${other}`, 200)).status).toBe("approval_required")

  await page.getByRole("navigation").getByRole("link", { name: "Standing approvals" }).click()
  const row = page.getByRole("row", { name: /Scout/ })
  await expect(row).toContainText("has(payload.to) && payload.to.matches")
  await expectAccessible(page)
  await row.getByRole("link", { name: "1 of 20 requests, $42.00" }).click()
  await expect(page).toHaveURL(/standing_approval_id=/)
  await expect(page.getByRole("row", { name: new RegExp(`${service}\\.buy`) })).toHaveCount(1)
})
