import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { firstOwner, startHub } from "../../support/hub.ts"

describe("the state of the setup", () => {
  it.live("is public: setup is needed until there is an owner", () =>
    Effect.gen(function*() {
      const hub = yield* startHub()
      const state = Effect.map(hub.api("GET", "/auth/setup"), ({ body, status }) => [status, body])
      assert.deepStrictEqual([yield* state, yield* state], [[200, { needed: true }], [200, { needed: true }]])
      yield* firstOwner(hub)
      assert.deepStrictEqual([yield* state, yield* state], [[200, { needed: false }], [200, { needed: false }]])
    }))
})
