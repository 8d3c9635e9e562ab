import {
  checkTemplate,
  headerLengthMax,
  type Place,
  referencesMax,
  renderBody,
  renderHeader,
  renderPath,
  renderQuery,
  templateLengthMax
} from "@countersign/domain/template"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

const scope = {
  payload: {
    id: "a/b?c#d e%",
    n: 5,
    yes: true,
    nothing: null,
    empty: "",
    dot: ".",
    dots: "..",
    list: [1, "b", null, { z: 1 }],
    object: { a: 1 },
    deep: { items: [{ qty: 2 }] },
    lines: "a\r\nset-cookie: x",
    nul: "a\0b",
    polish: "ż",
    latin: "é",
    half: "\ud800",
    evil: "${payload.n}"
  },
  request: { id: "req_1" },
  callback_url: "https://hub.example/webhooks/a/reconcile?org=org_1"
}

const problems = <A>(result: Result.Result<A, ReadonlyArray<{ readonly path: string; readonly message: string }>>) =>
  Result.isFailure(result) ? result.failure : assert.fail("this was rendered")
const failsAt = <A>(
  result: Result.Result<A, ReadonlyArray<{ readonly path: string; readonly message: string }>>,
  path: string,
  message: RegExp
) => {
  const [first] = problems(result)
  assert.strictEqual(first?.path, path)
  assert.match(first?.message ?? "", message)
}

describe("a path", () => {
  it.each([
    ["/v1/things", "/v1/things"],
    ["/v1/${payload.id}/x", "/v1/a%2Fb%3Fc%23d%20e%25/x"],
    ["/${request.id}/${payload.n}/${payload.yes}", "/req_1/5/true"],
    ["/a-${payload.n}.json", "/a-5.json"],
    ["/${payload.evil}", "/%24%7Bpayload.n%7D"],
    ["/${payload.deep.items.0.qty}", "/2"],
    ["/${payload.polish}", "/%C5%BC"],
    ["/${payload.lines}", "/a%0D%0Aset-cookie%3A%20x"]
  ])(
    "%s becomes %s",
    (template, expected) => assert.deepStrictEqual(renderPath(template, scope), Result.succeed(expected))
  )

  it.each([
    ["/${payload.none}", "payload.none", /required/],
    ["/${payload.nothing}", "payload.nothing", /required/],
    ["/${payload.empty}", "payload.empty", /may not be empty/],
    ["/${payload.dot}", "payload.dot", /may not be/],
    ["/x/${payload.dots}/y", "payload.dots", /may not be/],
    ["/${payload.object}", "payload.object", /a string, a number/],
    ["/${payload.list}", "payload.list", /a string, a number/],
    ["/${payload}", "payload", /a string, a number/],
    ["/${payload.half}", "payload.half", /surrogate/],
    ["/${ref}", "ref", /required/],
    ["/${payload.constructor}", "payload.constructor", /required/],
    ["/${payload.__proto__.x}", "payload.__proto__.x", /required/],
    ["/${payload.list.length}", "payload.list.length", /required/],
    ["/${payload.id.0}", "payload.id.0", /required/]
  ])("%s is refused at %s", (template, path, message) => failsAt(renderPath(template, scope), path, message))

  it("cannot combine values to dot segments", () => {
    for (const template of ["/a/.${payload.x}/b", "/%2E${payload.x}", "/${payload.x}%2e"]) {
      assert.isTrue(Result.isFailure(renderPath(template, { ...scope, payload: { x: "." } })), template)
    }
    assert.deepStrictEqual(renderPath("/.${payload.x}", { ...scope, payload: { x: "%2e" } }), Result.succeed("/.%252e"))
  })

  it.prop("never leaves its segment, for any value", [Schema.String], ([id]) => {
    const rendered = renderPath("/a/${payload.id}/b", { ...scope, payload: { id } })
    if (Result.isFailure(rendered)) return assert.isTrue(["", ".", ".."].includes(id) || !id.isWellFormed())
    const url = new URL(rendered.success, "https://example.com")
    assert.strictEqual(url.pathname.split("/").length, 4)
    assert.strictEqual(decodeURIComponent(url.pathname.split("/")[2]!), id)
    assert.strictEqual(url.search + url.hash, "")
  }, { arbitrary: { seed: 6, runs: 500 } })
})

describe("a header", () => {
  it.each([
    ["Bearer ${payload.n}", "Bearer 5"],
    ["${payload.latin}", "é"],
    ["${request.id}:${payload.yes}", "req_1:true"],
    ["${payload.empty}", ""],
    ["${payload.evil}", "${payload.n}"]
  ])(
    "%s becomes %s",
    (template, expected) => assert.deepStrictEqual(renderHeader(template, scope), Result.succeed(expected))
  )

  it.each([
    ["a ${payload.lines}", "payload.lines", /line breaks/],
    ["${payload.nul}", "payload.nul", /line breaks/],
    ["${payload.polish}", "payload.polish", /Latin-1/],
    ["${payload.none}", "payload.none", /required/],
    ["${payload.nothing}", "payload.nothing", /required/],
    ["${payload.object}", "payload.object", /a string, a number/]
  ])("%s is refused at %s", (template, path, message) => failsAt(renderHeader(template, scope), path, message))

  it("has a limit", () => {
    const long = { ...scope, payload: { x: "x".repeat(headerLengthMax) } }
    assert.isTrue(Result.isSuccess(renderHeader("${payload.x}", long)))
    failsAt(renderHeader("${payload.x}!", long), "payload", /8192/)
  })
})

describe("a query", () => {
  const query = (template: { readonly [name: string]: unknown }) => Result.getOrThrow(renderQuery(template, scope))

  it("omits missing and null values, repeats lists, and sends objects as JSON", () => {
    assert.strictEqual(
      query({ a: "${payload.id}", none: "${payload.none}", nothing: "${payload.nothing}", n: "${payload.n}" }),
      "a=a%2Fb%3Fc%23d%20e%25&n=5"
    )
    assert.strictEqual(query({ l: "${payload.list}" }), "l=1&l=b&l=%7B%22z%22%3A1%7D")
    assert.strictEqual(
      query({ o: "${payload.object}", fixed: 5, flag: true, list: ["x", "${payload.n}"] }),
      "o=%7B%22a%22%3A1%7D&fixed=5&flag=true&list=x&list=5"
    )
    assert.strictEqual(query({ q: "name:${payload.none} n:${payload.n}" }), "q=name%3A%20n%3A5")
    assert.strictEqual(query({ e: "${payload.empty}", "a b&c": "x" }), "e=&a%20b%26c=x")
    assert.strictEqual(query({ none: "${payload.none}" }), "")
    assert.strictEqual(
      query({ x: "${payload.evil}", cb: "${callback_url}" }),
      "x=%24%7Bpayload.n%7D&cb=https%3A%2F%2Fhub.example%2Fwebhooks%2Fa%2Freconcile%3Forg%3Dorg_1"
    )
  })

  it.prop("returns each value when parsed", [Schema.Record(Schema.String, Schema.String)], ([payload]) => {
    const rendered = Result.getOrThrow(
      renderQuery({ first: "${payload.x}", second: "a${payload.x}" }, {
        ...scope,
        payload: { x: Object.values(payload)[0] ?? "" }
      })
    )
    const expected = (Object.values(payload)[0] ?? "").toWellFormed()
    assert.deepStrictEqual([...new URLSearchParams(rendered)], [["first", expected], ["second", `a${expected}`]])
  }, { arbitrary: { seed: 6, runs: 300 } })
})

describe("a body", () => {
  const body = (
    template: unknown,
    given: typeof scope | { readonly payload: unknown; readonly request: { readonly id: string } } = scope
  ) => Result.getOrThrow(renderBody(template, given))

  it("keeps the JSON type of a single reference, and makes text of a reference inside text", () => {
    const template = {
      n: "${payload.n}",
      t: "n=${payload.n}",
      yes: ["${payload.yes}"],
      o: "${payload.object}",
      ot: "o: ${payload.object}"
    }
    assert.deepStrictEqual(body(template), { n: 5, t: "n=5", yes: [true], o: { a: 1 }, ot: "o: {\"a\":1}" })
    assert.strictEqual(body("${payload}"), scope.payload)
    assert.deepStrictEqual(body({ id: "${request.id}", cb: "${callback_url}", fixed: [1, null, false] }), {
      id: "req_1",
      cb: scope.callback_url,
      fixed: [1, null, false]
    })
  })

  it("omits missing values, and keeps null", () => {
    const template = {
      a: "${payload.none}",
      b: ["${payload.none}", "x", "${payload.nothing}"],
      c: { d: "${payload.none}" },
      e: "${payload.nothing}"
    }
    assert.deepStrictEqual(body(template), { b: ["x", null], c: {}, e: null })
    assert.deepStrictEqual(body({ t: "a${payload.none}b${payload.nothing}c" }), { t: "abc" })
    assert.isUndefined(body("${payload.none}"))
  })

  it("does not parse filled-in values again", () => {
    assert.deepStrictEqual(body({ a: "${payload.evil}", b: "x ${payload.evil}" }), {
      a: "${payload.n}",
      b: "x ${payload.n}"
    })
    const nested = {
      payload: { a: "${payload.b}", b: "${payload.a}", c: ["${request.id}"], "$&": "$1" },
      request: { id: "r" }
    }
    const template = ["${payload.a}", "<${payload.b}>", "${payload.c}", "${payload.$&}", "$& $1 ${payload.$&}"]
    assert.deepStrictEqual(body(template, nested), [
      "${payload.b}",
      "<${payload.a}>",
      ["${request.id}"],
      "$1",
      "$& $1 $1"
    ])
  })

  it("treats __proto__ as data, in the template and in the payload", () => {
    const template = JSON.parse("{\"__proto__\":\"${payload.__proto__}\",\"p\":\"${payload}\"}")
    const given = { payload: JSON.parse("{\"__proto__\":{\"x\":1}}"), request: { id: "r" } }
    assert.strictEqual(
      JSON.stringify(body(template, given)),
      "{\"__proto__\":{\"x\":1},\"p\":{\"__proto__\":{\"x\":1}}}"
    )
    assert.deepStrictEqual(body({ a: "${payload.__proto__}", b: "${payload.constructor.name}" }), {})
  })

  it("limits the repetition of a large payload", () => {
    const large = {
      payload: { x: "x".repeat(1_000_000), o: { list: Array.from({ length: 100_000 }, () => 1) } },
      request: { id: "r" }
    }
    assert.isTrue(Result.isSuccess(renderBody(["${payload.x}", "${payload.x}"], large)))
    failsAt(renderBody(Array.from({ length: 1_000 }, () => "${payload.x}"), large), "payload", /4 MiB/)
    failsAt(renderBody("${payload.x}".repeat(100), large), "payload", /4 MiB/)
    failsAt(renderBody(Array.from({ length: 50 }, () => "${payload.o}"), large), "payload", /4 MiB/)
    failsAt(renderQuery({ a: Array.from({ length: 50 }, () => "${payload.x}") }, large), "payload", /4 MiB/)
  })

  it.prop("returns any payload unchanged", [Schema.Json], ([payload]) => {
    assert.deepStrictEqual(body({ all: "${payload}" }, { payload, request: { id: "r" } }), { all: payload })
  }, { arbitrary: { seed: 8, runs: 200 } })
})

describe("a saved template", () => {
  it.each<readonly [Place, unknown]>([
    ["path", "/v1/${payload.a.b.0}/${request.id}"],
    ["path", "/"],
    ["path", "/a%20b"],
    ["path", "/..a"],
    ["header", { "X-A": "Bearer ${payload.t}", accept: "application/json" }],
    ["query", { a: "${payload.a}", b: 5, c: ["x"] }],
    ["body", { a: ["${payload}", 1, null, { b: "x ${callback_url}" }] }],
    ["body", "${payload.naïve-name_1}"],
    ["body", "} { $ {x} $5"],
    ["body", null]
  ])(
    "may be this %s: %j",
    (place, template) => assert.deepStrictEqual(checkTemplate(template, place, "operations.0"), [])
  )

  it.each<readonly [Place, unknown, string, RegExp]>([
    ["path", "v1/a", "at", /begins with/],
    ["path", "/a?b=c", "at", /no "\?"/],
    ["path", "/a#b", "at", /no "\?"/],
    ["path", "/a/../b", "at", /segments/],
    ["path", "/a/%2e%2E/b", "at", /segments/],
    ["path", "/./a", "at", /segments/],
    ["path", "/a b", "at", /URL characters/],
    ["path", "/a\\b", "at", /URL characters/],
    ["path", "/%zz", "at", /URL characters/],
    ["path", "/ż", "at", /URL characters/],
    ["path", 5, "at", /must be text/],
    ["path", "/${ref}", "at", /\$\{ref\} is unknown/],
    ["path", "/${payload.x", "at", /not closed/],
    ["path", "/${}", "at", /is unknown/],
    ["body", { a: { b: ["${steps.x}"] } }, "at.a.b.0", /\$\{steps.x\} is unknown/],
    ["body", "${constructor}", "at", /is unknown/],
    ["body", "${payload.}", "at", /is unknown/],
    ["body", "${payload..a}", "at", /is unknown/],
    ["body", "${payload a}", "at", /is unknown/],
    ["body", "${request}", "at", /is unknown/],
    ["body", "${request.ids}", "at", /is unknown/],
    ["body", "${payload.${request.id}}", "at", /not closed|is unknown/],
    ["body", { a: "x".repeat(templateLengthMax + 1) }, "at.a", /characters/],
    ["body", "${payload.a}".repeat(referencesMax + 1), "at", /references/],
    ["header", { host: "a" }, "at.host", /set by the hub/],
    ["header", { "Idempotency-Key": "a" }, "at.Idempotency-Key", /set by the hub/],
    ["header", { "a b": "c" }, "at.a b", /not a valid header name/],
    ["header", { a: "b\r\nc: d" }, "at.a", /visible/],
    ["header", { a: 5 }, "at.a", /must be text/],
    ["header", "a: b", "at", /object of templates/],
    ["query", ["a"], "at", /object of templates/]
  ])("may not be this %s: %j", (place, template, path, message) => {
    const [first] = checkTemplate(template, place, "at")
    assert.strictEqual(first?.path, path)
    assert.match(first?.message ?? "", message)
  })

  it("may use ${ref} where it polls", () => {
    assert.deepStrictEqual(checkTemplate("/jobs/${ref}", "path", "async.path", { polls: true }), [])
    assert.deepStrictEqual(renderPath("/jobs/${ref}", { ...scope, ref: 17 }), Result.succeed("/jobs/17"))
  })

  it("has a limit for nesting", () => {
    let deep: unknown = "x"
    for (let at = 0; at < 100_000; at++) deep = [deep]
    assert.match(checkTemplate(deep, "body", "body")[0]?.message ?? "", /levels deep/)
  })
})
