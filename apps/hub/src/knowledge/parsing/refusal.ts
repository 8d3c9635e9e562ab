/** Thrown by the parsers; `parser.ts` turns it into the failure of the document. */
import type { ParseFailureReason } from "./failure.ts"

export class ParseRefusal extends Error {
  readonly reason: ParseFailureReason
  constructor(reason: ParseFailureReason, detail: string) {
    super(detail)
    this.reason = reason
  }
}
