/** Why a request was not executed, in the hub's own words: its code, and the provider's message. */

export interface Refused {
  readonly reason_code?: string | undefined
  readonly result?: unknown
}

interface Failure {
  readonly code?: unknown
  readonly detail?: unknown
}

export const refusalWords = ({ reason_code, result }: Refused): string => {
  const { code, detail }: Failure = typeof result === "object" && result !== null ? result : {}
  const parts = [reason_code ?? code, detail].filter((part): part is string => typeof part === "string" && part !== "")
  return parts.join(": ")
}
