/** Why a document cannot be parsed. */
export const parseFailureReasons = [
  "unsupported_type",
  "encrypted",
  "too_large",
  "too_many_pages",
  "unreadable",
  "timed_out",
  "out_of_memory",
  "empty"
] as const
export type ParseFailureReason = typeof parseFailureReasons[number]

/** When no more is known. */
export const damagedDetail = "The document is damaged, or it is not what its type says."
