/** The entries of a tick and their answers, one at a time: a begin reserves a request's limits, a settle ends it. */
import type { Mode } from "@countersign/domain/auth"
import type { AgentId, ApprovalId, AuditId, LedgerEntryId, OrgId, ServiceRequestId } from "@countersign/domain/ids"
import type { PickUp } from "../../pick-ups/pick-up.ts"
import type { EntryData } from "../../platform/audit-entry-data.ts"

/** The approval to file when the request requires one. */
export interface Wait {
  readonly id: ApprovalId
  readonly threshold_cents: number
  readonly reason: string
  readonly policy_id?: string
  readonly required: number
  readonly deciders?: string
  readonly life_seconds: number
  readonly digest: string
  readonly filed_by?: string
}

/** The approval that lets an existing request begin, and the person who cast the last vote. */
export interface Granted {
  readonly id: ApprovalId
  readonly by: string
  readonly comment?: string
  readonly actor: string
  readonly audit: AuditId
  readonly ip?: string
  readonly data: EntryData
}

export interface Begin {
  readonly id: ServiceRequestId
  readonly org: OrgId
  readonly agent: AgentId
  readonly agentVersion: number
  readonly rulesVersion: number
  readonly mode: Mode
  readonly service: string
  readonly operation: string
  readonly scope: string | null
  readonly key: string | null
  /** Its key takes the place of `key`. */
  readonly pickUp?: PickUp
  /** SHA-256 in hex of the submission that the key is bound to. */
  readonly hash: string
  readonly verdict: "admit" | "wait" | "blocked" | "failed"
  readonly ceilingCents: number
  /** Ids of limits, in the order in which an exceeded one is reported. */
  readonly limits: ReadonlyArray<number>
  readonly wallet: number | null
  /** One of `limits` that is checked but not reserved. */
  readonly check: number | null
  readonly payload: string
  readonly reason: string | null
  readonly result: string | null
  readonly block: string | null
  readonly wait: Wait | null
  readonly origin: string | null
  readonly script: string | null
  readonly granted: Granted | null
  readonly audit: AuditId
  readonly actor: string
  readonly ip: string | null
  readonly data: EntryData
}

/** The idempotency key of a begin. */
export const keyOf = ({ key, pickUp }: Pick<Begin, "key" | "pickUp">): string | null => pickUp?.key ?? key

/** Its pick-up is to be taken with it, or before it. */
export const untaken = ({ pickUp }: Pick<Begin, "pickUp">): PickUp | undefined =>
  pickUp?.isTaken === false ? pickUp : undefined

export type BeginAnswer =
  /**
   * `owner`: the owner of the hold; only that owner may send the request. `at` is when it began, also when an earlier
   * call began it.
   */
  | { readonly kind: "admitted"; readonly at: number; readonly owner: number }
  | { readonly kind: "waits"; readonly at: number; readonly approvalId: ApprovalId }
  | { readonly kind: "blocked"; readonly at: number; readonly reason: string; readonly block: string | null }
  | { readonly kind: "failed"; readonly at: number }
  /**
   * Known by its key, or by its own id after a lost reply when this owner must not send it: `id` is the stored request.
   */
  | { readonly kind: "known"; readonly id: ServiceRequestId }
  | { readonly kind: "conflict"; readonly id: ServiceRequestId }
  | { readonly kind: "not_pending" }
  | { readonly kind: "stale" }
  /** Not decided in time, and it never reached the database. */
  | { readonly kind: "unavailable"; readonly sent: false }
  /**
   * Not decided in time, and the database may still decide it. `decided` resolves then, without an answer when it never
   * reached the database: an admitted begin must be ended unsent.
   */
  | { readonly kind: "unavailable"; readonly sent: true; readonly decided: Promise<BeginAnswer | undefined> }
  | { readonly kind: "refused"; readonly cause: unknown }

export interface Settle {
  readonly id: ServiceRequestId
  readonly org: OrgId
  readonly status: "executed" | "failed" | "blocked" | "running"
  /** The actual cost, clamped to 0…ceiling: whole cents and millionths of one. */
  readonly cents: number
  readonly micro: number
  readonly reason: string | null
  readonly result: string | null
  /** Only for `running`. */
  readonly ref: string | null
  readonly dueMillis: number | null
  readonly deadlineMillis: number | null
  readonly audit: AuditId
  readonly move: LedgerEntryId
  readonly actor: string
  readonly data: EntryData
}

export type SettleAnswer =
  | { readonly kind: "done"; readonly at: number; readonly costCents: number }
  /** It was no longer open: another settlement ended it. */
  | { readonly kind: "settled" }
