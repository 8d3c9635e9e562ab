/**
 * `http.fetch`: any public URL. Its result is the answer itself, whatever its status: here a 404 is what the agent asked for, not a
 * provider's refusal. Without an answer the rules of every provider hold.
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
  /** A string goes as it is, other JSON as JSON. */
  body: Schema.optionalKey(Schema.Json)
})
const decode = Schema.decodeUnknownEffect(Payload)

export const httpFetchAdapter = (egress: Egress["Service"]): Adapter => ({
  execute: (_definition, call) =>
    decode(call.payload).pipe(
      Effect.flatMap((payload) => {
        const headers = Object.fromEntries(Object.entries(payload.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
        headers["idempotency-key"] = call.requestId
        const { body } = payload
        if (body !== undefined) headers["content-type"] ??= typeof body === "string" ? "text/plain; charset=utf-8" : "application/json"
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
        Effect.succeed(error._tag === "SchemaError" ? failed(`The payload is no request: ${error.message}`) : fateOf(error))
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
