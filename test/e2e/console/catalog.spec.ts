/** The catalog: services are read, tried, declared by hand and from OpenAPI, used, disabled, and deleted. */
import type { Page } from "@playwright/test"
import { truncate, writeFile } from "node:fs/promises"
import { expectNoBreaches, expectNothingSideways } from "../../support/console-looks.ts"
import { expect, type Person, signIn, test } from "../../support/console.ts"

/** Axe in every look takes long on a shared machine. */
test.describe.configure({ timeout: 150_000 })

const place = (person: Person, rest = "") => `/w/${person.org}/catalog${rest}`
const row = (page: Page, name: string) => page.getByRole("grid").getByRole("row").filter({ hasText: name })
const dialog = (page: Page) => page.getByRole("dialog")

const pets = (origin: string) => ({
  openapi: "3.1.0",
  info: { title: "Pet Store", version: "1", description: "All about pets" },
  servers: [{ url: `${origin}/v1` }],
  paths: {
    "/pets": {
      get: {
        operationId: "listPets",
        tags: ["read"],
        summary: "All pets",
        parameters: [{ name: "limit", in: "query", schema: { type: "integer" } }],
        responses: { 200: { description: "ok" } }
      },
      post: {
        operationId: "addPet",
        tags: ["write"],
        summary: "A new pet",
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: { type: "object", required: ["name"], properties: { name: { type: "string" } } }
            }
          }
        },
        responses: { 200: { description: "ok" } }
      }
    },
    "/pets/{id}": {
      delete: {
        operationId: "removePet",
        tags: ["write"],
        summary: "Remove a pet",
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        responses: { 204: { description: "gone" } }
      }
    },
    "/photos": {
      post: {
        operationId: "upload",
        tags: ["write"],
        requestBody: { required: true, content: { "application/octet-stream": { schema: {} } } },
        responses: { 200: { description: "ok" } }
      }
    }
  }
})

test("services are searched and filtered by a link; an operation has its payload as fields and its price in words", async ({ hub, owner, page }) => {
  await signIn(page, hub, owner)
  await page.goto(place(owner))
  await expect(row(page, "Echo")).toContainText("$0.01 a call")
  await expect(row(page, "Web search")).toContainText("Secret missing")
  await expectNoBreaches(page, ["light", "dark", "high contrast, light", "high contrast, dark"])
  await page.getByLabel("Search the catalog").fill("voice call")
  await expect(row(page, "Echo")).toHaveCount(0)
  await expect(row(page, "Voice calls")).toBeVisible()
  await page.goto(place(owner, "?origin=own"))
  await expect(page.getByText("No service matches these filters.")).toBeVisible()
  await page.getByRole("main").getByRole("button", { name: "Clear filters" }).click()
  await row(page, "Language model").getByRole("link").click()
  await expect(page.getByText("messages", { exact: true })).toBeVisible()
  await expect(page.getByText("list of fields")).toBeVisible()
  await expect(page.getByText("No other fields are accepted.")).toBeVisible()
  await expect(page.getByText("By tokens, at the price of the model")).toBeVisible()
  await expectNoBreaches(page)
  await page.getByRole("tab", { name: "How it is called" }).click()
  await expect(page).toHaveURL(/view=call/)
  await expect(page.getByText("The hub itself does it.")).toBeVisible()
  await expectNoBreaches(page, ["light"])
  await page.keyboard.press("Escape")
  await expect(page.getByRole("heading", { level: 1, name: "Catalog" })).toBeVisible()
})

test("an operation is tried with an estimate as an agent, which sends and spends nothing", async ({ api, hub, owner, page, upstream }) => {
  const provider = await upstream()
  await api.topUp(3_000)
  const service = await api.service(provider, { cents: 2_000 })
  const bound = await api.agent({
    name: "Bound",
    bindings: [{ service, operations: ["*"], monthly_cap_cents: 2_500, approval_threshold_cents: 5_000 }]
  })
  await api.agent({ name: "Unbound" })
  await signIn(page, hub, owner)
  await page.goto(place(owner, `/${service}?view=try`))
  await expect(page.getByLabel("As agent")).toHaveValue(bound.id)
  await page.getByLabel("Item").fill("A boat")
  await page.getByLabel("Quantity").fill("2")
  await page.getByRole("button", { name: "Estimate" }).click()
  const result = page.getByRole("region", { name: "Estimate" })
  await expect(result).toContainText("It would be executed.")
  await expect(result).toContainText("$20.00")
  await expect(result).toContainText("Operation, this month")
  await expect(result).toContainText("$25.00")
  await expectNoBreaches(page)
  await page.getByLabel("As agent").selectOption("Unbound")
  await expect(result).toContainText("The payload was changed since.")
  await page.getByRole("button", { name: "Estimate" }).click()
  await expect(result).toContainText("It would be blocked.")
  await expect(result).toContainText("Not allowed")
  await page.getByRole("tab", { name: "JSON", exact: true }).click()
  await page.getByLabel("Payload", { exact: true }).fill("{\"item\":3}")
  await page.getByRole("button", { name: "Estimate" }).click()
  await expect(page.getByLabel("Payload", { exact: true })).toHaveAttribute("aria-invalid", "true")
  await page.getByRole("tab", { name: "Fields", exact: true }).click()
  await expect(page.getByLabel("Item")).toHaveAttribute("aria-invalid", "true")
  await expectNoBreaches(page, ["light"])
  expect(provider.received).toEqual([])
  expect((await api.call("GET", "/service-requests", 200)).data).toEqual([])
})

test("an HTTP service is declared with a secret, bound, and used with a real provider", async ({ api, hub, owner, page, upstream }) => {
  const provider = await upstream((_, response) => {
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ data: { sent: true }, usage: { cents: 3 } }))
  })
  await api.topUp(1_000)
  const agent = await api.agent({ bindings: [] })
  await signIn(page, hub, owner)
  await page.goto(place(owner))
  await page.getByRole("button", { name: "Add service" }).click()
  await page.getByRole("menuitem", { name: "By a form" }).click()
  await page.getByRole("button", { name: "Create service" }).click()
  const service = page.getByRole("region", { name: "Service" })
  await expect(service.getByLabel("Name")).toHaveAttribute("aria-invalid", "true")
  await expect(service.getByLabel("Name")).toBeFocused()
  await expectNoBreaches(page)
  await service.getByLabel("Name").fill("sms")
  await service.getByLabel("Title").fill("Text messages")
  await service.getByLabel("Base URL").fill("ftp://nowhere")
  await expect(service.getByText("A base URL begins with https:// or http://.")).toBeVisible()
  await service.getByLabel("Base URL").fill(provider.origin)
  await page.getByLabel("The provider wants").selectOption("Header")
  await page.getByLabel("Header", { exact: true }).fill("x-api-key")
  await page.getByRole("button", { name: "New secret" }).click()
  await dialog(page).getByLabel("Name").fill("sms-key")
  await dialog(page).getByLabel("Value").fill("sk_sms")
  await dialog(page).getByRole("button", { name: "Store secret" }).click()
  await expect(page.getByLabel("Secret", { exact: true })).toHaveValue("sms-key")
  const operation = page.getByRole("region", { name: "Operation 1" })
  await operation.getByLabel("Name", { exact: true }).first().fill("send")
  const send = page.getByRole("region", { name: "send" })
  await send.getByLabel("Path").fill("/to/${payload.number")
  await expect(send.getByLabel("Path")).toHaveAttribute("aria-invalid", "true")
  await send.getByLabel("Path").fill("/to/${payload.number}")
  await expect(send.getByLabel("Path")).not.toHaveAttribute("aria-invalid", "true")
  await send.getByRole("radio", { name: "Quoted" }).check()
  await send.getByLabel("At most, in cents").fill("payload.text.size() +")
  await expect(send.getByLabel("At most, in cents")).toHaveAttribute("aria-invalid", "true")
  await send.getByLabel("At most, in cents").fill("payload.text.size()")
  await send.getByLabel("Charged amount in the answer").fill("/usage/cents")
  for (const [at, name] of ["number", "text"].entries()) {
    await send.getByRole("button", { name: "Add field" }).click()
    const field = send.getByRole("group", { name: /^Field/ }).nth(at)
    await field.getByLabel("Name").fill(name)
    await field.getByLabel("Required").check()
  }
  await send.locator("summary").click()
  await send.getByLabel("Result in the answer").fill("/data")
  await expect(page.getByText("The checks of the hub pass.")).toBeVisible()
  await expectNoBreaches(page)
  await page.getByRole("tab", { name: "JSON", exact: true }).first().click()
  await expect(page.getByRole("textbox", { name: "JSON", exact: true })).toHaveValue(/"header": "x-api-key"/)
  await page.getByRole("button", { name: "Create service" }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Text messages" })).toBeVisible()
  await expect(page.getByText("number", { exact: true })).toBeVisible()
  await page.goto(`/w/${owner.org}/agents/${agent.id}`)
  await page.getByRole("button", { name: "Bind a service" }).first().click()
  await dialog(page).getByLabel("Service", { exact: true }).selectOption("Text messages (sms)")
  await dialog(page).getByRole("button", { name: "Bind", exact: true }).click()
  await expect(page.getByRole("row").filter({ hasText: "send" })).toBeVisible()
  const sent = await api.send(agent, {
    service: "sms",
    operation: "send",
    payload: { number: "1 2", text: "On my way" }
  })
  expect(sent).toMatchObject({ status: "executed", ceiling_cents: 9, cost_cents: 3, result: { sent: true } })
  expect(provider.received).toHaveLength(1)
  expect(provider.received[0]).toMatchObject({ method: "POST", url: "/to/1%202", headers: { "x-api-key": "sk_sms" } })
  await expect(page.getByRole("row").filter({ hasText: "send" })).toContainText("$0.03")
})

test("a service is edited as JSON; leaving with changes requires confirmation; it is disabled, enabled, and deleted by its typed name", async ({ api, hub, owner, page, upstream }) => {
  await api.topUp(1_000)
  const service = await api.service(await upstream(), { name: "shop", cents: 10 })
  const agent = await api.agent({ bindings: [{ service, operations: ["*"] }] })
  const bought = () => api.send(agent, { service, operation: "buy", payload: { item: "A boat" } })
  await signIn(page, hub, owner)
  await page.goto(place(owner, "/shop"))
  await expect(page.getByRole("region", { name: "Service" }).getByRole("link", { name: "Scout" })).toBeVisible()
  await page.getByRole("link", { name: "Edit", exact: true }).click()
  await expect(page.getByLabel("Name", { exact: true }).first()).toHaveAttribute("readonly")
  await page.getByRole("tab", { name: "JSON", exact: true }).first().click()
  const json = page.getByRole("textbox", { name: "JSON", exact: true })
  const written = JSON.parse(await json.inputValue())
  await json.fill("{")
  await expect(json).toHaveAttribute("aria-invalid", "true")
  await expect(page.getByRole("button", { name: "Save" })).toBeDisabled()
  await json.fill(
    JSON.stringify({
      ...written,
      surprise: true,
      operations: [{ ...written.operations[0], title: "Buy it", price: { type: "quoted", ceiling: "payload." } }]
    })
  )
  const problems = page.getByRole("alert").filter({ hasText: "to fix" })
  await expect(problems).toContainText("surprise unknown")
  await expectNoBreaches(page)
  await page.getByRole("link", { name: "Agents" }).first().click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Stay" }).click()
  await json.fill(
    JSON.stringify({
      ...written,
      operations: [{ ...written.operations[0], title: "Buy it", price: { type: "quoted", ceiling: "payload." } }]
    })
  )
  await expect(problems).toContainText("operations.0.price.ceiling")
  await json.fill(
    JSON.stringify({
      ...written,
      operations: [{ ...written.operations[0], title: "Buy it", price: { type: "fixed", cents: 25 } }]
    })
  )
  await expect(page.getByText("The checks of the hub pass.")).toBeVisible()
  await page.getByRole("button", { name: "Save" }).click()
  await expect(page.getByRole("button", { name: /^Buy it/ })).toContainText("$0.25 a call")
  expect(await bought()).toMatchObject({ status: "executed", cost_cents: 25 })
  await page.getByRole("button", { name: "Set price" }).click()
  await dialog(page).getByLabel("Amount a call").fill("0.30")
  await expectNoBreaches(page, ["light"])
  await dialog(page).getByRole("button", { name: "Save" }).click()
  await expect(page.getByRole("button", { name: /^Buy it/ })).toContainText("$0.30 a call")
  await page.getByRole("button", { name: "More acts" }).click()
  await page.getByRole("menuitem", { name: "Switch off" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Switch off" }).click()
  await expect(page.getByText("It is switched off: every request to it is blocked.")).toBeVisible()
  expect(await bought()).toMatchObject({ status: "blocked", reason_code: "policy_violation" })
  await expectNoBreaches(page)
  await page.getByRole("button", { name: "Switch on" }).click()
  await expect(page.getByText("It is switched off: every request to it is blocked.")).toHaveCount(0)
  expect(await bought()).toMatchObject({ status: "executed", cost_cents: 30 })
  await page.getByRole("button", { name: "More acts" }).click()
  await page.getByRole("menuitem", { name: "Delete" }).click()
  await expect(page.getByRole("alertdialog").getByRole("button", { name: "Delete service" })).toBeDisabled()
  await page.getByRole("alertdialog").getByLabel("Type shop to confirm").fill("shop")
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete service" }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Catalog" })).toBeVisible()
  await expect(row(page, "shop")).toHaveCount(0)
})

test("an OpenAPI document is pasted, operations are selected and priced, and the service equals the preview", async ({ api, hub, owner, page, upstream }) => {
  const provider = await upstream()
  await api.topUp(1_000)
  await signIn(page, hub, owner)
  await page.goto(place(owner))
  await page.getByRole("button", { name: "Add service" }).click()
  await page.getByRole("menuitem", { name: "Import OpenAPI" }).click()
  const text = page.getByLabel("OpenAPI 3.0 or 3.1, JSON or YAML")
  await text.fill("nothing of the kind")
  await page.getByRole("button", { name: "Read document" }).click()
  await expect(text).toHaveAttribute("aria-invalid", "true")
  await expectNoBreaches(page)
  await text.fill(JSON.stringify(pets(provider.origin)))
  await page.getByRole("button", { name: "Read document" }).click()
  await expect(page.getByText("3 of 3 picked")).toBeVisible()
  await page.getByText("1 operation can't be imported").click()
  await expect(page.getByText("upload")).toBeVisible()
  await expect(page.getByLabel("Name in the catalog")).toHaveValue("pet-store")
  await page.getByLabel("Search operations").fill("delete")
  await page.getByRole("checkbox", { name: "Remove a pet" }).uncheck()
  await page.getByLabel("Search operations").fill("")
  await expect(page.getByText("2 of 3 picked")).toBeVisible()
  await page.getByRole("button", { name: "Preview" }).click()
  await expect(page.getByLabel("Amount a call")).toHaveAttribute("aria-invalid", "true")
  await page.getByLabel("Amount a call").fill("0.02")
  await page.getByRole("button", { name: "Price of add_pet" }).click()
  await dialog(page).getByRole("radio", { name: "Quoted" }).check()
  await dialog(page).getByLabel("At most, in cents").fill("payload.name.size() * 2")
  await expectNoBreaches(page)
  await dialog(page).getByRole("button", { name: "Save" }).click()
  await expectNoBreaches(page)
  await page.getByRole("button", { name: "Preview" }).click()
  const preview = page.getByRole("region", { name: "Preview" })
  await expect(preview.getByRole("listitem")).toHaveText([
    /All pets.*\$0\.02 a call/,
    /A new pet.*Quoted from the payload/
  ])
  const ahead = page.getByRole("region", { name: "2 warnings" })
  await expect(ahead.getByRole("listitem")).toHaveText([
    /^Operation list_pets, Unknown outcome: If the provider's answer to list_pets is lost/,
    /^Operation add_pet, Unknown outcome: If the provider's answer to add_pet is lost/
  ])
  await expectNoBreaches(page)
  expect((await api.call("GET", "/services", 200)).data.map(({ name }: { readonly name: string }) => name)).not
    .toContain(
      "pet-store"
    )
  const aheadWords = await ahead.getByRole("listitem").allTextContents()
  await page.getByRole("button", { name: "Create service" }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Pet Store" })).toBeVisible()
  const warnings = page.getByRole("region", { name: "Saved with 2 warnings" })
  await expect(warnings.getByRole("listitem")).toHaveText(aheadWords)
  await expectNoBreaches(page)
  await warnings.getByRole("button", { name: "Dismiss" }).click()
  await expect(warnings).toHaveCount(0)
  const made = await api.call("GET", "/services/pet-store", 200)
  expect(made.operations.map(({ name, price }: { readonly name: string; readonly price: unknown }) => [name, price]))
    .toEqual([
      ["list_pets", { type: "fixed", cents: 2 }],
      ["add_pet", { type: "quoted", ceiling: "payload.name.size() * 2" }]
    ])
  const agent = await api.agent({ bindings: [{ service: "pet-store", operations: ["*"] }] })
  expect(await api.send(agent, { service: "pet-store", operation: "add_pet", payload: { name: "Rex" } }))
    .toMatchObject({
      status: "executed",
      cost_cents: 6
    })
  expect(provider.received.at(-1)).toMatchObject({ method: "POST", url: "/v1/pets", body: "{\"name\":\"Rex\"}" })
})

test("the address of the import without its underscore leads to the import", async ({ hub, owner, page }) => {
  await signIn(page, hub, owner)
  await page.goto(place(owner, "/import"))
  await expect(page.getByRole("button", { name: "Read document" })).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`${place(owner, "/_/import")}$`, "u"))
})

test("an OpenAPI document is read from a file and from an address; a used name is an error", async ({ api, hub, owner, page, upstream }) => {
  const provider = await upstream((request, response) => {
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(request.url === "/openapi.json" ? JSON.stringify(pets("https://pets.example")) : "{}")
  })
  const large = test.info().outputPath("large.json")
  await writeFile(large, "")
  await truncate(large, 64 * 1024 * 1024 + 1)
  await api.service(provider, { name: "pet-store" })
  await signIn(page, hub, owner)
  await page.goto(place(owner, "/_/import"))
  await page.getByRole("radio", { name: "A file" }).check()
  await page
    .getByLabel("File", { exact: true })
    .setInputFiles(large)
  await expect(page.getByText("This file is larger than 64 MB. Remove what you don't import.")).toBeVisible()
  await page
    .getByLabel("File", { exact: true })
    .setInputFiles({
      name: "pets.json",
      mimeType: "application/json",
      buffer: Buffer.from(
        JSON.stringify({
          ...pets("https://pets.example"),
          components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } }
        })
      )
    })
  await page.getByRole("button", { name: "Read document" }).click()
  await expect(page.getByText("3 of 3 picked")).toBeVisible()
  await expect(page.getByLabel("The provider wants")).toHaveValue("bearer")
  await expect(page.getByText("The document asks for this credential.")).toBeVisible()
  await page.getByRole("button", { name: "Another document" }).click()
  await page.getByRole("radio", { name: "An address" }).check()
  await page.getByLabel("Address of the document").fill("file:///etc/passwd")
  await page.getByRole("button", { name: "Read document" }).click()
  await expect(page.getByLabel("Address of the document")).toHaveAttribute("aria-invalid", "true")
  await page.getByLabel("Address of the document").fill(`${provider.origin}/openapi.json`)
  await page.getByRole("button", { name: "Read document" }).click()
  await page.getByLabel("Amount a call").fill("0.02")
  await page.getByRole("button", { name: "Preview" }).click()
  await page.getByRole("button", { name: "Create service" }).click()
  await expect(page.getByRole("alert")).toContainText(
    "The name \"pet-store\" is already used by this workspace; choose another."
  )
  await page.getByRole("button", { name: "Change" }).click()
  await page.getByLabel("Name in the catalog").fill("pets")
  await page.getByRole("button", { name: "Preview" }).click()
  await page.getByRole("button", { name: "Create service" }).click()
  await expect(page).toHaveURL(/\/catalog\/pets$/)
})

test("a shipped service gets a workspace price, and resets to the shipped one", async ({ api, hub, owner, page }) => {
  await signIn(page, hub, owner)
  await page.goto(place(owner, "/echo"))
  await expect(page.getByRole("link", { name: "Edit", exact: true })).toHaveCount(0)
  await page.getByRole("button", { name: "Set price" }).click()
  await dialog(page).getByLabel("Amount a call").fill("0.05")
  await dialog(page).getByRole("button", { name: "Save" }).click()
  await expect(page.getByRole("list").getByRole("button", { name: /say/ })).toContainText("$0.05 a call")
  expect((await api.call("GET", "/services/echo", 200)).operations[0].price).toEqual({ type: "fixed", cents: 5 })
  await page.getByRole("button", { name: "Set price" }).click()
  await dialog(page).getByRole("button", { name: "As shipped" }).click()
  await expect(page.getByRole("list").getByRole("button", { name: /say/ })).toContainText("$0.01 a call")
})

test("a person without the permission reads the catalog", async ({ hub, owner, pageOf }) => {
  const page = await pageOf(await hub.person({ org: owner.org, role: "viewer", name: "Vera" }))
  await page.goto(place(owner))
  await expect(row(page, "Echo")).toBeVisible()
  await expect(page.getByRole("button", { name: "Add service" })).toHaveCount(0)
  await page.goto(place(owner, "/search"))
  await expect(page.getByText("A secret is named and not there")).toBeVisible()
  for (const name of ["Set price", "More acts", /^Set brave/]) {
    await expect(page.getByRole("button", { name })).toHaveCount(0)
  }
  await page.getByRole("tab", { name: "Try" }).click()
  await expect(page.getByText("Trying needs the permission requests:write.")).toBeVisible()
  await expectNoBreaches(page)
  for (const rest of ["/_/new", "/_/import"]) {
    await page.goto(place(owner, rest))
    await expect(page.getByText("Changing the catalog needs the permission catalog:write.")).toBeVisible()
  }
})

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test("list, detail, form, and import fit the width", async ({ api, hub, owner, page, upstream }) => {
    const provider = await upstream()
    const service = await api.service(provider)
    await signIn(page, hub, owner)
    await page.goto(place(owner))
    await expect(row(page, "Echo")).toBeVisible()
    await expectNothingSideways(page)
    await expectNoBreaches(page)
    for (const view of ["payload", "try", "call"]) {
      await page.goto(place(owner, `/${service}?view=${view}`))
      await expect(page.getByRole("tab", { name: "Try" })).toBeVisible()
      await expectNothingSideways(page)
    }
    await expectNoBreaches(page, ["light"])
    await page.goto(place(owner, "/_/new"))
    await page.getByRole("button", { name: "Add field" }).click()
    await page.locator("summary", { hasText: "More" }).click()
    await expectNothingSideways(page)
    await expectNoBreaches(page, ["light"])
    await page.goto(place(owner, "/_/import"))
    await page.getByLabel("OpenAPI 3.0 or 3.1, JSON or YAML").fill(JSON.stringify(pets(provider.origin)))
    await page.getByRole("button", { name: "Read document" }).click()
    await expect(page.getByText("3 of 3 picked")).toBeVisible()
    await expectNothingSideways(page)
    await expectNoBreaches(page, ["light"])
  })
})

test("an agent that was just created offers a test request", async ({ api, hub, owner, page }) => {
  await api.topUp(1_000)
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/agents`)
  await page.getByRole("main").getByRole("button", { name: "New agent" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Name").fill("Kestrel")
  await dialog.getByRole("button", { name: "Create agent" }).click()
  await dialog.getByLabel("I have kept it").check()
  await dialog.getByRole("button", { name: "Done" }).click()
  await expect(page.getByText("Bind a service, then send a test request.")).toBeVisible()
  const { data: [made] } = await api.call("GET", "/agents", 200)
  await api.call("POST", `/agents/${made.id}/services`, 201, { service: "echo", operations: ["*"] })
  const step = page.getByRole("status").filter({ hasText: "The agent is ready." })
  await step.getByRole("button", { name: "Send a test request" }).click()
  const request = page.getByRole("dialog", { name: "Send a test request" })
  await request.getByRole("button", { name: "Send test request" }).click()
  await expect(request.getByRole("region", { name: "Test result" })).toContainText("Executed")
  await page.keyboard.press("Escape")
  await expect(step).toHaveCount(0)
})

test("a service that was just created offers a test request once an agent can use it", async ({ api, hub, owner, page, upstream }) => {
  const provider = await upstream()
  const agent = await api.agent({ bindings: [] })
  await signIn(page, hub, owner)
  await page.goto(place(owner, "/_/import"))
  await page.getByLabel("OpenAPI 3.0 or 3.1, JSON or YAML").fill(JSON.stringify(pets(provider.origin)))
  await page.getByRole("button", { name: "Read document" }).click()
  await page.getByLabel("Amount a call").fill("0.02")
  await page.getByRole("button", { name: "Preview" }).click()
  await page.getByRole("button", { name: "Create service" }).click()
  const step = page.getByRole("status").filter({ hasText: "test request" })
  await expect(step).toContainText("Bind this service to an agent, then send a test request.")
  await expect(step.getByRole("link", { name: "Open agents" })).toBeVisible()
  const name = new URL(page.url()).pathname.split("/").at(-1)
  await api.call("POST", `/agents/${agent.id}/services`, 201, { service: name, operations: ["*"] })
  await step.getByRole("button", { name: "Send test request" }).click()
  await expect(page.getByRole("dialog", { name: "Send a test request" })).toBeVisible()
  await page.keyboard.press("Escape")
  await expect(step).toHaveCount(0)
})
