/**
 * Submissions to dispatch and their answers; reads a submission from a request's headers. Spec:
 * reference/conventions.md "Idempotency", reference/requests.md "Test mode", "Origin".
 */
import type { AgentPrincipal, Mode, UserPrincipal } from "@countersign/domain/auth"
import type { RequestFacts } from "@countersign/domain/dispatch-outcomes"
import { type ApiError, invalidField } from "@countersign/domain/errors"
import type {
  AgentId,
  ApprovalId,
  AuditId,
  KeyId,
  OrgId,
  ServiceRequestId,
  StandingApprovalId
} from "@countersign/domain/ids"
import { type TestOutcome, testOutcomes, type TestRequestInput } from "@countersign/domain/service-requests"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import type { PickUp } from "../../pick-ups/pick-up.ts"
import { type Actor, actorOf } from "../../platform/audit-log.ts"
import type { Filing } from "../../platform/filing.ts"
import type { ModelCall } from "../../providers/model-answer.ts"

export interface Submission extends Filing {
  readonly mode: Mode
  readonly org: OrgId
  readonly agent: AgentId
  /**
   * The agent's key, and the agent's version when the key was found valid, so that a later revocation counts. Absent
   * when a person sends the request.
   */
  readonly keyId?: KeyId
  readonly keyVersion?: number
  readonly actor: Actor
  readonly service: string
  readonly operation: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly key?: string
  /** In place of a key: that of an answer which was left for the identical call, otherwise a new one. */
  readonly pickUp?: PickUp
  readonly script?: TestOutcome
  /**
   * The request's id, minted and stored by the sender before this call, so that a later call finds this one's request.
   * Default: a new id.
   */
  readonly id?: ServiceRequestId
  /**
   * For every call but the first with an `id`. If the request exists, the answer is its present state, and nothing is
   * sent.
   */
  readonly again?: boolean
  /** When the answer is given. `begun`: as `running`, before the provider is called. Default: `settled`. */
  readonly until?: "begun" | "settled"
  /** A model call of the hub itself: its prompt and its reader. They are not stored. */
  readonly model?: ModelCall
  /** A person approves it, whatever its cost; no standing approval does. */
  readonly forceApproval?: boolean
  /** Receives the audio of a spoken text. It is not stored. */
  readonly audio?: (wav: Uint8Array) => void
}

/** A grant of a pending approval, by the last vote it needs. */
export interface Grant {
  readonly approvalId: ApprovalId
  readonly requestId: ServiceRequestId
  /** The id of the vote's audit entry: of the grant, or of a vote that leaves the approval pending. */
  readonly entry: AuditId
  readonly approvedCeilingCents: number
  readonly by: string
  readonly comment?: string
  readonly actor: Actor
  /**
   * The standing approval that decides it: the request counts in its limits. The caller has checked their room under
   * the lock.
   */
  readonly standing?: { readonly id: StandingApprovalId; readonly limits: readonly [total: number, uses: number] }
}

/** A vote on a pending approval, run by the transaction that records it. */
export interface Vote {
  /**
   * Takes the workspace's lock, and checks under it that the vote is allowed. `last`: nothing is recorded, the grant
   * follows. `added`: the vote is recorded with its audit entry, and the approval stays pending.
   */
  readonly cast: Effect.Effect<"last" | "added", ApiError>
  /** Runs after the grant, in its transaction. */
  readonly granted: Effect.Effect<void>
}

/** `added`: more votes are needed. `not_pending`: the approval was decided meanwhile. */
export type GrantAnswer =
  | { readonly kind: "begun"; readonly facts: RequestFacts }
  | { readonly kind: "added" }
  | { readonly kind: "not_pending" }

/** The submission of an agent key. */
export const submissionOf = (
  principal: AgentPrincipal,
  input: Pick<Submission, "service" | "operation" | "payload">,
  key: string | undefined,
  script: TestOutcome | undefined,
  task: string | undefined
): Submission => ({
  mode: principal.mode,
  org: principal.org_id,
  agent: principal.agent_id,
  keyId: principal.key_id,
  keyVersion: principal.agent_version,
  actor: { type: "agent", id: principal.agent_id, name: principal.agent_name, ip: principal.ip },
  ...input,
  ...(key === undefined ? {} : { key }),
  ...(script === undefined ? {} : { script }),
  ...(task === undefined ? {} : { task })
})

/** A test-mode request that a person sends as an agent. */
export const testSubmissionOf = (
  user: UserPrincipal,
  agent: AgentId,
  { outcome, ...input }: TestRequestInput,
  key: string | undefined
): Submission => ({
  mode: "test",
  org: user.org_id,
  agent,
  actor: actorOf(user),
  ...input,
  origin: { user_id: user.user_id },
  ...(key === undefined ? {} : { key }),
  ...(outcome === undefined ? {} : { script: outcome })
})

/** The idempotency key of a submission: the caller's, or the hub's. */
export const keyOf = ({ key, pickUp }: Pick<Submission, "key" | "pickUp">): string | undefined => key ?? pickUp?.key

/** The scope in which an idempotency key is unique. */
export const keyScope = (agent: AgentId, mode: Mode): string => `dispatch ${agent} ${mode}`

/** The hash that an idempotency key is bound to: SHA-256 in hex. */
export const keyHash = (
  { operation, script, service, task }: Pick<Submission, "service" | "operation" | "script" | "task">,
  canonicalPayload: string
): string =>
  createHash("sha256")
    .update(`${service}\n${operation}\n${script ?? ""}${task === undefined ? "" : ` ${task}`}\n${canonicalPayload}`)
    .digest("hex")

const taskPattern = /^dlg_[0-9a-z]{1,60}$/u

/** `x-delegated-task`: the task that a request is for. An id of no task of the agent blocks the request. */
export const readTask = (header: string | undefined): Effect.Effect<string | undefined, ApiError> =>
  header === undefined || taskPattern.test(header)
    ? Effect.succeed(header)
    : Effect.fail(invalidField("x-delegated-task", "expected the id of a delegated task, dlg_…"))

/** `x-test-outcome`: the outcome that a test-mode request plays. */
export const readScript = (
  header: string | undefined,
  mode: Mode
): Effect.Effect<TestOutcome | undefined, ApiError> => {
  if (header === undefined) return Effect.succeed(undefined)
  if (mode === "live") return Effect.fail(invalidField("x-test-outcome", "allowed only with a test key"))
  const known = testOutcomes.find((outcome) => outcome === header)
  return known === undefined
    ? Effect.fail(invalidField("x-test-outcome", `it must be one of ${testOutcomes.join(", ")}`))
    : Effect.succeed(known)
}
