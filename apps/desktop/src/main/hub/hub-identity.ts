/**
 * Determines which hub answers at an address, without any credential, and reads the facts of an untrusted certificate
 * for display.
 */
import { Health } from "@countersign/domain/discovery"
import { HubError } from "@countersign/hub-client/error"
import { Result, Schema } from "effect"
import { createHash, X509Certificate } from "node:crypto"
import { request } from "node:http"
import { request as requestSecure } from "node:https"
import { isIP, type Socket } from "node:net"
import { connect, type DetailedPeerCertificate } from "node:tls"
import type { ProxyOf } from "./system-proxy.ts"
import { type Transport, untrusted } from "./transport.ts"

const answerMillis = 15_000
const decode = Schema.decodeUnknownResult(Health)

export interface Certificate {
  readonly subject: string
  readonly sha256: string
  /** The topmost certificate of the chain that the hub sent, which an import would trust. */
  readonly pem: string
}

/** Compares dotted numbers; a part that is not a number counts as 0. */
export const isOlder = (version: string, than: string): boolean => {
  const parts = (text: string) => text.split(".").map((each) => Number.parseInt(each, 10) || 0)
  const [mine, wanted] = [parts(version), parts(than)]
  for (let at = 0; at < Math.max(mine.length, wanted.length); at++) {
    if ((mine[at] ?? 0) !== (wanted[at] ?? 0)) return (mine[at] ?? 0) < (wanted[at] ?? 0)
  }
  return false
}

/** Rejects with a `HubError`. `transport` sends no session if it has none. */
export const readHealth = async (url: string, transport: Transport, signal?: AbortSignal): Promise<Health> => {
  const limit = AbortSignal.timeout(answerMillis)
  let response: Response
  try {
    response = await transport.fetch(`${url}/api/v1/health`, {
      headers: { accept: "application/json" },
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal])
    })
  } catch (error) {
    if (limit.aborted) {
      throw new HubError({ status: 0, code: "timeout", message: `No answer within ${answerMillis / 1_000} s.` })
    }
    throw error
  }
  const text = await response.text()
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  const health = decode(body)
  if (!response.ok || Result.isFailure(health)) {
    // While a hub starts or is replaced, its gateway answers.
    throw new HubError({
      status: response.status >= 500 ? response.status : 0,
      code: "no_hub",
      message: "Something answers at this address, but it is no hub."
    })
  }
  return health.success
}

const pemOf = (raw: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${
    raw.toString("base64").replace(/.{64}/gu, "$&\n").trimEnd()
  }\n-----END CERTIFICATE-----\n`

/** A connection to this host and port through a proxy. */
const throughProxy = (proxy: string, place: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const ask = proxy.startsWith("https:") ? requestSecure : request
    const asked = ask(proxy, {
      method: "CONNECT",
      path: place,
      headers: { host: place },
      timeout: answerMillis,
      agent: false
    })
    asked.once("connect", (answer, socket) => {
      if (answer.statusCode === 200) return resolve(socket)
      socket.destroy()
      reject(new Error(`the proxy answered ${answer.statusCode}`))
    })
    asked.once("timeout", () => asked.destroy(new Error("timeout")))
    asked.once("error", reject)
    asked.end()
  })

/** The certificate of an untrusted hub. This connection transmits no data and is closed at once. */
export const readCertificate = async (url: string, proxy: ProxyOf): Promise<Certificate> => {
  const { hostname, port: given } = new URL(url)
  const host = hostname.replace(/^\[|\]$/gu, "")
  const port = given === "" ? 443 : Number(given)
  const proxyUrl = await proxy(url)
  const through = proxyUrl === undefined
    ? { host, port }
    : { socket: await throughProxy(proxyUrl, `${hostname}:${port}`) }
  return await new Promise((resolve, reject) => {
    const socket = connect({
      ...through,
      rejectUnauthorized: false,
      timeout: answerMillis,
      ...isIP(host) === 0 ? { servername: host } : {}
    })
    const end = (act: () => void) => {
      socket.destroy()
      act()
    }
    socket.once("timeout", () => end(() => reject(new Error("timeout"))))
    socket.once("error", (error) => end(() => reject(error)))
    socket.once("secureConnect", () => {
      let top: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true)
      for (let depth = 0; depth < 10 && top.issuerCertificate !== undefined && top.issuerCertificate !== top; depth++) {
        top = top.issuerCertificate
      }
      const { raw } = top
      end(() =>
        raw === undefined ? reject(new Error("no certificate")) : resolve({
          subject: new X509Certificate(raw).subject.replaceAll("\n", ", "),
          sha256: createHash("sha256").update(raw).digest("hex"),
          pem: pemOf(raw)
        })
      )
    })
  })
}

export type Found =
  | { readonly kind: "hub"; readonly hub_id: string; readonly version: string; readonly min_app_version: string }
  | { readonly kind: "untrusted"; readonly code: string; readonly certificate: Certificate }
  | { readonly kind: "none"; readonly code: string; readonly message: string }

/** For a hub that is about to be added: its identity is always requested, never assumed. */
export const findHub = async (url: string, transport: Transport, proxy: ProxyOf): Promise<Found> => {
  try {
    const { hub_id, min_app_version, version } = await readHealth(url, transport)
    return { kind: "hub", hub_id, version, min_app_version }
  } catch (error) {
    const { code, data, message } = error instanceof HubError
      ? error
      : new HubError({ status: 0, code: "network_error", message: String(error) })
    if (code !== untrusted) return { kind: "none", code, message }
    try {
      return {
        kind: "untrusted",
        code: String(data["cause"] ?? code),
        certificate: await readCertificate(url, proxy)
      }
    } catch {
      return { kind: "none", code, message }
    }
  }
}
