/**
 * Scrolls the audit list of 100,000 rows from its first row: the time from frame to frame, against the same script on a
 * list of 1,000 rows. Both reverse at the ends. Pages come by cursor from a real hub. Slices of both are measured in
 * turn, each from the position of its last one, so that other load on the machine affects both alike.
 */
import { singleConnection } from "@countersign/hub/platform/db"
import { chromium, type Page } from "@playwright/test"
import { Effect } from "effect"
import { ensureConsole } from "../../apps/hub/scripts/console.mjs"
import { findChromium } from "../support/chromium.mjs"
import { expectStatus } from "../support/hub.ts"
import { type Figure, info } from "./figures.ts"
import { interleaved, median, quantile, ratio, sorted } from "./rounds.ts"
import { database, makeWorkspace, Stage, startHub } from "./stage.ts"

const rowsLong = 100_000
const rowsShort = 1_000
const drawnRowsMax = 80
const ratioMax = 1.5
/** Distance per frame: more than a mouse wheel's. */
const stepPixels = 480
/** Frames per slice and list: the frames of a long list include the wait for its pages, some 4,000 rows a slice. */
const framesOfSlice = 500
const slicesOfRound = 5

interface Walk {
  /** Milliseconds between frames, ascending. */
  readonly frames: ReadonlyArray<number>
  /** The highest number of rows in the document at once. */
  readonly drawn: number
  /** The position of the last drawn row, from 1. */
  readonly reached: number
}

/** Runs in the page; reverses after this many rows. */
const scrollScript = (rows: number): string =>
  `new Promise((resolve) => {
  const grid = document.querySelector("[role=grid]")
  const found = []
  let [direction, last, drawn, reached] = [globalThis.direction ?? 1, performance.now(), 0, 0]
  const frame = () => {
    const now = performance.now()
    found.push(now - last)
    last = now
    const held = grid.querySelectorAll("[role=row][id]")
    drawn = Math.max(drawn, held.length)
    reached = Math.max(reached, Number(held.item(held.length - 1)?.getAttribute("aria-rowindex") ?? 1) - 1)
    if (found.length > ${framesOfSlice}) {
      globalThis.direction = direction
      return resolve({ frames: found.slice(1), drawn, reached })
    }
    const end = grid.scrollHeight - grid.clientHeight
    if ((Number(grid.getAttribute("aria-rowcount")) > ${rows} && grid.scrollTop >= end - 1 && direction > 0) || (grid.scrollTop <= 0 && direction < 0)) direction = -direction
    grid.scrollTop += direction * ${stepPixels}
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
})`

const lengthen = (org: string, rows: number) => [
  `insert into audit (org_id, seq, id, action, actor_type, actor_id, actor_name, subject_type, subject_id, outcome, cost_cents, data, created_at, prev_hash, hash)
    select h.org_id, h.seq + n, 'aud_0' || substr(md5(h.org_id || n), 1, 25), 'service_request.executed', 'agent', 'agt_0', 'Scout', 'service_request',
        'req_0' || substr(md5(h.org_id || n), 1, 25), 'executed', n % 5000, '{"service":"echo","operation":"say","mode":"live"}', h.last_at, sha256(int4send(n)), sha256(int4send(n + 1))
      from org_heads h, generate_series(1, ${rows} - (select seq::int from org_heads where org_id = '${org}')) n where h.org_id = '${org}'`,
  `update org_heads set seq = (select max(seq) from audit where org_id = '${org}') where org_id = '${org}'`,
  "analyze audit"
]

export const scrolling: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { rounds } = yield* Stage
  const { problem } = ensureConsole()
  if (problem !== undefined) return yield* Effect.die(new Error(`the console could not be built: ${problem}`))
  const target = yield* database
  const hub = yield* startHub(target)
  const { cookie, org: short } = yield* makeWorkspace(hub)
  const { body: { id: long } } = expectStatus(
    yield* hub.api("POST", "/workspaces", { cookie, body: { name: "Long" } }),
    201
  )
  const sql = yield* singleConnection(target, "bench")
  for (const statement of [...lengthen(short, rowsShort), ...lengthen(long, rowsLong)]) yield* sql.unsafe(statement)

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
  const [name = "", value = ""] = cookie.split("=")
  const open = (org: string) =>
    Effect.promise(async () => {
      const context = await browser.newContext({ baseURL: origin, viewport: { width: 1440, height: 900 } })
      await context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: "Lax" }])
      const page = await context.newPage()
      await page.goto(`/w/${org}/audit`)
      await page.getByRole("gridcell").first().waitFor()
      await page.locator("[data-phase=online]").first().waitFor({ state: "attached" })
      return page
    })
  const slice = (page: Page, rows: number) =>
    Effect.promise(async () => {
      await page.bringToFront()
      const found = await page.evaluate<Walk>(scrollScript(rows))
      return { ...found, frames: sorted(found.frames) }
    })

  const pages = { short: yield* open(short), long: yield* open(long) }
  // The first frames of a page include compilation and first paint.
  yield* slice(pages.short, rowsShort)
  yield* slice(pages.long, rowsLong)
  const { long: longs, short: shorts } = yield* interleaved(rounds * slicesOfRound, {
    short: slice(pages.short, rowsShort),
    long: slice(pages.long, rowsLong)
  })

  const p95 = (walks: ReadonlyArray<Walk>) => walks.map(({ frames }) => quantile(frames, 0.95))
  const found = ratio(p95(longs), p95(shorts))
  const drawn = Math.max(...longs.map((each) => each.drawn), ...shorts.map((each) => each.drawn))
  const middle = (walks: ReadonlyArray<Walk>) =>
    `p50 ${median(walks.map(({ frames }) => quantile(frames, 0.5))).toFixed(1)} ms, p95 ${
      median(p95(walks)).toFixed(1)
    } ms`
  return [
    {
      name: "p95 frame of 100,000 audit rows, over that of 1,000",
      wanted: `≤ ${ratioMax}`,
      measured: found.toFixed(2),
      met: found <= ratioMax
    },
    {
      name: "rows in the document at once",
      wanted: `≤ ${drawnRowsMax}`,
      measured: String(drawn),
      met: drawn <= drawnRowsMax
    },
    info("frames of 100,000 rows", middle(longs)),
    info("frames of 1,000 rows", middle(shorts)),
    info("the last row that was reached", String(Math.max(...longs.map((each) => each.reached))))
  ]
}).pipe(Effect.scoped)
