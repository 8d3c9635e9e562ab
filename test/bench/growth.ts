/**
 * Dispatch and a page of the audit log in large tables against the same in small ones: two databases of one server,
 * measured in turn.
 */
import { encodeCursor } from "@countersign/hub/platform/cursor"
import { Effect } from "effect"
import { expectStatus } from "../support/hub.ts"
import { below, type Figure, info } from "./figures.ts"
import { growRows } from "./grown-rows.ts"
import { interleaved, median, quantile, ratio, timed } from "./rounds.ts"
import { bearer, database, load, makeWorkspace, sayHello, sayLoad, Stage, startHub } from "./stage.ts"

const smallRows = 10_000
const pageEntries = 50

/** A hub with this many log entries, and calls to it. */
export const grown = Effect.fnUntraced(function*(rows: number) {
  const target = yield* database
  const hub = yield* startHub(target)
  const workspace = yield* makeWorkspace(hub)
  const began = performance.now()
  const { first, last } = yield* growRows(target, workspace, rows)
  const { api } = hub
  return {
    hub,
    workspace,
    seconds: (performance.now() - began) / 1000,
    say: Effect.map(
      api("POST", "/service-requests", { headers: bearer(workspace), body: sayHello }),
      (answer) => expectStatus(answer, 200)
    ),
    newest: Effect.map(
      api("GET", `/audit-logs?limit=${pageEntries}`, { cookie: workspace.cookie }),
      (answer) => expectStatus(answer, 200)
    ),
    /** A page at a random position of the log. */
    anywhere: Effect.suspend(() => {
      const seq = first + pageEntries + Math.floor(Math.random() * (last - first - pageEntries))
      return api("GET", `/audit-logs?limit=${pageEntries}&cursor=${encodeCursor([seq, Date.now()])}`, {
        cookie: workspace.cookie
      })
    }).pipe(Effect.map((answer) => {
      const { data } = expectStatus(answer, 200).body
      if (data.length !== pageEntries) throw new Error(`a page held ${data.length} entries`)
    }))
  }
})

export const growth: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { callers, rounds, rows, seconds } = yield* Stage
  const small = yield* grown(smallRows)
  const large = yield* grown(rows)
  const of = (once: Effect.Effect<unknown>) =>
    Effect.map(timed(once, { millis: seconds * 300 }), (took) => quantile(took, 0.5))
  const busy = ({ hub, workspace }: typeof small) =>
    Effect.map(load(sayLoad(workspace, [hub.port], { callers, seconds })), ({ p50 }) => p50)
  const pairs = { dispatch: "say", newest: "newest", anywhere: "anywhere" } as const
  // A first round reads and compiles, and is not compared.
  for (const { anywhere, newest, say } of [small, large]) yield* Effect.all([of(say), of(newest), of(anywhere)])
  const found = yield* interleaved(rounds, {
    ...Object.fromEntries(
      Object.entries(pairs).flatMap((
        [name, once]
      ) => [[`${name} small`, of(small[once])], [`${name} large`, of(large[once])]])
    ),
    "busy small": busy(small),
    "busy large": busy(large)
  } as Readonly<Record<string, Effect.Effect<number>>>)
  const compare = (name: string, key: string) => {
    const [over, under] = [found[`${key} large`] ?? [], found[`${key} small`] ?? []]
    const figure = below(
      `${name}, ${rows.toLocaleString("en")} audit rows over ${smallRows.toLocaleString("en")}`,
      key === "anywhere" ? 1.1 : 1.2,
      ratio(over, under)
    )
    return {
      ...figure,
      measured: `${figure.measured} (p50 ${median(over).toFixed(2)} ms, ${median(under).toFixed(2)} ms)`
    }
  }
  return [
    compare("dispatch p50, one caller", "dispatch"),
    compare(`dispatch p50, ${callers} callers`, "busy"),
    compare("newest page of audit", "newest"),
    compare("page from anywhere in the log", "anywhere"),
    info(
      "rows made",
      `${rows.toLocaleString("en")} audit, ${Math.ceil(rows / 10).toLocaleString("en")} requests in ${
        large.seconds.toFixed(0)
      } s`
    )
  ]
}).pipe(Effect.scoped)
