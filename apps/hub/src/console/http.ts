/** The console at the root: the built files of `packages/ui`, and its index for the address of every screen. */
import { Effect, Option } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { resolve } from "node:path"
import { Settings } from "../config.ts"
import { matches } from "../edge/etag.ts"
import { fileHeaders, pageHeaders, pageHeadersWith } from "../edge/page-headers.ts"
import { bucketOrigin } from "../storage/rules.ts"
import { type ConsoleFile, consoleFiles } from "./files.ts"
import { unbuiltPage } from "./page.ts"
import { type Encoding, encodingFor, isNavigation, isScreenPath, pathOf } from "./rules.ts"

export const consoleDirectory = resolve(import.meta.dirname, "../../../../packages/ui/dist")

/** A year: the content of a hashed name never changes. */
const immutableCache = "public, max-age=31536000, immutable"

const answerWith = (
  request: HttpServerRequest.HttpServerRequest,
  onPages: Readonly<Record<string, string>>,
  { bytes, encoded, etag, hashed, type }: ConsoleFile
) => {
  const available = Object.keys(encoded) as ReadonlyArray<Encoding>
  const encoding = encodingFor(request.headers["accept-encoding"], available)
  const tag = `"${encoding === undefined ? etag : `${etag}-${encoding}`}"`
  const headers = {
    ...type.startsWith("text/html") ? onPages : fileHeaders,
    etag: tag,
    "cache-control": hashed ? immutableCache : "no-cache",
    ...available.length === 0 ? {} : { vary: "Accept-Encoding" }
  }
  return matches(request.headers["if-none-match"], tag)
    ? HttpServerResponse.empty({ status: 304, headers })
    : HttpServerResponse.uint8Array(encoding === undefined ? bytes : encoded[encoding] ?? bytes, {
      contentType: type,
      headers: { ...headers, ...encoding === undefined ? {} : { "content-encoding": encoding } }
    })
}

const notBuilt = HttpServerResponse.text(unbuiltPage, {
  status: 503,
  contentType: "text/html; charset=utf-8",
  headers: { ...pageHeaders, "cache-control": "no-store", "retry-after": "10" }
})

/** The console's page, for an address that another route answers first. */
export const consolePage = (() => {
  const current = consoleFiles(consoleDirectory)
  return (request: HttpServerRequest.HttpServerRequest) =>
    Effect.map(
      Effect.promise(current),
      (files) => files === undefined ? notBuilt : answerWith(request, pageHeaders, files.index)
    )
})()

/** Serves the built files of a folder to GET and HEAD, at every address without another route. */
export const consoleLayerOf = (directory: string) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const current = consoleFiles(directory)
    const { storage: { s3 } } = yield* Settings
    const onPages = Option.match(s3, { onNone: () => pageHeaders, onSome: (s3) => pageHeadersWith(bucketOrigin(s3)) })
    yield* router.add("GET", "*", (request) =>
      Effect.flatMap(Effect.promise(current), (files) => {
        const path = pathOf(request.url)
        const file = files?.byPath.get(path)
        if (file !== undefined) return Effect.succeed(answerWith(request, onPages, file))
        if (path === "/" || isNavigation(request.headers) && isScreenPath(path)) {
          return Effect.succeed(files === undefined ? notBuilt : answerWith(request, onPages, files.index))
        }
        return Effect.fail(
          new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) })
        )
      }))
  }))

export const consoleLayer = consoleLayerOf(consoleDirectory)
