/**
 * The progress of the first steps. Derived from the hub's data, so that leaving, reloading, or another browser loses
 * nothing.
 */

export const stepNames = ["agent", "funds", "service", "request", "threshold", "approve"] as const
export type StepName = (typeof stepNames)[number]

export interface StartFacts {
  readonly hasAgent: boolean
  readonly availableCents: number
  /** The enabled binding of the steps. */
  readonly binding?: { readonly approval_threshold_cents?: number | undefined } | undefined
  /** The agent's live requests, without a time limit. */
  readonly requests: ReadonlyArray<AskedRequest>
}

export interface AskedRequest {
  readonly status: string
  readonly reason_code?: string | undefined
  readonly approval_id?: string | undefined
}

const undecided: ReadonlySet<string | undefined> = new Set(["approval_expired", "approval_cancelled"])

/** A person approved or rejected it. */
export const isDecided = ({ approval_id, reason_code, status }: AskedRequest): boolean =>
  approval_id !== undefined && status !== "approval_required" && !undecided.has(reason_code)

/** Its approval expired without a decision. */
export const isLapsed = ({ reason_code }: AskedRequest): boolean => undecided.has(reason_code)

const asked = (status: string): boolean =>
  status === "executed" || status === "running" || status === "approval_required"

export const doneSteps = ({ availableCents, binding, hasAgent, requests }: StartFacts): ReadonlySet<StepName> => {
  const done = new Set<StepName>()
  const waited = requests.filter(({ approval_id }) => approval_id !== undefined)
  const isUsed = requests.some(({ status }) => asked(status)) || waited.length > 0
  if (hasAgent) done.add("agent")
  // An executed request means that the wallet had funds, even if the balance is now 0.
  if (hasAgent && (availableCents > 0 || isUsed)) done.add("funds")
  if (hasAgent && binding !== undefined) done.add("service")
  if (isUsed) done.add("request")
  if (isUsed && (binding?.approval_threshold_cents !== undefined || waited.length > 0)) done.add("threshold")
  if (waited.some(isDecided)) done.add("approve")
  return done
}

/** The first step that is not done; undefined if all are. */
export const currentStep = (done: ReadonlySet<StepName>): StepName | undefined =>
  done.has("approve") ? undefined : stepNames.find((name) => !done.has(name))
