/** Sign-in of MCP clients by OAuth 2.1: addresses, documents and checks. Pure. Spec: reference/mcp.md "Sign-in". */
import { createHash } from "node:crypto"
import { ownOrigin } from "../edge/own-origin.ts"
import { isLoopbackName } from "../origins.ts"

export const codeSeconds = 300
export const accessSeconds = 3_600
/** A grant that is not used for this long ends. */
export const refreshSeconds = 30 * 86_400
/** A client without a grant is forgotten after this. */
export const clientSeconds = 86_400
export const scope = "mcp"
const redirectUrisMax = 10
const redirectUriLengthMax = 2_048
const clientNameLengthMax = 100
const stateLengthMax = 2_048

/** An error as RFC 6749 has it. */
export class OAuthRefusal {
  readonly _tag = "OAuthRefusal"
  readonly code: string
  readonly description: string
  readonly status: number
  constructor(code: string, description: string, status = 400) {
    this.code = code
    this.description = description
    this.status = status
  }
}

/** Tokens must not travel unencrypted: sign-in is off on a plain address beyond this machine. */
export const isOffered = (publicUrl: URL): boolean =>
  publicUrl.protocol === "https:" || isLoopbackName(publicUrl.hostname)

/** The hub's address as the client sees it. */
export const issuerOf = ownOrigin

export const resourceOf = (issuer: string): string => `${issuer}/mcp`
export const metadataUrl = (issuer: string): string => `${issuer}/.well-known/oauth-protected-resource/mcp`

export const protectedResource = (issuer: string) => ({
  resource: resourceOf(issuer),
  authorization_servers: [issuer],
  bearer_methods_supported: ["header"],
  scopes_supported: [scope],
  resource_name: "Countersign"
})

export const authorizationServer = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  registration_endpoint: `${issuer}/oauth/register`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  scopes_supported: [scope],
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  client_id_metadata_document_supported: true,
  // `iss` is sent (RFC 9207) and not announced: many clients pass on the code alone, and would then refuse it.
  code_challenge_methods_supported: ["S256"]
})

/** An address to which codes may be sent: https, or http on the person's own machine. */
const redirectProblem = (text: unknown): string | undefined => {
  if (typeof text !== "string" || text.length > redirectUriLengthMax) return "must be a text of at most 2048 characters"
  const url = URL.parse(text)
  if (url === null || /[\s\\]/u.test(text)) return "is not an absolute URL"
  if (text.includes("#")) return "has a fragment"
  if (url.username !== "" || url.password !== "") return "has a user or password"
  return url.protocol === "https:" || url.protocol === "http:" && isLoopbackName(url.hostname)
    ? undefined
    : "must be https, or http on loopback"
}

export interface NewClient {
  readonly name: string
  readonly redirectUris: ReadonlyArray<string>
}

/** The metadata of a registration (RFC 7591). Fields that the hub does not use are ignored. */
export const readClient = (value: unknown): NewClient | OAuthRefusal => {
  const metadata = typeof value === "object" && value !== null ? value as Readonly<Record<string, unknown>> : {}
  const { client_name: name, redirect_uris: uris } = metadata
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > redirectUrisMax) {
    return new OAuthRefusal(
      "invalid_redirect_uri",
      `redirect_uris must be a list of 1 to ${redirectUrisMax} addresses.`
    )
  }
  for (const [at, uri] of uris.entries()) {
    const problem = redirectProblem(uri)
    if (problem !== undefined) return new OAuthRefusal("invalid_redirect_uri", `redirect_uris[${at}] ${problem}.`)
  }
  if (name !== undefined && typeof name !== "string") {
    return new OAuthRefusal("invalid_client_metadata", "client_name must be a text.")
  }
  const shown = (name ?? "").toWellFormed().replace(/[\p{Cc}\p{Cf}]/gu, "").trim().slice(0, clientNameLengthMax)
  return { name: shown === "" ? "MCP client" : shown.toWellFormed(), redirectUris: uris as ReadonlyArray<string> }
}

/** Whether a client's id is the address of its metadata document, and not one that the hub issued. */
export const isDocumentAddress = (id: string): boolean => /^https?:/iu.test(id)

/** Why an address cannot be a client's id. It is compared as text, so it must be in its normal form. */
export const documentAddressProblem = (id: string): string | undefined => {
  const url = URL.parse(id)
  if (url === null || id.length > redirectUriLengthMax) return "is not an address of at most 2048 characters"
  if (url.protocol !== "https:") return "must be an https address, or one that this hub issued"
  if (url.username !== "" || url.password !== "") return "has a user or password"
  if (id.includes("#")) return "has a fragment"
  if (url.pathname === "/") return "must have a path"
  return url.href === id ? undefined : `must be in its normal form, ${url.href}`
}

const documentSecondsMin = 300
const documentSecondsMax = 86_400
const documentSecondsDefault = 3_600

/** How long a document is used, by its own `cache-control` within bounds. */
export const documentSeconds = (cacheControl: string | undefined): number => {
  if (/\bno-(?:cache|store)\b/iu.test(cacheControl ?? "")) return documentSecondsMin
  const [, age = String(documentSecondsDefault)] = /\bmax-age\s*=\s*"?(\d{1,9})/iu.exec(cacheControl ?? "") ?? []
  return Math.min(documentSecondsMax, Math.max(documentSecondsMin, Number(age)))
}

/** The client that a metadata document describes. Only public clients are supported. */
export const readDocument = (id: string, value: unknown): NewClient | OAuthRefusal => {
  const metadata = typeof value === "object" && value !== null ? value as Readonly<Record<string, unknown>> : {}
  const wrong = (description: string) => new OAuthRefusal("invalid_client_metadata", description)
  const { client_id: own, grant_types: grants, response_types: types, token_endpoint_auth_method: method } = metadata
  if (own !== id) return wrong("The metadata document names another client_id than its own address.")
  if ("client_secret" in metadata || (method !== undefined && method !== "none")) {
    return wrong("This hub supports public clients only: token_endpoint_auth_method must be none, without a secret.")
  }
  const lacks = (list: unknown, item: string) => list !== undefined && !(Array.isArray(list) && list.includes(item))
  if (lacks(grants, "authorization_code") || lacks(types, "code")) {
    return wrong("The client must allow the grant authorization_code and the response type code.")
  }
  return readClient(metadata)
}

const withoutPort = (text: string): string => {
  const url = URL.parse(text)
  if (url === null || url.protocol !== "http:" || !isLoopbackName(url.hostname)) return text
  url.port = ""
  return url.href
}

/** Addresses match exactly, except for the ports of loopback: a client listens on a free one (RFC 8252). */
export const isRegistered = (uri: string, registered: ReadonlyArray<string>): boolean =>
  registered.includes(uri) ||
  redirectProblem(uri) === undefined && registered.some((one) => withoutPort(one) === withoutPort(uri))

export interface AuthorizationRequest {
  readonly redirectUri: string
  readonly challenge: string
  readonly resource: string
  readonly state: string | undefined
}

type Parameters = Readonly<Record<string, unknown>>

/** Checks what remains once the client and its address are known: these errors go back to the client. */
export const readAuthorization = (
  sent: Parameters,
  redirectUri: string,
  issuer: string
): AuthorizationRequest | OAuthRefusal => {
  const { code_challenge: challenge, code_challenge_method: method, resource, response_type: type, state } = sent
  if (type !== "code") return new OAuthRefusal("unsupported_response_type", "response_type must be code.")
  if (typeof challenge !== "string" || !/^[A-Za-z0-9_-]{43}$/u.test(challenge) || method !== "S256") {
    return new OAuthRefusal(
      "invalid_request",
      "PKCE is required: code_challenge of 43 characters, code_challenge_method S256."
    )
  }
  if (state !== undefined && (typeof state !== "string" || state.length > stateLengthMax)) {
    return new OAuthRefusal("invalid_request", `state must be a text of at most ${stateLengthMax} characters.`)
  }
  if (resource === undefined) {
    return new OAuthRefusal("invalid_target", `resource is required: ${resourceOf(issuer)}.`)
  }
  return isOwnResource(resource, issuer)
    ? { redirectUri, challenge, resource: resourceOf(issuer), state: state as string | undefined }
    : new OAuthRefusal("invalid_target", `The only resource is ${resourceOf(issuer)}.`)
}

export const isOwnResource = (resource: unknown, issuer: string): boolean =>
  typeof resource === "string" && resource.replace(/\/$/u, "") === resourceOf(issuer)

/** The client's address with the answer; `iss` names this server (RFC 9207). */
export const redirectTo = (
  uri: string,
  issuer: string,
  state: unknown,
  answer: Readonly<Record<string, string>>
): string => {
  const url = new URL(uri)
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value)
  if (typeof state === "string") url.searchParams.set("state", state)
  url.searchParams.set("iss", issuer)
  return url.href
}

export const isVerified = (verifier: string, challenge: string): boolean =>
  /^[A-Za-z0-9._~-]{43,128}$/u.test(verifier) &&
  createHash("sha256").update(verifier).digest("base64url") === challenge
