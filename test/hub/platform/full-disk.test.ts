import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { until } from "../../support/health.ts"
import { announcedFile, spawnHub } from "../../support/hub-program.ts"
import { requireFor } from "../../support/required.ts"

/** A file system of 200 MiB in memory; `undefined` where this user may not mount one. */
const smallDisk = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "hub-disk-"))
    return spawnSync("mount", ["-t", "tmpfs", "-o", "size=200m", "tmpfs", path]).status === 0 ? path : undefined
  }),
  (path) =>
    Effect.sync(() => {
      if (path === undefined) return
      spawnSync("umount", ["--lazy", path])
      rmdirSync(path)
    })
)

const fill = (path: string) => {
  const file = openSync(path, "w")
  const piece = Buffer.alloc(1 << 16)
  try {
    for (;;) writeSync(file, piece)
  } catch {
    // The disk is full.
  } finally {
    closeSync(file)
  }
}

describe("a full disk", () => {
  it.live(
    "answers changes with 503, is not ready, recovers by itself, and does not delay the drain",
    (context) =>
      Effect.gen(function*() {
        const disk = yield* smallDisk
        requireFor(
          context,
          disk === undefined
            ? { reason: "this user may not mount a tmpfs", provide: "run the tests as root" }
            : undefined
        )
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
      }),
    120_000
  )
})
