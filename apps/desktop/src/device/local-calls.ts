/**
 * Local tools of a chat: calls that the app forwards instead of the hub. The same rules, consent, journal, and sandbox
 * apply; the hub learns the results only. Spec: reference/devices.md "Local tools of chats".
 */
import { type HeadAndTail, makeHeadAndTail } from "@countersign/domain/head-and-tail"
import { type AgentQuestion, type LocalCall } from "./app-port.ts"
import type { Ending } from "./command-ending.ts"
import { endingOf, interruptedEnding } from "./endings.ts"
import { type Job, newJob } from "./job.ts"
import type { Journal } from "./journal.ts"
import type { Log } from "./log.ts"
import type { Mask } from "./results/masker.ts"
import type { OutputSender, StreamName } from "./results/output.ts"
import { Refusal } from "./results/refusal.ts"
import { makeShutdown } from "./shutdown.ts"
import type { Finished } from "./tools/tool.ts"
import type { Transcripts } from "./transcripts.ts"

/** Of each stream; a result in a chat has at most 256 KiB of JSON. */
const headBytes = 24 * 1024
const tailBytes = 8 * 1024
const resultBytesMax = 200 * 1024

interface Capture extends OutputSender {
  readonly texts: () => Readonly<Partial<Record<StreamName, string>>>
}

/** Keeps the beginning and the end of each stream, masked, and sends nothing. */
const makeCapture = (mask: Mask, keepHere: (stream: StreamName, bytes: Buffer) => void): Capture => {
  const streams = { stdout: mask.stream(), stderr: mask.stream() }
  const kept = {
    stdout: makeHeadAndTail(headBytes, tailBytes),
    stderr: makeHeadAndTail(headBytes, tailBytes)
  }
  let ended = false
  const push = (stream: StreamName, bytes: Buffer): void => {
    if (bytes.length === 0) return
    keepHere(stream, bytes)
    kept[stream].push(bytes)
  }
  const textOf = (output: HeadAndTail): string => output.text((bytes) => Buffer.from(bytes).toString(), "\n[…]\n")
  return {
    write: (stream, bytes) => push(stream, streams[stream].push(bytes)),
    end: async () => {
      if (ended) return
      ended = true
      push("stdout", streams.stdout.end())
      push("stderr", streams.stderr.end())
    },
    acknowledged: () => {},
    resend: () => {},
    refused: () => {},
    abandon: () => {},
    lastSeq: () => -1,
    unconfirmedSince: () => undefined,
    dropped: () => kept.stdout.omitted() + kept.stderr.omitted(),
    texts: () => ({
      ...kept.stdout.isEmpty() ? {} : { stdout: textOf(kept.stdout) },
      ...kept.stderr.isEmpty() ? {} : { stderr: textOf(kept.stderr) }
    })
  }
}

export interface LocalCallsOptions {
  readonly journal: Journal
  readonly log: Log
  readonly mask: Mask
  readonly transcripts: Transcripts
  readonly work: (job: Job) => Promise<Finished>
}

const commandOf = ({ agent, call, input, requested_by, timeout_seconds, tool }: LocalCall): Job["command"] => ({
  id: call as Job["command"]["id"],
  tool,
  input,
  requested_by: requested_by as Job["command"]["requested_by"],
  ...agent === undefined ? {} : { agent: agent as NonNullable<Job["command"]["agent"]> },
  timeout_seconds,
  queue_until: new Date().toISOString()
})

const refused = (code: string, message: string): Ending => ({ outcome: "denied", error: { code, message } })

export const makeLocalCalls = ({ journal, log, mask, transcripts, work }: LocalCallsOptions) => {
  const jobs = new Map<string, Job>()
  const running = new Map<string, Promise<Ending>>()
  const shutdown = makeShutdown(jobs)
  let intake = true

  const finishedOf = async (job: Job): Promise<Finished> => {
    try {
      return await work(job)
    } catch (error) {
      if (error instanceof Refusal) {
        return { outcome: error.outcome, error: { code: error.code, message: error.message } }
      }
      log.write("command_broke", { command_id: job.id, problem: String(error) })
      return { outcome: "failed", error: { code: "device_error", message: "The device failed" } }
    }
  }

  const perform = async (call: LocalCall): Promise<Ending> => {
    const capture = makeCapture(mask, (stream, bytes) => transcripts.write(call.call, stream, bytes))
    const job = newJob(commandOf(call), 0, () => capture, "chat")
    job.stage = "acknowledged"
    jobs.set(job.id, job)
    log.write("local_call", { command_id: job.id, tool: call.tool })
    const finished = await finishedOf(job)
    await capture.end()
    const output = capture.texts()
    const result = Object.keys(output).length === 0
      ? finished.result
      : { ...output, ...finished.result === undefined ? {} : { result: finished.result } }
    const whole = endingOf(job, { ...finished, ...result === undefined ? {} : { result } }, mask)
    const ending: Ending = Buffer.byteLength(JSON.stringify(whole)) <= resultBytesMax
      ? whole
      : {
        outcome: "failed",
        error: { code: "result_too_large", message: "The result is too large for a chat. Ask for less." }
      }
    job.ending = ending
    try {
      journal.end(job.id, call.tool, 0, ending)
    } catch (error) {
      log.write("journal_failed", { command_id: job.id, problem: (error as Error).message })
    }
    transcripts.end(job.id, ending)
    log.write("command_ended", { command_id: job.id, tool: call.tool, outcome: ending.outcome })
    job.stage = "ended"
    jobs.delete(job.id)
    shutdown.forgotten()
    return ending
  }

  return {
    /** A repeated call gets the first one's result, also after a restart. */
    run: (call: LocalCall): Promise<Ending> => {
      const known = running.get(call.call)
      if (known !== undefined) return known
      const before = journal.find(call.call)
      if (before !== undefined) return Promise.resolve(before.ending ?? interruptedEnding)
      if (!intake) return Promise.resolve(refused("paused", "This computer accepts no commands now."))
      const ending = perform(call).finally(() => running.delete(call.call))
      running.set(call.call, ending)
      return ending
    },
    ids: (): ReadonlyArray<AgentQuestion["command_id"]> => [...jobs.keys()],
    closeIntake: (): void => {
      intake = false
    },
    finish: shutdown.finish,
    killAll: async (): Promise<void> => {
      intake = false
      await shutdown.killAll()
    }
  }
}
