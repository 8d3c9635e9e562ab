/**
 * Accessibility of every screen: axe rules in every theme, and operation by keyboard alone. The routes come from the
 * router, so that new ones are covered.
 */
import type { Page } from "@playwright/test"
import { breaches, everyLook } from "../../support/axe.ts"
import { expectNoBreaches } from "../../support/console-looks.ts"
import { makeExampleWorkspace, routesOf, settled, visit } from "../../support/console-routes.ts"
import { expect, signIn, test } from "../../support/console.ts"

test.describe.configure({ timeout: 600_000 })

test("the axe rules find seeded faults: structure once, colors in each look", async ({ page }) => {
  await page.setContent(`<!doctype html><html lang="en"><title>Broken</title><main><h1>Broken</h1><img src="data:,">
    <p style="color: #999; background: #fff">Too pale to be read</p></main></html>`)
  const found = await breaches(page, ["light", "dark"])
  expect(found.map((breach) => breach.split(": ").slice(0, 2).join(": "))).toEqual([
    "light: color-contrast",
    "light: image-alt",
    "dark: color-contrast"
  ])
})

test("a check of one state leaves out the rail and the screen below a dialog, and nothing else", async ({ page }) => {
  const fault = (name: string) => `<div id="${name}"><img src="data:,"></div>`
  await page.setContent(`<!doctype html><html lang="en"><title>Broken</title>
    <nav aria-label="Main">${fault("rail")}</nav>
    <div data-base-ui-inert aria-hidden="true"><main><h1>Below</h1>${fault("below")}</main></div>
    <div role="dialog" aria-label="Above">${fault("above")}</div><section aria-label="Messages">${
    fault("message")
  }</section>`)
  const namesOf = (found: ReadonlyArray<string>) => found.filter((each) => each.includes("image-alt")).length
  expect(namesOf(await breaches(page, ["light"], "state"))).toBe(2)
  expect(namesOf(await breaches(page, ["light"], "page")), "aria-hidden parts are left out by axe itself").toBe(3)
})

test("axe finds no violation in the shell's dialogs, in an empty workspace, and at an unknown address", async ({ hub, owner, page }) => {
  await signIn(page, hub, owner)
  const isOfOneThing = (route: string) => route.includes("/$", "/w/$".length)
  const routes = (await routesOf(page)).filter((route) => route.startsWith("/w/$workspace/") && !isOfOneThing(route))
  for (const route of routes) {
    await test.step(`${route} without content`, async () => {
      await visit(page, route, { workspace: owner.org, examples: { w: owner.org } })
      await expectNoBreaches(page)
    })
  }
  await page.keyboard.press("Control+k")
  await expect(page.getByRole("dialog")).toBeVisible()
  await expectNoBreaches(page)
  await page.keyboard.press("Escape")
  await expect(page.getByRole("dialog")).toHaveCount(0)
  await page.keyboard.press("?")
  await expect(page.getByRole("dialog")).toBeVisible()
  await expectNoBreaches(page)
  for (const nothing of [`/w/${owner.org}/nothing`, "/nothing", "/w/nothing/inbox"]) {
    await page.goto(nothing)
    await settled(page)
    await expectNoBreaches(page)
  }
})

/** The page counts as endless beyond this number. */
const stopsMax = 600
const walksMax = 2
/** Frames after which the effects of a focus change are drawn, on a slow machine too. */
const effectFramesMax = 20
/** Presses that are sent without waiting for each other. */
const pressesAtOnce = 20

/** Runs in the page: the elements that Tab has reached, and whether the end is reached. */
interface Walk {
  readonly stops: Array<Element>
  readonly problems: Array<string>
  hasEnded: boolean
  /** The focused element, unless the walk has reached it before. */
  readonly focused: () => HTMLElement | undefined
  readonly problemOf: (element: HTMLElement) => string | undefined
  readonly record: (element: HTMLElement) => void
}
type Walked = typeof globalThis & { walk: Walk; nameOf: (element: Element) => string }

/** Moves focus before the first element. */
const beginWalk = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const walked = globalThis as Walked
    const stops: Array<Element> = []
    const problems: Array<string> = []
    const nameOf = (element: Element) => {
      const name = element.getAttribute("aria-label") ?? (element as HTMLElement).innerText ?? ""
      return `${element.tagName.toLowerCase()} “${name.replaceAll(/\s+/gu, " ").trim().slice(0, 60)}”`
    }
    const focused = () => {
      const element = document.activeElement
      return element instanceof HTMLElement && element !== document.body && !stops.includes(element)
        ? element
        : undefined
    }
    const problemOf = (element: HTMLElement): string | undefined => {
      const before = stops.at(-1)
      if (
        before?.isConnected === true &&
        (element.compareDocumentPosition(before) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
      ) {
        return `${nameOf(element)} comes after ${nameOf(before)}, which follows it on the page`
      }
      const { bottom, height, left, right, top, width } = element.getBoundingClientRect()
      const hasOutline = (each: Element) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(each)
        return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1
      }
      // The outline of a field may be on its box, that of a grid on its row.
      const isMarked = () =>
        [element, element.parentElement, element.parentElement?.parentElement, ...element.querySelectorAll("*")]
          .some((each) => each !== null && each !== undefined && hasOutline(each))
      const inside = (x: number, y: number) => {
        const found = document.elementFromPoint(x, y)
        return found !== null &&
          (element.contains(found) || found.contains(element) || found.closest("label")?.control === element)
      }
      const [x0, x1] = [Math.max(left, 0), Math.min(right, innerWidth)]
      const [y0, y1] = [Math.max(top, 0), Math.min(bottom, innerHeight)]
      const isSeen = () =>
        [
          [0.5, 0.5],
          [0.1, 0.5],
          [0.9, 0.5],
          [0.5, 0.1],
          [0.5, 0.9]
        ].some(([x = 0, y = 0]) => inside(x0 + (x1 - x0) * x, y0 + (y1 - y0) * y))
      const place = `(${Math.round(left)}, ${Math.round(top)}, ${Math.round(width)} × ${Math.round(height)})`
      if (width < 1 || height < 1) return `${nameOf(element)} has no size`
      if (x1 <= x0 || y1 <= y0) return `${nameOf(element)} is out of sight ${place}`
      if (!isSeen()) {
        const over = document.elementFromPoint((x0 + x1) / 2, (y0 + y1) / 2)
        return `${nameOf(element)} ${place} is covered by ${over === null ? "nothing" : nameOf(over)}`
      }
      return isMarked() ? undefined : `${nameOf(element)} has no mark of focus`
    }
    const record = (element: HTMLElement) => {
      const problem = problemOf(element)
      if (problem !== undefined) problems.push(problem)
      stops.push(element)
    }
    walked.nameOf = nameOf
    walked.walk = { stops, problems, hasEnded: false, focused, problemOf, record }
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    document.body.tabIndex = -1
    document.body.focus()
  })

/**
 * Checks that the focused element is in view, uncovered, marked, and in order. Returns false at the end. It checks a
 * fault again in the next frames, until all effects of a focus change are drawn.
 */
const step = (page: Page): Promise<boolean> =>
  page.evaluate(async (framesMax) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const { focused, problemOf, record } = (globalThis as Walked).walk
    let element = focused()
    for (let frames = 0; frames < framesMax; frames++) {
      if (element !== undefined && problemOf(element) === undefined) break
      await frame()
      element = focused()
    }
    if (element === undefined) return false
    record(element)
    return true
  }, effectFramesMax)

/** One press after the other. */
const walkSlowly = async (page: Page): Promise<void> => {
  for (let stops = 0; stops < stopsMax; stops++) {
    await page.keyboard.press("Tab")
    if (!await step(page)) break
  }
}

/** Makes the same checks in the page as each press of Tab ends, which costs a fifth, and without a second look. */
const walkQuickly = async (page: Page): Promise<void> => {
  await page.evaluate(() => {
    const { walk } = globalThis as Walked
    addEventListener("keyup", (event) => {
      if (event.key !== "Tab" || walk.hasEnded) return
      const element = walk.focused()
      if (element === undefined) walk.hasEnded = true
      else walk.record(element)
    }, true)
  })
  const session = await page.context().newCDPSession(page)
  const tab = { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 }
  for (let stops = 0; stops < stopsMax; stops += pressesAtOnce) {
    await Promise.all(
      Array.from({ length: pressesAtOnce }, () => [
        session.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...tab }),
        session.send("Input.dispatchKeyEvent", { type: "keyUp", ...tab })
      ]).flat()
    )
    if (await page.evaluate(() => (globalThis as Walked).walk.hasEnded)) break
  }
  await session.detach()
}

/** Controls that Tab did not reach: one of each radio group counts, disabled and hidden ones do not. */
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

/** Repeats the walk if parts that load in an idle moment arrived during it, so that it covers the whole page. */
const walkAll = async (page: Page, walk: (page: Page) => Promise<void>): Promise<ReadonlyArray<string>> => {
  for (let tries = 0;; tries++) {
    const controls = await controlsOn(page)
    await beginWalk(page)
    await walk(page)
    const problems = await endWalk(page)
    if (tries === walksMax || controls === await controlsOn(page)) return problems
  }
}

/** A fault counts if it is there at the pace of a person, too. */
const walkByTab = async (page: Page): Promise<ReadonlyArray<string>> => {
  if ((await walkAll(page, walkQuickly)).length === 0) return []
  await settled(page)
  return walkAll(page, walkSlowly)
}

const parts = 3

for (let part = 0; part < parts; part++) {
  test(`axe finds no violation in any look and Tab reaches every control in order on any screen, part ${part + 1} of ${parts}`, async ({ api, hub, owner, page, upstream }) => {
    const example = await makeExampleWorkspace(api, await upstream())
    const routes = (await routesOf(page)).filter((_, at) => at % parts === part)
    expect(routes).not.toEqual([])
    await signIn(page, hub, owner)
    const problems: Array<string> = []
    for (const route of routes) {
      await test.step(route, async () => {
        await visit(page, route, example)
        problems.push(...(await breaches(page, everyLook)).map((breach) => `${route}: ${breach}`))
        await page.emulateMedia({ colorScheme: "light", contrast: "no-preference", reducedMotion: "reduce" })
        problems.push(...(await walkByTab(page)).map((problem) => `${route}: ${problem}`))
      })
    }
    expect(problems).toEqual([])
  })
}

test("Tab reaches every control in order, and focus is always visible, on a phone", async ({ api, hub, owner, page, upstream }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.emulateMedia({ reducedMotion: "reduce" })
  const example = await makeExampleWorkspace(api, await upstream())
  const routes = await routesOf(page)
  await signIn(page, hub, owner)
  const problems: Array<string> = []
  for (const route of routes) {
    await test.step(route, async () => {
      await visit(page, route, example)
      problems.push(...(await walkByTab(page)).map((problem) => `${route}: ${problem}`))
    })
  }
  expect(problems).toEqual([])
})
