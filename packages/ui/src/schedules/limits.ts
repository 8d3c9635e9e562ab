/** Limits of the contract. Its module is not loaded here, because it contains every schema. */
export const scheduleNameMax = 100
export const cronLengthMax = 200
export const jitterSecondsMax = 3_600
/** The due times that a schedule shows. */
export const nextRunsShown = 5
