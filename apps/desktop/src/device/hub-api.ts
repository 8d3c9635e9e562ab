/** HTTP client for the hub. It follows no redirects, so the key goes to one origin only. */
import { readErrorEnvelope } from "@countersign/domain/error-envelope"
import { hubAddress } from "@countersign/hub-client/hub-address"
import { misconfigured } from "./exits.ts"

/** Timeout of an answer without long polling. */
const answerMillis = 20_000
/** The largest answer: 4 leased commands, or a command with its input and result. */
const answerBytesMax = 6 * 1024 * 1024

export interface HubAnswer {
  readonly status: number
  /** Parsed JSON that no schema has decoded; undefined if it is not JSON. */
  readonly body: unknown
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

/** Throws an `Exit` for a refused address. A command names the scheme, so that a mistyped option is no host. */
export const parseHubUrl = (text: string): string => {
  const address = text.includes("://") ? hubAddress(text) : { reason: `${text} does not begin with https://` }
  if (typeof address !== "string") throw misconfigured(address.reason)
  return address
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

/** A longer code is not one of the hub's. */
const codeLengthMax = 64

/** The error code of the contract's envelope. A proxy's error has none. */
export const codeOf = (body: unknown): string | undefined => {
  const { code } = readErrorEnvelope(body)
  return code !== undefined && code.length <= codeLengthMax ? code : undefined
}

/** The hub's error message, for a person. */
export const wordsOf = ({ body, status }: HubAnswer): string => {
  const code = codeOf(body)
  const { message } = readErrorEnvelope(body)
  return code === undefined || message === undefined ? `the hub answered ${status}` : `${code}: ${message}`
}

/** A short reason for a connection failure, without an address. */
export const whyUnreachable = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause ?? error : error
  const code = (cause as { readonly code?: unknown } | undefined)?.code
  return typeof code === "string" ? code : cause instanceof Error ? cause.message : "no answer"
}
