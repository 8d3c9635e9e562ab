/**
 * No interface text is hard-coded: in the pseudo-locale, which replaces the letters of the catalog, any text in plain
 * English letters comes from the hub, is a formatted time, or is code.
 */
import type { Page, Response } from "@playwright/test"
import { addressOf, makeExampleWorkspace, routesOf, visit } from "../../support/console-routes.ts"
import { expect, signIn, test } from "../../support/console.ts"

test.describe.configure({ timeout: 300_000 })

/** The product name is the same in every language: the title of the page before its script runs. */
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

/** Texts and accessible names of the page; without code, keys, and formatted values of the browser. */
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

/** Names of months, days, zones, and units, as formatted by `Intl`. */
const ofTime = new Set(
  "Jan Feb Mar Apr May Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Wed Thu Fri Sat Sun UTC GMT now sec min ago".split(" ")
)

/** Words of three or more plain letters, outside of ids, paths, and addresses. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  text.split(" ")
    .filter((part) => !/[\d_@/:=]|\w\.\w/u.test(part))
    .flatMap((part) => part.match(/[A-Za-z]{3,}/gu) ?? [])
    .filter((word) => !ofTime.has(word))

/**
 * Strings of the hub below this length may be part of an interface text; longer texts must equal a string of the hub.
 */
const wordLengthMax = 80

const leftInEnglish = (texts: ReadonlyArray<string>, hubStrings: ReadonlySet<string>): ReadonlyArray<string> => {
  const short = [...hubStrings].filter((text) => text.length <= wordLengthMax)
  const words = new Set(short.flatMap((text) => text.match(/[A-Za-z]+/gu) ?? []))
  const whole = [...hubStrings].map((text) => text.replace(/\s+/gu, " "))
  return texts.filter((text) => {
    const plain = wordsOf(text)
    return plain.length > 0 && !whole.some((each) => each.includes(text)) && !plain.every((word) => words.has(word))
  })
}

test("in the pseudo-locale no screen has hard-coded English words", async ({ api, hub, owner, page, upstream }) => {
  const hubStrings = new Set<string>([owner.name, owner.email, "Acme", product])
  const listen = async (response: Response) => {
    const isJson = response.headers()["content-type"]?.startsWith("application/json") === true
    if (!isJson || !response.url().includes("/api/v1/")) return
    for (const text of stringsIn(await response.json().catch(() => undefined))) hubStrings.add(text)
  }
  const reads: Array<Promise<void>> = []
  page.on("response", (response) => reads.push(listen(response)))
  const example = await makeExampleWorkspace(api, await upstream())
  const routes = await routesOf(page)
  await page.goto("/sign-in?locale=pseudo")
  await expect(page.getByRole("heading", { level: 1 })).toContainText("[")
  const problems: Array<string> = []
  const check = async (place: string) => {
    // Read the page first: all of the hub's strings on it have arrived by then.
    const texts = await textsOf(page)
    await Promise.all(reads)
    problems.push(...leftInEnglish(texts, hubStrings).map((text) => `${place}: ${text}`))
  }
  for (const route of routes.filter((route) => !route.startsWith("/w/"))) {
    await page.goto(addressOf(route, example))
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
    await check(route)
  }
  await signIn(page, hub, owner)
  for (const route of routes.filter((route) => route.startsWith("/w/"))) {
    await test.step(route, async () => {
      await visit(page, route, example)
      await check(route)
    })
  }
  for (const key of ["Control+k", "?"]) {
    await page.getByRole("heading", { level: 1 }).click()
    await page.keyboard.press(key)
    await expect(page.getByRole("dialog")).toBeVisible()
    await check(`the window of ${key}`)
    await page.keyboard.press("Escape")
    await expect(page.getByRole("dialog")).toHaveCount(0)
  }
  await page.goto("/nothing")
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
  await check("an address of nothing")
  expect([...new Set(problems)]).toEqual([])
})

test("the check finds a seeded text", () => {
  const hubStrings = new Set(["Search the web", "Echo agent"])
  expect(leftInEnglish(["[Šéåŕçĥ····]", "Echo agent", "req_01m7 12", "echo.say", "Nov 21"], hubStrings)).toEqual([])
  expect(leftInEnglish(["Fixed in code", "Search", "[Ŵåîţš Echo····]"], hubStrings)).toEqual(["Fixed in code"])
})
