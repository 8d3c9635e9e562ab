/** One command on this device, from its offer until the hub knows its end. */
import type { OfferedCommand } from "@countersign/domain/device-frames"
import { type DeviceFrame } from "@countersign/domain/device-protocol"
import type { Answer } from "./consent.ts"
import type { Ending } from "./journal.ts"
import type { OutputSender } from "./output.ts"
import type { Planned } from "./plan.ts"
import { Refusal } from "./refusal.ts"

/** Why a command was stopped. */
export type Cause = "cancelled" | "timed_out" | "interrupted"

export interface Job {
  readonly id: string
  readonly command: OfferedCommand
  lease: number
  stage: "offered" | "acknowledged" | "running" | "ended"
  readonly output: OutputSender
  readonly stop: AbortController
  readonly kill: AbortController
  cause: Cause | undefined
  message: string | undefined
  ending: Ending | undefined
  /** What a person is asked through the hub. `fail`: nobody will answer. */
  question:
    | (Planned & { readonly give: (answer: Answer) => void; readonly fail: (reason: Refusal) => void })
    | undefined
  /** Of the plan that a person is asked about at this machine's own screen: the hub is told no more of it. */
  screenDigest: string | undefined
  /** When the hub was last known to hold its lease; this machine's monotonic clock. */
  renewedAt: number
  /** By the monotonic clock, as the ones below. */
  readonly offeredAt: number
  endingAt: number | undefined
  /** When its end was last sent to the hub, and how often. */
  reportedAt: number | undefined
  reports: number
  /** When a gap in its output was last filled, and when its unconfirmed output was last repeated. */
  gapAt: number
  repeatedAt: number | undefined
  /** A repetition is due. */
  retrying: boolean
}

export const words: Record<Cause, string> = {
  cancelled: "It was cancelled",
  timed_out: "Its time was over",
  interrupted: "The device let it go before it ended"
}

export const newJob = (command: OfferedCommand, lease: number, output: (job: () => Job) => OutputSender): Job => {
  const job: Job = {
    id: command.id,
    command,
    lease,
    stage: "offered",
    stop: new AbortController(),
    kill: new AbortController(),
    cause: undefined,
    message: undefined,
    ending: undefined,
    question: undefined,
    screenDigest: undefined,
    renewedAt: performance.now(),
    offeredAt: performance.now(),
    endingAt: undefined,
    reportedAt: undefined,
    reports: 0,
    gapAt: -Infinity,
    repeatedAt: undefined,
    retrying: false,
    output: output(() => job)
  }
  return job
}

/** Stops it; the first cause counts. */
export const because = (job: Job, cause: Cause, message: string = words[cause]): void => {
  job.cause ??= cause
  job.message ??= message
  job.stop.abort(new Refusal(job.cause, job.cause, job.message))
}

/** What is told of a job that was acknowledged and has not ended; none when there is nothing to tell. */
export const stateOf = ({ command, lease, question, screenDigest, stage }: Job): DeviceFrame | undefined => {
  const about = { type: "state", command_id: command.id, lease } as const
  if (stage === "running") return { ...about, state: "running" }
  if (screenDigest !== undefined) return { ...about, state: "awaiting_consent", plan_digest: screenDigest }
  return question === undefined
    ? undefined
    : { ...about, state: "awaiting_consent", plan: question.plan, plan_digest: question.digest }
}
