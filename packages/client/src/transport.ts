/** One HTTP call: headers, time limit, retries, and errors. Spec: reference/clients.md "Retries". */
import { backoffMillis, isTransientStatus, mayRepeat, parseRetryAfter } from "@countersign/domain/retry-rules"
import { AnswerError, CountersignError, InputError, NetworkError, RateLimitError, statusError } from "./errors.ts"
import type { Settings } from "./settings.ts"

/** A longer `Retry-After` is not waited out: the 429 is raised at once. */
const retryAfterSecondsMax = 300

export interface Call {
  readonly method: string
  /** The path below `/api/v1`, with the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | Blob
  readonly retries: number
  readonly timeout: number
  readonly signal: AbortSignal | undefined
  /** Follows redirects, as downloads need. */
  readonly follows?: boolean
}

/** A response whose body is still to be read: the time limit covers the head only. */
export interface Opened {
  readonly body: ReadableStream<Uint8Array>
  readonly close: () => void
}

const requestIdOf = (response: Response): string | undefined => response.headers.get("x-request-id") ?? undefined

/** `fetch failed` explains nothing; its innermost cause does. */
const deepest = (cause: unknown): string | undefined => {
  let why: string | undefined
  for (let depth = 0, at = cause; at instanceof Error && depth < 5; depth++, at = at.cause) {
    const { code } = at as { readonly code?: unknown }
    why = at.message !== "" ? at.message : typeof code === "string" ? code : why
  }
  return why
}

/** Whether another attempt of the same call may succeed. */
export const isTransient = (error: unknown): boolean =>
  error instanceof NetworkError ||
  (error instanceof CountersignError && error.status !== undefined && error.status >= 400 &&
    isTransientStatus(error.status))

/** The pause before the next attempt; undefined if the hub requests a longer one than the client waits. */
export const pauseMillis = (error: unknown, attempts: number): number | undefined => {
  const asked = error instanceof RateLimitError ? error.retry_after_seconds : undefined
  if (asked === undefined) return backoffMillis(attempts, Math.random())
  return asked <= retryAfterSecondsMax ? asked * 1_000 : undefined
}

export interface Transport {
  /** Sends a call and reads its answer. */
  readonly send: <A>(call: Call, read: (response: Response) => Promise<A>) => Promise<A>
  /** Sends a call and returns its answer as a stream. */
  readonly open: (call: Call) => Promise<Opened>
}

export const makeTransport = ({ baseUrl, credential, fetch, sleep }: Settings): Transport => {
  const networkError = (error: unknown, response?: Response): NetworkError => {
    const what = response === undefined ? "could not be reached" : "interrupted its answer"
    const why = deepest(error)
    const requestId = response === undefined ? undefined : requestIdOf(response)
    return new NetworkError(`${baseUrl} ${what}${why === undefined ? "" : ` (${why})`}.`, {
      code: "network_error",
      cause: error,
      ...response === undefined ? {} : { status: response.status },
      ...requestId === undefined ? {} : { request_id: requestId }
    })
  }

  const refusalOf = async (response: Response): Promise<CountersignError> => {
    const header = (name: string) => response.headers.get(name) ?? undefined
    const retryAfter = parseRetryAfter(header("retry-after"), header("date"), Date.now())
    return statusError(response.status, await response.text(), requestIdOf(response), retryAfter)
  }

  /** One attempt. Its time limit covers `read` too. */
  const attempt = async <A>(call: Call, read: (response: Response, end: AbortController) => Promise<A>): Promise<A> => {
    const { body, follows = false, headers, method, path, signal, timeout } = call
    signal?.throwIfAborted()
    const end = new AbortController()
    const abort = () => end.abort(signal?.reason)
    signal?.addEventListener("abort", abort)
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      end.abort(new DOMException("The time limit is over.", "TimeoutError"))
    }, timeout)
    let response: Response | undefined
    try {
      response = await fetch(`${baseUrl}/api/v1${path}`, {
        method,
        headers: { ...credential, ...headers },
        signal: end.signal,
        // A POST would arrive as a GET, and the credential would reach another address.
        redirect: follows ? "follow" : "manual",
        // The bodies of `fetch` have other types in Node than in browsers.
        ...body === undefined ? {} : { body: body as string }
      })
      if (!response.ok) throw await refusalOf(response)
      return await read(response, end)
    } catch (error) {
      if (error instanceof CountersignError) throw error
      if (signal?.aborted === true) throw signal.reason
      if (isLate) {
        throw new NetworkError(`${baseUrl} did not answer within ${timeout} ms.`, { code: "timeout", cause: error })
      }
      throw networkError(error, response)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener("abort", abort)
    }
  }

  const retrying = async <A>(call: Call, once: () => Promise<A>, gone: A | undefined): Promise<A> => {
    const isRepeatable = mayRepeat(call.method, call.headers["idempotency-key"] !== undefined)
    for (let attempts = 0;; attempts++) {
      try {
        return await once()
      } catch (error) {
        // An earlier attempt of this DELETE succeeded, and its answer was lost.
        if (attempts > 0 && call.method === "DELETE" && error instanceof CountersignError && error.status === 404) {
          return gone as A
        }
        if (!isRepeatable || attempts >= call.retries || !isTransient(error)) throw error
        const pause = pauseMillis(error, attempts)
        if (pause === undefined) throw error
        await sleep(pause, call.signal)
      }
    }
  }

  return {
    send: (call, read) => retrying(call, () => attempt(call, read), undefined),
    open: (call) =>
      retrying(call, () => {
        let aborts: () => void = () => {}
        return attempt(call, async (response, end) => {
          if (response.body === null) throw new InputError("The answer is no stream.", { code: "unexpected_answer" })
          // After the head, only the caller's signal and `close` end the stream.
          const { signal } = call
          const abort = () => end.abort(signal?.reason)
          signal?.addEventListener("abort", abort)
          aborts = () => {
            signal?.removeEventListener("abort", abort)
            end.abort(new DOMException("The stream is closed.", "AbortError"))
          }
          return { body: response.body, close: () => aborts() }
        })
      }, undefined)
  }
}

const isJson = (response: Response): boolean =>
  response.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() === "application/json"

/** The JSON of an answer. HTML comes from a gateway, never from the hub. */
export const readJson = async (response: Response): Promise<unknown> => {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    const what = text === "" ? "no body" : response.headers.get("content-type") ?? "text"
    throw unreadable(response, `The answer is not JSON but ${what}. Is this the hub's address?`)
  }
}

/** The text of an answer. */
export const readText = async (response: Response): Promise<string> => {
  const text = await response.text()
  if (isJson(response)) throw unreadable(response, "The answer is JSON where text is expected.")
  return text
}

export const readBytes = async (response: Response): Promise<Uint8Array> => new Uint8Array(await response.arrayBuffer())

export const readNothing = async (response: Response): Promise<void> => {
  await response.arrayBuffer()
}

const unreadable = (response: Response, message: string): AnswerError => {
  const requestId = requestIdOf(response)
  return new AnswerError(message, {
    code: "unreadable_answer",
    status: response.status,
    ...requestId === undefined ? {} : { request_id: requestId }
  })
}
