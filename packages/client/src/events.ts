/** Streams of server-sent events. Spec: reference/clients.md "Streams". */
import { makeEventParser, type Message } from "@countersign/hub-client/event-parser"
import { AnswerError, NetworkError } from "./errors.ts"
import { isTransient, type Opened, pauseMillis } from "./transport.ts"

/** Three missing comment lines: the connection is dead, though nothing reported it. */
const silenceMillisMax = 45_000
/** Attempts in a row without a message before a stream gives up, about 40 s. A client without retries gives up at once. */
export const attemptsMax = 10

export interface ServerEvent<Data> {
  /** The position to resume from. */
  readonly id: string
  readonly event: string
  readonly data: Data
}

/** The data of an event of `/events`: which thing changed; read it for its new state. */
export interface HubEvent {
  readonly id: string
  readonly type: string
  readonly subject: { readonly type: string; readonly id: string }
  readonly version: number
}

export interface StreamSource {
  readonly open: (lastEventId: string | undefined, signal: AbortSignal) => Promise<Opened>
  readonly sleep: (millis: number, signal?: AbortSignal) => Promise<void>
  readonly retries: number
  /** The hub never ends this stream, except to move it. */
  readonly isEndless: boolean
  readonly signal: AbortSignal | undefined
}

const dataOf = (message: Message): unknown => {
  try {
    return JSON.parse(message.data)
  } catch {
    throw new AnswerError(`The event ${message.event} has no JSON.`, { code: "unreadable_answer" })
  }
}

/** The messages of one connection; rejects when it is cut or falls silent. */
export async function* messagesOf({ body, close }: Opened): AsyncGenerator<Message, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const parser = makeEventParser()
  let silence: (() => void) | undefined
  const silent = new Promise<never>((_, reject) => {
    silence = () => reject(new NetworkError("The hub fell silent.", { code: "timeout" }))
  })
  silent.catch(() => {})
  try {
    for (;;) {
      const watch = setTimeout(() => silence?.(), silenceMillisMax)
      const { done, value } = await Promise.race([reader.read(), silent]).finally(() => clearTimeout(watch))
      if (done) return
      yield* parser.push(decoder.decode(value, { stream: true }))
    }
  } finally {
    reader.cancel().catch(() => {})
    close()
  }
}

/** The error of a stream that broke: an abort of the caller's stays, everything else may be tried again. */
export const streamError = (error: unknown): unknown =>
  error instanceof Error && (error.name === "TypeError" || error.name === "AbortError" || error.name === "Error")
    ? new NetworkError(`The stream was interrupted (${error.message}).`, { code: "network_error", cause: error })
    : error

/**
 * Events that are requested when they are iterated. A connection that is cut is opened again after the last event that
 * was read. `break` closes it.
 */
export class EventStream<Data> implements AsyncIterable<ServerEvent<Data>> {
  readonly #source: StreamSource

  constructor(source: StreamSource) {
    this.#source = source
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ServerEvent<Data>, void> {
    const { isEndless, open, retries, signal, sleep } = this.#source
    const ending = new AbortController()
    const abort = () => ending.abort(signal?.reason)
    signal?.throwIfAborted()
    signal?.addEventListener("abort", abort)
    const attempts = retries === 0 ? 0 : attemptsMax
    let lastEventId: string | undefined
    let failures = 0
    try {
      for (;;) {
        let failure: unknown
        try {
          for await (const message of messagesOf(await open(lastEventId, ending.signal))) {
            failures = 0
            if (message.id !== "") lastEventId = message.id
            yield { id: message.id, event: message.event, data: dataOf(message) as Data }
          }
          if (!isEndless) return
        } catch (error) {
          signal?.throwIfAborted()
          failure = streamError(error)
          if (!isTransient(failure) || failures >= attempts) throw failure
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
}
