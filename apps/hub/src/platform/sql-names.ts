// Written by `node test/support/sql-names.mjs` from `resources/functions/names`.

/** Of `begin_code`. */
export const beginCodes = {
  undecided: 0,
  admitted: 200,
  approval_required: 202,
  admitted_before: 207,
  known: 208,
  failed: 400,
  blocked: 402,
  conflict: 409,
  not_pending: 410,
  stale: 412,
  locked: 423
} as const

/** Of `hold_phase`. */
export const holdPhases = {
  reserved: 1,
  running: 2
} as const

/** Of `limit_kind`. */
export const limitKinds = {
  wallet: 1,
  agent_month: 2,
  operation_month: 3,
  operation_day_count: 4,
  task_budget: 5,
  standing_total: 6,
  standing_uses: 7,
  revenue: 8,
  external: 9,
  task_month: 10,
  wallet_month: 12
} as const

/** Of `settle_code`. */
export const settleCodes = {
  done: 200,
  done_before: 207,
  not_open: 208,
  locked: 423
} as const

/** Of `verdict_code`. */
export const verdictCodes = {
  admit: 1,
  wait: 2,
  blocked: 3,
  failed: 4
} as const
