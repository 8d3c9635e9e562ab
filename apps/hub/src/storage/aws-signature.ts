/**
 * AWS Signature Version 4, for headers and for URLs, over `node:crypto`. Bodies are not signed: they are streamed, and
 * TLS protects them. (Amazon S3 API reference, "Authenticating requests".)
 */
import { createHash, createHmac } from "node:crypto"

export interface SigningKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
}

const algorithm = "AWS4-HMAC-SHA256"
const unsigned = "UNSIGNED-PAYLOAD"

const hmac = (key: string | Uint8Array, text: string): Buffer => createHmac("sha256", key).update(text).digest()

/** RFC 3986: every byte except unreserved characters. */
export const percentEncode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

/** `20261124T093000Z` */
const timestampOf = (at: Date): string => at.toISOString().replace(/[-:]|\.\d{3}/g, "")

const queryOf = (query: ReadonlyArray<readonly [string, string]>): string =>
  query.map(([name, value]) => [percentEncode(name), percentEncode(value)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, value]) => `${name}=${value}`).join("&")

interface Signed {
  readonly method: string
  readonly url: URL
  readonly query: ReadonlyArray<readonly [string, string]>
  readonly headers: Readonly<Record<string, string>>
  readonly at: Date
}

const scopeOf = ({ region }: SigningKey, timestamp: string) => `${timestamp.slice(0, 8)}/${region}/s3/aws4_request`

const signatureOf = (key: SigningKey, { at, headers, method, query, url }: Signed): string => {
  const names = Object.keys(headers).toSorted()
  const canonical = [
    method,
    url.pathname,
    queryOf(query),
    ...names.map((name) => `${name}:${headers[name]!.trim()}`),
    "",
    names.join(";"),
    unsigned
  ].join("\n")
  const timestamp = timestampOf(at)
  const text = [
    algorithm,
    timestamp,
    scopeOf(key, timestamp),
    createHash("sha256").update(canonical).digest("hex")
  ].join("\n")
  const secret = [timestamp.slice(0, 8), key.region, "s3", "aws4_request"].reduce<string | Uint8Array>(
    hmac,
    `AWS4${key.secretAccessKey}`
  )
  return hmac(secret, text).toString("hex")
}

/** The headers of a signed request; `url` has no query. */
export const signedHeaders = (
  key: SigningKey,
  request: Omit<Signed, "headers"> & { readonly headers?: Readonly<Record<string, string>> }
): Readonly<Record<string, string>> => {
  const timestamp = timestampOf(request.at)
  const headers = {
    ...request.headers,
    "x-amz-content-sha256": unsigned,
    "x-amz-date": timestamp
  }
  const all = { ...headers, host: request.url.host }
  const signature = signatureOf(key, { ...request, headers: all })
  return {
    ...headers,
    authorization: `${algorithm} Credential=${key.accessKeyId}/${scopeOf(key, timestamp)}, SignedHeaders=${
      Object.keys(all).toSorted().join(";")
    }, Signature=${signature}`
  }
}

/** A URL that is valid for some seconds; its caller sends `headers` unchanged. */
export const presignedUrl = (
  key: SigningKey,
  { seconds, ...request }: Omit<Signed, "headers"> & {
    readonly headers?: Readonly<Record<string, string>>
    readonly seconds: number
  }
): string => {
  const timestamp = timestampOf(request.at)
  const headers = { ...request.headers, host: request.url.host }
  const query = [
    ...request.query,
    ["X-Amz-Algorithm", algorithm],
    ["X-Amz-Credential", `${key.accessKeyId}/${scopeOf(key, timestamp)}`],
    ["X-Amz-Date", timestamp],
    ["X-Amz-Expires", String(seconds)],
    ["X-Amz-SignedHeaders", Object.keys(headers).toSorted().join(";")]
  ] as const
  const signature = signatureOf(key, { ...request, query, headers })
  return `${request.url.href}?${queryOf([...query, ["X-Amz-Signature", signature]])}`
}

/** A request's address with its query, as it was signed. */
export const withQuery = (url: URL, query: ReadonlyArray<readonly [string, string]>): string =>
  query.length === 0 ? url.href : `${url.href}?${queryOf(query)}`
