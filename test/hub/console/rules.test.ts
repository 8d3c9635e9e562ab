/** Which addresses are screens, which requests are navigations, and which responses are compressed. */
import { encodingFor, isNavigation, isScreenPath, screenPathMax } from "@countersign/hub/console/rules"
import { assert, describe, it } from "@effect/vitest"

describe("a screen's address", () => {
  it.each([
    "/",
    "/setup",
    "/sign-in",
    "/w/default/inbox",
    "/w/org_01jh/approvals/apr_01jh",
    "/w/default/catalog/my%20service",
    "/w/default/settings/",
    "/apis",
    "/documents"
  ])("can be %s", (path) => {
    assert.isTrue(isScreenPath(path))
  })

  it.each([
    "",
    "w/default",
    "/api",
    "/api/v1/agents",
    "/API/v1",
    "/docs/",
    "/docs/x",
    "/openapi.json",
    "/health/x",
    "/ready/",
    "/metrics/x",
    "/v1/models",
    "/mcp/x",
    "/.well-known/x",
    "/%61pi/v1",
    "/assets/",
    "/assets/none-abcdefgh.js",
    "/favicon.png",
    "/w/app.js"
  ])("cannot be %s: that is an address of the hub, or a file", (path) => {
    assert.isFalse(isScreenPath(path))
  })

  it.each([
    "/..",
    "/../package.json",
    "/w/../../etc/passwd",
    "/w/./x",
    "//evil.example/x",
    "/w//x",
    "/%2e%2e/package",
    "/%2E%2E%2Fpackage",
    "/w/..%2f..%2fetc",
    "/w/%5c..%5c",
    "/w\\..\\x",
    "/w/%00",
    "/w/%0d%0aset-cookie",
    "/w/%",
    "/w/%ff",
    `/${"a".repeat(screenPathMax)}`
  ])("cannot be %s: some parsers read it as another path", (path) => {
    assert.isFalse(isScreenPath(path))
  })
})

describe("a navigation", () => {
  it("is a request that the browser marks as one, or otherwise one that accepts a page", () => {
    assert.isTrue(isNavigation({ "sec-fetch-mode": "navigate", accept: "*/*" }))
    assert.isFalse(isNavigation({ "sec-fetch-mode": "cors", accept: "text/html" }))
    assert.isTrue(isNavigation({ accept: "text/html,application/xhtml+xml,*/*;q=0.8" }))
    assert.isFalse(isNavigation({ accept: "*/*" }))
    assert.isFalse(isNavigation({}))
  })
})

describe("the encoding", () => {
  const both = ["gzip", "br"] as const
  it.each(
    [
      ["gzip, deflate, br, zstd", both, "br"],
      ["gzip", both, "gzip"],
      ["br;q=0.2, gzip;q=0.9", both, "gzip"],
      ["br;q=0, gzip", both, "gzip"],
      ["BR", both, "br"],
      ["x-gzip", both, "gzip"],
      ["*", both, "br"],
      ["*;q=0", both, undefined],
      ["identity", both, undefined],
      ["br;q=no", both, undefined],
      ["", both, undefined],
      [undefined, both, undefined],
      ["br, gzip", [], undefined],
      ["br", ["gzip"], undefined]
    ] as const
  )("for %s, with %s available, is %s", (accepted, available, expected) => {
    assert.strictEqual(encodingFor(accepted, available), expected)
  })
})
