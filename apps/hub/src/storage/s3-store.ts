/** Objects in a bucket of an S3-compatible store. Spec: reference/storage.md "S3". */
import { Clock, Effect, Option, type Scope, Stream } from "effect"
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { tmpdir } from "node:os"
import { Readable } from "node:stream"
import { streamedBytes } from "../platform/memory.ts"
import type { EgressStreams, StreamAnswer } from "../providers/egress-streams.ts"
import { presignedUrl, signedRequest } from "./aws-signature.ts"
import { patienceDefault } from "./patience.ts"
import { removeLeftFiles } from "./spool.ts"
import { type BlobArea, type BlobStore, type ListedBlob, StoreFailure } from "./store.ts"

export interface S3Settings {
  readonly bucket: string
  readonly endpoint: URL
  /** The endpoint as browsers and other machines reach it. */
  readonly publicEndpoint: URL
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The bucket is the first segment of the path, not a part of the host name. */
  readonly pathStyle: boolean
}

const listPage = 1_000
const smallBytesMax = 4 * 1024 * 1024

type Query = ReadonlyArray<readonly [string, string]>

interface Call {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE"
  readonly name?: string
  readonly query?: Query
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Readable
}

/** The text of a small answer. */
const textOf = async (body: Readable): Promise<string> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += (chunk as Buffer).byteLength
    if (bytes > smallBytesMax) throw new Error(`the answer is longer than ${smallBytesMax} bytes`)
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: "\"", apos: "'" }
const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name]!)

/** The text of each element of a name, in order. */
const elements = (xml: string, name: string): ReadonlyArray<string> =>
  Array.from(xml.matchAll(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, "g")), ([, text]) => text!)

export const s3Store = (
  settings: S3Settings,
  streams: EgressStreams["Service"],
  silenceMillis = patienceDefault.storeSilenceMillis
): BlobStore => {
  const urlOf = (endpoint: URL, name: string | undefined, query: Query = []): URL => {
    const url = new URL(endpoint.href)
    const base = url.pathname.replace(/\/$/, "")
    if (!settings.pathStyle) url.host = `${settings.bucket}.${url.host}`
    url.pathname = [base, ...settings.pathStyle ? [settings.bucket] : [], ...name === undefined ? [] : [name]].join("/")
    for (const [field, value] of query) url.searchParams.set(field, value)
    return url
  }

  const unreachable = (detail: string) => new StoreFailure({ reason: "unreachable", detail })

  /** One signed call. Any answer but success and 404 is a failure; its text names the store's reason. */
  const call = (
    { body, headers, method, name, query = [] }: Call
  ): Effect.Effect<StreamAnswer | undefined, StoreFailure, Scope.Scope> =>
    Effect.gen(function*() {
      const signed = yield* signedRequest(settings, {
        method,
        url: urlOf(settings.endpoint, name, query),
        at: new Date(yield* Clock.currentTimeMillis),
        ...headers === undefined ? {} : { headers }
      })
      const answer = yield* streams.open({
        ...signed,
        method,
        ...body === undefined ? {} : { body },
        silenceMillis
      }).pipe(Effect.mapError((error) => unreachable(error.message)))
      if (answer.status >= 200 && answer.status < 300) return answer
      const text = yield* Effect.tryPromise({
        try: () => textOf(answer.body),
        catch: (error) => unreachable(String(error))
      })
      const code = elements(text, "Code")[0] ?? ""
      if (answer.status === 404 && code !== "NoSuchBucket") return undefined
      const detail = `${method} ${name ?? "?"}: ${answer.status} ${code} ${elements(text, "Message")[0] ?? ""}`.trim()
      return yield* new StoreFailure({
        reason: answer.status >= 500 || answer.status === 429
          ? "unreachable"
          : code === "QuotaExceeded" || answer.status === 507
          ? "full"
          : "refused",
        detail
      })
    })

  /** For calls whose answers have no body to keep. */
  const done = (request: Call) =>
    Effect.scoped(Effect.gen(function*() {
      const answer = yield* call(request)
      if (answer !== undefined && request.method !== "HEAD") {
        yield* Effect.tryPromise({ try: () => textOf(answer.body), catch: (error) => unreachable(String(error)) })
      }
      return answer
    }))

  const lengthOf = ({ headers }: StreamAnswer): number => Number(headers["content-length"])

  const write = (name: string, body: Readable, bytes: number, contentType: string) =>
    Effect.flatMap(
      done({
        method: "PUT",
        name,
        headers: { "content-length": String(bytes), "content-type": contentType },
        body
      }),
      (answer) => answer === undefined ? Effect.fail(unreachable(`PUT ${name}: 404`)) : Effect.void
    )

  const page = (area: BlobArea, after: string): Effect.Effect<ReadonlyArray<ListedBlob>, StoreFailure> =>
    Effect.scoped(Effect.gen(function*() {
      const answer = yield* call({
        method: "GET",
        query: [
          ["list-type", "2"],
          ["max-keys", String(listPage)],
          ["prefix", area],
          ...after === "" ? [] : [["start-after", after] as const]
        ]
      })
      if (answer === undefined) return []
      const xml = yield* Effect.tryPromise({
        try: () => textOf(answer.body),
        catch: (error) => unreachable(String(error))
      })
      return elements(xml, "Contents").map((entry): ListedBlob => ({
        name: unescaped(elements(entry, "Key")[0] ?? ""),
        modifiedMillis: Date.parse(elements(entry, "LastModified")[0] ?? "")
      }))
    }))

  return {
    spoolFolder: Effect.sync(tmpdir),
    urls: {
      upload: (name, { at, bytes, contentType, seconds }) =>
        presignedUrl(settings, {
          method: "PUT",
          url: urlOf(settings.publicEndpoint, name),
          headers: { "content-length": String(bytes), "content-type": contentType },
          at,
          seconds
        }),
      download: (name, { at, contentType, disposition, seconds }) =>
        presignedUrl(settings, {
          method: "GET",
          url: urlOf(settings.publicEndpoint, name, [
            ["response-cache-control", "private, no-cache"],
            ["response-content-disposition", disposition],
            ["response-content-type", contentType]
          ]),
          at,
          seconds
        })
    },
    size: (name) =>
      Effect.map(done({ method: "HEAD", name }), (answer) => answer === undefined ? undefined : lengthOf(answer)),
    put: (name, file, contentType) =>
      Effect.suspend(() => write(name, createReadStream(file.path), file.bytes, contentType)),
    read: (name, range) =>
      Effect.map(
        call({
          method: "GET",
          name,
          ...range === undefined ? {} : { headers: { range: `bytes=${range.start}-${range.end}` } }
        }),
        (answer) => answer?.body
      ),
    seal: (from, to, { bytes, contentType }) =>
      Effect.scoped(Effect.gen(function*() {
        const answer = yield* call({ method: "GET", name: from })
        if (answer === undefined) return undefined
        const length = lengthOf(answer)
        if (length !== bytes) return { bytes: length, sha256: "" }
        const hash = createHash("sha256")
        const streamed = streamedBytes()
        const source = answer.body
        const copied = Readable.from(
          (async function*() {
            for await (const chunk of source) {
              hash.update(chunk as Buffer)
              streamed((chunk as Buffer).byteLength)
              yield chunk as Buffer
            }
          })(),
          { objectMode: false }
        )
        yield* write(to, copied, bytes, contentType)
        return { bytes, sha256: hash.digest("hex") }
      })),
    remove: (name) => Effect.asVoid(done({ method: "DELETE", name })),
    list: (area, after) =>
      Stream.paginate(after, (after) =>
        Effect.map(page(area, after), (blobs) => {
          const last = blobs.at(-1)
          return [last === undefined ? [] : [blobs], Option.map(Option.fromUndefinedOr(last), ({ name }) => name)]
        })),
    removeLeft: (unchangedSince) =>
      Effect.tryPromise({
        try: () => removeLeftFiles(tmpdir(), unchangedSince),
        catch: (error) => unreachable(String(error))
      })
  }
}
