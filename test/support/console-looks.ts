/** How a screen looks to different people: in every theme, and whether all of it is there. */
import { expect, type Page } from "@playwright/test"
import { breaches, type Look } from "./axe.ts"

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
    const name = (element: Element) =>
      `${element.tagName.toLowerCase()}.${element.className.toString()} by ${wide(element)} px`
    const whole = [
      document.documentElement,
      ...document.querySelectorAll("main, #content, [role=dialog], [role=alertdialog]")
    ]
    return whole.filter((element) => wide(element) > 0).map(name)
  })

export const expectNothingSideways = async (page: Page): Promise<void> => expect(await sideways(page)).toEqual([])
