/**
 * The hub against other gateways, with one model provider on loopback that answers at once: its model door, whole and
 * streamed, and `llm.chat` as a service request, with policy, budget, audit and two durable commits, against gateways
 * that pass the call on. A gateway that cannot be installed is listed with the reason.
 */
import { Effect, Result } from "effect"
import type { Figure } from "./figures.ts"
import type { LoadOptions, LoadResult } from "./load.ts"
import { budgetRace, fitting, racers } from "./peers/budget-race.ts"
import { startLitellm, startPortkey } from "./peers/servers.ts"
import { interleaved, median, ratio } from "./rounds.ts"
import {
  bearer,
  chat,
  chatRequest,
  database,
  dispatchLoad,
  load,
  makeWorkspace,
  Stage,
  startHub,
  startModels
} from "./stage.ts"

const callersOf = [1, 64, 256]

const nothing: LoadResult = {
  requests: 0,
  seconds: 0,
  perSecond: 0,
  p50: Number.NaN,
  p99: Number.NaN,
  max: Number.NaN,
  good: 0,
  bad: [],
  cpuSeconds: 0
}

export const peers: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { out, rounds, seconds } = yield* Stage
  const models = yield* startModels
  const target = yield* database
  const hub = yield* startHub(target, {
    env: { HUB_LLM_BASE_URL: `http://127.0.0.1:${models.port}/v1`, HUB_LLM_API_KEY: "sk-bench-0123456789" }
  })
  const workspace = yield* makeWorkspace(hub, [], ["llm"])
  const found = {
    "Portkey's gateway": yield* Effect.result(startPortkey(models.port)),
    "LiteLLM without its database": yield* Effect.result(startLitellm(models.port, out))
  }

  const governed = (callers: number) => dispatchLoad(workspace, [hub.port], chatRequest, { callers, seconds })
  const passed =
    (port: number, headers: Readonly<Record<string, string>>, stream: boolean) => (callers: number): LoadOptions => ({
      ...governed(callers),
      ports: [port],
      path: "/v1/chat/completions",
      headers,
      body: JSON.stringify(stream ? { ...chat, stream } : chat),
      expect: stream ? "[DONE]" : "Hello."
    })
  /** The first error of each other gateway: the rest of the bench is measured without it. */
  const failures = new Map<string, string>()
  const loaded = (name: string, options: LoadOptions) =>
    Object.hasOwn(found, name)
      ? Effect.catchDefect(load(options), (defect) =>
        Effect.sync(() => {
          const [line = ""] = (defect instanceof Error ? defect.message : String(defect)).split("\n")
          failures.set(name, line)
          return nothing
        }))
      : load(options)
  type Sides = Record<string, (callers: number) => LoadOptions>
  const direct = "the provider itself"
  const door = "Countersign's model door"
  const [whole, streamed] = [false, true].map((stream): Sides => ({
    [direct]: passed(models.port, {}, stream),
    [door]: passed(hub.port, bearer(workspace), stream)
  })) as [Sides, Sides]
  whole["Countersign's service requests"] = governed
  const figures: Array<Figure> = []
  for (const [name, result] of Object.entries(found)) {
    if (Result.isFailure(result)) {
      const { message } = result.failure instanceof Error ? result.failure : new Error(String(result.failure))
      figures.push({ name, measured: `missing: ${message}` })
    } else {
      figures.push({ name, measured: `version ${result.success.version}` })
      whole[name] = passed(result.success.port, result.success.headers, false)
      streamed[name] = passed(result.success.port, result.success.headers, true)
    }
  }

  for (const [title, sides] of [["", whole], ["streamed, ", streamed]] as const) {
    // A gateway that loads modules at its first call is not measured during it.
    for (const [name, options] of Object.entries(sides)) yield* loaded(name, options(1))
    for (const callers of callersOf) {
      const measured: Readonly<Record<string, ReadonlyArray<LoadResult>>> = yield* interleaved(
        rounds,
        Object.fromEntries(Object.entries(sides).map(([name, options]) => [name, loaded(name, options(callers))]))
      )
      const [alone, own] = [measured[direct] ?? [], measured[door] ?? []]
      for (const [name, results] of Object.entries(measured)) {
        const speed = (side: ReadonlyArray<LoadResult>) => side.map(({ perSecond }) => perSecond)
        const of = (pick: (result: LoadResult) => number) => median(results.map(pick))
        const added = median(results.map(({ p50 }, at) => p50 - (alone[at]?.p50 ?? Number.NaN)))
        const text = `${
          of((x) => x.perSecond).toFixed(0)
        }/s, p50 ${of((x) => x.p50).toFixed(2)} ms, p99 ${of((x) => x.p99).toFixed(1)} ms` +
          (results === alone ? "" : `; added p50 ${added.toFixed(2)} ms`) +
          (results === alone || results === own
            ? ""
            : `; the door's throughput over it ${ratio(speed(own), speed(results)).toFixed(2)}`)
        const isSilent = results.some(({ requests }) =>
          requests === 0
        )
        figures.push({
          name: `${title}${callers === 1 ? "1 caller" : `${callers} callers`}: ${name}`,
          measured: isSilent ? failures.get(name) ?? "no answer within the time of a measurement" : text
        })
      }
    }
  }
  const race = yield* budgetRace
  const exact = (name: string, count: number, measured: string): Figure => ({
    name,
    wanted: String(fitting),
    measured,
    met: count === fitting
  })
  return [
    ...figures,
    exact(
      `${racers} racing calls on a budget for ${fitting}: executed by Countersign`,
      race.whole.count,
      `${race.whole.count} for ${race.whole.cents} cents, ${race.refused} refused`
    ),
    exact(
      "the same, killed by `kill -9` in between and asked again",
      race.after.count,
      `${race.after.count} for ${race.after.cents} cents`
    )
  ]
}).pipe(Effect.scoped)
