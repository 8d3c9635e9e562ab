/** The port of an answer's form: whole as JSON, or as the texts of a stream. */
import type { Charge } from "../providers/llm/completion.ts"
import type { ModelAnswer, ModelEvent } from "../providers/model-answer.ts"

export interface AnswerHead {
  /** The service request. */
  readonly requestId: string
  readonly model: string
  /** Unix seconds. */
  readonly created: number
  readonly includeUsage: boolean
}

export interface Encoder {
  readonly whole: (answer: ModelAnswer, charge: Charge) => object
  /** The texts before the first event. */
  readonly begin: () => string
  /** Empty for an event that the form does not show. */
  readonly event: (event: ModelEvent) => string
  /** The texts after the last event. */
  readonly end: (answer: ModelAnswer, charge: Charge) => string
  /** After the stream began: what went wrong. */
  readonly failed: (message: string, code: string) => string
}

/** An answer that is cut counts as one that reached its limit: it was charged, and is not to be repeated. */
export const finishOf = (answer: ModelAnswer, { truncated }: Charge) => truncated ? "length" : answer.finish ?? "stop"

export const dataText = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`
export const eventText = (event: string, data: object): string =>
  `event: ${event}\ndata: ${JSON.stringify({ type: event, ...data })}\n\n`

/** In USD, without binary noise. */
export const costUsd = ({ costCents }: Charge): number =>
  costCents === undefined ? 0 : Number((costCents / 100).toFixed(8))
