/**
 * Every screen for everybody: by ear, in every theme, by keyboard alone. The routes are the router's own: a new one is walked
 * too.
 */
import type { Page } from "@playwright/test"
import { breaches, everyLook } from "../../support/axe.ts"
import { lookedAt } from "../../support/console-looks.ts"
import { arrive, littleOfEverything, routesOf, settled } from "../../support/console-routes.ts"
import { expect, signIn, test } from "../../support/console.ts"

test.describe.configure({ timeout: 600_000 })

const parts = 3

for (let part = 0; part < parts; part++) {
  test(`no rule of accessibility is broken in any look on any screen, part ${part + 1} of ${parts}`, async ({ desk, hub, owner, page, upstream }) => {
    const world = await littleOfEverything(desk, await upstream())
    const routes = (await routesOf(page)).filter((_, at) => at % parts === part)
    expect(routes).not.toEqual([])
    await signIn(page, hub, owner)
    const problems: Array<string> = []
    for (const route of routes) {
      await test.step(route, async () => {
        await arrive(page, route, world)
        problems.push(...(await breaches(page, everyLook)).map((breach) => `${route}: ${breach}`))
      })
    }
    expect(problems).toEqual([])
  })
}

test("the windows of the shell, an empty workspace and an address of nothing break no rule", async ({ hub, owner, page }) => {
  await signIn(page, hub, owner)
  const isOfOneThing = (route: string) => route.includes("/$", "/w/$".length)
  const routes = (await routesOf(page)).filter((route) => route.startsWith("/w/$workspace/") && !isOfOneThing(route))
  for (const route of routes) {
    await test.step(`${route} with nothing in it`, async () => {
      await arrive(page, route, { workspace: owner.org, examples: { w: owner.org } })
      await lookedAt(page)
    })
  }
  await page.keyboard.press("Control+k")
  await expect(page.getByRole("dialog")).toBeVisible()
  await lookedAt(page)
  await page.keyboard.press("Escape")
  await expect(page.getByRole("dialog")).toHaveCount(0)
  await page.keyboard.press("?")
  await expect(page.getByRole("dialog")).toBeVisible()
  await lookedAt(page)
  for (const nothing of [`/w/${owner.org}/nothing`, "/nothing", "/w/nothing/inbox"]) {
    await page.goto(nothing)
    await settled(page)
    await lookedAt(page)
  }
})

/** Beyond it the page is taken to have no end. */
const stopsMax = 600
const walksMax = 2

/** In the page: what Tab came to so far, and whether it is at its end. */
interface Walk {
  readonly stops: Array<Element>
  readonly problems: Array<string>
}
type Walked = typeof globalThis & { walk: Walk; nameOf: (element: Element) => string }

/** Sets focus before the first element. */
const beginWalk = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const walked = globalThis as Walked
    walked.walk = { stops: [], problems: [] }
    walked.nameOf = (element) => {
      const said = element.getAttribute("aria-label") ?? (element as HTMLElement).innerText ?? ""
      return `${element.tagName.toLowerCase()} “${said.replaceAll(/\s+/gu, " ").trim().slice(0, 60)}”`
    }
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    document.body.tabIndex = -1
    document.body.focus()
  })

/** Looks at what has focus now: whether it is in sight, uncovered, marked, and in its order. False at the end. */
const step = (page: Page): Promise<boolean> =>
  page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    await frame()
    await frame()
    const { nameOf, walk: { problems, stops } } = globalThis as Walked
    const element = document.activeElement
    if (!(element instanceof HTMLElement) || element === document.body || stops.includes(element)) return false
    const before = stops.at(-1)
    stops.push(element)
    if (
      before?.isConnected === true && (element.compareDocumentPosition(before) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
    ) {
      problems.push(`${nameOf(element)} comes after ${nameOf(before)}, which follows it on the page`)
    }
    const { bottom, height, left, right, top, width } = element.getBoundingClientRect()
    const hasOutline = (each: Element) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(each)
      return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1
    }
    // A field's box round it, a grid's row within it.
    const isMarked = [
      element,
      element.parentElement,
      element.parentElement?.parentElement,
      ...element.querySelectorAll("*")
    ]
      .some((each) => each !== null && each !== undefined && hasOutline(each))
    const inside = (x: number, y: number) => {
      const found = document.elementFromPoint(x, y)
      return found !== null &&
        (element.contains(found) || found.contains(element) || found.closest("label")?.control === element)
    }
    const [x0, x1] = [Math.max(left, 0), Math.min(right, innerWidth)]
    const [y0, y1] = [Math.max(top, 0), Math.min(bottom, innerHeight)]
    const isSeen = [
      [0.5, 0.5],
      [0.1, 0.5],
      [0.9, 0.5],
      [0.5, 0.1],
      [0.5, 0.9]
    ].some(([x = 0, y = 0]) => inside(x0 + (x1 - x0) * x, y0 + (y1 - y0) * y))
    const place = `(${Math.round(left)}, ${Math.round(top)}, ${Math.round(width)} × ${Math.round(height)})`
    if (width < 1 || height < 1) problems.push(`${nameOf(element)} has no size`)
    else if (x1 <= x0 || y1 <= y0) problems.push(`${nameOf(element)} is out of sight ${place}`)
    else if (!isSeen) {
      const over = document.elementFromPoint((x0 + x1) / 2, (y0 + y1) / 2)
      problems.push(`${nameOf(element)} ${place} is covered by ${over === null ? "nothing" : nameOf(over)}`)
    } else if (!isMarked) problems.push(`${nameOf(element)} has no mark of focus`)
    return true
  })

/** Controls that Tab did not come to: of radios one of each group counts, of what is off or away none. */
const endWalk = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => {
    const { nameOf, walk: { problems, stops } } = globalThis as Walked
    const selector =
      "a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex='-1']), [contenteditable=true]"
    const isOff = (element: HTMLElement) =>
      element.tabIndex < 0 || element.matches(":disabled") || element.closest("[inert]") !== null
    const isReached = (element: HTMLElement) =>
      element instanceof HTMLInputElement && element.type === "radio"
        ? stops.some((stop) => stop instanceof HTMLInputElement && stop.type === "radio" && stop.name === element.name)
        : stops.includes(element) || stops.some((stop) => !stop.isConnected && nameOf(stop) === nameOf(element))
    const missed = [...document.querySelectorAll<HTMLElement>(selector)].filter((element) =>
      !isOff(element) && element.checkVisibility({ visibilityProperty: true }) && !isReached(element)
    )
    return [...problems, ...missed.map((element) => `${nameOf(element)} is not reached`)]
  })

const controlsOn = (page: Page): Promise<number> =>
  page.locator("a[href], button, input, select, textarea, summary").count()

/** Begins again when parts that load in an idle moment came during the walk, so that it is of the whole page. */
const walkByTab = async (page: Page): Promise<ReadonlyArray<string>> => {
  for (let tries = 0;; tries++) {
    const controls = await controlsOn(page)
    await beginWalk(page)
    for (let stops = 0; stops < stopsMax; stops++) {
      await page.keyboard.press("Tab")
      if (!await step(page)) break
    }
    const problems = await endWalk(page)
    if (tries === walksMax || controls === await controlsOn(page)) return problems
  }
}

for (
  const [name, viewport] of [["a desk", { width: 1440, height: 900 }], ["a phone", {
    width: 390,
    height: 844
  }]] as const
) {
  test(`by keyboard alone every control is reached in its order, and focus is always seen, on ${name}`, async ({ desk, hub, owner, page, upstream }) => {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ reducedMotion: "reduce" })
    const world = await littleOfEverything(desk, await upstream())
    const routes = await routesOf(page)
    await signIn(page, hub, owner)
    const problems: Array<string> = []
    for (const route of routes) {
      await test.step(route, async () => {
        await arrive(page, route, world)
        problems.push(...(await walkByTab(page)).map((problem) => `${route}: ${problem}`))
      })
    }
    expect(problems).toEqual([])
  })
}
