/** The components of the screens, on the gallery page, built and served under the hub's policy. No hub. */
import { expect, type Page, test as base } from "@playwright/test"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "vite"
import { broken } from "../../support/axe.ts"

const gallery = fileURLToPath(new URL("../../gallery/", import.meta.url))
const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".woff2": "font/woff2"
}
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; "
  + "require-trusted-types-for 'script'; trusted-types 'none'"

const test = base.extend<{ readonly parts: Page }, { readonly origin: string }>({
  origin: [async ({ browserName: _ }, use) => {
    const folder = await mkdtemp(join(tmpdir(), "countersign-parts-"))
    await build({
      configFile: join(gallery, "vite.config.ts"),
      logLevel: "error",
      build: { outDir: folder }
    })
    const server = createServer((request, response) => {
      const path = new URL(request.url ?? "/", "http://localhost").pathname
      readFile(join(folder, path)).then((body) => {
        response.writeHead(200, {
          "content-type": types[extname(path)] ?? "application/octet-stream",
          "content-security-policy": policy
        })
        response.end(body)
      }, () => response.writeHead(204).end())
    })
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    await new Promise((resolve) => server.close(resolve))
    await rm(folder, { recursive: true })
  }, { scope: "worker", timeout: 120_000 }],
  parts: async ({ page, origin }, use) => {
    const problems: Array<string> = []
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()))
    page.on("pageerror", (error) => problems.push(error.message))
    await page.emulateMedia({ reducedMotion: "reduce" })
    await page.goto(`${origin}/index.html`)
    await expect(page.getByRole("heading", { name: "Tokens" })).toBeVisible()
    await use(page)
    expect(problems).toEqual([])
  }
})
// one build for all of them
test.describe.configure({ mode: "default" })

const section = (page: Page, id: string) => page.locator(`#${id}`)

const themes = [["light", "standard"], ["dark", "standard"], ["light", "more"], ["dark", "more"]] as const
for (const [theme, contrast] of themes) {
  for (const width of [1440, 390]) {
    test(`axe finds no violation in ${theme}, contrast ${contrast}, ${width} px, and nothing scrolls sideways`, async ({ parts }) => {
      await parts.setViewportSize({ width, height: 900 })
      await parts.goto(
        `${parts.url().split("?")[0]}?theme=${theme}&contrast=${contrast}&density=${
          width === 390 ? "touch" : "standard"
        }`
      )
      await expect(parts.getByRole("heading", { name: "Tokens" })).toBeVisible()
      // All themes have the same document.
      expect(await broken(parts, { rules: theme === "light" && contrast === "standard" ? "all" : "theme" })).toEqual([])
      expect(await parts.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    })
  }
}

test("dialogs pass axe, trap focus, and restore it", async ({ parts }) => {
  for (const [name, role] of [["Dialog", "dialog"], ["Confirm", "alertdialog"], ["Palette", "dialog"]] as const) {
    const opener = section(parts, "controls").getByRole("button", { name })
    await opener.click()
    const dialog = parts.getByRole(role)
    await expect(dialog).toBeVisible()
    await expect.poll(() => dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true)
    expect(await broken(parts)).toEqual([])
    for (let presses = 0; presses < 8; presses++) {
      await parts.keyboard.press("Tab")
      await expect.poll(() => dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true)
    }
    await parts.keyboard.press("Escape")
    await expect(dialog).toBeHidden()
    await expect(opener).toBeFocused()
  }
})

test("a button with a confirmation keeps its width and ignores a repeated press", async ({ parts }) => {
  const button = section(parts, "controls").getByRole("button", { name: "Approve $42.00" }).first()
  const size = (of: typeof button) => of.evaluate((element: HTMLElement) => [element.offsetWidth, element.offsetHeight])
  const before = await size(button)
  await button.click()
  const asking = parts.getByRole("button", { name: "Contacting the hub…" }).first()
  await expect(asking).toHaveAttribute("aria-busy", "true")
  expect(await size(asking)).toEqual(before)
  await expect(asking).toBeFocused()
})

test("an amount is typed as people write it, and an invalid one shows an error", async ({ parts }) => {
  const field = parts.getByLabel("Cap a month")
  await field.fill("$1,240.5")
  await field.blur()
  await expect(field).toHaveValue("1240.50")
  await field.fill("1.234")
  await expect(parts.getByText("Enter an amount such as 25.00")).toBeVisible()
  await expect(field).toHaveAttribute("aria-invalid", "true")
  await field.blur()
  await expect(field).toHaveValue("1.234")
  await field.fill("3.")
  await expect(field).toHaveValue("3.")
  await expect(parts.getByText("Enter an amount such as 25.00")).toBeHidden()
})

test("a number field steps by arrow keys and stays within its limits", async ({ parts }) => {
  const field = parts.getByLabel("Grace")
  await field.press("ArrowUp")
  await expect(field).toHaveValue("25")
  await field.press("Shift+ArrowDown")
  await field.press("Shift+ArrowDown")
  await field.press("Shift+ArrowDown")
  await expect(field).toHaveValue("0")
})

test.describe("a table of 100,000 rows", () => {
  test("never draws more than eighty rows, from its first to its last", async ({ parts }) => {
    const table = parts.getByRole("grid", { name: "Requests" })
    const drawn = () => table.getByRole("row").count()
    for (const share of [0, 0.2, 0.5, 0.99, 1]) {
      await table.evaluate((element, share) => void (element.scrollTop = element.scrollHeight * share), share)
      await expect.poll(drawn).toBeLessThanOrEqual(81)
      expect(await drawn()).toBeGreaterThan(10)
    }
    await expect(table.locator("[aria-rowindex='100001']")).toBeVisible()
  })

  test("is navigated by keys, and opened by Enter", async ({ parts }) => {
    const table = parts.getByRole("grid", { name: "Requests" })
    await table.focus()
    await table.press("End")
    await expect(table.locator("[aria-rowindex='100001']")).toBeInViewport()
    await table.press("ArrowUp")
    await table.press("Enter")
    await expect(table.locator("[aria-selected=true]")).toHaveAttribute("aria-rowindex", "100000")
    const active = await table.getAttribute("aria-activedescendant")
    await expect(table.locator("[aria-selected=true]")).toHaveAttribute("id", active ?? "none")
    await table.press("Home")
    await expect(table.locator("[aria-rowindex='2']")).toBeInViewport()
  })

  test("has two lines per row on a phone, and keeps its position", async ({ parts }) => {
    await parts.setViewportSize({ width: 390, height: 844 })
    const row = parts.getByRole("grid", { name: "Requests" }).locator("[aria-rowindex='3']")
    await expect.poll(async () => (await row.boundingBox())?.height).toBe(60)
    await expect(row).toContainText("voice.call")
  })

  test("opens the row's menu by the menu key", async ({ parts }) => {
    const table = parts.getByRole("grid", { name: "Requests" })
    await table.focus()
    await table.press("ArrowDown")
    await table.press("Shift+F10")
    await expect(parts.getByRole("menuitem", { name: "Copy id" })).toBeVisible()
  })
})

test("bars are navigated by arrow keys, announced, selected with Shift, and cleared by Escape", async ({ parts }) => {
  const bars = parts.getByRole("application", { name: /^Cost per day/ })
  await bars.focus()
  await bars.press("End")
  await expect(bars.locator("[aria-live]")).toContainText("21 Nov")
  await bars.press("Shift+ArrowLeft")
  await bars.press("Shift+ArrowLeft")
  await expect(bars.locator("[aria-live]")).toContainText("19 Nov")
  await bars.press("Escape")
  await parts.getByRole("button", { name: "As table" }).click()
  await expect(parts.getByRole("row")).not.toHaveCount(0)
  await expect(
    parts.getByRole("cell", { name: "$12.00" }).or(parts.getByRole("rowheader", { name: "Sat 21 Nov" })).first()
  ).toBeVisible()
})

test("hidden characters in a payload are boxed in each of its views", async ({ parts }) => {
  const decision = section(parts, "decision")
  for (const view of ["Form", "JSON", "Against the last"]) {
    await decision.getByRole("tab", { name: view }).click()
    for (const codePoint of ["U+0430", "U+202E", "U+202C", "U+2044"]) {
      await expect(decision.getByText(codePoint)).toBeVisible()
    }
    await expect(decision.getByText("masked").first()).toBeVisible()
  }
})

test("the palette finds by any typed word and runs by Enter", async ({ parts }) => {
  await section(parts, "controls").getByRole("button", { name: "Palette" }).click()
  await parts.getByRole("dialog").getByRole("combobox").fill("halt")
  await expect(parts.getByRole("option")).toHaveCount(1)
  await parts.keyboard.press("Enter")
  await expect(parts.getByRole("alertdialog", { name: "Freeze the workspace?" })).toBeVisible()
})

test("a confirmation with a typed word stays disabled until the word is typed", async ({ parts }) => {
  await section(parts, "controls").getByRole("button", { name: "Confirm" }).click()
  const dialog = parts.getByRole("alertdialog")
  await expect(dialog.getByRole("button", { name: "Freeze" })).toBeDisabled()
  await dialog.getByLabel("Type freeze").fill("freeze")
  await dialog.getByRole("button", { name: "Freeze" }).click()
  await expect(dialog).toBeHidden()
})

test("in forced colors every status keeps its word and glyph", async ({ parts }) => {
  await parts.emulateMedia({ forcedColors: "active" })
  const states = section(parts, "states")
  for (const word of ["pending", "executed", "blocked", "failed", "running", "expired"]) {
    const badge = states.getByText(word, { exact: true })
    await expect(badge).toBeVisible()
    await expect(badge.locator("svg")).toBeVisible()
  }
})
