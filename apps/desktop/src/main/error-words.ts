/** What was thrown, in its own words. */
export const wordsOf = (error: unknown): string => error instanceof Error ? error.message : String(error)
