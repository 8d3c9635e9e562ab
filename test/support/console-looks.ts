/** How a screen looks to different people: in every theme, and whether all of it is there. */
import { expect, type Page, test } from "@playwright/test"
import { expectAccessible } from "./console.ts"

export const looks = [
  { name: "light", media: { colorScheme: "light", contrast: "no-preference" } },
  { name: "dark", media: { colorScheme: "dark", contrast: "no-preference" } },
  { name: "high contrast, light", media: { colorScheme: "light", contrast: "more" } },
  { name: "high contrast, dark", media: { colorScheme: "dark", contrast: "more" } }
] as const

/** No accessibility rule is broken in light and in dark. Colours do not move while they are measured. */
export const lookedAt = async (page: Page, named: ReadonlyArray<(typeof looks)[number]["name"]> = ["light", "dark"]): Promise<void> => {
  for (const { media, name } of looks) {
    if (!named.includes(name)) continue
    await page.emulateMedia({ ...media, reducedMotion: "reduce" })
    await test.step(`in ${name}`, () => expectAccessible(page))
  }
}

/** What is wider than its place, in pixels beyond it: of the page, of the screen's content, of each element that cuts off what it holds. */
export const sideways = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => {
    const wide = (element: Element) => element.scrollWidth - element.clientWidth
    const name = (element: Element) => `${element.tagName.toLowerCase()}.${element.className.toString()} by ${wide(element)} px`
    const whole = [document.documentElement, ...document.querySelectorAll("main, #content, [role=dialog], [role=alertdialog]")]
    return whole.filter((element) => wide(element) > 0).map(name)
  })

export const expectNothingSideways = async (page: Page): Promise<void> => expect(await sideways(page)).toEqual([])
