/**
 * Rules of WCAG 2.2 AA and of good practice, tried by axe on what a page shows now. No page of ours has frames, so all of it runs in the
 * page: axe's other way opens a second page for each look.
 */
import { AxeBuilder } from "@axe-core/playwright"
import type { Page } from "@playwright/test"

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
/** What a theme can break. All others are of the document, which is the same in each. */
const ofColour = ["color-contrast", "link-in-text-block"]

export const looks = [
  { name: "light", media: { colorScheme: "light", contrast: "no-preference" } },
  { name: "dark", media: { colorScheme: "dark", contrast: "no-preference" } },
  { name: "high contrast, light", media: { colorScheme: "light", contrast: "more" } },
  { name: "high contrast, dark", media: { colorScheme: "dark", contrast: "more" } }
] as const
export type Look = (typeof looks)[number]["name"]
export const everyLook: ReadonlyArray<Look> = looks.map(({ name }) => name)

/** Two frames on, with every transition at its end: colours do not move while they are measured. Text: it runs in the page. */
const untilStill = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  await frame()
  await frame()
  const isEndless = ({ effect }) => effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY
  const moving = document.getAnimations().filter((animation) => !isEndless(animation))
  await Promise.all(moving.map((animation) => animation.finished.catch(() => undefined)))
})()`

/** Rule, element, why. */
export const broken = async (page: Page, rules: "all" | "of colour" = "all"): Promise<ReadonlyArray<string>> => {
  await page.evaluate(untilStill)
  const axe = new AxeBuilder({ page }).setLegacyMode()
  const { violations } = await (rules === "all" ? axe.withTags(tags) : axe.withRules(ofColour)).analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ failureSummary = "", html }) =>
      `${id}: ${html.slice(0, 240)} ${failureSummary.replaceAll(/\s+/gu, " ")}`
    )
  )
}

/** As `broken`, in each look named; the first with all rules. Light and dark unless told. */
export const breaches = async (
  page: Page,
  named: ReadonlyArray<Look> = ["light", "dark"]
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const { media, name } of looks.filter((look) => named.includes(look.name))) {
    await page.emulateMedia({ ...media, reducedMotion: "reduce" })
    const rules = name === looks.find((look) => named.includes(look.name))?.name ? "all" : "of colour"
    found.push(...(await broken(page, rules)).map((each) => `${name}: ${each}`))
  }
  return found
}
