/** The tests of a worker share a browser context (`console-contexts.ts`): nothing of one test reaches the next. */
import { expect, signIn, test } from "../../support/console.ts"

// In this order, in one worker.
test.describe.configure({ mode: "serial" })

test("a test leaves a session, storage, a permission, routes, pages, and a broken connection behind", async ({ context, hub, owner, page }) => {
  await signIn(page, hub, owner)
  await context.grantPermissions(["clipboard-read", "notifications"])
  await context.route("**/api/v1/meta", (route) => route.abort())
  await page.addInitScript(() => Object.assign(globalThis, { isLeft: true }))
  await page.emulateMedia({ colorScheme: "dark", forcedColors: "active" })
  await page.setViewportSize({ width: 390, height: 844 })
  const other = await context.newPage()
  for (const each of [page, other]) {
    await each.goto("/sign-in")
    await each.evaluate(() => {
      localStorage.setItem("left", "by a test")
      sessionStorage.setItem("left", "by a test")
    })
  }
  await page.keyboard.down("Shift")
  await context.setOffline(true)
  expect(await page.evaluate(() => navigator.onLine)).toBe(false)
})

test("the next test finds none of them", async ({ context, hub, page }) => {
  expect(await context.cookies()).toEqual([])
  await page.goto("/sign-in")
  const found = await page.evaluate(async () => ({
    isLeft: "isLeft" in globalThis,
    stored: [localStorage.getItem("left"), sessionStorage.getItem("left")],
    notifications: (await navigator.permissions.query({ name: "notifications" })).state === "granted",
    isOnLine: navigator.onLine,
    looks: [matchMedia("(prefers-color-scheme: dark)").matches, matchMedia("(forced-colors: active)").matches],
    width: innerWidth,
    opener: window.opener as unknown,
    history: history.length
  }))
  expect(found).toEqual({
    isLeft: false,
    stored: [null, null],
    notifications: false,
    isOnLine: true,
    looks: [false, false],
    width: 1440,
    opener: null,
    history: 1
  })
  expect(await page.evaluate(() => fetch("/api/v1/meta").then(({ status }) => status))).toBeLessThan(500)
  await page.evaluate(() =>
    addEventListener("keydown", (event) => Object.assign(globalThis, { shift: event.shiftKey }))
  )
  await page.keyboard.press("x")
  expect(await page.evaluate(() => (globalThis as unknown as { readonly shift: boolean }).shift)).toBe(false)
  const screens = context.pages().filter((each) => each !== page).map((each) => each.url())
  expect(screens, "only the anchor").toEqual([`${hub.url}/`])
})
