/** What a model streams, in the hub's own form, and the answer that it adds up to. */
import { noTokens, type TokenCounts } from "@countersign/domain/token-price"
import type { JsonObject, Prompt, ToolCall } from "./model-prompt.ts"

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter"

/** Counts as a provider reports them, in any of its messages. */
export type PartialCounts = { readonly [K in keyof TokenCounts]?: number }

export type ModelEvent =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "thinking"; readonly delta: string }
  /** Opaque: it goes back to the same provider with the next call. */
  | { readonly type: "reasoning"; readonly block: JsonObject }
  /** A call begins; `index` rises from 0. */
  | { readonly type: "call"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: "arguments"; readonly index: number; readonly delta: string }
  /** Each count's last value applies. `usd`: the cost that the provider reports. */
  | { readonly type: "usage"; readonly counts: PartialCounts; readonly usd?: number }
  | { readonly type: "finish"; readonly reason: FinishReason }
  /** The provider's own id of the answer. */
  | { readonly type: "started"; readonly id: string }

/** A call of the hub with its reader, which is not stored. */
export interface ModelCall {
  readonly prompt: Prompt
  /** Called in order, without waiting for the reader. */
  readonly emit: (event: ModelEvent) => void
  /** Ends the call: what arrived is the answer. */
  readonly stopped?: AbortSignal
}

export interface ModelAnswer {
  readonly id: string | undefined
  readonly text: string
  readonly thinking: string
  readonly reasoning: ReadonlyArray<JsonObject>
  readonly calls: ReadonlyArray<ToolCall>
  readonly finish: FinishReason | undefined
  /** `undefined` until the provider has reported input or output. */
  readonly counts: TokenCounts | undefined
  readonly usd: number | undefined
}

/** Adds up events. */
export class AnswerBuilder {
  #id: string | undefined
  #text = ""
  #thinking = ""
  readonly #reasoning: Array<JsonObject> = []
  readonly #calls: Array<{ id: string; name: string; arguments: string }> = []
  #finish: FinishReason | undefined
  #counts: PartialCounts = {}
  #usd: number | undefined

  add(event: ModelEvent): void {
    switch (event.type) {
      case "started":
        this.#id = event.id
        break
      case "text":
        this.#text += event.delta
        break
      case "thinking":
        this.#thinking += event.delta
        break
      case "reasoning":
        this.#reasoning.push(event.block)
        break
      case "call":
        this.#calls[event.index] = { id: event.id, name: event.name, arguments: "" }
        break
      case "arguments": {
        const call = this.#calls[event.index]
        if (call !== undefined) call.arguments += event.delta
        break
      }
      case "usage":
        this.#counts = { ...this.#counts, ...event.counts }
        this.#usd = event.usd ?? this.#usd
        break
      case "finish":
        this.#finish = event.reason
        break
    }
  }

  /** Whether anything arrived that a reader can use. */
  get hasContent(): boolean {
    return this.#text !== "" || this.#thinking !== "" || this.#calls.length > 0
  }

  get isFinished(): boolean {
    return this.#finish !== undefined
  }

  get answer(): ModelAnswer {
    const { input, output } = this.#counts
    return {
      id: this.#id,
      text: this.#text,
      thinking: this.#thinking,
      reasoning: this.#reasoning,
      calls: this.#calls.filter((call) => call !== undefined),
      finish: this.#finish,
      counts: input === undefined || output === undefined ? undefined : { ...noTokens, ...this.#counts },
      usd: this.#usd
    }
  }
}

/** The events of a whole answer, for readers that get it later than it was streamed. */
export const eventsOf = (answer: ModelAnswer): ReadonlyArray<ModelEvent> => [
  ...answer.thinking === "" ? [] : [{ type: "thinking", delta: answer.thinking } as const],
  ...answer.reasoning.map((block) => ({ type: "reasoning", block }) as const),
  ...answer.text === "" ? [] : [{ type: "text", delta: answer.text } as const],
  ...answer.calls.flatMap(({ arguments: delta, id, name }, index) => [
    { type: "call", index, id, name } as const,
    { type: "arguments", index, delta } as const
  ]),
  ...answer.finish === undefined ? [] : [{ type: "finish", reason: answer.finish } as const]
]
