/** Agent requests and budget requests in the inbox, beside pending approvals. */
import type { Locator, Page } from "@playwright/test"
import {
  type Agent,
  type ConsoleHub,
  expect,
  expectAccessible,
  holdToApprove,
  type Person,
  signIn,
  test
} from "../../support/console.ts"

const detail = (page: Page): Locator => page.getByRole("article")
const foot = (page: Page): Locator => page.locator("footer[aria-label=Decide]")
const first = (page: Page): Locator => foot(page).getByRole("button", { name: /^(?:Approve|Answer)/ })
const rowOf = (page: Page, id: string): Locator => page.locator(`[data-row="${id}"]`)
/** The key caps are shown while the keys act. */
const keysAct = (page: Page) => expect(first(page).locator("xpath=self::*[not(@data-keys)]")).toBeVisible()
const inbox = (person: Person, search = "") => `/w/${person.org}/inbox${search}`

const made = async (hub: ConsoleHub, agent: Agent, path: string, body: object): Promise<string> => {
  const answer = await hub.api("POST", path, { key: agent.key, body })
  if (answer.status !== 201) throw new Error(`the request was refused with ${answer.status}: ${answer.text}`)
  return answer.body.id
}
const asks = (hub: ConsoleHub, agent: Agent) =>
  made(hub, agent, "/agent-requests", {
    kind: "question",
    title: "Which color should the cover have?",
    body: "The print shop closes at six.\nBoth colors cost the same.",
    options: ["Blue", "Green"]
  })
const wants = (hub: ConsoleHub, agent: Agent) =>
  made(hub, agent, "/budget-requests", { amount_cents: 300, period: "month", reason: "The crawl needs more pages." })

test("an agent's question and its budget request are decided by keyboard, and the counts follow", async ({ api, hub, owner, page }) => {
  const agent = await api.agent({ monthly_budget_cents: 500 })
  const question = await asks(hub, agent)
  await signIn(page, hub, owner)
  await page.goto(inbox(owner))
  await expect(page).toHaveURL(new RegExp(`open=${question}`))
  await expect(page.getByRole("img", { name: "1 pending request" })).toBeVisible()
  const budget = await wants(hub, agent)
  await expect(rowOf(page, budget)).toContainText("$3.00")
  await expect(page).toHaveTitle(/^\(2\) /)
  await expect(page.getByText("2 pending", { exact: true })).toBeVisible()

  await expect(detail(page)).toContainText("Both colors cost the same.")
  await keysAct(page)
  await expectAccessible(page)
  // Nothing is chosen: the key moves the focus to the choices.
  await holdToApprove(page)
  await expect(foot(page)).toContainText("Choose an answer first.")
  await page.keyboard.press("ArrowDown")
  await expect(page.getByRole("radio", { name: "Green" })).toBeChecked()
  await holdToApprove(page)
  await expect(page).toHaveURL(new RegExp(`open=${budget}`))
  await expect(rowOf(page, question)).toContainText("Answered by Ada")
  const answered = await hub.api("GET", `/agent-requests/${question}`, { key: agent.key })
  expect(answered.body).toMatchObject({ status: "answered", answer: "Green" })

  await expect(detail(page)).toContainText("$5.00 left")
  await expect(detail(page)).toContainText("$8.00 left")
  await detail(page).getByLabel("Amount to approve").fill("2.00")
  await page.keyboard.press("Control+Enter")
  await expect(foot(page)).toContainText("Approved by Ada")
  await expect(foot(page)).toContainText("The monthly cap was raised by $2.00.")
  const approved = await hub.api("GET", `/budget-requests/${budget}`, { key: agent.key })
  expect(approved.body).toMatchObject({ status: "approved", amount_cents: 200, requested_amount_cents: 300 })
  expect((await api.call("GET", `/agents/${agent.id}/budget`, 200)).monthly_budget_cents).toBe(700)
  await expect(page).not.toHaveTitle(/^\(/)

  await page.goto(inbox(owner, "?show=decided&kind=budget_request"))
  await expect(rowOf(page, budget)).toContainText("Approved by Ada")
  await expect(rowOf(page, question)).toHaveCount(0)
})

test("a request is dismissed by key with a comment, and a second decision says who was first", async ({ api, hub, owner, page, pageOf }) => {
  const agent = await api.agent({ monthly_budget_cents: 500 })
  const question = await asks(hub, agent)
  const budget = await wants(hub, agent)
  const bob = await hub.person({ org: owner.org, role: "admin", name: "Bob" })
  await signIn(page, hub, owner)
  await page.goto(inbox(owner, `?open=${question}`))
  await keysAct(page)
  await page.keyboard.press("Shift+R")
  await expect(foot(page).getByLabel("Comment")).toBeFocused()
  await page.keyboard.type("Ask the designer")
  await page.keyboard.press("Enter")
  await expect(rowOf(page, question)).toContainText("Dismissed by Ada")
  await page.goto(inbox(owner, `?open=${question}`))
  await expect(foot(page)).toContainText("Ada wrote: Ask the designer")

  const theirs = await pageOf(bob)
  await theirs.goto(inbox(bob, `?open=${budget}`))
  await expect(first(theirs)).toBeEnabled()
  // The hub applies Ada's decision between Bob's press and his request.
  await theirs.route(`**/budget-requests/${budget}`, async (route) => {
    if (route.request().method() === "PATCH") {
      await api.call("PATCH", `/budget-requests/${budget}`, 200, { status: "rejected" })
    }
    await route.continue()
  })
  await first(theirs).click()
  await expect(theirs.getByRole("alert")).toHaveText("Ada was first, and rejected it. Your decision changed nothing.")
  await expect(foot(theirs)).toContainText("No cap was changed.")
})

test("a viewer reads requests, and the buttons say why they are disabled", async ({ api, hub, owner, pageOf }) => {
  const agent = await api.agent({ monthly_budget_cents: 500 })
  const question = await asks(hub, agent)
  const viewer = await hub.person({ org: owner.org, role: "viewer", name: "Vera" })
  const page = await pageOf(viewer)
  await page.goto(inbox(viewer, `?open=${question}`))
  await expect(first(page)).toBeDisabled()
  await expect(foot(page)).toContainText("You need permission to decide approvals to answer this.")
})

test("a lead without permissions in the workspace decides requests of the team's agents, and a worker cannot", async ({ api, hub, owner, pageOf }) => {
  const { id: team } = await api.call("POST", "/teams", 201, { name: "Research" })
  const agent = await api.agent({ team_id: team, monthly_budget_cents: 500 })
  const question = await asks(hub, agent)
  const budget = await wants(hub, agent)
  const [lead, worker] = [
    await hub.person({ org: owner.org, role: "member", name: "Lea" }),
    await hub.person({ org: owner.org, role: "member", name: "Will" })
  ]
  await api.call("POST", `/teams/${team}/members`, 201, { user_id: lead.id, role: "lead" })
  await api.call("POST", `/teams/${team}/members`, 201, { user_id: worker.id, role: "worker" })
  await api.call("POST", `/agents/${agent.id}/transfer`, 200, { owner_user_id: worker.id })
  const theirs = await pageOf(worker)
  await theirs.goto(inbox(worker, `?open=${budget}`))
  await expect(foot(theirs)).toContainText("You need permission to change budgets to decide this.")
  const page = await pageOf(lead)
  await page.goto(inbox(lead, `?open=${budget}`))
  await first(page).click()
  await expect(rowOf(page, budget)).toContainText("Approved by Lea")
  expect((await api.call("GET", `/agents/${agent.id}/budget`, 200)).monthly_budget_cents).toBe(800)
  await page.goto(inbox(lead, `?open=${question}`))
  await page.getByRole("radio", { name: "Green" }).check()
  await first(page).click()
  await expect(rowOf(page, question)).toContainText("Answered by Lea")
  // The agent's page follows the same rule.
  for (const someone of [page, theirs]) await someone.goto(`/w/${owner.org}/agents/${agent.id}`)
  await expect(page.getByRole("button", { name: "Set", exact: true })).toBeEnabled()
  await expect(theirs.getByText("Setting a budget requires the permission budgets:write.")).toBeVisible()
})

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test("a question is answered in text, and nothing is cut", async ({ api, hub, owner, page }) => {
    const agent = await api.agent({ name: "Scout" })
    const question = await made(hub, agent, "/agent-requests", { kind: "input", title: "Which address?" })
    await signIn(page, hub, owner)
    await page.goto(inbox(owner))
    await rowOf(page, question).getByRole("link").click()
    await expect(detail(page).getByRole("heading", { name: "Scout: Which address?" })).toBeVisible()
    await page.getByLabel("Your answer").fill("Harbor Street 4")
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
    await expectAccessible(page)
    await first(page).click()
    await expect(foot(page)).toContainText("Answered by Ada")
    const read = await hub.api("GET", `/agent-requests/${question}`, { key: agent.key })
    expect(read.body).toMatchObject({ status: "answered", answer: "Harbor Street 4" })
  })
})

interface RoutedPage {
  readonly __TSR_ROUTER__: { readonly navigate: (to: { readonly to: string }) => Promise<void> }
}

test("a person who leaves as the first rows appear stays on the chosen screen", async ({ api, hub, owner, page, upstream }) => {
  await api.waiting(await upstream(), 2)
  await signIn(page, hub, owner)
  const audit = `/w/${owner.org}/audit`
  // In the turn that adds the rows, before the effects of React that run after it.
  await page.addInitScript((to) => {
    new MutationObserver((_, observer) => {
      if (document.querySelector("[data-row]") === null) return
      observer.disconnect()
      void (globalThis as unknown as RoutedPage).__TSR_ROUTER__.navigate({ to })
    }).observe(document, { childList: true, subtree: true })
  }, audit)
  await page.goto(inbox(owner))
  await expect(page.getByRole("heading", { level: 1, name: "Audit" })).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`${audit}$`))
})
