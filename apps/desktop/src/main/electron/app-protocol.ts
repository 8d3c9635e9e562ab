/**
 * The only source of pages: `app://countersign/…` serves the build's files from an index that is created once, so that
 * no address can lead to another file; any other path without a dot is a screen of the console. Spec:
 * reference/desktop.md "E2: own pages", "E3: content security policy".
 */
import { endpoints } from "@countersign/hub-client/endpoints"
import { readdirSync, readFileSync } from "node:fs"
import { extname, join, relative, sep } from "node:path"
import { downloads } from "../../bridge/channels.ts"
import { appHost, appScheme } from "../windows/own-page.ts"

export const privilegedScheme = {
  scheme: appScheme,
  privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true, stream: true }
} as const

const policy = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "font-src": "'self'",
  "img-src": "'self' data:",
  "media-src": "'self'",
  // Only main connects to hubs; a page loads only its own files.
  "connect-src": "'self'",
  "manifest-src": "'self'",
  "worker-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'none'",
  "frame-ancestors": "'none'",
  "require-trusted-types-for": "'script'",
  "trusted-types": "'none'"
}

const fileHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin"
}
const pageHeaders: Readonly<Record<string, string>> = {
  ...fileHeaders,
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": Object.entries(policy).map(([name, value]) => `${name} ${value}`).join("; "),
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cache-control": "no-cache"
}

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8"
}

const filesOf = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile()).map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [`/${relative(folder, path).split(sep).join("/")}`, path]
    })
  )

const notFound = (): Response =>
  new Response("Not found", { status: 404, headers: { ...fileHeaders, "content-type": "text/plain" } })

const api = "/api/v1"
/** A parameter in the path of a download is one id. */
const downloadPaths: ReadonlyArray<RegExp> = downloads.map((name) => {
  const path = endpoints[name].slice("GET ".length)
  return new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/:\w+/gu, "[\\w-]{1,64}")}$`, "u")
})
/** The one download with a redirect to the object store. */
const objectPath = /^\/storage\/objects\/[\w-]{1,64}\/download$/u
/** Content types of exports; every other type is served as bytes. A page executes none of them. */
const savedTypes: ReadonlySet<string> = new Set(["application/json", "application/x-ndjson", "text/csv"])
/** Types of objects that an element of a page shows. None of them runs scripts. */
const shownType = /^(?:image\/(?:png|jpeg|gif|webp|avif)|audio\/[\w.+-]+|video\/[\w.+-]+)$/u

/** A plain file name: no path, no leading dot, and no characters that are special in a header or a file system. */
const savedName = (disposition: string | null, pathname: string): string => {
  const named = /filename="([^"]*)"/u.exec(disposition ?? "")?.[1] ?? pathname.slice(pathname.lastIndexOf("/") + 1)
  return named.replace(/[^\w.-]+/gu, "_").replace(/^\.+/u, "").slice(-100) || "download"
}

/**
 * Headers for a hub's body on the app's own origin. The body is always saved and never displayed: a page on this origin
 * would have access to the bridge, so a hub must not be able to serve one.
 */
const savedHeaders = (
  answer: Response,
  pathname: string,
  isObject: boolean
): Readonly<Record<string, string>> => {
  const type = answer.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? ""
  const length = answer.headers.get("content-length")
  const part = answer.headers.get("content-range")
  return {
    ...fileHeaders,
    "content-type": isObject
      ? shownType.test(type) ? type : "application/octet-stream"
      : savedTypes.has(type)
      ? `${type}; charset=utf-8`
      : "application/octet-stream",
    ...isObject ? { "accept-ranges": "bytes" } : {},
    ...isObject && part !== null && /^bytes [\d*]+(?:-\d+)?\/[\d*]+$/u.test(part) ? { "content-range": part } : {},
    "content-disposition": `attachment; filename="${savedName(answer.headers.get("content-disposition"), pathname)}"`,
    "content-security-policy": "default-src 'none'; sandbox",
    "cache-control": "no-store",
    // A body that was compressed is longer after decoding.
    ...length === null || !/^\d+$/u.test(length) || answer.headers.has("content-encoding")
      ? {}
      : { "content-length": length }
  }
}

export interface PagesOptions {
  /** The built renderer. */
  readonly folder: string
  /**
   * A GET below `/api/v1` to the hub of the window's profile. Rejects without a hub, or when it is unreachable.
   * `isObject`: the hub redirects it to the bytes of an object.
   */
  readonly download: (
    path: string,
    options: { readonly isObject: boolean; readonly range: string | undefined; readonly signal: AbortSignal }
  ) => Promise<Response>
  /** For a session that may load only this page, without downloads. */
  readonly only?: "/owner.html"
}

export const makePages = ({ download, folder, only }: PagesOptions) => {
  let files: ReadonlyMap<string, string> | undefined
  const page = (name: string): Response => {
    const path = (files ??= filesOf(folder)).get(name)
    return path === undefined ? notFound() : new Response(new Uint8Array(readFileSync(path)), { headers: pageHeaders })
  }
  return async (
    request: {
      readonly url: string
      readonly method: string
      readonly headers: Pick<Headers, "get">
      readonly signal: AbortSignal
    }
  ): Promise<Response> => {
    const url = URL.parse(request.url)
    if (url === null || url.protocol !== `${appScheme}:` || url.host !== appHost || request.method !== "GET") {
      return notFound()
    }
    const { pathname } = url
    // Encoded path characters are refused, not decoded.
    if (/%2e|%2f|%5c|%00|\\|\.\./iu.test(request.url.split(/[?#]/u)[0] ?? "")) return notFound()
    if (pathname === only) return page(pathname)
    if (pathname.startsWith("/api/")) {
      if (only !== undefined) return notFound()
      const path = pathname.slice(api.length)
      const isObject = objectPath.test(path)
      if (!pathname.startsWith(`${api}/`) || !isObject && !downloadPaths.some((each) => each.test(path))) {
        return notFound()
      }
      const range = request.headers.get("range") ?? undefined
      try {
        const answer = await download(path + url.search, { isObject, range, signal: request.signal })
        return new Response(answer.body, { status: answer.status, headers: savedHeaders(answer, pathname, isObject) })
      } catch {
        return new Response("The hub was not reached.", {
          status: 502,
          headers: { ...fileHeaders, "content-type": "text/plain" }
        })
      }
    }
    if (pathname === "/confirm.html" && only === undefined) return page(pathname)
    const path = (files ??= filesOf(folder)).get(pathname)
    const type = types[extname(pathname)]
    if (path !== undefined && type !== undefined) {
      return new Response(new Uint8Array(readFileSync(path)), {
        headers: { ...fileHeaders, "content-type": type, "cache-control": "public, max-age=31536000, immutable" }
      })
    }
    return only === undefined && extname(pathname) === "" && !pathname.startsWith("/assets/")
      ? page("/index.html")
      : notFound()
  }
}
