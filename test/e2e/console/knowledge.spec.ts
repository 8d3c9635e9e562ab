/** Knowledge: documents are added, read in the background with the built-in embedder, found, and read in place. */
import type { Page } from "@playwright/test"
import { expectNoBreaches, expectNothingSideways } from "../../support/console-looks.ts"
import { expect, type Person, signIn, test } from "../../support/console.ts"
import { pdfOf } from "../../support/documents.ts"

/** The first document loads the model. */
test.describe.configure({ timeout: 240_000 })

const place = (person: Person) => `/w/${person.org}/knowledge`
const row = (page: Page, name: string) => page.getByRole("grid").getByRole("row").filter({ hasText: name })
const dialog = (page: Page) => page.getByRole("dialog")
const region = (page: Page, name: string) => page.getByRole("region", { name })

const handbook = [
  "Travel. The company pays for second class trains and for hotels of up to 150 euros a night.",
  "Refunds. A customer who returns a product within thirty days gets the whole price back.",
  "Holidays. Everybody has thirty days of leave each year, and takes at least ten of them in a row."
]
const pdf = () => ({ name: "handbook.pdf", mimeType: "application/pdf", buffer: Buffer.from(pdfOf(handbook)) })

test("a dropped PDF is read, and a question shows its passage in its page", async ({ api, hub, owner, page }) => {
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/inbox`)
  await page.getByRole("link", { name: "Knowledge", exact: true }).click()
  await expect(page.getByText("No collections yet.")).toBeVisible()
  await expectNoBreaches(page)
  await page.getByRole("button", { name: "New collection" }).click()
  await dialog(page).getByLabel("Name").fill("Handbook")
  await dialog(page).getByLabel("Description").fill("The rules of the company.")
  await expectNoBreaches(page)
  await dialog(page).getByRole("button", { name: "Create collection" }).click()
  await expect(page.getByText("No documents yet.")).toBeVisible()
  await expectNoBreaches(page)

  const file = pdf()
  const transfer = await page.evaluateHandle(({ base64, name, type }) => {
    const all = new DataTransfer()
    all.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name, { type }))
    return all
  }, { base64: file.buffer.toString("base64"), name: file.name, type: file.mimeType })
  const main = page.locator("#content > div")
  await main.dispatchEvent("dragover", { dataTransfer: transfer })
  await expect(page.getByText("Drop files to add them to Handbook")).toBeVisible()
  await main.dispatchEvent("drop", { dataTransfer: transfer })
  await expect(row(page, "handbook")).toContainText("Ready", { timeout: 120_000 })
  await expectNoBreaches(page)

  await page.getByLabel("Ask a question").fill("How long can a customer give something back?")
  await page.getByRole("button", { name: "Ask", exact: true }).click()
  const answers = region(page, "Passages for")
  const first = answers.getByRole("listitem").first()
  await expect(first).toContainText("within thirty days gets the whole price back")
  await expect(first).toContainText("Page 2")
  await expectNoBreaches(page)
  await first.getByRole("button", { name: /^Read it in / }).click()
  const text = dialog(page).getByRole("region", { name: /^Text of / })
  await expect(text.locator("mark")).toContainText("within thirty days gets the whole price back")
  await expect(text).toContainText("second class trains")
  await expect(text).toContainText("Page 3")
  await expectNoBreaches(page)
  await page.keyboard.press("Escape")

  await page.getByRole("button", { name: "Show documents" }).click()
  await row(page, "handbook").click()
  await dialog(page).getByRole("button", { name: "Delete" }).click()
  await expect(page.getByRole("alertdialog")).toContainText("deleted for good")
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete document" }).click()
  await expect(page.getByText("No documents yet.")).toBeVisible()
  await page.getByRole("button", { name: "Actions for Handbook" }).click()
  await page.getByRole("menuitem", { name: "Delete collection" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete collection" }).click()
  await expect(page.getByText("No collections yet.")).toBeVisible()
  expect((await api.call("GET", "/knowledge/collections", 200)).data).toEqual([])
})

test("text is pasted, a file comes from Storage, and a file that cannot be read says why and what to do", async ({ api, hub, owner, page }) => {
  const { id } = await api.call("POST", "/knowledge/collections", 201, { name: "Notes" })
  await api.store("reports/june.md", "text/markdown", "# June\n\nRevenue grew by 4 %.\n")
  await signIn(page, hub, owner)
  await page.goto(`${place(owner)}/${id}`)
  const add = async (from: string) => {
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("menuitem", { name: from }).click()
  }
  await add("Paste text")
  await dialog(page).getByLabel("Title").fill("Opening hours")
  await dialog(page).getByRole("textbox", { name: "Text" }).fill("The shop is open from nine to five.")
  await expectNoBreaches(page)
  await dialog(page).getByRole("button", { name: "Add document" }).click()
  await expect(row(page, "Opening hours")).toBeVisible()
  await add("From Storage")
  await dialog(page).getByLabel("Key begins with").fill("reports/")
  await dialog(page).getByRole("radio", { name: "reports/june.md" }).check()
  await expectNoBreaches(page)
  await dialog(page).getByRole("button", { name: "Add document" }).click()
  await expect(row(page, "june")).toContainText("Markdown")

  const input = page.locator("input[type=file]")
  await input.setInputFiles([
    { name: "locked.pdf", mimeType: "application/pdf", buffer: Buffer.from(pdfOf(["secret"], { encrypted: true })) },
    { name: "tune.mp3", mimeType: "audio/mpeg", buffer: Buffer.from("not text") }
  ])
  const files = region(page, "Files being added")
  await expect(files).toContainText("Only text, Markdown, HTML, PDF, and Word files (.docx) can be added.")
  await files.getByRole("button", { name: "Remove tune.mp3 from this list" }).click()
  await expect(row(page, "locked")).toContainText("Failed", { timeout: 60_000 })
  await row(page, "locked").click()
  await expect(dialog(page)).toContainText("Remove the password, and add it again.")
  await expect(dialog(page).getByRole("button", { name: "Try again" })).toBeVisible()
  await expectNoBreaches(page)
})

test("a viewer asks and changes nothing; a collection of another model shows it", async ({ api, hub, owner, pageOf }) => {
  const { id } = await api.call("POST", "/knowledge/collections", 201, { name: "Notes" })
  const page = await pageOf(await hub.person({ org: owner.org, role: "viewer", name: "Vera" }))
  await page.route(`**/knowledge/collections/${id}`, async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, json: { ...await answer.json(), needs_reindex: true } })
  })
  await page.goto(`${place(owner)}/${id}`)
  await expect(page.getByText("Questions work again after re-indexing.")).toBeVisible()
  await expect(page.getByLabel("Ask a question")).toBeVisible()
  await expect(page.getByRole("button", { name: /^(?:Add|Re-index|Actions for Notes)$/ })).toHaveCount(0)
  await expectNoBreaches(page)
})

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test("the collections and one of them fit the width", async ({ api, hub, owner, page }) => {
    const name = "A collection whose name is rather long for the width of a phone"
    const { id } = await api.call("POST", "/knowledge/collections", 201, { name, description: "With a description." })
    const title = "A document whose title is rather long for the width of a phone"
    await api.call("POST", `/knowledge/collections/${id}/documents`, 202, { title, text: "Short." })
    await signIn(page, hub, owner)
    await page.goto(place(owner))
    await expectNothingSideways(page)
    await row(page, name).click()
    await expect(row(page, title)).toBeVisible()
    await expectNothingSideways(page)
    await expectNoBreaches(page)
  })
})
