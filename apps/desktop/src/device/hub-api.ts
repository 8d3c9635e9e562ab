/** The hub over HTTP, as the device calls it. Redirects are not followed: the key goes to one origin only. */
import { isIP } from "node:net"
import { misconfigured } from "./exits.ts"

/** For an answer that waits for nothing. */
const answerMillis = 20_000

export interface HubAnswer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- the wire, as it came
  readonly body: any
  readonly retryAfterSeconds?: number
}

export interface HubApi {
  readonly url: string
  /** Rejects when no answer came. `waitSeconds` is what the hub was asked to wait. */
  readonly call: (method: string, path: string, options?: {
    readonly body?: unknown
    readonly bearer?: string
    readonly waitSeconds?: number
    readonly signal?: AbortSignal
  }) => Promise<HubAnswer>
}

const isLoopback = (host: string): boolean => host === "localhost" || host === "[::1]" || (isIP(host) === 4 && host.startsWith("127."))

/** The hub's address as a person gives it. Plain http is for this machine alone: the key would go in clear. */
export const parseHubUrl = (text: string): string => {
  if (!URL.canParse(text)) throw misconfigured(`${text} is no address of a hub; give one like https://hub.example.com`)
  const url = new URL(text)
  if (url.protocol !== "https:" && url.protocol !== "http:") throw misconfigured("The hub's address begins with https://")
  if (url.username !== "" || url.password !== "") throw misconfigured("The hub's address carries no user and no password")
  if (url.protocol === "http:" && !isLoopback(url.hostname)) throw misconfigured("A hub on another machine is reached by https:// only")
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
    const text = await response.text()
    const after = Number(response.headers.get("retry-after") ?? Number.NaN)
    return { status: response.status, body: parsed(text), ...(Number.isFinite(after) ? { retryAfterSeconds: after } : {}) }
  }
})

const parsed = (text: string): unknown => {
  try {
    return text === "" ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What the hub said of an error, for a person. */
export const wordsOf = ({ body, status }: HubAnswer): string =>
  typeof body?.error?.message === "string" ? `${body.error.code}: ${body.error.message}` : `the hub answered ${status}`

/** Why nothing was reached, in a few words and without an address. */
export const whyUnreachable = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause ?? error : error
  const code = (cause as { readonly code?: unknown } | undefined)?.code
  return typeof code === "string" ? code : cause instanceof Error ? cause.message : "no answer"
}
