/** The page of an invite's link when the account of its recipient changes meanwhile. */
import { expectNoBreaches } from "../../support/console-looks.ts"
import { expect, password, test } from "../../support/console.ts"

test("an invite's page offers sign-in once the recipient has an account, and the workspace to its member", async ({ api, hub, owner, page, pageOf }) => {
  const link = async (who: { readonly email: string }) => {
    const { token } = await api.call("POST", `/orgs/${owner.org}/invites`, 201, { email: who.email, role: "member" })
    return `/invite#token=${token}`
  }
  // The email has no account yet when the page opens; another workspace's invite creates it before the form is sent.
  const other = await hub.person({ name: "Lea", workspace: "Elsewhere" })
  const email = `nora-${other.id.slice(-8)}@countersign.test`
  const elsewhere = await hub.api("POST", `/orgs/${other.org}/invites`, {
    cookie: other.cookie,
    body: { email, role: "member" }
  })
  await page.goto(await link({ email }))
  await expect(page.getByRole("heading", { level: 1, name: "Join Acme" })).toBeVisible()
  await expect(page).toHaveURL(/\/invite$/u)
  const made = await hub.api("POST", `/invites/${elsewhere.body.token}/accept`, { body: { name: "Nora", password } })
  expect(made.status).toBe(200)
  await page.getByLabel("Password", { exact: true }).fill(password)
  await page.getByRole("button", { name: "Create account and join" }).click()
  await expect(page.getByText("You have an account. Sign in with it to join.")).toBeVisible()
  await page.getByRole("link", { name: "Sign in" }).click()
  await page.getByLabel("E-mail").fill(email)
  await page.getByLabel("Password").fill(password)
  await page.getByRole("button", { name: "Sign in" }).click()
  await expect(page.getByText(`You are signed in as ${email}.`)).toBeVisible()
  await page.getByRole("button", { name: "Join" }).click()
  await expect(page.getByRole("button", { name: "Workspace Acme" })).toBeVisible()

  // The owner opens a link that was sent to another person.
  const own = await pageOf(owner)
  await own.goto(await link({ email: "vic@example.com" }))
  await expect(own.getByText("The invite was sent to vic@example.com.")).toBeVisible()
  await own.getByRole("button", { name: "Join" }).click()
  await expect(own.getByText("You already belong to this workspace.")).toBeVisible()
  await expectNoBreaches(own)
  await own.getByRole("link", { name: "Open Acme" }).click()
  await expect(own.getByRole("button", { name: "Workspace Acme" })).toBeVisible()
})

test("a person who was removed from their last workspace joins again with their password", async ({ api, hub, owner, page }) => {
  const person = await hub.person({ name: "Kim", org: owner.org, role: "member" })
  await api.call("DELETE", `/members/${person.id}`, 204)
  const { token } = await api.call("POST", `/orgs/${owner.org}/invites`, 201, { email: person.email, role: "member" })
  await page.goto(`/invite#token=${token}`)
  await expect(page.getByText("You have an account, which belongs to no workspace at the moment.")).toBeVisible()
  await expectNoBreaches(page)
  await page.getByLabel("Password").fill("another long password")
  await page.getByRole("button", { name: "Join" }).click()
  await expect(page.getByText("Wrong email or password.")).toBeVisible()
  await page.getByLabel("Password").fill(person.password)
  await page.getByRole("button", { name: "Join" }).click()
  await expect(page.getByRole("button", { name: "Workspace Acme" })).toBeVisible()
})
