/** The table of transport cases: its scripts, and the check of what a client did. */
import { assert } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { json, type Play, type Sent } from "./scripted-server.ts"

interface Written {
  readonly status: number
  readonly text?: string
  readonly code?: string
  readonly details?: unknown
  readonly data?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

interface ErrorFacts {
  readonly kind: string
  readonly code: string
  readonly status?: number
  readonly request_id?: string
  readonly details?: unknown
  readonly data?: unknown
}

export interface TransportCase {
  readonly name: string
  readonly call: string
  readonly clients?: ReadonlyArray<string>
  readonly options?: { readonly retries?: number; readonly timeout?: number; readonly key?: string }
  readonly script: ReadonlyArray<string | Written>
  readonly expect: {
    readonly sent: number
    readonly pauses?: ReadonlyArray<number>
    readonly pauses_at_most?: ReadonlyArray<number>
    readonly slowest?: number
    readonly total?: number
    readonly keys?: string
    readonly error?: ErrorFacts
    readonly status?: string
    readonly items?: number
    readonly cursor?: string
    readonly headers?: Readonly<Record<string, string>>
  }
}

/** What a client reports of a case. Pauses are in seconds. */
export interface Report {
  readonly pauses: ReadonlyArray<number>
  readonly error?: ErrorFacts
  readonly status?: string
  readonly items?: number
}

export const transportCases = (JSON.parse(
  readFileSync(join(import.meta.dirname, "transport.json"), "utf8")
) as { readonly cases: ReadonlyArray<TransportCase> }).cases

export const apiKey = "agent_key_live_abc"
export const workspace = "org_01j00000000000000000000000"
export const requestId = "req_01j00000000000000000000000"

export const serviceRequest = (fields: Readonly<Record<string, unknown>>) => ({
  id: requestId,
  mode: "live",
  service: "echo",
  operation: "say",
  cost_cents: 0,
  ceiling_cents: 1,
  agent_id: "agt_01j00000000000000000000000",
  created_at: "2026-11-21T09:00:00.000Z",
  links: { self: `/api/v1/service-requests/${requestId}` },
  ...fields
})

const secret = { name: "stripe", created_at: "2026-11-21T09:00:00.000Z", updated_at: "2026-11-21T09:00:00.000Z" }

const named: Readonly<Record<string, Play>> = {
  reset: (response) => void response.socket?.resetAndDestroy(),
  cut: (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" })
    response.write("{\"data\":[", () => response.socket?.destroy())
  },
  silence: () => {},
  page: json(200, { data: [], next_cursor: null, as_of: "" }),
  firstPage: json(200, { data: [secret], next_cursor: "c1", as_of: "" }),
  secret: json(200, secret),
  executed: json(200, serviceRequest({ status: "executed", cost_cents: 1, result: { echo: {} } })),
  running: json(202, serviceRequest({ status: "running" })),
  blocked: json(200, serviceRequest({ status: "blocked", reason_code: "code_of_tomorrow" })),
  failed: json(200, serviceRequest({ status: "failed", result: { code: "adapter_error", detail: "no" } })),
  approval_required: json(
    200,
    serviceRequest({
      status: "approval_required",
      reason_code: "approval_threshold",
      approval_id: "apr_01j00000000000000000000000"
    })
  )
}

const playOf = (answer: string | Written): Play => {
  if (typeof answer === "string") return named[answer]!
  const { headers = {}, status, text, ...error } = answer
  return text === undefined
    ? json(status, { error: { message: "scripted", request_id: "rid-1", ...error } }, headers)
    : (response) => void response.writeHead(status, { "content-type": "text/html", ...headers }).end(text)
}

export const scriptOf = ({ script }: TransportCase): ReadonlyArray<Play> => script.map(playOf)

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u

/** Fails unless a client did what the case expects. */
export const checkCase = ({ expect, name }: TransportCase, report: Report, sent: ReadonlyArray<Sent>): void => {
  assert.lengthOf(sent, expect.sent, `${name}: ${JSON.stringify(report)}`)
  const { error } = report
  const facts = error === undefined
    ? undefined
    : Object.fromEntries(Object.keys(expect.error ?? error).map((key) => [key, error[key as keyof ErrorFacts]]))
  assert.deepStrictEqual(facts, expect.error as typeof facts, name)
  if (expect.status !== undefined) assert.strictEqual(report.status, expect.status, name)
  if (expect.items !== undefined) assert.strictEqual(report.items, expect.items, name)
  if (expect.pauses !== undefined) assert.deepStrictEqual(report.pauses, expect.pauses, name)
  const limits = expect.pauses_at_most ?? []
  if (limits.length > 0) assert.lengthOf(report.pauses, limits.length, name)
  for (const [at, limit] of limits.entries()) assert.isAtMost(report.pauses[at]!, limit, name)
  if (expect.slowest !== undefined) assert.strictEqual(Math.max(...report.pauses), expect.slowest, name)
  if (expect.total !== undefined) {
    // The time of the calls themselves counts too.
    assert.closeTo(report.pauses.reduce((sum, pause) => sum + pause, 0), expect.total, 3, name)
  }
  const keys = sent.map(({ headers }) => headers["idempotency-key"])
  if (expect.keys === "none") assert.deepStrictEqual([...new Set(keys)], [undefined], name)
  else if (expect.keys === "uuid") {
    assert.lengthOf(new Set(keys), 1, name)
    assert.match(String(keys[0]), uuid, name)
  } else if (expect.keys !== undefined) assert.deepStrictEqual([...new Set(keys)], [expect.keys], name)
  for (const [header, value] of Object.entries(expect.headers ?? {})) {
    assert.strictEqual(sent[0]!.headers[header], value, name)
  }
  if (expect.cursor !== undefined) assert.include(sent[1]!.path, `cursor=${expect.cursor}`, name)
}
