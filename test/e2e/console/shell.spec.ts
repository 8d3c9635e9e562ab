/** The shell of every screen: sign-in, the event stream, freezing, keys, the palette, and appearance. */
import { gzipSync } from "node:zlib"
import { apiFor, expect, expectAccessible, password, signIn, test } from "../../support/console.ts"
import { cookieOf, expectStatus } from "../../support/hub.ts"

const rail = "nav[aria-label=Main]:visible"
const live = "[data-phase=online]"

test.describe("a session", () => {
  test("begins at a sign-in page that leads back to the link, and shows a wrong password in place", async ({ owner, page }) => {
    const link = `/w/${owner.org}/audit?q=user`
    await page.goto(link)
    await expect(page).toHaveURL(/\/sign-in\?to=/)
    await expectAccessible(page)
    await page.getByLabel("E-mail").fill(owner.email)
    await page.getByLabel("Password").fill("not the password")
    await page.keyboard.press("Enter")
    await expect(page.getByText("E-mail or password is not right.")).toBeVisible()
    await page.getByLabel("Password").fill(password)
    await page.keyboard.press("Enter")
    await expect(page).toHaveURL(link)
    await expect(page.locator(live)).toBeVisible()
  })

  test("that ends elsewhere leads to the sign-in page and from there back, in every tab at once", async ({ context, hub, owner, page }) => {
    await signIn(page, hub, owner)
    const other = await context.newPage()
    const links = [`/w/${owner.org}/audit?q=first`, `/w/${owner.org}/audit?q=second`] as const
    await page.goto(links[0])
    await other.goto(links[1])
    await expect(other.locator(live)).toBeVisible()
    await hub.api("POST", "/auth/logout", { cookie: owner.cookie })
    for (const each of [page, other]) await expect(each).toHaveURL(/\/sign-in\?to=/)
    await other.getByLabel("E-mail").fill(owner.email)
    await other.getByLabel("Password").fill(password)
    await other.keyboard.press("Enter")
    await expect(other).toHaveURL(links[1])
    await expect(page).toHaveURL(links[0])
  })

  test("that the person ends leaves no data in any tab", async ({ context, hub, owner, page }) => {
    await signIn(page, hub, owner)
    const other = await context.newPage()
    for (const each of [page, other]) {
      await each.goto(`/w/${owner.org}/audit`)
      await expect(each.locator(live)).toBeVisible()
    }
    await page.getByRole("button", { name: /Appearance, keys, sign out/ }).click()
    await page.getByRole("menuitem", { name: "Sign out" }).click()
    for (const each of [page, other]) {
      await expect(each).toHaveURL(/\/sign-in/)
      await expect(each.getByText("Signed in")).toHaveCount(0)
    }
  })

  test("a setup link's token is removed from the address before the first call", async ({ page }) => {
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(request.url()))
    await page.goto("/setup#token=secret-token")
    await expect(page.locator("body")).toContainText(/\w/)
    expect(new URL(page.url()).hash).toBe("")
    expect(asked.filter((url) => url.includes("secret-token") && !url.includes("#"))).toEqual([])
  })
})

test.describe("a workspace", () => {
  test("of another person is not found, in the same words as one that does not exist", async ({ hub, owner, page }) => {
    await signIn(page, hub, owner)
    const foreign = await hub.workspace("Foreign")
    for (const id of [foreign, "org_01m7z1dp3aev9txhv3z6yvkx39", "nobody"]) {
      await page.goto(`/w/${id}/audit`)
      await expect(page.getByText("Page not found")).toBeVisible()
    }
  })

  test("is switched in one tab and stays in the other", async ({ context, hub, owner, page }) => {
    const second = await hub.workspace("Second")
    await hub.join(owner, second)
    await signIn(page, hub, owner)
    const other = await context.newPage()
    for (const each of [page, other]) await each.goto(`/w/${owner.org}/audit`)
    await page.getByRole("button", { name: /Workspace ?Acme/ }).click()
    await page.getByRole("menuitemradio", { name: "Second" }).click()
    await expect(page).toHaveURL(new RegExp(`/w/${second}/`))
    await page.goto("/w/second/audit")
    await expect(page, "a name in the address becomes the id").toHaveURL(`/w/${second}/audit`)
    await expect(other.getByRole("button", { name: /Workspace ?Acme/ })).toBeVisible()
  })
})

test("names a parameter that no screen applies, and does not send it to the hub", async ({ hub, owner, page }) => {
  expectStatus(await hub.api("POST", "/auth/login", { body: { email: owner.email, password } }), 200)
  await signIn(page, hub, owner)
  const refused: Array<string> = []
  page.on("response", (response) => response.status() === 400 && refused.push(response.url()))
  await page.goto(`/w/${owner.org}/audit?q=user&utm_source=mail&from=never`)
  const notice = page.getByRole("status").filter({ hasText: "can't be used here" })
  for (const part of ["utm_source=mail", "from=never"]) {
    await expect(notice.getByText(part, { exact: true })).toBeVisible()
  }
  await expect(page.getByText("Signed in").first()).toBeVisible()
  await notice.getByRole("button", { name: "Remove from link" }).click()
  await expect(page).toHaveURL(`/w/${owner.org}/audit?q=user`)
  expect(refused).toEqual([])
})

test.describe("the event stream", () => {
  test("is shared by all tabs, and moves to the next tab when the first is closed", async ({ context, hub, owner, page }) => {
    await signIn(page, hub, owner)
    const streams: Array<string> = []
    context.on("request", (request) => {
      if (request.url().includes("/events")) streams.push(request.url())
    })
    await page.goto(`/w/${owner.org}/audit`)
    await expect(page.locator(live)).toBeVisible()
    const other = await context.newPage()
    await other.goto(`/w/${owner.org}/audit`)
    await expect(other.locator(live)).toBeVisible()
    expect(streams.length).toBe(1)
    await page.close()
    await expect.poll(() => streams.length).toBe(2)
    const api = apiFor(hub, owner)
    await api.call("PATCH", `/workspaces/${owner.org}`, 200, { frozen: true })
    await expect(other.getByText("All spending of this workspace is frozen.")).toBeVisible()
  })

  test("of a killed hub shows since when it is lost, and catches up once it is back", async ({ browser, newHub }) => {
    const hub = await newHub()
    const token = new URLSearchParams(new URL(await hub.setupLink()).hash.slice(1)).get("token")
    const email = "ada@example.test"
    const made = expectStatus(await hub.api("POST", "/auth/setup", { body: { token, email, password } }), 201)
    const org = made.body.active_workspace
    const cookie = cookieOf(made)
    const context = await browser.newContext({ baseURL: hub.url })
    await signIn(context, hub, { cookie })
    const page = await context.newPage()
    await page.goto(`/w/${org}/audit`)
    await expect(page.locator(live)).toBeVisible()
    await hub.kill()
    await expect(page.getByText(/Not connected since \d\d:\d\d:\d\d/)).toBeVisible()
    await expect(page.getByRole("main"), "what was shown stays").toContainText(/\w/)
    await hub.restart()
    await hub.api("PATCH", `/workspaces/${org}`, { cookie, body: { frozen: true } })
    await page.getByRole("button", { name: "Retry" }).click({ timeout: 2_000 }).catch(() => {})
    await expect(page.locator(live)).toBeVisible()
    await expect(page.getByText(/Not connected since/)).toHaveCount(0)
    await expect(page.getByText("All spending of this workspace is frozen.")).toBeVisible()
    await context.close()
  })
})

test.describe("freezing", () => {
  test("stops a workspace after a confirmation, shows it, and is lifted", async ({ hub, api, owner, page }) => {
    await signIn(page, hub, owner)
    await page.goto(`/w/${owner.org}/audit`)
    await page.locator(rail).getByRole("button", { name: "Freeze spending" }).click()
    const question = page.getByRole("alertdialog")
    await expect(question).toContainText("Freeze all spending of Acme?")
    await expectAccessible(page)
    await question.getByRole("button", { name: "Freeze spending" }).click()
    await expect(page.getByText("All spending of this workspace is frozen.")).toBeVisible()
    expect((await api.call("GET", `/workspaces/${owner.org}`, 200)).frozen).toBe(true)
    await page.getByRole("status").getByRole("button", { name: "Lift freeze" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Lift freeze" }).click()
    await expect(page.getByText("All spending of this workspace is frozen.")).toHaveCount(0)
    expect((await api.call("GET", `/workspaces/${owner.org}`, 200)).frozen).toBe(false)
  })

  test("is not offered to a viewer", async ({ hub, owner, pageOf }) => {
    const page = await pageOf(await hub.person({ org: owner.org, role: "viewer", name: "Vera" }))
    await page.goto(`/w/${owner.org}/audit`)
    await expect(page.locator(live)).toBeVisible()
    await expect(page.locator(rail).getByRole("button", { name: "Freeze spending" })).toHaveCount(0)
  })
})

test.describe("keys", () => {
  test("open the palette, which navigates and acts, and the list of keys, where they are changed and disabled", async ({ hub, owner, page }) => {
    await signIn(page, hub, owner)
    await page.goto(`/w/${owner.org}`)
    await page.goto(`/w/${owner.org}/audit?q=x`)
    await expect(page.locator(live)).toBeVisible()
    await page.keyboard.press("Control+k")
    const palette = page.getByRole("combobox", { name: "Search or act" })
    await palette.fill("dark")
    await page.keyboard.press("Enter")
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark")
    await expect(palette).toHaveCount(0)
    await page.keyboard.press("?")
    const list = page.getByRole("dialog", { name: "Keyboard" })
    const audit = list.getByRole("button", { name: /^Set another key for: Audit/ })
    await expect(list).toBeVisible()
    await expectAccessible(page)
    await audit.click()
    await page.keyboard.press("g")
    await page.keyboard.press("x")
    await page.keyboard.press("Enter")
    await expect(audit).toHaveText(/gx$/)
    await page.keyboard.press("Escape")
    await expect(list).toHaveCount(0)
    await page.keyboard.press("g")
    await page.keyboard.press("x")
    await expect(page).toHaveURL(`/w/${owner.org}/audit`)
    await page.keyboard.press("?")
    await list.getByLabel("Switch single keys off").check()
    await page.keyboard.press("Escape")
    await expect(list).toHaveCount(0)
    await page.keyboard.press("?")
    await page.keyboard.press("Control+k")
    await expect(palette).toBeVisible()
    await expect(list).toHaveCount(0)
  })

  test("alone reach everything in the shell", async ({ hub, owner, page }) => {
    await signIn(page, hub, owner)
    await page.goto(`/w/${owner.org}/audit`)
    await expect(page.locator(live)).toBeVisible()
    await page.keyboard.press("Tab")
    await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused()
    await page.keyboard.press("Enter")
    await expect(page.locator("#content")).toBeFocused()
    await page.getByRole("button", { name: /Workspace ?Acme/ }).focus()
    await page.keyboard.press("Enter")
    await expect(page.getByRole("menuitemradio", { name: "Acme" })).toBeVisible()
    await page.keyboard.press("Escape")
    await expect(page.getByRole("button", { name: /Workspace ?Acme/ })).toBeFocused()
  })
})

for (const look of ["light", "dark", "more"] as const) {
  test(`axe finds no violation in the shell in ${look === "more" ? "high contrast" : look}`, async ({ hub, owner, page }) => {
    await page.addInitScript((look) => {
      localStorage.setItem(
        "countersign.appearance",
        JSON.stringify(look === "more" ? { contrast: "more" } : { theme: look })
      )
    }, look)
    await signIn(page, hub, owner)
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 })
      await page.goto(`/w/${owner.org}/audit`)
      await expect(page.getByRole("heading", { name: "Audit" })).toBeVisible()
      await expectAccessible(page)
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    }
  })
}

test("a tooltip shows on focus and under the pointer, and leaves Escape to the dialog around it", async ({ hub, owner, page }) => {
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/audit`)
  await expect(page.locator(live)).toBeVisible()
  await page.locator(live).hover()
  await expect(page.getByRole("tooltip")).toHaveText("Changes appear here as they happen.")
  await page.getByRole("tooltip").hover()
  await expect(page.getByRole("tooltip")).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press("Escape")
  await expect(page.getByRole("tooltip")).toHaveCount(0)
  await page.keyboard.press("?")
  const list = page.getByRole("dialog", { name: "Keyboard" })
  await expect(list).toBeVisible()
  await page.keyboard.press("Shift+Tab")
  await expect(page.getByRole("tooltip")).toContainText("Close")
  await page.keyboard.press("Escape")
  await expect(list).toHaveCount(0)
})

test("the first load of the inbox is at most 193 kB of script, gzip", async ({ hub, owner, api, page, upstream }) => {
  const { approvals: [waiting] } = await api.waiting(await upstream())
  // Scripts that are preloaded once the browser is idle are not part of the first load.
  await page.addInitScript(() => {
    window.requestIdleCallback = () => 0
  })
  await signIn(page, hub, owner)
  const scripts = new Map<string, Promise<number>>()
  page.on("response", (response) => {
    if (response.request().resourceType() === "script") {
      scripts.set(
        response.url(),
        response.body().then((body) => gzipSync(body, { level: 9 }).length)
      )
    }
  })
  await page.goto(`/w/${owner.org}/inbox?open=${waiting}`)
  await expect(page.locator(live)).toBeVisible()
  await expect(page.getByRole("button", { name: /^Approve \$/ })).toBeVisible()
  const sizes = await Promise.all(scripts.values())
  expect(sizes.length).toBeGreaterThan(2)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(193_000)
})

test("no text of the shell is hard-coded", async ({ hub, owner, page }) => {
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/audit?locale=pseudo`)
  await expect(page.locator(live)).toBeVisible()
  const words = await page.locator("nav:visible, header").evaluateAll((parts) =>
    parts.flatMap((part) => {
      const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT)
      const found: Array<string> = []
      while (walker.nextNode() !== null) {
        const text = walker.currentNode.textContent?.trim() ?? ""
        if (
          /\p{L}{2}/u.test(text) &&
          walker.currentNode.parentElement?.closest("kbd, [aria-hidden=true], [class*=initials]") === null
        ) found.push(text)
      }
      return found
    })
  )
  expect(words.length).toBeGreaterThan(3)
  expect(new Set(words.filter((word) => !/^\[.*\]$/u.test(word)))).toEqual(new Set(["Acme", "Ada"]))
})
