/** The header `idempotency-key` of a request. */
import { type BadRequest, invalidRequest } from "@countersign/domain/errors"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"

const lengthMax = 255
const printable = /^[\x20-\x7e]+$/

const refused = (message: string): Effect.Effect<never, BadRequest> =>
  Effect.fail(invalidRequest(`The header idempotency-key ${message}.`, [{ path: "idempotency-key", message }]))

/** The headers of a request. Node joins equal ones in `headers`; `rawHeaders` keeps each. */
export interface SentHeaders {
  readonly headers: Readonly<Record<string, unknown>>
  readonly rawHeaders: ReadonlyArray<string>
}

/** The headers of a request that the framework serves. A request without a socket has no raw headers. */
export const sentHeaders = ({ headers, source }: HttpServerRequest.HttpServerRequest): SentHeaders => ({
  headers,
  rawHeaders: source instanceof IncomingMessage ? source.rawHeaders : []
})

const isSentTwice = ({ rawHeaders }: SentHeaders): boolean =>
  rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "idempotency-key").length > 1

/** The key; `undefined` without the header. 400 when it is empty, too long, not printable ASCII, or sent twice. */
export const idempotencyKeyOf = (sent: SentHeaders): Effect.Effect<string | undefined, BadRequest> => {
  const key = sent.headers["idempotency-key"] as string | undefined
  if (key === undefined) return Effect.undefined
  if (key.length > lengthMax || !printable.test(key)) {
    return refused(`must be 1 to ${lengthMax} printable ASCII characters`)
  }
  return key.includes(", ") && isSentTwice(sent) ? refused("must be sent once") : Effect.succeed(key)
}
