import { HubApi } from "@countersign/domain/api"
import { endpointsOf } from "@countersign/domain/openapi"
import { apiGroups } from "@countersign/hub/documentation/api-pages"
import { docsDir } from "@countersign/hub/documentation/contents"
import { makeSite } from "@countersign/hub/documentation/site"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { get, type IncomingMessage } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { HubTest, TestHub } from "../../support/hub.ts"

const decoder = new TextDecoder()
/** Of one page. The former reference was 3 MB. */
const pageBytesMax = 300_000

const site = makeSite()
const addresses = [
  ...Array.from(site.contents.byFile.values(), ({ name }) => name === "" ? "/docs" : `/docs/${name}`),
  "/docs/api",
  ...Array.from(apiGroups().keys(), (group) => `/docs/api/${group}`)
]
const html = (path: string): string => decoder.decode(site.at(path)?.bytes)

describe("the pages of documentation", () => {
  it("have one address each, and the contents list all of them", () => {
    const listed = (JSON.parse(readFileSync(join(docsDir, "contents.json"), "utf8")) as ReadonlyArray<
      { readonly files: ReadonlyArray<string> }
    >).flatMap(({ files }) => files)
    assert.sameMembers(["index.md", ...listed], [...site.contents.byFile.keys()])
    assert.strictEqual(site.contents.byName.size, site.contents.byFile.size)
    for (const { description, file, markdown, title } of site.contents.byFile.values()) {
      assert.notStrictEqual(title, "", file)
      assert.notStrictEqual(description, "", file)
      assert.notInclude(markdown, "<!-- generated", file)
    }
  })

  it("link only to pages, sections, and files that exist", () => {
    const idsOf = new Map(
      addresses.map((path) => [path, new Set(Array.from(html(path).matchAll(/ id="([^"]+)"/gu), ([, id]) => id))])
    )
    const elsewhere = /^(?:https?:|mailto:|\/$|\/api\/v1\/(?:openapi\.json|agent-docs)$)/u
    const problems = addresses.flatMap((from) =>
      Array.from(html(from).matchAll(/(?:href|src|srcset)="([^"]*)"/gu), ([, href = ""]) => href).flatMap((href) => {
        const [path = "", anchor] = href.split("#", 2)
        if (elsewhere.test(path) || /^\/(?:icon\.svg|docs\/assets\/)/u.test(path)) return []
        const to = path === "" ? from : path
        if (site.at(to) === undefined) return [`${from}: ${href} leads to no page`]
        return anchor === undefined || idsOf.get(to)?.has(anchor) === true ? [] : [`${from}: ${href} names no section`]
      })
    )
    assert.deepStrictEqual(problems, [])
  })

  it("give every id once, and stay below 300 kB", () => {
    for (const path of addresses) {
      const ids = Array.from(html(path).matchAll(/ id="([^"]+)"/gu), ([, id]) => id)
      assert.deepStrictEqual(ids.filter((id, at) => ids.indexOf(id) !== at), [], path)
      assert.isBelow(site.at(path)?.bytes.length ?? 0, pageBytesMax, path)
    }
  })

  it("have text in place of HTML and Markdown, and run no inline script", () => {
    for (const path of addresses) {
      assert.notMatch(html(path), /<script(?! src="\/docs\/assets\/)|<style|\son\w+=|\sstyle=|```|^\||^#/mu, path)
    }
    const declaring = html("/docs/declaring-services")
    const source = site.contents.byName.get("declaring-services")?.markdown ?? ""
    assert.strictEqual((declaring.match(/<table>/gu) ?? []).length, (source.match(/^\| ?---/gmu) ?? []).length)
    assert.include(declaring, "<code>${payload.items.0.id}</code>")
    assert.include(declaring, "&quot;hold&quot;")
  })

  it("list every endpoint, with its fields on the page of its group", () => {
    for (const { id, path } of endpointsOf(HubApi)) {
      const [group = "", name = ""] = id.split(".")
      assert.include(html("/docs/api"), `/docs/api/${group}#${name}"><code>${path}</code>`)
      assert.include(html(`/docs/api/${group}`), `id="${name}"`)
    }
    assert.include(html("/docs/api/service_requests"), "idempotency-key")
    assert.include(html("/docs/requests"), "/docs/api/service_requests#")
  })

  it("are found by words, parts of words, codes, settings, and misspelled words", () => {
    const found = (query: string) => site.search(query).map(({ href }) => href)
    assert.include(found("quorum").slice(0, 3), "/docs/approvals#quorum")
    assert.include(found("binding dig").slice(0, 3), "/docs/approvals#binding-digest")
    assert.include(found("idempotency_conflict").join(" "), "/docs/error-codes")
    assert.include(found("HUB_PUBLIC_URL")[0] ?? "", "/docs/operation")
    assert.include(found("webhok signatures").join(" "), "webhook")
    assert.include(found("rotate an agent's key")[0] ?? "", "/docs/api/agents#")
    for (const nothing of ["", "  ", "the of", "%%%", "x".repeat(5_000)]) assert.deepStrictEqual(found(nothing), [])
    for (const { excerpt, href } of site.search("approval")) {
      assert.isAtMost(excerpt.length, 200)
      assert.isDefined(site.at(href.split("#")[0] ?? ""), href)
    }
  })
})

/** Loads a page with a browser's headers, which `fetch` does not let a program set, and a path as it is. */
const navigate = (path: string) =>
  Effect.flatMap(TestHub, ({ url }) =>
    Effect.promise(async () => {
      const { hostname, port } = new URL(url)
      const asked = get({ hostname, port, path, headers: { accept: "text/html", "sec-fetch-mode": "navigate" } })
      const [response] = await once(asked, "response") as [IncomingMessage]
      return { status: response.statusCode, headers: response.headers, text: await text(response) }
    }))

layer(HubTest(), { excludeTestServices: true })("the documentation over HTTP", (it) => {
  it.effect("answers pages, Markdown, files, and llms.txt without a credential, and 304 to a matching tag", () =>
    Effect.gen(function*() {
      const { url } = yield* TestHub
      const ask = (path: string, headers: Record<string, string> = {}) =>
        Effect.promise(() => fetch(`${url}${path}`, { headers, redirect: "manual" }))
      const page = yield* ask("/docs/approvals")
      assert.deepStrictEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"])
      const again = yield* ask("/docs/approvals", { "if-none-match": page.headers.get("etag") ?? "" })
      assert.deepStrictEqual([again.status, yield* Effect.promise(() => again.text())], [304, ""])
      const source = yield* ask("/docs/approvals.md")
      assert.strictEqual(source.headers.get("content-type"), "text/markdown; charset=utf-8")
      assert.match(yield* Effect.promise(() => source.text()), /^# Approvals\n/u)
      const llms = yield* Effect.promise(async () => (await fetch(`${url}/llms.txt`)).text())
      for (const [, href = ""] of llms.matchAll(/\((http[^)]+\/docs\/[^)]+)\)/gu)) {
        assert.isDefined(site.at(new URL(href).pathname), href)
      }
      assert.strictEqual((yield* ask("/docs/files/deploy/alerts.yml")).status, 200)
      for (
        const [from, to] of [["/docs/", "/docs"], ["/docs/reference/approvals", "/docs/approvals"], [
          "/docs/guide",
          "/docs/concepts"
        ]]
      ) {
        const moved = yield* ask(from ?? "")
        assert.deepStrictEqual([moved.status, moved.headers.get("location")], [308, to])
      }
      assert.strictEqual((yield* Effect.promise(() => fetch(`${url}/docs`, { method: "POST" }))).status, 405)
    }))

  it.effect("the search answers programs with JSON, and browsers without scripts with a page", () =>
    Effect.gen(function*() {
      const { url } = yield* TestHub
      const found = yield* Effect.promise(async () => (await fetch(`${url}/docs/search?q=quorum`)).json())
      assert.deepStrictEqual(Object.keys((found as { data: [object] }).data[0]), ["title", "href", "excerpt"])
      const page = yield* navigate("/docs/search?q=quorum")
      assert.include(page.text, "href=\"/docs/approvals#quorum\"")
      const hostile = yield* navigate(`/docs/search?q=${encodeURIComponent("\"><script>alert(1)</script>")}`)
      assert.strictEqual(hostile.status, 200)
      assert.notInclude(hostile.text, "<script>alert")
      assert.strictEqual((yield* navigate("/docs/search")).status, 200)
    }))

  it.effect("an unknown address is a page for people and an error for programs, and no path leads to other files", () =>
    Effect.gen(function*() {
      const { url } = yield* TestHub
      for (
        const path of [
          "/docs/nothing",
          "/docs/api/nothing",
          "/docs/api/constructor",
          "/docs/../package.json",
          "/docs/..%2f..%2fpackage.json",
          "/docs/%2e%2e/%2e%2e/package.json",
          "/docs/files/deploy/../../package.json",
          "/docs/files/catalog/http.json",
          "/docs/files/..%5c..%5cpackage.json",
          "/docs/contents.json",
          "/docs/assets/none.js",
          "/docs/%00",
          "/docs/%zz",
          `/docs/${"a/".repeat(900)}a`
        ]
      ) {
        const { headers, status, text } = yield* navigate(path)
        assert.strictEqual(status, 404, path)
        assert.notInclude(text, "\"dependencies\"", path)
        if (headers["content-type"]?.startsWith("text/html") === true) {
          assert.include(text, "Page not found")
          assert.deepStrictEqual([headers["x-frame-options"], headers["x-content-type-options"]], ["DENY", "nosniff"])
          assert.match(String(headers["content-security-policy"]), /^default-src 'none'; script-src 'self'; /u)
        }
      }
      const program = yield* Effect.promise(() => fetch(`${url}/docs/nothing`))
      assert.deepStrictEqual([program.status, program.headers.get("content-type")], [
        404,
        "application/json; charset=utf-8"
      ])
    }))

  it.effect("counts its requests by route, not by address", () =>
    Effect.gen(function*() {
      const { api } = yield* TestHub
      yield* navigate("/docs/requests")
      const { text } = yield* api("GET", "/metrics")
      assert.match(text, /countersign_http_requests_total\{method="GET",route="\/docs\/:page",status="200"\} \d+/u)
      assert.notMatch(text, /route="\/docs\/requests"/u)
    }))
})
