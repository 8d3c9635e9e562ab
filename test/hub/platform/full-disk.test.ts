import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { until } from "../../support/health.ts"
import { announcedFile, spawnHub } from "../../support/hub-program.ts"
import { requireFor } from "../../support/required.ts"
import { fill, missingDisk, smallDisk } from "../../support/small-disk.ts"

describe("a full disk", () => {
  it.live(
    "answers changes with 503, is not ready, recovers by itself, and does not delay the drain",
    (context) =>
      Effect.gen(function*() {
        const disk = yield* smallDisk(200)
        requireFor(context, disk === undefined ? missingDisk : undefined)
        const filler = join(disk ?? "", "filler")
        const hub = yield* spawnHub({ env: { HUB_DATA_DIR: join(disk ?? "", "data") } })
        const [, key = ""] = /Bearer (agent_key_live_\w+)/.exec(yield* announcedFile(hub, /Demo is ready/)) ?? []
        const say = hub.api("POST", "/service-requests", {
          key,
          body: { service: "echo", operation: "say", payload: { text: "hello" } }
        })
        const isReady = Effect.map(hub.api("GET", "/ready"), ({ status }) => status === 200)
        assert.strictEqual((yield* say).body.status, "executed")
        fill(filler)
        yield* until("the hub is not ready", Effect.map(isReady, (ready) => !ready))
        const refused = yield* say
        assert.deepStrictEqual([refused.status, refused.body.error.code, refused.headers.get("retry-after")], [
          503,
          "unavailable",
          "1"
        ])
        assert.match(refused.body.error.message, /disk .* is full/)
        const ready = yield* hub.api("GET", "/ready")
        assert.strictEqual(ready.body.error.message, "Not ready. disk: disk full.")
        rmSync(filler)
        yield* until("the hub is ready again", isReady)
        assert.strictEqual((yield* say).body.status, "executed")

        fill(filler)
        yield* until("the hub is not ready", Effect.map(isReady, (ready) => !ready))
        yield* hub.kill("SIGTERM")
        assert.deepStrictEqual(yield* hub.ended, { code: 0, signal: null })
        // The second time is within the minute in which a message is printed once.
        assert.lengthOf(hub.lines.filter((line) => line.includes("disk full: the hub declines changes")), 1)
        for (const line of hub.lines) assert.isBelow(line.length, 1_000, line)
      })
  )
})
