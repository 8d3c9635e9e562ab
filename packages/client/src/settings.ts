/** The settings of a client and the options of a call, checked before anything is sent. */
import { retriesDefault, retriesMax } from "@countersign/domain/retry-rules"
import { inputError } from "./errors.ts"

export const timeoutMillisDefault = 60_000
/** An operation may take ten minutes, and the answer waits for it. */
export const dispatchTimeoutMillisDefault = 660_000
const timeoutMillisMax = 86_400_000

export interface ClientOptions {
  /**
   * The root address of the hub, such as `https://hub.example.com`, without `/api/v1`. Default: the environment variable
   * `COUNTERSIGN_URL`.
   */
  readonly baseUrl?: string
  /** An agent's key. Default: `COUNTERSIGN_API_KEY`. */
  readonly apiKey?: string
  /** A personal access token. Default: `COUNTERSIGN_TOKEN`. */
  readonly token?: string
  /** The value of the cookie `svc_session`, for endpoints that accept no token. */
  readonly session?: string
  /** The workspace of every call, for a session of a person with several. */
  readonly workspace?: string
  /** Attempts after the first; 0 disables retries. Default: 2. */
  readonly retries?: number
  /** The time limit of one attempt in milliseconds. Default: 60,000. */
  readonly timeout?: number
  /** The time limit of one attempt of a dispatch or a chat turn's start. Default: 660,000. */
  readonly dispatchTimeout?: number
  /** Replaces `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** Replaces the pause before a retry and between polls, in tests. */
  readonly sleep?: (millis: number, signal?: AbortSignal) => Promise<void>
}

export interface CallOptions {
  /** Overrides the client's workspace. */
  readonly workspace?: string
  readonly retries?: number
  /** The time limit of one attempt in milliseconds. */
  readonly timeout?: number
  readonly signal?: AbortSignal
}

/** Options of an endpoint that declares `idempotency-key`. */
export interface KeyedOptions extends CallOptions {
  /** 1 to 255 printable ASCII characters; a new UUID by default. The same key never executes twice. */
  readonly idempotencyKey?: string
}

export type TestOutcome = "approval" | "failure" | "running" | "blocked"

export interface DispatchOptions extends KeyedOptions {
  /** Sets the outcome; for test keys only. */
  readonly testOutcome?: TestOutcome
  /** The delegated task that the request is for. */
  readonly delegatedTask?: string
}

export interface Settings {
  readonly baseUrl: string
  readonly credential: Readonly<Record<string, string>>
  readonly workspace: string | undefined
  readonly retries: number
  readonly timeout: number
  readonly dispatchTimeout: number
  readonly fetch: typeof globalThis.fetch
  readonly sleep: (millis: number, signal?: AbortSignal) => Promise<void>
}

const environment = (name: string): string | undefined => {
  const { process } = globalThis as { readonly process?: { readonly env?: Readonly<Record<string, string>> } }
  const value = process?.env?.[name]
  return value === "" ? undefined : value
}

const readBaseUrl = (text: string): string => {
  const expected = "expected an http(s) address without user, query, and fragment"
  if (!URL.canParse(text)) throw inputError("baseUrl", expected)
  const url = new URL(text)
  const isHttp = url.protocol === "http:" || url.protocol === "https:"
  if (!isHttp || url.username + url.password + url.search + url.hash !== "") throw inputError("baseUrl", expected)
  return url.origin + url.pathname.replace(/\/+$/u, "").replace(/\/api\/v1$/u, "")
}

/** A value that fills a header alone. No message contains it, because it may be a secret. */
const readToken = (name: string, value: string): string => {
  if (!/^[\x21-\x7e]{1,4096}$/u.test(value)) throw inputError(name, "expected printable ASCII without blanks")
  return value
}

export const readWorkspace = (value: string): string => readToken("workspace", value)

export const readIdempotencyKey = (value: string): string => {
  if (/^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/u.test(value)) return value
  throw inputError("idempotencyKey", "expected 1 to 255 printable ASCII characters, without blanks at the ends")
}

export const readRetries = (value: number): number => {
  if (Number.isInteger(value) && value >= 0 && value <= retriesMax) return value
  throw inputError("retries", `expected an integer from 0 to ${retriesMax}`)
}

export const readMillis = (name: string, value: number): number => {
  if (value >= 1 && value <= timeoutMillisMax) return value
  throw inputError(name, `expected 1 to ${timeoutMillisMax} milliseconds`)
}

/** An option counts before the environment; of the environment, the agent's key counts first. */
const readCredential = ({ apiKey, session, token }: ClientOptions): Readonly<Record<string, string>> => {
  if ([apiKey, token, session].filter((given) => given !== undefined).length > 1) {
    throw inputError("apiKey", "expected only one of apiKey, token, and session")
  }
  if (session !== undefined) {
    return { cookie: `svc_session=${readToken("session", session.replace(/^svc_session=/u, ""))}` }
  }
  const bearer = apiKey ?? token ?? environment("COUNTERSIGN_API_KEY") ?? environment("COUNTERSIGN_TOKEN")
  return bearer === undefined ? {} : { authorization: `Bearer ${readToken("apiKey", bearer)}` }
}

/** Resolves after the time; rejects with the signal's reason. */
const sleep = (millis: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort)
      resolve()
    }, millis)
    signal?.addEventListener("abort", abort, { once: true })
  })

export const readSettings = (options: ClientOptions): Settings => {
  const baseUrl = options.baseUrl ?? environment("COUNTERSIGN_URL")
  if (baseUrl === undefined) {
    throw inputError("baseUrl", "give the hub's address, or set the environment variable COUNTERSIGN_URL")
  }
  return {
    baseUrl: readBaseUrl(baseUrl),
    credential: readCredential(options),
    workspace: options.workspace === undefined ? undefined : readWorkspace(options.workspace),
    retries: readRetries(options.retries ?? retriesDefault),
    timeout: readMillis("timeout", options.timeout ?? timeoutMillisDefault),
    dispatchTimeout: readMillis("dispatchTimeout", options.dispatchTimeout ?? dispatchTimeoutMillisDefault),
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    sleep: options.sleep ?? sleep
  }
}
