/**
 * The cost of a low memory limit for the embedded server: the same load on two servers in turn, over the rows of
 * `--rows`.
 */
import { memoryDefaultMib } from "@countersign/hub/platform/postgres/settings"
import { Effect } from "effect"
import { atLeast, below, type Figure } from "./figures.ts"
import { grown } from "./growth.ts"
import { interleaved, median, quantile, ratio, timed } from "./rounds.ts"
import { load, onServer, sayLoad, Stage } from "./stage.ts"

const largeMib = 1024
/** Share of the larger server's figure that may be lost. */
const lostMax = 0.05

export const memory: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { callers, rounds, rows, seconds } = yield* Stage
  const small = yield* onServer(memoryDefaultMib, grown(rows))
  const large = yield* onServer(largeMib, grown(rows))
  type Side = typeof small
  const busy = ({ hub, workspace }: Side) =>
    Effect.map(load(sayLoad(workspace, [hub.port], { callers, seconds })), ({ perSecond }) => perSecond)
  const page = ({ anywhere }: Side) =>
    Effect.map(timed(anywhere, { millis: seconds * 300 }), (took) => quantile(took, 0.5))
  // A first round reads and compiles, and is not compared.
  for (const side of [small, large]) yield* Effect.all([busy(side), page(side)])
  const found = yield* interleaved(rounds, {
    busySmall: busy(small),
    busyLarge: busy(large),
    pageSmall: page(small),
    pageLarge: page(large)
  })
  const over = `${memoryDefaultMib} MiB over ${largeMib} MiB, ${rows.toLocaleString("en")} audit rows`
  return [
    atLeast(`dispatch, ${callers} callers, ${over}`, 1 - lostMax, ratio(found.busySmall, found.busyLarge)),
    below(`p50 of a page from anywhere in the log, ${over}`, 1 + lostMax, ratio(found.pageSmall, found.pageLarge)),
    { name: "dispatch", measured: `${median(found.busySmall).toFixed(0)}/s, ${median(found.busyLarge).toFixed(0)}/s` },
    {
      name: "page from anywhere in the log",
      measured: `${median(found.pageSmall).toFixed(2)} ms, ${median(found.pageLarge).toFixed(2)} ms`
    }
  ]
}).pipe(Effect.scoped)
