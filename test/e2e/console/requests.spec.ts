/**
 * Requests: the list with every filter, one request from submission to outcome, the reason of a block, and the
 * available actions.
 */
import type { Page } from "@playwright/test"
import type { ServerResponse } from "node:http"
import {
  type Agent,
  type ConsoleHub,
  expect,
  expectAccessible,
  type Person,
  type PersonApi,
  signIn,
  test
} from "../../support/console.ts"
import type { Received } from "../../support/upstream.ts"

const rows = (page: Page) =>
  page.getByRole("grid", { name: "Requests, newest first" }).getByRole("row").filter({
    has: page.getByRole("gridcell")
  })
const row = (page: Page, text: string | RegExp) => rows(page).filter({ hasText: text })
const chip = (page: Page, name: string | RegExp) =>
  page.getByRole("search", { name: "Filters" }).getByRole("button", { name })
const step = (page: Page, name: string) =>
  page.getByRole("list", { name: "Timeline" }).getByRole("listitem").filter({ hasText: name })

const open = async (page: Page, hub: ConsoleHub, owner: Person, path: string) => {
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}${path}`)
}

/** One request of each outcome, by two agents. */
const outcomes = async (api: PersonApi, upstream: { readonly origin: string }, hub: ConsoleHub) => {
  await api.topUp(100_000)
  await api.call("POST", "/services", 201, {
    name: "desks",
    title: "Desks",
    kind: "http",
    base_url: upstream.origin,
    operations: [
      {
        name: "buy",
        method: "POST",
        path: "/buy",
        price: { type: "fixed", cents: 4_200 },
        payload_schema: { type: "object" }
      },
      {
        name: "look",
        method: "POST",
        path: "/look",
        price: { type: "fixed", cents: 5 },
        payload_schema: { type: "object" }
      }
    ]
  })
  const scout = await api.agent({
    name: "Scout",
    bindings: [{ service: "desks", operations: ["*"] }, { service: "echo", operations: ["*"] }]
  })
  const quill = await api.agent({
    name: "Quill",
    bindings: [{ service: "echo", operations: ["*"], daily_request_limit: 1 }]
  })
  const trial = await api.agent({ name: "Trial", mode: "test" })
  const sent = {
    executed: await api.send(scout, { service: "desks", operation: "look", payload: { item: "Walnut" } }),
    waiting: await api.send(scout, { service: "desks", operation: "buy" }),
    first: await api.send(quill, { service: "echo", operation: "say" }),
    blocked: await api.send(quill, { service: "echo", operation: "say" }),
    tried: await api.send(trial, { service: "echo", operation: "say" }, { "x-test-outcome": "failure" })
  }
  void hub
  return { scout, quill, trial, sent }
}

test.describe("the list", () => {
  test("is filtered by every parameter of its address, and shows when nothing matches", async ({ api, hub, owner, page, upstream }) => {
    const { quill, sent } = await outcomes(api, await upstream(), hub)
    const today = sent.executed.created_at.slice(0, 10)
    await signIn(page, hub, owner)
    const links: ReadonlyArray<readonly [query: string, count: number, shown: string | RegExp]> = [
      ["status=blocked", 1, "Blocked"],
      ["status=blocked&status=failed", 2, "Failed"],
      ["status=approval_required", 1, "Pending"],
      [`agent_id=${quill.id}`, 2, "Quill"],
      ["service=desks", 2, "desks.look"],
      ["service=desks&operation=buy", 1, "desks.buy"],
      ["mode=test", 1, "test"],
      ["q=Walnut", 1, "desks.look"],
      [`q=${sent.blocked.id}`, 1, "Blocked"],
      [`from=${today}&to=${today}`, 5, "desks.buy"]
    ]
    for (const [query, count, shown] of links) {
      await page.goto(`/w/${owner.org}/requests?${query}`)
      await expect(rows(page), query).toHaveCount(count)
      await expect(row(page, shown).first(), query).toBeVisible()
    }
    await page.goto(`/w/${owner.org}/requests?to=2020-01-01&service=desks`)
    await expect(page.getByText("No request matches these filters.")).toBeVisible()
    await expectAccessible(page)
    await page.getByRole("button", { name: "Clear filters" }).last().click()
    await expect(page).toHaveURL(`${hub.url}/w/${owner.org}/requests`)
    await expect(rows(page)).toHaveCount(5)
    await page.goto(`/w/${owner.org}/requests?status=nonsense&nothing=here`)
    await expect(rows(page)).toHaveCount(5)
  })

  test("is filtered by chips, a search, and a row's menu, and Back and Forward restore each step", async ({ api, hub, owner, page, upstream }) => {
    await outcomes(api, await upstream(), hub)
    await open(page, hub, owner, "/requests")
    await expect(rows(page)).toHaveCount(5)

    await chip(page, "State").click()
    await page.getByRole("checkbox", { name: "Blocked" }).check()
    await expect(page).toHaveURL(/\?status=blocked$/)
    await page.keyboard.press("Escape")
    await expect(rows(page)).toHaveCount(1)
    await chip(page, "Agent").click()
    await page.getByRole("radio", { name: "Quill" }).click()
    await expect(chip(page, "Agent: Quill")).toBeVisible()
    await chip(page, "Remove the filter State").click()
    await expect(rows(page)).toHaveCount(2)
    await chip(page, "Service").click()
    await page.getByRole("radio", { name: "echo" }).click()
    await expect(page).toHaveURL(/service=echo/)
    await chip(page, "Operation").click()
    await page.getByRole("radio", { name: "say" }).click()
    await expect(page).toHaveURL(/operation=say/)
    await chip(page, "Key").click()
    await page.getByRole("radio", { name: "Live" }).click()
    await expect(page).toHaveURL(/mode=live/)
    await chip(page, "Period").click()
    await page.getByRole("button", { name: "Today" }).click()
    await expect(page).toHaveURL(/from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d$/)
    await expect(rows(page)).toHaveCount(2)

    await page.goBack()
    await expect(page).not.toHaveURL(/from=/)
    await page.goBack()
    await page.goBack()
    await page.goBack()
    await expect(chip(page, "Service")).toBeVisible()
    await expect(chip(page, "Service: echo")).toHaveCount(0)
    await page.goForward()
    await expect(chip(page, "Service: echo")).toBeVisible()

    await page.getByRole("button", { name: "Clear filters" }).click()
    await expect(rows(page)).toHaveCount(5)
    await page.keyboard.press("/")
    await page.keyboard.type("Walnut")
    await expect(page).toHaveURL(/q=Walnut/)
    await expect(rows(page)).toHaveCount(1)
    await page.getByRole("searchbox").fill("")
    await expect(rows(page)).toHaveCount(5)

    await row(page, "desks.buy").getByRole("button", { name: "Actions for desks.buy" }).click()
    await page.getByRole("menuitem", { name: "Only this operation" }).click()
    await expect(page).toHaveURL(/service=desks&operation=buy/)
    await expect(rows(page)).toHaveCount(1)
  })

  test("is navigated by keys, and shows new rows only on request", async ({ api, hub, owner, page, upstream }) => {
    const { scout } = await outcomes(api, await upstream(), hub)
    await open(page, hub, owner, "/requests")
    await expect(rows(page)).toHaveCount(5)
    await expect(page.locator("[data-phase=online]")).toBeVisible()
    const before = await rows(page).first().boundingBox()
    await api.send(scout, { service: "echo", operation: "say" })
    await expect(page.getByRole("button", { name: "1 new" })).toBeVisible()
    expect(await rows(page).first().boundingBox()).toEqual(before)
    await expect(rows(page)).toHaveCount(5)
    await page.keyboard.press("n")
    await expect(rows(page)).toHaveCount(6)
    await page.getByRole("grid").focus()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("End")
    await page.keyboard.press("Enter")
    await expect(page.getByRole("heading", { level: 1, name: "desks.look" })).toBeVisible()
    await page.keyboard.press("Escape")
    await expect(rows(page)).toHaveCount(6)
  })

  test("explains itself while there are no requests", async ({ hub, owner, page }) => {
    await open(page, hub, owner, "/requests")
    await expect(page.getByText("No agent has sent a request in this workspace yet.")).toBeVisible()
    await expectAccessible(page)
  })
})

/** A provider that keeps working until the test releases it. */
const slow = () => {
  let isDone = false
  return {
    finish: () => {
      isDone = true
    },
    answer: (request: Received, response: ServerResponse) => {
      const body = request.url.startsWith("/start")
        ? { ref: "job_1" }
        : { status: isDone ? "done" : "working", film: "paper-boat.mp4" }
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
    }
  }
}

const makeFilmAgent = async (api: PersonApi, origin: string): Promise<Agent> => {
  await api.topUp(10_000)
  await api.call("POST", "/services", 201, {
    name: "films",
    title: "Films",
    kind: "http",
    base_url: origin,
    operations: [{
      name: "render",
      method: "POST",
      path: "/start",
      price: { type: "fixed", cents: 900 },
      payload_schema: { type: "object" },
      async: {
        mode: "poll",
        ref: "/ref",
        path: "/poll/${ref}",
        interval_ms: 1_000,
        status: "/status",
        executed: ["done"],
        failed: ["bad"]
      }
    }]
  })
  return api.agent({ name: "Quill", bindings: [{ service: "films", operations: ["*"] }] })
}

test.describe("one request", () => {
  test("is followed live from running to executed, down to its ledger entries and its audit entries", async ({ api, hub, owner, page, upstream }) => {
    const provider = slow()
    const agent = await makeFilmAgent(api, (await upstream(provider.answer)).origin)
    const { id } = await api.send(agent, { service: "films", operation: "render", payload: { title: "Paper boat" } })
    await open(page, hub, owner, `/requests/${id}`)
    await expect(page.getByText("Quill wants to call films.render")).toBeVisible()
    await expect(page.getByText("Running", { exact: true })).toBeVisible()
    await expect(page.locator("[data-phase=online]")).toBeVisible()
    await expect(step(page, "Provider")).toContainText("In progress")
    await expect(step(page, "Provider").getByRole("img", { name: "current step" })).toBeVisible()
    await expect(step(page, "Settlement").getByRole("img", { name: "not reached" })).toBeVisible()
    await expect(page.getByText("The maximum cost is on hold.")).toBeVisible()

    provider.finish()
    await expect(page.getByText("Quill called films.render")).toBeVisible()
    await expect(page.getByText("Executed", { exact: true })).toBeVisible()
    await expect(step(page, "Settlement")).toContainText("$9.00 debited")
    const postings = page.getByRole("group", { name: "Postings of this request" })
    await expect(postings.getByRole("table", { name: "From", exact: true })).toContainText("Wallet$9.00")
    await expect(postings.getByRole("table", { name: "To", exact: true })).toContainText("Providers$9.00")
    await expect(postings).toContainText("Both sides sum to $0.00")
    await expect(page.getByRole("link", { name: "Request executed" })).toBeVisible()
    await expect(page.getByText("paper-boat.mp4")).toBeVisible()
    await expectAccessible(page)
    await page.emulateMedia({ colorScheme: "dark" })
    await expectAccessible(page)
  })

  test("that was blocked shows the reason, with the amounts of that moment", async ({ api, hub, owner, page }) => {
    await api.topUp(1_000)
    const agent = await api.agent({
      name: "Quill",
      bindings: [{ service: "echo", operations: ["*"], monthly_cap_cents: 2 }]
    })
    for (let count = 0; count < 2; count++) await api.send(agent, { service: "echo", operation: "say" })
    const { id, reason_code } = await api.send(agent, { service: "echo", operation: "say" })
    expect(reason_code).toBe("monthly_budget_exceeded")
    await open(page, hub, owner, `/requests/${id}`)
    const why = page.getByRole("region", { name: "Why it was blocked" })
    await expect(why).toContainText("It would have exceeded the monthly cap of Quill for echo.say.")
    await expect(why).toContainText("The limit$0.02")
    await expect(why).toContainText("Over by$0.01")
    await expect(step(page, "Operation's month")).toContainText("$0.02 spent and $0.00 held of $0.02")
    await expect(step(page, "Operation's month").getByRole("img", { name: "current step" })).toBeVisible()
    await expect(step(page, "Agent's month").getByRole("img", { name: "not reached" })).toBeVisible()
    await expect(page.getByText("Nothing was sent to the provider.")).toBeVisible()
    await expectAccessible(page)
  })

  test("that is pending can be canceled, and shows it", async ({ api, hub, owner, page, upstream }) => {
    const { sent } = await outcomes(api, await upstream(), hub)
    await open(page, hub, owner, `/requests/${sent.waiting.id}`)
    await expect(step(page, "Approval")).toContainText("Requires an approval")
    await page.getByRole("button", { name: "Cancel request" }).click()
    const asking = page.getByRole("alertdialog", { name: "Cancel this request?" })
    await expectAccessible(page)
    await asking.getByRole("button", { name: "Cancel request" }).click()
    await expect(page.getByText("It was canceled before a decision.")).toBeVisible()
    await expect(page.getByRole("button", { name: "Cancel request" })).toHaveCount(0)
    expect((await api.call("GET", `/service-requests/${sent.waiting.id}`, 200)).reason_code).toBe("approval_cancelled")
  })

  test("that ended meanwhile is not canceled, and the dialog shows the outcome", async ({ api, hub, owner, page, upstream }) => {
    const { sent } = await outcomes(api, await upstream(), hub)
    await open(page, hub, owner, `/requests/${sent.waiting.id}`)
    await page.getByRole("button", { name: "Cancel request" }).click()
    await api.call("POST", `/approvals/${sent.waiting.approval_id}/reject`, 200, { comment: "Too dear" })
    const asking = page.getByRole("alertdialog")
    await asking.getByRole("button", { name: "Cancel request" }).click()
    await expect(asking.getByText("The request wasn't canceled.")).toBeVisible()
    await asking.getByRole("button", { name: "Keep request" }).click()
    await expect(page.getByText("A person rejected it.")).toBeVisible()
    await expect(page.getByText("Too dear")).toBeVisible()
  })

  test("whose provider does not answer is settled by a person, within the held amount", async ({ api, hub, owner, page, upstream }) => {
    const agent = await makeFilmAgent(api, (await upstream(slow().answer)).origin)
    const { id } = await api.send(agent, { service: "films", operation: "render" })
    await open(page, hub, owner, `/requests/${id}`)
    await page.getByRole("button", { name: "Settle by hand" }).click()
    const asking = page.getByRole("dialog", { name: "Settle this request" })
    await expectAccessible(page)
    await asking.getByLabel("Cost").fill("9.01")
    await expect(asking.getByText("At most $9.00", { exact: true })).toBeVisible()
    await asking.getByLabel("Cost").fill("4.20")
    await asking.getByRole("button", { name: "Settle at $4.20" }).click()
    await expect(asking.getByText("Enter a reason.")).toBeVisible()
    await asking.getByLabel("Reason").fill("Their invoice of today")
    await asking.getByRole("button", { name: "Settle at $4.20" }).click()
    await expect(asking).toHaveCount(0)
    await expect(step(page, "Provider")).toContainText("Settled by Ada")
    await expect(step(page, "Settlement")).toContainText("$4.20 debited, $4.80 released")
    expect((await api.call("GET", `/service-requests/${id}`, 200)).cost_cents).toBe(420)
  })

  test("that the provider refused is settled as blocked, and explains itself without a charge", async ({ api, hub, owner, page, upstream }) => {
    const agent = await makeFilmAgent(api, (await upstream(slow().answer)).origin)
    const { id } = await api.send(agent, { service: "films", operation: "render" })
    await open(page, hub, owner, `/requests/${id}`)
    await page.getByRole("button", { name: "Settle by hand" }).click()
    const asking = page.getByRole("dialog", { name: "Settle this request" })
    await asking.getByRole("radio", { name: "The provider refused it" }).click()
    await expect(asking.getByLabel("Cost")).toHaveCount(0)
    await asking.getByLabel("Reason").fill("Their rules allow no paper boats")
    await expectAccessible(page)
    await asking.getByRole("button", { name: "Settle as blocked" }).click()
    await expect(asking).toHaveCount(0)
    await expect(page.getByText("Blocked", { exact: true })).toBeVisible()
    const why = page.getByRole("region", { name: "Why it was blocked" })
    await expect(why).toContainText("The provider refused it by its own rules. Nothing was debited.")
    await expect(why).toContainText("Their rules allow no paper boats")
    await expect(page.getByText("The provider refused the request, so there is no result.")).toBeVisible()
    await expect(step(page, "Provider").getByRole("img", { name: "current step" })).toBeVisible()
    await expect(step(page, "Settlement").getByRole("img", { name: "not reached" })).toBeVisible()
    await expectAccessible(page)
    await page.emulateMedia({ colorScheme: "dark" })
    await expectAccessible(page)
    await open(page, hub, owner, "/requests")
    await expect(row(page, "films.render")).toContainText("Refused by the provider")
  })

  test("is copied as a command, and its log is verified at its foot", async ({ context, api, hub, owner, page, upstream }) => {
    const { sent } = await outcomes(api, await upstream(), hub)
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    await open(page, hub, owner, `/requests/${sent.executed.id}`)
    await page.getByRole("button", { name: "Copy as curl" }).click()
    await expect(page.getByText("The command is copied.")).toBeVisible()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    expect(command).toContain(`curl -sS '${hub.url}/api/v1/service-requests'`)
    expect(command).toContain(`-d '{"service":"desks","operation":"look","payload":{"item":"Walnut"}}'`)
    await page.getByRole("button", { name: "Verify the log" }).click()
    await expect(page.getByText(/^The log is intact: all \d+ entries are unchanged\.$/)).toBeVisible()
    await page.getByRole("link", { name: "Request executed" }).click()
    await expect(page).toHaveURL(/\/audit\?entry=\d+$/)
    await expect(page.getByRole("complementary", { name: /^Entry \d+$/ })).toContainText("The fields match this hash.")
  })

  test("of another workspace is not found in this one", async ({ api, hub, owner, page, upstream }) => {
    const { sent } = await outcomes(api, await upstream(), hub)
    const other = await hub.person({ name: "Eve", workspace: "Elsewhere" })
    await open(page, hub, other, `/requests/${sent.executed.id}`)
    await expect(page.getByText("Page not found")).toBeVisible()
    void owner
  })
})

test("on a phone the list has two lines per row and nothing is cut off", async ({ api, hub, owner, page, upstream }) => {
  const { sent } = await outcomes(api, await upstream(), hub)
  await page.setViewportSize({ width: 390, height: 844 })
  await open(page, hub, owner, "/requests")
  await expect(rows(page)).toHaveCount(5)
  await expect(row(page, "desks.buy")).toContainText("$42.00")
  await expectAccessible(page)
  const isCut = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
  expect(await isCut()).toBe(false)
  await row(page, "desks.buy").click()
  await expect(page).toHaveURL(new RegExp(sent.waiting.id))
  await expect(page.getByText("at most, if it is approved")).toBeVisible()
  expect(await isCut()).toBe(false)
  await expectAccessible(page)
})

test("a request under a standing approval names it, with a link to it", async ({ api, hub, owner, page, upstream }) => {
  const { agent, approvals: [id = ""], service } = await api.waiting(await upstream(), 1)
  const expires_at = new Date(Date.now() + 86_400_000).toISOString()
  await api.call("POST", `/approvals/${id}/approve`, 200, {
    remember: { max_cost_cents: 4_200, max_uses: 5, expires_at }
  })
  const passed = await api.send(agent, { service, operation: "buy" })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/requests/${passed.id}`)
  await page.getByRole("link", { name: "standing approval of Ada" }).click()
  await expect(page).toHaveURL(/standing\?q=sta_/)
  await expect(page.getByText(`${service}.buy`).first()).toBeVisible()
})

test("full times are shown on keyboard focus and at a tap", async ({ api, hub, owner, page, upstream }) => {
  const { approvals: [id = ""] } = await api.waiting(await upstream(), 1)
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/approvals/${id}`)
  const time = page.getByRole("article").locator("header time[data-whole]")
  await expect(time).toHaveAttribute("tabindex", "0")
  const whole = await time.getAttribute("data-whole") ?? ""
  await page.keyboard.press("Shift")
  await time.focus()
  await expect(page.getByRole("tooltip")).toHaveText(whole)
  await page.keyboard.press("Escape")
  await expect(page.getByRole("tooltip")).toHaveCount(0)
  await time.dispatchEvent("pointerup", { pointerType: "touch", bubbles: true })
  await expect(page.getByRole("tooltip")).toHaveText(whole)
  await page.getByRole("heading", { level: 2 }).dispatchEvent("pointerup", { pointerType: "touch", bubbles: true })
  await expect(page.getByRole("tooltip")).toHaveCount(0)
})
