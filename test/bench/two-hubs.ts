/** Two hubs on one database and one hot wallet, against one hub with the same number of callers. */
import { Effect } from "effect"
import { atLeast, type Figure, info } from "./figures.ts"
import { interleaved, median, ratio } from "./rounds.ts"
import { database, load, makeWorkspace, sayLoad, Stage, startHub } from "./stage.ts"

export const twoHubs: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { callers, rounds, seconds } = yield* Stage
  const target = yield* database
  const first = yield* startHub(target)
  const workspace = yield* makeWorkspace(first)
  const second = yield* startHub(target)
  const measure = (...ports: ReadonlyArray<number>) => load(sayLoad(workspace, ports, { callers, seconds }))
  yield* measure(first.port, second.port)
  const found = yield* interleaved(rounds, { one: measure(first.port), two: measure(first.port, second.port) })
  const speeds = (name: keyof typeof found) => found[name].map(({ perSecond }) => perSecond)
  const infoOf = (name: keyof typeof found) =>
    info(
      `${name === "one" ? "one hub" : "two hubs"}, ${callers} callers in all`,
      `${median(speeds(name)).toFixed(0)}/s (${speeds(name).map((x) => x.toFixed(0)).join(", ")}), p50 ${
        median(found[name].map(({ p50 }) => p50)).toFixed(1)
      } ms, p99 ${median(found[name].map(({ p99 }) => p99)).toFixed(1)} ms`
    )
  return [atLeast("two hubs together over one", 1.1, ratio(speeds("two"), speeds("one"))), infoOf("one"), infoOf("two")]
}).pipe(Effect.scoped)
