/** Secrets: stored, listed by name, replaced, and deleted, and never shown. */
import type { Page } from "@playwright/test"
import { expectNoBreaches, expectNothingSideways } from "../../support/console-looks.ts"
import { expect, type Person, signIn, test } from "../../support/console.ts"

/** Axe in every look takes long on a shared machine. */
test.describe.configure({ timeout: 150_000 })

const place = (person: Person) => `/w/${person.org}/secrets`
const row = (page: Page, name: string) => page.getByRole("grid").getByRole("row").filter({ hasText: name })
const dialog = (page: Page) => page.getByRole("dialog")

test("a secret is stored, replaced, and deleted; its value is in nothing that the page receives", async ({ api, hub, owner, page, upstream }) => {
  const provider = await upstream()
  await api.call("POST", "/services", 201, {
    name: "shop",
    kind: "http",
    base_url: provider.origin,
    auth: { type: "bearer", secret: "shop-key" },
    operations: [
      {
        name: "buy",
        method: "POST",
        path: "/buy",
        price: { type: "fixed", cents: 1 },
        payload_schema: { type: "object" }
      }
    ]
  })
  await api.topUp(100)
  const agent = await api.agent({ bindings: [{ service: "shop", operations: ["*"] }] })
  const received: Array<string> = []
  page.on("response", async (response) => {
    if (response.url().includes("/api/v1/") && !response.url().includes("/events")) {
      received.push(await response.text().catch(() => ""))
    }
  })
  await signIn(page, hub, owner)
  await page.goto(place(owner))
  await expect(row(page, "shop-key")).toContainText("not set")
  await expect(row(page, "shop-key").getByRole("link", { name: "shop" })).toBeVisible()
  await expectNoBreaches(page)
  await page.getByRole("button", { name: "Set shop-key" }).click()
  await expect(dialog(page).getByLabel("Value")).toHaveAttribute("type", "password")
  await dialog(page).getByLabel("Value").fill("sk_first_value")
  await expectNoBreaches(page)
  await dialog(page).getByRole("button", { name: "Store secret" }).click()
  await expect(row(page, "shop-key")).not.toContainText("not set")
  await api.send(agent, { service: "shop", operation: "buy" })
  expect(provider.received.at(-1)?.headers.authorization).toBe("Bearer sk_first_value")
  await page.getByRole("button", { name: "Actions for shop-key" }).click()
  await page.getByRole("menuitem", { name: "Replace" }).click()
  await expect(dialog(page).getByLabel("Value")).toHaveValue("")
  await dialog(page).getByLabel("Value").fill("sk_second_value")
  await dialog(page).getByRole("button", { name: "Replace value" }).click()
  await expect(dialog(page)).toHaveCount(0)
  await api.send(agent, { service: "shop", operation: "buy" })
  expect(provider.received.at(-1)?.headers.authorization).toBe("Bearer sk_second_value")
  await page.getByRole("button", { name: "Actions for shop-key" }).click()
  await page.getByRole("menuitem", { name: "Delete" }).click()
  await expect(page.getByRole("alertdialog")).toContainText("shop uses it: its calls fail from then on.")
  await expectNoBreaches(page, ["light"])
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete secret" }).click()
  await expect(row(page, "shop-key")).toContainText("not set")
  expect(await api.send(agent, { service: "shop", operation: "buy" })).toMatchObject({ status: "failed" })
  expect(received.length).toBeGreaterThan(3)
  expect(received.join("\n")).not.toMatch(/sk_(first|second)_value/)
  expect(await page.content()).not.toMatch(/sk_(first|second)_value/)
})

test("a name that the hub refuses is an error at the field", async ({ hub, owner, page }) => {
  await signIn(page, hub, owner)
  await page.goto(place(owner))
  await page.getByRole("button", { name: "New secret" }).first().click()
  await dialog(page).getByLabel("Name").fill("Not a name")
  await dialog(page).getByLabel("Value").fill("x")
  await dialog(page).getByRole("button", { name: "Store secret" }).click()
  await expect(dialog(page).getByLabel("Name")).toHaveAttribute("aria-invalid", "true")
  await dialog(page).getByLabel("Name").fill("a-name")
  await dialog(page).getByRole("button", { name: "Store secret" }).click()
  await expect(row(page, "a-name")).toContainText("nothing")
})

test("a person without the permission to change the catalog sees which one it requires", async ({ hub, owner, pageOf }) => {
  const page = await pageOf(await hub.person({ org: owner.org, role: "operator", name: "Olga" }))
  await page.goto(place(owner))
  await expect(page.getByText("You need permission to change the catalog to see secrets.")).toBeVisible()
  await expectNoBreaches(page)
})

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test("the list fits the width", async ({ api, hub, owner, page }) => {
    await api.call("PUT", "/secrets/a-name-of-some-length-that-a-phone-has-no-room-for", 201, { value: "x" })
    await signIn(page, hub, owner)
    await page.goto(place(owner))
    await expect(row(page, "a-name-of-some-length")).toBeVisible()
    await expectNothingSideways(page)
    await expectNoBreaches(page)
    await page.getByRole("button", { name: /^Actions for a-name/ }).click()
    await page.getByRole("menuitem", { name: "Replace" }).click()
    await expect(dialog(page).getByLabel("Value")).toBeVisible()
    await expectNothingSideways(page)
  })
})
