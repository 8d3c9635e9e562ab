/** Chat: sessions with an agent, and turns that stream. Spec: reference/chat.md "Sessions", "Turns". */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Approval } from "./approvals.ts"
import { AnyAccess, Mode, Requires, StaysOpen, UserAccess } from "./auth.ts"
import { ChatMessage, TurnError, TurnUsage } from "./chat-events.ts"
import { Created } from "./created.ts"
import {
  AgentId,
  ApprovalId,
  ArtifactId,
  ChatSessionId,
  ChatTurnId,
  MessageId,
  ServiceRequestId,
  StorageObjectId
} from "./ids.ts"
import { Cents } from "./money.ts"
import { Page, PageQuery } from "./pagination.ts"
import { matching } from "./pattern.ts"
import { Comment, ServiceRequest } from "./service-requests.ts"
import { Label, Prose } from "./text.ts"

export const messageTextMax = 262_144
export const sessionTitleMax = 200
/** A session without a title is named by this many characters of its first message. */
export const titleLength = 60
export const attachmentsMax = 10
export const localToolsMax = 64
/** Of a local tool's result, as JSON text. */
export const localResultBytesMax = 256 * 1024
/** How long a turn waits for the results of local tools. */
export const localToolsHours = 24
export const modelCallsMax = 25
export const toolCallsPerAnswerMax = 32
export const parallelCallsMax = 4
export const turnMinutesMax = 30
/** A turn without a reader pauses after this long, unless it runs in the background. */
export const readerSecondsMax = 30
/** A longer text of an answer becomes an artifact. */
export const textPartBytesMax = 64 * 1024
/** A longer result of a tool becomes an artifact. */
export const resultBytesMax = 32 * 1024

export const ModelName = Schema.String.check(
  Schema.isNonEmpty(),
  Schema.isMaxLength(200),
  matching(/^[!-~]+$/u, "the id of a model, such as openai/gpt-4o-mini")
)

export const TurnState = Schema.Literals([
  "queued",
  "running",
  "waiting_approval",
  "waiting_local",
  "paused",
  "done",
  "failed",
  "cancelled"
])
export type TurnState = typeof TurnState.Type

export const PauseReason = Schema.Literals(["no_reader", "budget", "drain"])
export type PauseReason = typeof PauseReason.Type

export const ChatSession = Schema.Struct({
  id: ChatSessionId,
  agent_id: AgentId,
  title: Schema.String,
  model: Schema.String,
  mode: Mode,
  status: Schema.Literals(["active", "closed"]),
  /** Debited for its turns. */
  cost_cents: Cents,
  /** The turn that has not ended. */
  turn: Schema.optionalKey(Schema.Struct({ id: ChatTurnId, state: TurnState })),
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "ChatSession" })
export type ChatSession = typeof ChatSession.Type

export const ChatSessionWithMessages = Schema.Struct({
  ...ChatSession.fields,
  messages: Schema.Struct({ data: Schema.Array(ChatMessage), next_cursor: Schema.NullOr(Schema.String) })
}).annotate({ identifier: "ChatSessionWithMessages" })
export type ChatSessionWithMessages = typeof ChatSessionWithMessages.Type

export const CreateChatSessionInput = Schema.Struct({
  /** Default: an agent for this chat, bound to `llm` alone; with an agent key, the key's agent. */
  agent_id: Schema.optionalKey(AgentId),
  title: Schema.optionalKey(Label(sessionTitleMax)),
  model: Schema.optionalKey(ModelName),
  /** Default `live`; with an agent key, the key's mode. */
  mode: Schema.optionalKey(Mode)
}).annotate({ identifier: "CreateChatSessionInput" })
export type CreateChatSessionInput = typeof CreateChatSessionInput.Type

export const UpdateChatSessionInput = Schema.Struct({
  title: Schema.optionalKey(Label(sessionTitleMax)),
  model: Schema.optionalKey(ModelName)
}).annotate({ identifier: "UpdateChatSessionInput" })
export type UpdateChatSessionInput = typeof UpdateChatSessionInput.Type

export const StepKind = Schema.Literals(["model", "tool", "local", "compact"])
export type StepKind = typeof StepKind.Type

export const TurnStep = Schema.Struct({
  step: Schema.Int,
  kind: StepKind,
  /** `open`: without an outcome. */
  state: Schema.Literals(["open", "pending", "done"]),
  call_id: Schema.optionalKey(Schema.String),
  service: Schema.optionalKey(Schema.String),
  operation: Schema.optionalKey(Schema.String),
  /** Of a local tool. */
  name: Schema.optionalKey(Schema.String),
  service_request_id: Schema.optionalKey(ServiceRequestId),
  approval_id: Schema.optionalKey(ApprovalId),
  /** The outcome. */
  status: Schema.optionalKey(Schema.String),
  reason_code: Schema.optionalKey(Schema.String),
  cost_cents: Cents
}).annotate({ identifier: "ChatTurnStep" })
export type TurnStep = typeof TurnStep.Type

export const ChatTurn = Schema.Struct({
  id: ChatTurnId,
  session_id: ChatSessionId,
  state: TurnState,
  pause_reason: Schema.optionalKey(PauseReason),
  model: Schema.String,
  background: Schema.Boolean,
  /** The message that it answers. */
  user_message_id: MessageId,
  /** The id of its answer, which is stored when the turn ends. */
  message_id: MessageId,
  steps: Schema.Array(TurnStep),
  usage: TurnUsage,
  cost_cents: Cents,
  /** `seq` of its last event. */
  last_seq: Schema.Int,
  error: Schema.optionalKey(TurnError),
  created_at: Schema.String,
  ended_at: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ChatTurn" })
export type ChatTurn = typeof ChatTurn.Type

const LocalTool = Schema.Struct({
  name: Schema.String.check(matching(/^[A-Za-z0-9_-]{1,41}$/u, "1 to 41 letters, digits, _ or -")),
  description: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(4_096))),
  input_schema: Schema.Record(Schema.String, Schema.Json)
}).annotate({ identifier: "LocalTool" })
export type LocalTool = typeof LocalTool.Type

const ToolResult = Schema.Struct({
  call_id: Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(200)),
  output: Schema.optionalKey(Schema.Json),
  error: Schema.optionalKey(Schema.Json)
}).check(
  Schema.makeFilter((result) =>
    (result.output === undefined) === (result.error === undefined) ? "give either output or error" : undefined
  )
).annotate({ identifier: "LocalToolResult" })
export type ToolResult = typeof ToolResult.Type

export const TurnInput = Schema.Struct({
  session_id: ChatSessionId,
  message: Schema.optionalKey(Prose(messageTextMax).check(Schema.isNonEmpty())),
  /** Storage objects of the workspace: images for the model to see, other files as text. */
  attachments: Schema.optionalKey(Schema.Array(StorageObjectId).check(Schema.isMaxLength(attachmentsMax))),
  /**
   * The message before this one: an earlier one begins a branch, null a new beginning. Default: the newest. Without
   * `message`, the message of a person that is to be answered again.
   */
  parent_id: Schema.optionalKey(Schema.NullOr(MessageId)),
  background: Schema.optionalKey(Schema.Boolean),
  /** Default: the session's. */
  model: Schema.optionalKey(ModelName),
  /** Every tool call requires an approval, whatever its cost. */
  force_approval: Schema.optionalKey(Schema.Boolean),
  continue_from: Schema.optionalKey(ChatTurnId),
  tool_results: Schema.optionalKey(Schema.Array(ToolResult).check(Schema.isMinLength(1), Schema.isMaxLength(64))),
  local_tools: Schema.optionalKey(Schema.Array(LocalTool).check(Schema.isMaxLength(localToolsMax)))
}).annotate({ identifier: "ChatTurnInput" })
export type TurnInput = typeof TurnInput.Type

export const DecideCallInput = Schema.Struct({
  decision: Schema.Literals(["approve", "reject"]),
  comment: Schema.optionalKey(Comment)
}).annotate({ identifier: "DecideChatCallInput" })
export type DecideCallInput = typeof DecideCallInput.Type

export const DecidedCall = Schema.Struct({
  approval: Approval,
  service_request: Schema.optionalKey(ServiceRequest)
}).annotate({ identifier: "DecidedChatCall" })

/** Whether a turn no longer changes. */
export const isTurnEnded = (state: TurnState): boolean =>
  state === "done" || state === "failed" || state === "cancelled"

/** Whether a hub works on a turn, or will without being asked. */
export const isTurnMoving = (state: TurnState): boolean => state === "queued" || state === "running"

const ofSession = { id: ChatSessionId }
const ofTurn = { id: ChatTurnId }
const EventStream = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))

export class ChatGroup extends HttpApiGroup.make("chat").add(
  HttpApiEndpoint.get("list", "/chat/sessions", {
    query: { ...PageQuery, agent_id: Schema.optionalKey(AgentId) },
    success: Page(ChatSession)
  }).middleware(AnyAccess).annotate(Requires, "chat:read").annotate(
    OpenApi.Description,
    "Active sessions, newest first. A member sees their own, and those of their agents; an agent key sees its agent's."
  ),
  HttpApiEndpoint.post("create", "/chat/sessions", {
    payload: CreateChatSessionInput,
    success: Created(ChatSession)
  }).middleware(AnyAccess).annotate(Requires, "chat:write").annotate(
    OpenApi.Description,
    "The agent needs a binding of `llm`. Without `agent_id`, an agent for this chat is created, with that binding alone."
  ),
  HttpApiEndpoint.delete("close", "/chat/sessions", {
    query: { session_id: ChatSessionId },
    success: HttpApiSchema.NoContent
  }).middleware(AnyAccess).annotate(Requires, "chat:write").annotate(
    OpenApi.Description,
    "Closes a session; it stays readable by its id. An open turn is canceled."
  ),
  HttpApiEndpoint.get("get", "/chat/sessions/:id", {
    params: ofSession,
    query: PageQuery,
    success: ChatSessionWithMessages
  }).middleware(AnyAccess).annotate(Requires, "chat:read").annotate(
    OpenApi.Description,
    "`limit` and `cursor` page through its messages, newest first, of all branches. The answer of an open turn is in the " +
      "turn's events."
  ),
  HttpApiEndpoint.patch("update", "/chat/sessions/:id", {
    params: ofSession,
    payload: UpdateChatSessionInput,
    success: ChatSession
  }).middleware(AnyAccess).annotate(Requires, "chat:write").annotate(
    OpenApi.Description,
    "Renames a session, or sets the model of its next turns."
  ),
  HttpApiEndpoint.post("turn", "/chat/turn", { payload: TurnInput, success: EventStream })
    .middleware(AnyAccess).annotate(Requires, "chat:write").annotate(StaysOpen, true).annotate(
      OpenApi.Description,
      "Runs one turn as the session's agent, and streams its events. `continue_from` attaches to a turn of the session: " +
        "it replays what was missed since `last-event-id`, follows the turn, and wakes a paused or waiting one; " +
        "`tool_results` are the results of its local tools. Send `idempotency-key`: a repeated call attaches to the same " +
        "turn. A session has one open turn; another message is 409 `turn_in_progress`. Exactly one of `done` and `error` " +
        "ends the stream. Without `background`, a turn that nobody reads pauses after 30 s."
    ),
  HttpApiEndpoint.get("getTurn", "/chat/turns/:id", { params: ofTurn, success: ChatTurn })
    .middleware(AnyAccess).annotate(Requires, "chat:read"),
  HttpApiEndpoint.get("events", "/chat/turns/:id/events", {
    params: ofTurn,
    query: { last_event_id: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(64))) },
    success: EventStream
  }).middleware(AnyAccess).annotate(Requires, "chat:read").annotate(StaysOpen, true).annotate(
    OpenApi.Description,
    "The events of a turn since `last-event-id` (header, or query `last_event_id`), to the end of its stream. It wakes " +
      "nothing, but counts as a reader."
  ),
  HttpApiEndpoint.post("cancel", "/chat/turns/:id/cancel", { params: ofTurn, success: ChatTurn })
    .middleware(AnyAccess).annotate(Requires, "chat:write").annotate(
      OpenApi.Description,
      "Stops the model's answer, waits for calls in flight, and withdraws pending approvals of the turn. A turn that has " +
        "ended stays as it is."
    ),
  HttpApiEndpoint.post("decide", "/chat/approvals/:id", {
    params: { id: ApprovalId },
    payload: DecideCallInput,
    success: DecidedCall
  }).middleware(UserAccess).annotate(Requires, "approvals:decide").annotate(
    OpenApi.Description,
    "Approves or rejects a call of a turn, by the rules of `/approvals/:id/approve`. A turn in the background continues; " +
      "any other is continued with `continue_from`."
  ),
  HttpApiEndpoint.get("artifact", "/chat/artifacts/:id", {
    params: { id: ArtifactId },
    success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/octet-stream" }))
  }).middleware(AnyAccess).annotate(Requires, "chat:read").annotate(StaysOpen, true).annotate(
    OpenApi.Description,
    "The bytes of a long result or a long text, as a file."
  )
) {}
