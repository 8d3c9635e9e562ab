/** Publications: a request with a preview of its listing, the review, the marketplace, and the revocation. */
import type { Locator, Page } from "@playwright/test"
import { expectNoBreaches, expectNothingSideways } from "../../support/console-looks.ts"
import { apiFor, expect, type Person, signIn, test } from "../../support/console.ts"

const screen = ({ org }: Person, search = "") => `/w/${org}/publications${search}`
const tab = (page: Page, name: string) =>
  page.getByRole("tablist", { name: "Views of publications" }).getByRole("tab", { name })
const row = (page: Page, name: string) =>
  page.getByRole("grid").getByRole("row").filter({ has: page.getByRole("gridcell"), hasText: name })
const fieldsOf = (part: Locator) => part.getByRole("term").allTextContents()
const listingFields = ["Type", "Name", "Description", "Icon", "Category", "Workspace"]
const everyLook = ["light", "dark", "high contrast, light", "high contrast, dark"] as const

const openPublish = async (page: Page) => {
  await page.getByRole("button", { name: /^More acts on / }).click()
  await page.getByRole("menuitem", { name: "Publish…" }).click()
}

test("an agent is requested with a preview of its listing, approved by another admin, listed, and revoked", async ({ api, hub, owner, page, pageOf }) => {
  // The marketplace is of the whole hub, which other tests share.
  const name = `Invoices ${owner.org.slice(-8)}`
  const agent = await api.call("POST", "/agents", 201, {
    name,
    description: "Reads invoices, and compares them with orders.",
    category: "Accounting",
    personality: "A private instruction"
  })
  const ben = await hub.person({ org: owner.org, role: "admin", name: "Ben" })
  await signIn(page, hub, owner)
  await page.goto(screen(owner, "?view=published"))
  await expect(page.getByText("Nothing is published in this workspace yet.")).toBeVisible()
  await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Catalog" }))
    .toHaveAttribute("aria-current", "page")
  await expectNoBreaches(page, ["light"])
  await page.goto(`/w/${owner.org}/agents/${agent.id}`)
  await openPublish(page)
  const dialog = page.getByRole("dialog")
  const preview = dialog.getByRole("region", { name: "Preview" })
  expect(await fieldsOf(preview)).toEqual(listingFields)
  await expect(preview).toContainText("Reads invoices, and compares them with orders.")
  await expect(preview).toContainText("Accounting")
  await expect(preview).toContainText("Acme")
  await expect(preview).not.toContainText("A private instruction")
  await expect(preview.getByRole("status")).toContainText("The marketplace doesn't list it.")
  await expect(dialog.getByRole("radio", { name: "Team" })).toBeDisabled()
  await dialog.getByLabel("List in the marketplace").check()
  await expect(preview.getByRole("status")).toContainText("every workspace of this hub can see the fields below")
  await dialog.getByLabel("Note for the reviewer").fill("For the accountants")
  await expectNoBreaches(page)
  await dialog.getByRole("button", { name: "Request publication" }).click()
  await page.getByRole("button", { name: "Show requests" }).click()
  await expect(page).toHaveURL(/\/publications\?view=review$/u)
  await expect(row(page, name)).toContainText("Pending")
  await row(page, name).click()
  await expect(dialog).toContainText("You made this request. Another owner or admin must approve it.")
  await expect(dialog.getByRole("button", { name: "Cancel request…" })).toBeVisible()
  await expect(dialog.getByRole("button", { name: "Approve" })).toHaveCount(0)
  await expectNoBreaches(page, ["light"])
  await page.keyboard.press("Escape")

  const other = await pageOf(ben)
  await other.goto(screen(ben, "?view=review"))
  await row(other, name).click()
  const review = other.getByRole("dialog")
  await expect(review).toContainText("every workspace of this hub can see the fields below")
  await expect(review).toContainText("For the accountants")
  await review.getByLabel("Comment").fill("Useful for all")
  await expectNoBreaches(other)
  await review.getByRole("button", { name: "Approve" }).click()
  await expect(other.getByText(`${name} was published`)).toBeVisible()
  await expect(row(page, name)).toContainText("Approved")
  await row(page, name).click()
  await expect(dialog).toContainText("Useful for all")
  await expect(dialog).toContainText("Ben")
  await page.keyboard.press("Escape")
  await expectNoBreaches(page, everyLook)

  await tab(page, "Published").click()
  await expect(row(page, name)).toContainText("WorkspaceListed")
  await expectNoBreaches(page, everyLook)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNothingSideways(page)
  await expectNoBreaches(page, ["light"])
  await tab(page, "Marketplace").click()
  await expect(row(page, name)).toContainText("Acme")
  await expectNothingSideways(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await expectNoBreaches(page, everyLook)

  const stranger = await hub.person({ name: "Mia", workspace: "Globex" })
  const outside = await pageOf(stranger)
  await outside.goto(screen(stranger, `?q=${encodeURIComponent(name)}`))
  await row(outside, name).click()
  const listing = outside.getByRole("dialog")
  expect(await fieldsOf(listing)).toEqual(listingFields)
  await expect(listing).not.toContainText("Ada")
  await outside.keyboard.press("Escape")
  await tab(outside, "Requests").click()
  await expect(outside.getByText("No publish requests yet.")).toBeVisible()

  await tab(page, "Published").click()
  await row(page, name).click()
  await dialog.getByRole("button", { name: "Revoke…" }).click()
  const confirm = page.getByRole("alertdialog")
  await expect(confirm).toContainText("Its listing disappears from the marketplace at once")
  await confirm.getByRole("button", { name: "Revoke publication" }).click()
  await expect(row(page, name)).toContainText("Revoked")
  await tab(outside, "Marketplace").click()
  await outside.goto(screen(stranger, `?q=${encodeURIComponent(name)}`))
  await expect(outside.getByText("No listing matches these filters.")).toBeVisible()
})

test("a member publishes to a team, reads the rejection, cancels a request, and sees no request of others", async ({ api, hub, owner, page, pageOf }) => {
  const mia = await hub.person({ org: owner.org, role: "member", name: "Mia" })
  const { id: team } = await api.call("POST", "/teams", 201, { name: "Research" })
  await api.call("POST", `/teams/${team}/members`, 201, { user_id: mia.id, role: "worker" })
  const ask = async (as: Person, agentName: string) => {
    const made = await apiFor(hub, as).call("POST", "/agents", 201, { name: agentName })
    return { ...made, publish: () => apiFor(hub, as).call("POST", `/agents/${made.id}/publish`, 201, { scope: "org" }) }
  }
  await (await ask(owner, "Owner's agent")).publish()
  const agent = await ask(mia, "Mia's agent")
  await signIn(page, hub, mia)
  await page.goto(`/w/${owner.org}/agents/${agent.id}`)
  await openPublish(page)
  const dialog = page.getByRole("dialog")
  await dialog.getByRole("radio", { name: "Team" }).check()
  await expect(dialog.getByLabel("List in the marketplace")).toHaveCount(0)
  await expect(dialog.getByRole("button", { name: "Request publication" })).toBeDisabled()
  await dialog.getByLabel("Team", { exact: true }).and(page.getByRole("combobox")).selectOption("Research")
  await dialog.getByRole("button", { name: "Request publication" }).click()
  await page.getByRole("button", { name: "Show requests" }).click()
  await expect(row(page, "Mia's agent")).toContainText("Research")
  await expect(row(page, "Owner's agent")).toHaveCount(0)

  const reviewer = await pageOf(owner)
  await reviewer.goto(screen(owner, "?view=review&status=pending"))
  await row(reviewer, "Mia's agent").click()
  await reviewer.getByRole("dialog").getByLabel("Comment").fill("Add a description first")
  await reviewer.getByRole("dialog").getByRole("button", { name: "Reject…" }).click()
  await expectNoBreaches(reviewer, ["light"])
  await reviewer.getByRole("alertdialog").getByRole("button", { name: "Reject request" }).click()
  await expect(row(reviewer, "Mia's agent")).toHaveCount(0)
  // The only reviewer approves their own request.
  await row(reviewer, "Owner's agent").click()
  await reviewer.getByRole("dialog").getByRole("button", { name: "Approve" }).click()
  await expect(reviewer.getByText("No publish request matches these filters.")).toBeVisible()

  await expect(row(page, "Mia's agent")).toContainText("Rejected")
  await row(page, "Mia's agent").click()
  await expect(dialog).toContainText("Add a description first")
  await page.keyboard.press("Escape")
  await agent.publish()
  await row(page, "Mia's agent").filter({ hasText: "Pending" }).click()
  await expect(dialog).toContainText("An owner or admin reviews this request.")
  await dialog.getByRole("button", { name: "Cancel request…" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel request", exact: true }).click()
  await expect(row(page, "Mia's agent").filter({ hasText: "Canceled" })).toBeVisible()
  await tab(page, "Published").click()
  await row(page, "Owner's agent").click()
  await expect(dialog.getByRole("button", { name: "Revoke…" })).toHaveCount(0)
})
