/**
 * A server on loopback that plays many scripts at once: the first part of a path names the script, so clients in other
 * processes can run all of them. A script answers in order and repeats its last answer.
 */
import { Effect } from "effect"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Sent {
  readonly method: string
  /** Without the script's name. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type Play = (response: ServerResponse, sent: Sent) => void

interface Script {
  readonly answers: ReadonlyArray<Play>
  readonly sent: Array<Sent>
}

export interface ScriptedServer {
  readonly url: string
  /** Adds a script; returns the base address of its client. */
  readonly add: (name: string, answers: ReadonlyArray<Play>) => string
  readonly sent: (name: string) => ReadonlyArray<Sent>
}

export const scriptedServer = Effect.acquireRelease(
  Effect.promise(() =>
    new Promise<ScriptedServer & { readonly close: () => Promise<void> }>((resolve) => {
      const scripts = new Map<string, Script>()
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("error", () => {})
        response.on("error", () => {})
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const [, name = "", ...rest] = (request.url ?? "").split("/")
          const script = scripts.get(name)
          if (script === undefined) return void response.writeHead(500).end(`no script ${name}`)
          const sent = {
            method: request.method ?? "",
            path: `/${rest.join("/")}`,
            headers: request.headers,
            body: Buffer.concat(chunks).toString()
          }
          script.sent.push(sent)
          script.answers[Math.min(script.sent.length, script.answers.length) - 1]?.(response, sent)
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        resolve({
          url,
          add: (name, answers) => {
            scripts.set(name, { answers, sent: [] })
            return `${url}/${name}`
          },
          sent: (name) => scripts.get(name)?.sent ?? [],
          close: () =>
            new Promise((done) => {
              server.closeAllConnections()
              server.close(() => done())
            })
        })
      })
    })
  ),
  (server) => Effect.promise(server.close)
)

export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Play => (response) => {
    response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers })
      .end(JSON.stringify(body))
  }

/** One event of a stream. */
export const eventText = (event: string, data: unknown, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** A stream of these pieces, which then ends, or is cut. */
export const stream = (pieces: ReadonlyArray<string>, end: "end" | "cut" = "end"): Play => (response) => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const piece of pieces) response.write(piece)
  if (end === "end") response.end()
  else response.write(": cut\n\n", () => setImmediate(() => response.destroy()))
}
