import { HubApi } from "@countersign/domain/api"
import { BindingInput } from "@countersign/domain/bindings"
import { AgentId } from "@countersign/domain/ids"
import { PageQuery } from "@countersign/domain/pagination"
import { Price } from "@countersign/domain/price"
import { problemsOf, problemsSentence, queryProblemsOf } from "@countersign/domain/schema-problems"
import { HttpService } from "@countersign/domain/services"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { endpoints } from "../support/endpoints.ts"
import { wrongBodies } from "../support/wrong-bodies.ts"

const options = { errors: "all", onExcessProperty: "error" } as const

const problemsIn = (
  schema: Schema.Codec<unknown, unknown>,
  value: unknown,
  query = false
): ReadonlyArray<readonly [string, string]> =>
  Result.match(Schema.decodeUnknownResult(schema, options)(value), {
    onSuccess: () => [],
    onFailure: ({ issue }) =>
      (query ? queryProblemsOf(issue) : problemsOf(issue, value)).map(({ message, path }) => [path, message] as const)
  })

describe("problems of a schema", () => {
  it("name the expected kind and the sent kind, never the value", () => {
    assert.deepStrictEqual(
      problemsIn(BindingInput, {
        service: 7,
        operations: "say",
        monthly_cap_cents: "500",
        daily_request_limit: 1.5,
        enabled: null
      }),
      [
        ["service", "expected a string, not a number"],
        ["operations", "expected an array, not a string"],
        ["monthly_cap_cents", "expected a whole number of cents, such as 1250 for $12.50, not a string"],
        ["daily_request_limit", "expected an integer"],
        ["enabled", "expected true or false, not null"]
      ]
    )
    assert.deepStrictEqual(problemsIn(BindingInput, ["echo"]), [["", "expected an object, not an array"]])
  })

  it("are at most 100, whatever the size of the value", () => {
    const fields = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`f${at}`, 1]))
    const problems = Result.match(Schema.decodeUnknownResult(BindingInput, options)(fields), {
      onSuccess: () => [],
      onFailure: ({ issue }) => problemsOf(issue, fields)
    })
    assert.strictEqual(problems.length, 100)
    assert.deepStrictEqual(problems[0]?.path, "f0")
    assert.include(
      problemsSentence("The body", problems),
      "There are 100 problems or more; details lists the first 100."
    )
  })

  it("report a required field, and for an unknown field a suggestion or the known names", () => {
    assert.deepStrictEqual(problemsIn(BindingInput, { servce: "echo", operations: ["*"] }), [
      ["servce", "unknown field; did you mean service?"],
      ["service", "required"]
    ])
    assert.deepStrictEqual(problemsIn(Price, { type: "fixed", cents: 5, currency: "usd" }), [[
      "currency",
      "unknown field; expected one of type, cents"
    ]])
    assert.deepStrictEqual(
      problemsIn(BindingInput, { service: "echo", operations: ["*"], per_operation: { "Say it": {} } }),
      [
        [
          "per_operation.Say it",
          "this name is not allowed here: expected lower-case words joined by dots, such as orders.create: letters, digits, _ and -, each beginning with a letter"
        ]
      ]
    )
  })

  it("name the values of a choice at the field that selects the form", () => {
    assert.deepStrictEqual(problemsIn(Price, { type: "fixd", cents: 1 }), [[
      "type",
      "expected \"fixed\" or \"quoted\""
    ]])
    assert.deepStrictEqual(problemsIn(Price, { cents: 1 }), [["type", "required: expected \"fixed\" or \"quoted\""]])
    assert.deepStrictEqual(problemsIn(Price, 5), [[
      "",
      "expected an object with \"type\": \"fixed\" or \"quoted\", not a number"
    ]])
    assert.deepStrictEqual(problemsIn(Price, { type: "quoted" }), [["ceiling", "required"]])
  })

  it("count characters, items and numbers in their own units", () => {
    const Sized = Schema.Struct({
      text: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(3)),
      list: Schema.Array(Schema.String).check(Schema.isMinLength(1)),
      count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 }))
    })
    assert.deepStrictEqual(problemsIn(Sized, { text: "", list: [], count: 9 }), [
      ["text", "expected at least 1 character"],
      ["list", "expected at least 1 item"],
      ["count", "expected a number from 1 to 5"]
    ])
    assert.deepStrictEqual(problemsIn(Sized, { text: "long", list: ["a"], count: 1 }), [[
      "text",
      "expected at most 3 characters"
    ]])
  })

  it("describe the beginning of an id", () => {
    assert.deepStrictEqual(problemsIn(AgentId, "text"), [["", "expected an id that begins with agt_"]])
    assert.deepStrictEqual(problemsIn(AgentId, "agt_text"), [["", "expected an id that begins with agt_"]])
    assert.deepStrictEqual(problemsIn(AgentId, 5), [["", "expected an id that begins with agt_, not a number"]])
  })

  it("name both choices of a nullable amount", () => {
    const Input = Schema.Struct({ monthly_cap_cents: Schema.NullOr(Schema.Int) })
    const sent = { monthly_cap_cents: true }
    Result.match(Schema.decodeUnknownResult(Input)(sent), {
      onSuccess: () => assert.fail("accepted"),
      onFailure: ({ issue }) =>
        assert.deepStrictEqual(problemsOf(issue, sent), [
          {
            path: "monthly_cap_cents",
            message: "expected a whole number of cents, such as 1250 for $12.50, or null, not a boolean"
          }
        ])
    })
  })

  it("report a repeated parameter of any type", () => {
    const Query = Schema.Struct({
      ...PageQuery,
      q: Schema.optionalKey(Schema.String),
      sort: Schema.optionalKey(Schema.Literals(["name", "-name"]))
    })
    const repeated = new Set(["limit", "q", "sort", "page"])
    const sent = { limit: ["5", "6"], q: ["a", "b"], sort: ["name", "name"] }
    Result.match(Schema.decodeUnknownResult(Query, { errors: "all" })(sent), {
      onSuccess: () => assert.fail("accepted"),
      onFailure: ({ issue }) =>
        assert.deepStrictEqual(
          queryProblemsOf(issue, repeated).map(({ message, path }) => [path, message]).sort(),
          ["limit", "q", "sort"].map((name) => [name, "given more than once; send it once"])
        )
    })
  })

  it("list each parameter of a query once", () => {
    assert.deepStrictEqual(problemsIn(Schema.Struct(PageQuery), { limit: "many", page: "2" }, true), [
      ["page", "unknown query parameter; expected one of limit, cursor"],
      ["limit", "expected an integer in decimal digits"]
    ])
  })

  it("put the first problem into the message, with the total count", () => {
    assert.strictEqual(
      problemsSentence("The body", [{ path: "", message: "expected an object" }]),
      "The body is not valid: expected an object."
    )
    assert.strictEqual(
      problemsSentence("The body", [{ path: "a.b", message: "unknown field; did you mean c?" }, {
        path: "d",
        message: "required"
      }]),
      "The body is not valid at a.b: unknown field; did you mean c? There are 2 problems; details lists them."
    )
  })

  it("name a service's missing field at its path", () => {
    const operation = {
      name: "send",
      method: "post",
      path: "/",
      payload_schema: {},
      price: { type: "per_call", cents: 1 }
    }
    assert.deepStrictEqual(
      problemsIn(HttpService as never, {
        name: "SMS",
        kind: "rest",
        base_url: "https://a.example",
        operations: [operation]
      }),
      [
        ["name", "expected lower-case letters, digits, _ and -, beginning with a letter, at most 64 characters"],
        ["kind", "expected \"http\""],
        ["operations.0.price.type", "expected \"fixed\" or \"quoted\""],
        [
          "operations.0.method",
          "expected \"GET\", \"HEAD\", \"POST\", \"PUT\", \"PATCH\" or \"DELETE\"; did you mean \"POST\"?"
        ]
      ]
    )
  })
})

/** Words of libraries, of types, and of schemas, which callers of the API do not use. */
const internal =
  /RegExp|template literal|Missing key|excess property|\breadonly\b|\bundefined\b|Schema\b|\bEffect\b|<filter>|decoded as|\[object|valid value|Input\b|=>|\bexpected [A-Z](?!DN|d25519|ANA|FC)/u

it("contain no internal words, for a wrong body of any endpoint", () => {
  const schemas = new Map<string, Schema.Codec<unknown, unknown>>()
  HttpApi.reflect(HubApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const json = [...endpoint.payload.values()].find(({ encoding }) => encoding._tag === "Json")
      if (json !== undefined) schemas.set(`${group.identifier}.${endpoint.identifier}`, json.schemas[0] as never)
    }
  })
  let bodies = 0
  for (const { body, id } of endpoints) {
    const schema = schemas.get(id)
    if (body === undefined || schema === undefined) continue
    const wrong = wrongBodies(body.validator.schema as never, body.sample, 150)
    for (const value of wrong) {
      for (const [path, message] of problemsIn(schema, value)) {
        assert.notMatch(message, internal, `${id} ${path}: ${JSON.stringify(value).slice(0, 200)}`)
        assert.isAtMost(message.length, 1_500, `${id} ${path}`)
        bodies++
      }
    }
  }
  assert.isAbove(bodies, 4_000)
})
