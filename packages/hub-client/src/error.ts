/** A failed call. An error from the hub has its status and code; a call without an answer has status 0. */

export interface Detail {
  /** A dotted path in the body or query: `payload.items.0.qty`. */
  readonly path: string
  readonly message: string
}

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

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isDetail = (value: unknown): value is Detail =>
  isRecord(value) && typeof value["path"] === "string" && typeof value["message"] === "string"

/** The contract's error envelope, read from any body: a proxy's page has no code and no message. */
export const readError = (
  status: number,
  body: unknown,
  requestId: string | undefined,
  retryAfterMillis?: number
): HubError => {
  const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : {}
  const { code, data, details, message, request_id } = error
  return new HubError({
    status,
    code: typeof code === "string" ? code : "unreadable_answer",
    message: typeof message === "string" ? message : `HTTP ${status}`,
    requestId: typeof request_id === "string" ? request_id : requestId,
    details: Array.isArray(details) ? details.filter(isDetail) : [],
    data: isRecord(data) ? data : {},
    retryAfterMillis
  })
}
