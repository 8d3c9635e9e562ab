/** Conversations of an agent: stored threads of messages. Spec: reference/conversations.md "Conversation". */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AllowsTeamRole, AnyAccess, Requires } from "./auth.ts"
import { Created } from "./created.ts"
import { AgentId, ConversationId, MessageId } from "./ids.ts"
import { Page, PageQuery } from "./pagination.ts"
import { Label } from "./text.ts"

export const conversationTitleMax = 200
export const messageContentMax = 65_536
/** Length of `metadata` as JSON text, in characters. */
export const metadataMax = 16_384
/** Of one agent. */
export const conversationsMax = 10_000
/** In one conversation. */
export const messagesMax = 10_000

const Metadata = Schema.Record(Schema.String, Schema.Json)
const BoundedMetadata = Metadata.check(
  Schema.makeFilter((value: Readonly<Record<string, unknown>>) =>
    JSON.stringify(value).length <= metadataMax ? undefined : `expected at most ${metadataMax} characters of JSON`
  )
)

export const MessageRole = Schema.Literals(["user", "assistant", "system", "tool"])
export type MessageRole = typeof MessageRole.Type

export const Conversation = Schema.Struct({
  id: ConversationId,
  agent_id: AgentId,
  title: Schema.String,
  metadata: Schema.optionalKey(Metadata),
  message_count: Schema.Int,
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "Conversation" })
export type Conversation = typeof Conversation.Type

export const ConversationMessage = Schema.Struct({
  id: MessageId,
  role: MessageRole,
  content: Schema.String,
  metadata: Schema.optionalKey(Metadata),
  created_at: Schema.String
}).annotate({ identifier: "ConversationMessage" })
export type ConversationMessage = typeof ConversationMessage.Type

/** A conversation with a page of its messages. */
export const ConversationWithMessages = Schema.Struct({
  ...Conversation.fields,
  messages: Schema.Struct({
    data: Schema.Array(ConversationMessage),
    next_cursor: Schema.NullOr(Schema.String)
  })
}).annotate({ identifier: "ConversationWithMessages" })
export type ConversationWithMessages = typeof ConversationWithMessages.Type

export const CreateConversationInput = Schema.Struct({
  title: Schema.optionalKey(Label(conversationTitleMax)),
  metadata: Schema.optionalKey(BoundedMetadata)
}).annotate({ identifier: "CreateConversationInput" })
export type CreateConversationInput = typeof CreateConversationInput.Type

export const AddMessageInput = Schema.Struct({
  role: MessageRole,
  content: Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(messageContentMax)),
  metadata: Schema.optionalKey(BoundedMetadata)
}).annotate({ identifier: "AddMessageInput" })
export type AddMessageInput = typeof AddMessageInput.Type

const agent = { id: AgentId }
const conversation = { id: AgentId, cid: ConversationId }

export class ConversationsGroup extends HttpApiGroup.make("conversations").add(
  HttpApiEndpoint.get("list", "/agents/:id/conversations", {
    params: agent,
    query: PageQuery,
    success: Page(Conversation)
  }).middleware(AnyAccess).annotate(Requires, "agents:read").annotate(OpenApi.Description, "Newest first."),
  HttpApiEndpoint.post("create", "/agents/:id/conversations", {
    params: agent,
    payload: CreateConversationInput,
    success: Created(Conversation)
  }).middleware(AnyAccess).annotate(Requires, "agents:write").annotate(AllowsTeamRole, true).annotate(
    OpenApi.Description,
    `An agent can have ${conversationsMax} conversations; the next one is 409 \`limit_reached\`.`
  ),
  HttpApiEndpoint.get("get", "/agents/:id/conversations/:cid", {
    params: conversation,
    query: PageQuery,
    success: ConversationWithMessages
  }).middleware(AnyAccess).annotate(Requires, "agents:read").annotate(
    OpenApi.Description,
    "`limit` and `cursor` page through its messages, newest first."
  ),
  HttpApiEndpoint.post("addMessage", "/agents/:id/conversations/:cid/messages", {
    params: conversation,
    payload: AddMessageInput,
    success: Created(ConversationMessage)
  }).middleware(AnyAccess).annotate(Requires, "agents:write").annotate(AllowsTeamRole, true).annotate(
    OpenApi.Description,
    `A conversation can have ${messagesMax} messages; the next one is 409 \`limit_reached\`.`
  )
) {}
