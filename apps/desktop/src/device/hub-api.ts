/** HTTP client for the hub. It follows no redirects, so the key goes to one origin only. */
import { Schema } from "effect"
import { isIP } from "node:net"
import { misconfigured } from "./exits.ts"

/** Timeout of an answer without long polling. */
const answerMillis = 20_000
/** The largest answer: 4 leased commands, or a command with its input and result. */
const answerBytesMax = 6 * 1024 * 1024

export interface HubAnswer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- the wire, as it came
  readonly body: any
  readonly retryAfterSeconds?: number
}

export interface HubApi {
  readonly url: string
  /** Rejects when there is no answer. `waitSeconds` is the requested long-poll time. */
  readonly call: (method: string, path: string, options?: {
    readonly body?: unknown
    readonly bearer?: string
    readonly waitSeconds?: number
    readonly signal?: AbortSignal
  }) => Promise<HubAnswer>
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || (isIP(host) === 4 && host.startsWith("127."))

/**
 * Parses a hub address entered by a person. Plain HTTP is allowed for this machine only: the key would travel
 * unencrypted.
 */
export const parseHubUrl = (text: string): string => {
  if (!URL.canParse(text)) throw misconfigured(`${text} is no address of a hub; give one like https://hub.example.com`)
  const url = new URL(text)
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw misconfigured("The hub's address begins with https://")
  }
  if (url.username !== "" || url.password !== "") {
    throw misconfigured("The hub's address carries no user and no password")
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw misconfigured("A hub on another machine is reached by https:// only")
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`
}

export const hubApi = (url: string): HubApi => ({
  url,
  call: async (method, path, { bearer, body, signal, waitSeconds = 0 } = {}) => {
    const limit = AbortSignal.timeout(answerMillis + waitSeconds * 1_000)
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      redirect: "error",
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await boundedText(response)
    const after = Number(response.headers.get("retry-after") ?? Number.NaN)
    return {
      status: response.status,
      body: parsedJson(text),
      ...(Number.isFinite(after) ? { retryAfterSeconds: after } : {})
    }
  }
})

/** Rejects as soon as the answer exceeds the size limit. */
const boundedText = async (response: Response): Promise<string> => {
  if (response.body === null) return ""
  const parts: Array<Uint8Array> = []
  let bytes = 0
  // Leaving the loop early cancels the body.
  for await (const part of response.body) {
    bytes += part.byteLength
    if (bytes > answerBytesMax) throw new Error(`the answer is longer than ${answerBytesMax} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString("utf8")
}

/** Undefined if it is not JSON. */
export const parsedJson = (text: string): unknown => {
  try {
    return text === "" ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

const ErrorAnswer = Schema.Struct({
  error: Schema.Struct({ code: Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(64)) })
})
const isErrorAnswer = Schema.is(ErrorAnswer)

/** The error code of the contract's envelope. A proxy's error has none. */
export const codeOf = (body: unknown): string | undefined => isErrorAnswer(body) ? body.error.code : undefined

/** The hub's error message, for a person. */
export const wordsOf = ({ body, status }: HubAnswer): string => {
  const code = codeOf(body)
  return code === undefined || typeof body?.error?.message !== "string"
    ? `the hub answered ${status}`
    : `${code}: ${body.error.message}`
}

/** A short reason for a connection failure, without an address. */
export const whyUnreachable = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause ?? error : error
  const code = (cause as { readonly code?: unknown } | undefined)?.code
  return typeof code === "string" ? code : cause instanceof Error ? cause.message : "no answer"
}
