/** An agent's loop, written from `GET /agent-docs` alone: prints one JSON line for each step. No packages. */
import { randomUUID } from "node:crypto"
import { setTimeout } from "node:timers/promises"

const [docsUrl = "", key = ""] = process.argv.slice(2)
const authorization = `Bearer ${key}`

// eslint-disable-next-line typescript/no-explicit-any
type Json = any

/** Retries when the answer permits it: the same call with the same idempotency key. */
const call = async (method: string, url: string, headers: Record<string, string>, body?: unknown): Promise<Json> => {
  for (let attempt = 0; attempt < 3; attempt++) {
    const response = await fetch(url, { method, headers, ...body === undefined ? {} : { body: JSON.stringify(body) } })
      .catch(() => undefined)
    if (response?.ok === true) return await response.json()
    if (response !== undefined && ![429, 502, 503].includes(response.status)) {
      const { error } = await response.json() as Json
      throw new Error(`${response.status} ${error.code}: ${error.message}`)
    }
    await setTimeout(1_000 * Number(response?.headers.get("retry-after") ?? 2 ** attempt))
  }
  throw new Error(`no answer from ${url}`)
}

const print = (line: unknown) => console.log(JSON.stringify(line))

const { after, how_to_request: how, operations, outcomes } = await call("GET", docsUrl, { authorization })
for (const { example_payload: payload, operation, service } of operations) {
  const headers = { ...how.headers, authorization, "idempotency-key": randomUUID() }
  let answer = await call(how.method, how.url, headers, { service, operation, payload })
  while (after.poll.while.includes(answer.status)) {
    print({ operation, status: answer.status, approval_id: answer.approval_id })
    answer = await call(after.poll.method, after.poll.url.replace("<links.self>", answer.links.self), { authorization })
  }
  const { block, cost_cents, result, status } = answer
  const next = status === "blocked" ? after.next_action[block.next_action.kind] : outcomes[status].next
  print({ operation, status, cost_cents, fate: status === "failed" ? result.fate ?? null : null, next })
}
