/**
 * The time from a decision in one console until a second shows it, in commits of a single row: two pages of one
 * Chromium with separate sessions, from the press in the first to the text in the second's document. Both pages read
 * one clock. Browser frames are included.
 */
import { singleConnection } from "@countersign/hub/platform/db"
import { type BrowserContext, chromium, type Page } from "@playwright/test"
import { Effect } from "effect"
import { ensureConsole } from "../../apps/hub/scripts/console.mjs"
import { findChromium } from "../support/chromium.mjs"
import { cookieOf, expectStatus } from "../support/hub.ts"
import { below, type Figure, info } from "./figures.ts"
import { median, quantile, sorted, timed } from "./rounds.ts"
import { bearer, database, makeWorkspace, owner, sayHello, Stage, startHub } from "./stage.ts"

/** Decisions per round. */
const decisions = 12

interface Seen {
  /** Milliseconds from the press to the text in the deciding console, and in the second. */
  readonly own: number
  readonly other: number
}

/** Runs in the page: the time when its footer shows the approval, on the clock that all pages share. */
const whenShownScript = `new Promise((resolve) => {
  const look = () => {
    if (document.querySelector("footer[aria-label=Decide]")?.textContent?.includes("Countersigned by") !== true) return
    observer.disconnect()
    resolve(performance.timeOrigin + performance.now())
  }
  const observer = new MutationObserver(look)
  observer.observe(document.body, { subtree: true, childList: true, characterData: true })
  look()
})`

const whenShown = (page: Page): Promise<number> => page.evaluate<number>(whenShownScript)

const press = (page: Page): Promise<number> =>
  page.getByRole("button", { name: /^Approve \$/ }).evaluate((button: { readonly click: () => void }) => {
    const at = performance.timeOrigin + performance.now()
    button.click()
    return at
  })

const openOn = async (page: Page, address: string): Promise<void> => {
  await page.goto(address)
  await page.getByRole("button", { name: /^Approve \$/ }).waitFor()
  await page.locator("[data-phase=online]").first().waitFor({ state: "attached" })
}

export const twoConsoles: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { rounds, seconds } = yield* Stage
  const { problem } = ensureConsole()
  if (problem !== undefined) return yield* Effect.die(new Error(`the console could not be built: ${problem}`))
  const target = yield* database
  const hub = yield* startHub(target)
  const workspace = yield* makeWorkspace(hub)
  const { cookie, org } = workspace
  expectStatus(yield* hub.api("PATCH", `/workspaces/${org}`, { cookie, body: { approval_threshold_cents: 0 } }), 200)
  const sql = yield* singleConnection(target, "bench")
  yield* sql.unsafe("create table commits (id bigint generated always as identity primary key, body text not null)")
  const commits = yield* timed(sql`insert into commits (body) values ('hello')`, { millis: seconds * 500 })
  const commit = quantile(commits, 0.5)

  const executablePath = findChromium()
  const browser = yield* Effect.acquireRelease(
    Effect.promise(() =>
      chromium.launch({
        ...executablePath === undefined ? {} : { executablePath },
        args: ["--no-sandbox", "--disable-dev-shm-usage"]
      })
    ),
    (opened) => Effect.promise(() => opened.close())
  )
  const origin = `http://127.0.0.1:${hub.port}`
  const console = Effect.gen(function*() {
    const [name = "", value = ""] = cookieOf(expectStatus(yield* hub.api("POST", "/auth/login", { body: owner }), 200))
      .split("=")
    return yield* Effect.promise(async () => {
      const context: BrowserContext = await browser.newContext({ baseURL: origin })
      await context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: "Lax" }])
      return context.newPage()
    })
  })
  const one = yield* console
  const two = yield* console

  const seen: Array<Seen> = []
  for (let at = 0; at < rounds * decisions; at++) {
    const asked = expectStatus(
      yield* hub.api("POST", "/service-requests", { headers: bearer(workspace), body: sayHello }),
      200
    )
    seen.push(
      yield* Effect.promise(async () => {
        const address = `/w/${org}/approvals/${asked.body.approval_id}`
        await Promise.all([openOn(one, address), openOn(two, address)])
        const shown = Promise.all([whenShown(one), whenShown(two)])
        const pressed = await press(one)
        const [own, other] = await shown
        return { own: own - pressed, other: other - pressed }
      })
    )
  }
  const others = sorted(seen.map(({ other }) => other))
  return [
    below("a decision in one console until a second shows it, in single commits", 3, median(others) / commit, 1),
    info(
      "the same",
      `p50 ${median(others).toFixed(1)} ms, p95 ${quantile(others, 0.95).toFixed(1)} ms; one commit ${
        commit.toFixed(2)
      } ms`
    ),
    info("a decision until its own console shows it", `p50 ${median(seen.map(({ own }) => own)).toFixed(1)} ms`)
  ]
}).pipe(Effect.scoped)
