/** Constants of the contract, copied so that its schemas stay out of the bundle; a test compares them. */

/** Maximum number of approvals in one call: `batchDecisionsMax`. */
export const batchMax = 100
/** Maximum length of the comment on an approval: `commentLengthMax`. */
export const commentLengthMax = 2_000
/** Maximum length of the comment on an agent request or a budget request. */
export const requestCommentMax = 1_000
/** Roles with the permission `approvals:decide`. */
export const decidingRoles: ReadonlySet<string> = new Set(["owner", "admin", "operator"])
