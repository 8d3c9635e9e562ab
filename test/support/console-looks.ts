/** Checks a screen in every theme, and that nothing on it is cut off. */
import { expect, type Page } from "@playwright/test"
import { breaches, type Look } from "./axe.ts"

/** Checks a state of a screen. Light and dark by default; the looks of whole screens are for `accessibility.spec.ts`. */
export const expectNoBreaches = async (page: Page, named?: ReadonlyArray<Look>): Promise<void> =>
  expect(await breaches(page, named, "state")).toEqual([])

/** Horizontal overflow in pixels: of the page, of the screen's content, and of each element that clips its content. */
export const horizontalOverflow = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => {
    const wide = (element: Element) => element.scrollWidth - element.clientWidth
    const name = (element: Element) =>
      `${element.tagName.toLowerCase()}.${element.className.toString()} by ${wide(element)} px`
    const whole = [
      document.documentElement,
      ...document.querySelectorAll("main, #content, [role=dialog], [role=alertdialog]")
    ]
    return whole.filter((element) => wide(element) > 0).map(name)
  })

export const expectNothingSideways = async (page: Page): Promise<void> =>
  expect(await horizontalOverflow(page)).toEqual([])
