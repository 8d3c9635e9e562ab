/** What the agent makes of what a hub says, frame by frame, where the order of frames decides. */
import { makeAgent } from "@countersign/desktop/device/agent"
import { openJournal } from "@countersign/desktop/device/journal"
import { openLog } from "@countersign/desktop/device/log"
import { makeMask } from "@countersign/desktop/device/masker"
import { makePlaces } from "@countersign/desktop/device/places"
import { openTranscripts } from "@countersign/desktop/device/transcripts"
import type { DeviceFrame } from "@countersign/domain/device-protocol"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { temporary, until } from "../../support/device-agent.ts"

const id = `cmd_${"0".repeat(26)}`

describe("the agent and its wire", () => {
  const world = Effect.gen(function*() {
    const root = yield* temporary
    const journal = openJournal(join(root, "journal.sqlite"))
    const said: Array<DeviceFrame> = []
    const agent = makeAgent({
      journal, copies: join(root, "copies"), transcripts: openTranscripts(join(root, "output"), { mask: (text) => text, complain: () => {} }),
      log: openLog(join(root, "log"), { mask: (text) => text, print: () => {} }), mask: makeMask([]), places: makePlaces([root], []),
      rules: () => ({ rules: { version: 1, rules: [{ effect: "allow", tool: "system.info" }] } })
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => {
      agent.close()
      journal.close()
    }))
    agent.attach((frame) => said.push(frame), { kept: [], lost: [] })
    const offer = (number: number) =>
      agent.receive({
        type: "command", lease: { number, ttl_ms: 30_000, expires_at: "" },
        command: { id, tool: "system.info", input: {}, requested_by: { type: "user", id: "usr", name: "Ada" }, timeout_seconds: 30, queue_until: "" }
      })
    const acked = (number: number) => agent.receive({ type: "acked", command_id: id, status: "leased", lease: { number } })
    const heard = (type: string) => until(Effect.sync(() => said.filter((frame) => frame.type === type)), (frames) => frames.length > 0)
    return { agent, journal, said, offer, acked, heard }
  })

  it.live("a refusal of an acknowledgement under the lease before does not drop what was offered anew", () => Effect.gen(function*() {
    const { acked, agent, heard, offer } = yield* world
    offer(1)
    // The first acknowledgement was slow: meanwhile the hub offered it again.
    offer(2)
    agent.receive({ type: "error", to: "ack", command_id: id, error: { code: "lease_lost", data: { status: "leased", lease: 2 } } })
    acked(2)
    assert.deepInclude((yield* heard("done"))[0], { lease: 2, outcome: "succeeded" })
  }))

  it.live("a refusal of the present lease drops it, and nothing is begun", () => Effect.gen(function*() {
    const { acked, agent, journal, offer } = yield* world
    offer(1)
    agent.receive({ type: "error", to: "ack", command_id: id, error: { code: "lease_lost", data: { status: "queued", lease: 1 } } })
    acked(1)
    assert.deepStrictEqual(agent.running(), [])
    assert.isUndefined(journal.find(id))
  }))

  it.live("told to drain while an acknowledgement is under way, it does the command, which the hub offers to nobody else", () => Effect.gen(function*() {
    const { acked, agent, heard, offer } = yield* world
    offer(1)
    agent.closeIntake()
    acked(1)
    assert.deepInclude((yield* heard("done"))[0], { outcome: "succeeded" })
    agent.receive({ type: "done", command_id: id, status: "done", outcome: "succeeded" })
    yield* Effect.promise(() => agent.finish(30_000))
  }))

  it.live("an end that the journal cannot take is told all the same", () => Effect.gen(function*() {
    const { acked, agent, heard, journal, offer } = yield* world
    offer(1)
    acked(1)
    yield* heard("done")
    const { told } = journal
    Object.assign(journal, { told: () => { throw new Error("database or disk is full") } })
    agent.receive({ type: "done", command_id: id, status: "done", outcome: "succeeded" })
    assert.deepStrictEqual(agent.running(), [])
    Object.assign(journal, { told })
    assert.strictEqual(journal.untold().length, 1)
  }))
})
