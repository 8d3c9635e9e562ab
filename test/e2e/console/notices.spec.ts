/** Notification settings: events and places, quiet hours, this browser, and the preview of emails. */
import type { Page } from "@playwright/test"
import { expectNoBreaches, expectNothingSideways } from "../../support/console-looks.ts"
import { expect, type Person, signIn, test } from "../../support/console.ts"
import { expectStatus } from "../../support/hub.ts"

interface Notice {
  readonly title: string
  readonly body: string
  readonly tag: string
  readonly icon: string
  readonly data: { readonly path: string }
}

/** The scope of the service worker. */
interface Scope {
  readonly registration: { showNotification: (title: string, options: Omit<Notice, "title">) => Promise<void> }
  shown?: ReadonlyArray<Notice>
}

const open = async (page: Page, person: Person, rest = "") => {
  await page.goto(`/w/${person.org}/settings/notifications${rest}`)
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
}

test("each switch is saved at once and shows the hub's answer, per workspace", async ({ hub, owner, page }) => {
  await signIn(page, hub, owner)
  await open(page, owner)
  const failedRuns = page.getByRole("switch", { name: "Failed workflow runs: Email" })
  await expect(failedRuns).not.toBeChecked()
  await failedRuns.click()
  await expect(failedRuns).toBeChecked()
  await page.getByRole("switch", { name: "Pending approvals: Email" }).click()
  await expect(page.getByRole("switch", { name: "Pending approvals: Email" })).not.toBeChecked()
  const settings = async (org: string) =>
    expectStatus(
      await hub.api("GET", "/notification-settings", { cookie: owner.cookie, headers: { "svc-workspace": org } }),
      200
    ).body
  expect((await settings(owner.org))["run.failed"]).toEqual({
    desktop: false,
    browser: false,
    email: true,
    channel: false
  })
  const other = await hub.workspace("Elsewhere")
  await hub.join(owner, other)
  expect((await settings(other))["approval.created"].email).toBe(true)
  await page.reload()
  await expect(page.getByRole("switch", { name: "Pending approvals: Email" })).not.toBeChecked()
  await expectNoBreaches(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNothingSideways(page)
})

test("quiet hours and the time between emails are checked and saved", async ({ hub, owner, page }) => {
  await signIn(page, hub, owner)
  await open(page, owner)
  await page.getByLabel("Quiet hours").check()
  await page.getByLabel("From", { exact: true }).fill("21:30")
  await page.getByLabel("To", { exact: true }).fill("21:30")
  await expect(page.getByText("Choose two different times.")).toBeVisible()
  await page.getByLabel("To", { exact: true }).fill("06:15")
  await page.getByLabel("Minutes between emails").fill("0")
  await expect(page.getByText("Enter a number from 1 to 1,440.")).toBeVisible()
  await page.getByLabel("Minutes between emails").fill("30")
  await page.getByRole("button", { name: "Save" }).click()
  await expect(page.getByText("Settings saved.")).toBeVisible()
  const { body } = await hub.api("GET", "/notification-settings", { cookie: owner.cookie })
  expect([body.quiet_hours, body.email_digest_minutes]).toEqual([{ from: "21:30", to: "06:15" }, 30])
})

test("an email is previewed as it is sent, in light and dark mode, and as text", async ({ hub, owner, page }) => {
  await signIn(page, hub, owner)
  await open(page, owner, "/mail")
  const mail = page.frameLocator("iframe")
  await expect(mail.getByRole("heading", { level: 1 })).toHaveText("2 approvals and requests are pending in Acme")
  const colorOf = () =>
    mail.locator("body").evaluate((body) => {
      const { backgroundColor, color } = getComputedStyle(body)
      return [backgroundColor, color]
    })
  await page.emulateMedia({ colorScheme: "light" })
  expect(await colorOf()).toEqual(["rgb(246, 245, 242)", "rgb(35, 38, 45)"])
  await page.emulateMedia({ colorScheme: "dark" })
  expect(await colorOf()).toEqual(["rgb(20, 22, 27)", "rgb(236, 235, 230)"])
  await page.getByLabel("Event").selectOption("Budget alerts")
  await expect(mail.getByText("Scout has used 80 % of its monthly budget").first()).toBeVisible()
  await page.getByRole("tab", { name: "Text" }).click()
  await expect(page.locator("pre")).toContainText("$400.00 of $500.00 used")
  await expectNoBreaches(page)
  const other = await hub.workspace("Elsewhere")
  await hub.join(owner, other)
  await page.goto(`/w/${other}/settings/notifications/mail`)
  await expect(mail.getByRole("heading", { level: 1 })).toHaveText("2 approvals and requests are pending in Elsewhere")
})

test("the page can be installed: each icon of its manifest is an image of the stated size", async ({ hub, page }) => {
  await page.goto("/")
  const icons = await page.evaluate(async () => {
    const link = document.querySelector<HTMLLinkElement>("link[rel=manifest]")
    const manifest = await (await fetch(link?.href ?? "")).json() as {
      readonly icons: ReadonlyArray<{ readonly src: string; readonly sizes: string; readonly purpose: string }>
    }
    return Promise.all(manifest.icons.map(async ({ purpose, sizes, src }) => {
      const image = new Image()
      image.src = src
      await image.decode()
      return { src, purpose, isRight: sizes === "any" || sizes === `${image.naturalWidth}x${image.naturalHeight}` }
    }))
  })
  expect(icons.filter(({ isRight }) => !isRight)).toEqual([])
  expect(icons.map(({ purpose }) => purpose)).toContain("maskable")
  expect(icons.filter(({ src }) => src.endsWith(".png"))).toHaveLength(3)
  expect(hub.url).toMatch(/^http/)
})

test("this browser is subscribed, its worker serves and caches nothing, and it is removed", async ({ context, hub, owner, page }) => {
  await context.grantPermissions(["notifications"], { origin: hub.url })
  // The push service of the browser's vendor is not reachable from a test; the worker and the notices are real.
  await page.addInitScript(() => {
    // Headless Chromium reports a granted permission only when it is requested.
    Object.defineProperty(Notification, "permission", { get: () => "granted" })
    const keys = {
      p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      auth: "BTBZMqHH6r4Tts7J_aSIgg"
    }
    PushManager.prototype.subscribe = async (options) => {
      const key = options?.applicationServerKey
      if (!(key instanceof Uint8Array) || key.length !== 65) throw new Error("no key of the hub")
      const endpoint = "https://push.example/1"
      return { endpoint, toJSON: () => ({ endpoint, keys }) } as unknown as PushSubscription
    }
  })
  await signIn(page, hub, owner)
  await open(page, owner)
  await page.getByRole("switch", { name: "Notify this browser" }).click()
  await expect(page.getByRole("switch", { name: "Notify this browser" })).toBeChecked()
  const browsers = page.getByRole("list", { name: "Your browsers" }).getByRole("listitem")
  await expect(browsers).toHaveCount(1)
  await expect(browsers).toContainText("push.example")
  const worker = await page.evaluate(async () => (await navigator.serviceWorker.ready).active?.scriptURL)
  expect(worker).toBe(`${hub.url}/push-worker.js`)
  expect(await page.evaluate(() => caches.keys())).toEqual([])
  // Headless Chromium refuses notifications: the worker shows this one to the test.
  const [notices] = context.serviceWorkers()
  if (notices === undefined) throw new Error("no service worker")
  await notices.evaluate(() => {
    const scope = globalThis as unknown as Scope
    scope.registration.showNotification = async (title, options) => {
      scope.shown = [...(scope.shown ?? []), { title, ...options }]
    }
  })
  const devtools = await context.newCDPSession(page)
  const registration = new Promise<string>((resolve) =>
    devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [first] }) => {
      if (first !== undefined) resolve(first.registrationId)
    })
  )
  await devtools.send("ServiceWorker.enable")
  const notice = { title: "Scout → voice.call", body: "$42.00 · Acme", path: `/w/${owner.org}/inbox`, tag: "apr_1" }
  await devtools.send("ServiceWorker.deliverPushMessage", {
    origin: hub.url,
    registrationId: await registration,
    data: JSON.stringify(notice)
  })
  const shown = () =>
    notices.evaluate(() =>
      ((globalThis as unknown as Scope).shown ?? []).map(({ data, icon, ...rest }) => ({
        ...rest,
        path: data.path,
        icon
      }))
    )
  await expect.poll(shown).toEqual([{ ...notice, icon: "/icon-192.png" }])
  expect((await page.reload())?.fromServiceWorker()).toBe(false)
  await page.getByRole("switch", { name: "Notify this browser" }).click()
  await expect(browsers).toHaveCount(0)
})
