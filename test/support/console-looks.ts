/** How a screen looks to different people: in every theme, and whether all of it is there. */
import { AxeBuilder } from "@axe-core/playwright"
import { expect, type Page } from "@playwright/test"

export const looks = [
  { name: "light", media: { colorScheme: "light", contrast: "no-preference" } },
  { name: "dark", media: { colorScheme: "dark", contrast: "no-preference" } },
  { name: "high contrast, light", media: { colorScheme: "light", contrast: "more" } },
  { name: "high contrast, dark", media: { colorScheme: "dark", contrast: "more" } }
] as const

/** Two frames on, with every transition at its end: colours do not move while they are measured. */
export const still = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    await frame()
    await frame()
    const isEndless = ({ effect }: Animation) => effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY
    const moving = document.getAnimations().filter((animation) => !isEndless(animation))
    await Promise.all(moving.map((animation) => animation.finished.catch(() => undefined)))
  })

type Look = (typeof looks)[number]["name"]

/** Rules of WCAG 2.2 AA and of good practice that are broken on what the page shows now: rule, element, why. */
export const breaches = async (page: Page, named: ReadonlyArray<Look> = ["light", "dark"]): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const { media, name } of looks) {
    if (!named.includes(name)) continue
    await page.emulateMedia({ ...media, reducedMotion: "reduce" })
    await still(page)
    const axe = new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    for (const { id, nodes } of (await axe.analyze()).violations) {
      for (const { failureSummary = "", html } of nodes) {
        found.push(`${name}: ${id}: ${html.slice(0, 240)} ${failureSummary.replaceAll(/\s+/gu, " ")}`)
      }
    }
  }
  return found
}

/** In light and in dark unless told. */
export const lookedAt = async (page: Page, named?: ReadonlyArray<Look>): Promise<void> =>
  expect(await breaches(page, named)).toEqual([])

/**
 * What is wider than its place, in pixels beyond it: of the page, of the screen's content, of each element that cuts off what it
 * holds.
 */
export const sideways = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => {
    const wide = (element: Element) => element.scrollWidth - element.clientWidth
    const name = (element: Element) => `${element.tagName.toLowerCase()}.${element.className.toString()} by ${wide(element)} px`
    const whole = [document.documentElement, ...document.querySelectorAll("main, #content, [role=dialog], [role=alertdialog]")]
    return whole.filter((element) => wide(element) > 0).map(name)
  })

export const expectNothingSideways = async (page: Page): Promise<void> => expect(await sideways(page)).toEqual([])
