/**
 * Local tools of a chat, run by this computer's device agent. Main reads the pending calls from the hub itself: a page
 * can start what the turn asks for, and nothing else. Spec: reference/desktop.md "Local tools".
 */
import type { ToolResult } from "@countersign/domain/chat"
import type { ChatEventData } from "@countersign/domain/chat-events"
import type { ChatTurnId } from "@countersign/domain/ids"
import { makeEventParser } from "@countersign/hub-client/event-parser"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { offeredLocalTools, toolNamed } from "../../bridge/local-tools.ts"
import type { LocalCall } from "../../device/app-port.ts"
import type { Ending } from "../../device/command-ending.ts"
import { Device } from "../device/service.ts"
import type { Connection } from "../hub/connection.ts"
import { ConnectionDesk } from "../hub/connections.ts"
import { noHub, refusal, stalePage } from "../platform/answers.ts"
import { Profiles } from "../profiles/profiles.ts"
import { Windows } from "../windows/windows.ts"
import type { ShellMethods } from "./methods.ts"

type PendingCall = ChatEventData<"local_tools_pending">["calls"][number]

const timeoutSeconds = 120
const readMillis = 30_000

/** The calls that the turn waits for: those of its last event of this kind. */
const pendingCalls = async (
  connection: Connection,
  workspace: string,
  turn: ChatTurnId
): Promise<ReadonlyArray<PendingCall>> => {
  const stream = await connection.stream("chat.events", { params: { id: turn }, query: {} }, {
    workspace,
    signal: AbortSignal.timeout(readMillis)
  })
  const parser = makeEventParser()
  let calls: ReadonlyArray<PendingCall> = []
  let waits = false
  for await (const text of stream) {
    for (const { data, event } of parser.push(text)) {
      if (event === "local_tools_pending") calls = (JSON.parse(data) as ChatEventData<"local_tools_pending">).calls
      if (event === "done") {
        waits = (JSON.parse(data) as ChatEventData<"done">).reason === "pending_local_tools"
      }
    }
  }
  return waits ? calls : []
}

/** A denial is an output with its reason, so that a model does not try again. */
const resultOf = (call_id: string, { error, exit_code, outcome, result }: Ending): ToolResult => {
  if (outcome === "denied") {
    return {
      call_id,
      output: { denied: true, reason: error?.message ?? "It was denied.", code: error?.code ?? "denied" }
    }
  }
  const output = { ...exit_code == null ? {} : { exit_code }, ...result === undefined ? {} : { result } }
  return outcome === "succeeded" || (outcome === "failed" && exit_code != null)
    ? { call_id, output }
    : { call_id, error: { code: error?.code ?? outcome, message: error?.message ?? outcome, ...output } }
}

const isObject = (value: unknown): value is LocalCall["input"] =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const localToolMethods = Effect.gen(function*() {
  const { host, paired } = yield* Device
  const profiles = yield* Profiles
  const desk = yield* ConnectionDesk
  const windows = yield* Windows

  /** The hub of the window, if this computer is connected to it. */
  const hubOf = async (window: number) => {
    const id = await Effect.runPromise(profiles.current)
    if (id !== windows.profileOf(window)) throw stalePage()
    const profile = (await Effect.runPromise(profiles.all)).find((each) => each.id === id)
    const connection = profile === undefined ? undefined : desk.find(profile.id)
    if (profile === undefined || connection === undefined) throw noHub()
    return { profile, connection, isOwn: paired()?.hub === profile.url }
  }

  return {
    localTools: async (_, window) => {
      const { isOwn } = await hubOf(window)
      return isOwn && ["online", "offline"].includes(host.view().phase) ? offeredLocalTools() : []
    },
    answerLocalTools: async ({ session, turn, workspace }, window) => {
      const { connection, isOwn, profile } = await hubOf(window)
      if (!isOwn) throw refusal("refused", "This computer is not connected to this hub.")
      const chat = await connection.call("chat.get", { params: { id: session }, query: { limit: 1 } }, { workspace })
      const results: Array<ToolResult> = []
      for (const { call_id, input, name } of await pendingCalls(connection, workspace, turn)) {
        const tool = toolNamed(name)
        if (tool === undefined) continue
        const call = `local_${
          createHash("sha256").update(`${profile.hub_id} ${turn} ${call_id}`).digest("hex").slice(0, 32)
        }`
        const title = chat.title === "" ? session : chat.title
        const ending = await host.runLocal({
          call,
          tool,
          input: isObject(input) ? input : {},
          requested_by: { type: "chat", id: session, name: `The chat "${title}"` },
          timeout_seconds: timeoutSeconds
        })
        results.push(resultOf(call_id, ending))
      }
      if (results.length > 0) {
        const stream = await connection.stream("chat.turn", {
          payload: { session_id: chat.id, continue_from: turn, tool_results: results, background: true }
        }, { workspace, signal: AbortSignal.timeout(readMillis) })
        await stream.cancel()
      }
      return { answered: results.length }
    }
  } satisfies Partial<ShellMethods>
})
