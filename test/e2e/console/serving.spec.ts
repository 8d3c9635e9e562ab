/** The pages that the hub serves, and the browser policies that they set. */
import { expect, signIn, test } from "../../support/console.ts"

test("the console is served under a policy that runs only the hub's own files, and complies with it", async ({ hub, page }) => {
  const answered = await page.goto("/")
  const headers = answered?.headers() ?? {}
  expect(answered?.status()).toBe(200)
  expect(headers["content-type"]).toBe("text/html; charset=utf-8")
  expect(headers["cache-control"]).toBe("no-cache")
  expect(headers["content-security-policy"]).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(headers["content-security-policy"]).not.toMatch(/unsafe|https?:|\*/)
  expect(headers["x-content-type-options"]).toBe("nosniff")
  expect(headers["cross-origin-opener-policy"]).toBe("same-origin")
  await expect(page.locator("body")).toContainText(/\w/)
  const foreign = await page.evaluate(() =>
    performance.getEntriesByType("resource").map(({ name }) => new URL(name).origin)
  )
  expect([...new Set(foreign)]).toEqual([hub.url])
})

test("an injected inline script and style have no effect", async ({ page, problems }) => {
  problems.expected.push("content security policy")
  await page.goto("/")
  await page.evaluate(() => {
    const script = document.createElement("script")
    try {
      script.textContent = "globalThis.planted = true"
    } catch {
      // Trusted types reject the text already.
    }
    document.head.append(script)
    const style = document.createElement("style")
    style.textContent = "body { display: none !important }"
    document.head.append(style)
  })
  await expect.poll(() => problems.found.length).toBeGreaterThanOrEqual(2)
  expect(await page.evaluate(() => "planted" in globalThis)).toBe(false)
  await expect(page.locator("body")).toBeVisible()
})

test("a link to a screen works when it is opened and when it is reloaded", async ({ hub, owner, page }) => {
  await signIn(page, hub, owner)
  const link = `/w/${owner.org}/requests?status=executed`
  await page.goto(link)
  await expect(page).toHaveURL(`${hub.url}${link}`)
  await page.reload()
  await expect(page).toHaveURL(`${hub.url}${link}`)
  await expect(page.locator("body")).toContainText(/\w/)
})

test("an unknown file does not answer the console", async ({ hub, page }) => {
  for (const path of ["/assets/none-abcdefgh.js", "/none.png", "/api/v1/none"]) {
    const answered = await page.request.get(`${hub.url}${path}`)
    expect(answered.status()).toBe(404)
    expect((await answered.json()).error.code).toBe("not_found")
  }
})
