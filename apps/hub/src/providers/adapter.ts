/**
 * The port between dispatch and the adapters. An adapter never fails: the behavior of a provider or a network becomes
 * one of five outcomes, each of which decides the charge. A defect is a bug of ours.
 */
import type { AgentId, OrgId, ServiceRequestId } from "@countersign/domain/ids"
import type { ServiceDefinition } from "@countersign/domain/services"
import { Effect } from "effect"
import type { ModelCall } from "./model-answer.ts"

/** An outcome's `detail` is shown to agents and operators: bounded text without secrets. In bytes of UTF-8. */
export const detailBytesMax = 2_048
/** The longest reference by which a provider may name its work. */
export const refLengthMax = 512

export type AdapterOutcome =
  /**
   * Done. `actual` is the unchanged value at `price.actual`: a number of cents with fractions, or anything.
   * `actualFound` is `false` when the pointer found nothing, and absent when the price has no such pointer.
   */
  | {
    readonly kind: "executed"
    readonly result: unknown
    readonly actual?: unknown
    readonly actualFound?: boolean
    /** Added to the data of the settlement's audit entry. */
    readonly audit?: Readonly<Record<string, unknown>>
  }
  /**
   * Not done: the provider refused it, or nothing was sent. `status` and `retryAfterSeconds` are the provider's, if it
   * answered.
   */
  | {
    readonly kind: "failed"
    readonly detail: string
    readonly status?: number
    readonly retryAfterSeconds?: number
    /** Default `adapter_error`. */
    readonly code?: "app_not_connected" | "workflow_cycle" | "run_depth_exceeded" | "invalid_request"
  }
  /** Bytes were sent and no full answer arrived: the outcome is unknown. */
  | { readonly kind: "unknown"; readonly detail: string }
  /**
   * The provider works on it, under this reference. `actual` as above, from this first answer: it applies unless the
   * last one has a cost.
   */
  | { readonly kind: "running"; readonly ref: string; readonly actual?: unknown; readonly actualFound?: boolean }

/**
 * The status of running work, from a poll or a callback. `actual` is the value at `async.cost_cents`, with the same
 * rules as above.
 */
export type AsyncOutcome =
  | { readonly kind: "executed"; readonly result: unknown; readonly actual?: unknown; readonly actualFound?: boolean }
  /** `code` of the result; `adapter_error` by default. */
  | { readonly kind: "failed"; readonly detail: string; readonly code?: string }
  /** The provider refuses by its own rules. */
  | { readonly kind: "blocked"; readonly detail: string }
  | { readonly kind: "running" }

/** `unreachable`: the poll got no status; poll again later. */
export type PollOutcome = AsyncOutcome | { readonly kind: "unreachable"; readonly detail: string }

/** A connected app's token for one call. */
export type AppAccess =
  | {
    readonly kind: "ready"
    readonly token: string
    /** What was kept when the app was connected, such as `instance_url`. */
    readonly values: Readonly<Record<string, string>>
    /** Why the token may not be sent to a URL; undefined when it may. */
    readonly problemOf: (url: string) => string | undefined
    /** After the provider rejected the token: another one; undefined when there is none. */
    readonly renewed: Effect.Effect<string | undefined>
  }
  /** No app is connected that the agent may use. */
  | { readonly kind: "missing"; readonly detail: string }
  /** The app's token has expired, and could not be renewed now. */
  | { readonly kind: "unavailable"; readonly detail: string }

export interface AdapterCall {
  readonly requestId: ServiceRequestId
  readonly orgId: OrgId
  /** The calling agent. */
  readonly agent: { readonly id: AgentId; readonly name: string }
  readonly service: string
  readonly operation: string
  /** Fits the operation's `payload_schema`. */
  readonly payload: unknown
  readonly callbackUrl?: string
  /** The workspace's stored secret of this name, if it has one. */
  readonly secretOf: (name: string) => Effect.Effect<string | undefined>
  /** The connected app that a service's `auth.app` means for this agent. */
  readonly appOf: (reference: string) => Effect.Effect<AppAccess>
  readonly timeoutMs: number
  readonly ceilingCents: number
  /** A model call of the hub itself, with its reader. */
  readonly model?: ModelCall
  /** Receives the audio of a call whose caller waits; it is not stored. */
  readonly audio?: (wav: Uint8Array) => void
}

export interface Adapter {
  readonly execute: (definition: ServiceDefinition, call: AdapterCall) => Effect.Effect<AdapterOutcome>
  /** Requests the status of running work. */
  readonly poll?: (definition: ServiceDefinition, ref: string, call: AdapterCall) => Effect.Effect<PollOutcome>
  /** Tries to stop running work. */
  readonly cancel?: (definition: ServiceDefinition, ref: string, call: AdapterCall) => Effect.Effect<CancelOutcome>
}

/**
 * `stopped`: the work is not and will not be done. `asked`: the provider accepted the cancellation, and reports the
 * outcome as usual.
 */
export type CancelOutcome = "stopped" | "asked" | "too_late"

/** Bounded text for `detail`: no control characters, no half characters, at most `bytes` of UTF-8. */
export const detailText = (text: string, bytes = detailBytesMax): string => {
  const clean = text.toWellFormed().replace(/[^\P{Cc}\n\t]/gu, " ").trim()
  const encoded = Buffer.from(clean)
  if (encoded.length <= bytes) return clean
  let end = bytes
  while (end > 0 && (encoded[end]! & 0xc0) === 0x80) end--
  return encoded.subarray(0, end).toString()
}

export const failed = (detail: string, status?: number): AdapterOutcome =>
  status === undefined
    ? { kind: "failed", detail: detailText(detail) }
    : { kind: "failed", detail: detailText(detail), status }

/** `detail` continues "The outcome is unknown: " and is a sentence. */
export const unknownFate = (detail: string): AdapterOutcome => ({ kind: "unknown", detail: detailText(detail) })
