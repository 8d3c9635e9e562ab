/** A device for benches: registered, with all grants, its agent a separate program with a folder and a root. */
import { openStateFolder, writeIdentity, writePrivate } from "@countersign/desktop/device/state"
import { Effect, Schedule } from "effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { main } from "../support/device-agent.ts"
import { makeDevice } from "../support/device.ts"
import { spawnProgram } from "../support/hub-program.ts"
import { expectStatus } from "../support/hub.ts"
import type { BenchHub, Workspace } from "./stage.ts"

export interface BenchDevice {
  readonly pid: number
  readonly root: string
  readonly session: string
  /** Queues a command as the operator, and follows its output stream to the end. */
  readonly runThrough: (
    argv: ReadonlyArray<string>,
    timeoutSeconds?: number
  ) => Effect.Effect<{ readonly output_bytes: number; readonly dropped_bytes: number }>
}

/** `rules` gets the root. */
export const startDevice = Effect.fnUntraced(function*(
  hub: BenchHub,
  { cookie }: Workspace,
  rules: (root: string) => Readonly<Record<string, unknown>>
) {
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "cs-bench-device-"))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  )
  const root = join(home, "work")
  mkdirSync(root)
  const folder = openStateFolder(join(home, "state"))
  const device = yield* makeDevice(hub, { cookie })
  const origin = `http://127.0.0.1:${hub.port}`
  writePrivate(folder.file("device.key"), `${device.key}\n`)
  writeIdentity(folder, {
    hub: origin,
    device_id: device.id as never,
    name: "bench",
    instance_id: `instance-${device.id}`,
    roots: [root],
    paired_at: new Date().toISOString()
  })
  writeFileSync(folder.file("device.rules.json"), JSON.stringify({ version: 1, ask_via: "none", ...rules(root) }), {
    mode: 0o600
  })
  const program = yield* spawnProgram([process.execPath, main, "run", "--data-dir", folder.path])
  yield* program.line(/"event":"connected"/)
  const { body } = yield* Effect.repeat(hub.api("GET", `/devices/${device.id}`, { cookie }), {
    until: ({ body }) => body.presence === "online" && body.session !== undefined,
    schedule: Schedule.spaced("30 millis")
  })
  const runThrough: BenchDevice["runThrough"] = Effect.fnUntraced(function*(argv, timeout_seconds = 30) {
    const queued = expectStatus(
      yield* hub.api("POST", `/devices/sessions/${body.session.id}/commands`, {
        cookie,
        body: { tool: "shell.run", input: { argv }, timeout_seconds }
      }),
      201
    )
    const events = expectStatus(
      yield* hub.api("GET", `/devices/commands/${queued.body.id}/output`, {
        cookie,
        headers: { accept: "text/event-stream", "last-event-id": "2000000000" }
      }),
      200
    )
    const [, ended = "{}"] = /event: command\ndata: (.*)/.exec(events.text) ?? []
    const event = JSON.parse(ended)
    const { body: command } = yield* hub.api("GET", `/devices/commands/${queued.body.id}`, { cookie })
    if (command.outcome !== "succeeded") {
      return yield* Effect.die(new Error(`a command did not succeed: ${JSON.stringify(command)}`))
    }
    return event
  })
  return { pid: program.pid, root, session: body.session.id, runThrough } satisfies BenchDevice
})
