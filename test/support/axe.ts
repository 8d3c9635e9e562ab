/**
 * Checks the current page with axe against WCAG 2.2 AA and axe's best practices. No page of the console has frames, so
 * all of it runs in the page. The axe source is sent once per document, and only violations are described: both halve
 * the CPU time of a check. A check of one state leaves out what every screen shares, which costs as much as the state.
 */
import type { Page } from "@playwright/test"
import type axe from "axe-core"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
/** Rules that a theme can break. All others depend on the document, which is the same in every theme. */
const themeRules = ["color-contrast", "link-in-text-block"]

export const looks = [
  { name: "light", media: { colorScheme: "light", contrast: "no-preference" } },
  { name: "dark", media: { colorScheme: "dark", contrast: "no-preference" } },
  { name: "high contrast, light", media: { colorScheme: "light", contrast: "more" } },
  { name: "high contrast, dark", media: { colorScheme: "dark", contrast: "more" } }
] as const
export type Look = (typeof looks)[number]["name"]
export const everyLook: ReadonlyArray<Look> = looks.map(({ name }) => name)

/**
 * Waits two frames with every transition finished, so that no color changes while it is measured. Text, because it runs
 * in the page.
 */
const untilStable = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  await frame()
  await frame()
  const isEndless = ({ effect }) => effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY
  const moving = document.getAnimations().filter((animation) => !isEndless(animation))
  await Promise.all(moving.map((animation) => animation.finished.catch(() => undefined)))
  return "axe" in globalThis
})()`

/**
 * Everything, or the state that a test has brought about: without the rail, which `accessibility.spec.ts` checks on
 * every screen in every look, and without what an open dialog hides from everyone, such as the screen below it.
 */
export type Scope = "page" | "state"
const outsideState = ["nav[aria-label=Main]", "[data-base-ui-inert][aria-hidden=true]"]

interface PageWithAxe {
  readonly axe: typeof axe
}

/** One line per violation: rule, element, reason. */
export const broken = async (
  page: Page,
  { rules = "all", scope = "page" }: { readonly rules?: "all" | "theme"; readonly scope?: Scope } = {}
): Promise<ReadonlyArray<string>> => {
  // Evaluated through the protocol, because the page's content security policy allows no other script.
  if (!await page.evaluate<boolean>(untilStable)) await page.evaluate(`${source}; undefined`)
  const options = {
    runOnly: rules === "all" ? { type: "tag" as const, values: tags } : { type: "rule" as const, values: themeRules },
    resultTypes: ["violations" as const],
    // Style sheets, for a rule about the orientation of screens, which are the same in every state.
    preload: scope === "page"
  }
  const exclude = scope === "page" ? [] : outsideState
  return page.evaluate(async ([exclude, options]) => {
    const { violations } = await (globalThis as unknown as PageWithAxe).axe.run({ exclude }, options)
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ failureSummary = "", html }) =>
        `${id}: ${html.slice(0, 240)} ${failureSummary.replaceAll(/\s+/gu, " ")}`
      )
    )
  }, [exclude, options] as const)
}

/** Runs `broken` in each given look, with all rules in the first. Light and dark by default. */
export const breaches = async (
  page: Page,
  named: ReadonlyArray<Look> = ["light", "dark"],
  scope: Scope = "page"
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const { media, name } of looks.filter((look) => named.includes(look.name))) {
    await page.emulateMedia({ ...media, reducedMotion: "reduce" })
    const rules = name === looks.find((look) => named.includes(look.name))?.name ? "all" : "theme"
    found.push(...(await broken(page, { rules, scope })).map((each) => `${name}: ${each}`))
  }
  return found
}
