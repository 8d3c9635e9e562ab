/** Several workspaces: a tab for each, creating one, and freezing its spending. */
import { expectNoBreaches, expectNothingSideways } from "../../support/console-looks.ts"
import { expect, signIn, test } from "../../support/console.ts"

const live = "[data-phase=online]"
const workspaceButton = (name: string) => ({ name: `Workspace ${name}` }) as const

test("two tabs in two workspaces do not affect each other", async ({ context, hub, owner, page }) => {
  const beta = await hub.workspace("Beta")
  await hub.join(owner, beta)
  await signIn(page, hub, owner)
  const other = await context.newPage()
  await page.goto(`/w/${owner.org}/settings/workspace`)
  await other.goto(`/w/${beta}/settings/workspace`)
  await expect(page.getByRole("button", workspaceButton("Acme"))).toBeVisible()
  await expect(other.getByRole("button", workspaceButton("Beta"))).toBeVisible()

  await page.getByLabel("Approval threshold").fill("11")
  await other.getByLabel("Approval threshold").fill("22")
  for (const each of [other, page]) {
    await each.getByRole("button", { name: "Save changes" }).click()
    await expect(each.getByText("Saved.")).toBeVisible()
  }
  const threshold = async (org: string) =>
    (await hub.api(
      "GET",
      `/workspaces/${org}`,
      { cookie: owner.cookie }
    )).body.approval_threshold_cents
  expect([await threshold(owner.org), await threshold(beta)]).toEqual([1_100, 2_200])

  for (const each of [page, other]) await each.reload()
  await expect(page.getByLabel("Approval threshold")).toHaveValue("11.00")
  await expect(other.getByLabel("Approval threshold")).toHaveValue("22.00")

  // One tab switches by its own menu; the other stays.
  await page.getByRole("button", workspaceButton("Acme")).click()
  await page.getByRole("menuitemradio", { name: "Beta" }).click()
  await expect(page).toHaveURL(new RegExp(`/w/${beta}/`))
  await page.goto(`/w/${owner.org}/settings/tokens`)
  await other.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Access tokens" }).click()
  for (const [each, name] of [[page, "For Acme"], [other, "For Beta"]] as const) {
    await each.getByRole("button", { name: "New token" }).first().click()
    await each.getByLabel("Name").fill(name)
    await each.getByRole("checkbox", { name: "agents:read" }).check()
    await each.getByRole("button", { name: "Create token" }).click()
    await each.getByRole("button", { name: "I have it" }).click()
    await expect(each.getByRole("listitem").filter({ hasText: name })).toBeVisible()
  }
  await expect(page.getByText("For Beta")).toHaveCount(0)
  await expect(other.getByText("For Acme")).toHaveCount(0)
})

test("a new workspace is created, belongs to its creator, and starts with the first steps", async ({ hub, owner, page }) => {
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/settings/workspaces`)
  await page.getByRole("button", { name: "Create workspace" }).click()
  await expect(page.getByText("Give it a name.")).toBeVisible()
  await expectNoBreaches(page)
  await page.getByLabel("Name").fill("Side project")
  await page.getByRole("button", { name: "Create workspace" }).click()
  await expect(page).toHaveURL(/\/start$/)
  await expect(page.getByRole("button", workspaceButton("Side project"))).toBeVisible()
  await page.goto(`/w/${owner.org}/settings/workspaces`)
  await page.getByRole("link", { name: "Open Side project" }).click()
  await expect(page.getByRole("button", workspaceButton("Side project"))).toBeVisible()
  // A name serves as an address only if it is unique.
  await page.goto("/w/side-project/settings/workspace")
  await expect(page.getByLabel("Name")).toHaveValue("Side project")
  await expect(page).toHaveURL(/\/w\/org_\w+\/settings\/workspace$/)
})

test("a workspace of others is not found, in the same words as one that does not exist", async ({ hub, owner, page }) => {
  const foreign = await hub.workspace("Foreign")
  await signIn(page, hub, owner)
  for (const id of [foreign, "org_00000000000000000000000000", "nothing"]) {
    await page.goto(`/w/${id}/settings/workspace`)
    await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible()
  }
  await expectNoBreaches(page)
})

test("a freeze stops spending at once, is a line on every screen, and is lifted there", async ({ api, hub, owner, page }) => {
  await api.topUp(500)
  const agent = await api.agent()
  const send = () => api.send(agent, { service: "echo", operation: "say" })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/settings/workspace`)
  await expect(page.locator(live)).toBeVisible()
  await page.locator("#content").getByRole("button", { name: "Freeze spending" }).click()
  await expect(page.getByRole("alertdialog")).toContainText("Freeze all spending of Acme?")
  await expectNoBreaches(page)
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click()
  expect(await send()).toMatchObject({ status: "executed" })

  await page.locator("#content").getByRole("button", { name: "Freeze spending" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Freeze spending" }).click()
  const line = page.getByText("All spending of this workspace is frozen.")
  await expect(line).toBeVisible()
  expect(await send()).toMatchObject({ status: "blocked", reason_code: "spending_frozen" })
  for (const path of ["audit", "start", "settings/account"]) {
    await page.goto(`/w/${owner.org}/${path}`)
    await expect(line).toBeVisible()
    await expectNoBreaches(page)
  }

  await page.getByRole("button", { name: "Lift freeze" }).first().click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Lift freeze" }).click()
  await expect(line).toHaveCount(0)
  expect(await send()).toMatchObject({ status: "executed" })
})

test("an operator can freeze spending and cannot lift the freeze", async ({ hub, owner, pageOf }) => {
  const page = await pageOf(await hub.person({ org: owner.org, role: "operator", name: "Olga" }))
  await page.goto(`/w/${owner.org}/settings/workspace`)
  await page.locator("#content").getByRole("button", { name: "Freeze spending" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Freeze spending" }).click()
  await expect(page.getByText("All spending of this workspace is stopped.")).toBeVisible()
  await expect(page.locator("#content").getByRole("button", { name: "Lift freeze" })).toHaveCount(0)
})

test("on a phone a workspace is created and frozen too", async ({ hub, owner, page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/settings/workspaces`)
  await page.getByLabel("Name").fill("Pocket")
  await page.getByRole("button", { name: "Create workspace" }).click()
  await expect(page).toHaveURL(/\/start$/)
  await page.goto(page.url().replace("/start", "/settings/workspace"))
  await page.locator("#content").getByRole("button", { name: "Freeze spending" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Freeze spending" }).click()
  await expect(page.getByText("All spending of this workspace is frozen.")).toBeVisible()
  await expectNothingSideways(page)
  await expectNoBreaches(page)
})
