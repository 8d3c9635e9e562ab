/** Chat turns: typed events that resume after a cut, and the final message. Spec: reference/clients.md "Chat turns". */
import { AnswerError, NetworkError, TurnError } from "./errors.ts"
import { attemptsMax, messagesOf, streamError } from "./events.ts"
import type { Block } from "./generated/types.ts"
import { isTransient, type Opened, pauseMillis } from "./transport.ts"

interface Numbered {
  readonly turn_id: string
  readonly seq: number
}
/** `offset` counts UTF-16 units of the part. */
interface Delta {
  readonly delta: string
  readonly part: number
  readonly offset: number
}

export interface ChatMessagePart {
  readonly type: string
  readonly [field: string]: unknown
}
export interface ChatMessage {
  readonly id: string
  readonly role: string
  readonly parts: ReadonlyArray<ChatMessagePart>
  readonly parent_id?: string
  readonly created_at: string
}

/** An event whose type is unknown here comes from a newer hub: ignore it. */
export type ChatEvent =
  & Numbered
  & (
    | { readonly type: "model"; readonly model: string }
    | { readonly type: "status"; readonly phase: string; readonly text: string }
    | ({ readonly type: "thinking" } & Delta)
    | ({ readonly type: "message_delta" } & Delta)
    | {
      readonly type: "tool_planned"
      readonly call_id: string
      readonly service: string
      readonly operation: string
      readonly payload: unknown
      /** The ceiling. */
      readonly cost_cents: number
    }
    | { readonly type: "tool_executing"; readonly call_id: string; readonly service_request_id: string }
    | {
      readonly type: "tool_done"
      readonly call_id: string
      readonly service_request_id?: string
      readonly status: string
      readonly cost_cents: number
      readonly reason_code?: string
      readonly result?: unknown
    }
    | {
      readonly type: "tool_pending"
      readonly call_id: string
      readonly approval_id: string
      readonly cost_cents: number
      readonly expires_at: string
    }
    | {
      readonly type: "local_tools_pending"
      readonly calls: ReadonlyArray<{ readonly call_id: string; readonly name: string; readonly input: unknown }>
    }
    | {
      readonly type: "usage"
      readonly input_tokens: number
      readonly output_tokens: number
      readonly cached_tokens: number
      readonly cost_cents: number
      readonly accrued_micro_cents: number
    }
    | { readonly type: "message"; readonly message: ChatMessage }
    | { readonly type: "done"; readonly reason: DoneReason }
    | {
      readonly type: "error"
      readonly code: string
      readonly message: string
      readonly retryable: boolean
      readonly block?: Block
    }
  )

export type DoneReason = "end" | "pending_approval" | "pending_local_tools" | "paused" | "cancelled"

export interface TurnSource {
  /** Opens the turn, or continues it after an event. */
  readonly open: (
    resume: { readonly turnId: string; readonly lastEventId: string | undefined } | undefined,
    signal: AbortSignal
  ) => Promise<Opened>
  readonly sleep: (millis: number, signal?: AbortSignal) => Promise<void>
  readonly retries: number
  readonly signal: AbortSignal | undefined
}

/**
 * One turn, sent when it is iterated or when its final message is awaited. A stream that is cut is continued at its
 * position; each event is delivered once. It is iterated at most once.
 */
export class ChatTurn implements AsyncIterable<ChatEvent> {
  readonly #source: TurnSource
  #isIterated = false
  #turnId: string | undefined
  #message: ChatMessage | undefined
  #reason: DoneReason | undefined
  #failure: TurnError | undefined

  constructor(source: TurnSource) {
    this.#source = source
  }

  /** The id of the turn, after its first event. */
  get turnId(): string | undefined {
    return this.#turnId
  }

  /** Why the turn stopped; `pending_approval`, `pending_local_tools`, and `paused` continue by `continue_from`. */
  get reason(): DoneReason | undefined {
    return this.#reason
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ChatEvent, void> {
    if (this.#isIterated) throw new TypeError("A chat turn is iterated once.")
    this.#isIterated = true
    const { open, retries, signal, sleep } = this.#source
    const ending = new AbortController()
    const abort = () => ending.abort(signal?.reason)
    signal?.throwIfAborted()
    signal?.addEventListener("abort", abort)
    let lastEventId: string | undefined
    let lastSeq = -1
    let failures = 0
    try {
      for (;;) {
        let failure: unknown
        try {
          const resume = this.#turnId === undefined ? undefined : { turnId: this.#turnId, lastEventId }
          for await (const message of messagesOf(await open(resume, ending.signal))) {
            failures = 0
            if (message.id !== "") lastEventId = message.id
            const event = eventOf(message.event, message.data)
            if (event.seq <= lastSeq) continue
            lastSeq = event.seq
            this.#note(event)
            yield event
            if (event.type === "done" || event.type === "error") return
          }
          throw new NetworkError("The stream of the turn ended without its last event.", { code: "network_error" })
        } catch (error) {
          signal?.throwIfAborted()
          failure = streamError(error)
          if (!isTransient(failure) || failures >= (retries === 0 ? 0 : attemptsMax)) throw failure
        }
        const pause = pauseMillis(failure, failures++)
        if (pause === undefined) throw failure
        await sleep(pause, ending.signal)
      }
    } finally {
      signal?.removeEventListener("abort", abort)
      ending.abort()
    }
  }

  #note(event: ChatEvent): void {
    this.#turnId = event.turn_id
    if (event.type === "message") this.#message = event.message
    if (event.type === "done") this.#reason = event.reason
    if (event.type === "error") {
      const { block, code, message, retryable } = event
      this.#failure = new TurnError(message, { code, data: { retryable, ...block === undefined ? {} : { block } } })
    }
  }

  /** Reads the turn to its end. The message is undefined if the turn stopped before one, see `reason`. */
  async finalMessage(): Promise<ChatMessage | undefined> {
    if (!this.#isIterated) {
      for await (const _ of this) {
        // The events are noted while they are read.
      }
    }
    if (this.#failure !== undefined) throw this.#failure
    return this.#message
  }
}

const eventOf = (type: string, data: string): ChatEvent => {
  try {
    return { ...JSON.parse(data), type } as ChatEvent
  } catch {
    throw new AnswerError(`The event ${type} of the turn has no JSON.`, { code: "unreadable_answer" })
  }
}
