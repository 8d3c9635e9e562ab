/** Teams with their money and members, and invites from their creation to the person who accepts. */
import type { Page } from "@playwright/test"
import { expectNoBreaches, expectNothingSideways } from "../../support/console-looks.ts"
import { type ConsoleHub, expect, password, type Person, signIn, test } from "../../support/console.ts"

const dialog = (page: Page) => page.getByRole("dialog")
const alertDialog = (page: Page) => page.getByRole("alertdialog")
const teamRow = (page: Page, name: string) => page.getByRole("grid").getByRole("row").filter({ hasText: name })
const pool = (page: Page) => page.getByRole("region", { name: "Pool" })
const memberRow = (page: Page, name: string) =>
  page.getByRole("list", { name: "Members of the team" }).getByRole("listitem").filter({ hasText: name })
const chooseMenu = async (page: Page, name: string, item: string) => {
  await page.getByRole("button", { name: `Actions for ${name}` }).click()
  await page.getByRole("menuitem", { name: item }).click()
}

const walletOf = async (hub: ConsoleHub, { cookie, org }: Person) =>
  (await hub.api("GET", "/balance", { cookie, headers: { "svc-workspace": org } })).body.available_cents

test("an owner funds a team and a worker, sees each refusal in words, and deletes the team, which returns its money", async ({ api, hub, owner, page, pageOf }) => {
  await api.topUp(10_000)
  const will = await hub.person({ org: owner.org, role: "member", name: "Will" })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/teams`)
  await expect(page.getByText("A team is a group of people who share a pool of money for their agents.")).toBeVisible()
  await page.getByRole("main").getByRole("button", { name: "Create team" }).click()
  await dialog(page).getByLabel("Name").fill("Research")
  await dialog(page).getByLabel("Description").fill("Prices and suppliers.")
  await dialog(page).getByRole("button", { name: "Create team" }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Research" })).toBeVisible()
  await expect(pool(page)).toContainText("This team has no pool yet")
  await expectNoBreaches(page, ["light"])

  // Money moves to the pool; more than the wallet has is refused before and by the hub.
  await pool(page).getByRole("button", { name: "Move money" }).click()
  await dialog(page).getByLabel("Amount").fill("100.01")
  await expect(dialog(page)).toContainText("Only $100.00 is available in the workspace's wallet.")
  await dialog(page).getByLabel("Amount").fill("60")
  await expect(dialog(page)).toContainText(
    "Available afterwards: $40.00 in the workspace's wallet, $60.00 in the pool."
  )
  await expectNoBreaches(page)
  await dialog(page).getByRole("button", { name: "Move $60.00" }).dblclick()
  await expect(dialog(page)).toHaveCount(0)
  await expect(pool(page)).toContainText("$60.00")
  await expect(page.getByText("$60.00 moved to the pool.")).toBeVisible()
  expect(await walletOf(hub, owner)).toBe(4_000)

  await page.getByRole("button", { name: "Add member" }).first().click()
  await dialog(page).getByRole("button", { name: "Add member" }).click()
  await expect(dialog(page)).toContainText("Choose a person.")
  await dialog(page).getByLabel("Person").click()
  await page.getByRole("option", { name: /^Will/u }).click()
  await dialog(page).getByRole("button", { name: "Add member" }).click()
  await expect(memberRow(page, "Will")).toContainText("The pool pays")

  // The worker's own page follows the money, without controls.
  const other = await pageOf(will)
  await other.goto(`/w/${owner.org}/teams`)
  await expect(teamRow(other, "Research")).toContainText("Worker")
  await expect(teamRow(other, "Research")).toContainText("$60.00")
  await expect(other.getByRole("button", { name: "Create team" })).toHaveCount(0)
  await teamRow(other, "Research").getByRole("link", { name: "Research" }).click()
  await expect(memberRow(other, "Will")).toContainText("The pool pays")
  for (const name of ["Move money", "Add member", "Delete team", "Edit", "Allocate money to Will"]) {
    await expect(other.getByRole("button", { name })).toHaveCount(0)
  }

  await page.getByRole("button", { name: "Allocate money to Will" }).click()
  await dialog(page).getByLabel("Amount").fill("20")
  await dialog(page).getByRole("button", { name: "Move $20.00" }).click()
  await expect(dialog(page)).toHaveCount(0)
  await expect(memberRow(page, "Will")).toContainText("Allocation: $20.00 available")
  await expect(memberRow(other, "Will")).toContainText("Allocation: $20.00 available")
  await expect(pool(other)).toContainText("$40.00")

  // Another person took the pool's money while the dialog was open.
  const [{ id: team }] = (await api.call("GET", "/teams", 200)).data
  await page.getByRole("button", { name: "Allocate money to Will" }).click()
  await dialog(page).getByLabel("Amount").fill("30")
  await expect(dialog(page)).toContainText("Available afterwards: $10.00 in the pool")
  await page.route("**/budget/allocate", async (route) => {
    await api.call("POST", `/teams/${team}/budget`, 200, { amount_cents: 3_900, direction: "return" })
    await route.continue()
  }, { times: 1 })
  await dialog(page).getByRole("button", { name: "Move $30.00" }).click()
  await expect(dialog(page)).toContainText("Only $1.00 is available in the pool.")
  await expectNoBreaches(page)
  await dialog(page).getByRole("button", { name: "All $1.00" }).click()
  await dialog(page).getByRole("button", { name: "Move $1.00" }).click()
  await expect(dialog(page)).toHaveCount(0)
  await expect(memberRow(page, "Will")).toContainText("Allocation: $21.00 available")

  // An agent that is created elsewhere joins the page.
  const scout = await hub.api("POST", "/agents", {
    cookie: owner.cookie,
    headers: { "svc-workspace": owner.org },
    body: { name: "Scout", team_id: team }
  })
  expect(scout.status).toBe(201)
  await expect(page.getByRole("region", { name: "Agents" }).getByRole("link", { name: "Scout" })).toBeVisible()

  await chooseMenu(page, "Will", "Make lead")
  await alertDialog(page).getByRole("button", { name: "Make lead" }).click()
  await expect(page.getByText("Will is a lead.")).toBeVisible()
  await expect(memberRow(page, "Will")).toContainText("Lead")
  await expect(other.getByRole("button", { name: "Add member" }).first()).toBeVisible()
  await expect(other.getByRole("button", { name: "Move money" })).toHaveCount(0)
  await chooseMenu(page, "Will", "End allocation")
  await expect(alertDialog(page)).toContainText("$21.00 returns to the pool")
  await alertDialog(page).getByRole("button", { name: "End allocation" }).click()
  await expect(memberRow(page, "Will")).toContainText("The pool pays")
  await page.getByRole("button", { name: "Make it the active team" }).click()
  await expect(page.getByText("Research is the active team of this session.")).toBeVisible()

  for (const [width, height] of [[390, 844], [1440, 900]] as const) {
    await page.setViewportSize({ width, height })
    await expectNothingSideways(page)
    await expectNoBreaches(page)
  }
  await page.keyboard.press("Escape")
  await expect(teamRow(page, "Research")).toContainText("active")
  for (const [width, height] of [[390, 844], [1440, 900]] as const) {
    await page.setViewportSize({ width, height })
    await expectNothingSideways(page)
  }
  await teamRow(page, "Research").getByRole("link", { name: "Research" }).click()
  await page.getByRole("button", { name: "Delete team" }).click()
  await expect(alertDialog(page)).toContainText("$21.00 of its pool and allocations returns to the workspace's wallet")
  await expectNoBreaches(page)
  await alertDialog(page).getByRole("textbox").fill("Research")
  await alertDialog(page).getByRole("button", { name: "Delete team" }).click()
  await expect(page).toHaveURL(/\/teams$/u)
  await expect(page.getByText("A team is a group of people")).toBeVisible()
  expect(await walletOf(hub, owner)).toBe(10_000)
  await expect(other.getByText("Page not found")).toBeVisible()
})

const createInvite = async (
  page: Page,
  email: string,
  { team, teamRole }: { team?: string; teamRole?: string } = {}
) => {
  await page.getByRole("button", { name: "Invite", exact: true }).click()
  await dialog(page).getByLabel("E-mail").fill(email)
  for (const [label, value] of [["Team", team], ["Role in the team", teamRole]] as const) {
    if (value === undefined) continue
    await dialog(page).getByLabel(label, { exact: true }).click()
    await page.getByRole("option", { name: value }).click()
  }
  await dialog(page).getByRole("button", { name: "Create invite" }).click()
  const link = await dialog(page).getByRole("group", { name: "Link" }).innerText()
  expect(link).toMatch(/\/invite#token=[\w-]+$/u)
  return link
}
const inviteRow = (page: Page, email: string) =>
  page.getByRole("list", { name: "Invites, newest first" }).getByRole("listitem").filter({ hasText: email })

test("an owner invites a lead, who creates an account by the link and works in the team; used and unknown links are explained", async ({ api, hub, owner, page, pageOf }) => {
  await api.topUp(5_000)
  const { id: team } = await api.call("POST", "/teams", 201, { name: "Research" })
  await api.call("POST", `/teams/${team}/budget`, 200, { amount_cents: 2_000, direction: "allocate" })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/settings/members`)
  await expect(page.getByText("Nobody is invited at the moment.")).toBeVisible()
  await page.getByRole("button", { name: "Invite", exact: true }).click()
  await dialog(page).getByRole("button", { name: "Create invite" }).click()
  await expect(dialog(page)).toContainText("Enter an e-mail address.")
  await expectNoBreaches(page)
  await page.keyboard.press("Escape")
  const email = `lea-of-the-department-of-research-${owner.id}@countersign.test`
  const link = await createInvite(page, email, { team: "Research", teamRole: "Lead" })
  await expect(dialog(page)).toContainText("this hub sends no e-mail")
  await expectNoBreaches(page)
  await dialog(page).getByRole("button", { name: "Done" }).click()
  await expect(inviteRow(page, email)).toContainText("Pending")
  await expect(inviteRow(page, email)).toContainText("Lead of Research")

  // A second invite of the same email is refused in words; a revoked link ends.
  await page.getByRole("button", { name: "Invite", exact: true }).click()
  await dialog(page).getByLabel("E-mail").fill(email)
  await dialog(page).getByRole("button", { name: "Create invite" }).click()
  await expect(dialog(page)).toContainText("This person has a pending invite. Revoke it to send a new one.")
  await dialog(page).getByRole("button", { name: "Cancel" }).click()
  const revoked = await createInvite(page, `tim-${owner.id}@countersign.test`)
  await dialog(page).getByRole("button", { name: "Done" }).click()
  await page.getByRole("button", { name: `Revoke the invite of tim-${owner.id}` }).click()
  await alertDialog(page).getByRole("button", { name: "Revoke" }).click()
  await expect(inviteRow(page, `tim-${owner.id}`)).toContainText("Revoked")
  await expectNoBreaches(page)

  const guest = await pageOf(owner)
  await guest.context().clearCookies()
  await guest.goto("/invite")
  await expect(guest.getByRole("heading", { name: "This link is incomplete" })).toBeVisible()
  await guest.goto(`${hub.url}/invite#token=unknown`)
  await expect(guest.getByRole("heading", { name: "This invite does not exist" })).toBeVisible()
  await expectNoBreaches(guest)
  await guest.goto(revoked)
  await expect(guest.getByRole("heading", { name: "This invite has ended" })).toBeVisible()
  await guest.goto(link)
  await expect(guest).toHaveURL(`${hub.url}/invite`)
  await expect(guest.getByRole("heading", { name: "Join Acme" })).toBeVisible()
  await expect(guest.getByText("Ada invites")).toContainText(
    `Ada invites ${email} as a member, and as lead of the team Research.`
  )
  for (const [width, height] of [[390, 844], [1440, 900]] as const) {
    await guest.setViewportSize({ width, height })
    await expectNothingSideways(guest)
    await expectNoBreaches(guest)
  }
  await guest.getByRole("button", { name: "Create account and join" }).click()
  await expect(guest.getByText("Choose one that fits the rule.")).toBeVisible()
  await guest.getByLabel("Name").fill("Lea")
  await guest.getByLabel("Password", { exact: true }).fill(password)
  await guest.getByRole("button", { name: "Create account and join" }).click()
  await expect(guest).toHaveURL(new RegExp(`/w/${owner.org}`, "u"))
  await guest.getByRole("link", { name: "Teams" }).click()
  await teamRow(guest, "Research").getByRole("link", { name: "Research" }).click()
  await expect(memberRow(guest, "Lea")).toContainText("Lead")
  await expect(guest.getByRole("button", { name: "Add member" })).toBeVisible()
  await expect(guest.getByRole("button", { name: "Move money" })).toHaveCount(0)
  await expect(guest.getByRole("button", { name: "Delete team" })).toHaveCount(0)

  await guest.getByRole("button", { name: "Allocate money to Lea" }).click()
  await dialog(guest).getByLabel("Amount").fill("5")
  await dialog(guest).getByRole("button", { name: "Move $5.00" }).click()
  await expect(memberRow(guest, "Lea")).toContainText("Allocation: $5.00 available")

  await expect(inviteRow(page, email)).toContainText("Accepted")
  for (const [width, height] of [[390, 844], [1440, 900]] as const) {
    await page.setViewportSize({ width, height })
    await expectNothingSideways(page)
  }
  await guest.goto(link)
  await expect(guest.getByRole("heading", { name: "This invite has ended" })).toBeVisible()
  await expect(guest).toHaveURL(`${hub.url}/invite`)
})

test("an existing person joins signed in, or signs in on the way and comes back to the invite", async ({ hub, owner, page, pageOf }) => {
  const [eve, joe] = [await hub.person({ name: "Eve", workspace: "Eve's" }), await hub.person({ name: "Joe" })]
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/settings/members`)
  const forEve = await createInvite(page, eve.email)
  await dialog(page).getByRole("button", { name: "Done" }).click()
  const forJoe = await createInvite(page, joe.email)
  await dialog(page).getByRole("button", { name: "Done" }).click()

  const other = await pageOf(eve)
  await other.goto(forJoe)
  await expect(other.getByText(`The invite was sent to ${joe.email}.`)).toBeVisible()
  await other.goto(forEve)
  await expect(other.getByText(`You are signed in as ${eve.email}.`)).toBeVisible()
  await expect(other.getByText("The invite was sent to")).toHaveCount(0)
  await expectNoBreaches(other)
  await other.getByRole("button", { name: "Join" }).click()
  await expect(other).toHaveURL(new RegExp(`/w/${owner.org}`, "u"))
  await expect(other.getByRole("button", { name: "Workspace Acme" })).toBeVisible()

  await other.goto(forJoe)
  await other.getByRole("button", { name: "Use another account" }).click()
  await expect(other.getByText("You have an account. Sign in with it to join.")).toBeVisible()
  await other.getByRole("link", { name: "Sign in" }).click()
  await expect(other.getByText("You were signed out.")).toHaveCount(0)
  await other.getByLabel("E-mail").fill(joe.email)
  await other.getByLabel("Password", { exact: true }).fill(password)
  await other.getByRole("button", { name: "Sign in" }).click()
  await expect(other.getByText(`You are signed in as ${joe.email}.`)).toBeVisible()
  await other.getByRole("button", { name: "Join" }).click()
  await expect(other).toHaveURL(new RegExp(`/w/${owner.org}`, "u"))
  await expect(inviteRow(page, joe.email)).toContainText("Accepted")
  await expect(inviteRow(page, eve.email)).toContainText("Accepted")
})
