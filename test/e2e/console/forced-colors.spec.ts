/**
 * Forced colors, light and dark: every text is readable, and every current, selected, focused, or status item is
 * marked.
 */
import type { Page } from "@playwright/test"
import { type Box, contrastOf, drawnIn } from "../../support/console-pixels.ts"
import { makeExampleWorkspace, visit } from "../../support/console-routes.ts"
import { expect, signIn, test } from "../../support/console.ts"

/** Minimum contrast: WCAG 1.4.3 for text, 1.4.11 for marks. */
const textMin = 4.5
const markMin = 3

/** Every visible text in an element and within the window, except text that another element covers. */
const texts = (page: Page, within: string): Promise<ReadonlyArray<Box>> =>
  page.evaluate((within) => {
    const found: Array<Box> = []
    const walker = document.createTreeWalker(document.querySelector(within) ?? document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node.textContent?.trim() ?? ""
      const element = node.parentElement
      if (
        text === "" || element === null || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      ) continue
      if (element.closest(":disabled, [aria-disabled=true], option, svg") !== null) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      for (const { height, left, top, width } of range.getClientRects()) {
        const over = document.elementFromPoint(left + width / 2, top + height / 2)
        const isUncovered = over !== null && (element.contains(over) || over.contains(element))
        // Scrolled out of its box, or for screen readers only.
        const isCut = (each: Element | null): boolean => {
          if (each === null) return false
          const { clipPath, overflowX, overflowY } = getComputedStyle(each)
          const box = each.getBoundingClientRect()
          const isOut = (overflowX !== "visible" || overflowY !== "visible") &&
            (top < box.top || top + height > box.bottom || left < box.left - 1)
          return clipPath !== "none" || isOut || isCut(each.parentElement)
        }
        if (width > 3 && isUncovered && !isCut(element)) {
          found.push({ name: `“${text.slice(0, 40)}”`, left, top, width, height })
        }
      }
    }
    return found
  }, within)

const boxesOf = (page: Page, selector: string): Promise<ReadonlyArray<Box>> =>
  page.locator(selector).evaluateAll(
    (elements, selector) =>
      elements.filter((element) => element.checkVisibility({ visibilityProperty: true })).map((element) => {
        const { height, left, top, width } = element.getBoundingClientRect()
        return { name: `${selector} “${(element.textContent ?? "").trim().slice(0, 30)}”`, left, top, width, height }
      }).filter(({ left, top }) => left >= 0 && top >= 0 && left < innerWidth && top < innerHeight),
    selector
  )

const unreadable = async (page: Page, within = "body"): Promise<ReadonlyArray<string>> =>
  (await drawnIn(page, await texts(page, within))).filter(({ contrast }) => contrast < textMin)
    .map(({ contrast, name }) => `${name} has a contrast of ${contrast.toFixed(1)}`)

/** Background and edges of a box, where a mark is drawn. */
const sidesOf = ({ height, left, name, top, width }: Box): ReadonlyArray<Box> => [
  { name, left, top, width, height },
  { name, left, top: top + 2, width: 2, height: height - 4 },
  { name, left: left + 2, top, width: width - 4, height: 2 },
  { name, left: left + 2, top: top + height - 2, width: width - 4, height: 2 }
]

/** Differs from an unmarked item by its background or an edge. */
const isMarked = async (page: Page, current: string, other: string): Promise<boolean> => {
  const [[one], [two]] = [await boxesOf(page, current), await boxesOf(page, other)]
  if (one === undefined || two === undefined) {
    throw new Error(`${one === undefined ? current : other} is not on the page`)
  }
  const drawn = await drawnIn(page, [...sidesOf(one), ...sidesOf(two)])
  return [0, 1, 2, 3].some((at) => contrastOf(drawn[at]!.color, drawn[at + 4]!.color) >= markMin)
}

const rail = "nav[aria-label=Main]"

const schemes = ["light", "dark"] as const

test("every text of every kind of screen is readable in forced colors", async ({ api, hub, owner, page, upstream }) => {
  const example = await makeExampleWorkspace(api, await upstream())
  await signIn(page, hub, owner)
  const problems: Array<string> = []
  const look = async (place: string, within?: string) => {
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, forcedColors: "active", reducedMotion: "reduce" })
      problems.push(...(await unreadable(page, within)).map((problem) => `${place}, ${colorScheme}: ${problem}`))
    }
  }
  const routes = [
    "inbox",
    "approvals/$id",
    "requests/$id",
    "agents/$id",
    "devices/$id",
    "catalog/$name",
    "money",
    "usage",
    "audit",
    "settings/members"
  ]
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 })
    for (const route of width === 390 ? routes.slice(0, 3) : routes) {
      await visit(page, `/w/$workspace/${route}`, example)
      await look(`${route} at ${width} px`)
    }
  }
  await page.setViewportSize({ width: 1440, height: 844 })
  await visit(page, "/w/$workspace/inbox", example)
  await page.getByRole("button", { name: "Select", exact: true }).click()
  await page.getByRole("button", { name: /Make the rail narrow/ }).hover()
  await expect(page.getByRole("tooltip")).toBeVisible()
  await look("with a tooltip")
  await page.mouse.move(700, 400)
  await page.keyboard.press("Control+k")
  await expect(page.getByRole("dialog")).toBeVisible()
  await look("palette", "[role=dialog]")
  expect(problems).toEqual([])
})

test("the dialogs that order views and pause agents are readable in forced colors", async ({ api, hub, owner, page }) => {
  for (const name of ["One", "Two"]) {
    await api.call("POST", "/views", 201, { screen: "agents", name, query: `q=${name}` })
  }
  await api.agent({ name: "Scout" })
  await signIn(page, hub, owner)
  const problems: Array<string> = []
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await page.goto(`/w/${owner.org}/agents`)
    const look = async (dialog: string) => {
      await expect(page.getByRole("dialog", { name: dialog })).toBeVisible()
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme, forcedColors: "active", reducedMotion: "reduce" })
        expect((await texts(page, "[role=dialog]")).length, "texts of the dialog").toBeGreaterThan(3)
        problems.push(
          ...(await unreadable(page, "[role=dialog]")).map((problem) =>
            `${dialog}, ${width}, ${colorScheme}: ${problem}`
          )
        )
      }
      await page.keyboard.press("Escape")
    }
    await page.getByRole("button", { name: "Views" }).click()
    await page.getByRole("menuitem", { name: "Reorder your views…" }).click()
    await look("Reorder your views")
    await page.getByRole("checkbox", { name: "Select Scout" }).check()
    await page.getByRole("region", { name: "1 agent selected" }).getByRole("button", { name: "Pause" }).click()
    await look("Pause 1 agent?")
  }
  expect(problems).toEqual([])
})

for (const colorScheme of schemes) {
  test(`in ${colorScheme} forced colors current, selected and focused items, badges, bars and seals are marked`, async ({ api, hub, owner, page, upstream }) => {
    await page.emulateMedia({ colorScheme, forcedColors: "active", reducedMotion: "reduce" })
    const example = await makeExampleWorkspace(api, await upstream())
    await signIn(page, hub, owner)
    const check = async (current: string, other: string) =>
      expect(await isMarked(page, current, other), `${current} differs from ${other}`).toBe(true)

    await visit(page, "/w/$workspace/inbox", example)
    await expect(page.getByRole("article")).toBeVisible()
    await check(`${rail} a[aria-current=page]`, `${rail} a:not([aria-current])`)
    await check(
      "nav[aria-label='Which approvals'] a[aria-current=page]",
      "nav[aria-label='Which approvals'] a:not([aria-current])"
    )
    await check("[data-row] a[aria-current]", "[data-row] a:not([aria-current])")
    await check("article [role=tab][aria-selected=true]", "article [role=tab][aria-selected=false]")
    const seals = await drawnIn(page, await boxesOf(page, "svg:has(rect[class*=_tick_])"))
    expect(seals.length).toBeGreaterThan(0)
    expect(seals.filter(({ contrast }) => contrast < markMin)).toEqual([])
    const [ground] = await drawnIn(page, await boxesOf(page, "article"))
    for (const edges of [await boxesOf(page, "[class*=_badge_]"), await boxesOf(page, `${rail} [class*=count]`)]) {
      const drawn = await drawnIn(
        page,
        edges.map(({ left, name, top, width }) => ({ name, left: left + 4, top, width: width - 8, height: 1 }))
      )
      expect(drawn.length, "badges").toBeGreaterThan(0)
      expect(drawn.filter(({ color }) => contrastOf(color, ground!.color) < markMin), "badges without an edge").toEqual(
        []
      )
    }
    const bars = await drawnIn(
      page,
      (await boxesOf(page, "[class*=_track_] > span, [class*=_track_] ~ span")).map((
        { height, left, name, top, width }
      ) => ({ name, left, top: top + height / 2 - 1, width, height: 2 }))
    )
    expect(bars.length, "parts of bars").toBeGreaterThan(1)
    expect(bars.filter(({ color }) => contrastOf(color, ground!.color) < markMin), "parts of bars that cannot be seen")
      .toEqual([])

    const link = page.locator(`${rail} a`).nth(2)
    await link.focus()
    await page.keyboard.press("Shift+Tab")
    await page.keyboard.press("Tab")
    await expect(link).toBeFocused()
    const { height, left, top, width } = await link.boundingBox().then((box) => ({
      ...box!,
      left: box!.x,
      top: box!.y
    }))
    const [ring] = await drawnIn(page, [{ name: "focus", left: left + 8, top: top - 4, width: width - 16, height: 2 }])
    expect(height).toBeGreaterThan(0)
    expect(contrastOf(ring!.color, ground!.color)).toBeGreaterThanOrEqual(markMin)

    await visit(page, "/w/$workspace/settings/account", example)
    await check("nav[aria-label=Settings] a[aria-current=page]", "nav[aria-label=Settings] a:not([aria-current])")
    await visit(page, "/w/$workspace/catalog/$name", example)
    await page.locator("button[aria-current]").first().scrollIntoViewIfNeeded()
    const operations = await boxesOf(page, "button[aria-current]")
    const [edge] = await drawnIn(
      page,
      operations.map(({ height, left, name, top }) => ({ name, left, top: top + 4, width: 2, height: height - 8 }))
    )
    expect(contrastOf(edge!.color, ground!.color), "the operation that is shown").toBeGreaterThanOrEqual(markMin)
    await visit(page, "/w/$workspace/audit", example)
    await page.getByRole("row").nth(2).click()
    await check("[role=row][aria-selected=true]", "[role=row][aria-selected=false]")
    await page.setViewportSize({ width: 390, height: 844 })
    await visit(page, "/w/$workspace/money", example)
    await check(`${rail} a[aria-current=page]`, `${rail} a:not([aria-current])`)
  })
}
