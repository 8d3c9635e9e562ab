/**
 * The calls to a provider's token endpoint, and what its answers say. Pure, except for random values. Providers differ
 * from RFC 6749 in ways that definitions describe: errors with status 200, JSON bodies, nested tokens. Spec:
 * reference/apps.md "Definitions".
 */
import type { AppDefinition } from "@countersign/domain/apps"
import { isJsonObject, parseStrict } from "@countersign/domain/json"
import { resolvePointer } from "@countersign/domain/pointer"
import { createHash, randomBytes } from "node:crypto"
import type { EgressRequest } from "../providers/egress.ts"
import { filledUrl } from "./rules.ts"

/** A token response is small; a longer one is an error. */
export const tokenAnswerBytesMax = 256 * 1024
export const tokenCallMillis = 15_000
const tokenLengthMax = 16_384
/** Ten years: some providers report a token that never expires by a large number. */
const lifetimeSecondsMax = 315_360_000
const scopesMax = 500

export interface Client {
  readonly id: string
  readonly secret: string
}

export interface Tokens {
  readonly access: string
  /** Absent when the answer has none: the earlier one stays valid. */
  readonly refresh?: string
  readonly lifetimeSeconds?: number
  /** Absent when the answer has none: those that were requested. */
  readonly scopes?: ReadonlyArray<string>
  readonly account?: string
  readonly captured: Readonly<Record<string, string>>
}

export type TokenAnswer =
  | { readonly kind: "tokens"; readonly tokens: Tokens }
  /** The provider says no. `rejected`: the refresh token or code is not valid any more. */
  | { readonly kind: "refused"; readonly rejected: boolean; readonly reason: string }
  /** The answer makes no sense, or the provider has a fault. */
  | { readonly kind: "invalid"; readonly reason: string }

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url")

export const newState = (): string => base64url(randomBytes(32))
export const stateHash = (state: string): Uint8Array => createHash("sha256").update(state).digest()
export const newVerifier = (): string => base64url(randomBytes(32))
export const challengeOf = (verifier: string): string => base64url(createHash("sha256").update(verifier).digest())

/** RFC 6749, section 2.3.1: both parts are form-encoded. */
const basicOf = ({ id, secret }: Client): string => {
  const encoded = (text: string) => new URLSearchParams([["", text]]).toString().slice(1)
  return `Basic ${Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString("base64")}`
}

const bodyOf = (fields: Readonly<Record<string, string>>, kind: "form" | "json") =>
  kind === "json"
    ? { body: JSON.stringify(fields), type: "application/json" }
    : { body: new URLSearchParams(fields).toString(), type: "application/x-www-form-urlencoded" }

/** A POST with the client's credentials in the place that the definition names. */
const clientCall = (
  definition: AppDefinition,
  url: string,
  fields: Readonly<Record<string, string>>,
  client: Client
): EgressRequest => {
  const isBasic = definition.client_auth === "basic"
  const sent = isBasic ? fields : { ...fields, client_id: client.id, client_secret: client.secret }
  const { body, type } = bodyOf(sent, definition.body ?? "form")
  return {
    url,
    method: "POST",
    headers: {
      accept: "application/json",
      "content-type": type,
      ...isBasic ? { authorization: basicOf(client) } : {}
    },
    body,
    timeoutMs: tokenCallMillis,
    maxBytes: tokenAnswerBytesMax,
    overflow: "fail"
  }
}

type Values = Readonly<Record<string, string>>

const tokenUrl = (definition: AppDefinition, params: Values, client: Client) =>
  filledUrl(definition.token_url, { ...definition.params, ...params, client_id: client.id })

export const exchangeCall = (
  definition: AppDefinition,
  client: Client,
  { code, params, redirectUri, verifier }: {
    readonly code: string
    readonly redirectUri: string
    readonly verifier: string
    readonly params: Values
  }
): EgressRequest =>
  clientCall(definition, tokenUrl(definition, params, client), {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    ...definition.pkce === false ? {} : { code_verifier: verifier }
  }, client)

export const refreshCall = (
  definition: AppDefinition,
  client: Client,
  refresh: string,
  params: Values
): EgressRequest =>
  clientCall(
    definition,
    tokenUrl(definition, params, client),
    { grant_type: "refresh_token", refresh_token: refresh },
    client
  )

/** Undefined when the provider has no address for it. */
export const revokeCall = (
  definition: AppDefinition,
  client: Client,
  tokens: { readonly access: string; readonly refresh: string | undefined },
  params: Values
): EgressRequest | undefined => {
  const { revoke } = definition
  if (revoke === undefined) return undefined
  const url = filledUrl(revoke.url, { ...definition.params, ...params, client_id: client.id })
  const token = revoke.token === "access" ? tokens.access : tokens.refresh ?? tokens.access
  return revoke.method === "POST"
    ? clientCall(definition, url, { token }, client)
    : {
      url,
      method: "DELETE",
      headers: { accept: "application/json", "content-type": "application/json", authorization: basicOf(client) },
      body: JSON.stringify({ access_token: token }),
      timeoutMs: tokenCallMillis,
      maxBytes: tokenAnswerBytesMax,
      overflow: "fail"
    }
}

/** Error codes by which providers reject a code or a refresh token, beside RFC 6749's own. */
const rejections: ReadonlySet<string> = new Set([
  "invalid_grant",
  "bad_refresh_token",
  "bad_verification_code",
  "invalid_code",
  "invalid_refresh_token",
  "token_expired",
  "token_revoked"
])

/** An error code of a provider is shown; its other words are not, because they may repeat what was sent. */
const errorCode = (document: Readonly<Record<string, unknown>>): string | undefined => {
  const given = typeof document["error"] === "string"
    ? document["error"]
    : isJsonObject(document["error"]) && typeof document["error"]["code"] === "string"
    ? document["error"]["code"]
    : undefined
  const isAbsent = document["error"] === undefined || document["error"] === null
  if (given === undefined) return isAbsent && document["ok"] !== false ? undefined : "error"
  return /^[\w.-]{1,64}$/.test(given) ? given : "error"
}

const visible = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= tokenLengthMax && /^[\x21-\x7e]+$/.test(value)

/** A value as short text in one line; undefined for anything else. */
const shortText = (value: unknown, max = 512): string | undefined => {
  const text = typeof value === "number" && Number.isFinite(value) ? String(value) : value
  return typeof text === "string" && text.trim() !== "" && text.length <= max && !/\p{Cc}/u.test(text)
    ? text.toWellFormed().trim()
    : undefined
}

export const capturedText = (document: unknown, pointer: string): string | undefined => {
  const found = resolvePointer(document, pointer)
  return found.found ? shortText(found.value) : undefined
}

const lifetimeOf = (value: unknown): number | undefined => {
  const seconds = typeof value === "string" && /^\d{1,12}$/.test(value) ? Number(value) : value
  return typeof seconds === "number" && Number.isFinite(seconds) && seconds > 0
    ? Math.min(Math.floor(seconds), lifetimeSecondsMax)
    : undefined
}

/** The document of an answer; undefined for anything except one JSON object whose member names are unique. */
export const documentOf = (body: Uint8Array): Readonly<Record<string, unknown>> | undefined => {
  let text: string
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body)
  } catch {
    return undefined
  }
  const parsed = parseStrict(text)
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined
}

export const readTokenAnswer = (
  definition: AppDefinition,
  { body, status }: { readonly status: number; readonly body: Uint8Array }
): TokenAnswer => {
  const document = documentOf(body)
  if (status >= 300 && status < 400) return { kind: "invalid", reason: `it answered with a redirect (${status})` }
  if (document === undefined) return { kind: "invalid", reason: `its answer (${status}) is not a JSON object` }
  const error = errorCode(document)
  if (error !== undefined) {
    const isFault = status >= 500 || status === 429 || error === "temporarily_unavailable" || error === "server_error"
    return isFault
      ? { kind: "invalid", reason: `it answered ${status} (${error})` }
      : { kind: "refused", rejected: rejections.has(error), reason: error }
  }
  if (status < 200 || status >= 300) return { kind: "invalid", reason: `it answered ${status}` }
  const { pointers } = definition
  const at = (name: "access_token" | "refresh_token" | "expires_in" | "scope"): unknown => {
    const found = resolvePointer(document, pointers?.[name] ?? `/${name}`)
    return found.found ? found.value : undefined
  }
  const access = at("access_token")
  const refresh = at("refresh_token")
  if (!visible(access)) return { kind: "invalid", reason: "its answer has no access token" }
  const scope = at("scope")
  const scopes = typeof scope === "string"
    ? [...new Set(scope.split(/[\s,]+/).filter((one) => one !== "" && visible(one)))].slice(0, scopesMax)
    : undefined
  const lifetimeSeconds = lifetimeOf(at("expires_in"))
  const account = pointers?.account === undefined ? undefined : capturedText(document, pointers.account)
  const captured = Object.entries(definition.capture ?? {}).flatMap(([name, source]) => {
    const value = typeof source === "string" ? capturedText(document, source) : undefined
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    kind: "tokens",
    tokens: {
      access,
      ...visible(refresh) ? { refresh } : {},
      ...lifetimeSeconds === undefined ? {} : { lifetimeSeconds },
      ...scopes === undefined || scopes.length === 0 ? {} : { scopes },
      ...account === undefined ? {} : { account },
      captured: Object.fromEntries(captured)
    }
  }
}
