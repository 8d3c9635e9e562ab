/** The agent's reaction to single frames of the hub, where their order matters. */
import { makeAgent } from "@countersign/desktop/device/agent"
import { makePlaces } from "@countersign/desktop/device/files/places"
import { openJournal } from "@countersign/desktop/device/journal"
import { openLog } from "@countersign/desktop/device/log"
import { pinRules } from "@countersign/desktop/device/programs/pin-rules"
import { processesOf } from "@countersign/desktop/device/programs/process-tree"
import { makeMask } from "@countersign/desktop/device/results/masker"
import { openTranscripts } from "@countersign/desktop/device/transcripts"
import { type NextFrame, readFrame } from "@countersign/domain/device-frames"
import type { DeviceFrame } from "@countersign/domain/device-protocol"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporary, until } from "../../support/device-agent.ts"
import { commandOf, confirmation, leaseOf } from "../../support/hostile-hub.ts"

const id = `cmd_${"0".repeat(26)}`

describe("the agent and frames of the hub", () => {
  const world = Effect.gen(function*() {
    const root = yield* temporary
    const journal = openJournal(join(root, "journal.sqlite"))
    const sent: Array<DeviceFrame> = []
    const agent = makeAgent({
      journal,
      copies: join(root, "copies"),
      transcripts: openTranscripts(join(root, "output"), { mask: (text) => text, onProblem: () => {} }),
      log: openLog(join(root, "log"), { mask: (text) => text, print: () => {} }),
      mask: makeMask([]),
      places: makePlaces([root], []),
      rules: () => ({
        rules: pinRules({
          version: 1,
          sandbox: "off",
          rules: [{ effect: "allow", tool: "system.info" }, {
            effect: "allow",
            tool: "shell.run",
            argv: [join(root, "print")]
          }]
        }, [root])
      }),
      unconfirmedMillis: 150
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        agent.close()
        journal.close()
      })
    )
    agent.attach((frame) => sent.push(frame), { kept: [], lost: [] })
    const receive = (frame: object) => {
      const read = readFrame(frame)
      if (!("frame" in read)) throw new Error(JSON.stringify(read))
      agent.receive(read.frame as NextFrame)
    }
    const offer = (number: number, command: object = {}) =>
      receive({ type: "command", lease: leaseOf(number), command: commandOf({ id, ...command }) })
    const acked = (number: number) =>
      receive({ type: "acked", command_id: id, status: "leased", lease: leaseOf(number) })
    /** Runs a program, answers its frames with `answer`, and returns the frames up to its end. */
    const printed = (
      text: string,
      answer: (frame: Extract<DeviceFrame, { readonly type: "output" }>) => object | undefined,
      command: object = {}
    ) =>
      Effect.gen(function*() {
        writeFileSync(join(root, "print"), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
        agent.attach((frame) => {
          sent.push(frame)
          const answered = frame.type === "output"
            ? answer(frame)
            : frame.type === "done"
            ? undefined
            : confirmation(frame as never) as object
          if (answered !== undefined) setImmediate(() => receive(answered))
        }, { kept: [], lost: [] })
        offer(1, { tool: "shell.run", input: { argv: [join(root, "print")] }, ...command })
      })
    const framesOf = (type: string) =>
      until(Effect.sync(() => sent.filter((frame) => frame.type === type)), (frames) => frames.length > 0)
    return { agent, root, journal, sent, offer, acked, framesOf, printed, receive }
  })

  it.live("a refused acknowledgement of an earlier lease does not drop the command offered again", () =>
    Effect.gen(function*() {
      const { acked, framesOf, offer, receive } = yield* world
      offer(1)
      // The first acknowledgement was slow, so the hub has offered it again.
      offer(2)
      receive({
        type: "error",
        to: "ack",
        command_id: id,
        error: { code: "lease_lost", data: { status: "leased", lease: 2 } }
      })
      acked(2)
      assert.deepInclude((yield* framesOf("done"))[0], { lease: 2, outcome: "succeeded" })
    }))

  it.live("a refusal of the present lease drops the command before it begins", () =>
    Effect.gen(function*() {
      const { acked, agent, journal, offer, receive } = yield* world
      offer(1)
      receive({
        type: "error",
        to: "ack",
        command_id: id,
        error: { code: "lease_lost", data: { status: "queued", lease: 1 } }
      })
      acked(1)
      assert.deepStrictEqual(agent.running(), [])
      assert.isUndefined(journal.find(id))
    }))

  it.live("drained during an acknowledgement in flight, it runs the command, because the hub offers it to no other device", () =>
    Effect.gen(function*() {
      const { acked, agent, framesOf, offer, receive } = yield* world
      offer(1)
      agent.closeIntake()
      acked(1)
      assert.deepInclude((yield* framesOf("done"))[0], { outcome: "succeeded" })
      receive({ type: "done", command_id: id, status: "done", outcome: "succeeded" })
      yield* Effect.promise(() => agent.finish(30_000))
    }))

  it.live("a confirmed end of a command that still runs ends it, instead of forgetting it", () =>
    Effect.gen(function*() {
      const { framesOf, printed, receive, root } = yield* world
      const command = id as `cmd_${string}`
      yield* printed("echo > ready; while :; do sleep 0.05; done", () => undefined)
      yield* until(Effect.sync(() => existsSync(join(root, "ready"))), (there) => there)
      assert.isNotEmpty(processesOf(id, undefined))
      receive({ type: "done", command_id: command, status: "done", outcome: "succeeded" })
      const [ended] = yield* framesOf("done")
      assert.deepInclude(ended, { command_id: command as never, outcome: "interrupted" })
      assert.deepStrictEqual(processesOf(id, undefined), [])
    }))

  it.live("drops a confirmed command even if the journal cannot record the confirmation, and keeps its result for another report", () =>
    Effect.gen(function*() {
      const { acked, agent, framesOf, journal, offer, receive } = yield* world
      offer(1)
      acked(1)
      yield* framesOf("done")
      const { markReported } = journal
      Object.assign(journal, {
        markReported: () => {
          throw new Error("database or disk is full")
        }
      })
      receive({ type: "done", command_id: id, status: "done", outcome: "succeeded" })
      assert.deepStrictEqual(agent.running(), [])
      Object.assign(journal, { markReported })
      assert.strictEqual(journal.unreported().length, 1)
    }))

  const refusal = (frame: Extract<DeviceFrame, { readonly type: "output" }>, more: object = {}) => ({
    type: "error",
    to: "output",
    command_id: frame.command_id,
    error: { code: "invalid_request", message: "" },
    ...more
  })

  it.live("a refused chunk is sent again as base64, then left out with its bytes counted in the offset, and the rest follows", () =>
    Effect.gen(function*() {
      const { framesOf, printed, sent } = yield* world
      let next = 0
      yield* printed("echo refused; sleep 0.4; echo accepted", (frame) => {
        if (frame.seq !== next) {
          return {
            type: "error",
            to: "output",
            command_id: id,
            error: { code: "seq_gap", message: "", data: { next_seq: next } }
          }
        }
        if (frame.seq === 0 && frame.data !== "") return refusal(frame, { seq: frame.seq })
        next++
        return confirmation(frame) as object
      })
      assert.deepInclude((yield* framesOf("done"))[0], { outcome: "succeeded" })
      const chunks = sent.filter((frame) => frame.type === "output").map(({ data, encoding, offset, seq }) => ({
        data,
        encoding,
        offset,
        seq
      }))
      assert.deepStrictEqual(chunks, [
        { seq: 0, offset: 0, data: "refused\n", encoding: "utf8" },
        { seq: 0, offset: 0, data: Buffer.from("refused\n").toString("base64"), encoding: "base64" },
        { seq: 0, offset: 8, data: "", encoding: "utf8" },
        { seq: 1, offset: 8, data: "accepted\n", encoding: "utf8" }
      ])
    }))

  it.live("reports the result even if the hub refuses all output, or confirms none of it, by errors with or without a command id", () =>
    Effect.gen(function*() {
      for (
        const answer of [
          refusal,
          () => undefined,
          () => ({ type: "error", error: { code: "invalid_request", message: "" } })
        ]
      ) {
        const { agent, framesOf, printed, receive } = yield* world
        yield* printed("echo one; echo two >&2; exit 3", answer)
        assert.deepInclude((yield* framesOf("done"))[0], { outcome: "failed", exit_code: 3 })
        receive({ type: "done", command_id: id, status: "done", outcome: "failed" })
        assert.deepStrictEqual(agent.running(), [])
      }
    }))

  it.live("a cancel and a timeout end a command whose output is unconfirmed", () =>
    Effect.gen(function*() {
      const canceled = yield* world
      yield* canceled.printed("echo begun; exec sleep 60", () => undefined)
      yield* canceled.framesOf("output")
      canceled.receive({ type: "cancel", command_id: id })
      assert.deepInclude((yield* canceled.framesOf("done"))[0], { outcome: "cancelled" })
      const timedOut = yield* world
      yield* timedOut.printed("echo begun; exec sleep 60", () => undefined, { timeout_seconds: 1 })
      assert.deepInclude((yield* timedOut.framesOf("done"))[0], { outcome: "timed_out" })
      assert.isNotEmpty(timedOut.sent.filter(({ type }) => type === "output"))
    }))

  it.live("reports an end without the result or error that the hub refuses", () =>
    Effect.gen(function*() {
      const { acked, framesOf, offer, receive, sent } = yield* world
      offer(1)
      acked(1)
      const [first] = yield* framesOf("done")
      assert.property(first, "result")
      receive({ type: "error", to: "done", command_id: id, error: { code: "invalid_request", message: "" } })
      assert.deepStrictEqual(sent.at(-1), { type: "done", command_id: id, lease: 1, outcome: "succeeded" } as never)
    }))

  it.live("an end that is never confirmed releases its slot: the journal repeats it on the next connection", () =>
    Effect.gen(function*() {
      const { acked, agent, framesOf, journal, offer, sent } = yield* world
      offer(1)
      acked(1)
      yield* framesOf("done")
      yield* until(Effect.sync(() => agent.running().length), (running) => running === 0)
      assert.strictEqual(journal.unreported().length, 1)
      const before = sent.length
      agent.attach((frame) => sent.push(frame), { kept: [], lost: [] })
      assert.deepInclude(sent[before], { type: "done", outcome: "succeeded" } as never)
    }))
})
