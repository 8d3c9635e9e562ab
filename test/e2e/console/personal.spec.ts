/** Personal settings: time zone and absolute times, notifications and sound. */
import type { Page } from "@playwright/test"
import { expect, expectAccessible, signIn, test } from "../../support/console.ts"

test.describe("times", () => {
  test("are shown in the account's time zone, which is selected from a list, and in the browser's without one", async ({ api, hub, owner, page, pageOf, upstream }) => {
    const { approvals: [id = ""] } = await api.waiting(await upstream(), 1)
    await signIn(page, hub, owner)
    await page.goto(`/w/${owner.org}/settings/account`)
    const zone = page.getByLabel("Time zone")
    await expect(zone).toHaveValue("")
    await expect(zone).toHaveAttribute("placeholder", "UTC")
    await expect(page.locator("datalist option[value='Asia/Kathmandu'], datalist option[value='Asia/Katmandu']"))
      .toHaveCount(1)
    await expectAccessible(page)
    await zone.fill("Mars/Olympus")
    await page.getByRole("button", { name: "Save profile" }).click()
    await expect(page.getByText("Choose a time zone from the list, such as Europe/Berlin.")).toBeVisible()
    await zone.fill("asia/tokyo")
    await page.getByLabel("Name", { exact: true }).fill("Ada Lovelace")
    await page.getByRole("button", { name: "Save profile" }).click()
    await expect(page.getByText("Profile saved.")).toBeVisible()
    await expect(zone).toHaveValue("Asia/Tokyo")
    const me = await api.call("GET", "/auth/me", 200)
    expect([me.user.name, me.user.time_zone]).toEqual(["Ada Lovelace", "Asia/Tokyo"])
    // Another browser too: the zone belongs to the account. Titles show the full time.
    const other = await pageOf(owner)
    const requested = async (where: Page) => {
      await where.goto(`/w/${owner.org}/approvals/${id}`)
      return where.getByRole("article").locator("header time[title]").first()
    }
    const { requested_at: at } = await api.call("GET", `/approvals/${id}`, 200)
    const tokyo = new Intl.DateTimeFormat("en-GB", {
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      timeZone: "Asia/Tokyo"
    }).format(new Date(at))
    await expect(await requested(other)).toHaveAttribute("title", new RegExp(`${tokyo}.*GMT\\+9`, "u"))
    await expect(other.getByText("this month (UTC)").first()).toBeVisible()
    await page.goto(`/w/${owner.org}/settings/account`)
    await zone.fill("")
    await page.getByRole("button", { name: "Save profile" }).click()
    await expect(page.getByText("Profile saved.")).toBeVisible()
    await expect(await requested(page)).toHaveAttribute("title", /UTC|GMT$/u)
  })

  test("within an hour are relative, or absolute if this browser is set to that", async ({ api, hub, owner, page, upstream }) => {
    const { approvals: [id = ""] } = await api.waiting(await upstream(), 1)
    await signIn(page, hub, owner)
    const requested = page.getByRole("article").locator("header time[title]").first()
    await page.goto(`/w/${owner.org}/approvals/${id}`)
    await expect(requested).toHaveText(/now|sec|min/u)
    await page.goto(`/w/${owner.org}/settings/appearance`)
    await page.getByLabel("Absolute times").check()
    await page.goto(`/w/${owner.org}/approvals/${id}`)
    await expect(requested).toHaveText(/\d\d:\d\d (?:UTC|GMT)/u)
  })
})

interface Recorded {
  readonly notices: Array<string>
  tones: number
  asked: number
}
type Recording = typeof globalThis & { recorded: Recorded }

/** Records the page's notifications and audio, because a test cannot see the system's. */
const record = (page: Page, answer: NotificationPermission): Promise<unknown> =>
  page.addInitScript((answer) => {
    const recorded: Recorded = { notices: [], tones: 0, asked: 0 }
    ;(globalThis as Recording).recorded = recorded
    let permission: NotificationPermission = sessionStorage.getItem("permission") as NotificationPermission | null ??
      "default"
    globalThis.Notification = class extends EventTarget {
      static get permission() {
        return permission
      }
      static async requestPermission() {
        recorded.asked++
        permission = answer
        sessionStorage.setItem("permission", answer)
        return answer
      }
      constructor(title: string, options?: NotificationOptions) {
        super()
        recorded.notices.push(`${title}: ${options?.body ?? ""}`)
      }
    } as unknown as typeof Notification
    const start = OscillatorNode.prototype.start
    OscillatorNode.prototype.start = function(...args) {
      recorded.tones++
      start.apply(this, args)
    }
  }, answer)

const recordedIn = (page: Page): Promise<Recorded> => page.evaluate(() => (globalThis as Recording).recorded)

const setVisible = (page: Page, state: "visible" | "hidden"): Promise<void> =>
  page.evaluate((state) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state })
    document.dispatchEvent(new Event("visibilitychange"))
  }, state)

test.describe("new approvals", () => {
  test("are counted in the tab's title and drawn on its icon, without any setting", async ({ api, hub, owner, page, upstream }) => {
    const { approvals: [first = ""] } = await api.waiting(await upstream(), 2)
    await signIn(page, hub, owner)
    await page.goto(`/w/${owner.org}/audit`)
    const icon = page.locator("link[rel=icon]")
    await expect(page).toHaveTitle(/^\(2\) /u)
    await expect(icon).toHaveAttribute("href", /^data:image\/svg\+xml,.*%3E2%3C/u)
    await api.call("POST", `/approvals/${first}/reject`, 200, {})
    await expect(icon).toHaveAttribute("href", /%3E1%3C/u)
    const [second] = (await api.call("GET", "/approvals?status=pending", 200)).data
    await api.call("POST", `/approvals/${second.id}/reject`, 200, {})
    await expect(icon).toHaveAttribute("href", "/icon.svg")
    await expect(page).not.toHaveTitle(/^\(/u)
  })

  test("notify while the tab is hidden, and play a sound, only after the person enabled each", async ({ api, hub, owner, page, upstream }) => {
    await record(page, "granted")
    const { agent, service } = await api.waiting(await upstream(), 1)
    await api.topUp(100_000)
    const send = (item: string) => api.send(agent, { service, operation: "buy", payload: { item } })
    await signIn(page, hub, owner)
    await page.goto(`/w/${owner.org}/settings/notifications`)
    await expect(page).toHaveTitle(/^\(1\) /u)
    await expect(page.getByLabel("Desktop notifications")).toBeVisible()
    await expectAccessible(page)
    await setVisible(page, "hidden")
    await send("off")
    await expect(page).toHaveTitle(/^\(2\) /u)
    expect(await recordedIn(page)).toEqual({ notices: [], tones: 0, asked: 0 })
    await setVisible(page, "visible")
    await page.getByLabel("Desktop notifications").check()
    await page.getByLabel("Sound", { exact: true }).check()
    expect((await recordedIn(page)).asked).toBe(1)
    await setVisible(page, "hidden")
    await send("on")
    await expect.poll(() => recordedIn(page)).toEqual({
      notices: ["Countersign: 3 pending approvals"],
      tones: 1,
      asked: 1
    })
    await page.reload()
    await expect(page.getByLabel("Desktop notifications")).toBeChecked()
    await expect(page.getByLabel("Sound", { exact: true })).toBeChecked()
  })

  test("do not notify if the browser refuses, and the setting shows why", async ({ hub, owner, page }) => {
    await record(page, "denied")
    await signIn(page, hub, owner)
    await page.goto(`/w/${owner.org}/settings/notifications`)
    await page.getByLabel("Desktop notifications").click()
    await expect(page.getByText("This browser blocks notifications from this site.")).toBeVisible()
    await expect(page.getByLabel("Desktop notifications")).not.toBeChecked()
  })
})
