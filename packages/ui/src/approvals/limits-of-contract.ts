/** Figures of the contract that are needed without its schemas in the bundle; a test pins them. */

/** Approvals that one call may decide: `batchDecisionsMax`. */
export const batchMax = 100
/** Roles that hold `approvals:decide`. */
export const decidingRoles: ReadonlySet<string> = new Set(["owner", "admin", "operator"])
