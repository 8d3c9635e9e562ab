/**
 * The agent without its connection: commands offered, acknowledged, judged, run and ended, whatever becomes of the wire meanwhile. What it
 * says is sent again after a reconnect until the hub confirms it. Spec: contract 8a "Lease", "Reconnect", "Journal".
 */
import {
  type Control, type DeviceFrame, leaseMillis, lostSeconds, type Outcome, type Running as RunningCommand
} from "@countersign/domain/device-protocol"
import type { LeasedCommand } from "@countersign/domain/devices"
import { because, type Job, newJob, stateOf, words } from "./job.ts"
import type { Ending } from "./journal.ts"
import type { Mask } from "./masker.ts"
import { makeOutput } from "./output.ts"
import { denied, Refusal } from "./refusal.ts"
import type { Finished } from "./tool.ts"
import { makeWork, type WorkOptions } from "./work.ts"

/** Of UTF-8: a result must fit into a frame, and into what the hub keeps. */
const resultBytesMax = 500_000
const messageLengthMax = 2_000
const goneMillis = leaseMillis + lostSeconds * 1_000
const lookMillis = 1_000
const resendMillis = 2_000

// oxlint-disable-next-line typescript/no-explicit-any -- the wire, as it came
export type HubFrame = any

export interface Agent {
  readonly running: () => ReadonlyArray<RunningCommand>
  /** A connection that is welcomed. All is said again. */
  readonly attach: (send: (frame: DeviceFrame) => void, welcome: { readonly kept: ReadonlyArray<string>; readonly lost: ReadonlyArray<string> }) => void
  readonly detach: () => void
  readonly receive: (frame: HubFrame) => void
  /** The hub answered something, at this moment. */
  readonly alive: () => void
  /** From now on nothing new is begun. */
  readonly closeIntake: () => void
  /** Settles when nothing runs and the hub knows of all; after `millis` what still runs is killed. */
  readonly finish: (millis: number) => Promise<void>
  /** At once: every tree, nothing more is said. */
  readonly killAll: () => Promise<void>
  readonly close: () => void
}

export interface AgentOptions extends WorkOptions {
  readonly mask: Mask
  /** For `--once`: after each command that the hub knows the end of. */
  readonly onTold?: () => void
}

/** Of a command that the hub holds as leased. */
const openStates: ReadonlyArray<string> = ["leased", "awaiting_consent", "running"]

export const makeAgent = ({ mask, onTold, ...options }: AgentOptions): Agent => {
  const jobs = new Map<string, Job>()
  const { journal, log } = options
  const idle = new Set<() => void>()
  let send: ((frame: DeviceFrame) => void) | undefined
  let intake = true

  const say = (frame: DeviceFrame): void => send?.(frame)
  const tell = (job: Job): void => {
    const state = stateOf(job)
    if (state !== undefined) say(state)
  }
  const work = makeWork(options, tell)
  const saySoon = (job: Job): void => {
    if (job.ending !== undefined && job.stage === "ended") say(doneOf(job.id, job.lease, job.ending))
  }
  const doneOf = (id: string, lease: number, ending: Ending): DeviceFrame => ({ type: "done", command_id: id as LeasedCommand["id"], lease, ...ending })

  const forget = (id: string): void => {
    jobs.delete(id)
    if (jobs.size === 0) for (const wake of idle) wake()
  }

  /** A full disk stops nothing that is under way: what is not written down is told once more at the next start. */
  const note = (write: () => void, id: string): void => {
    try {
      write()
    } catch (error) {
      log.write("journal_failed", { command_id: id, problem: (error as Error).message })
    }
  }

  const settle = async (job: Job, ending: Ending): Promise<void> => {
    if (job.ending !== undefined) return
    job.ending = ending
    note(() => journal.end(job.id, job.command.tool, job.lease, ending), job.id)
    log.write("command_ended", {
      command_id: job.id, tool: job.command.tool, outcome: ending.outcome, ...(ending.exit_code == null ? {} : { exit_code: ending.exit_code }),
      ...(ending.error === undefined ? {} : { error: ending.error })
    })
    const told = job.output.end()
    options.transcripts.end(job.id, ending)
    await told
    job.stage = "ended"
    saySoon(job)
  }

  const endingOf = (job: Job, { error, exit_code, outcome, result }: Finished): Ending => {
    // What succeeded or was refused before it could be stopped, did so.
    const cause = outcome === "succeeded" || outcome === "denied" ? undefined : job.cause
    const said: Outcome = cause ?? outcome
    const about = cause === undefined ? error : { code: cause, message: job.message ?? words[cause] }
    const text = result === undefined ? undefined : mask.text(JSON.stringify(result))
    const bytes = text === undefined ? 0 : Buffer.byteLength(text)
    const kept = text === undefined ? undefined : bytes <= resultBytesMax ? parsedOr(text) : { truncated: true, bytes }
    return {
      outcome: said,
      ...(exit_code === undefined ? {} : { exit_code }),
      ...(kept === undefined ? {} : { result: kept as NonNullable<Ending["result"]> }),
      ...(about === undefined ? {} : { error: { code: about.code, message: mask.text(about.message).slice(0, messageLengthMax) } })
    }
  }

  const perform = (job: Job): void => {
    job.stage = "acknowledged"
    work(job).catch((error: unknown): Finished => {
      if (error instanceof Refusal) return { outcome: error.outcome, error: { code: error.code, message: error.message } }
      log.write("command_broke", { command_id: job.id, problem: error instanceof Error ? error.stack ?? error.message : String(error) })
      return { outcome: "failed", error: { code: "device_error", message: error instanceof Error ? error.message : "The device failed" } }
    }).then((finished) => settle(job, endingOf(job, finished))).catch((error: unknown) => {
      log.write("command_broke", { command_id: job.id, problem: String(error) })
    })
  }

  const offer = (command: LeasedCommand, lease: number): void => {
    const known = jobs.get(command.id)
    if (known !== undefined) {
      known.lease = lease
      if (known.stage === "offered") say({ type: "ack", command_id: command.id, lease })
      else saySoon(known)
      return
    }
    const before = journal.find(command.id)
    if (before !== undefined) {
      const ending: Ending = before.ending ?? interruptedEnding
      if (before.ending === undefined) note(() => journal.end(command.id, command.tool, lease, ending), command.id)
      log.write("command_repeated", { command_id: command.id, outcome: ending.outcome })
      return say(doneOf(command.id, lease, ending))
    }
    // Not acknowledged, it is offered again or to nobody.
    if (!intake) return
    const job = newJob(command, lease, (own) =>
      makeOutput(mask, (chunk) => say({ type: "output", command_id: command.id, lease: own().lease, ...chunk }), (stream, bytes) =>
        options.transcripts.write(command.id, stream, bytes)))
    jobs.set(command.id, job)
    log.write("command_offered", { command_id: command.id, tool: command.tool, lease })
    say({ type: "ack", command_id: command.id, lease })
  }

  /** The hub lets it go: it is killed, and what it came to is only for the journal. */
  const lose = (job: Job, message: string): void => {
    if (job.stage === "offered") return forget(job.id)
    job.output.abandon()
    because(job, "interrupted", message)
    job.kill.abort()
    saySoon(job)
  }

  const stop = (id: string, lost: boolean): void => {
    const job = jobs.get(id)
    if (job === undefined) {
      const before = journal.find(id)
      if (before?.ending !== undefined) say(doneOf(id, before.lease, before.ending))
      return
    }
    log.write(lost ? "command_lost" : "command_cancelled", { command_id: id })
    if (lost) return lose(job, "The hub let it go")
    because(job, "cancelled")
    if (job.stage === "offered") void settle(job, { outcome: "cancelled", error: { code: "cancelled", message: words.cancelled } })
  }

  const told = (id: string): void => {
    note(() => journal.told(id), id)
    forget(id)
    onTold?.()
  }

  const refused = ({ command_id: id, error, to }: { readonly command_id?: string; readonly to?: string; readonly error?: { readonly code?: string; readonly data?: { readonly next_seq?: number; readonly lease?: number; readonly status?: string } } }): void => {
    const job = id === undefined ? undefined : jobs.get(id)
    log.write("hub_refused", { command_id: id, to, code: error?.code })
    if (id === undefined) return
    switch (error?.code) {
      case "seq_gap": case "seq_conflict": {
        if (job === undefined || performance.now() - job.gapAt < resendMillis) return
        job.gapAt = performance.now()
        return job.output.resend(error.data?.next_seq)
      }
      case "lease_lost": case "not_found": {
        if (job === undefined || to === "done") return told(id)
        // What was said under the lease before this one is refused, not the command.
        if (error.data?.lease === job.lease && openStates.includes(error.data.status ?? "")) return
        return lose(job, "The hub let it go")
      }
      default: {
        if (job === undefined) return
        // It cannot ask, now or later: nobody will answer.
        const isUnanswerable = error?.code === "invalid_request" || error?.code === "plan_changed"
        if (to === "state" && isUnanswerable && job.question !== undefined) return job.question.give("denied")
        // It could not do it this time.
        setTimeout(() => sayAgain(job), resendMillis).unref()
      }
    }
  }

  const sayAgain = (job: Job): void => {
    if (jobs.get(job.id) !== job) return
    if (job.stage === "offered") return say({ type: "ack", command_id: job.command.id, lease: job.lease })
    tell(job)
    job.output.resend()
    saySoon(job)
  }

  const watch = setInterval(() => {
    const now = performance.now()
    for (const job of jobs.values()) {
      if (job.stage !== "ended" && now - job.renewedAt > goneMillis) lose(job, "The hub was not heard for too long")
    }
  }, lookMillis)
  watch.unref()

  const control = ({ command_id: id, decision, plan_digest, type }: Control): void => {
    const question = id === undefined ? undefined : jobs.get(id)?.question
    if (type === "cancel" && id !== undefined) stop(id, false)
    else if (type === "consent") {
      if (question !== undefined && decision !== undefined && question.digest === plan_digest) question.give(decision)
    }
    else log.write("hub_asks", { control: type })
  }

  return {
    running: () =>
      [...jobs.values()].map(({ command, lease, output }) => ({ command_id: command.id, lease, ...(output.lastSeq() < 0 ? {} : { last_seq: output.lastSeq() }) })),
    attach: (to, { lost }) => {
      send = to
      const now = performance.now()
      for (const job of jobs.values()) {
        if (lost.includes(job.id) && job.stage !== "ended") lose(job, "The hub let it go while it was away")
        else {
          job.renewedAt = now
          sayAgain(job)
        }
      }
      for (const { ending, id, lease } of journal.untold()) if (ending !== undefined && !jobs.has(id)) say(doneOf(id, lease, ending))
    },
    detach: () => { send = undefined },
    receive: (frame) => {
      const job = jobs.get(frame.command_id)
      if (job !== undefined) job.renewedAt = performance.now()
      switch (frame.type) {
        case "command": return offer(frame.command, frame.lease.number)
        case "acked": {
          if (job?.stage === "offered" && job.ending === undefined && frame.lease?.number === job.lease) perform(job)
          return
        }
        case "output_ack": return job?.output.acknowledged(frame.next_seq)
        case "done": return told(frame.command_id)
        case "cancel": return stop(frame.command_id, frame.lost === true)
        case "control": return control(frame.control)
        case "error": return refused(frame)
        default: return
      }
    },
    alive: () => {
      const now = performance.now()
      for (const job of jobs.values()) job.renewedAt = now
    },
    closeIntake: () => {
      intake = false
      // One whose acknowledgement is on the way is this device's: the hub offers it to nobody else.
      for (const job of jobs.values()) if (job.stage === "offered" && send === undefined) forget(job.id)
    },
    finish: (millis) =>
      new Promise((resolve) => {
        const end = () => {
          clearTimeout(late)
          clearTimeout(never)
          idle.delete(end)
          resolve()
        }
        const late = setTimeout(() => {
          for (const job of jobs.values()) {
            because(job, "interrupted", "The device was shut down")
            job.kill.abort()
          }
        }, millis)
        // The hub may be out of reach: the journal tells it at the next start.
        const never = setTimeout(end, millis + 2 * lookMillis)
        idle.add(end)
        if (jobs.size === 0) end()
      }),
    killAll: async () => {
      intake = false
      const all = [...jobs.values()]
      for (const job of all) {
        job.output.abandon()
        // Nobody is asked any more, which is a no: nothing of it ran.
        if (job.question !== undefined || job.screenDigest !== undefined) job.stop.abort(denied("consent_denied", "The device was told to stop before a person answered"))
        else because(job, "interrupted", "The device was told to stop")
        job.kill.abort()
      }
      const end = performance.now() + 5_000
      while (all.some(({ ending, stage }) => stage !== "offered" && ending === undefined) && performance.now() < end) {
        await new Promise((resolve) => { setTimeout(resolve, 20) })
      }
      jobs.clear()
    },
    close: () => {
      clearInterval(watch)
      send = undefined
    }
  }
}

export const interruptedEnding: Ending = {
  outcome: "interrupted", error: { code: "interrupted", message: "The device ended while it ran. It is not run again." }
}

const parsedOr = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // A mask fell on what JSON needs.
    return { masked: true }
  }
}
