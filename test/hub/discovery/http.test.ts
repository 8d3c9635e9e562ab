import { compileSchema } from "@countersign/domain/json-schema"
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { get, type IncomingMessage } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { expectStatus, HubTest, makeAgent, makeService, startHub, TestHub, topUp } from "../../support/hub.ts"
import { requireFor } from "../../support/required.ts"
import { missingProgram } from "../../support/requirements.mjs"
import { scratchFolder } from "../../support/scratch.ts"

const root = join(import.meta.dirname, "..", "..", "..")
const deployDir = join(root, "resources", "deploy")
const telemetry = join(root, "apps", "hub", "src", "platform", "telemetry.ts")

/** Loads a page with a browser's headers, which `fetch` does not let a program set. */
const navigate = async (url: string): Promise<{ readonly headers: Headers; readonly text: string }> => {
  const asked = get(url, { headers: { accept: "text/html", "sec-fetch-mode": "navigate" } })
  const [response] = await once(asked, "response") as [IncomingMessage]
  const headers = new Headers(
    Object.entries(response.headers).map(([name, value]) => [name, String(value)] as [string, string])
  )
  return { headers, text: await text(response) }
}

const page = (path: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(TestHub, ({ url }) =>
    Effect.promise(async () => {
      const response = await fetch(`${url}${path}`, { headers })
      return { status: response.status, type: response.headers.get("content-type") ?? "", text: await response.text() }
    }))

layer(HubTest(), { excludeTestServices: true })("discovery over HTTP", (it) => {
  it.effect("documents need no credential, carry an ETag, and answer 304 to a matching tag", () =>
    Effect.gen(function*() {
      const { api } = yield* TestHub
      for (const path of ["/agent-docs", "/openapi.json"]) {
        const first = yield* api("GET", path)
        const etag = first.headers.get("etag") ?? ""
        assert.deepStrictEqual([first.status, typeof first.body], [200, "object"])
        assert.match(etag, /^".+"$/)
        const again = yield* api("GET", path, { headers: { "if-none-match": `W/${etag}, "other"` } })
        assert.deepStrictEqual([again.status, again.text, again.headers.get("etag")], [304, "", etag])
        assert.strictEqual((yield* api("GET", path, { headers: { "if-none-match": "\"other\"" } })).status, 200)
        assert.strictEqual((yield* api("GET", `${path}?x=1`)).status, 400)
      }
    }))

  it.effect("probes answer under the API and at the root", () =>
    Effect.gen(function*() {
      const { api } = yield* TestHub
      const health = yield* api("GET", "/health")
      assert.deepStrictEqual(Object.keys(health.body), ["status", "hub_id", "version", "min_app_version"])
      const ready = yield* api("GET", "/ready")
      assert.deepStrictEqual([ready.status, ready.body.status], [200, "ready"])
      const metrics = yield* api("GET", "/metrics")
      for (
        const name of [
          "open_delegated_tasks",
          "open_agent_requests",
          "pending_budget_requests",
          "pending_approvals",
          "pending_invites",
          "memories_without_vector"
        ]
      ) {
        assert.match(metrics.text, new RegExp(`^countersign_${name} 0$`, "m"))
      }
      assert.match(
        metrics.text,
        /countersign_http_requests_total\{method="GET",route="\/api\/v1\/ready",status="200"\} \d+/
      )
      assert.match(metrics.text, /^countersign_build_info\{version="[\d.]+",node="[\d.]+"\} 1$/m)
      for (const path of ["/health", "/ready", "/metrics"]) assert.strictEqual((yield* page(path)).status, 200, path)
    }))

  it.effect("with an agent key the document is that agent's: operations with remaining caps, in at most 8 KB for five", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      yield* topUp(hub, owner, 1_000)
      const operations = ["one", "two", "three"].map((name) => ({
        name,
        method: "POST",
        path: `/${name}`,
        description: `What ${name} does`,
        price: { type: "fixed", cents: 5 },
        payload_schema: {
          type: "object",
          properties: { text: { type: "string" }, count: { type: "integer" } },
          required: ["text"]
        }
      }))
      yield* makeService(hub, owner, { name: "ours", kind: "http", base_url: "https://ours.example", operations })
      const agent = yield* makeAgent(hub, owner, {
        name: "Reader",
        monthly_budget_cents: 400,
        bindings: [
          {
            service: "echo",
            operations: ["say"],
            monthly_cap_cents: 50,
            daily_request_limit: 10,
            approval_threshold_cents: 20
          },
          { service: "ours", operations: ["*"] },
          { service: "search", operations: ["*"] }
        ]
      })
      expectStatus(
        yield* api("POST", "/service-requests", {
          key: agent.key,
          body: { service: "echo", operation: "say", payload: {} }
        }),
        200
      )
      const answer = expectStatus(yield* api("GET", "/agent-docs", { key: agent.key }), 200)
      assert.isAtMost(Buffer.byteLength(answer.text), 8 * 1024)
      assert.deepStrictEqual([answer.headers.get("cache-control"), answer.headers.get("vary")], [
        "private, no-cache",
        "authorization"
      ])
      const { body } = answer
      assert.deepInclude(body.agent, { id: agent.id, name: "Reader", mode: "live", state: "Active." })
      assert.deepInclude(body.budget, { monthly_budget_cents: 400, spent_cents: 1, remaining_cents: 399 })
      const named = (name: string) => body.operations.find((each: { operation: string }) => each.operation === name)
      assert.deepInclude(named("say"), {
        service: "echo",
        approval_above_cents: 20,
        remaining: { month_cents: 49, requests_today: 9 }
      })
      // A service of the workspace, with an example payload that its own schema accepts and that can be sent unchanged.
      assert.deepInclude(named("two"), {
        service: "ours",
        description: "What two does",
        price: { type: "fixed", cents: 5 }
      })
      for (
        const { example_payload, payload_schema } of body.operations.filter((each: object) => "payload_schema" in each)
      ) {
        assert.deepStrictEqual(
          Result.getOrThrow(compileSchema(payload_schema, "payload_schema")).validate(example_payload),
          []
        )
      }
      assert.deepStrictEqual(Object.keys(body.outcomes), [
        "executed",
        "blocked",
        "approval_required",
        "failed",
        "running"
      ])
      assert.includeMembers(body.endpoints, ["POST, GET /api/v1/service-requests", "GET /api/v1/service-requests/:id"])
      assert.notInclude(answer.text, "/api/v1/auth/login")
      const again = yield* api("GET", "/agent-docs", {
        key: agent.key,
        headers: { "if-none-match": answer.headers.get("etag") ?? "" }
      })
      assert.strictEqual(again.status, 304)
      // The whole document is the public one.
      const whole = yield* api("GET", "/agent-docs?all=true", { key: agent.key })
      assert.strictEqual(whole.text, (yield* api("GET", "/agent-docs")).text)
      assert.strictEqual((yield* api("GET", "/agent-docs", { key: "agent_key_live_mistyped" })).status, 401)
    }))

  it.effect("a credential of another kind is refused with a message that names the right one", () =>
    Effect.gen(function*() {
      const { api } = yield* TestHub
      for (
        const [sent, problem] of [
          ["svc_pat_live_of_a_person", "A personal access token is not accepted here."],
          ["svc_device_live_of_a_device", "A device key is not accepted here."],
          ["something else", "The bearer credential is not valid for this hub."],
          ["agent_key_live_mistyped", "The agent key is mistyped"]
        ] as const
      ) {
        const { error } = expectStatus(yield* api("GET", "/agent-docs", { key: sent }), 401).body
        assert.include(error.message, problem)
        assert.include(error.message, "This endpoint requires an agent key")
        assert.deepStrictEqual(error.data, { wants: "agent" })
      }
    }))

  it.effect("an agent without services reads what to request", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const agent = yield* makeAgent(hub, hub.owner, { bindings: [] })
      const { body } = expectStatus(yield* hub.api("GET", "/agent-docs", { key: agent.key }), 200)
      assert.deepStrictEqual(body.operations, [])
      assert.include(body.agent.state, "connected to no service")
    }))

  it.effect("an operation whose secret is not stored is listed as unavailable, except for test keys", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const agent = yield* makeAgent(hub, hub.owner, {
        bindings: [{ service: "echo", operations: ["say"] }, { service: "search", operations: ["*"] }]
      })
      const { api_key: test } =
        (yield* hub.api("PATCH", `/agents/${agent.id}/key`, { cookie: hub.owner.cookie, body: { mode: "test" } })).body
      const docs = (key: string) =>
        Effect.map(hub.api("GET", "/agent-docs", { key }), (answer) => expectStatus(answer, 200).body)
      const names = ({ operations }: { operations: ReadonlyArray<{ service: string; operation: string }> }) =>
        operations.map(({ operation, service }) => `${service}.${operation}`)
      const without = yield* docs(agent.key)
      assert.deepStrictEqual(names(without), ["echo.say"])
      assert.deepStrictEqual(without.unavailable.operations, [{
        service: "search",
        operation: "web",
        missing_secrets: ["brave_search"]
      }])
      assert.deepStrictEqual(names(yield* docs(test)), ["echo.say", "search.web"])
      expectStatus(
        yield* hub.api("PUT", "/secrets/brave_search", { cookie: hub.owner.cookie, body: { value: "a key" } }),
        201
      )
      const after = yield* docs(agent.key)
      assert.deepStrictEqual(names(after), ["echo.say", "search.web"])
      assert.notProperty(after, "unavailable")
      const { services } = (yield* hub.api("GET", "/agent-docs")).body
      assert.deepInclude(services.find(({ name }: { name: string }) => name === "search"), {
        needs_secrets: ["brave_search"]
      })
    }))

  it.effect("an agent with hundreds of operations reads each of them, with the address of schemas that do not fit", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const operations = Array.from({ length: 100 }, (_, at) => ({
        name: `op${at}`,
        method: "POST",
        path: `/op${at}`,
        price: { type: "fixed", cents: 5 },
        payload_schema: {
          type: "object",
          properties: Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`field_${n}`, { type: "string" }]))
        }
      }))
      yield* makeService(hub, hub.owner, { name: "many", kind: "http", base_url: "https://many.example", operations })
      const agent = yield* makeAgent(hub, hub.owner, { bindings: [{ service: "many", operations: ["*"] }] })
      const answer = expectStatus(yield* hub.api("GET", "/agent-docs", { key: agent.key }), 200)
      assert.lengthOf(answer.body.operations, 100)
      assert.isAtMost(Buffer.byteLength(answer.text), 24 * 1024)
      for (const each of answer.body.operations) {
        assert.isTrue("payload_schema" in each || each.schema_at === "/api/v1/services/many")
      }
      assert.strictEqual((yield* hub.api("GET", "/services/many", { key: agent.key })).status, 200)
    }))

  it.effect("every HTML page forbids foreign scripts, framing, and sniffing", () =>
    Effect.gen(function*() {
      const { url } = yield* TestHub
      const pages = ["/docs", "/docs/api", "/docs/nothing", "/", "/setup", "/sign-in", "/w/default/inbox"]
      for (const path of pages) {
        const { headers, text: html } = yield* Effect.promise(() => navigate(`${url}${path}`))
        assert.match(headers.get("content-type") ?? "", /^text\/html/, path)
        const policy = new Map(
          (headers.get("content-security-policy") ?? "").split("; ").map((directive) => {
            const [name = "", ...sources] = directive.split(" ")
            return [name, sources]
          })
        )
        assert.deepStrictEqual([policy.get("default-src"), policy.get("base-uri"), policy.get("frame-ancestors")], [
          ["'none'"],
          ["'none'"],
          ["'none'"]
        ], path)
        for (const source of policy.get("script-src") ?? ["none is set"]) {
          assert.match(source, /^'(?:self|sha256-[\w+/]+=*)'$/, path)
        }
        assert.deepStrictEqual(policy.get("connect-src"), ["'self'"], path)
        assert.deepStrictEqual(
          ["x-content-type-options", "referrer-policy", "x-frame-options"].map((name) => headers.get(name)),
          ["nosniff", "same-origin", "DENY"],
          path
        )
        // Each inline script is the one that the policy allows.
        for (const [, script = ""] of html.matchAll(/<script>([\s\S]*?)<\/script>/gi)) {
          assert.include(
            policy.get("script-src") ?? [],
            `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
            path
          )
        }
      }
    }))

  it.effect("metrics have the names and types that promtool expects, and the time of providers by service", (context) =>
    Effect.gen(function*() {
      requireFor(context, missingProgram("promtool", "prometheus"))
      const hub = yield* TestHub
      yield* topUp(hub, hub.owner, 100)
      const { key } = yield* makeAgent(hub, hub.owner)
      const say = { service: "echo", operation: "say", payload: { text: "hello" } }
      expectStatus(yield* hub.api("POST", "/service-requests", { key, body: say }), 200)
      const { text } = yield* hub.api("GET", "/metrics")
      assert.match(text, /^countersign_provider_duration_seconds_count\{.*service="echo".*\} \d+$/m)
      for (
        const name of [
          "pending_approvals",
          "database_statements",
          "event_loop_delay_p99_seconds",
          "data_directory_free_bytes"
        ]
      ) assert.match(text, new RegExp(`^countersign_${name} `, "m"))
      const checked = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" })
      assert.deepStrictEqual([checked.status, checked.stdout + checked.stderr], [0, ""])

      // The alert rules and the dashboard are valid, and name metrics of this hub only.
      const rules = join(deployDir, "alerts.yml")
      const dashboard = readFileSync(join(deployDir, "grafana-dashboard.json"), "utf8")
      const expressions = [...dashboard.matchAll(/^\s*"expr": (".*"),?$/gm)].map(([, expression]) =>
        String(JSON.parse(expression ?? "")).replaceAll("$__rate_interval", "5m")
      )
      assert.isAtLeast(expressions.length, 15)
      const records = expressions.map((expression, at) =>
        `{"record":"panel_${at}","expr":${JSON.stringify(expression)}}`
      )
      const panels = scratchFolder("cs-panels-")
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(panels, { recursive: true })))
      writeFileSync(join(panels, "panels.yml"), `{"groups":[{"name":"panels","rules":[${records.join()}]}]}`)
      const valid = spawnSync("promtool", ["check", "rules", rules, join(panels, "panels.yml")], { encoding: "utf8" })
      assert.deepStrictEqual([valid.status, valid.stderr], [0, ""])
      // A gauge without a value yet is declared only.
      const declared = readFileSync(telemetry, "utf8").matchAll(/"(countersign_\w+)"/g)
      const exported = new Set([...text.matchAll(/^# TYPE (\S+)/gm), ...declared].map(([, name]) => name))
      assert.match(text, /^countersign_late_answers_total\{service="custom"\} \d+$/m)
      for (
        const [name] of `${readFileSync(rules, "utf8")}${dashboard}`.matchAll(/\b(?:countersign|process)_[a-z0-9_]+/g)
      ) {
        assert.isTrue(exported.has(name) || exported.has(name.replace(/_(?:bucket|count|sum)$/, "")), name)
      }
    }))

  it.effect("metrics are for loopback, and for other clients with the token", () =>
    Effect.gen(function*() {
      const ask = (url: string, headers: Record<string, string>) =>
        Effect.forEach(["/metrics", "/api/v1/metrics"], (path) =>
          Effect.promise(async () => {
            const response = await fetch(`${url}${path}`, { headers })
            return [response.status, (await response.text()).includes("countersign_http_requests_total")]
          }))
      const twice = (status: number, hasMetrics: boolean) => [[status, hasMetrics], [status, hasMetrics]]
      const open = yield* TestHub
      const guarded = yield* startHub({ env: { HUB_METRICS_TOKEN: "scrape me" } })
      const elsewhere = { "x-forwarded-for": "192.0.2.1" }
      const bearer = (token: string) => ({ ...elsewhere, authorization: `Bearer ${token}` })
      assert.deepStrictEqual(yield* ask(open.url, {}), twice(200, true))
      assert.deepStrictEqual(yield* ask(open.url, elsewhere), twice(404, false))
      assert.deepStrictEqual(yield* ask(open.url, bearer("scrape me")), twice(404, false))
      assert.deepStrictEqual(yield* ask(guarded.url, {}), twice(200, true))
      assert.deepStrictEqual(yield* ask(guarded.url, elsewhere), twice(401, false))
      assert.deepStrictEqual(yield* ask(guarded.url, bearer("wrong")), twice(401, false))
      assert.deepStrictEqual(yield* ask(guarded.url, bearer("scrape me")), twice(200, true))
    }))

  it.effect("every answer forbids sniffing, and over https the return to http", () =>
    Effect.gen(function*() {
      const { api } = yield* TestHub
      const secure = yield* startHub({ env: { HUB_PUBLIC_URL: "https://hub.test" } })
      for (const path of ["/health", "/agents", "/nothing"]) {
        const [plain, secured] = [yield* api("GET", path), yield* secure.api("GET", path)]
        assert.strictEqual(plain.headers.get("x-content-type-options"), "nosniff", path)
        assert.isNull(plain.headers.get("strict-transport-security"), path)
        assert.match(secured.headers.get("strict-transport-security") ?? "", /^max-age=\d{8}/, path)
      }
      // Behind a proxy every client arrives from loopback.
      assert.strictEqual((yield* secure.api("GET", "/metrics")).status, 404)
    }))
})
