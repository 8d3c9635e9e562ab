/** Every screen is complete when enlarged and on a phone: no sideways scroll, nothing cut off. */
import type { Page } from "@playwright/test"
import { horizontalOverflow } from "../../support/console-looks.ts"
import { makeExampleWorkspace, routesOf, settled, visit } from "../../support/console-routes.ts"
import { expect, signIn, test } from "../../support/console.ts"

test.describe.configure({ timeout: 300_000 })

/** Text that its box hides, and controls beyond the window's edges. Text with an ellipsis is not cut off. */
const cutOff = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => {
    const found: Array<string> = []
    const textOf = (element: Element) => (element.textContent ?? "").trim()
    const name = (element: Element) =>
      `${element.tagName.toLowerCase()}.${element.className.toString().slice(0, 40)} “${textOf(element).slice(0, 40)}”`
    const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    for (const element of document.querySelectorAll<HTMLElement>("body *")) {
      const style = getComputedStyle(element)
      const hides = (overflow: string) => overflow === "hidden" || overflow === "clip"
      // Screen-reader text, or a drawing.
      const isTiny = element.clientWidth <= 2 || element.clientHeight <= 2
      if (isTiny || style.clipPath !== "none" || element.closest("svg") !== null || !isShown(element)) continue
      if (textOf(element) === "") continue
      const isEllipsis = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none"
      if (hides(style.overflowX) && !isEllipsis && element.scrollWidth > element.clientWidth + 1) {
        found.push(`${name(element)} is cut at its side by ${element.scrollWidth - element.clientWidth} px`)
      }
      if (hides(style.overflowY) && !isEllipsis && element.scrollHeight > element.clientHeight + 2) {
        found.push(`${name(element)} is cut at its foot by ${element.scrollHeight - element.clientHeight} px`)
      }
    }
    for (const element of document.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea")) {
      const { left, right, width } = element.getBoundingClientRect()
      const scroller = element.closest("pre, [data-sideways]")
      const isSpoken = getComputedStyle(element).clipPath !== "none" || width <= 2
      if (!isShown(element) || isSpoken || scroller !== null) continue
      // A row of chips scrolls by itself on a phone.
      const scrolls = (each: Element | null): boolean => {
        if (each === null || each === document.body) return false
        const { overflowX } = getComputedStyle(each)
        return (each.id !== "content" && (overflowX === "auto" || overflowX === "scroll")) ||
          scrolls(each.parentElement)
      }
      if ((left >= -1 && right <= innerWidth + 1) || scrolls(element.parentElement)) continue
      found.push(`${name(element)} is at ${Math.round(left)} to ${Math.round(right)} px`)
    }
    return found
  })

/** From narrow to wide: a wide inbox opens its first row. */
const sizes = [
  // WCAG 1.4.10: 1280 px at 400%.
  { name: "at 320 px", viewport: { width: 320, height: 640 } },
  { name: "at 390 px", viewport: { width: 390, height: 844 } },
  // 200% of a window of 1280 × 900: half as many CSS pixels.
  { name: "at 200 % zoom", viewport: { width: 640, height: 450 } },
  { name: "at 1080 px", viewport: { width: 1080, height: 800 } }
] as const

const parts = 2

for (let part = 0; part < parts; part++) {
  test(`at 320, 390, and 1080 px and at 200 % zoom nothing scrolls sideways and nothing is cut off on any screen, part ${part + 1} of ${parts}`, async ({ api, hub, owner, page, upstream }) => {
    const example = await makeExampleWorkspace(api, await upstream())
    const routes = (await routesOf(page)).filter((_, at) => at % parts === part)
    const problems: Array<string> = []
    // Screens outside a workspace first, signed out.
    const isOutside = (route: string) => !route.startsWith("/w/")
    for (const route of [...routes.filter(isOutside), ...routes.filter((each) => !isOutside(each))]) {
      await test.step(route, async () => {
        await page.setViewportSize(sizes[0].viewport)
        if (!isOutside(route)) await signIn(page, hub, owner)
        await visit(page, route, example)
        for (const { name, viewport } of sizes) {
          await page.setViewportSize(viewport)
          await settled(page)
          const found = [...await horizontalOverflow(page), ...await cutOff(page)]
          problems.push(...found.map((problem) => `${route} ${name}: ${problem}`))
        }
      })
    }
    expect(problems).toEqual([])
  })
}
