/** What a generation cost at OpenRouter, which counts it after a stream was cut, too. */
import { Effect } from "effect"
import { readAnswer } from "../answer.ts"
import type { Egress } from "../egress.ts"
import { isSuccess } from "../fate.ts"
import type { Target } from "./stream.ts"
import { objectOf } from "./wire.ts"

const waitMillisMax = 60_000
const intervalMillis = 3_000

/** In USD; `undefined` when the provider does not tell it within a minute. */
export const generationCost = (
  egress: Egress["Service"],
  { baseUrl, key, wire }: Pick<Target, "baseUrl" | "key" | "wire">,
  id: string,
  millis = { wait: waitMillisMax, interval: intervalMillis }
): Effect.Effect<number | undefined> =>
  Effect.gen(function*() {
    const until = performance.now() + millis.wait
    while (performance.now() < until) {
      const answer = yield* Effect.option(egress.request({
        url: `${baseUrl.replace(/\/+$/u, "")}/generation?id=${encodeURIComponent(id)}`,
        method: "GET",
        headers: { accept: "application/json", ...wire.headersOf(key) },
        timeoutMs: Math.max(1, until - performance.now()),
        trusted: true
      }))
      if (answer._tag === "Some" && isSuccess(answer.value.status)) {
        const reading = readAnswer(answer.value.body, answer.value.headers["content-type"])
        const data = reading.kind === "json" ? objectOf(objectOf(reading.document)["data"]) : {}
        const { is_byok, total_cost, upstream_inference_cost } = data
        if (typeof total_cost === "number" && total_cost >= 0) {
          return total_cost +
            (is_byok === true && typeof upstream_inference_cost === "number" ? Math.max(0, upstream_inference_cost) : 0)
        }
      }
      yield* Effect.sleep(millis.interval)
    }
    return undefined
  })
