/**
 * Outcomes of a service request and their codes, for documents and clients. Each is an answer, not an error.
 * Spec: reference/requests.md "Outcomes".
 */
export const outcomes = {
  executed: {
    http_status: 200,
    meaning: "Done and charged: cost_cents was debited, result is the provider's JSON.",
    next: "Use result."
  },
  blocked: {
    http_status: 200,
    meaning:
      "Refused before execution; nothing was charged. reason_code and block give the reason, block.next_action the next step.",
    next: "Do not repeat it unchanged. Follow block.next_action, wait until block.resets_at, or ask a person."
  },
  approval_required: {
    http_status: 200,
    meaning:
      "A person must approve first; nothing is charged meanwhile. The same request continues by itself once approved.",
    next: "Poll links.self (or ?wait=30). Do not send it again."
  },
  failed: {
    http_status: 200,
    meaning: "Nothing was charged. result is { code, detail, fate? }. With fate unknown the provider may have acted.",
    next:
      "If result.fate is unknown, do not send it again with a new idempotency-key: it may be paid for twice. Ask a person to check first. Otherwise follow result.code: correct the payload for invalid_request; adapter_error may be repeated."
  },
  running: {
    http_status: 202,
    meaning: "Not finished; the maximum is held. waiting_for names the expected event and its deadline.",
    next: "Poll links.self (or ?wait=30) until it is executed, failed or blocked."
  }
} as const

/** `block.next_action.kind`: the next step after a block. */
export const nextActions = {
  change_request:
    "Change the request by block.message, block.reason, or block.comment, and send it with a new idempotency-key.",
  wait: "Send it again with a new idempotency-key after block.resets_at, or when a person has lifted the freeze.",
  budget_request:
    "Ask for a higher cap: POST /budget-requests { amount_cents, period: month|once, operation?, reason }, and poll it; or wait until block.resets_at.",
  top_up: "Ask a person to add funds.",
  binding: "Ask a person to connect you to the operation.",
  ask: "Ask a person of the workspace.",
  none: "No step can unblock it. Continue without it."
} as const

/** `reason_code` of `blocked`. */
export const blockReasons = {
  policy_violation:
    "The agent is not connected to the operation, the service is off, a rule of the workspace forbids it (block.policy_id), or the provider refused it by its own rules (block.limit is provider, block.detail says why).",
  spending_frozen: "All spending of the workspace or of the agent is frozen.",
  daily_limit_exceeded: "The operation's daily number of requests is used up; it resets at block.resets_at.",
  monthly_budget_exceeded: "The operation's monthly cap would be exceeded.",
  agent_budget_exceeded: "The agent's monthly budget would be exceeded.",
  task_budget_exceeded: "The delegated task's budget would be exceeded.",
  insufficient_balance: "The wallet has too little money.",
  approval_rejected: "A person rejected it.",
  approval_expired: "No person decided in time.",
  approval_cancelled: "The agent or a person canceled the request.",
  approval_stale: "The price rose above the approved one, or the operation changed."
} as const
export type BlockReasonCode = keyof typeof blockReasons

/** `reason_code` of `approval_required`. */
export const approvalReasons = {
  approval_threshold: "The price is above the approval threshold, or a rule requires approval."
} as const

/** `result.code` of `failed`. */
export const failureCodes = {
  adapter_error:
    "The provider answered with an error or could not be reached: it was not executed. result.provider_status is the provider's status, result.retry_after_seconds its Retry-After.",
  fate_unknown:
    "The outcome is unknown: the request was sent and no complete response arrived, or the deadline passed. The provider may have acted: a new idempotency-key may pay twice.",
  app_not_connected:
    "The service needs a connected app, and none may be used. Nothing was sent. Ask a person to connect it.",
  agent_disabled: "The agent is paused or disabled.",
  interrupted:
    "The hub failed before the response arrived. If result.fate is unknown, the provider may have acted, and a new idempotency-key may pay twice; otherwise nothing was sent.",
  invalid_request: "The payload does not match the operation's schema.",
  cancelled: "Canceled before the provider executed it.",
  settled_failed: "A person found that it was not executed.",
  device_lost: "The command on the device no longer exists.",
  run_failed: "The run of the workflow failed; `detail` names its first error.",
  device_failed: "The command on the device failed.",
  device_denied: "The device's owner or rules refused the command.",
  device_timed_out: "The command on the device took too long.",
  device_interrupted: "The device stopped while the command ran; it may have acted.",
  device_expired: "No device accepted the command in time.",
  device_cancelled: "The command on the device was canceled."
} as const
export type FailureCodeName = keyof typeof failureCodes
