/** MCP servers for tests, made with the official SDK, on loopback. Their tools may change while they run. */
import { createMcpHandler, Server } from "@modelcontextprotocol/server"
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

export interface TestTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema?: Record<string, unknown>
  readonly outputSchema?: Record<string, unknown>
}

interface ToolResult {
  readonly [name: string]: unknown
  readonly content: Array<{ readonly type: "text"; readonly text: string }>
}

export interface TestMcpServer {
  readonly url: string
  tools: Array<TestTool>
  /** Answers calls. */
  answer: (name: string, args: Record<string, unknown>) => ToolResult | Promise<ToolResult>
  /** The credential that it wants; absent: none. */
  authorization?: string
  /** Replaces the answer to a call by these bytes, or cuts the connection. */
  broken?: string | "cut"
  /** The headers of every request, newest last. */
  readonly received: Array<IncomingHttpHeaders>
  /** Arguments of the calls. */
  readonly calls: Array<{ readonly name: string; readonly args: unknown }>
}

export const mcpServer = (tools: Array<TestTool>): Effect.Effect<TestMcpServer, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const state: Omit<TestMcpServer, "url"> = {
          tools,
          answer: (name) => ({ content: [{ type: "text", text: `called ${name}` }] }),
          received: [],
          calls: []
        }
        const handler = createMcpHandler(() => {
          const server = new Server({ name: "test", version: "1" }, { capabilities: { tools: {} } })
          server.setRequestHandler("tools/list", () => ({
            tools: state.tools.map(({ inputSchema, ...tool }) => ({
              ...tool,
              inputSchema: { type: "object" as const, ...inputSchema }
            }))
          }))
          server.setRequestHandler("tools/call", ({ params }) => {
            state.calls.push({ name: params.name, args: params.arguments })
            return state.answer(params.name, params.arguments ?? {})
          })
          return server
        })
        const listener = createServer((request, response) => {
          void (async () => {
            state.received.push(request.headers)
            if (state.authorization !== undefined && request.headers.authorization !== state.authorization) {
              return void response.writeHead(401).end("no entry with secret-token")
            }
            const chunks: Array<Buffer> = []
            for await (const chunk of request) chunks.push(chunk as Buffer)
            if (state.broken !== undefined && Buffer.concat(chunks).includes("tools/call")) {
              return void (state.broken === "cut"
                ? response.destroy()
                : response.setHeader("content-type", "application/json").end(state.broken))
            }
            const answer = await handler.fetch(
              new Request(`http://127.0.0.1${request.url}`, {
                method: request.method ?? "GET",
                headers: Object.entries(request.headers).map((
                  [name, value]
                ): [string, string] => [name, String(value)]),
                ...request.method === "POST" ? { body: Buffer.concat(chunks) } : {}
              })
            )
            response.writeHead(answer.status, Object.fromEntries(answer.headers))
            response.end(await answer.text())
          })().catch(() => response.destroy())
        })
        listener.listen(0, "127.0.0.1")
        await once(listener, "listening")
        const { port } = listener.address() as AddressInfo
        return { listener, server: Object.assign(state, { url: `http://127.0.0.1:${port}/mcp` }) }
      }),
      ({ listener }) =>
        Effect.promise(() =>
          new Promise<void>((done) => {
            listener.close(() => done())
            listener.closeAllConnections()
          })
        )
    ),
    ({ server }) => server
  )
