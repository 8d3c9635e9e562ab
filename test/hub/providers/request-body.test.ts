/**
 * Bodies and queries of declared operations as a provider receives them. Spec: reference/services.md "Bodies and
 * queries".
 */
import { checkService, type HttpOperation, type HttpService } from "@countersign/domain/services"
import { makeEgress } from "@countersign/hub/providers/egress"
import { parseAllowList } from "@countersign/hub/providers/egress-rules"
import { httpAdapter } from "@countersign/hub/providers/http"
import { renderRequest } from "@countersign/hub/providers/http-request"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { httpUpstream, type Received } from "../../support/upstream.ts"

const serviceOf = (origin: string, over: Partial<HttpOperation>): HttpService => ({
  name: "shop",
  kind: "http",
  base_url: origin,
  operations: [{
    name: "do",
    method: "POST",
    path: "/do",
    payload_schema: { type: "object" },
    price: { type: "fixed", cents: 5 },
    ...over
  }]
})

/** The request that a provider on loopback receives. */
const received = Effect.fnUntraced(function*(over: Partial<HttpOperation>, payload: unknown) {
  const server = yield* httpUpstream((_, response) => void response.writeHead(200).end("{}"))
  const service = serviceOf(server.origin, over)
  assert.deepStrictEqual(checkService(service), [])
  const egress = yield* makeEgress({ allow: parseAllowList("127.0.0.1").entries })
  const outcome = yield* httpAdapter(egress).execute(service, {
    requestId: "req_1",
    orgId: "org_1",
    agent: { id: "agt_1", name: "Scout" },
    service: "shop",
    operation: "do",
    payload,
    timeoutMs: 20_000,
    ceilingCents: 5,
    secretOf: () => Effect.succeed(undefined),
    appOf: () => Effect.succeed({ kind: "missing", detail: "No app." })
  })
  assert.strictEqual(outcome.kind, "executed", JSON.stringify(outcome))
  return server.received[0]!
})

const partsOf = (request: Received): Effect.Effect<FormData> =>
  Effect.promise(() =>
    new Response(request.body, { headers: { "content-type": request.headers["content-type"] ?? "" } }).formData()
  )

describe("a body of type form", () => {
  it.live("is URL-encoded, with nested fields in brackets as Stripe reads them", () =>
    Effect.gen(function*() {
      const request = yield* received({ body_type: "form" }, {
        amount: 2_000,
        confirm: true,
        description: "a & b = ż",
        metadata: { "order id": "6735", unset: null },
        expand: ["customer", "charges"],
        line_items: [{ price: "p_1", quantity: 2, tiers: [{ up_to: 1 }] }, { price: "p_2" }],
        none: []
      })
      assert.strictEqual(request.headers["content-type"], "application/x-www-form-urlencoded")
      assert.strictEqual(
        request.body,
        [
          "amount=2000",
          "confirm=true",
          "description=a%20%26%20b%20%3D%20%C5%BC",
          "metadata[order%20id]=6735",
          "metadata[unset]=",
          "expand[0]=customer",
          "expand[1]=charges",
          "line_items[0][price]=p_1",
          "line_items[0][quantity]=2",
          "line_items[0][tiers][0][up_to]=1",
          "line_items[1][price]=p_2"
        ].join("&")
      )
    }))

  it.live("repeats the name of a list with the query style form, and sends an empty form for an empty payload", () =>
    Effect.gen(function*() {
      const body = { MediaUrl: "${payload.media}", Gone: "${payload.gone}", items: "${payload.items}" }
      const request = yield* received({ body_type: "form", query_style: "form", body }, {
        media: ["a", "b"],
        items: [{ n: 1 }]
      })
      assert.strictEqual(request.body, "MediaUrl=a&MediaUrl=b&items[0][n]=1")
      const empty = yield* received({ body_type: "form" }, {})
      assert.deepStrictEqual([empty.body, empty.headers["content-length"]], ["", "0"])
    }))

  it("is refused where its names multiply beyond 4 MiB", () => {
    const payload = { ["n".repeat(400_000)]: Array.from({ length: 100_000 }, (_, at) => at) }
    const request = renderRequest(serviceOf("https://x.example", { body_type: "form" }), {
      ...serviceOf("", { body_type: "form" }).operations[0]!
    }, { payload, requestId: "r" })
    assert.include(JSON.stringify(Result.isFailure(request) ? request.failure : ""), "4 MiB")
  })
})

describe("a body of type multipart", () => {
  it.live("has a part for each member: text, JSON, lists, and files from base64", () =>
    Effect.gen(function*() {
      const request = yield* received({ body_type: "multipart" }, {
        purpose: "evidence",
        n: 3,
        tags: ["a", "b"],
        details: { page: 1 },
        "odd\"\r\nname": "x",
        file: {
          base64: Buffer.from("hello\r\n--x").toString("base64"),
          filename: "r\"1.txt",
          content_type: "text/plain"
        }
      })
      assert.match(request.headers["content-type"] ?? "", /^multipart\/form-data; boundary=countersign-[0-9a-f]{40}$/u)
      const form = yield* partsOf(request)
      assert.strictEqual(form.get("purpose"), "evidence")
      assert.strictEqual(form.get("n"), "3")
      assert.deepStrictEqual(form.getAll("tags"), ["a", "b"])
      assert.strictEqual(form.get("odd\"\r\nname"), "x")
      const file = form.get("file") as File
      assert.deepStrictEqual([file.name, file.type, yield* Effect.promise(() => file.text())], [
        "r\"1.txt",
        "text/plain",
        "hello\r\n--x"
      ])
      assert.include(request.body, "name=\"details\"\r\ncontent-type: application/json\r\n\r\n{\"page\":1}\r\n")
    }))

  it("refuses a file that is not base64, and a media type that would break its header", () => {
    const { operations: [operation], ...service } = serviceOf("https://x.example", { body_type: "multipart" })
    for (const file of [{ base64: "!!" }, { base64: "aGk=", content_type: "a/b\r\nx: y" }]) {
      const request = renderRequest({ ...service, operations: [operation!] }, operation!, {
        payload: { file },
        requestId: "r"
      })
      assert.include(JSON.stringify(Result.isFailure(request) ? request.failure : ""), "body.file.")
    }
  })
})

describe("a body of type text", () => {
  it.live("contains the text unchanged", () =>
    Effect.gen(function*() {
      const request = yield* received({ body_type: "text", body: "${payload.text}" }, { text: "# żółw\n" })
      assert.deepStrictEqual([request.headers["content-type"], request.body], ["text/plain; charset=utf-8", "# żółw\n"])
    }))

  it("cannot be an object", () => {
    const paths = (over: Partial<HttpOperation>) =>
      checkService(serviceOf("https://x.example", over)).map(({ path }) => path)
    assert.deepStrictEqual(paths({ body_type: "text" }), ["operations.0.body"])
    assert.deepStrictEqual(paths({ body_type: "text", body: { a: 1 } }), ["operations.0.body"])
    assert.deepStrictEqual(paths({ body_type: "form", body: ["a"] }), ["operations.0.body"])
    assert.deepStrictEqual(paths({ body_type: "form", body: "${payload}" }), [])
    assert.deepStrictEqual(paths({ body_type: "form", method: "GET" }), ["operations.0.body_type"])
    const { operations: [operation], ...service } = serviceOf("https://x.example", {
      body_type: "text",
      body: "${payload.t}"
    })
    const request = renderRequest({ ...service, operations: [operation!] }, operation!, {
      payload: { t: { a: 1 } },
      requestId: "r"
    })
    assert.isTrue(Result.isFailure(request))
  })
})

describe("the query", () => {
  const query = { created: "${payload.created}", expand: "${payload.expand}", limit: 5, gone: "${payload.gone}" }
  const payload = { created: { gte: 1, lt: null }, expand: ["data.customer", "a&b"] }

  it.live("repeats lists and sends objects as JSON by default", () =>
    Effect.gen(function*() {
      const request = yield* received({ method: "GET", query }, payload)
      const sent = new URL(request.url, "http://x").searchParams
      assert.deepStrictEqual([...sent], [
        ["created", "{\"gte\":1,\"lt\":null}"],
        ["expand", "data.customer"],
        ["expand", "a&b"],
        ["limit", "5"]
      ])
    }))

  it.live("writes lists and objects in brackets with the style deepObject", () =>
    Effect.gen(function*() {
      const request = yield* received({ method: "GET", query, query_style: "deepObject" }, payload)
      assert.strictEqual(
        request.url,
        "/do?created%5Bgte%5D=1&expand%5B0%5D=data.customer&expand%5B1%5D=a%26b&limit=5"
      )
    }))
})
