/**
 * An OpenAI-compatible endpoint, by setting. The operator's own address may be an inner one. Spec:
 * reference/knowledge.md "Embedding".
 */
import { Effect, Option, Redacted, Result, Schema, Semaphore } from "effect"
import type { HubConfig } from "../../config.ts"
import { type Scrub, scrubOf } from "../../providers/answer.ts"
import type { Egress, EgressAnswer } from "../../providers/egress.ts"
import { retryAfterSeconds } from "../../providers/fate.ts"
import { type Embedded, type Embedder, EmbedderFailure, type Lane } from "./embedder.ts"

const timeoutMillis: Readonly<Record<Lane, number>> = { query: 15_000, document: 60_000 }
const triesMax: Readonly<Record<Lane, number>> = { query: 2, document: 4 }
const retryMillis = 500
const retryMillisMax = 20_000
/** Maximum number of calls with documents that run concurrently. Queries pass them. */
const documentCallsMax = 4
/** 64 vectors of 4,096 numbers with up to 24 characters each. */
const answerBytesMax = 8 * 1024 * 1024
/** The part of the endpoint's own words that a failure repeats. */
const messageMax = 300
/** Of texts whose tokens the endpoint does not report. */
const charactersPerToken = 3

const Answer = Schema.fromJsonString(Schema.Struct({
  data: Schema.Array(Schema.Struct({ index: Schema.Int, embedding: Schema.Array(Schema.Finite) })),
  usage: Schema.optionalKey(Schema.Struct({ total_tokens: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)) }))
}))
const decodeAnswer = Schema.decodeUnknownResult(Answer)

const Refusal = Schema.fromJsonString(Schema.Struct({ error: Schema.Struct({ message: Schema.String }) }))
const decodeRefusal = Schema.decodeUnknownResult(Refusal)

const failure = (reason: EmbedderFailure["reason"], detail: string) => new EmbedderFailure({ reason, detail })

const textOf = (body: Uint8Array): string => Buffer.from(body).toString("utf8")

/** A vector of length 1, or undefined for one without a direction. */
const normalized = (numbers: ReadonlyArray<number>): Float32Array | undefined => {
  const length = Math.hypot(...numbers)
  return length > 0 && Number.isFinite(length) ? Float32Array.from(numbers, (value) => value / length) : undefined
}

const embeddedOf = (
  body: Uint8Array,
  texts: ReadonlyArray<string>,
  dimensions: number
): Result.Result<Embedded, EmbedderFailure> => {
  const decoded = decodeAnswer(textOf(body))
  if (Result.isFailure(decoded)) {
    return Result.fail(failure("invalid_answer", "The answer of the embeddings endpoint contains no vectors."))
  }
  const { data, usage } = decoded.success
  const byIndex = new Map(data.map(({ embedding, index }) => [index, embedding]))
  const vectors: Array<Float32Array> = []
  for (const index of texts.keys()) {
    const numbers = byIndex.get(index)
    if (numbers !== undefined && numbers.length !== dimensions) {
      const detail = `The embeddings endpoint answered with ${numbers.length} dimensions instead of ${dimensions}. ` +
        "Correct HUB_EMBEDDINGS_DIMENSIONS."
      return Result.fail(failure("invalid_answer", detail))
    }
    const vector = numbers === undefined ? undefined : normalized(numbers)
    if (vector === undefined) {
      return Result.fail(failure("invalid_answer", "The answer of the embeddings endpoint lacks a vector."))
    }
    vectors.push(vector)
  }
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  return Result.succeed({ vectors, tokens: usage?.total_tokens ?? Math.ceil(length / charactersPerToken) })
}

const refusalOf = ({ body, status }: EgressAnswer, scrub: Scrub): EmbedderFailure => {
  const decoded = decodeRefusal(textOf(body))
  const words = Result.isSuccess(decoded)
    ? scrub.text(decoded.success.error.message).replace(/\p{Cc}/gu, " ").slice(0, messageMax).toWellFormed()
    : ""
  return failure(
    status === 408 || status === 409 || status === 429 || status >= 500 ? "unavailable" : "refused",
    `The embeddings endpoint answered ${status}${words === "" ? "." : `: ${words}`}`
  )
}

export type EndpointSettings = Option.Option.Value<HubConfig["embeddings"]>

/** One call; a failure may name the time after which the endpoint answers again. */
interface Refused {
  readonly failure: EmbedderFailure
  readonly afterMillis?: number
}

export const makeEndpoint = (
  { centsPerMillionTokens, dimensions, key, model, sendsDimensions, url }: EndpointSettings,
  egress: Egress["Service"]
): Effect.Effect<Embedder["Service"]> =>
  Effect.gen(function*() {
    const secret = Option.getOrUndefined(Option.map(key, (value) => Redacted.value(value)))
    const scrub = scrubOf(secret === undefined ? [] : [secret])
    const documents = yield* Semaphore.make(documentCallsMax)

    const call = (texts: ReadonlyArray<string>, lane: Lane): Effect.Effect<Embedded, Refused> =>
      egress.request({
        url: `${url.href.replace(/\/+$/, "")}/embeddings`,
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json",
          ...secret === undefined ? {} : { authorization: `Bearer ${secret}` }
        },
        body: JSON.stringify({
          model,
          input: texts,
          encoding_format: "float",
          ...sendsDimensions ? { dimensions } : {}
        }),
        timeoutMs: timeoutMillis[lane],
        maxBytes: answerBytesMax,
        overflow: "fail",
        trusted: true
      }).pipe(
        Effect.mapError((error): Refused => ({
          failure: error._tag === "UpstreamTimeout" || error._tag === "UpstreamUnreachable"
            ? failure("unavailable", `The embeddings endpoint could not be reached: ${error.message}.`)
            : failure("refused", `The embeddings endpoint cannot be used: ${error.message}.`)
        })),
        Effect.flatMap((answer) => {
          if (answer.status >= 200 && answer.status < 300) {
            return Effect.mapError(
              Effect.fromResult(embeddedOf(answer.body, texts, dimensions)),
              (error): Refused => ({ failure: error })
            )
          }
          const seconds = retryAfterSeconds(answer.headers["retry-after"])
          return Effect.fail<Refused>({
            failure: refusalOf(answer, scrub),
            ...seconds === undefined ? {} : { afterMillis: seconds * 1_000 }
          })
        })
      )

    const repeated = Effect.fnUntraced(function*(texts: ReadonlyArray<string>, lane: Lane) {
      for (let tries = 1;; tries++) {
        const result = yield* Effect.result(call(texts, lane))
        if (Result.isSuccess(result)) return result.success
        const { afterMillis = retryMillis * 2 ** (tries - 1), failure } = result.failure
        if (failure.reason !== "unavailable" || tries === triesMax[lane] || afterMillis > retryMillisMax) {
          return yield* failure
        }
        yield* Effect.sleep(afterMillis)
      }
    })

    return {
      model,
      dimensions,
      label: model,
      centsPerMillionTokens,
      embed: (texts, lane) =>
        texts.length === 0
          ? Effect.succeed({ vectors: [], tokens: 0 })
          : lane === "query"
          ? repeated(texts, lane)
          : documents.withPermits(1)(repeated(texts, lane))
    }
  })
