/** Storage: uploads with their interruptions, folders, previews, and the return of deleted files. */
import type { Page } from "@playwright/test"
import { expectNoBreaches, expectNothingSideways } from "../../support/console-looks.ts"
import { expect, type Person, signIn, test } from "../../support/console.ts"

/** Axe in every look takes long on a shared machine. */
test.describe.configure({ timeout: 150_000 })

const place = (person: Person) => `/w/${person.org}/storage`
const row = (page: Page, name: string) => page.getByRole("grid").getByRole("row").filter({ hasText: name })
const dialog = (page: Page) => page.getByRole("dialog")
const uploads = (page: Page) => page.getByRole("region", { name: "Uploads" })
const chosen = (page: Page) => page.locator("input[type=file]").first()
const textFile = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) })
const refusal = (status: number, code: string) => ({
  status,
  contentType: "application/json",
  body: JSON.stringify({ error: { code, message: "Refused.", request_id: "r-1" } })
})

test("a file is uploaded, read, moved to a folder, replaced, deleted, and restored", async ({ api, hub, owner, page }) => {
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/inbox`)
  await page.getByRole("link", { name: "Storage", exact: true }).click()
  await expect(page.getByText("No files yet.")).toBeVisible()
  await expect(page.getByText(`curl -sS '${hub.url}/api/v1/service-requests'`)).toBeVisible()
  await expectNoBreaches(page)

  await chosen(page).setInputFiles([textFile("june.txt", "Revenue grew."), textFile("empty.txt", "")])
  await expect(uploads(page).getByText("Uploaded")).toHaveCount(2)
  await expectNoBreaches(page)
  await row(page, "june.txt").click()
  await expect(dialog(page)).toContainText("Revenue grew.")
  await expect(dialog(page)).toContainText("13 bytes")
  await expectNoBreaches(page)
  await dialog(page).getByRole("button", { name: "Rename" }).click()
  await dialog(page).getByLabel("Key").fill("reports/2026/june.txt")
  await dialog(page).getByRole("button", { name: "Rename" }).click()
  await expect(dialog(page)).toContainText("reports/2026/june.txt")
  await dialog(page).getByRole("button", { name: "Edit metadata" }).click()
  await dialog(page).getByLabel("Name 1").fill("author")
  await dialog(page).getByLabel("Value 1").fill("Ada")
  await expectNoBreaches(page)
  await dialog(page).getByRole("button", { name: "Save" }).click()
  await expect(dialog(page)).toContainText("author")
  const saving = page.waitForEvent("download")
  await dialog(page).getByRole("link", { name: "Download" }).click()
  expect((await saving).suggestedFilename()).toBe("june.txt")
  await page.keyboard.press("Escape")

  await row(page, "reports").click()
  await row(page, "2026").click()
  await expect(page.getByRole("heading", { name: "2026", level: 1 })).toBeVisible()
  await expect(page.getByRole("link", { name: "reports" })).toBeVisible()
  await expect(row(page, "june.txt")).toBeVisible()
  await chosen(page).setInputFiles(textFile("june.txt", "Revenue fell."))
  await expect(uploads(page)).toContainText("A file with this key exists.")
  await expectNoBreaches(page)
  await uploads(page).getByRole("button", { name: "Replace" }).click()
  await expect(uploads(page)).toContainText("Uploaded")
  await row(page, "june.txt").click()
  await expect(dialog(page)).toContainText("Revenue fell.")
  await dialog(page).getByRole("button", { name: "Delete" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete file" }).click()
  await expect(page.getByText("No files in this folder.")).toBeVisible()

  await page.getByRole("tab", { name: "Deleted" }).click()
  await expect(row(page, "reports/2026/june.txt")).toHaveCount(2)
  await expectNoBreaches(page)
  await row(page, "reports/2026/june.txt").first().getByRole("button", { name: "Restore june.txt" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Restore file" }).click()
  await expect(row(page, "reports/2026/june.txt")).toHaveCount(1)
  await row(page, "reports/2026/june.txt").getByRole("button", { name: "Restore june.txt" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Restore file" }).click()
  await expect(page.getByRole("alertdialog")).toContainText("Rename or delete that file first.")
  const { data } = await api.call("GET", "/storage/objects?prefix=reports/", 200)
  expect(data.map(({ key }: { readonly key: string }) => key)).toEqual(["reports/2026/june.txt"])
})

test("an upload that a reload interrupted continues with the same file only; a canceled one leaves nothing", async ({ api, hub, owner, page }) => {
  page.on("dialog", (question) => void question.accept())
  await signIn(page, hub, owner)
  await page.goto(place(owner))
  // The store never answers: the bytes stay on their way.
  await page.route("**/storage/blobs/*", () => {})
  await chosen(page).setInputFiles(textFile("notes.txt", "The first version."))
  await expect(uploads(page).getByRole("progressbar")).toBeVisible()
  const usedBytes = async () => (await api.call("GET", "/storage/usage", 200)).used_bytes
  await expect.poll(usedBytes).toBe(18)
  await page.reload()
  await page.unroute("**/storage/blobs/*")
  await expect(uploads(page)).toContainText("Interrupted when the page was closed.")
  await expectNoBreaches(page)
  const again = uploads(page).locator("input[type=file]")
  await again.setInputFiles(textFile("other.txt", "The first version."))
  await expect(uploads(page)).toContainText("Choose the file notes.txt")
  await again.setInputFiles(textFile("notes.txt", "Short."))
  await expect(uploads(page)).toContainText("the interrupted one has 18 B")
  await again.setInputFiles(textFile("notes.txt", "The other version."))
  await expect(uploads(page)).toContainText("its content differs")
  await again.setInputFiles(textFile("notes.txt", "The first version."))
  await expect(uploads(page)).toContainText("Uploaded")
  await expect(row(page, "notes.txt")).toBeVisible()
  expect(await usedBytes()).toBe(18)

  // The bytes arrived, and the confirmation did not: it needs no file.
  await page.route("**/storage/objects/*/confirm", (route) => route.abort())
  await chosen(page).setInputFiles(textFile("second.txt", "Complete."))
  await expect(uploads(page)).toContainText("The connection was lost.")
  await page.unroute("**/storage/objects/*/confirm")
  await page.reload()
  await expect(row(page, "second.txt")).toBeVisible()

  await page.route("**/storage/blobs/*", () => {})
  await chosen(page).setInputFiles(textFile("third.txt", "Never mind."))
  await expect.poll(usedBytes).toBe(38)
  await uploads(page).getByRole("button", { name: "Cancel upload of third.txt" }).click()
  await expect.poll(usedBytes).toBe(27)
  await page.reload()
  await expect(row(page, "second.txt")).toBeVisible()
  await expect(uploads(page)).toHaveCount(0)
})

test("a refused upload says why and can be sent again; dropped files and media are shown", async ({ hub, owner, page }) => {
  await signIn(page, hub, owner)
  await page.goto(place(owner))
  const presign = "**/storage/objects/presign-upload"
  for (
    const [status, code, words] of [
      [409, "storage_quota_exceeded", "There is not enough room."],
      [503, "storage_not_shared", "Its operator must share the directory"]
    ] as const
  ) {
    await page.route(presign, (route) => route.fulfill(refusal(status, code)))
    await chosen(page).setInputFiles(textFile(`${code}.txt`, code))
    await expect(uploads(page)).toContainText(words)
    await page.unroute(presign)
  }
  await page.route("**/confirm", (route) => route.fulfill(refusal(409, "checksum_mismatch")), { times: 1 })
  await chosen(page).setInputFiles(textFile("changed.txt", "changed"))
  await expect(uploads(page)).toContainText("The file changed while it was sent.")
  await expectNoBreaches(page)
  for (const left of [2, 1, 0]) {
    await uploads(page).getByRole("button", { name: "Try again" }).first().click()
    await expect(uploads(page).getByRole("button", { name: "Try again" })).toHaveCount(left)
  }
  await expect(uploads(page).getByText("Uploaded")).toHaveCount(3)
  await uploads(page).getByRole("button", { name: "Clear finished" }).click()
  await expect(uploads(page)).toHaveCount(0)

  const transfer = await page.evaluateHandle(async () => {
    const all = new DataTransfer()
    const canvas = document.createElement("canvas")
    canvas.width = 320
    canvas.height = 180
    const pen = canvas.getContext("2d")!
    pen.fillStyle = "teal"
    pen.fillRect(20, 20, 200, 100)
    const image = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"))
    all.items.add(new File([image!], "chart.png", { type: "image/png" }))
    const samples = 8_000
    const sound = new DataView(new ArrayBuffer(44 + samples))
    const word = (at: number, text: string) => [...text].forEach((c, i) => sound.setUint8(at + i, c.charCodeAt(0)))
    word(0, "RIFF")
    sound.setUint32(4, 36 + samples, true)
    word(8, "WAVEfmt ")
    sound.setUint32(16, 16, true)
    sound.setUint16(20, 1, true)
    sound.setUint16(22, 1, true)
    sound.setUint32(24, 8_000, true)
    sound.setUint32(28, 8_000, true)
    sound.setUint16(32, 1, true)
    sound.setUint16(34, 8, true)
    word(36, "data")
    sound.setUint32(40, samples, true)
    all.items.add(new File([sound.buffer], "tone.wav", { type: "audio/wav" }))
    return all
  })
  const main = page.locator("#content > div")
  await main.dispatchEvent("dragover", { dataTransfer: transfer })
  await expect(page.getByText("Drop files to upload them to Storage")).toBeVisible()
  await main.dispatchEvent("drop", { dataTransfer: transfer })
  await expect(uploads(page).getByText("Uploaded")).toHaveCount(2)
  await row(page, "chart.png").click()
  const image = dialog(page).getByRole("img", { name: "Image chart.png" })
  await expect.poll(() => image.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBe(320)
  await expectNoBreaches(page)
  await page.keyboard.press("Escape")
  await row(page, "tone.wav").click()
  await expect.poll(() => dialog(page).locator("audio").evaluate((each: HTMLAudioElement) => each.duration)).toBe(1)
  await expectNoBreaches(page)
})

test("a viewer reads files and changes none", async ({ api, hub, owner, pageOf }) => {
  await api.store("notes.txt", "text/plain", "To be read.")
  const page = await pageOf(await hub.person({ org: owner.org, role: "viewer", name: "Vera" }))
  await page.goto(place(owner))
  await row(page, "notes.txt").click()
  await expect(dialog(page)).toContainText("To be read.")
  await expect(dialog(page).getByRole("link", { name: "Download" })).toBeVisible()
  await expect(page.getByRole("button", { name: /^(?:Upload files|Rename|Delete|Edit metadata)$/ })).toHaveCount(0)
})

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test("the list, a file, and its uploads fit the width", async ({ api, hub, owner, page }) => {
    const name = "A file whose name is rather long for the width of a phone.txt"
    await api.store(`reports/${name}`, "text/plain", "Long.")
    await signIn(page, hub, owner)
    await page.goto(`${place(owner)}?prefix=reports/`)
    await chosen(page).setInputFiles(textFile(`another ${name}`, "Longer."))
    await expect(uploads(page)).toContainText("Uploaded")
    await expectNothingSideways(page)
    await row(page, `another ${name}`).click()
    await expect(dialog(page)).toContainText("Longer.")
    await expectNothingSideways(page)
    await expectNoBreaches(page)
  })
})
