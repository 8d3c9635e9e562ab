/** The way out of this computer's network, as the system says it: in a company perhaps a proxy, chosen by a script. */
import { Context } from "effect"

/** For an address of a hub: the proxy's, or none where it is reached directly. Never rejects. */
export type ProxyOf = (url: string) => Promise<string | undefined>

/** A script that has to be loaded first, from a network that is not there, keeps no hub waiting for longer. */
const answerMillisMax = 5_000

const schemes: Readonly<Record<string, string>> = { PROXY: "http", HTTP: "http", HTTPS: "https" }

/** The first way of `PROXY proxy.example:3128; DIRECT` that can be taken here. SOCKS cannot. */
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

/** `resolve` as Chromium does it. */
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

/** Filled by the composition; else there is no proxy but the one of the environment. */
export const SystemProxy = Context.Reference<ProxyOf>("@countersign/desktop/hub/SystemProxy", {
  defaultValue: () => () => Promise.resolve(undefined)
})
