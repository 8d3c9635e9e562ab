/**
 * The states of a request in the pipeline, and the stages between them:
 *
 *     decide ──→ begin ──→ execute ⇄ settle ──→ ended
 *        ↑         │ stale                ↑
 *        └─────────┘                      └── recovery: the owner of the hold died
 *
 * `decide` compares the request with the configuration in memory. `begin` reserves its limits in the database, or writes
 * its end there. `execute` calls the provider. `settle` writes the provider's outcome, or sends an unknown one again.
 * `submit.ts` drives the first two, `execution.ts` the others. A grant begins in its own transaction (`grants.ts`) and
 * continues at `execute`.
 */
import type { Answer } from "@countersign/domain/dispatch-outcomes"
import type { ServiceRequestId } from "@countersign/domain/ids"
import type { AdapterOutcome } from "../../providers/adapter.ts"
import type { Found } from "../decision/configuration.ts"
import type { Decision } from "../decision/decision.ts"
import type { Begin, BeginAnswer } from "../money-core/entries.ts"
import type { Grant, Submission } from "./submission.ts"
import type { Settled, Work } from "./work.ts"

/** A submission in progress, or an existing request that a grant resumes. */
export interface Attempt {
  readonly asked: Submission
  readonly id: ServiceRequestId
  /** The payload's canonical JSON. */
  readonly canonical: string
  /** The hash that the idempotency key is bound to; empty without a key. */
  readonly hash: string
  readonly granting: { readonly grant: Grant; readonly script: string | null } | undefined
}

/** The payload does not fit the operation. */
export type Invalid = Extract<Decision, { readonly kind: "invalid" }>
export type Verdict = Exclude<Decision, Invalid>

/** A begin for the tick, with the decision and the configuration behind it. */
export interface Decided {
  readonly made: Begin
  readonly decision: Verdict
  readonly found: Found
}

/** A begin with its answer. */
export interface Begun extends Decided {
  readonly answer: BeginAnswer
}

/** From the submission to the begin. `tries`: how often the configuration was too old. */
export type Deciding = {
  readonly stage: "decide"
  readonly tries: number
  /** The agent's version at which the key was known to be valid. */
  readonly keyVersion: number | undefined
}
export type Beginning = Omit<Deciding, "stage"> & {
  readonly stage: "begin"
  /** `undefined`: it is decided again under the workspace's lock, where no configuration can change. */
  readonly decided: Decided | undefined
}
export type Admitted = { readonly stage: "execute"; readonly begun: Begun }
export type Answered = { readonly stage: "ended"; readonly answer: Answer }
export type Submitting = Deciding | Beginning | Admitted | Answered

/** From the begin to the settlement. `again`: it may have been sent before. */
export type Executing = { readonly stage: "execute"; readonly again: boolean }
export type Settling = {
  readonly stage: "settle"
  readonly again: boolean
  readonly outcome: AdapterOutcome
  /** The hub that sent it died, so the hub itself settles it. */
  readonly crashed: boolean
}
export type Ended = { readonly stage: "ended"; readonly settled: Settled }
export type Working = Executing | Settling | Ended

export interface Stages {
  readonly execute: (work: Work, state: Executing) => Promise<Settling>
  readonly settle: (work: Work, state: Settling) => Promise<Executing | Ended>
}
