/** The system's proxy for a hub address; a company's proxy may be chosen by a script. */
import { Context } from "effect"

/** Resolves to the proxy for an address, or undefined for a direct connection. Never rejects. */
export type ProxyOf = (url: string) => Promise<string | undefined>

/** Limits the wait for a proxy script that must be loaded from an unreachable network. */
const answerMillisMax = 5_000

const schemes: Readonly<Record<string, string>> = { PROXY: "http", HTTP: "http", HTTPS: "https" }

/** The first supported entry of `PROXY proxy.example:3128; DIRECT`. SOCKS is not supported. */
export const proxyIn = (ways: string): string | undefined => {
  for (const way of ways.split(";")) {
    const [kind = "", place = ""] = way.trim().split(/\s+/u)
    if (kind.toUpperCase() === "DIRECT") return undefined
    const scheme = schemes[kind.toUpperCase()]
    const url = scheme === undefined || place === "" ? null : URL.parse(`${scheme}://${place}`)
    if (url !== null) return url.origin
  }
  return undefined
}

/** `resolve`: Chromium's proxy resolution. */
export const proxyOf = (resolve: (url: string) => Promise<string>): ProxyOf => async (url) => {
  const { promise: late, resolve: giveUp } = Promise.withResolvers<string>()
  const timer = setTimeout(() => giveUp("DIRECT"), answerMillisMax)
  try {
    return proxyIn(await Promise.race([resolve(url), late]))
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

/** Supplied by the composition; otherwise only the environment's proxy is used. */
export const SystemProxy = Context.Reference<ProxyOf>("@countersign/desktop/hub/SystemProxy", {
  defaultValue: () => () => Promise.resolve(undefined)
})
