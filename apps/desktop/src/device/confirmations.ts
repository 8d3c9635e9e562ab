/**
 * What the agent reports to its hub about commands, until the hub confirms it. Whatever is refused or never confirmed, a command is
 * settled: a refused chunk of output is replaced, a refused result is left out, and reports are repeated within bounds.
 */
import type { ErrorFrame } from "@countersign/domain/device-frames"
import { type DeviceFrame, leaseMillis } from "@countersign/domain/device-protocol"
import { type Job, stateOf } from "./job.ts"
import type { Ending } from "./journal.ts"
import type { Log } from "./log.ts"
import { denied } from "./refusal.ts"

const retryMillis = 2_000
export const defaultUnconfirmedMillis = 30_000
/** A command that was canceled or timed out does not wait long for its output to be confirmed. */
const stoppedShare = 6
/** Reports of one end on one connection. The journal repeats the last one on the next connection. */
const endReportsMax = 10

/** Codes by which a hub says that the same frame will never be accepted. */
const permanent: ReadonlySet<string> = new Set([
  "invalid_request",
  "payload_too_large",
  "plan_changed",
  "already_running"
])
/** The command states in which a hub holds a lease. */
const openStates: ReadonlySet<unknown> = new Set(["leased", "awaiting_consent", "running"])

export interface ConfirmationOptions {
  readonly log: Log
  /** Sends nothing without a connection. */
  readonly transmit: (frame: DeviceFrame) => void
  readonly find: (id: string) => Job | undefined
  /** The hub does not hold the command for this device any more. */
  readonly lose: (job: Job, message: string) => void
  /** The hub knows the end of this command. */
  readonly confirm: (id: string) => void
  /** Drops the command here. The journal keeps what the hub may not know. */
  readonly forget: (id: string) => void
  /** Without a confirmation for so long a report is repeated, or given up. */
  readonly unconfirmedMillis: number
}

/** An ending that even a hub accepts which refused the one before. None if nothing is left to leave out. */
const smaller = ({ error, exit_code, outcome, result }: Ending): Ending | undefined => {
  if (result !== undefined) {
    return { outcome, ...(exit_code === undefined ? {} : { exit_code }), ...(error === undefined ? {} : { error }) }
  }
  return error === undefined && exit_code === undefined ? undefined : { outcome }
}

export const makeConfirmations = (
  { confirm, find, forget, log, lose, transmit, unconfirmedMillis: limit }: ConfirmationOptions
) => {
  const reportState = (job: Job): void => {
    const state = stateOf(job)
    if (state !== undefined) transmit(state)
  }
  const reportEnd = (job: Job): void => {
    if (job.ending === undefined || job.stage !== "ended") return
    job.reportedAt = performance.now()
    transmit({ type: "done", command_id: job.command.id, lease: job.lease, ...job.ending })
  }
  /** Everything that the hub may not have. */
  const reportAll = (job: Job): void => {
    if (find(job.id) !== job) return
    if (job.stage === "offered") return transmit({ type: "ack", command_id: job.command.id, lease: job.lease })
    reportState(job)
    job.output.resend()
    reportEnd(job)
  }
  const retry = (job: Job): void => {
    if (job.retrying) return
    job.retrying = true
    setTimeout(() => {
      job.retrying = false
      reportAll(job)
    }, retryMillis).unref()
  }

  /** The same frame would be refused again. */
  const replace = (job: Job, { error, seq, to }: ErrorFrame): void => {
    switch (to) {
      case "ack":
        return lose(job, "The hub does not accept its acknowledgement")
      case "state":
        // Nobody will be asked, so nobody can approve.
        return job.question?.fail(denied("no_one_to_ask", `The hub does not ask anyone about this plan: ${error.code}`))
      case "output":
        return job.output.refused(seq)
      case "done": {
        const ending = job.ending === undefined || job.stage !== "ended" ? undefined : smaller(job.ending)
        if (ending === undefined) return
        job.ending = ending
        return reportEnd(job)
      }
      default:
    }
  }

  const refused = (frame: ErrorFrame): void => {
    const { command_id: id, error, to } = frame
    log.write("hub_refused", { command_id: id, to, code: error.code })
    const job = id === undefined ? undefined : find(id)
    if (id === undefined) return
    switch (error.code) {
      case "seq_gap":
      case "seq_conflict": {
        if (job === undefined || performance.now() - job.gapAt < retryMillis) return
        job.gapAt = performance.now()
        const next = error.data?.["next_seq"]
        return job.output.resend(typeof next === "number" ? next : undefined)
      }
      case "lease_lost":
      case "not_found": {
        if (job === undefined || to === "done") return confirm(id)
        // A refusal of what was sent under an earlier lease does not end the present one.
        if (error.data?.["lease"] === job.lease && openStates.has(error.data["status"])) return
        return lose(job, "The hub let it go")
      }
      default:
        if (job !== undefined) return permanent.has(error.code) ? replace(job, frame) : retry(job)
        // Repeated on the next connection, it would be refused again.
        if (to === "done" && permanent.has(error.code)) confirm(id)
    }
  }

  /** To be called every second while connected since `since`, by the monotonic clock. */
  const check = (job: Job, since: number): void => {
    const now = performance.now()
    const waited = (from: number | undefined): number => from === undefined ? 0 : now - Math.max(from, since)
    if (job.stage === "offered") {
      // The lease has run out by then, and nothing was started.
      if (waited(job.offeredAt) > limit + leaseMillis) forget(job.id)
      return
    }
    if (job.stage === "ended") {
      if (waited(job.reportedAt) < limit) return
      if (++job.reports < endReportsMax) return reportEnd(job)
      log.write("end_unconfirmed", { command_id: job.id })
      return forget(job.id)
    }
    const unconfirmed = waited(job.output.unconfirmedSince())
    if (job.ending !== undefined) {
      if (Math.min(unconfirmed, waited(job.endingAt)) < (job.cause === undefined ? limit : limit / stoppedShare)) return
      log.write("output_unconfirmed", { command_id: job.id })
      job.output.abandon()
    } else if (unconfirmed > limit && (job.repeatedAt === undefined || waited(job.repeatedAt) > limit)) {
      job.repeatedAt = now
      job.output.resend()
    }
  }

  return { reportState, reportEnd, reportAll, refused, check }
}
