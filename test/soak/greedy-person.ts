/** One person who uses the maximum (calls, streams, polls, over every credential) must not slow any other person. */
import { Effect } from "effect"
import { until } from "../support/health.ts"
import { cookieOf, expectStatus, firstOwner, makeToken, startHub } from "../support/hub.ts"
import { makePerson, password } from "../support/people.ts"
import { chanceOf } from "../support/random.ts"
import type { SoakScenario } from "./scenario.ts"

const openMax = 20
const callsPerRound = 150

export const soak: SoakScenario = {
  name: "greedy-person",
  summary:
    "A person with many credentials takes calls and streams without end while another works: that one is never refused",
  run: ({ log, scale, seed }) =>
    Effect.gen(function*() {
      const chance = chanceOf(seed)
      const hub = yield* startHub({ env: { HUB_RATE_LIMIT_USER: "20:60", HUB_OPEN_CALLS: `${openMax}` } })
      const owner = yield* firstOwner(hub)
      const greedy = yield* makePerson(hub, owner.org, "member")
      const modest = yield* makePerson(hub, owner.org, "member")
      const again = expectStatus(
        yield* hub.api("POST", "/auth/login", { body: { email: greedy.email, password } }),
        200
      )
      const token = yield* makeToken(hub, greedy, ["agents:read"])
      const credentials: ReadonlyArray<Record<string, string>> = [
        { cookie: greedy.cookie },
        { cookie: cookieOf(again) },
        { authorization: `Bearer ${token}` }
      ]
      const aborts = new Set<AbortController>()
      yield* Effect.addFinalizer(() => Effect.sync(() => aborts.forEach((abort) => abort.abort())))
      let streams = 0
      const counts = { taken: 0, refused: 0, streams: 0 }
      const take = Effect.promise(async () => {
        const abort = new AbortController()
        const headers = chance.one(credentials)
        const isStream = chance.int(2) === 0
        aborts.add(abort)
        const response = await fetch(`${hub.url}/api/v1${isStream ? "/events" : "/agents"}`, {
          headers,
          signal: abort.signal
        })
        if (response.status !== 200 && response.status !== 429) {
          throw new Error(`the greedy person was answered ${response.status}`)
        }
        counts[response.status === 200 ? "taken" : "refused"]++
        if (isStream && response.status === 200) counts.streams = Math.max(counts.streams, ++streams)
        else {
          await response.arrayBuffer()
          aborts.delete(abort)
        }
      })
      for (let round = 0; round < scale; round++) {
        const work = Effect.forEach(
          Array.from({ length: 5 }),
          () => hub.api("GET", "/agents", { cookie: modest.cookie })
        )
        const [, answers] = yield* Effect.all([
          Effect.forEach(Array.from({ length: callsPerRound }), () => take, { concurrency: 8, discard: true }),
          work
        ], { concurrency: 2 })
        const refused = answers.find(({ status }) => status !== 200)
        if (refused !== undefined) {
          throw new Error(`round ${round}: another person was answered ${refused.status}: ${refused.text}`)
        }
        if (streams > openMax) {
          throw new Error(`round ${round}: one person has ${streams} streams open, over ${openMax}`)
        }
        // Closed connections free their slots.
        for (const abort of aborts) abort.abort()
        aborts.clear()
        streams = 0
        const controller = new AbortController()
        yield* until(
          "the greedy person's streams are closed",
          Effect.promise(async () => {
            const response = await fetch(`${hub.url}/api/v1/events`, {
              headers: { cookie: modest.cookie },
              signal: controller.signal
            })
            return response.status === 200
          })
        )
        controller.abort()
        yield* until(
          "the greedy person has room again",
          Effect.promise(async () => {
            const attempt = new AbortController()
            const response = await fetch(`${hub.url}/api/v1/events`, {
              headers: { cookie: greedy.cookie },
              signal: attempt.signal
            })
            attempt.abort()
            return response.status === 200
          })
        )
      }
      if (counts.refused === 0) throw new Error("the greedy person was never refused")
      log(`${counts.taken} taken, ${counts.refused} refused, at most ${counts.streams} streams`)
    }).pipe(Effect.scoped, Effect.runPromise)
}
