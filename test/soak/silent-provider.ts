/** One workspace's provider never answers polls; the polls of other workspaces are not delayed. */
import { pollLimits } from "@countersign/hub/dispatch/recovery/poll-rules"
import { Effect } from "effect"
import { until } from "../support/health.ts"
import { firstOwner, startHub } from "../support/hub.ts"
import { chanceOf } from "../support/random.ts"
import { makePolledService, makeTenant } from "../support/silent-provider.ts"
import type { SoakScenario } from "./scenario.ts"

const silentRequests = 120

export const soak: SoakScenario = {
  name: "silent-provider",
  summary:
    "120 requests at a provider that never answers polls: other workspaces are polled in turn, and the hub stays ready",
  run: ({ log, scale, seed }) =>
    Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      const { int } = chanceOf(seed)
      const hub = yield* startHub({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } })
      const owner = yield* firstOwner(hub)
      const silent = yield* makePolledService(hub, owner, () => undefined, { operations: ["run", "walk"] })
      const neighbors = yield* Effect.forEach(
        [1, 2, 3],
        Effect.fnUntraced(function*() {
          const wanted = 1 + int(3)
          const tenant = yield* makeTenant(hub)
          return {
            wanted,
            ...(yield* makePolledService(hub, tenant, (poll) => ({ state: poll < wanted ? "working" : "done" })))
          }
        })
      )
      for (const operation of ["run", "walk"]) yield* silent.start(silentRequests / 2, operation)
      yield* until("polls of the silent provider are open", Effect.sync(() => silent.open() >= pollLimits.lane))
      let most = 0
      for (let wave = 1; wave <= 2 * scale; wave++) {
        yield* Effect.forEach(
          neighbors,
          Effect.fnUntraced(function*({ agent, pollsOf, start, wanted }) {
            const before = silent.polls()
            const [id] = yield* start(1)
            const { body } = yield* hub.api("GET", `/service-requests/${id}?wait=30`, { key: agent.key })
            const between = (silent.polls() - before) / wanted
            most = Math.max(most, between)
            if (body.status !== "executed") {
              return yield* Effect.die(new Error(`wave ${wave}: ${id} is ${body.status}`))
            }
            if (pollsOf(wave) !== wanted) {
              return yield* Effect.die(new Error(`wave ${wave}: polled ${pollsOf(wave)} times instead of ${wanted}`))
            }
            // One turn of a workspace starts at most its share of polls.
            if (between > 2 * pollLimits.org) {
              return yield* Effect.die(
                new Error(`wave ${wave}: ${between} polls of the silent provider for each of a neighbor's`)
              )
            }
          }),
          { concurrency: "unbounded", discard: true }
        )
        const ready = yield* hub.api("GET", "/ready")
        if (ready.status !== 200) return yield* Effect.die(new Error(`wave ${wave}: not ready: ${ready.text}`))
        if (silent.open() > pollLimits.org) {
          return yield* Effect.die(new Error(`wave ${wave}: ${silent.open()} polls of one workspace`))
        }
      }
      log(
        `${2 * scale} waves, ${silent.polls()} silent polls, at most ${
          most.toFixed(1)
        } of them for each poll of a neighbor`
      )
    })))
}
