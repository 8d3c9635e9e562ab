/**
 * Sends requests to one hub: only to its origin, over TLS that this computer or the profile trusts, without following
 * redirects, with the session as a cookie and without an `Origin` header. Spec: reference/desktop.md "E10: approvals
 * and credentials", "E13: certificates and identity".
 */
import { HubError } from "@countersign/hub-client/error"
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

export interface Transport {
  readonly fetch: typeof globalThis.fetch
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
  const leaving = new Set<Promise<Dispatcher>>()
  const fetch = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    const address = String(input)
    if (!address.startsWith(`${url}/api/v1/`)) {
      throw new HubError({ status: 0, code: "foreign_address", message: "This address is not the hub's." })
    }
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
      if (response.status >= 300 && response.status < 400 && response.status !== 304) {
        await response.body?.cancel()
        throw new HubError({
          status: response.status,
          code: "redirected",
          message: "The address sends elsewhere. Give the hub's own address."
        })
      }
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
  return {
    fetch: fetch as typeof globalThis.fetch,
    renew: () => {
      const old = opening
      opening = undefined
      if (old === undefined) return
      leaving.add(old)
      void old.then((dispatcher) => dispatcher.close()).catch(() => {}).finally(() => leaving.delete(old))
    },
    close: async () => {
      await Promise.all(
        [...leaving, ...opening === undefined ? [] : [opening]].map(async (each) => (await each).destroy())
      )
    }
  }
}
