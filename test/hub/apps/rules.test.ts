import { appReferences, filledBaseUrl, hasOwnHost, sampleBaseUrl } from "@countersign/domain/app-base-url"
import { readTokenAnswer } from "@countersign/hub/apps/oauth"
import {
  authorizeUrl,
  type Candidate,
  chooseApp,
  coversHost,
  destinationProblem,
  placesOf,
  renewalMarginSeconds,
  renewalSeconds
} from "@countersign/hub/apps/rules"
import { readShippedApps } from "@countersign/hub/apps/shipped"
import { parseAllowList } from "@countersign/hub/providers/egress-rules"
import { assert, describe, it } from "@effect/vitest"

const rules = { allow: parseAllowList("10.0.0.0/8, inner.test:8080").entries }

describe("hosts of a definition", () => {
  const hosts = ["api.example.com", "*.example.org", "127.0.0.1:8443"]
  const table: ReadonlyArray<readonly [string, boolean]> = [
    ["https://api.example.com/x", true],
    ["https://API.EXAMPLE.COM/x", true],
    ["https://api.example.com:8443/x", false],
    ["https://xapi.example.com/", false],
    ["https://api.example.com.evil.test/", false],
    ["https://example.org/", false],
    ["https://a.b.example.org/", true],
    ["https://badexample.org/", false],
    ["https://127.0.0.1:8443/", true],
    ["https://127.0.0.1/", false]
  ]
  for (const [url, covered] of table) {
    it(`${covered ? "cover" : "do not cover"} ${url}`, () =>
      assert.strictEqual(coversHost(hosts, new URL(url)), covered))
  }

  it("get no token over plain http, except at addresses of the operator", () => {
    const problem = (url: string) => destinationProblem([new URL(url).host], url, rules)
    assert.isDefined(problem("http://api.example.com/"))
    assert.isUndefined(problem("https://api.example.com/"))
    assert.isUndefined(problem("http://10.1.2.3/"))
    assert.isUndefined(problem("http://inner.test:8080/"))
    assert.isDefined(problem("http://inner.test/"))
    assert.isDefined(problem("http://8.8.8.8/"))
    assert.isUndefined(destinationProblem(["10.1.2.3"], "http://10.1.2.3:9000/", rules))
    assert.isDefined(destinationProblem(["api.example.com"], "https://api.example.com:9000/", rules))
    assert.isDefined(problem("https://user@api.example.com/"))
  })
})

describe("renewal", () => {
  it("is five minutes or a tenth of the life before the expiry, whichever is less", () => {
    assert.deepStrictEqual([3_600, 86_400, 1_800, 60, 1].map(renewalMarginSeconds), [300, 300, 180, 6, 1])
    assert.strictEqual(renewalSeconds(3_600, undefined), 3_300)
  })
  it("is at half of the keepalive if that comes first, and never without either", () => {
    assert.strictEqual(renewalSeconds(undefined, 60), 30 * 86_400)
    assert.strictEqual(renewalSeconds(3_600, 60), 3_300)
    assert.strictEqual(renewalSeconds(undefined, undefined), undefined)
  })
})

describe("the app of a call", () => {
  const app = (id: string, user_id: string, change: Partial<Candidate> = {}): Candidate => ({
    id,
    provider: "github",
    user_id,
    status: "connected",
    visibility: "private",
    ...change
  })
  const shared = { visibility: "workspace" } as const
  const choose = (apps: ReadonlyArray<Candidate>, bound: string | null = null, reference = "github") =>
    chooseApp(reference, apps, { owner: "ada", bound })?.id

  it("is the binding's, also before the owner's", () => {
    assert.strictEqual(choose([app("app_1", "ada"), app("app_2", "bob", shared)], "app_2"), "app_2")
  })
  it("is none if the binding's may not be used, and not another one", () => {
    assert.strictEqual(choose([app("app_1", "ada"), app("app_2", "bob")], "app_2"), undefined)
    assert.strictEqual(choose([app("app_1", "ada")], "app_3"), undefined)
  })
  it("is the owner's newest before a shared one", () => {
    assert.strictEqual(choose([app("app_1", "ada"), app("app_2", "ada"), app("app_3", "bob", shared)]), "app_2")
  })
  it("is the only shared connected one", () => {
    assert.strictEqual(choose([app("app_1", "bob", shared), app("app_2", "bob")]), "app_1")
    assert.strictEqual(choose([app("app_1", "bob", shared), app("app_2", "cyd", shared)]), undefined)
    assert.strictEqual(
      choose([app("app_1", "bob", shared), app("app_2", "cyd", { ...shared, status: "revoked" })]),
      "app_1"
    )
  })
  it("named by its id is used only where it is shared or the owner's", () => {
    assert.strictEqual(choose([app("app_1", "bob")], null, "app_1"), undefined)
    assert.strictEqual(choose([app("app_1", "bob", shared)], null, "app_1"), "app_1")
  })
})

describe("values of an app in a base URL", () => {
  it("are a URL at the beginning and escaped elsewhere", () => {
    const url = "${app.instance_url}/data/${app.cloud_id}"
    assert.deepStrictEqual(appReferences(url), ["instance_url", "cloud_id"])
    assert.strictEqual(
      filledBaseUrl(url, { instance_url: "https://acme.example/", cloud_id: "../x?y" }),
      "https://acme.example/data/..%2Fx%3Fy"
    )
    assert.strictEqual(sampleBaseUrl(url), "https://app.invalid/data/x")
  })
  it("are required", () => {
    assert.strictEqual(filledBaseUrl("${app.instance_url}/x", {}), undefined)
    assert.strictEqual(filledBaseUrl("${app.instance_url}/x", { instance_url: "" }), undefined)
    assert.strictEqual(filledBaseUrl("https://a.test/${app.toString}", {}), "https://a.test/${app.toString}")
  })
  it("leave the host known unless they are in it", () => {
    assert.deepStrictEqual(
      ["https://a.test/${app.x}", "https://${app.x}.test/y", "${app.x}/y", "https://a.test"].map(hasOwnHost),
      [true, false, false, true]
    )
  })
})

describe("the shipped providers", () => {
  const shipped = readShippedApps()
  for (const [name, app] of shipped) {
    it(`${name} has a sign-in page with its own scopes, parameters, and PKCE`, () => {
      const url = new URL(authorizeUrl(app, {
        clientId: "c",
        redirectUri: "https://hub.example/api/v1/apps/callback",
        state: "s",
        scopes: app.scopes?.default ?? [],
        params: {},
        ...app.pkce === false ? {} : { challenge: "x" }
      }))
      assert.strictEqual(url.protocol, "https:")
      assert.notInclude(decodeURIComponent(url.href), "{")
      assert.strictEqual(url.searchParams.has("code_challenge"), !["atlassian", "notion", "slack"].includes(name))
      const places = placesOf(app)
      for (const [parameter, value] of Object.entries(app.params ?? {})) {
        assert.strictEqual(url.searchParams.get(parameter), places.has(parameter) ? null : value)
      }
    })
  }
})

describe("a token answer", () => {
  const definition = { authorize_url: "", token_url: "", hosts: [] }
  const read = (body: string, status = 200) =>
    readTokenAnswer(definition, { status, body: new TextEncoder().encode(body) })

  it("takes a lifetime as a number or as digits, and ignores any other", () => {
    for (
      const [given, seconds] of [["60", 60], ["\"60\"", 60], ["-1", undefined], ["\"x\"", undefined], [
        "null",
        undefined
      ]]
    ) {
      const answer = read(`{"access_token":"a","expires_in":${given}}`)
      assert.strictEqual(answer.kind === "tokens" ? answer.tokens.lifetimeSeconds : "", seconds)
    }
  })
  it("is a refusal with any status if it has an error, and shows its code only", () => {
    assert.deepStrictEqual(read("{\"error\":\"invalid_grant\",\"error_description\":\"rt-1 is bad\"}", 200), {
      kind: "refused",
      rejected: true,
      reason: "invalid_grant"
    })
    assert.deepStrictEqual(read("{\"error\":\"<script> rt-1\"}", 400), {
      kind: "refused",
      rejected: false,
      reason: "error"
    })
  })
  it("does not end a connection while the provider has a fault", () => {
    for (const status of [429, 500, 503]) {
      assert.strictEqual(read("{\"error\":\"invalid_grant\"}", status).kind, "invalid")
    }
  })
  it("is invalid with a token that a header cannot hold", () => {
    for (const token of ["a b", "a\\r\\nb", "", "ü"]) {
      assert.strictEqual(read(`{"access_token":"${token}"}`).kind, "invalid")
    }
  })
})
