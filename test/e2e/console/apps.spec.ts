/** Connected apps: a provider is set up, connected, used by a service, disconnected, and connected again. */
import type { Page } from "@playwright/test"
import { Effect, Exit, Scope } from "effect"
import { appProvider, client } from "../../support/app-provider.ts"
import { expectNoBreaches, expectNothingSideways } from "../../support/console-looks.ts"
import { expect, type Person, type PersonApi, signIn, test } from "../../support/console.ts"

/** Axe in every look takes long on a shared machine. */
test.describe.configure({ timeout: 150_000 })

type Provider = Effect.Success<ReturnType<typeof appProvider>>

let scope: Scope.Closeable
test.beforeEach(() => {
  scope = Effect.runSync(Scope.make())
})
test.afterEach(() => Effect.runPromise(Scope.close(scope, Exit.void)))
const newProvider = (): Promise<Provider> => Effect.runPromise(Scope.provide(appProvider(), scope))

const definitionOf = (provider: Provider) => ({
  ...provider.definition,
  capture: { account: { url: `${provider.origin}/me`, pointer: "/0/name" } }
})

const setUp = (api: PersonApi, provider: Provider) =>
  api.call("PUT", "/apps/providers/my-crm", 200, { ...client, definition: definitionOf(provider) })

const serviceOf = (provider: Provider) => ({
  name: "crm",
  kind: "http",
  base_url: `${provider.origin}/api`,
  auth: { type: "oauth_app", app: "my-crm" },
  operations: [{
    name: "find",
    method: "GET",
    path: "/people",
    price: { type: "fixed", cents: 1 },
    payload_schema: { type: "object" }
  }]
})

const place = (person: Person) => `/w/${person.org}/apps`
const row = (page: Page, name: string) => page.getByRole("grid").getByRole("row").filter({ hasText: name })
const dialog = (page: Page) => page.getByRole("dialog")

test("a provider is set up and connected in two clicks; the app is used, disconnected, and connected again", async ({ api, hub, owner, page }) => {
  const provider = await newProvider()
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/catalog`)
  await page.getByRole("link", { name: "Apps", exact: true }).click()
  await expect(row(page, "Slack")).toContainText("Not set up")
  await expectNoBreaches(page)
  await page.getByRole("button", { name: "Add provider" }).click()
  await expect(dialog(page)).toContainText(`${hub.url}/api/v1/apps/callback`)
  await dialog(page).getByLabel("Name").fill("my-crm")
  await dialog(page).getByLabel("Client ID").fill(client.client_id)
  await dialog(page).getByLabel("Client secret").fill(client.client_secret)
  await dialog(page).getByLabel("Definition").fill("{")
  await expect(dialog(page)).toContainText("This is not a JSON object.")
  await dialog(page).getByLabel("Definition").fill(JSON.stringify(definitionOf(provider)))
  await expectNoBreaches(page)
  await dialog(page).getByRole("button", { name: "Save" }).click()
  await expect(row(page, "My crm")).toContainText("Ready to connect")
  await page.getByRole("button", { name: "Connect My crm" }).click()
  await expect(dialog(page).getByLabel("Permissions")).toHaveValue("read write")
  await expectNoBreaches(page)
  await dialog(page).getByRole("button", { name: "Continue to My crm" }).click()
  await expect(dialog(page)).toContainText("Connected")
  await expect(dialog(page)).toContainText("ada@example.test")
  await expect(page).toHaveURL(new RegExp(`${place(owner)}\\?app=app_`))
  await expectNoBreaches(page)

  await api.call("POST", "/services", 201, serviceOf(provider))
  await api.topUp(100)
  const agent = await api.agent({ bindings: [{ service: "crm", operations: ["*"] }] })
  expect(await api.send(agent, { service: "crm", operation: "find" })).toMatchObject({ status: "executed" })
  await expect(dialog(page).getByRole("link", { name: "crm" })).toBeVisible()
  await page.keyboard.press("Escape")
  const connected = row(page, "ada@example.test")
  await expect(connected).toContainText("Your agents")
  await page.getByRole("button", { name: "Actions for My crm" }).first().click()
  await page.getByRole("menuitem", { name: "Rename or share" }).click()
  await dialog(page).getByLabel("Name").fill("Customers")
  await dialog(page).getByLabel("All agents of the workspace").check()
  await dialog(page).getByRole("button", { name: "Save" }).click()
  await expect(row(page, "Customers")).toContainText("All agents")
  await page.getByRole("button", { name: "Actions for Customers" }).click()
  await page.getByRole("menuitem", { name: "Disconnect" }).click()
  await expect(page.getByRole("alertdialog")).toContainText("crm uses it: its calls may fail from then on.")
  await page.getByRole("alertdialog").getByRole("button", { name: "Disconnect app" }).click()
  await expect(row(page, "Customers")).toContainText("Disconnected")
  expect(await api.send(agent, { service: "crm", operation: "find" })).toMatchObject({
    status: "failed",
    result: { code: "app_not_connected" }
  })
  expect(provider.revoked).toHaveLength(1)
  await row(page, "Customers").click()
  await expect(dialog(page)).toContainText("Disconnected")
  await dialog(page).getByRole("button", { name: "Sign in again" }).click()
  await expect(dialog(page)).toContainText("Connected")
  expect(await api.send(agent, { service: "crm", operation: "find" })).toMatchObject({ status: "executed" })
  expect(await page.content()).not.toMatch(/[ar]t-[0-9a-f]{8}-|s3cret-of-the-client/)
})

test("the service editor offers the providers and the connected apps", async ({ api, hub, owner, page }) => {
  const provider = await newProvider()
  await setUp(api, provider)
  await api.call("POST", "/services", 201, { ...serviceOf(provider), auth: { type: "none" } })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/catalog/crm/edit`)
  await page.getByRole("combobox", { name: "The provider wants" }).click()
  await page.getByRole("option", { name: "Connected app" }).click()
  await page.getByRole("combobox", { name: "App" }).click()
  await page.getByRole("option", { name: "My crm: the owner's app" }).click()
  await page.getByRole("button", { name: "Save" }).click()
  await expect(page).toHaveURL(new RegExp(`/w/${owner.org}/catalog/crm$`))
  const saved = await api.call("GET", "/services/crm", 200)
  expect(saved.auth).toEqual({ type: "oauth_app", app: "my-crm" })
})

test("a viewer sees the apps and no act; a sign-in that is needed again is visible", async ({ api, hub, owner, pageOf }) => {
  const provider = await newProvider()
  await setUp(api, provider)
  const app = await api.call("POST", "/apps", 201, { provider: "my-crm", name: "Customers", visibility: "workspace" })
  const connected = await hub.api("GET", `/apps/callback${provider.signIn(app.authorize_url)}`, {
    cookie: owner.cookie
  })
  expect(connected.status, connected.text).toBe(200)
  provider.endGrant()
  expect((await hub.api("POST", `/apps/${app.id}/refresh`, { cookie: owner.cookie })).status).toBe(409)
  const page = await pageOf(await hub.person({ org: owner.org, role: "viewer", name: "Vera" }))
  await page.goto(place(owner))
  await expect(row(page, "Customers")).toContainText("Sign in again")
  await expect(page.getByRole("button", { name: /^(?:Connect|Set up|Add provider)/ })).toHaveCount(0)
  await row(page, "Customers").click()
  await expect(dialog(page)).toContainText("invalid_grant")
  await expect(dialog(page).getByRole("button", { name: "Sign in again" })).toHaveCount(0)
  await expectNoBreaches(page)
})

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test("the list and its dialogs fit the width", async ({ api, hub, owner, page }) => {
    const provider = await newProvider()
    await setUp(api, provider)
    const name = "An account whose name is rather long for the width of a phone"
    const app = await api.call("POST", "/apps", 201, { provider: "my-crm", name })
    await signIn(page, hub, owner)
    await page.goto(`${place(owner)}?app=${app.id}`)
    await expect(dialog(page)).toContainText("Sign-in not finished")
    await expectNothingSideways(page)
    await page.keyboard.press("Escape")
    await expect(row(page, name)).toBeVisible()
    await expectNothingSideways(page)
    await expectNoBreaches(page)
    await page.getByRole("button", { name: "Connect My crm" }).click()
    await expect(dialog(page).getByLabel("Permissions")).toBeVisible()
    await expectNothingSideways(page)
  })
})
