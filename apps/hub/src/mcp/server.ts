/**
 * The MCP server for one HTTP request, in both generations of the protocol: the SDK reads and writes the protocol, and
 * this file answers it from the caller's tools and calls. Nothing is kept between requests. Spec: reference/mcp.md
 * "Protocol".
 */
import type { RequestFacts } from "@countersign/domain/dispatch-outcomes"
import { type ApiError, isApiError } from "@countersign/domain/errors"
import { isJsonObject } from "@countersign/domain/json"
import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  createRequestStateCodec,
  type McpHttpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type ServerEventBus,
  type StandardSchemaV1
} from "@modelcontextprotocol/server"
import type { Effect } from "effect"
import { toolNamesOf, type ToolTarget } from "../tools/names.ts"
import type { McpCaller } from "./callers.ts"
import type { Called, McpCalls } from "./calls.ts"
import { findTools, toolsOf, type ToolView } from "./list.ts"
import {
  answerOf,
  approvalUrl,
  callResult,
  isPending,
  pendingText,
  progressMillis,
  refusedResult,
  repeatedWaitMillis,
  taskOf,
  toolsPageSize,
  toolsTtlMillis,
  waitSecondsMax
} from "./rules.ts"

const tasksExtension = "io.modelcontextprotocol/tasks"
export const idempotencyMeta = "countersign/idempotency-key"
/** A person has this long to open the approval before the client repeats the call, in seconds. */
const stateSeconds = 24 * 3_600
const keyPattern = /^[\x20-\x7e]{1,255}$/u

export const instructions =
  "Each tool is a paid operation of a service, governed by budgets and approvals. Every answer has a status: executed, " +
  "blocked (block says why and what to do next), approval_required (a person must approve; show the link, then call " +
  "wait), failed, or running (call wait). Do not repeat a call that is pending: call wait."

export interface McpSession {
  readonly caller: McpCaller
  readonly view: ToolView
  readonly calls: McpCalls["Service"]
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
  /** Whether the response was sent whole; decided when its connection ends or it was sent. */
  readonly sent: Promise<boolean>
  readonly hungUp: () => boolean
  /** The header `idempotency-key`. */
  readonly key: string | undefined
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Calls back when the workspace's configuration changes; returns the function that unsubscribes. */
  readonly onChange: (listener: () => void) => () => void
  readonly publicOrigin: string
  readonly stateKey: Uint8Array
  readonly version: string
}

/** What the signed state of a repeated call names. */
interface PendingState {
  readonly request: string
  readonly pickUp?: string
}

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)

/** The parameters of a task's methods, for which the SDK has no schema. */
const taskParams: StandardSchemaV1<unknown, { readonly taskId: string }> = {
  "~standard": {
    version: 1,
    vendor: "countersign",
    validate: (value) =>
      isJsonObject(value) && typeof value["taskId"] === "string"
        ? { value: { taskId: value["taskId"] } }
        : { issues: [{ message: "taskId must be a text" }] }
  }
}

const capabilitiesOf = (
  { mcpReq: { envelope } }: ServerContext
): { readonly url: boolean; readonly tasks: boolean } => {
  const declared: unknown = isJsonObject(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined
  const of = (value: unknown, name: string) => isJsonObject(value) ? value[name] : undefined
  return {
    url: of(of(declared, "elicitation"), "url") !== undefined,
    tasks: of(of(declared, "extensions"), tasksExtension) !== undefined
  }
}

const makeServer = (session: McpSession): Server => {
  const { caller, calls, publicOrigin, run, view } = session
  const codec = createRequestStateCodec<PendingState>({
    key: session.stateKey,
    ttlSeconds: stateSeconds,
    bind: () => `${caller.org} ${caller.agent} ${caller.mode}`
  })
  const server = new Server(
    { name: "countersign", title: "Countersign", version: session.version },
    {
      capabilities: { tools: { listChanged: true }, extensions: { [tasksExtension]: {} } },
      instructions,
      requestState: { verify: (state, ctx) => codec.verify(state, ctx) },
      cacheHints: { "tools/list": { ttlMs: toolsTtlMillis, cacheScope: "private" } }
    }
  )
  const resultOf = (facts: RequestFacts) => callResult(answerOf(facts, publicOrigin, caller.org))

  const listTools = async (cursor: string | undefined) => {
    const tools = toolsOf(await run(calls.found(caller)), view)
    const after = cursor === undefined ? "" : Buffer.from(cursor, "base64url").toString()
    if (cursor !== undefined && Buffer.from(after).toString("base64url") !== cursor) {
      throw invalid("The cursor is invalid.")
    }
    // The tool `wait` sorts by its name, like all others.
    const rest = tools.filter(({ name }) => name > after).sort((one, other) => one.name < other.name ? -1 : 1)
    const page = rest.slice(0, toolsPageSize)
    const last = page.at(-1)
    return {
      tools: page,
      ...rest.length > page.length && last !== undefined
        ? { nextCursor: Buffer.from(last.name).toString("base64url") }
        : {}
    }
  }

  /** Reports progress during the work, to a client that asks for it. */
  const withProgress = async <A>(ctx: ServerContext, work: Promise<A>): Promise<A> => {
    const progressToken = ctx.mcpReq._meta?.progressToken
    if (progressToken === undefined) return await work
    let progress = 0
    const timer = setInterval(() => {
      progress++
      ctx.mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress, message: `Waiting for ${progress * progressMillis / 1_000} s.` }
      }).catch(() => {})
    }, progressMillis)
    try {
      return await work
    } finally {
      clearInterval(timer)
    }
  }

  /** The answer of a call, and its delivery. */
  const answer = async (called: Called, ctx: ServerContext, isRepeated: boolean) => {
    const { facts, pickUp } = called
    void session.sent.then((sent) => run(calls.delivered(caller, called, sent))).catch(() => {})
    if (!isPending(facts)) return resultOf(facts)
    const { tasks, url } = capabilitiesOf(ctx)
    const shown = answerOf(facts, publicOrigin, caller.org)
    if (tasks) return { resultType: "task", content: [], ...taskOf(facts, shown) }
    if (url && !isRepeated && facts.status === "approval_required" && facts.approval_id !== null) {
      return {
        resultType: "input_required",
        content: [],
        inputRequests: {
          approval: {
            method: "elicitation/create" as const,
            params: {
              mode: "url" as const,
              message: pendingText(shown),
              url: approvalUrl(publicOrigin, caller.org, facts.approval_id)
            }
          }
        },
        requestState: await codec.mint({ request: facts.id, ...pickUp === undefined ? {} : { pickUp } }, ctx)
      }
    }
    return resultOf(facts)
  }

  const keyOf = (ctx: ServerContext): string | undefined => {
    const key: unknown = ctx.mcpReq._meta?.[idempotencyMeta]
    if (key === undefined) return session.key
    if (typeof key !== "string" || !keyPattern.test(key)) {
      throw invalid(`_meta["${idempotencyMeta}"] must be 1 to 255 printable ASCII characters.`)
    }
    return key
  }

  const dispatched = (target: ToolTarget, payload: Readonly<Record<string, unknown>>, ctx: ServerContext) =>
    run(calls.call(caller, { target, payload, key: keyOf(ctx), headers: session.headers, hungUp: session.hungUp }))

  const wait = async (args: Readonly<Record<string, unknown>>) => {
    const { seconds = waitSecondsMax, service_request_id: id } = args
    if (typeof id !== "string") throw invalid("service_request_id must be the id of a service request.")
    if (typeof seconds !== "number" || !Number.isInteger(seconds) || seconds < 0 || seconds > waitSecondsMax) {
      throw invalid(`seconds must be an integer from 0 to ${waitSecondsMax}.`)
    }
    const facts = await run(calls.wait(caller, id, seconds * 1_000))
    void session.sent.then((sent) => sent ? run(calls.delivered(caller, { facts }, true)) : undefined).catch(() => {})
    return resultOf(facts)
  }

  const find = async ({ query }: Readonly<Record<string, unknown>>) => {
    if (typeof query !== "string") throw invalid("query must be a text.")
    const tools = findTools(await run(calls.found(caller)), view, query).map(({ description, inputSchema, name }) => ({
      name,
      description,
      inputSchema
    }))
    return { content: [{ type: "text" as const, text: JSON.stringify({ tools }) }], structuredContent: { tools } }
  }

  const callTool = async (name: string, args: Readonly<Record<string, unknown>>, ctx: ServerContext) => {
    if (name === "wait") return await withProgress(ctx, wait(args))
    if (name === "find_tools" && view.search) return await find(args)
    if (name === "call_tool" && view.search) {
      const { arguments: payload = {}, name: wanted } = args
      if (typeof wanted !== "string" || !isJsonObject(payload)) {
        throw invalid("name must be a text and arguments an object.")
      }
      return await callOperation(wanted, payload, ctx)
    }
    return await callOperation(name, args, ctx)
  }

  const callOperation = async (name: string, payload: Readonly<Record<string, unknown>>, ctx: ServerContext) => {
    const state = ctx.mcpReq.requestState<PendingState>()
    if (state !== undefined) {
      const facts = await withProgress(ctx, run(calls.wait(caller, state.request, repeatedWaitMillis)))
      return await answer({ facts, ...state.pickUp === undefined ? {} : { pickUp: state.pickUp } }, ctx, true)
    }
    const target = toolNamesOf((await run(calls.found(caller))).org.services).targetOf(name)
    if (target === undefined) throw invalid(`There is no tool "${name.slice(0, 200)}". List the tools again.`)
    return await answer(await withProgress(ctx, dispatched(target, payload, ctx)), ctx, false)
  }

  /** A refusal is an answer that the model reads; anything else is a fault of the hub. */
  const orRefused = async <A>(work: () => Promise<A>) => {
    try {
      return await work()
    } catch (error) {
      if (isApiError(error)) return refusedResult(error)
      throw error
    }
  }
  const orInvalid = async <A>(work: () => Promise<A>) => {
    try {
      return await work()
    } catch (error) {
      throw isApiError(error) ? invalid(messageOf(error)) : error
    }
  }

  server.setRequestHandler("tools/list", ({ params }) => orInvalid(() => listTools(params?.cursor)))
  server.setRequestHandler(
    "tools/call",
    ({ params }, ctx) => orRefused(() => callTool(params.name, params.arguments ?? {}, ctx))
  )
  server.setRequestHandler("tasks/get", { params: taskParams }, ({ taskId }) =>
    orInvalid(async () => {
      const facts = await run(calls.wait(caller, taskId, 0))
      void session.sent.then((sent) => sent ? run(calls.delivered(caller, { facts }, true)) : undefined).catch(() => {})
      return taskOf(facts, answerOf(facts, publicOrigin, caller.org))
    }))
  // Tasks ask their client for nothing: answers to requests that were never made are ignored.
  server.setRequestHandler("tasks/update", { params: taskParams }, ({ taskId }) =>
    orInvalid(async () => {
      await run(calls.wait(caller, taskId, 0))
      return {}
    }))
  server.setRequestHandler("tasks/cancel", { params: taskParams }, ({ taskId }) =>
    orInvalid(async () => {
      await run(calls.cancel(caller, taskId))
      return {}
    }))
  return server
}

const messageOf = ({ error }: ApiError): string => error.message

/** Changes of the workspace as events of the list of tools, for one connection that listens. */
const busOf = ({ onChange }: McpSession): ServerEventBus => ({
  publish: () => {},
  subscribe: (listener) => onChange(() => listener({ kind: "tools_list_changed" }))
})

/** Serves one HTTP request; `onerror` gets the faults that the answer does not show. */
export const mcpHandlerOf = (session: McpSession, onerror: (error: Error) => void): McpHttpHandler =>
  createMcpHandler(() => makeServer(session), { bus: busOf(session), onerror, legacy: "stateless" })
