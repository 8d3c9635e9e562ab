/**
 * No text is fixed in code: in the pseudo-locale, where the catalogue speaks in other letters, what is left in plain English
 * letters was
 * said by the hub, is a figure of time, or is code.
 */
import type { Page, Response } from "@playwright/test"
import { arrive, littleOfEverything, routesOf } from "../../support/console-routes.ts"
import { expect, signIn, test } from "../../support/console.ts"

test.describe.configure({ timeout: 300_000 })

/** A name is the same in every language: the title of the page before its script speaks. */
const product = "Countersign"

/** Every string in an answer of the hub. */
const stringsIn = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value]
    : Array.isArray(value)
    ? value.flatMap(stringsIn)
    : typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, each]) => [name, ...stringsIn(each)])
    : []

/** Texts and spoken names of what is shown; not code, keys, or what the browser's own formats write. */
const textsOf = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => {
    const found = new Set<string>([document.title])
    const foreign = "code, pre, kbd, samp, time, script, style, noscript, [translate=no]"
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node instanceof Element ? node : node.parentElement
      if (element === null || element.closest(foreign) !== null) continue
      if (node instanceof Element) {
        for (
          const name of [
            "aria-label",
            "aria-description",
            "aria-valuetext",
            "title",
            "placeholder",
            "alt"
          ]
        ) found.add(element.getAttribute(name) ?? "")
      } else found.add(node.textContent ?? "")
    }
    return [...found].map((text) => text.replace(/\s+/gu, " ").trim()).filter((text) => text !== "")
  })

/** Names of months, days, zones and units, as `Intl` writes them. */
const ofTime = new Set(
  "Jan Feb Mar Apr May Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Wed Thu Fri Sat Sun UTC GMT now sec min ago".split(" ")
)

/** Words of three and more plain letters, outside of ids, paths and addresses. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  text.split(" ")
    .filter((part) => !/[\d_@/:=]|\w\.\w/u.test(part))
    .flatMap((part) => part.match(/[A-Za-z]{3,}/gu) ?? [])
    .filter((word) => !ofTime.has(word))

/** What the hub said in so few characters may stand within a text of ours; longer texts must be its own. */
const wordLengthMax = 80

const leftInEnglish = (texts: ReadonlyArray<string>, said: ReadonlySet<string>): ReadonlyArray<string> => {
  const short = [...said].filter((text) => text.length <= wordLengthMax)
  const words = new Set(short.flatMap((text) => text.match(/[A-Za-z]+/gu) ?? []))
  const whole = [...said].map((text) => text.replace(/\s+/gu, " "))
  return texts.filter((text) => {
    const plain = wordsOf(text)
    return plain.length > 0 && !whole.some((each) => each.includes(text)) && !plain.every((word) => words.has(word))
  })
}

test("in the pseudo-locale no screen has a word of plain English of its own", async ({ desk, hub, owner, page, upstream }) => {
  const said = new Set<string>([owner.name, owner.email, "Acme", product])
  const listen = async (response: Response) => {
    const isJson = response.headers()["content-type"]?.startsWith("application/json") === true
    if (!isJson || !response.url().includes("/api/v1/")) return
    for (const text of stringsIn(await response.json().catch(() => undefined))) said.add(text)
  }
  const heard: Array<Promise<void>> = []
  page.on("response", (response) => heard.push(listen(response)))
  const world = await littleOfEverything(desk, await upstream())
  const routes = await routesOf(page)
  await page.goto("/sign-in?locale=pseudo")
  await expect(page.getByRole("heading", { level: 1 })).toContainText("[")
  const problems: Array<string> = []
  const look = async (place: string) => {
    // First what is drawn: all of it that the hub said was heard by then.
    const texts = await textsOf(page)
    await Promise.all(heard)
    problems.push(...leftInEnglish(texts, said).map((text) => `${place}: ${text}`))
  }
  for (const route of routes.filter((route) => !route.startsWith("/w/"))) {
    await page.goto(route)
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
    await look(route)
  }
  await signIn(page, hub, owner)
  for (const route of routes.filter((route) => route.startsWith("/w/"))) {
    await test.step(route, async () => {
      await arrive(page, route, world)
      await look(route)
    })
  }
  for (const key of ["Control+k", "?"]) {
    await page.getByRole("heading", { level: 1 }).click()
    await page.keyboard.press(key)
    await expect(page.getByRole("dialog")).toBeVisible()
    await look(`the window of ${key}`)
    await page.keyboard.press("Escape")
    await expect(page.getByRole("dialog")).toHaveCount(0)
  }
  await page.goto("/nothing")
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
  await look("an address of nothing")
  expect([...new Set(problems)]).toEqual([])
})

test("what this test looks for is found", () => {
  const said = new Set(["Search the web", "Echo agent"])
  expect(leftInEnglish(["[Šéåŕçĥ····]", "Echo agent", "req_01m7 12", "echo.say", "Nov 21"], said)).toEqual([])
  expect(leftInEnglish(["Fixed in code", "Search", "[Ŵåîţš Echo····]"], said)).toEqual(["Fixed in code"])
})
