/** The client library of Countersign. */
export { type ChatEvent, type ChatMessage, type ChatMessagePart, ChatTurn, type DoneReason } from "./chat.ts"
export { Countersign, type DispatchAndWaitOptions, type PollOptions, type Shortcuts } from "./client.ts"
export {
  AccessError,
  AnswerError,
  ConflictError,
  CountersignError,
  type ErrorDetail,
  type ErrorFacts,
  InputError,
  NetworkError,
  RateLimitError,
  SignatureError,
  StatusError,
  TurnError
} from "./errors.ts"
export { EventStream, type HubEvent, type ServerEvent } from "./events.ts"
export type * from "./generated/types.ts"
export type { Resources } from "./generated/resources.ts"
export type { ApprovalRequired, Blocked, Executed, Failed, Outcome, Running } from "./outcome.ts"
export { type Page, Pages } from "./pages.ts"
export type { CallOptions, ClientOptions, DispatchOptions, KeyedOptions, TestOutcome } from "./settings.ts"
export { type VerifyOptions, verifyWebhook } from "./webhooks.ts"
