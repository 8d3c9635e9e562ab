/** The console's files over HTTP, from a folder in the build's format. */
import { parseConfig, Settings } from "@countersign/hub/config"
import { consoleLayerOf } from "@countersign/hub/console/http"
import { answersLayer } from "@countersign/hub/edge/answers"
import { Readiness } from "@countersign/hub/platform/readiness"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { createServer } from "node:http"
import { join } from "node:path"
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib"
import { startHub } from "../../support/hub.ts"
import { temporaryDirectory } from "../platform/postgres/hub-fixture.ts"

const script = `/* a script that is worth compressing */\n${"export const answer = 42;\n".repeat(100)}`
const page = (title: string) =>
  `<!doctype html><title>${title}</title><script type="module" src="/assets/main-Ab3_xYz9.js"></script>`

const writeBuild = (folder: string, title = "Countersign") => {
  mkdirSync(join(folder, "assets"), { recursive: true })
  writeFileSync(join(folder, "index.html"), page(title))
  writeFileSync(join(folder, "favicon.svg"), "<svg/>")
  writeFileSync(join(folder, ".sources"), "a hash")
  const file = join(folder, "assets", "main-Ab3_xYz9.js")
  writeFileSync(file, script)
  writeFileSync(`${file}.br`, brotliCompressSync(script))
  writeFileSync(`${file}.gz`, gzipSync(script))
  writeFileSync(join(folder, "assets", "plain.js"), script)
}

interface Answer {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Buffer
}

/** Sends the path unchanged: clients would normalize it. */
const ask = (
  url: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET"
): Effect.Effect<Answer> =>
  Effect.callback<Answer>((resume) => {
    const { hostname, port } = new URL(url)
    const call = request({ hostname, port, path, method, headers, setHost: true }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () =>
        resume(Effect.succeed({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) })))
    })
    call.on("error", (error) =>
      resume(Effect.die(error)))
    call.end()
  })

const serve = Effect.fnUntraced(function*(folder: string, env: Readonly<Record<string, string>> = {}) {
  const settings = Settings.layerOf(parseConfig(env, { projectDir: "/nonexistent", terminal: false }))
  const context = yield* Layer.build(
    HttpRouter.serve(consoleLayerOf(folder).pipe(Layer.provideMerge(answersLayer)), {
      disableLogger: true,
      disableListenLog: true
    }).pipe(
      Layer.provideMerge(NodeHttpServer.layer(() => createServer(), { host: "127.0.0.1", port: 0 })),
      Layer.provide([settings, Readiness.layerOf("serving")])
    )
  ).pipe(Effect.orDie)
  const { address } = Context.get(context, HttpServer.HttpServer)
  return `http://127.0.0.1:${address._tag === "UnixPathAddress" ? 0 : address.port}`
})

const built = Effect.gen(function*() {
  const folder = join(yield* temporaryDirectory, "dist")
  writeBuild(folder)
  return { folder, url: yield* serve(folder) }
})

const browser = { "sec-fetch-mode": "navigate", accept: "text/html,*/*;q=0.8", "accept-encoding": "gzip, deflate, br" }

describe("the console", () => {
  it.live("serves the index at the root and at every screen's address, revalidated each time, with a policy that allows only its own files", () =>
    Effect.gen(function*() {
      const { url } = yield* built
      for (
        const path of [
          "/",
          "/?x=1",
          "/index.html",
          "/setup",
          "/w/default/approvals/apr_01?tab=json",
          "/W/Default/x%20y"
        ]
      ) {
        const { body, headers, status } = yield* ask(url, path, browser)
        assert.deepStrictEqual([path, status, headers["content-type"], headers["cache-control"]], [
          path,
          200,
          "text/html; charset=utf-8",
          "no-cache"
        ])
        assert.strictEqual(body.toString(), page("Countersign"))
        const policy = new Map(
          String(headers["content-security-policy"]).split("; ").map((
            part
          ) => [part.split(" ")[0], part.split(" ").slice(1).join(" ")])
        )
        assert.strictEqual(policy.get("default-src"), "'none'")
        for (const name of ["script-src", "style-src", "connect-src", "font-src"]) {
          assert.strictEqual(policy.get(name), "'self'")
        }
        for (const name of ["base-uri", "frame-ancestors"]) {
          assert.strictEqual(policy.get(name), "'none'")
        }
        assert.strictEqual(policy.get("require-trusted-types-for"), "'script'")
        assert.notMatch(String(headers["content-security-policy"]), /unsafe/)
        assert.strictEqual(headers["x-content-type-options"], "nosniff")
        assert.strictEqual(headers["cross-origin-opener-policy"], "same-origin")
        assert.strictEqual(headers["referrer-policy"], "same-origin")
        assert.match(String(headers["permissions-policy"]), /camera=\(\)/)
      }
    }))

  it.live("allows pages to reach the bucket's public address, and no other origin, only when there is a bucket", () =>
    Effect.gen(function*() {
      const { folder } = yield* built
      const keys = { HUB_S3_ACCESS_KEY_ID: "id", HUB_S3_SECRET_ACCESS_KEY: "secret" }
      const store = { HUB_S3_BUCKET: "files", HUB_S3_ENDPOINT: "http://10.0.0.7:9000", ...keys }
      for (
        const [env, origin] of [
          [{}, ""],
          [store, " http://10.0.0.7:9000"],
          [{ ...store, HUB_S3_PUBLIC_ENDPOINT: "https://store.example.com/s3" }, " https://store.example.com"],
          [{ HUB_S3_BUCKET: "files", HUB_S3_REGION: "eu-west-1", ...keys }, " https://files.s3.eu-west-1.amazonaws.com"]
        ] as const
      ) {
        const url = yield* serve(folder, env)
        const { headers } = yield* ask(url, "/", browser)
        const directives = String(headers["content-security-policy"]).split("; ")
        assert.deepStrictEqual(directives.filter((each) => /^(?:img|media|connect)-src/.test(each)), [
          `img-src 'self' data:${origin}`,
          `media-src 'self'${origin}`,
          `connect-src 'self'${origin}`
        ])
        assert.isTrue(directives.includes("script-src 'self'"))
      }
    }))

  it.live("serves a hashed file as immutable, in the browser's encoding, with one tag for each", () =>
    Effect.gen(function*() {
      const { url } = yield* built
      const path = "/assets/main-Ab3_xYz9.js"
      const plain = yield* ask(url, path)
      const brotli = yield* ask(url, path, { "accept-encoding": "gzip, br" })
      const gzip = yield* ask(url, path, { "accept-encoding": "gzip, br;q=0" })
      assert.strictEqual(plain.body.toString(), script)
      assert.strictEqual(brotliDecompressSync(brotli.body).toString(), script)
      assert.strictEqual(gunzipSync(gzip.body).toString(), script)
      assert.deepStrictEqual([plain, brotli, gzip].map(({ headers }) => headers["content-encoding"]), [
        undefined,
        "br",
        "gzip"
      ])
      for (const { headers, status } of [plain, brotli, gzip]) {
        assert.deepStrictEqual([
          status,
          headers["content-type"],
          headers["cache-control"],
          headers["vary"],
          headers["x-content-type-options"]
        ], [
          200,
          "text/javascript; charset=utf-8",
          "public, max-age=31536000, immutable",
          "Accept-Encoding",
          "nosniff"
        ])
      }
      const tags = [plain, brotli, gzip].map(({ headers }) => String(headers["etag"]))
      assert.strictEqual(new Set(tags).size, 3)
      const again = yield* ask(url, path, { "accept-encoding": "br", "if-none-match": tags[1] ?? "" })
      assert.deepStrictEqual([again.status, again.body.length, again.headers["etag"]], [304, 0, tags[1]])
      const other = yield* ask(url, path, { "accept-encoding": "gzip", "if-none-match": tags[1] ?? "" })
      assert.strictEqual(other.status, 200)
      // A file without a hash in its name may change.
      assert.strictEqual((yield* ask(url, "/assets/plain.js")).headers["cache-control"], "no-cache")
      assert.strictEqual((yield* ask(url, "/favicon.svg")).headers["content-type"], "image/svg+xml; charset=utf-8")
    }))

  it.live("answers HEAD as GET, without the body", () =>
    Effect.gen(function*() {
      const { url } = yield* built
      for (const path of ["/", "/w/default/inbox", "/assets/main-Ab3_xYz9.js"]) {
        const [get, head] = [yield* ask(url, path, browser), yield* ask(url, path, browser, "HEAD")]
        const { date: _get, "x-request-id": _id, ...expected } = get.headers
        const { date: _head, "x-request-id": _other, ...headers } = head.headers
        assert.deepStrictEqual([head.status, head.body.length, headers], [200, 0, expected])
      }
    }))

  it.live("answers 404 for an unknown file, outside its folder, and for a program that requests data", () =>
    Effect.gen(function*() {
      const { folder, url } = yield* built
      writeFileSync(join(folder, "..", "secret.txt"), "secret")
      symlinkSync(join(folder, "..", "secret.txt"), join(folder, "link.txt"))
      const paths = [
        "/assets/none-abcdefgh.js",
        "/none.js",
        "/assets",
        "/assets/",
        "/.sources",
        "/assets/main-Ab3_xYz9.js.map",
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/assets/../../secret.txt",
        "/assets/..%5c..%5csecret.txt",
        "/link.txt",
        "/w/%2e%2e/%2e%2e/secret",
        "/w/%00",
        "/w/%zz",
        "//secret.txt",
        "/api",
        "/api/v1/none",
        "/API/x",
        "/%61pi/v1/none"
      ]
      for (const path of paths) {
        const { body, headers, status } = yield* ask(url, path, browser)
        assert.deepStrictEqual([path, status, headers["content-type"], JSON.parse(body.toString()).error.code], [
          path,
          404,
          "application/json; charset=utf-8",
          "not_found"
        ])
      }
      assert.strictEqual((yield* ask(url, "/w/default/inbox", { accept: "application/json" })).status, 404)
      assert.strictEqual(
        (yield* ask(url, "/w/default/inbox", { accept: "text/html", "sec-fetch-mode": "cors" })).status,
        404
      )
      assert.deepStrictEqual(
        [yield* ask(url, "/", {}, "POST")].map(({ headers, status }) => [status, headers["allow"]]),
        [[405, "GET, HEAD, OPTIONS"]]
      )
      assert.strictEqual((yield* ask(url, "/w/default", browser, "POST")).status, 404)
    }))

  it.live("that is built again is served without a restart; the old one stays until then", () =>
    Effect.gen(function*() {
      const { folder, url } = yield* built
      const title = Effect.map(ask(url, "/", browser), ({ body }) => /<title>(.*)<\/title>/.exec(body.toString())?.[1])
      assert.strictEqual(yield* title, "Countersign")
      renameSync(folder, `${folder}.old`)
      assert.strictEqual(yield* title, "Countersign")
      writeBuild(`${folder}.next`, "Rebuilt")
      utimesSync(join(`${folder}.next`, "index.html"), new Date(0), new Date(0))
      renameSync(`${folder}.next`, folder)
      assert.strictEqual(yield* title, "Rebuilt")
    }))

  it.live("that was never built is replaced by one page at the root that explains how to build it", () =>
    Effect.gen(function*() {
      const folder = join(yield* temporaryDirectory, "dist")
      const url = yield* serve(folder)
      for (const path of ["/", "/w/default/inbox"]) {
        const { body, headers, status } = yield* ask(url, path, browser)
        assert.deepStrictEqual([status, headers["content-type"], headers["cache-control"]], [
          503,
          "text/html; charset=utf-8",
          "no-store"
        ])
        assert.include(body.toString(), "npm run hub -- console")
      }
      assert.strictEqual((yield* ask(url, "/favicon.svg")).status, 404)
      writeBuild(`${folder}.next`)
      cpSync(`${folder}.next`, folder, { recursive: true })
      assert.strictEqual((yield* ask(url, "/", browser)).status, 200)
      rmSync(folder, { recursive: true })
    }))
})

describe("a hub", () => {
  it.live("serves its own addresses beside the console", () =>
    Effect.gen(function*() {
      const { url } = yield* startHub()
      for (const path of ["/health", "/ready", "/metrics", "/api/v1/openapi.json", "/api/v1/health"]) {
        const { headers, status } = yield* ask(url, path, browser)
        assert.deepStrictEqual([path, status, headers["x-frame-options"]], [path, 200, undefined])
      }
      const wrong = yield* ask(url, "/api/v1/auth/login", browser)
      assert.deepStrictEqual([wrong.status, wrong.headers["allow"]], [405, "OPTIONS, POST"])
      assert.strictEqual((yield* ask(url, "/api/v1/none", browser)).status, 404)
      assert.include([200, 503], (yield* ask(url, "/", browser)).status)
    }))
})
