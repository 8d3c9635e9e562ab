/**
 * The hub as a client of an MCP server: the official client over the egress guard, connected for one use. Servers are
 * not trusted: bytes, time, pages and tools are bounded, and nothing that a server asks of its client is answered.
 * Spec: reference/services.md "MCP services".
 */
import {
  Client,
  type JsonSchemaValidator,
  ProtocolError,
  SdkError,
  SdkHttpError,
  StreamableHTTPClientTransport
} from "@modelcontextprotocol/client"
import { EgressRefused, reasonOf, UpstreamTimeout } from "./egress-errors.ts"
import { AnswersTooLong, type EgressFetch } from "./egress-fetch.ts"

/** Of all answers of one use. */
const bytesMax = 8 * 1024 * 1024
const pagesMax = 50
/** Tools of one server. */
export const serverToolsMax = 500

/** A credential as it is sent. */
export interface McpServerCredential {
  readonly headers: Readonly<Record<string, string>>
  readonly param?: readonly [name: string, value: string]
}

export interface McpServer {
  readonly url: string
  readonly credential: McpServerCredential
}

/** A tool as its server describes it; nothing in it is checked. */
export interface ServerTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly outputSchema?: Readonly<Record<string, unknown>>
}

/** Why a use ended without an answer. */
export interface McpFailure {
  readonly kind: "refused_address" | "unreachable" | "answered"
  readonly detail: string
  /** The HTTP status of the last answer. */
  readonly status?: number
  /** Whether the bytes of the call itself may have arrived. */
  readonly sent: boolean
  /** The server received the call and refused it. */
  readonly definite: boolean
}

export type McpOutcome<A> = { readonly ok: true; readonly value: A } | {
  readonly ok: false
  readonly failure: McpFailure
}

/** Output schemas are the server's: the hub compiles none of them. */
const acceptAll = {
  getValidator: <T>(): JsonSchemaValidator<T> => (input) => ({ valid: true, data: input as T, errorMessage: undefined })
}

/** The error beneath the library's and `fetch`'s own. */
const rootOf = (error: unknown, depth = 0): unknown =>
  error instanceof Error && error.cause !== undefined && depth < 8 && !(error instanceof EgressRefused)
    ? rootOf(error.cause, depth + 1)
    : error

interface Use {
  sent: boolean
  status: number | undefined
}

const failureOf = (error: unknown, use: Use, timeout: boolean, timeoutMs: number): McpFailure => {
  const { sent, status } = use
  const at = status === undefined ? {} : { status }
  const root = rootOf(error)
  if (root instanceof EgressRefused) {
    return { kind: "refused_address", detail: root.message, sent: false, definite: true, ...at }
  }
  if (timeout) {
    const { message } = new UpstreamTimeout({ sent, timeout_ms: timeoutMs })
    return { kind: "unreachable", detail: message, sent, definite: !sent, ...at }
  }
  if (error instanceof ProtocolError) {
    return { kind: "answered", detail: error.message, sent, definite: true, ...at }
  }
  if (root instanceof AnswersTooLong) return { kind: "answered", detail: root.message, sent, definite: !sent, ...at }
  const refused = status !== undefined && status >= 300
  if (error instanceof SdkHttpError || refused) {
    return {
      kind: "answered",
      detail: status === undefined ? "the server refused the call" : `the server answered ${status}`,
      sent,
      definite: true,
      ...at
    }
  }
  if (error instanceof SdkError) {
    return { kind: "answered", detail: error.message, sent, definite: !sent || isDefinite(error), ...at }
  }
  const detail = root instanceof Error ? reasonOf(root) : "the call failed"
  return { kind: "unreachable", detail, sent, definite: !sent, ...at }
}

/** The server wants input, which the hub never gives: nothing was done. */
const isDefinite = ({ message }: SdkError): boolean => /input_required|elicitation|sampling/iu.test(message)

/** Connects, runs `work`, and closes. `callMethod`: the JSON-RPC method whose bytes count as sent. */
const using = async <A>(
  { fetchWith }: EgressFetch["Service"],
  { credential, url }: McpServer,
  timeoutMs: number,
  callMethod: string,
  work: (client: Client) => Promise<A>
): Promise<McpOutcome<A>> => {
  const use: Use = { sent: false, status: undefined }
  const abort = new AbortController()
  let timeout = false
  const timer = setTimeout(() => {
    timeout = true
    abort.abort(new Error("the time is over"))
  }, timeoutMs)
  const client = new Client({ name: "countersign", version: "1" }, {
    capabilities: {},
    jsonSchemaValidator: acceptAll,
    versionNegotiation: { mode: "auto" },
    inputRequired: { autoFulfill: false }
  })
  const fetch = fetchWith({
    signal: abort.signal,
    bytesMax,
    prepare: (given, headers) => {
      for (const [name, value] of Object.entries(credential.headers)) headers.set(name, value)
      if (credential.param === undefined) return given
      const url = new URL(given)
      url.searchParams.set(...credential.param)
      return url
    },
    sent: (body) => {
      if (typeof body === "string" && body.includes(`"method":"${callMethod}"`)) {
        use.sent = true
        use.status = undefined
      }
    },
    answered: (status) => void (use.status = status)
  })
  try {
    const over = new Promise<never>((_, reject) =>
      abort.signal.addEventListener("abort", () => reject(new Error("the time is over")), { once: true })
    )
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      fetch: fetch as unknown as typeof globalThis.fetch,
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 1_000,
        reconnectionDelayGrowFactor: 1
      }
    })
    const options = { timeout: timeoutMs }
    const value = await Promise.race([over, client.connect(transport, options).then(() => work(client))])
    return { ok: true, value }
  } catch (error) {
    return { ok: false, failure: failureOf(error, use, timeout, timeoutMs) }
  } finally {
    clearTimeout(timer)
    await Promise.race([
      client.close().catch(() => {}),
      new Promise((resolve) => setTimeout(resolve, 200).unref())
    ])
    abort.abort(new Error("the use is over"))
  }
}

/** All tools of a server. Fails on more than `serverToolsMax`. */
export const listServerTools = (
  egress: EgressFetch["Service"],
  server: McpServer,
  timeoutMs: number
): Promise<McpOutcome<ReadonlyArray<ServerTool>>> =>
  using(egress, server, timeoutMs, "tools/list", async (client) => {
    const tools: Array<ServerTool> = []
    let cursor: string | undefined
    for (let page = 0; page < pagesMax; page++) {
      const answer = await client.request(
        { method: "tools/list", params: cursor === undefined ? {} : { cursor } },
        { timeout: timeoutMs }
      )
      for (const { description, inputSchema, name, outputSchema, title } of answer.tools) {
        tools.push({
          name,
          ...title === undefined ? {} : { title },
          ...description === undefined ? {} : { description },
          inputSchema: inputSchema as Readonly<Record<string, unknown>>,
          ...outputSchema === undefined ? {} : { outputSchema: outputSchema as Readonly<Record<string, unknown>> }
        })
      }
      if (tools.length > serverToolsMax) {
        throw new ProtocolError(-32_600, `the server lists more than ${serverToolsMax} tools`)
      }
      cursor = answer.nextCursor
      if (cursor === undefined) return tools
    }
    throw new ProtocolError(-32_600, `the server's list has more than ${pagesMax} pages`)
  })

export interface ServerAnswer {
  readonly isError: boolean
  /** The text blocks, joined by lines. */
  readonly text: string
  readonly structured: unknown
}

export const callServerTool = (
  egress: EgressFetch["Service"],
  server: McpServer,
  call: {
    readonly tool: string
    readonly args: Readonly<Record<string, unknown>>
    readonly key: string
    readonly timeoutMs: number
  }
): Promise<McpOutcome<ServerAnswer>> =>
  using(
    egress,
    {
      ...server,
      credential: { ...server.credential, headers: { ...server.credential.headers, "idempotency-key": call.key } }
    },
    call.timeoutMs,
    "tools/call",
    async (client) => {
      const { content, isError, structuredContent } = await client.callTool(
        { name: call.tool, arguments: { ...call.args } },
        { timeout: call.timeoutMs }
      )
      return {
        isError: isError === true,
        text: content.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n"),
        structured: structuredContent
      }
    }
  )
