/** AWS Signature Version 4 of headers and URLs. Bodies are not signed: they are streamed, and TLS protects them. */
import { AwsV4Signer } from "aws4fetch"
import { Effect } from "effect"

export interface SigningKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
}

export interface SignedRequest {
  readonly method: string
  /** With its query. */
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly at: Date
}

const sign = ({ accessKeyId, region, secretAccessKey }: SigningKey, request: SignedRequest, inQuery: boolean) =>
  Effect.promise(() =>
    new AwsV4Signer({
      accessKeyId,
      secretAccessKey,
      region,
      service: "s3",
      method: request.method,
      url: request.url.href,
      headers: request.headers ?? {},
      datetime: request.at.toISOString().replace(/[-:]|\.\d{3}/g, ""),
      signQuery: inQuery,
      // The default leaves out content-type, content-length, and range.
      allHeaders: true
    }).sign()
  )

/** URLSearchParams writes a space as `+`, which some stores read as a plus sign. */
const withoutPlus = ({ href }: URL): string => href.replaceAll("+", "%20")

/** The address and the headers of a signed request. */
export const signedRequest = (key: SigningKey, request: SignedRequest) =>
  Effect.map(sign(key, request, false), ({ headers }) => ({
    url: withoutPlus(request.url),
    headers: Object.fromEntries(headers)
  }))

/** A URL that is valid for some seconds; its caller sends `headers` unchanged. */
export const presignedUrl = (
  key: SigningKey,
  { seconds, ...request }: SignedRequest & { readonly seconds: number }
): Effect.Effect<string> => {
  const url = new URL(request.url)
  url.searchParams.set("X-Amz-Expires", String(seconds))
  return Effect.map(sign(key, { ...request, url }, true), ({ url: signed }) => withoutPlus(signed))
}
