/** The settings of a client, checked before anything is sent. */
import { Effect } from "effect"
import { type InputError, inputError } from "./client-errors.ts"
import { pollBudgetMillis } from "./client-polling.ts"
import { retriesDefault, retriesMax } from "./retry-rules.ts"

/** One try of a call, from its start to the last byte of its answer. */
export const timeoutMillisDefault = 60_000
/** The same for a dispatch: an operation may take ten minutes, and the answer waits for it. */
export const dispatchTimeoutMillisDefault = 660_000
const timeoutMillisMax = 86_400_000

/** The types of `fetch` and `AbortSignal` in the environment: Node, a browser, or Electron. */
export type Fetch = typeof globalThis extends { readonly fetch: infer F } ? F
  : (input: never, init?: never) => Promise<unknown>
export type Signal = typeof globalThis extends { readonly AbortSignal: { readonly prototype: infer S } } ? S
  : { readonly aborted: boolean; readonly reason: unknown }
type UrlParts = Readonly<
  Record<"protocol" | "origin" | "pathname" | "username" | "password" | "search" | "hash", string>
>
declare const URL: new(text: string) => UrlParts

export interface ClientOptions {
  /** The address of the hub: `https://hub.example`, with the path of its proxy, if any. It may end in `/api/v1`. */
  readonly baseUrl: string
  /**
   * An agent key or a personal access token; a function is called before every try. Without one the browser's cookie
   * applies.
   */
  readonly credential?: string | (() => string | undefined)
  /** The workspace of every call, for people who belong to several. */
  readonly workspace?: string
  /** Tries after the first; 0 for none. */
  readonly retries?: number
  readonly timeoutMillis?: number
  readonly dispatchTimeoutMillis?: number
  /** The total time of one polling. */
  readonly pollBudgetMillis?: number
  /** Replaces the environment's own. */
  readonly fetch?: Fetch
}

export interface CallOptions {
  /** 1 to 255 printable ASCII characters. Makes a POST or PATCH safe to repeat, so it is retried too. */
  readonly idempotencyKey?: string
  /** Overrides the client's workspace. */
  readonly workspace?: string
  readonly retries?: number
  readonly timeoutMillis?: number
}

export interface Settings {
  readonly baseUrl: string
  readonly credential: () => string | undefined
  readonly workspace: string | undefined
  readonly retries: number
  readonly timeoutMillis: number
  readonly dispatchTimeoutMillis: number
  readonly pollBudgetMillis: number
  readonly fetch: Fetch | undefined
}

const readBaseUrl = (text: string): string | undefined => {
  try {
    const url = new URL(text)
    const isHttp = url.protocol === "http:" || url.protocol === "https:"
    const isPlain = url.username + url.password + url.search + url.hash === ""
    return isHttp && isPlain ? url.origin + url.pathname.replace(/\/+$/u, "").replace(/\/api\/v1$/u, "") : undefined
  } catch {
    return undefined
  }
}

export const readRetries = (value: number): Effect.Effect<number, InputError> =>
  Number.isInteger(value) && value >= 0 && value <= retriesMax
    ? Effect.succeed(value)
    : Effect.fail(inputError("retries", `expected a whole number from 0 to ${retriesMax}`))

export const readMillis = (name: string, value: number): Effect.Effect<number, InputError> =>
  value >= 1 && value <= timeoutMillisMax
    ? Effect.succeed(value)
    : Effect.fail(inputError(name, `expected 1 to ${timeoutMillisMax} milliseconds`))

const tokenPattern = /^[\x21-\x7e]{1,4096}$/u

/** A value that fills a header alone. The value is a secret: no message contains it. */
export const readToken = (name: string, value: string): Effect.Effect<string, InputError> =>
  tokenPattern.test(value)
    ? Effect.succeed(value)
    : Effect.fail(inputError(name, "expected printable ASCII without blanks"))

export const readIdempotencyKey = (value: string): Effect.Effect<string, InputError> =>
  /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/u.test(value)
    ? Effect.succeed(value)
    : Effect.fail(
      inputError("idempotencyKey", "expected 1 to 255 printable ASCII characters, without blanks at the ends")
    )

export const readSettings = (options: ClientOptions): Effect.Effect<Settings, InputError> =>
  Effect.gen(function*() {
    const baseUrl = readBaseUrl(options.baseUrl)
    if (baseUrl === undefined) {
      return yield* inputError("baseUrl", "expected an http(s) address without user, query and fragment")
    }
    const { credential } = options
    if (typeof credential === "string") {
      yield* readToken("credential", credential)
    }
    return {
      baseUrl,
      credential: typeof credential === "function" ? credential : () => credential,
      workspace: options.workspace === undefined ? undefined : yield* readToken("workspace", options.workspace),
      retries: yield* readRetries(options.retries ?? retriesDefault),
      timeoutMillis: yield* readMillis("timeoutMillis", options.timeoutMillis ?? timeoutMillisDefault),
      dispatchTimeoutMillis: yield* readMillis(
        "dispatchTimeoutMillis",
        options.dispatchTimeoutMillis ?? dispatchTimeoutMillisDefault
      ),
      pollBudgetMillis: yield* readMillis("pollBudgetMillis", options.pollBudgetMillis ?? pollBudgetMillis),
      fetch: options.fetch
    }
  })
