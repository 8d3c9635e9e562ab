/** The routes of the documentation: `/docs`, everything below it, and `/llms.txt`. They need no credential. */
import { Effect, Schedule } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { gzipSync } from "node:zlib"
import { Settings } from "../config.ts"
import { consoleFiles } from "../console/files.ts"
import { consoleDirectory } from "../console/http.ts"
import { encodingFor, isNavigation, pathOf } from "../console/rules.ts"
import { matches } from "../edge/etag.ts"
import { contentSecurityPolicy, fileHeaders, pageHeaders } from "../edge/page-headers.ts"
import { htmlType } from "../platform/html.ts"
import type { Served, Site } from "./site.ts"

/** Loaded at the first use, with the parser of Markdown and the search. */
const documentation: Effect.Effect<Site> = Effect.map(
  Effect.promise(() => import("./site.ts")),
  ({ documentation }) => documentation()
)

/** Scripts, styles, fonts, and images of this hub only, and no inline script or style. */
const documentHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders,
  "content-security-policy": contentSecurityPolicy({
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "font-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'"
  })
}

const immutableCache = "public, max-age=31536000, immutable"
const gzipMin = 1_024

/** Compressed once: the objects are those that the site keeps. */
const compressed = new WeakMap<Served, Uint8Array>()
const gzipOf = (served: Served): Uint8Array => {
  const known = compressed.get(served) ?? gzipSync(served.bytes)
  compressed.set(served, known)
  return known
}

const answer = (
  request: HttpServerRequest.HttpServerRequest,
  served: Served,
  { status = 200, vary = "accept-encoding" }: { readonly status?: number; readonly vary?: string } = {}
): HttpServerResponse.HttpServerResponse => {
  const isText = !served.type.startsWith("image/") && served.bytes.length >= gzipMin
  const encoding = isText ? encodingFor(request.headers["accept-encoding"], ["gzip"]) : undefined
  const etag = `"${encoding === undefined ? served.etag : `${served.etag}-${encoding}`}"`
  const headers = {
    ...served.type === htmlType ? documentHeaders : fileHeaders,
    "cache-control": served.isVersioned === true && request.url.includes("?v=") ? immutableCache : "no-cache",
    vary,
    etag
  }
  if (status === 200 && matches(request.headers["if-none-match"], etag)) {
    return HttpServerResponse.empty({ status: 304, headers })
  }
  return HttpServerResponse.uint8Array(encoding === undefined ? served.bytes : gzipOf(served), {
    status,
    contentType: served.type,
    headers: { ...headers, ...encoding === undefined ? {} : { "content-encoding": encoding } }
  })
}

const redirect = (location: string) =>
  HttpServerResponse.empty({ status: 308, headers: { ...fileHeaders, location, "cache-control": "no-cache" } })

/** Addresses of earlier versions. A browser keeps the fragment of the address that it asked for. */
const moved: Readonly<Record<string, string>> = { "/docs/guide": "/docs/concepts", "/docs/index": "/docs" }

/** The current address of a page that is named with its folder, or with a slash at its end. */
const otherAddress = ({ contents }: Site, path: string): string | undefined => {
  const known = moved[path]
  if (known !== undefined) return known
  if (path.length > "/docs".length && path.endsWith("/")) return path.replace(/\/+$/u, "")
  const [, folder, name] = /^\/docs\/(?<folder>[a-z-]+)\/(?<name>[a-z0-9-]+(?:\.md)?)$/u.exec(path) ?? []
  if (folder === undefined || name === undefined) return undefined
  return contents.byFile.has(`${folder}/${name.replace(/\.md$/u, "")}.md`) ? `/docs/${name}` : undefined
}

/** A person reads pages; a program gets JSON. */
const wantsPage = (headers: Readonly<Record<string, string | undefined>>): boolean =>
  isNavigation(headers) || /\btext\/html\b/u.test(headers["accept"] ?? "")

const queryOf = (url: string): string => {
  const at = url.indexOf("?")
  return at < 0 ? "" : new URLSearchParams(url.slice(at + 1)).get("q") ?? ""
}

const search = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
  const query = queryOf(request.url)
  const { search, searchPage, warm } = yield* documentation
  // Soon after a start: other requests continue between two pages.
  while (warm()) yield* Effect.yieldNow
  return wantsPage(request.headers)
    ? answer(request, searchPage(query), { vary: "accept, sec-fetch-mode, accept-encoding" })
    : HttpServerResponse.jsonUnsafe({ data: search(query) }, {
      headers: { ...fileHeaders, "cache-control": "no-cache", vary: "accept, sec-fetch-mode" }
    })
})

/** The fonts of the built console, whose names change with their bytes. Without it, pages have the system's fonts. */
const fonts: Readonly<Record<string, RegExp>> = {
  "/docs/assets/sans.woff2": /^\/assets\/instrument-sans-latin-wght-normal-[\w-]+\.woff2$/u,
  "/docs/assets/mono.woff2": /^\/assets\/jetbrains-mono-latin-wght-normal-[\w-]+\.woff2$/u
}
const currentConsole = consoleFiles(consoleDirectory)

const font = (name: RegExp): Effect.Effect<HttpServerResponse.HttpServerResponse | undefined> =>
  Effect.map(Effect.promise(currentConsole), (files) => {
    const found = [...files?.byPath ?? []].find(([path]) => name.test(path))?.[1]
    return found === undefined ? undefined : HttpServerResponse.uint8Array(found.bytes, {
      contentType: found.type,
      headers: { ...fileHeaders, "cache-control": "public, max-age=86400" }
    })
  })

const page = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
  const path = pathOf(request.url)
  if (path === "/docs/search") return yield* search(request)
  const name = Object.hasOwn(fonts, path) ? fonts[path] : undefined
  const file = name === undefined ? undefined : yield* font(name)
  if (file !== undefined) return file
  const site = yield* documentation
  const served = site.at(path)
  if (served !== undefined) return answer(request, served)
  const current = otherAddress(site, path)
  if (current !== undefined) return redirect(current)
  if (wantsPage(request.headers)) return answer(request, site.notFoundPage(), { status: 404 })
  return yield* Effect.fail(
    new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) })
  )
})

export const documentationLayer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const { publicUrl } = yield* Settings
  yield* router.add("GET", "/docs/*", page)
  yield* router.add(
    "GET",
    "/llms.txt",
    (request) => Effect.map(documentation, (site) => answer(request, site.llms(publicUrl.origin)))
  )
}))

/** After the first requests of the callers that waited for the start. A search before it prepares the pages itself. */
const warmAfter = "10 seconds"

/** Renders and indexes every page, one at a time, so that no request waits for all of them. */
export const warmDocumentation = Effect.map(documentation, ({ warm }) => warm()).pipe(
  Effect.repeat({ while: (more) => more, schedule: Schedule.spaced("10 millis") }),
  Effect.delay(warmAfter),
  Effect.catchCause((cause) => Effect.logWarning("the documentation cannot be rendered", cause))
)
