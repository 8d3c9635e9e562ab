/** Rules of agent requests. Pure. Spec: reference/agent-requests.md "Answers". */
import {
  agentRequestDaysMax,
  type AgentRequestKind,
  type AnswerAgentRequestInput
} from "@countersign/domain/agent-requests"
import type { Detail } from "@countersign/domain/errors"
import { dayMillis, momentMillis, timeExample } from "@countersign/domain/time"

/** Why the decision does not fit the request; undefined if it does. */
export const answerProblem = (
  request: { readonly kind: AgentRequestKind; readonly options: ReadonlyArray<string> | null },
  { answer, status }: AnswerAgentRequestInput
): Detail | undefined => {
  if (status === "dismissed") {
    return answer === undefined ? undefined : { path: "answer", message: "leave it out of a dismissal; send a comment" }
  }
  if (answer === undefined) {
    return request.kind === "handoff" ? undefined : { path: "answer", message: "an answered request needs an answer" }
  }
  return request.options === null || request.options.includes(answer)
    ? undefined
    : { path: "answer", message: `expected one of the options: ${request.options.join(", ")}` }
}

/** Why the expiry is refused; undefined if it is allowed. */
export const expiryProblem = (expiresAt: string, now: Date): string | undefined => {
  const life = momentMillis(expiresAt) - now.getTime()
  return life > 0 && life <= agentRequestDaysMax * dayMillis
    ? undefined
    : `expected ${timeExample}, in the next ${agentRequestDaysMax} days`
}
