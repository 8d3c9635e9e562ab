/** The message of a thrown value. */
export const wordsOf = (error: unknown): string => error instanceof Error ? error.message : String(error)
