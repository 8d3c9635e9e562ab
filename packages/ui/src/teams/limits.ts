/** The contract's limits; a test compares them. */
export const teamNameMax = 100
export const teamDescriptionMax = 2_000
