/**
 * `http.fetch`: any public URL. Its result is the answer itself, whatever its status: a 404 is the answer that the
 * agent requested, not a provider's refusal. Without an answer, the rules for all providers apply.
 */
import { Effect, Schema } from "effect"
import { type Adapter, failed } from "./adapter.ts"
import { mapStrings, readAnswer } from "./answer.ts"
import type { Egress, EgressAnswer } from "./egress.ts"
import { fateOf } from "./fate.ts"

const Payload = Schema.Struct({
  url: Schema.String,
  method: Schema.optionalKey(Schema.Literals(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])),
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** A string is sent unchanged, other JSON as JSON. */
  body: Schema.optionalKey(Schema.Json)
})
const decode = Schema.decodeUnknownEffect(Payload)

export const httpFetchAdapter = (egress: Egress["Service"]): Adapter => ({
  execute: (_definition, call) =>
    decode(call.payload).pipe(
      Effect.flatMap((payload) => {
        const { body } = payload
        const own = Object.entries(payload.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const)
        const type = typeof body === "string" ? "text/plain; charset=utf-8" : "application/json"
        const headers = {
          ...body === undefined ? {} : { "content-type": type },
          ...Object.fromEntries(own),
          "idempotency-key": call.requestId
        }
        return egress.request({
          url: payload.url,
          method: payload.method ?? "GET",
          headers,
          ...body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) },
          timeoutMs: call.timeoutMs
        })
      }),
      Effect.map((answer) => ({ kind: "executed" as const, result: described(answer) })),
      Effect.catch((error) =>
        Effect.succeed(
          error._tag === "SchemaError" ? failed(`The payload is not a valid request: ${error.message}`) : fateOf(error)
        )
      )
    )
})

const described = (answer: EgressAnswer): unknown => {
  const headers = mapStrings({ ...answer.headers }, (text) => text.toWellFormed())
  const head = { status: answer.status, url: answer.url, headers }
  if (answer.truncated) return { ...head, truncated: true }
  const reading = readAnswer(answer.body, answer.headers["content-type"])
  if (reading.kind === "empty") return head
  return reading.kind === "json" ? { ...head, body: reading.document } : { ...head, text: reading.text }
}
