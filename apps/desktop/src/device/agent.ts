/**
 * Accepts, runs, and reports commands independently of the connection. After a reconnect it sends reports again until
 * the hub confirms them. Spec: reference/devices.md "Leases", "Reconnects", "Journal".
 */
import type { NextFrame, OfferedCommand } from "@countersign/domain/device-frames"
import {
  type Control,
  type DeviceFrame,
  leaseMillis,
  lostSeconds,
  type Running as RunningCommand
} from "@countersign/domain/device-protocol"
import { timeoutSecondsMax } from "@countersign/domain/devices"
import type { LocalCall } from "./app-port.ts"
import type { Ending } from "./command-ending.ts"
import { defaultUnconfirmedMillis, makeConfirmations } from "./confirmations.ts"
import { endingOf, interruptedEnding } from "./endings.ts"
import { causeMessages, type Job, newJob, stopJob } from "./job.ts"
import { makeLocalCalls } from "./local-calls.ts"
import type { Mask } from "./results/masker.ts"
import { makeOutput } from "./results/output.ts"
import { Refusal } from "./results/refusal.ts"
import { makeShutdown } from "./shutdown.ts"
import type { Finished } from "./tools/tool.ts"
import { makeWork, type WorkOptions } from "./work.ts"

const goneMillis = leaseMillis + lostSeconds * 1_000
const checkMillis = 1_000
/** The hub leases 4 commands at a time, and may lease more before it has processed earlier `done` frames. */
const jobsMax = 16

export interface Agent {
  readonly running: () => ReadonlyArray<RunningCommand>
  /** Call when the hub has accepted a connection. Repeats every report that the hub has not confirmed. */
  readonly attach: (
    send: (frame: DeviceFrame) => void,
    welcome: { readonly kept: ReadonlyArray<string>; readonly lost: ReadonlyArray<string> }
  ) => void
  readonly detach: () => void
  readonly receive: (frame: NextFrame) => void
  /** Call on any sign of life from the hub; it renews all leases. */
  readonly alive: () => void
  /** Runs a local tool of a chat, which the app forwards. */
  readonly runLocal: (call: LocalCall) => Promise<Ending>
  /** Ids of the local calls that run. */
  readonly localRunning: () => ReadonlyArray<string>
  /** Refuses new commands from now on. */
  readonly closeIntake: () => void
  /** Settles when nothing runs and the hub has confirmed every result; kills remaining commands after `millis`. */
  readonly finish: (millis: number) => Promise<void>
  /** Kills every process tree at once and sends no further reports. */
  readonly killAll: () => Promise<void>
  readonly close: () => void
}

export interface AgentOptions extends WorkOptions {
  readonly mask: Mask
  /** Called after the hub confirms the end of a command; `--once` uses it. */
  readonly onReported?: () => void
  /** Timeout for a confirmation; tests shorten it. */
  readonly unconfirmedMillis?: number
}

export const makeAgent = (
  { mask, onReported, unconfirmedMillis = defaultUnconfirmedMillis, ...options }: AgentOptions
): Agent => {
  const jobs = new Map<string, Job>()
  const { journal, log } = options
  const shutdown = makeShutdown(jobs)
  let send: ((frame: DeviceFrame) => void) | undefined
  let attachedAt = -Infinity
  let intake = true

  const transmit = (frame: DeviceFrame): void => send?.(frame)
  const doneOf = (id: string, lease: number, ending: Ending): DeviceFrame => ({
    type: "done",
    command_id: id as OfferedCommand["id"],
    lease,
    ...ending
  })

  const forget = (id: string): void => {
    jobs.delete(id)
    shutdown.forgotten()
  }

  /** A full disk must not stop running commands; an unrecorded result is reported again at the next start. */
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
    job.endingAt = performance.now()
    note(() => journal.end(job.id, job.command.tool, job.lease, ending), job.id)
    log.write("command_ended", {
      command_id: job.id,
      tool: job.command.tool,
      outcome: ending.outcome,
      ...(ending.exit_code == null ? {} : { exit_code: ending.exit_code }),
      ...(ending.error === undefined ? {} : { error: ending.error }),
      ...(job.output.dropped() === 0 ? {} : { output_bytes_dropped: job.output.dropped() })
    })
    const sent = job.output.end()
    options.transcripts.end(job.id, ending)
    await sent
    job.stage = "ended"
    confirmations.reportEnd(job)
  }

  const perform = (job: Job): void => {
    job.stage = "acknowledged"
    work(job).catch((error: unknown): Finished => {
      if (error instanceof Refusal) {
        return { outcome: error.outcome, error: { code: error.code, message: error.message } }
      }
      log.write("command_broke", {
        command_id: job.id,
        problem: error instanceof Error ? error.stack ?? error.message : String(error)
      })
      return {
        outcome: "failed",
        error: { code: "device_error", message: error instanceof Error ? error.message : "The device failed" }
      }
    }).then((finished) => settle(job, endingOf(job, finished, mask))).catch((error: unknown) => {
      log.write("command_broke", { command_id: job.id, problem: String(error) })
    })
  }

  /** Cuts the timeout to the limit of the device's rules, before any approval is requested. */
  const limited = (command: OfferedCommand): OfferedCommand => {
    const read = options.rules()
    const most = Math.max(timeoutSecondsMax, "rules" in read ? read.rules.timeout_seconds_max ?? 0 : 0)
    return command.timeout_seconds <= most ? command : { ...command, timeout_seconds: most }
  }

  const offer = (command: OfferedCommand, lease: number): void => {
    const known = jobs.get(command.id)
    if (known !== undefined) {
      known.lease = lease
      if (known.stage === "offered") transmit({ type: "ack", command_id: command.id, lease })
      else confirmations.reportEnd(known)
      return
    }
    const before = journal.find(command.id)
    if (before !== undefined) {
      const ending: Ending = before.ending ?? interruptedEnding
      if (before.ending === undefined) note(() => journal.end(command.id, command.tool, lease, ending), command.id)
      log.write("command_repeated", { command_id: command.id, outcome: ending.outcome })
      return transmit(doneOf(command.id, lease, ending))
    }
    // Without an acknowledgement the hub offers the command again or gives it up.
    if (!intake) return
    if (jobs.size >= jobsMax) return log.write("too_many_commands", { command_id: command.id })
    const job = newJob(
      limited(command),
      lease,
      (own) =>
        makeOutput(
          mask,
          (chunk) => transmit({ type: "output", command_id: command.id, lease: own().lease, ...chunk }),
          (stream, bytes) => options.transcripts.write(command.id, stream, bytes)
        )
    )
    jobs.set(command.id, job)
    log.write("command_offered", { command_id: command.id, tool: command.tool, lease })
    transmit({ type: "ack", command_id: command.id, lease })
  }

  /** The hub released the lease: kills the command and keeps its result in the journal only. */
  const lose = (job: Job, message: string): void => {
    if (job.stage === "offered") return forget(job.id)
    job.output.abandon()
    stopJob(job, "interrupted", message)
    job.kill.abort()
    confirmations.reportEnd(job)
  }

  const stop = (id: string, lost: boolean): void => {
    const job = jobs.get(id)
    if (job === undefined) {
      const before = journal.find(id)
      if (before?.ending !== undefined) transmit(doneOf(id, before.lease, before.ending))
      return
    }
    log.write(lost ? "command_lost" : "command_cancelled", { command_id: id })
    if (lost) return lose(job, "The hub let it go")
    stopJob(job, "cancelled")
    if (job.stage === "offered") {
      void settle(job, { outcome: "cancelled", error: { code: "cancelled", message: causeMessages.cancelled } })
    }
  }

  const confirm = (id: string): void => {
    const job = jobs.get(id)
    // If the job were removed now, its process could no longer be stopped.
    if (job !== undefined && job.stage !== "ended") {
      log.write("confirmed_early", { command_id: id })
      return lose(job, "The hub closed the command before it ended")
    }
    note(() => journal.markReported(id), id)
    forget(id)
    onReported?.()
  }

  const confirmations = makeConfirmations({
    log,
    transmit,
    lose,
    confirm,
    forget,
    find: (id) => jobs.get(id),
    unconfirmedMillis
  })
  const work = makeWork(options, (job) => {
    if (job.origin === "hub") confirmations.reportState(job)
  })
  const local = makeLocalCalls({ journal, log, mask, transcripts: options.transcripts, work })

  const watch = setInterval(() => {
    const now = performance.now()
    for (const job of jobs.values()) {
      if (job.stage !== "ended" && now - job.renewedAt > goneMillis) lose(job, "The hub did not answer for too long")
      if (send !== undefined) confirmations.check(job, attachedAt)
    }
  }, Math.min(checkMillis, unconfirmedMillis))
  watch.unref()

  const control = ({ command_id: id, decision, plan_digest, type }: Control): void => {
    const question = id === undefined ? undefined : jobs.get(id)?.question
    if (type === "cancel" && id !== undefined) stop(id, false)
    else if (type === "consent") {
      if (question !== undefined && decision !== undefined && question.digest === plan_digest) question.give(decision)
    } else log.write("hub_asks", { control: type })
  }

  return {
    running: () =>
      [...jobs.values()].map(({ command, lease, output }) => ({
        command_id: command.id,
        lease,
        ...(output.lastSeq() < 0 ? {} : { last_seq: output.lastSeq() })
      })),
    attach: (to, { lost }) => {
      send = to
      attachedAt = performance.now()
      const now = performance.now()
      for (const job of jobs.values()) {
        if (lost.includes(job.id) && job.stage !== "ended") lose(job, "The hub let it go while it was away")
        else {
          job.renewedAt = now
          confirmations.reportAll(job)
        }
      }
      for (const { ending, id, lease } of journal.unreported()) {
        if (ending !== undefined && !jobs.has(id)) transmit(doneOf(id, lease, ending))
      }
    },
    detach: () => {
      send = undefined
    },
    receive: (frame) => {
      const job = "command_id" in frame && frame.command_id !== undefined ? jobs.get(frame.command_id) : undefined
      if (job !== undefined) job.renewedAt = performance.now()
      switch (frame.type) {
        case "command":
          return offer(frame.command, frame.lease.number)
        case "acked": {
          if (job?.stage === "offered" && job.ending === undefined && frame.lease.number === job.lease) perform(job)
          return
        }
        case "output_ack":
          return job?.output.acknowledged(frame.next_seq)
        case "done":
          return confirm(frame.command_id)
        case "cancel":
          return stop(frame.command_id, frame.lost === true)
        case "control":
          return control(frame.control)
        case "error":
          return confirmations.refused(frame)
      }
    },
    alive: () => {
      const now = performance.now()
      for (const job of jobs.values()) job.renewedAt = now
    },
    runLocal: local.run,
    localRunning: local.ids,
    closeIntake: () => {
      intake = false
      local.closeIntake()
      // Jobs with an acknowledgement in flight stay: the hub offers them to no other device.
      for (const job of jobs.values()) if (job.stage === "offered" && send === undefined) forget(job.id)
    },
    finish: async (millis) => void await Promise.all([shutdown.finish(millis), local.finish(millis)]),
    killAll: async () => {
      intake = false
      await Promise.all([shutdown.killAll(), local.killAll()])
    },
    close: () => {
      clearInterval(watch)
      send = undefined
    }
  }
}
