/** The result of a command as the hub and the journal store it: masked and limited in size. */
import type { Outcome } from "@countersign/domain/device-protocol"
import type { Ending } from "./command-ending.ts"
import { causeMessages, type Job } from "./job.ts"
import type { Mask } from "./results/masker.ts"
import { acceptedJson, acceptedText } from "./results/text.ts"
import type { Finished } from "./tools/tool.ts"

/** UTF-8 bytes; a result must fit into a frame and into the hub's limit. */
const resultBytesMax = 500_000
const messageLengthMax = 2_000

export const interruptedEnding: Ending = {
  outcome: "interrupted",
  error: { code: "interrupted", message: "The device ended while it ran. It is not run again." }
}

const parsedOr = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // Masking broke the JSON syntax.
    return { masked: true }
  }
}

export const endingOf = (job: Job, { error, exit_code, outcome, result }: Finished, mask: Mask): Ending => {
  // A command that succeeded or was denied before the stop keeps its outcome.
  const cause = outcome === "succeeded" || outcome === "denied" ? undefined : job.cause
  const reported: Outcome = cause ?? outcome
  const about = cause === undefined ? error : { code: cause, message: job.message ?? causeMessages[cause] }
  const text = result === undefined ? undefined : mask.text(JSON.stringify(acceptedJson(result)))
  const bytes = text === undefined ? 0 : Buffer.byteLength(text)
  const kept = text === undefined ? undefined : bytes <= resultBytesMax ? parsedOr(text) : { truncated: true, bytes }
  return {
    outcome: reported,
    ...(exit_code === undefined ? {} : { exit_code }),
    ...(kept === undefined ? {} : { result: kept as NonNullable<Ending["result"]> }),
    ...(about === undefined
      ? {}
      : { error: { code: about.code, message: acceptedText(mask.text(about.message), messageLengthMax) } })
  }
}
