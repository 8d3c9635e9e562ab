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
    meaning:
      "The request is malformed, has unknown fields, or does not match a schema. details lists each invalid path."
  },
  authorization_pending: { status: 400, meaning: "Device sign-in: the person has not decided yet. Poll again." },
  slow_down: { status: 400, meaning: "Device sign-in: the poll came too early. Wait five seconds longer." },
  access_denied: { status: 400, meaning: "Device sign-in: the person rejected it." },
  expired_token: { status: 400, meaning: "Device sign-in: the code is unknown, was used, or has expired." },
  unauthorized: {
    status: 401,
    meaning:
      "The credential is missing, invalid, expired, revoked, or of the wrong kind; data.wants names the required " +
      "kind."
  },
  forbidden: { status: 403, meaning: "Not permitted; data.permission names the missing permission." },
  session_required: { status: 403, meaning: "Requires a signed-in session; a token is not enough." },
  step_up_required: { status: 403, meaning: "The session must confirm its person first: POST /auth/step-up." },
  sso_expired: {
    status: 401,
    meaning:
      "The token's person has not signed in with single sign-on for 30 days. The token works again after a sign-in."
  },
  sso_required: {
    status: 403,
    meaning: "The hub requires single sign-on; passwords sign in owners with a second factor only."
  },
  second_factor_required: {
    status: 403,
    meaning:
      "The workspace requires a second factor and you have none, or a step-up needs one of data.methods. Add one with POST /auth/factors."
  },
  separation_of_duties: {
    status: 403,
    meaning: "Another person must approve: the agent is yours, or you edited the request."
  },
  state_mismatch: {
    status: 403,
    meaning: "The sign-in at the provider was not started by this session's person, was used, or has expired."
  },
  not_subset: { status: 403, meaning: "A child's services or caps exceed its parent's; data names the fields." },
  not_granted: { status: 403, meaning: "The device does not grant this tool." },
  not_found: { status: 404, meaning: "No such resource in this workspace." },
  method_not_allowed: { status: 405, meaning: "The header allow lists the methods of this address." },
  account_linked: {
    status: 409,
    meaning: "The account in Slack or Discord belongs to another person of this hub, who must remove it first."
  },
  agent_disabled: { status: 409, meaning: "The agent is paused or disabled. A person can set its status to active." },
  agent_protected: { status: 409, meaning: "This agent cannot be deleted." },
  app_not_configured: { status: 409, meaning: "The provider has no OAuth client; an operator must set one." },
  app_not_connected: { status: 409, meaning: "The app has no valid tokens; a person must sign in again." },
  already_approved: { status: 409, meaning: "You have already approved this; another person must approve it too." },
  already_running: { status: 409, meaning: "The command is already running." },
  already_settled: {
    status: 409,
    meaning: "The request has already ended with another outcome than this callback reports."
  },
  ambiguous_ref: {
    status: 409,
    meaning: "The provider_ref names requests of several operations; call back with service_request_id."
  },
  approval_not_pending: {
    status: 409,
    meaning: "Already decided; data names the status, the person who decided, and the time."
  },
  billing_not_configured: { status: 409, meaning: "The hub takes no payments: HUB_STRIPE_SECRET_KEY is not set." },
  budget_committed: { status: 409, meaning: "Agents below this one hold more than the new budget." },
  budget_request_pending: {
    status: 409,
    meaning: "The agent or operation already has a pending budget request; data.id names it."
  },
  checksum_mismatch: {
    status: 409,
    meaning: "The uploaded bytes have another size or SHA-256 than declared; data has both. Upload again."
  },
  conflict: { status: 409, meaning: "The current state does not allow it; the message says why." },
  device_revoked: { status: 409, meaning: "The device was revoked permanently. With a device key the status is 401." },
  digest_mismatch: {
    status: 409,
    meaning: "The approval has another payload than the one decided on. Read the approval again."
  },
  embedding_model_changed: {
    status: 409,
    meaning: "The hub has another embedding model than the collection; reindex it. data has both models."
  },
  holds_open: { status: 409, meaning: "Requests hold money of this wallet. Retry when they have ended." },
  idempotency_conflict: { status: 409, meaning: "The key was used with another payload. Use a new key." },
  idempotency_in_progress: {
    status: 409,
    meaning: "The first request with the key is still in progress. Retry after Retry-After."
  },
  insufficient_balance: {
    status: 409,
    meaning: "The source has less money that is not held than the amount; data.available_cents is what it has."
  },
  insufficient_budget: {
    status: 409,
    meaning: "The parent's monthly budget has too little left; data.available_cents is the rest."
  },
  invalid_transition: { status: 409, meaning: "The task's status does not allow this change; data has the status." },
  key_taken: { status: 409, meaning: "Another object has this key." },
  last_owner: {
    status: 409,
    meaning:
      "A workspace must have at least one owner, and a hub that requires single sign-on one with a password and a second factor."
  },
  lease_lost: { status: 409, meaning: "Another lease of the command is active." },
  limit_reached: { status: 409, meaning: "The maximum number is reached; remove one first." },
  memory_quota_exceeded: {
    status: 409,
    meaning: "The agent has as many memories as the hub allows; delete one first."
  },
  not_cancellable: { status: 409, meaning: "The request has ended, or its provider cannot stop it." },
  not_editable: { status: 409, meaning: "This approval's request cannot be edited." },
  not_uploaded: { status: 409, meaning: "No bytes arrived at the upload URL. Upload, then confirm." },
  not_running: { status: 409, meaning: "Only a request that is running at its provider can be settled." },
  nothing_granted: { status: 409, meaning: "The device grants no tool yet." },
  outside_root: { status: 409, meaning: "The path is outside the roots that the device shares." },
  paused_by_device: { status: 409, meaning: "The device paused itself; only it can resume." },
  passkeys_unavailable: {
    status: 409,
    meaning: "Passkeys need a hub whose address has a host name, not an IP address."
  },
  plan_changed: { status: 409, meaning: "The command differs from the one that was approved." },
  promo_redeemed: { status: 409, meaning: "The workspace has already redeemed this promo code." },
  queue_full: { status: 409, meaning: "Too many commands are queued; wait until some have ended." },
  run_active: {
    status: 409,
    meaning: "A run has not ended. Wait, or cancel it; a workflow is deleted with force=true."
  },
  run_depth_exceeded: { status: 409, meaning: "Runs may start runs at most five levels deep." },
  run_refused: {
    status: 409,
    meaning: "The run was not started; data names the service request, its status, and its reason."
  },
  fate_unknown: {
    status: 409,
    meaning: "A step's provider may have acted. Send accept_unknown_fate: true to risk paying twice."
  },
  workflow_cycle: { status: 409, meaning: "The workflow is already running above this run." },
  seq_conflict: { status: 409, meaning: "This part of the output was sent before with other bytes." },
  seq_gap: { status: 409, meaning: "Output is missing; continue at data.next_seq." },
  service_in_use: { status: 409, meaning: "Agents are connected to the service; disconnect them first." },
  session_closed: { status: 409, meaning: "The chat session is closed; create another one." },
  session_ended: { status: 409, meaning: "The device session has ended." },
  socket_active: { status: 409, meaning: "Commands are delivered by a socket; polling is refused until it closes." },
  skill_derived: { status: 409, meaning: "The skill comes from a binding or a grant and ends with it." },
  spawn_depth_exceeded: { status: 409, meaning: "A child would be deeper than three levels below a root agent." },
  speech_refused: { status: 409, meaning: "The request for a provider's voice was not executed; data has it." },
  spending_frozen: { status: 409, meaning: "The spending of the agent is frozen." },
  standing_not_allowed: { status: 409, meaning: "This approval cannot become a standing approval." },
  standing_used_up: { status: 409, meaning: "The standing approval was used up, revoked, or has expired." },
  storage_quota_exceeded: {
    status: 409,
    meaning: "The object, or all objects of the workspace, would be over the limit; data has the bytes."
  },
  superseded: { status: 409, meaning: "A newer start of the device took over." },
  turn_in_progress: {
    status: 409,
    meaning: "The chat session has an open turn; data.turn_id names it. Continue it, or cancel it."
  },
  use_checkout: {
    status: 409,
    meaning: "The hub takes payments: POST /billing/checkout-sessions. Only an owner adds funds by hand."
  },
  version_conflict: { status: 409, meaning: "Changed since expected_version; data holds the current version." },
  gone: { status: 410, meaning: "Used, expired, or revoked." },
  payload_too_large: { status: 413, meaning: "The body is larger than the endpoint allows." },
  unsupported_media_type: { status: 415, meaning: "Send application/json without content-encoding." },
  rate_limited: {
    status: 429,
    meaning: "Too many requests, or too many open calls (data.open_max). Wait Retry-After seconds."
  },
  internal_error: { status: 500, meaning: "An internal error of the hub. Report it with its request_id." },
  upstream_error: { status: 502, meaning: "A provider could not be reached or sent an invalid response." },
  unavailable: {
    status: 503,
    meaning: "The hub is stopping or its database is unavailable. Retry after Retry-After, or shortly."
  },
  storage_not_shared: {
    status: 503,
    meaning: "This hub does not have the directory with the objects. The operator shares it, or sets HUB_S3_BUCKET."
  },
  upstream_timeout: {
    status: 504,
    meaning: "A provider did not respond in time: Stripe, a token endpoint, or the address of an import. Retry."
  }
} as const satisfies Readonly<Record<string, ErrorCodeFacts>>

export type ErrorCode = keyof typeof errorCodes
export type ConflictCode = {
  readonly [Code in ErrorCode]: typeof errorCodes[Code]["status"] extends 409 ? Code : never
}[ErrorCode]
