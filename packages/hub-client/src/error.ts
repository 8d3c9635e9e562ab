/** A failed call. An error from the hub has its status and code; a call without an answer has status 0. */
import { readErrorEnvelope } from "@countersign/domain/error-envelope"
import type { Detail } from "@countersign/domain/errors"

export interface HubErrorFacts {
  /** HTTP status; 0 if there was no answer. */
  readonly status: number
  /**
   * The hub's code, or `network_error`, `timeout`, `unreadable_answer`; calls with `not_connected` and `hub_failing`
   * were not sent.
   */
  readonly code: string
  readonly message: string
  readonly requestId?: string | undefined
  readonly details?: ReadonlyArray<Detail> | undefined
  readonly data?: Readonly<Record<string, unknown>> | undefined
  readonly retryAfterMillis?: number | undefined
}

export class HubError extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  readonly details: ReadonlyArray<Detail>
  /** The data of the code: `approval_not_pending` has `{ status, decided_by, decided_at }`. */
  readonly data: Readonly<Record<string, unknown>>
  readonly retryAfterMillis: number | undefined

  constructor(facts: HubErrorFacts) {
    super(facts.message)
    this.name = "HubError"
    this.status = facts.status
    this.code = facts.code
    this.requestId = facts.requestId
    this.details = facts.details ?? []
    this.data = facts.data ?? {}
    this.retryAfterMillis = facts.retryAfterMillis
  }

  /** The permission that a 403 names as missing: `agents:write`. */
  get permission(): string | undefined {
    const { permission } = this.data
    return this.status === 403 && typeof permission === "string" ? permission : undefined
  }

  /**
   * Whether the hub may have acted although no answer arrived: the call is then not reported as failed or as
   * successful.
   */
  get isUncertain(): boolean {
    if (this.code === "not_connected" || this.code === "hub_failing") return false
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504
  }
}

export const isHubError = (error: unknown): error is HubError => error instanceof HubError

/** The facts of an answer that is not 2xx, beside its body. */
export interface Refusal {
  readonly status: number
  readonly requestId: string | undefined
  readonly retryAfterMillis?: number | undefined
}

/** The error for such an answer; a proxy's page has no code and no message. */
export const readError = (body: unknown, { requestId, retryAfterMillis, status }: Refusal): HubError => {
  const { request_id = requestId, ...envelope } = readErrorEnvelope(body)
  return new HubError({
    code: "unreadable_answer",
    message: `HTTP ${status}`,
    ...envelope,
    status,
    requestId: request_id,
    retryAfterMillis
  })
}
