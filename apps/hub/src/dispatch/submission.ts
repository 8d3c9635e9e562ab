/** What is submitted to dispatch and what it answers; how a submission is read from a request's headers. Spec: contract 2. */
import type { AgentPrincipal, Mode } from "@countersign/domain/auth"
import { type ApiError, invalidField, invalidRequest } from "@countersign/domain/errors"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import type { Actor } from "../audit/service.ts"
import { type TestOutcome, testOutcomes } from "./decision.ts"
import type { RequestFacts } from "./view.ts"

export interface Submission {
  readonly mode: Mode
  readonly org: string
  readonly agent: string
  /**
   * The key that asks, and the agent's version when it was found alive: its death since must count. Absent when a person files
   * it.
   */
  readonly keyId?: string
  readonly keyVersion?: number
  readonly actor: Actor
  readonly service: string
  readonly operation: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly key?: string
  readonly script?: TestOutcome
  /** A person filed it by editing another. */
  readonly origin?: { readonly user_id: string; readonly replaces: string }
}

/** A grant of a pending approval: the last voice it needed. */
export interface Grant {
  readonly approvalId: string
  readonly requestId: string
  readonly approvedCeilingCents: number
  readonly by: string
  readonly comment?: string
  readonly actor: Actor
}

export interface Answer {
  readonly facts: RequestFacts
  readonly replayed: boolean
}

export type GrantAnswer = { readonly kind: "begun"; readonly facts: RequestFacts } | { readonly kind: "not_pending" }

/** What an agent key submits. */
export const submissionOf = (
  principal: AgentPrincipal,
  input: Pick<Submission, "service" | "operation" | "payload">,
  key: string | undefined,
  script: TestOutcome | undefined
): Submission => ({
  mode: principal.mode,
  org: principal.org_id,
  agent: principal.agent_id,
  keyId: principal.key_id,
  keyVersion: principal.agent_version,
  actor: { type: "agent", id: principal.agent_id, name: principal.agent_name, ip: principal.ip },
  ...input,
  ...(key === undefined ? {} : { key }),
  ...(script === undefined ? {} : { script })
})

/** Where an idempotency key is unique. */
export const keyScope = (agent: string, mode: string): string => `dispatch ${agent} ${mode}`

/** What an idempotency key is bound to: SHA-256 in hex. */
export const keyHash = (
  { operation, script, service }: Pick<Submission, "service" | "operation" | "script">,
  canonicalPayload: string
): string => createHash("sha256").update(`${service}\n${operation}\n${script ?? ""}\n${canonicalPayload}`).digest("hex")

/** `idempotency-key`: 1 to 255 printable ASCII characters. */
export const readIdempotencyKey = (header: string | undefined): Effect.Effect<string | undefined, ApiError> =>
  header === undefined || /^[\x20-\x7e]{1,255}$/.test(header)
    ? Effect.succeed(header)
    : Effect.fail(invalidRequest("The header idempotency-key must be 1 to 255 printable ASCII characters.", [
      { path: "idempotency-key", message: "1 to 255 printable ASCII characters" }
    ]))

/** `x-test-outcome`: for test keys, which outcome to play. */
export const readScript = (header: string | undefined, mode: Mode): Effect.Effect<TestOutcome | undefined, ApiError> => {
  if (header === undefined) return Effect.succeed(undefined)
  if (mode === "live") return Effect.fail(invalidField("x-test-outcome", "it is for test keys only"))
  const known = testOutcomes.find((outcome) => outcome === header)
  return known === undefined
    ? Effect.fail(invalidField("x-test-outcome", `it must be one of ${testOutcomes.join(", ")}`))
    : Effect.succeed(known)
}
