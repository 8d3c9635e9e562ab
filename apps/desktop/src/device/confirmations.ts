/**
 * Repeats the agent's reports until the hub confirms them. Every command settles, even if the hub refuses or never
 * confirms a report: a refused output chunk is replaced, a refused result is left out, and repetitions are limited.
 */
import type { ErrorFrame } from "@countersign/domain/device-frames"
import { type DeviceFrame, leaseMillis } from "@countersign/domain/device-protocol"
import type { Ending } from "./command-ending.ts"
import { type Job, stateOf } from "./job.ts"
import type { Log } from "./log.ts"
import { denied } from "./results/refusal.ts"

const retryMillis = 2_000
export const defaultUnconfirmedMillis = 30_000
/** Divides the timeout for output of a canceled or timed-out command. */
const stoppedShare = 6
/** Reports of one result per connection. The journal repeats the last one on the next connection. */
const endReportsMax = 10

/** Error codes after which the hub will never accept the same frame. */
const permanent: ReadonlySet<string> = new Set([
  "invalid_request",
  "payload_too_large",
  "plan_changed",
  "already_running"
])
/** Command states in which the device holds a lease. */
const openStates: ReadonlySet<unknown> = new Set(["leased", "awaiting_consent", "running"])

export interface ConfirmationOptions {
  readonly log: Log
  /** Drops the frame when there is no connection. */
  readonly transmit: (frame: DeviceFrame) => void
  readonly find: (id: string) => Job | undefined
  /** The device no longer holds the lease of this command. */
  readonly lose: (job: Job, message: string) => void
  /** The hub has stored the end of this command. */
  readonly confirm: (id: string) => void
  /** Removes the command here. The journal keeps results that the hub may not have. */
  readonly forget: (id: string) => void
  /** After this time without a confirmation a report is repeated or abandoned. */
  readonly unconfirmedMillis: number
}

/** A shorter ending for a hub that refused this one. None if there is nothing left to remove. */
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
  /** Sends every report that the hub may not have. */
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

  /** The hub would refuse the same frame again. */
  const replace = (job: Job, { error, seq, to }: ErrorFrame): void => {
    switch (to) {
      case "ack":
        return lose(job, "The hub does not accept its acknowledgement")
      case "state":
        // The hub requests no approval for this plan, so no decision can arrive.
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
        // A refusal under an earlier lease does not end the present one.
        if (error.data?.["lease"] === job.lease && openStates.has(error.data["status"])) return
        return lose(job, "The hub let it go")
      }
      default:
        if (job !== undefined) return permanent.has(error.code) ? replace(job, frame) : retry(job)
        // The hub would refuse it on the next connection, too.
        if (to === "done" && permanent.has(error.code)) confirm(id)
    }
  }

  /** Call every second while connected; `since` is the start of the connection, monotonic. */
  const check = (job: Job, since: number): void => {
    const now = performance.now()
    const waited = (from: number | undefined): number => from === undefined ? 0 : now - Math.max(from, since)
    if (job.stage === "offered") {
      // The lease has expired by then, and nothing was started.
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
