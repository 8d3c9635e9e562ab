/**
 * The addresses at the root: the rendered API reference, the guide for operators, and the probes at the usual paths of
 * orchestrators.
 */
import { HubApi } from "@countersign/domain/api"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Settings } from "../config.ts"
import { contentSecurityPolicy, pageHeaders } from "../edge/page-headers.ts"
import { documentPage } from "./document-page.ts"
import { guidePage } from "./guide.ts"
import { answers } from "./http.ts"
import { makeIndexPage } from "./index-page.ts"
import { toHtml } from "./markdown.ts"
import { Discovery, openApiDocument } from "./service.ts"

const docsDir = resolve(import.meta.dirname, "../../../../resources/docs")

const probes = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const { health, metrics, ready } = answers(yield* Discovery, yield* Settings)
  yield* router.add("GET", "/health", health)
  yield* router.add("GET", "/ready", ready)
  yield* router.add("GET", "/metrics", metrics)
}))

/** Of each inline script, as a source of a content security policy. */
export const scriptHashes = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/<script>([\s\S]*?)<\/script>/gi)].map(([, text]) =>
    `'sha256-${createHash("sha256").update(text ?? "").digest("base64")}'`
  )

/**
 * Only the scripts of the page itself run, and nothing is loaded from another origin. Styles are inline because the
 * reference adds its own at run time.
 */
const referenceHeaders = (html: string) => ({
  ...pageHeaders,
  "cache-control": "no-cache",
  "content-security-policy": contentSecurityPolicy({
    "default-src": "'none'",
    "script-src": scriptHashes(html).join(" "),
    "style-src": "'unsafe-inline'",
    "font-src": "'self' data:",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'"
  })
})

const text = new TextDecoder()

const secured = (page: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
  page.body._tag === "Uint8Array"
    ? HttpServerResponse.setHeaders(page, referenceHeaders(text.decode(page.body.body)))
    : page

/** The reference with its script in the page, and the headers above. Its handler returns the same page every time. */
const reference = HttpRouter.use((router) => {
  let page: HttpServerResponse.HttpServerResponse | undefined
  const add = (method: "GET", path: `/${string}`, handler: Effect.Effect<HttpServerResponse.HttpServerResponse>) =>
    router.add(method, path, Effect.map(handler, (made) => page ??= secured(made)))
  const scalar = HttpApiScalar.layer(HubApi.annotate(OpenApi.Transform, openApiDocument), {
    path: "/docs/api",
    scalar: { withDefaultFonts: false }
  })
  return Layer.build(
    Layer.provide(scalar, Layer.succeed(HttpRouter.HttpRouter, { ...router, add: add as unknown as typeof router.add }))
  )
})

/** `resources/docs/declaring-services.md`, read when the hub starts. */
const declaring = HttpRouter.use((router) =>
  Effect.flatMap(
    Effect.sync(() =>
      documentPage("Declaring services", toHtml(readFileSync(join(docsDir, "declaring-services.md"), "utf8")))
    ),
    (page) => router.add("GET", "/docs/declaring-services", Effect.succeed(page))
  )
)

const guide = HttpRouter.use((router) => router.add("GET", "/docs/guide", Effect.succeed(guidePage)))

const index = HttpRouter.use((router) => router.add("GET", "/docs", Effect.succeed(makeIndexPage())))

/** `/docs` and the pages below it, `/health`, `/ready`, `/metrics`. */
export const docsLayer = Layer.mergeAll(index, reference, guide, declaring, probes)
