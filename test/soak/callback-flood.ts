/** A flood of unsigned callbacks must not cause a 429 for signed ones, and gets only 401 or 429. */
import { Effect } from "effect"
import { callbackFor, makeCallbackService, sendCallback, signatureOf } from "../support/hooks.ts"
import { firstOwner, startHub } from "../support/hub.ts"
import { chanceOf } from "../support/random.ts"
import type { SoakScenario } from "./scenario.ts"

const floodPerRound = 200
const signedPerRound = 8
const addresses = 4

export const soak: SoakScenario = {
  name: "callback-flood",
  summary:
    "Unsigned and wrongly signed callbacks from many addresses, with signed ones among them that must all be accepted",
  run: ({ log, scale, seed }) =>
    Effect.gen(function*() {
      const chance = chanceOf(seed)
      const hub = yield* startHub({ env: { HUB_RATE_LIMIT_HOOK: "5:20", HUB_TRUSTED_PROXIES: "127.0.0.1" } })
      const owner = yield* firstOwner(hub)
      const counts = new Map<number, number>()
      for (let round = 0; round < scale; round++) {
        // A separate hook for each round, so that its rate limit is unused.
        const path = yield* makeCallbackService(hub, owner, `flooded-${round}`)
        const from = (at: number) => ({ "x-forwarded-for": `192.0.2.${1 + at % addresses}` })
        const flood = Effect.forEach(Array.from({ length: floodPerRound }), (_, at) => {
          const text = callbackFor(`u${round}-${at}`)
          const headers = chance.one([{}, signatureOf(text, "another secret"), signatureOf("another body"), {
            "x-svc-signature": "sha256="
          }])
          const to = chance.one([
            path,
            path,
            "/webhooks/none/reconcile",
            `/webhooks/none/reconcile?org=org_${"0".repeat(26)}`
          ])
          return sendCallback(hub.api, to, text, { ...from(at), ...headers })
        }, { concurrency: 16 })
        const signed = Effect.forEach(Array.from({ length: signedPerRound }), (_, at) => {
          const text = callbackFor(`s${round}-${at}`)
          return sendCallback(hub.api, path, text, { ...from(at), ...signatureOf(text) })
        }, { concurrency: 2 })
        const [unverified, verified] = yield* Effect.all([flood, signed], { concurrency: 2 })
        const lost = verified.filter(({ status }) => status !== 202)
        if (lost.length > 0) {
          throw new Error(
            `round ${round}: ${lost.length} signed callbacks were answered ${lost[0]?.status}: ${lost[0]?.text}`
          )
        }
        for (const { status, text } of unverified) {
          counts.set(status, (counts.get(status) ?? 0) + 1)
          if (![401, 404, 429].includes(status)) {
            throw new Error(`round ${round}: an unsigned callback was answered ${status}: ${text}`)
          }
        }
      }
      if ((counts.get(429) ?? 0) === 0) throw new Error("the flood was never limited")
      log(`${scale * signedPerRound} signed accepted; unsigned: ${
        [...counts].map(([status, count]) => `${count} × ${status}`).join(", ")
      }`)
    }).pipe(Effect.scoped, Effect.runPromise)
}
