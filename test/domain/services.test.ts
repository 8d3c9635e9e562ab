import { UpdateServiceInput } from "@countersign/domain/catalog"
import { checkService, HttpService, operationOf, ServiceDefinition } from "@countersign/domain/services"
import { Result, Schema } from "effect"
import { assert, describe, it } from "vitest"

const decode = Schema.decodeUnknownResult(ServiceDefinition, { errors: "all", onExcessProperty: "error" })
const decodeHttp = Schema.decodeUnknownResult(HttpService, { errors: "all", onExcessProperty: "error" })

const operation = (over: object = {}) => ({
  name: "do",
  method: "POST",
  path: "/do/${payload.id}",
  payload_schema: { type: "object" },
  price: { type: "fixed", cents: 5 },
  ...over
})
const service = (over: object = {}, operations: ReadonlyArray<object> = [operation()]) => ({
  name: "shop",
  kind: "http",
  base_url: "https://api.example.com/v1",
  operations,
  ...over
})
const async = (over: object = {}) => ({
  mode: "poll",
  ref: "/id",
  path: "/jobs/${ref}",
  status: "/state",
  executed: ["done"],
  failed: ["error"],
  ...over
})

const problemsOf = (value: unknown) => {
  const decoded = decode(value)
  assert.isTrue(Result.isSuccess(decoded), JSON.stringify(Result.isFailure(decoded) ? decoded.failure.message : ""))
  return Result.isSuccess(decoded) ? checkService(decoded.success) : []
}
const pathsOf = (value: unknown) => problemsOf(value).map(({ path }) => path)

describe("a declared service", () => {
  it("is accepted with every field", () => {
    const whole = service({
      title: "Shop",
      description: "x",
      enabled: false,
      auth: { type: "header", secret: "shop_key", header: "X-Key" }
    }, [
      operation({
        title: "Do",
        description: "y",
        query: { a: "${payload.a}", n: 5 },
        headers: { "x-b": "${request.id}" },
        body: { c: ["${payload}", "${callback_url}"] },
        example: { id: "1" },
        response_schema: { type: "object" },
        price: { type: "quoted", ceiling: "payload.n * 3", estimate: "1", actual: "/cost" },
        result: "/data",
        idempotent: true,
        unknown: "hold",
        timeout_ms: 600_000,
        test: { result: [1], ceiling_cents: 0 },
        async: async({
          interval_ms: 1000,
          method: "POST",
          result: "",
          cost_cents: "/c",
          detail: "/d",
          deadline_ms: 2_592_000_000,
          secret: "cb"
        })
      })
    ])
    assert.deepStrictEqual(problemsOf(whole), [])
    const decoded = decodeHttp(whole)
    assert.isTrue(Result.isSuccess(decoded))
    if (Result.isSuccess(decoded)) {
      assert.strictEqual(operationOf(decoded.success, "do")?.timeout_ms, 600_000)
      assert.isUndefined(operationOf(decoded.success, "constructor"))
      assert.deepStrictEqual(JSON.parse(JSON.stringify(Schema.encodeSync(HttpService)(decoded.success))), whole)
    }
  })

  const malformed: ReadonlyArray<readonly [string, unknown]> = [
    ["a name in upper case", service({ name: "Shop" })],
    ["a name of 65 characters", service({ name: "a".repeat(65) })],
    ["another kind", service({ kind: "mcp" })],
    ["no operations", service({}, [])],
    ["an operation's name in two words", service({}, [operation({ name: "shell.run" })])],
    ["an operation's name of 65 characters", service({}, [operation({ name: "a".repeat(65) })])],
    ["201 operations", service({}, Array.from({ length: 201 }, (_, at) => operation({ name: `o${at}` })))],
    ["an unknown method", service({}, [operation({ method: "get" })])],
    ["a fraction of a cent", service({}, [operation({ price: { type: "fixed", cents: 0.5 } })])],
    ["a negative price", service({}, [operation({ price: { type: "fixed", cents: -1 } })])],
    ["a time-out of 99 ms", service({}, [operation({ timeout_ms: 99 })])],
    ["a time-out beyond ten minutes", service({}, [operation({ timeout_ms: 600_001 })])],
    ["a deadline beyond thirty days", service({}, [operation({ async: async({ deadline_ms: 2_592_000_001 }) })])],
    ["no executed value", service({}, [operation({ async: async({ executed: [] }) })])],
    ["an unknown field", service({ surplus: 1 })],
    ["an unknown field of an operation", service({}, [operation({ surplus: 1 })])],
    ["no price", service({}, [{ ...operation(), price: undefined }])],
    ["a payload schema that is no object", service({}, [operation({ payload_schema: [] })])]
  ]
  for (const [title, value] of malformed) {
    it(`with ${title} is malformed`, () => assert.isTrue(Result.isFailure(decode(value))))
  }

  it("may be builtin only if the hub ships it", () => {
    const builtin = {
      name: "echo",
      kind: "builtin",
      adapter: "echo",
      operations: [{ name: "say", payload_schema: {}, price: { type: "fixed", cents: 1 } }]
    }
    assert.isTrue(Result.isSuccess(decode(builtin)))
    assert.isTrue(Result.isFailure(decodeHttp(builtin)))
  })

  it("accepts a price for each possible name of an operation or of an MCP tool", () => {
    const price = { type: "fixed", cents: 2 }
    const prices = (name: string) =>
      Result.isSuccess(
        Schema.decodeUnknownResult(UpdateServiceInput, { onExcessProperty: "error" })({ prices: { [name]: price } })
      )
    assert.deepStrictEqual(["say", "shell.run", "Search files", "x".repeat(128), "x".repeat(129), ""].map(prices), [
      true,
      true,
      true,
      true,
      false,
      false
    ])
  })
})

describe("the checks of a save", () => {
  for (
    const url of [
      "https://api.example.com",
      "http://localhost:8080/",
      "https://[::1]:8443/a/b",
      "https://ex-ample.com/a%20b/"
    ]
  ) {
    it(`accepts the base URL ${url}`, () => assert.deepStrictEqual(pathsOf(service({ base_url: url })), []))
  }
  for (
    const url of [
      "ftp://x",
      "api.example.com",
      "https://",
      "https://u:p@x",
      "https://x@y/",
      "https://x/?a=1",
      "https://x/#a",
      "https://x y/",
      "javascript:alert(1)",
      "https://x\\@y"
    ]
  ) {
    it(`refuses the base URL ${url}`, () => assert.deepStrictEqual(pathsOf(service({ base_url: url })), ["base_url"]))
  }

  const auths: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
    [{ type: "none" }, []],
    [{ type: "bearer", secret: "a" }, []],
    [{ type: "basic", secret: "a" }, []],
    [{ type: "query", secret: "a", param: "key" }, []],
    [{ type: "bearer" }, ["auth.secret"]],
    [{ type: "header", secret: "a" }, ["auth.header"]],
    [{ type: "query" }, ["auth.secret", "auth.param"]],
    [{ type: "oauth_app", app: "x" }, []],
    [{ type: "oauth_app" }, ["auth.app"]],
    [{ type: "header", secret: "a", header: "x y" }, ["auth.header"]],
    [{ type: "header", secret: "a", header: "Host" }, ["auth.header"]]
  ]
  for (const [auth, paths] of auths) {
    it(`finds ${paths.join(", ") || "nothing"} in the credentials ${JSON.stringify(auth)}`, () =>
      assert.deepStrictEqual(pathsOf(service({ auth })), paths))
  }

  const operations: ReadonlyArray<readonly [string, object, ReadonlyArray<string>]> = [
    ["a schema that does not compile", { payload_schema: { type: "thing" } }, ["payload_schema.type"]],
    ["a schema with a pattern that RE2 does not run", { payload_schema: { properties: { a: { pattern: "(?=a)" } } } }, [
      "payload_schema.properties.a.pattern"
    ]],
    ["a response schema that leaves the document", { response_schema: { $ref: "http://x/y" } }, [
      "response_schema.$ref"
    ]],
    ["CEL that does not parse", { price: { type: "quoted", ceiling: "payload." } }, ["price.ceiling"]],
    ["CEL over an unknown variable", { price: { type: "quoted", ceiling: "1", estimate: "agent.name" } }, [
      "price.estimate"
    ]],
    ["CEL that gives text", { price: { type: "quoted", ceiling: "'a'" } }, ["price.ceiling"]],
    ["a price pointer that is none", { price: { type: "quoted", ceiling: "1", actual: "cost" } }, ["price.actual"]],
    ["a result pointer that is none", { result: "a~2" }, ["result"]],
    ["an unknown reference in the path", { path: "/${secret.x}" }, ["path"]],
    ["a path that does not begin with a slash", { path: "do" }, ["path"]],
    ["a poll's reference outside a poll", { path: "/${ref}" }, ["path"]],
    ["an open reference in the query", { query: { a: "${payload.x" } }, ["query.a"]],
    ["a header that the hub sets", { headers: { "Content-Length": "1" } }, ["headers.Content-Length"]],
    ["an unknown reference deep in the body", { body: { a: [{ b: "${env.HOME}" }] } }, ["body.a.0.b"]],
    ["a body of a GET", { method: "GET", body: {} }, ["body"]],
    ["65 query parameters", { query: Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`a${at}`, "x"])) }, [
      "query"
    ]],
    ["a poll without a path", { async: { ...async(), path: undefined } }, ["async.path"]],
    ["a callback without a path", { async: { ...async({ mode: "callback" }), path: undefined } }, []],
    ["a value that is executed and failed", { async: async({ failed: ["error", "done"] }) }, ["async.failed"]],
    ["a value that is failed and blocked", { async: async({ blocked: ["error"] }) }, ["async.blocked"]],
    ["pointers of async that are none", {
      async: async({ ref: "id", status: "state", cost_cents: "c", detail: "d", result: "r" })
    }, [
      "async.ref",
      "async.status",
      "async.result",
      "async.cost_cents",
      "async.detail"
    ]]
  ]
  for (const [title, over, paths] of operations) {
    it(`finds ${title}`, () => {
      const given = JSON.parse(JSON.stringify(operation(over)))
      assert.deepStrictEqual(pathsOf(service({}, [given])), paths.map((path) => `operations.0.${path}`))
    })
  }

  it("finds two operations of one name", () => {
    assert.deepStrictEqual(pathsOf(service({}, [operation(), operation({ name: "b" }), operation()])), [
      "operations.2.name"
    ])
  })
})
