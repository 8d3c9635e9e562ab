/** A hub that is killed between a decision and the update of its message. */
import { it } from "@effect/vitest"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { spawnHub } from "../../support/hub-program.ts"
import { expectStatus, firstOwner, makeAgent, startHub, topUp } from "../../support/hub.ts"
import { botToken, type Misbehavior, slackFake } from "../../support/messengers.ts"
import { freshDatabase } from "../../support/pg.ts"

it.live(
  "a message follows a decision whose hub was killed before it was updated",
  () =>
    Effect.scoped(Effect.gen(function*() {
      const slack = yield* slackFake
      const database = yield* freshDatabase
      const env = { ...slack.env, HUB_EGRESS_ALLOW: "127.0.0.1" }
      const first = yield* startHub({ env, database })
      const owner = yield* firstOwner(first)
      const { cookie } = owner
      yield* topUp(first, owner, 10_000)
      expectStatus(yield* first.api("PUT", "/secrets/slack", { cookie, body: { value: botToken } }), 201)
      expectStatus(
        yield* first.api("POST", "/policies", {
          cookie,
          body: { name: "All", when: "true", then: "require_approval", reason: "All" }
        }),
        201
      )
      const agent = yield* makeAgent(first, owner)
      expectStatus(
        yield* first.api("POST", "/notice-channels", {
          cookie,
          body: { kind: "slack", secret: "slack", target: "C1" }
        }),
        201
      )
      yield* first.stop
      const hub = yield* spawnHub({ database, env })
      const { approval_id: id } = expectStatus(
        yield* hub.api("POST", "/service-requests", {
          key: agent.key,
          body: { service: "echo", operation: "say", payload: { text: "Hello" } }
        }),
        200
      ).body
      yield* slack.shows(id)
      // The update reaches the provider, and the hub dies before the answer.
      let asked = false
      const silent: Misbehavior = () => void (asked = true)
      slack.misbehave(silent)
      expectStatus(yield* hub.api("POST", `/approvals/${id}/reject`, { cookie, body: { comment: "No" } }), 200)
      yield* slack.until(() => asked ? true : undefined)
      yield* hub.kill("SIGKILL", "group")
      yield* hub.ended
      assert.lengthOf(slack.messages()[0]?.versions ?? [], 1)
      yield* startHub({ env, database })
      const shown = yield* slack.shows("Rejected by Ada")
      assert.deepStrictEqual(slack.labelsOf(shown), ["Open"])
      assert.lengthOf(slack.messages(), 1)
    })),
  180_000
)
