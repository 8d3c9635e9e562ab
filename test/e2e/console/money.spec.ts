/** Money: the wallet, the budgets of agents, every transfer, and a top-up that happens once. */
import type { Page } from "@playwright/test"
import { Effect, Exit, Scope } from "effect"
import { eventOf, refundOf, sessionObject, stripeCheckout } from "../../support/checkout.ts"
import { apiFor, type ConsoleHub, expect, expectAccessible, type Person, signIn, test } from "../../support/console.ts"

test.describe.configure({ retries: 0 })

const rows = (page: Page) =>
  page.getByRole("grid", { name: "Entries of the ledger, newest first" }).getByRole("row").filter({
    has: page.getByRole("gridcell")
  })
const wallet = (page: Page) => page.getByRole("region", { name: "Wallet" })

const open = async (page: Page, hub: ConsoleHub, person: Person, path = "") => {
  await signIn(page, hub, person)
  await page.goto(`/w/${person.org}/money${path}`)
}

test("a top-up that is clicked twice happens once, and both of its entries are in the ledger", async ({ api, hub, owner, page }) => {
  await open(page, hub, owner)
  await expect(wallet(page)).toContainText("$0.00")
  await expect(page.getByText("No transfers yet.")).toBeVisible()
  await expectAccessible(page)
  await page.getByRole("button", { name: "Add funds" }).click()
  const asking = page.getByRole("dialog", { name: "Add funds to the wallet" })
  await expect(page).toHaveURL(/act=top-up/)
  await expectAccessible(page)
  await asking.getByRole("button", { name: "Add funds", exact: true }).click()
  await expect(asking.getByText("Enter an amount such as 25.00")).toBeVisible()
  await asking.getByLabel("Amount").fill("12.345")
  await expect(asking.getByText("Enter an amount such as 25.00")).toBeVisible()
  await asking.getByLabel("Amount").fill("1,000,000,000.01")
  await expect(asking.getByText("At most $1,000,000,000.00 at a time.")).toBeVisible()
  await asking.getByLabel("Amount").fill("1,250.00")
  await asking.getByLabel("Note").fill("Invoice 7")
  await expect(asking.getByText("$1,250.00 available afterwards")).toBeVisible()
  await asking.getByRole("button", { name: "Add $1,250.00" }).dblclick()
  await expect(asking).toHaveCount(0)
  await expect(page.getByText("$1,250.00 added. $1,250.00 available.")).toBeVisible()
  await expect(wallet(page)).toContainText("$1,250.00")
  await expect(rows(page)).toHaveCount(2)
  await expect(rows(page).filter({ hasText: "Wallet" })).toContainText("+$1,250.00")
  await expect(rows(page).filter({ hasText: "Outside" })).toContainText("−$1,250.00")
  await expect(rows(page).first()).toContainText("Invoice 7")
  expect((await api.call("GET", "/balance", 200)).balance_cents).toBe(125_000)
})

test("a top-up whose answer was lost is sent again under the same key", async ({ api, hub, owner, page, problems }) => {
  problems.expected.push(/./)
  await open(page, hub, owner, "?act=top-up")
  const keys: Array<string | undefined> = []
  let isLost = true
  await page.route("**/api/v1/balance/top-up", async (route) => {
    keys.push(route.request().headers()["idempotency-key"])
    if (!isLost) return route.continue()
    // The hub has added the funds; its answer never arrives, for all automatic retries of the client.
    await route.fetch()
    await route.abort()
  })
  const asking = page.getByRole("dialog", { name: "Add funds to the wallet" })
  await asking.getByRole("button", { name: "$50.00" }).click()
  await asking.getByLabel("Amount").press("Enter")
  await expect(asking.getByText("No response from the hub")).toBeVisible()
  await expect(asking.getByText("The hub may have acted. Check the list before you try again.")).toBeVisible()
  isLost = false
  await asking.getByRole("button", { name: "Add $50.00" }).click()
  await expect(asking).toHaveCount(0)
  expect(keys.length).toBeGreaterThan(1)
  expect(new Set(keys).size).toBe(1)
  expect((await api.call("GET", "/balance", 200)).balance_cents).toBe(5_000)
})

test("budgets are bars with the remaining amount, operations below them, and a freeze is shown", async ({ api, hub, owner, page, upstream }) => {
  await api.topUp(100_000)
  const shop = await api.service(await upstream(), { cents: 300 })
  const scout = await api.agent({
    name: "Scout",
    monthly_budget_cents: 1_000,
    bindings: [{ service: shop, operations: ["*"], monthly_cap_cents: 700, daily_request_limit: 5 }]
  })
  await api.agent({ name: "Quill" })
  await api.send(scout, { service: shop, operation: "buy" })
  await open(page, hub, owner)
  const budgets = page.getByRole("region", { name: "Budgets this month" })
  await expect(budgets.getByRole("img", { name: "Scout: $3.00 spent and $0.00 held of $10.00" })).toBeVisible()
  await expect(budgets).toContainText("$7.00 left · $3.00 spent")
  await expect(budgets.getByRole("listitem").filter({ hasText: "Quill" })).toContainText("no budget")
  await budgets.getByRole("button", { name: "Scout: Operations" }).click()
  await expect(budgets.getByRole("img", { name: `${shop}.buy: $3.00 spent and $0.00 held of $7.00` })).toBeVisible()
  await expect(budgets).toContainText("1 of 5 requests today")
  await expect(wallet(page)).toContainText("SpendingActive")
  await expectAccessible(page)
  await page.emulateMedia({ colorScheme: "dark" })
  await expectAccessible(page)

  await expect(page.locator("[data-phase=online]")).toBeVisible()
  await api.send(scout, { service: shop, operation: "buy" })
  await expect(budgets).toContainText("$4.00 left · $6.00 spent")
  await expect(wallet(page)).toContainText("$994.00")
  await api.call("PATCH", `/workspaces/${owner.org}`, 200, { frozen: true })
  await expect(wallet(page)).toContainText("Frozen for the whole workspace")
})

test("the ledger is filtered by account, by link and by chip, and links to the request", async ({ api, hub, owner, page }) => {
  await api.topUp(500)
  const agent = await api.agent({ name: "Scout" })
  const { id } = await api.send(agent, { service: "echo", operation: "say" })
  await signIn(page, hub, owner)
  for (const [account, count] of [["org", 2], ["external", 1], ["revenue", 1]] as const) {
    await page.goto(`/w/${owner.org}/money?account=${account}`)
    await expect(rows(page), account).toHaveCount(count)
  }
  await page.goto(`/w/${owner.org}/money?account=team`)
  await expect(page.getByText("No entries of this account.")).toBeVisible()
  await page.goto(`/w/${owner.org}/money`)
  await expect(rows(page)).toHaveCount(4)
  await page.getByRole("button", { name: "Account", exact: true }).click()
  await page.getByRole("radio", { name: "Providers" }).click()
  await expect(page).toHaveURL(/\?account=revenue$/)
  await expect(rows(page)).toHaveCount(1)
  await page.goBack()
  await expect(rows(page)).toHaveCount(4)
  await page.goForward()
  await expect(rows(page)).toHaveCount(1)
  await rows(page).getByRole("link", { name: /^Request/ }).click()
  await expect(page).toHaveURL(new RegExp(`/requests/${id}$`))
})

test("a viewer is offered no top-up, and on a phone nothing is cut off", async ({ api, hub, owner, page }) => {
  await api.topUp(500)
  const viewer = await hub.person({ name: "Vera", org: owner.org, role: "viewer" })
  await page.setViewportSize({ width: 390, height: 844 })
  await open(page, hub, viewer, "?act=top-up")
  await expect(wallet(page)).toContainText("$5.00")
  await expect(rows(page)).toHaveCount(2)
  await expect(page.getByRole("button", { name: "Add funds" })).toHaveCount(0)
  await expect(page.getByRole("dialog")).toHaveCount(0)
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false)
  await expectAccessible(page)
})

/** A provider for as long as a test runs. */
const withStripe = async (use: (stripe: Effect.Success<typeof stripeCheckout>) => Promise<void>): Promise<void> => {
  const scope = await Effect.runPromise(Scope.make())
  try {
    await use(await Effect.runPromise(Scope.provide(stripeCheckout, scope)))
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const payments = (page: Page) => page.getByRole("grid", { name: "Payments, newest first" })

test("a payment goes to Stripe's page and back, is shown as paid by its event, and its refund in the ledger and the wallet; a promo code is redeemed once", async ({ newHub, page }) => {
  await withStripe(async (stripe) => {
    const hub = await newHub(stripe.env)
    const owner = await hub.setUp()
    const api = apiFor(hub, owner)
    const deliver = (type: string, object: object) => Effect.runPromise(stripe.deliver(hub, eventOf(type, object)))
    await page.context().route(
      "https://checkout.stripe.test/**",
      (route) => route.fulfill({ contentType: "text/html", body: "<title>Stripe</title><h1>Pay</h1>" })
    )
    await signIn(page, hub, owner)
    await page.goto(`${hub.url}/w/${owner.org}/money?act=top-up`)
    const asking = page.getByRole("dialog", { name: "Add funds to the wallet" })
    await asking.getByRole("radio", { name: "Pay by card" }).check()
    await asking.getByLabel("Amount").fill("4.99")
    await asking.getByRole("button", { name: "Pay by card" }).click()
    await expect(asking.getByText("From $5.00 to $10,000.00.").first()).toBeVisible()
    await asking.getByLabel("Amount").fill("10,000.01")
    await expect(asking.getByRole("button", { name: "Pay by card" })).toBeVisible()
    expect(stripe.received).toHaveLength(0)
    await expectAccessible(page)
    await asking.getByLabel("Amount").fill("25.00")
    await asking.getByRole("button", { name: "Pay $25.00" }).click()
    await expect(page.getByRole("heading", { name: "Pay" })).toBeVisible()
    expect(stripe.received).toHaveLength(1)

    const returnUrl = new URLSearchParams(stripe.received[0]!.body).get("success_url") ?? ""
    await page.goto(returnUrl)
    const payment = page.getByRole("region", { name: "Payment of $25.00" })
    await expect(payment).toContainText("Not paid yet")
    const { data: [{ id }] } = await api.call("GET", "/billing/checkout-sessions", 200)
    const session = stripe.sessionOf(id)
    await expect(payment.getByRole("link", { name: "Continue payment" })).toHaveAttribute(
      "href",
      `https://checkout.stripe.test/${session.id}`
    )
    await expectAccessible(page)
    await expect(page.locator("[data-phase=online]")).toBeVisible()
    session.status = "complete"
    session.paid = true
    await deliver("checkout.session.completed", sessionObject(session))
    await expect(payment).toContainText("The amount is in the wallet.")
    await expect(payment.getByRole("link")).toHaveCount(0)
    await expect(wallet(page)).toContainText("$25.00")
    await payment.getByRole("button", { name: "Close" }).click()
    await expect(payment).toHaveCount(0)

    // The money is spent, then refunded: the wallet falls below zero.
    const agent = await api.agent({ name: "Scout" })
    await api.send(agent, { service: "echo", operation: "say" })
    await deliver("refund.created", refundOf(session, 2_500))
    await expect(wallet(page)).toContainText("The wallet is below zero")
    await expect(wallet(page).getByRole("link", { name: "the workspace's settings" })).toBeVisible()
    await page.getByRole("tab", { name: "Payments" }).click()
    await expect(page).toHaveURL(/view=payments/)
    await expect(payments(page).getByRole("row").filter({ hasText: "$25.00" })).toContainText("Refunded")
    await expectAccessible(page)
    await page.getByRole("tab", { name: "Ledger" }).click()
    await page.getByRole("button", { name: "2 new" }).click()
    const refund = rows(page).filter({ hasText: "Refund or dispute" })
    await expect(refund).toHaveCount(2)
    await refund.first().getByRole("link", { name: "Refund or dispute" }).click()
    await expect(page).toHaveURL(new RegExp(`payment=${id}`))
    await expect(payment).toContainText("The whole amount was refunded")

    // This is the hub's first workspace, so its owner has the promo codes.
    await page.getByRole("tab", { name: "Promo codes" }).click()
    await page.getByRole("button", { name: "Create code" }).click()
    const making = page.getByRole("dialog", { name: "Create a promo code" })
    await making.getByRole("button", { name: "Create code" }).click()
    await expect(making.getByText("Use only letters")).toBeVisible()
    await making.getByLabel("Code", { exact: true }).fill("WELCOME-10")
    await making.getByLabel("Amount").fill("10.00")
    await making.getByLabel("Maximum redemptions").fill("1")
    await expectAccessible(page)
    await making.getByRole("button", { name: "Create code" }).click()
    await expect(making).toHaveCount(0)
    const codes = page.getByRole("grid", { name: "Promo codes, newest first" })
    await expect(codes).toContainText("0 of 1")
    const redeeming = page.getByRole("form", { name: "Promo code" })
    await redeeming.getByLabel("Code").fill("nonsense")
    await redeeming.getByRole("button", { name: "Redeem" }).click()
    await expect(redeeming).toContainText("The code was not redeemed.")
    await redeeming.getByLabel("Code").fill("welcome-10")
    await redeeming.getByRole("button", { name: "Redeem" }).click()
    await expect(page.getByText(/^\$10\.00 added\./)).toBeVisible()
    await expect(codes).toContainText("1 of 1")
    await expect(codes).toContainText("Used up")
    await redeeming.getByLabel("Code").fill("WELCOME-10")
    await redeeming.getByRole("button", { name: "Redeem" }).click()
    await expect(redeeming).toContainText("This workspace has already redeemed the promo code.")
    await expectAccessible(page)
    await codes.getByRole("button", { name: "Actions for WELCOME-10" }).click()
    await page.getByRole("menuitem", { name: "Delete" }).click()
    await page.getByRole("alertdialog", { name: "Delete WELCOME-10?" }).getByRole("button", { name: "Delete code" })
      .click()
    await expect(page.getByText(/^No promo codes yet/)).toBeVisible()
  })
})

test("the money of teams is shown where it is and sums up, and the ledger names teams and people", async ({ api, hub, owner, page }) => {
  const zoe = await hub.person({ name: "Zoe", org: owner.org, role: "member" })
  await api.topUp(50_000)
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/money`)
  await expect(wallet(page)).toContainText("$500.00")
  const split = page.getByRole("region", { name: "Where the money is" })
  await expect(split).toHaveCount(0)

  const { id: team } = await api.call("POST", "/teams", 201, { name: "Research" })
  await api.call("POST", `/teams/${team}/members`, 201, { user_id: zoe.id, role: "worker" })
  await api.call("POST", `/teams/${team}/budget`, 200, { amount_cents: 12_000, direction: "allocate" })
  const allocate = `/teams/${team}/workers/${zoe.id}/budget/allocate`
  await api.call("POST", allocate, 200, { amount_cents: 5_000, direction: "allocate" })
  await api.call("POST", allocate, 200, { amount_cents: 1_000, direction: "return" })
  await page.reload()
  await expect(split.getByRole("listitem").filter({ hasText: "Wallet of the workspace" })).toContainText("$380.00")
  await expect(split.getByRole("listitem").filter({ hasText: "Team pool" }).last()).toContainText("$80.00")
  await split.getByRole("button", { name: "Allocations in Research" }).click()
  await expect(split.getByRole("listitem").filter({ hasText: /^Zoe/ }).last()).toContainText("$40.00")
  await expect(split.getByRole("listitem").filter({ hasText: /^Total/ })).toContainText("$500.00")
  await expect(split.getByRole("link", { name: "Research" })).toHaveAttribute("href", `/w/${owner.org}/teams/${team}`)
  await expectAccessible(page)
  await page.emulateMedia({ colorScheme: "dark" })
  await expectAccessible(page)

  const pooled = rows(page).filter({ hasText: "Research (pool)" })
  await expect(pooled).toHaveCount(3)
  await expect(pooled.filter({ hasText: "+$120.00" })).toContainText("Moved to the team's pool")
  await expect(pooled.filter({ hasText: "−$50.00" })).toContainText("Allocated to a person")
  await expect(pooled.filter({ hasText: "+$10.00" })).toContainText("Returned to the pool")
  await rows(page).getByRole("link", { name: "Zoe (allocation)" }).first().click()
  await expect(page).toHaveURL(new RegExp(`account=${zoe.id}`))
  await expect(rows(page)).toHaveCount(2)

  // The panel follows the events of another person's transfer.
  await expect(page.locator("[data-phase=online]")).toBeVisible()
  await api.call("POST", `/teams/${team}/budget`, 200, { amount_cents: 2_000, direction: "return" })
  await expect(split).toContainText("$60.00")
  await expect(split.getByRole("listitem").filter({ hasText: /^Total/ })).toContainText("$500.00")
})

test("a card payment on a hub without Stripe names the setting; a manual one that the hub refuses names the other way", async ({ hub, owner, page }) => {
  // The owner of a later workspace than the hub's first, which alone has the promo codes.
  expect(owner.org).not.toBe("")
  const later = await hub.person({ name: "Lea" })
  const refused = page.waitForResponse((answer) => answer.url().endsWith("/promo/codes?limit=50"))
  await open(page, hub, later, "?act=top-up")
  expect((await refused).status()).toBe(403)
  await expect(page.getByRole("tab", { includeHidden: true })).toHaveText(["Ledger", "Payments"])
  const asking = page.getByRole("dialog", { name: "Add funds to the wallet" })
  await asking.getByRole("radio", { name: "Pay by card" }).check()
  await asking.getByRole("button", { name: "$50.00" }).click()
  await asking.getByRole("button", { name: "Pay $50.00" }).click()
  await expect(asking).toContainText("No payment was started.")
  await expect(asking).toContainText("set HUB_STRIPE_SECRET_KEY and HUB_STRIPE_WEBHOOK_SECRET on the hub")
  await page.route(
    "**/api/v1/balance/top-up",
    (route) => route.fulfill({ status: 409, json: { error: { code: "use_checkout", message: "Only an owner may." } } })
  )
  await asking.getByRole("radio", { name: "Add manually" }).check()
  await expect(asking).not.toContainText("No payment was started.")
  await asking.getByRole("button", { name: "Add $50.00" }).click()
  await expect(asking).toContainText("Choose “Pay by card”.")
})
