/**
 * `webhook.send`: a POST to any public URL, signed as Standard Webhooks when a secret is named. A status of 2xx is
 * success; any other one is the receiver's refusal. Spec: reference/workflows.md "Webhooks".
 */
import type { Json } from "@countersign/domain/json"
import { Effect } from "effect"
import { signStandard } from "../platform/signatures.ts"
import { type Adapter, failed } from "../providers/adapter.ts"
import { readAnswer } from "../providers/answer.ts"
import type { Egress, EgressAnswer } from "../providers/egress.ts"
import { fateOf } from "../providers/fate.ts"

interface Payload {
  readonly url: string
  readonly body?: Json
  readonly headers?: Readonly<Record<string, string>>
  readonly secret?: string
  readonly depth?: number
}

/** The header that counts the runs behind a call. */
export const runDepthHeader = "svc-run-depth"

/** Headers that the hub sets. */
const ownHeaders =
  /^(?:webhook-(?:id|timestamp|signature)|svc-run-depth|idempotency-key|host|content-(?:length|encoding)|transfer-encoding|connection)$/u

const resultOf = (answer: EgressAnswer) => {
  if (answer.truncated) return { status: answer.status, truncated: true }
  const reading = readAnswer(answer.body, answer.headers["content-type"])
  return {
    status: answer.status,
    ...(reading.kind === "empty" ? {} : { body: reading.kind === "json" ? reading.document : reading.text })
  }
}

export const webhookAdapter = (egress: Egress["Service"]): Adapter => ({
  execute: Effect.fnUntraced(function*(_definition, call) {
    const { body, depth = 0, headers = {}, secret, url } = call.payload as Payload
    const key = secret === undefined ? undefined : yield* call.secretOf(secret)
    if (secret !== undefined && key === undefined) {
      return failed(`The workspace has no secret named ${secret}. Store it with PUT /secrets/${secret}.`)
    }
    const text = JSON.stringify(body ?? {})
    const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
    return yield* egress.request({
      url,
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...Object.fromEntries(own.filter(([name]) => !ownHeaders.test(name))),
        "idempotency-key": call.requestId,
        [runDepthHeader]: String(depth + 1),
        ...(key === undefined ? {} : signStandard(key, { id: call.requestId, at: Date.now(), body: text }))
      },
      body: text,
      timeoutMs: call.timeoutMs
    }).pipe(
      Effect.map((answer) =>
        answer.status >= 200 && answer.status < 300
          ? { kind: "executed" as const, result: resultOf(answer) }
          : failed(`The receiver answered with status ${answer.status}.`, answer.status)
      ),
      Effect.catch((error) => Effect.succeed(fateOf(error)))
    )
  })
})
