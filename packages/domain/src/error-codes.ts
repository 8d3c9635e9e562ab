/**
 * Every error code with its HTTP status and its meaning for the caller. `conflict` accepts only codes listed here, and
 * `agent-docs` prints this table. Outcomes of requests are not errors: `outcomes.ts`. Spec: reference/conventions.md
 * "Error codes".
 */
export interface ErrorCodeFacts {
  readonly status: number
  readonly meaning: string
}

export const errorCodes = {
  invalid_request: {
    status: 400,
    meaning: "Malformed, with unknown fields, or against a schema. details names every offending path."
  },
  unauthorized: {
    status: 401,
    meaning: "No credential, a wrong, expired or revoked one, or one of another kind; data.wants names the kind."
  },
  forbidden: { status: 403, meaning: "Not permitted; data.permission names the missing permission." },
  session_required: { status: 403, meaning: "Only a signed-in session may do this; a token may not." },
  step_up_required: { status: 403, meaning: "The session must confirm its password first: POST /auth/step-up." },
  separation_of_duties: {
    status: 403,
    meaning: "Another person must approve: the agent is yours, or you edited the request."
  },
  not_granted: { status: 403, meaning: "The device does not grant this tool." },
  not_found: { status: 404, meaning: "No such resource in this workspace." },
  method_not_allowed: { status: 405, meaning: "The header allow names the methods of the address." },
  agent_protected: { status: 409, meaning: "This agent cannot be deleted." },
  already_approved: { status: 409, meaning: "You approved it already; another person is needed." },
  already_running: { status: 409, meaning: "The command runs already." },
  already_settled: { status: 409, meaning: "The request ended with another outcome than this callback reports." },
  ambiguous_ref: {
    status: 409,
    meaning: "The provider_ref names requests of several operations; call back with service_request_id."
  },
  approval_not_pending: { status: 409, meaning: "Decided already; data names the status, who decided and when." },
  budget_committed: { status: 409, meaning: "Agents below this one hold more than the new budget." },
  conflict: { status: 409, meaning: "The current state does not allow it; the message says why." },
  device_revoked: { status: 409, meaning: "The device was revoked for ever. With a device key the status is 401." },
  digest_mismatch: {
    status: 409,
    meaning: "The approval is about another payload than the one decided on; read it again."
  },
  idempotency_conflict: { status: 409, meaning: "The key was used with another payload. Use a new key." },
  idempotency_in_progress: {
    status: 409,
    meaning: "The first request with the key has not finished. Repeat after Retry-After."
  },
  last_owner: { status: 409, meaning: "A workspace keeps at least one owner." },
  lease_lost: { status: 409, meaning: "Another lease of the command is in force." },
  limit_reached: { status: 409, meaning: "As many exist as are allowed; remove one first." },
  not_cancellable: { status: 409, meaning: "The request has ended, or its provider cannot stop it." },
  not_editable: { status: 409, meaning: "This approval's request cannot be edited." },
  not_running: { status: 409, meaning: "Only a request that runs at its provider can be settled." },
  nothing_granted: { status: 409, meaning: "The device grants no tool yet." },
  outside_root: { status: 409, meaning: "The path is outside the roots that the device shares." },
  paused_by_device: { status: 409, meaning: "The device paused itself; only it can resume." },
  plan_changed: { status: 409, meaning: "The command differs from the one that was approved." },
  queue_full: { status: 409, meaning: "Too many commands are queued; wait until some have ended." },
  seq_conflict: { status: 409, meaning: "This part of the output was sent before with other bytes." },
  seq_gap: { status: 409, meaning: "Output is missing; continue at data.next_seq." },
  service_in_use: { status: 409, meaning: "Agents are connected to the service; disconnect them first." },
  session_ended: { status: 409, meaning: "The device session has ended." },
  socket_active: { status: 409, meaning: "A socket delivers to this device; polling is refused meanwhile." },
  standing_not_allowed: { status: 409, meaning: "This approval cannot become a standing approval." },
  standing_used_up: { status: 409, meaning: "The standing approval was used up, revoked, or has expired." },
  superseded: { status: 409, meaning: "A newer start of the device took over." },
  version_conflict: { status: 409, meaning: "It was changed since expected_version; data holds the current one." },
  gone: { status: 410, meaning: "Used, expired or revoked." },
  payload_too_large: { status: 413, meaning: "The body is over the limit of its endpoint." },
  unsupported_media_type: { status: 415, meaning: "Send application/json without content-encoding." },
  rate_limited: {
    status: 429,
    meaning: "Too many requests, or too many open calls (data.open_max). Wait Retry-After seconds."
  },
  internal_error: { status: 500, meaning: "A fault of the hub. Report it with its request_id." },
  upstream_error: { status: 502, meaning: "A provider could not be reached or answered wrongly." },
  unavailable: {
    status: 503,
    meaning: "The hub is stopping or its database is away. Try again after Retry-After, or shortly."
  },
  upstream_timeout: {
    status: 504,
    meaning: "The address of an import did not answer in time. Try again, or send the document itself."
  }
} as const satisfies Readonly<Record<string, ErrorCodeFacts>>

export type ErrorCode = keyof typeof errorCodes
/** Codes with status 409. */
export type ConflictCode = {
  readonly [Code in ErrorCode]: typeof errorCodes[Code]["status"] extends 409 ? Code : never
}[ErrorCode]
