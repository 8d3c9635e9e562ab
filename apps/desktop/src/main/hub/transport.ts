/**
 * Sends requests to one hub: only to its origin, over TLS that this computer or the profile trusts, without following
 * redirects, with the session as a cookie and without an `Origin` header. Spec: reference/desktop.md "E10: approvals
 * and credentials", "E13: certificates and identity".
 */
import { HubError, readError } from "@countersign/hub-client/error"
import { getCACertificates, rootCertificates } from "node:tls"
import {
  Agent,
  type Dispatcher,
  EnvHttpProxyAgent,
  fetch as undiciFetch,
  ProxyAgent,
  type RequestInit as UndiciRequestInit
} from "undici"
import type { ProxyOf } from "./system-proxy.ts"

const connectMillis = 10_000
export const sessionCookieName = "svc_session"

export interface TransportOptions {
  /** The profile's address. */
  readonly url: string
  readonly ca?: string | undefined
  /** The system's proxy. A proxy in the environment takes precedence. */
  readonly proxy: ProxyOf
  /** The session cookie's value, or undefined. */
  readonly session: () => string | undefined
  /** The hub set the cookie, or deleted it (`undefined`). */
  readonly onSession: (value: string | undefined) => void
}

export interface SignedRequest {
  readonly method: "GET" | "PUT"
  readonly headers: Readonly<Record<string, string>>
  readonly body?: ReadableStream<Uint8Array>
  readonly signal: AbortSignal
}

export interface Transport {
  readonly fetch: typeof globalThis.fetch
  /** The address to which the hub redirects a GET. */
  readonly locate: (address: string, signal: AbortSignal) => Promise<string>
  /**
   * Sends to an address that the hub signed, without the session and without following redirects. Addresses below the
   * hub's own path are sent to the profile's address; others need HTTPS, unless the hub itself is reached by HTTP.
   */
  readonly signed: (address: string, request: SignedRequest) => Promise<Response>
  /** Later requests use new connections, since existing ones may be dead; requests in progress finish. */
  readonly renew: () => void
  readonly close: () => Promise<void>
}

/**
 * Codes of an untrusted certificate. Only an unknown authority can be imported; the hub's operator must correct the
 * other faults.
 */
const unknownAuthority: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_UNTRUSTED"
])
const isCertificateCode = (code: string): boolean =>
  unknownAuthority.has(code) || code.startsWith("CERT_") || code === "ERR_TLS_CERT_ALTNAME_INVALID"
export const mayImport = (code: string): boolean => unknownAuthority.has(code)

export const untrusted = "untrusted_certificate"

/** The code under a failed fetch: `ECONNREFUSED`, `CERT_HAS_EXPIRED`. */
export const causeCode = (error: unknown): string | undefined => {
  for (let each = error, depth = 0; each instanceof Error && depth < 4; each = each.cause, depth++) {
    const { code } = each as { readonly code?: unknown }
    if (typeof code === "string") return code
  }
  return undefined
}

/** The error for a request without an answer; distinguishes certificate faults from network faults. */
const unansweredError = (error: unknown): HubError => {
  const code = causeCode(error)
  const certificate = code !== undefined && isCertificateCode(code)
  return new HubError({
    status: 0,
    code: certificate ? untrusted : "network_error",
    message: certificate
      ? `The hub's certificate is not trusted (${code}).`
      : `The hub was not reached${code === undefined ? "" : ` (${code})`}.`,
    data: code === undefined ? {} : { cause: code }
  })
}

/** The error of an answer that is not a success. */
export const refusalOf = async (response: Response): Promise<HubError> => {
  const text = await response.text()
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  const { headers, status } = response
  return readError(body, { status, requestId: headers.get("x-request-id") ?? undefined })
}

let trusted: ReadonlyArray<string> | undefined
/**
 * The authorities that this computer and Node's settings trust. Read once, since reading takes tens of milliseconds.
 */
const trustedHere = (): ReadonlyArray<string> =>
  trusted ??= typeof getCACertificates === "function"
    ? [...new Set([...getCACertificates("default"), ...getCACertificates("system")])]
    : rootCertificates

const namesProxy = ({ HTTPS_PROXY, https_proxy }: NodeJS.ProcessEnv): boolean =>
  (https_proxy ?? HTTPS_PROXY ?? "") !== ""

/**
 * A proxy forwards bytes: its own certificate is checked against this computer's authorities, the hub's certificate
 * against those and the profile's.
 */
const dispatcherOf = async (url: string, ca: string | undefined, proxy: ProxyOf): Promise<Dispatcher> => {
  const { protocol } = new URL(url)
  const limits = { headersTimeout: 0, bodyTimeout: 0 }
  if (protocol === "http:") return new Agent({ ...limits, connect: { timeout: connectMillis } })
  const tls = {
    ca: [...trustedHere(), ...ca === undefined ? [] : [ca]],
    allowPartialTrustChain: true,
    timeout: connectMillis
  }
  const uri = namesProxy(process.env) ? undefined : await proxy(url)
  if (uri === undefined) return new EnvHttpProxyAgent({ ...limits, connect: tls, requestTls: tls })
  return new ProxyAgent({
    ...limits,
    uri,
    requestTls: tls,
    proxyTls: { ca: [...trustedHere()], timeout: connectMillis }
  })
}

/** The cookie value in this answer; null when the answer deletes the cookie. */
const cookieSet = (headers: Headers): string | null | undefined => {
  const line = headers.getSetCookie().findLast((each) => each.startsWith(`${sessionCookieName}=`))
  if (line === undefined) return undefined
  const [pair = "", ...attributes] = line.split(";")
  const value = pair.slice(sessionCookieName.length + 1).trim()
  return value === "" || attributes.some((each) => /^\s*max-age=0\s*$/iu.test(each)) ? null : value
}

/** Characters that a header allows. */
export const isSessionValue = (value: string): boolean => /^[\w.~+/=-]{1,512}$/u.test(value)

export const makeTransport = ({ ca, onSession, proxy, session, url }: TransportOptions): Transport => {
  let opening: Promise<Dispatcher> | undefined
  /** For the origin of the hub's object store. */
  let store: { readonly origin: string; readonly opening: Promise<Dispatcher> } | undefined
  const leaving = new Set<Promise<Dispatcher>>()
  const foreign = () => new HubError({ status: 0, code: "foreign_address", message: "This address is not the hub's." })
  const isRedirect = ({ status }: Response): boolean => status >= 300 && status < 400 && status !== 304
  const redirected = ({ status }: Response) =>
    new HubError({ status, code: "redirected", message: "The address sends elsewhere. Give the hub's own address." })

  const send = async (address: string, init: RequestInit): Promise<Response> => {
    if (!address.startsWith(`${url}/api/v1/`)) throw foreign()
    const value = session()
    const { cache: _, credentials: __, ...rest } = init
    const headers = new Headers(init.headers)
    headers.delete("origin")
    if (value !== undefined) headers.set("cookie", `${sessionCookieName}=${value}`)
    opening ??= dispatcherOf(url, ca, proxy)
    try {
      const dispatcher = await opening
      const sent = {
        ...rest,
        headers: Object.fromEntries(headers),
        dispatcher,
        redirect: "manual",
        mode: "cors"
      } as UndiciRequestInit
      const response = await undiciFetch(address, sent) as unknown as Response
      const set = cookieSet(response.headers)
      // Other endpoints cannot begin or end a session, so a late answer does not change it.
      if (set !== undefined && address.startsWith(`${url}/api/v1/auth/`) && (set === null || isSessionValue(set))) {
        onSession(set ?? undefined)
      }
      return response
    } catch (error) {
      if (error instanceof HubError || init.signal?.aborted === true) throw error
      throw unansweredError(error)
    }
  }

  const fetch = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    const response = await send(String(input), init)
    if (!isRedirect(response)) return response
    await response.body?.cancel()
    throw redirected(response)
  }

  const dispatcherFor = (origin: string): Promise<Dispatcher> => {
    if (origin === new URL(url).origin) return opening ??= dispatcherOf(url, ca, proxy)
    if (store?.origin !== origin) {
      if (store !== undefined) leave(store.opening)
      store = { origin, opening: dispatcherOf(origin, ca, proxy) }
    }
    return store.opening
  }

  const signed = async (given: string, { body, headers, method, signal }: SignedRequest): Promise<Response> => {
    const { pathname, search } = URL.parse(given) ?? { pathname: "", search: "" }
    const address = new URL(pathname.startsWith("/api/v1/storage/blobs/") ? `${url}${pathname}${search}` : given)
    if (address.protocol !== "https:" && !(address.protocol === "http:" && url.startsWith("http:"))) throw foreign()
    try {
      const response = await undiciFetch(address.href, {
        method,
        headers,
        signal,
        redirect: "manual",
        dispatcher: await dispatcherFor(address.origin),
        ...body === undefined ? {} : { body, duplex: "half" }
      } as UndiciRequestInit) as unknown as Response
      if (!isRedirect(response)) return response
      await response.body?.cancel()
      throw redirected(response)
    } catch (error) {
      if (error instanceof HubError || signal.aborted) throw error
      throw unansweredError(error)
    }
  }

  const leave = (old: Promise<Dispatcher>): void => {
    leaving.add(old)
    void old.then((dispatcher) => dispatcher.close()).catch(() => {}).finally(() => leaving.delete(old))
  }

  return {
    fetch: fetch as typeof globalThis.fetch,
    locate: async (address, signal) => {
      const response = await send(address, { signal })
      const location = response.headers.get("location")
      if (response.status !== 302 || location === null) throw await refusalOf(response)
      await response.body?.cancel()
      return location
    },
    signed,
    renew: () => {
      for (const old of [opening, store?.opening]) if (old !== undefined) leave(old)
      opening = undefined
      store = undefined
    },
    close: async () => {
      await Promise.all(
        [...leaving, opening, store?.opening].filter((each) => each !== undefined).map(async (each) =>
          (await each).destroy()
        )
      )
    }
  }
}
