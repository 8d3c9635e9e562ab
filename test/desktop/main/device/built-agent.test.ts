/** The agent as packaged with the app: only the built files, without this repository's packages and sources. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { fork } from "node:child_process"
import { cpSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ensureBuilt, out } from "../../../support/built-main.ts"
import { pairedWith, temporary } from "../../../support/device-agent.ts"
import { hostileHub } from "../../../support/hostile-hub.ts"

/** Started as by the app, except that Node replaces Electron's process. */
const started = (entry: string, folder: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = fork(entry, [], { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] })
      child.send({ type: "start", folder, paused: false, take_over: false })
      return child
    }),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )

it.live("searches in its worker thread, whose file is beside its own", () =>
  Effect.gen(function*() {
    ensureBuilt()
    const app = yield* temporary
    cpSync(join(out, "main"), join(app, "main"), { recursive: true })
    writeFileSync(join(app, "package.json"), JSON.stringify({ type: "module" }))
    const hub = yield* hostileHub
    const place = yield* pairedWith(hub.url)
    place.rules([{ effect: "allow", tool: "fs.search" }])
    writeFileSync(join(place.root, "notes.txt"), "hay\nneedle\n")
    yield* started(join(app, "main", "device.js"), place.folder.path)
    yield* hub.seen(() => hub.connections() > 0 ? true : undefined)
    const { error, outcome, result } = yield* hub.ended(
      hub.offer({ tool: "fs.search", input: { path: ".", pattern: "n[e]+dle" } })
    )
    assert.strictEqual(outcome, "succeeded", JSON.stringify(error))
    assert.deepInclude(result, { matches: [{ path: "notes.txt", line: 2, text: "needle" }] })
  }), { timeout: 300_000 })
