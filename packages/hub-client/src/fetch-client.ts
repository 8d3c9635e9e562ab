/**
 * The hub client over `fetch`. In a browser the session's cookie is the credential and the hub has the page's origin;
 * elsewhere `base` is the hub's address and the given `fetch` adds the credential.
 */
import { isTransientStatus, mayRepeat, parseRetryAfter, retriesDefault } from "@countersign/domain/retry-rules"
import type { CallOptions, HubClient, StreamCallOptions } from "./client.ts"
import type { AnyInput, EndpointName } from "./contract.ts"
import { addressOf } from "./endpoint-address.ts"
import { endpoints } from "./endpoints.ts"
import { HubError, readError } from "./error.ts"
import type { HubClock } from "./hub-clock.ts"
import { pauseMillis } from "./retry.ts"

/** One attempt, from its start to the last byte of the answer. An approval waits up to 30 s for its outcome. */
export const timeoutMillis = 60_000

export interface FetchClientOptions {
  /** The base address of the API, without a trailing slash. */
  readonly base?: string
  readonly clock: HubClock
  /**
   * Decodes the body of an answer, and throws a `HubError` for one that does not match the contract. Without it the
   * body is passed on: a page trusts the hub that served it, and loads no schemas.
   */
  readonly decode?: (endpoint: EndpointName, body: unknown) => unknown
  readonly fetch?: typeof globalThis.fetch
  readonly random?: () => number
  /** Resolves after the time, or rejects with the signal's reason. */
  readonly sleep?: (millis: number, signal: AbortSignal | undefined) => Promise<void>
}

export const sleep = (millis: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const ended = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", ended)
      resolve()
    }, millis)
    signal?.addEventListener("abort", ended, { once: true })
  })

interface Prepared {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

const place = (endpoint: EndpointName): readonly [method: string, path: string] => {
  const [method = "GET", path = "/"] = endpoints[endpoint].split(" ")
  return [method, path]
}

const unanswered = (error: unknown): HubError =>
  error instanceof DOMException && error.name === "TimeoutError"
    ? new HubError({ status: 0, code: "timeout", message: `No answer within ${timeoutMillis / 1_000} s.` })
    : new HubError({
      status: 0,
      code: "network_error",
      message: error instanceof Error ? error.message : "No answer came."
    })

const isTransient = ({ status }: HubError): boolean => status === 0 || isTransientStatus(status)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const makeFetchClient = (options: FetchClientOptions): HubClient => {
  const { base = "/api/v1", clock, decode = (_, body) => body, random = Math.random } = options
  const pause = options.sleep ?? sleep
  const send = options.fetch ?? ((...args: Parameters<typeof fetch>) => globalThis.fetch(...args))

  const prepare = (endpoint: EndpointName, input: AnyInput, call: CallOptions): Prepared => {
    const [method, path] = place(endpoint)
    return {
      method,
      url: base + addressOf(path, input),
      headers: {
        accept: "application/json",
        ...input.payload === undefined ? {} : { "content-type": "application/json" },
        ...call.workspace === undefined ? {} : { "svc-workspace": call.workspace },
        ...call.idempotencyKey === undefined ? {} : { "idempotency-key": call.idempotencyKey }
      },
      body: input.payload === undefined ? undefined : JSON.stringify(input.payload)
    }
  }

  /** Sends once and checks the status. An error from the hub is thrown with its envelope. */
  const attempt = async ({ body, headers, method, url }: Prepared, signal: AbortSignal): Promise<Response> => {
    const askedAt = Date.now()
    const response = await send(url, {
      method,
      headers,
      signal,
      credentials: "same-origin",
      redirect: "error",
      cache: "no-store",
      ...body === undefined ? {} : { body }
    })
    clock.observe(response.headers.get("date"), askedAt, Date.now())
    if (response.ok) return response
    const header = (name: string) => response.headers.get(name) ?? undefined
    throw readError(parsed(await response.text()), {
      status: response.status,
      requestId: header("x-request-id"),
      retryAfterMillis: parseRetryAfter(header("retry-after"), header("date"), Date.now())
    })
  }

  const read = async (response: Response): Promise<unknown> => {
    const type = response.headers.get("content-type") ?? ""
    if (type.startsWith("audio/")) return new Uint8Array(await response.arrayBuffer())
    const text = await response.text()
    if (text === "") return undefined
    if (!type.startsWith("application/json")) {
      if (!type.startsWith("text/html")) return text
    } else {
      const value = parsed(text)
      if (value !== undefined) return value
    }
    throw new HubError({
      status: response.status,
      code: "unreadable_answer",
      message: "The answer was not the hub's.",
      requestId: response.headers.get("x-request-id") ?? undefined
    })
  }

  const once = async (prepared: Prepared, signal: AbortSignal | undefined): Promise<unknown> => {
    const timeout = AbortSignal.timeout(timeoutMillis)
    try {
      return await read(await attempt(prepared, signal === undefined ? timeout : AbortSignal.any([signal, timeout])))
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason
      throw error instanceof HubError ? error : unanswered(error)
    }
  }

  const call = async (endpoint: EndpointName, input: AnyInput, callOptions: CallOptions = {}): Promise<unknown> => {
    const prepared = prepare(endpoint, input, callOptions)
    const retries = callOptions.once !== true && mayRepeat(prepared.method, callOptions.idempotencyKey !== undefined)
      ? retriesDefault
      : 0
    for (let tried = 0;; tried++) {
      try {
        return decode(endpoint, await once(prepared, callOptions.signal))
      } catch (error) {
        if (tried >= retries || !(error instanceof HubError) || !isTransient(error)) throw error
        const wait = pauseMillis(tried, random(), error.retryAfterMillis)
        if (wait === undefined) throw error
        await pause(wait, callOptions.signal)
      }
    }
  }

  const stream = async (
    endpoint: EndpointName,
    input: AnyInput,
    { idempotencyKey, lastEventId, signal, workspace }: StreamCallOptions
  ) => {
    const prepared = prepare(endpoint, input, { idempotencyKey, workspace })
    const headers = {
      ...prepared.headers,
      accept: "text/event-stream",
      ...lastEventId === undefined ? {} : { "last-event-id": lastEventId }
    }
    try {
      const { body } = await attempt({ ...prepared, headers }, signal)
      if (body === null) {
        throw new HubError({ status: 0, code: "unreadable_answer", message: "The answer had no body." })
      }
      return body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw error instanceof HubError ? error : unanswered(error)
    }
  }

  return {
    call: call as HubClient["call"],
    downloadUrl: (endpoint, input) => base + addressOf(place(endpoint)[1], input as AnyInput),
    events: (options) => stream("events.stream", { query: { workspace: "all" } }, options),
    stream: (endpoint, input, options) => stream(endpoint, input as AnyInput, options)
  }
}
