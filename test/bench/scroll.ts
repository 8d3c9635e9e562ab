/**
 * The audit list scrolled from its first row to its last: time from frame to frame, against the same script on a list of 1,000 rows, which
 * turns round at its ends. Pages come by cursor from a real hub; frames of one Chromium, in turn.
 */
import { chromium, type Page } from "@playwright/test"
import { singleConnection } from "@countersign/hub/platform/db"
import { Effect } from "effect"
import { ensureConsole } from "../../apps/hub/scripts/console.mjs"
import { findChromium } from "../support/chromium.mjs"
import { expectStatus } from "../support/hub.ts"
import { type Figure, told } from "./figures.ts"
import { median, quantile, ratio, sorted } from "./rounds.ts"
import { database, makeWorkspace, Stage, startHub } from "./stage.ts"

const rowsLong = 100_000
const rowsShort = 1_000
const drawnRowsMax = 80
const ratioMax = 1.5
/** Moved in each frame: more than a wheel does. */
const stepPixels = 480
/** Of a round, on each list. */
const framesOfRound = 600
/** The walk to the last row ends here at the latest. */
const walkMillisMax = 480_000

interface Wanted {
  readonly frames: number
  readonly turn: boolean
  readonly rows: number
}

interface Walk {
  /** Milliseconds from each frame to the next, in order of size. */
  readonly frames: ReadonlyArray<number>
  /** Most rows that were in the document at once. */
  readonly drawn: number
  /** The place of the last row that was drawn, from 1. */
  readonly reached: number
}

/** In the page. `turn`: round at the ends; else down until `rows` are passed. */
const scrollScript = ({ frames, rows, turn }: Wanted): string => `new Promise((resolve) => {
  const grid = document.querySelector("[role=grid]")
  const found = []
  const began = performance.now()
  let [direction, last, drawn, reached] = [1, began, 0, 0]
  const frame = () => {
    const now = performance.now()
    found.push(now - last)
    last = now
    const held = grid.querySelectorAll("[role=row][id]")
    drawn = Math.max(drawn, held.length)
    reached = Math.max(reached, Number(held.item(held.length - 1)?.getAttribute("aria-rowindex") ?? 1) - 1)
    if (found.length >= ${frames} || (reached >= ${rows} && !${turn}) || now - began > ${walkMillisMax}) {
      return resolve({ frames: found.slice(1), drawn, reached })
    }
    const end = grid.scrollHeight - grid.clientHeight
    if (${turn} && ((grid.scrollTop >= end - 1 && direction > 0) || (grid.scrollTop <= 0 && direction < 0))) direction = -direction
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
  const { body: { id: long } } = expectStatus(yield* hub.api("POST", "/workspaces", { cookie, body: { name: "Long" } }), 201)
  const sql = yield* singleConnection(target, "bench")
  for (const statement of [...lengthen(short, rowsShort), ...lengthen(long, rowsLong)]) yield* sql.unsafe(statement)

  const executablePath = findChromium()
  const browser = yield* Effect.acquireRelease(
    Effect.promise(() => chromium.launch({
      ...executablePath === undefined ? {} : { executablePath }, args: ["--no-sandbox", "--disable-dev-shm-usage"]
    })),
    (opened) => Effect.promise(() => opened.close())
  )
  const origin = `http://127.0.0.1:${hub.port}`
  const [name = "", value = ""] = cookie.split("=")
  const walk = (org: string, wanted: Wanted) =>
    Effect.promise(async () => {
      const context = await browser.newContext({ baseURL: origin, viewport: { width: 1440, height: 900 } })
      await context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: "Lax" }])
      const page: Page = await context.newPage()
      await page.goto(`/w/${org}/audit`)
      await page.getByRole("gridcell").first().waitFor()
      await page.locator("[data-phase=online]").first().waitFor({ state: "attached" })
      const found = await page.evaluate<Walk>(scrollScript(wanted))
      await context.close()
      return { ...found, frames: sorted(found.frames) }
    })
  const once = { frames: framesOfRound, turn: true }

  // The first page of a browser compiles and paints for the first time.
  yield* walk(short, { ...once, rows: rowsShort })
  const shorts: Array<Walk> = []
  const longs: Array<Walk> = []
  for (let round = 0; round < rounds; round++) {
    shorts.push(yield* walk(short, { ...once, rows: rowsShort }))
    longs.push(yield* walk(long, { ...once, rows: rowsLong }))
  }
  const whole = yield* walk(long, { frames: Number.MAX_SAFE_INTEGER, turn: false, rows: rowsLong })
  shorts.push(yield* walk(short, { ...once, rows: rowsShort }))
  longs.push(whole)

  const p95 = (walks: ReadonlyArray<Walk>) => walks.map(({ frames }) => quantile(frames, 0.95))
  const found = ratio(p95(longs), p95(shorts))
  const drawn = Math.max(...longs.map((each) => each.drawn), ...shorts.map((each) => each.drawn))
  const middle = (walks: ReadonlyArray<Walk>) =>
    `p50 ${median(walks.map(({ frames }) => quantile(frames, 0.5))).toFixed(1)} ms, p95 ${median(p95(walks)).toFixed(1)} ms`
  return [
    { name: "p95 frame of 100,000 audit rows, over that of 1,000", wanted: `≤ ${ratioMax}`, measured: found.toFixed(2), met: found <= ratioMax },
    { name: "rows in the document at once", wanted: `≤ ${drawnRowsMax}`, measured: String(drawn), met: drawn <= drawnRowsMax },
    told("frames of 100,000 rows", middle(longs)),
    told("frames of 1,000 rows", middle(shorts)),
    told(
      "from the first of 100,000 rows to the last",
      `reached ${whole.reached} in ${(whole.frames.reduce((sum, each) => sum + each, 0) / 1_000).toFixed(0)} s, ${whole.frames.length} frames, ` +
      `p95 ${quantile(whole.frames, 0.95).toFixed(1)} ms, longest ${(whole.frames.at(-1) ?? 0).toFixed(0)} ms`
    )
  ]
}).pipe(Effect.scoped)
