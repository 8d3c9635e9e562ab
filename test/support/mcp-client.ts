/** The official MCP client against a hub, in both generations of the protocol. */
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Effect } from "effect"

export const generations = ["2025-11-25", "2026-07-28"] as const
export type Generation = typeof generations[number]

export interface McpClientOptions {
  /** A bearer credential. */
  readonly token?: string
  readonly query?: string
  readonly generation?: Generation
  readonly headers?: Readonly<Record<string, string>>
  readonly capabilities?: ClientOptions["capabilities"]
}

/** Connected for the life of the scope. */
export const mcpClient = (
  url: string,
  { capabilities = {}, generation = "2026-07-28", headers, query = "", token }: McpClientOptions
) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ name: "test", version: "1" }, {
        capabilities,
        ...generation === "2026-07-28" ? { versionNegotiation: { mode: { pin: generation } } } : {}
      })
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${url}/mcp${query}`), {
          requestInit: { headers: { ...headers, ...token === undefined ? {} : { authorization: `Bearer ${token}` } } }
        })
      )
      return client
    }),
    (client) => Effect.promise(() => client.close())
  )
