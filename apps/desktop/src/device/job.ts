/** One command on this device, from its offer until the hub confirms its end. */
import type { OfferedCommand } from "@countersign/domain/device-frames"
import { type DeviceFrame } from "@countersign/domain/device-protocol"
import type { Ending } from "./command-ending.ts"
import type { Answer } from "./consent.ts"
import type { Planned } from "./plan.ts"
import type { OutputSender } from "./results/output.ts"
import { Refusal } from "./results/refusal.ts"

/** Reason for stopping a command. */
export type Cause = "cancelled" | "timed_out" | "interrupted"

export interface Job {
  readonly id: string
  readonly command: OfferedCommand
  /** The hub offered it, or the app forwards a chat's call: then the hub gets no reports of it. */
  readonly origin: "hub" | "chat"
  lease: number
  stage: "offered" | "acknowledged" | "running" | "ended"
  readonly output: OutputSender
  readonly stop: AbortController
  readonly kill: AbortController
  cause: Cause | undefined
  message: string | undefined
  ending: Ending | undefined
  /** The approval that the hub requests. `fail`: no answer will arrive. */
  question:
    | (Planned & { readonly give: (answer: Answer) => void; readonly fail: (reason: Refusal) => void })
    | undefined
  /** Digest of the plan shown on the local screen; the hub receives nothing else of it. */
  screenDigest: string | undefined
  /** When the hub last confirmed the lease; monotonic. */
  renewedAt: number
  /** Monotonic, as the times below. */
  readonly offeredAt: number
  endingAt: number | undefined
  /** When its end was last sent to the hub, and how often. */
  reportedAt: number | undefined
  reports: number
  /** When a gap in its output was last filled, and when its unconfirmed output was last repeated. */
  gapAt: number
  repeatedAt: number | undefined
  /** A repetition is scheduled. */
  retrying: boolean
}

export const causeMessages: Record<Cause, string> = {
  cancelled: "The command was canceled",
  timed_out: "The command exceeded its time limit",
  interrupted: "The device stopped the command before it ended"
}

export const newJob = (
  command: OfferedCommand,
  lease: number,
  output: (job: () => Job) => OutputSender,
  origin: Job["origin"] = "hub"
): Job => {
  const job: Job = {
    id: command.id,
    command,
    origin,
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

/** Stops the job; the first cause counts. */
export const stopJob = (job: Job, cause: Cause, message: string = causeMessages[cause]): void => {
  job.cause ??= cause
  job.message ??= message
  job.stop.abort(new Refusal(job.cause, job.cause, job.message))
}

/** The state report of an acknowledged job that has not ended; none when there is nothing to report. */
export const stateOf = ({ command, lease, question, screenDigest, stage }: Job): DeviceFrame | undefined => {
  const about = { type: "state", command_id: command.id, lease } as const
  if (stage === "running") return { ...about, state: "running" }
  if (screenDigest !== undefined) return { ...about, state: "awaiting_consent", plan_digest: screenDigest }
  return question === undefined
    ? undefined
    : { ...about, state: "awaiting_consent", plan: question.plan, plan_digest: question.digest }
}
