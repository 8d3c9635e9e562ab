/** The documentation in a browser: search by keyboard, the menu of a phone, no scripts, and axe in every look. */
import { breaches, everyLook } from "../../support/axe.ts"
import { expect, test } from "../../support/console.ts"

test("the search finds a section by keyboard alone, and without scripts by its form", async ({ browser, hub, page }) => {
  await page.goto(`${hub.url}/docs`)
  await page.keyboard.press("/")
  await page.keyboard.type("binding digest")
  await expect(page.getByRole("option", { name: "Approvals › Binding digest" })).toBeVisible()
  await page.keyboard.press("Escape")
  await expect(page.getByRole("option")).toHaveCount(0)
  await page.getByRole("combobox").fill("binding digest")
  await expect(page.getByRole("option", { name: "Approvals › Binding digest" })).toBeVisible()
  await page.keyboard.press("ArrowDown")
  await expect(page.getByRole("option").first()).toHaveAttribute("aria-selected", "true")
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL(`${hub.url}/docs/approvals#binding-digest`)

  const context = await browser.newContext({ javaScriptEnabled: false })
  const plain = await context.newPage()
  await plain.goto(`${hub.url}/docs`)
  await plain.getByLabel("Search the documentation").fill("quorum")
  await plain.keyboard.press("Enter")
  await plain.getByRole("link", { name: "Approvals › Quorum" }).click()
  await expect(plain).toHaveURL(`${hub.url}/docs/approvals#quorum`)
  await context.close()
})

test("axe finds no violation, and nothing scrolls sideways or comes from another origin", async ({ hub, page }) => {
  const foreign: Array<string> = []
  page.on("request", (request) => {
    if (/^https?:/u.test(request.url()) && !request.url().startsWith(hub.url)) foreign.push(request.url())
  })
  for (const path of ["/docs", "/docs/operation", "/docs/api/service_requests", "/docs/search?q=approval"]) {
    await page.goto(`${hub.url}${path}`)
    expect(await breaches(page, everyLook), path).toEqual([])
  }
  await page.setViewportSize({ width: 390, height: 844 })
  for (const path of ["/docs", "/docs/operation", "/docs/api"]) {
    await page.goto(`${hub.url}${path}`)
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), path).toBe(0)
  }
  await page.getByRole("button", { name: "Menu" }).click()
  await expect(page.getByRole("link", { name: "All endpoints" })).toBeVisible()
  expect(await breaches(page, ["light"])).toEqual([])
  await page.keyboard.press("Escape")
  await expect(page.getByRole("link", { name: "All endpoints" })).toBeHidden()
  expect(foreign).toEqual([])
})
