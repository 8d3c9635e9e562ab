/**
 * A credential in a place where the hub does not read it: in the query, in another header, or in another scheme. The
 * refusal names the place. Such a value is never looked up or accepted as a credential. Pure.
 */
import { capitalized } from "@countersign/domain/text"

export type CredentialKind =
  | "agent key"
  | "personal access token"
  | "device key"
  | "OAuth access token"
  | "credential"

export const kindOf = (token: string): CredentialKind =>
  token.startsWith("agent_key_")
    ? "agent key"
    : token.startsWith("svc_pat_")
    ? "personal access token"
    : token.startsWith("svc_device_")
    ? "device key"
    : token.startsWith("svc_oauth_")
    ? "OAuth access token"
    : "credential"

export const withArticle = (kind: CredentialKind): string =>
  `${kind === "agent key" || kind === "OAuth access token" ? "an" : "a"} ${kind}`

const correction = "Send it as Authorization: Bearer <credential>."

/** Headers that carry a key in other APIs. */
const otherHeaders = [
  "x-api-key",
  "api-key",
  "apikey",
  "x-api-token",
  "x-auth-token",
  "x-access-token",
  "x-agent-key",
  "x-countersign-key"
]
/** Query parameters that carry a key in other APIs. */
const otherParameters =
  /^(?:api[_-]?key|access[_-]?token|agent[_-]?key|auth|authorization|bearer|credential|key|pat|token)$/iu

const inAuthorization = (header: string): string => {
  const [scheme = "", rest] = header.trim().split(/\s+/u, 2)
  if (kindOf(scheme) !== "credential") {
    return `The header authorization holds ${
      withArticle(kindOf(scheme))
    } without the word Bearer before it. ${correction}`
  }
  const known = /^(?:basic|digest|token|apikey|api-key|key)$/iu.exec(scheme)?.[0]
  return rest === undefined || known === undefined
    ? `The header authorization is not of the form "Bearer <credential>". ${correction}`
    : `The header authorization uses the scheme ${known}; the hub supports only Bearer. ${correction}`
}

const inQuery = (url: string): string | undefined => {
  const at = url.indexOf("?")
  if (at < 0) return undefined
  const found = [...new URLSearchParams(url.slice(at + 1))].find(([name, value]) =>
    kindOf(value) !== "credential" || otherParameters.test(name)
  )
  if (found === undefined) return undefined
  const what = kindOf(found[1]) === "credential" ? "A credential" : capitalized(withArticle(kindOf(found[1])))
  return `${what} in the query is ignored, and addresses are logged by proxies: revoke it if it is real. ${correction}`
}

const inHeader = (headers: Readonly<Record<string, string | undefined>>): string | undefined => {
  const name = otherHeaders.find((each) => headers[each] !== undefined)
  if (name === undefined) return undefined
  const kind = kindOf(headers[name]?.replace(/^bearer\s+/iu, "") ?? "")
  return `${capitalized(withArticle(kind))} in the header ${name} is ignored. ${correction}`
}

/**
 * Names the place of a credential that was not sent as `Authorization: Bearer`; `undefined` where none is recognized.
 */
export const misplacedCredential = (
  { headers, url }: { readonly headers: Readonly<Record<string, string | undefined>>; readonly url: string }
): string | undefined => {
  const { authorization } = headers
  if (authorization !== undefined && !/^bearer\s+\S/iu.test(authorization)) {
    return /^bearer\s*$/iu.test(authorization)
      ? `The header authorization has no credential after Bearer. ${correction}`
      : inAuthorization(authorization)
  }
  return authorization === undefined ? inHeader(headers) ?? inQuery(url) : undefined
}

/** The likely kind of an unknown bearer credential; `undefined` where nothing is recognized. */
export const malformedBearer = (token: string): string | undefined => {
  const inside = token.replace(/^["'<]|["'>]$/gu, "").replace(/^bearer\s+/iu, "").replace(/^["'<]/u, "")
  if (inside !== token && kindOf(inside) !== "credential") {
    return `The bearer credential has quotes, brackets or a second "Bearer" around ${
      withArticle(kindOf(inside))
    }. Send it plain.`
  }
  return /^(?:undefined|null|none|nil|\$.*|<.*>|%.*%|\{.*\})$/iu.test(token)
    ? "The bearer credential is a placeholder: the variable that holds it is not set."
    : undefined
}
