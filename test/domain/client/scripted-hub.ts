/** A server on loopback that sends scripted answers in order, and records the requests. */
import { type ClientOptions, makeClient } from "@countersign/domain/client"
import { Effect } from "effect"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { neverMillis } from "./recorded-time.ts"

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type Scripted = (response: ServerResponse) => void

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Scripted => (response) => {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers }).end(
    JSON.stringify(body)
  )
}
export const text = (status: number, body: string, headers: Record<string, string> = {}): Scripted => (response) => {
  response.writeHead(status, { "content-type": "text/html", ...headers }).end(body)
}
export const refusal = (
  status: number,
  code: string,
  extra: Record<string, unknown> = {},
  headers: Record<string, string> = {}
): Scripted => json(status, { error: { code, message: `scripted: ${code}`, request_id: "rid-1", ...extra } }, headers)

/** Resets the connection before the first byte of the answer. */
export const reset: Scripted = (response) => void response.socket?.resetAndDestroy()
/** Sends the head and half of the body, then resets the connection. */
export const cut: Scripted = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000", "x-request-id": "rid-cut" })
  response.write("{\"data\":[", () => response.socket?.destroy())
}
/** Sends no answer. */
export const silence: Scripted = () => {}

export const requestId = "req_01j00000000000000000000000"
export const agentId = "agt_01j00000000000000000000000"
export const serviceRequest = (fields: Record<string, unknown>) => ({
  id: requestId,
  mode: "live",
  service: "echo",
  operation: "say",
  cost_cents: 0,
  ceiling_cents: 1,
  agent_id: agentId,
  created_at: "2026-11-21T09:00:00.000Z",
  links: { self: `/api/v1/service-requests/${requestId}` },
  ...fields
})
export const executed = json(200, serviceRequest({ status: "executed", cost_cents: 1, result: { echo: { n: 1 } } }))
export const running = json(202, serviceRequest({ status: "running" }))
export const stillRunning = json(200, serviceRequest({ status: "running" }))
export const emptyPage = json(200, { data: [], next_cursor: null, as_of: "" })

export interface ScriptedHub {
  readonly baseUrl: string
  readonly asked: ReadonlyArray<Asked>
  /** Resolves after so many requests. */
  readonly arrived: (count: number) => Promise<void>
}

/** Answers in order; repeats the last answer. */
export const scriptedHub = (...script: ReadonlyArray<Scripted>) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      new Promise<ScriptedHub & { readonly close: () => Promise<void> }>((resolve) => {
        const asked: Array<Asked> = []
        const waiting = new Set<() => void>()
        const server = createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("error", () => {})
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            asked.push({
              method: request.method ?? "",
              path: request.url ?? "",
              headers: request.headers,
              body: Buffer.concat(chunks).toString()
            })
            for (const look of waiting) look()
            const answer = script[Math.min(asked.length, script.length) - 1]
            if (answer === undefined) response.destroy()
            else answer(response)
          })
        })
        server.listen(0, "127.0.0.1", () =>
          resolve({
            baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
            asked,
            arrived: (count) =>
              new Promise((done) => {
                const look = () => {
                  if (asked.length < count) return
                  waiting.delete(look)
                  done()
                }
                waiting.add(look)
                look()
              }),
            close: () =>
              new Promise((done) => {
                server.closeAllConnections()
                server.close(() => done())
              })
          }))
      })
    ),
    (hub) => Effect.promise(hub.close)
  )

export const agentKey = "agent_key_live_abc"

/** A scripted hub, and a client for it whose timeouts exceed the recorded clock's limit. */
export const clientOf = Effect.fnUntraced(
  function*(script: ReadonlyArray<Scripted>, options: Partial<ClientOptions> = {}) {
    const hub = yield* scriptedHub(...script)
    const timeOuts = { timeoutMillis: neverMillis, dispatchTimeoutMillis: neverMillis }
    return { hub, client: yield* makeClient({ baseUrl: hub.baseUrl, credential: agentKey, ...timeOuts, ...options }) }
  }
)
