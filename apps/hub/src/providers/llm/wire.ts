/** The port of a provider's form: how a call is written, and how its stream is read. */
import { isJsonObject } from "@countersign/domain/json"
import type { FinishReason, ModelEvent } from "../model-answer.ts"
import type { JsonObject, Prompt } from "../model-prompt.ts"

/** An error that the provider reports inside an answer with status 200. */
export interface StreamError {
  /** The corresponding status, where the provider names one. */
  readonly status?: number
  readonly detail: string
}

export interface StreamReader {
  /** One event of the stream, by its name and its parsed data. Never throws, whatever the data is. */
  readonly read: (
    event: string | undefined,
    data: JsonObject,
    emit: (event: ModelEvent) => void
  ) => StreamError | undefined
  /** After the last event: whether the provider said that the answer is whole. */
  readonly isWhole: () => boolean
}

export interface Wire {
  readonly name: "openai" | "anthropic"
  /** Relative to the base URL. */
  readonly path: string
  readonly headersOf: (key: string | undefined) => Readonly<Record<string, string>>
  readonly bodyOf: (prompt: Prompt) => JsonObject
  readonly reader: () => StreamReader
  /** Reads an answer that was not streamed, although the call asked for it. `undefined`: it is no answer. */
  readonly readWhole: (document: unknown, emit: (event: ModelEvent) => void) => StreamError | undefined
}

export const textOf = (value: unknown): string => typeof value === "string" ? value.toWellFormed() : ""
export const objectOf = (value: unknown): JsonObject => isJsonObject(value) ? value : {}
export const listOf = (value: unknown): ReadonlyArray<JsonObject> =>
  Array.isArray(value) ? value.filter(isJsonObject) : []

/** A count of tokens; `undefined` for anything else. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= 1e12 ? value : undefined

/** Members with a value only. */
export const known = <A extends object>(members: A): { [K in keyof A]?: Exclude<A[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof A]?: Exclude<A[K], undefined>
  }

export const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  length: "length",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  tool_use: "tool_calls",
  content_filter: "content_filter",
  refusal: "content_filter"
}
