/**
 * Approvals that appear in a Slack channel and are decided in the console: how soon after the commit the message is
 * there, and how soon after the decision it shows it. The fake Slack runs on loopback.
 */
import { Effect } from "effect"
import { expectStatus } from "../support/hub.ts"
import { botToken, slackFake } from "../support/messengers.ts"
import { below, type Figure, info } from "./figures.ts"
import { quantile, sorted } from "./rounds.ts"
import { bearer, database, makeWorkspace, Stage, startHub } from "./stage.ts"

const approvalsCount = 100
const perSecond = 5

export const channel: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const slack = yield* slackFake
  const hub = yield* startHub(yield* database, { env: { ...slack.env, HUB_EGRESS_ALLOW: "127.0.0.1" } })
  const workspace = yield* makeWorkspace(hub, [{
    name: "shop",
    kind: "http",
    base_url: slack.origin,
    operations: [{
      name: "buy",
      method: "POST",
      path: "/buy",
      price: { type: "fixed", cents: 4_200 },
      payload_schema: { type: "object" }
    }]
  }])
  const { cookie } = workspace
  expectStatus(yield* hub.api("PUT", "/secrets/slack", { cookie, body: { value: botToken } }), 201)
  const body = { kind: "slack", secret: "slack", target: "C1" }
  expectStatus(yield* hub.api("POST", "/notice-channels", { cookie, body }), 201)

  const sent: Array<number> = []
  const updated: Array<number> = []
  const one = Effect.gen(function*() {
    const request = yield* hub.api("POST", "/service-requests", {
      headers: bearer(workspace),
      body: { service: "shop", operation: "buy", payload: {} }
    })
    const id = expectStatus(request, 200).body.approval_id as string
    const committed = performance.now()
    const message = yield* slack.shows(id)
    sent.push(performance.now() - committed)
    expectStatus(yield* hub.api("POST", `/approvals/${id}/reject`, { cookie, body: { comment: "No" } }), 200)
    const decided = performance.now()
    yield* slack.until(() => message.versions.length > 1 ? true : undefined)
    updated.push(performance.now() - decided)
  })
  yield* Effect.forEach(
    Array.from({ length: approvalsCount }, (_, at) => at),
    (at) => Effect.delay(one, at * 1_000 / perSecond),
    { concurrency: "unbounded", discard: true }
  )
  const [posts, updates] = [sorted(sent), sorted(updated)]
  return [
    below("an approval's message in the channel after the commit, p99", 2_000, quantile(posts, 0.99), 0, " ms"),
    below("the message updated after the decision, p99", 2_000, quantile(updates, 0.99), 0, " ms"),
    info("the same, p50", `${quantile(posts, 0.5).toFixed(0)} ms, ${quantile(updates, 0.5).toFixed(0)} ms`)
  ]
}).pipe(Effect.scoped)
