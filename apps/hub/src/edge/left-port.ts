/**
 * Waits for the port while another hub drains, as a start waits for its data directory. `/ready`, which a hub answers
 * until its end, identifies the hub that has the port. Spec: reference/operation.md "Start", "Drain".
 */
import { Effect, Option } from "effect"
import { get as httpGet } from "node:http"
import { get as httpsGet } from "node:https"
import type { HubConfig } from "../config.ts"
import { DRAIN_WAIT_MILLIS, SAME_MOMENT_MILLIS } from "../platform/postgres/data-directory.ts"

const pollMillis = 100
const answerMillisMax = 2_000
const answerBytesMax = 65_536

type Holder = "nobody" | "hub" | "leaving hub" | "other"

interface Answer {
  readonly status?: unknown
  readonly error?: {
    readonly data?: { readonly checks?: ReadonlyArray<{ readonly name?: unknown; readonly ok?: unknown }> }
  }
}

const holderIn = (text: string): Holder => {
  try {
    const { error, status } = JSON.parse(text) as Answer
    if (status === "ready") return "hub"
    const checks = error?.data?.checks
    if (!Array.isArray(checks)) return "other"
    return checks.some(({ name, ok }) => name === "serving" && ok === false) ? "leaving hub" : "hub"
  } catch {
    return "other"
  }
}

const holderOf = ({ host, port, tls }: HubConfig): Effect.Effect<Holder> =>
  Effect.callback<Holder>((resume) => {
    const options = {
      host: host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host,
      port,
      path: "/api/v1/ready",
      agent: false,
      rejectUnauthorized: false
    }
    const request = (Option.isSome(tls) ? httpsGet : httpGet)(options, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece
        if (text.length > answerBytesMax) request.destroy()
      }).once("end", () => resume(Effect.succeed(holderIn(text)))).once("error", () => resume(Effect.succeed("other")))
    })
    request.setTimeout(answerMillisMax, () => request.destroy(Object.assign(new Error(), { code: "ETIMEDOUT" })))
    request.once("error", (error: NodeJS.ErrnoException) =>
      resume(Effect.succeed(error.code === "ECONNREFUSED" ? "nobody" : "other")))
    return Effect.sync(() =>
      void request.destroy()
    )
  })

/**
 * Ends when the port is free, or when the listener must report the problem: another program has the port, or a hub that
 * does not stop. A hub gets a moment to report its drain, because both may have received their signals at the same
 * time.
 */
export const untilLeft = Effect.fnUntraced(function*(config: HubConfig) {
  // Any free port will do.
  if (config.port === 0) return
  const begun = performance.now()
  let logged = false
  for (;;) {
    const holder = yield* holderOf(config)
    if (holder === "nobody" || holder === "other") return
    const leaving = holder === "leaving hub"
    if (performance.now() - begun >= (leaving ? DRAIN_WAIT_MILLIS : SAME_MOMENT_MILLIS)) return
    if (leaving && !logged) {
      logged = true
      yield* Effect.logInfo(`Waiting for port ${config.port}, which another hub is leaving`)
    }
    yield* Effect.sleep(pollMillis)
  }
})
